//! Many numbers for Python at once: arrays of numpy, which only some of Weft needs.

use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple};

/// A number of which arrays are made.
pub(crate) trait Number: Element + Copy {
    /// What numpy calls it.
    const TYPE: &str;

    /// Appends its bytes, the lowest first.
    fn write(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ident $name:literal),+ $(,)?) => {
        $(impl Number for $number {
            const TYPE: &str = $name;

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        })+
    };
}

numbers! { u32 "uint32", u64 "uint64", i64 "int64", f32 "float32", f64 "float64" }

impl Number for bool {
    const TYPE: &str = "bool";

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }
}

/// Numbers in a shape, the last axis first to advance: an array of numpy, or where that is not
/// installed, what `weft._without_numpy` has in its stead.
///
/// # Errors
/// `ValueError` where the shape has room for another number of them.
pub(crate) fn array<'py, T: Number>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    if has_numpy(py)? {
        return Ok(PyArray1::from_vec(py, numbers).reshape(shape)?.into_any());
    }
    let mut bytes = Vec::with_capacity(size_of_val(numbers.as_slice()));
    for number in numbers {
        number.write(&mut bytes);
    }
    let parts = (PyBytes::new(py, &bytes), T::TYPE, PyTuple::new(py, shape)?);
    py.import("weft._without_numpy")?
        .call_method1("Numbers", parts)
}

/// Numbers in a row, as [`array`] has them.
///
/// # Errors
/// As `array`.
pub(crate) fn row<T: Number>(
    py: Python<'_>,
    numbers: impl IntoIterator<Item = T>,
) -> PyResult<Bound<'_, PyAny>> {
    let numbers: Vec<T> = numbers.into_iter().collect();
    let count = numbers.len();
    array(py, numbers, &[count])
}

/// Whether numpy is installed.
fn has_numpy(py: Python<'_>) -> PyResult<bool> {
    static FOUND: PyOnceLock<bool> = PyOnceLock::new();
    let found = FOUND.get_or_try_init(py, || {
        let spec = py
            .import("importlib.util")?
            .call_method1("find_spec", ("numpy",))?;
        PyResult::Ok(!spec.is_none())
    });
    found.copied()
}
