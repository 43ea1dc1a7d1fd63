//! Whole numbers from Python, refused with a clear text when they do not fit, and tables of them.

use crate::errors::{Exception, Outcome};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use weft_fabric::HostId;

/// Converts a Python integer.
///
/// # Errors
/// The given exception, when the number is negative or too large for `T`; `TypeError` when it is none.
pub(crate) fn whole<T: TryFrom<u64>>(
    exception: Exception,
    name: &str,
    number: &Bound<'_, PyAny>,
) -> Outcome<T> {
    let number = number.cast::<PyInt>().map_err(PyErr::from)?;
    let fitting = number
        .extract()
        .ok()
        .and_then(|number: u64| number.try_into().ok());
    fitting.ok_or_else(|| {
        let bits = 8 * size_of::<T>();
        exception.told(format!(
            "{name} is {number}; expected a whole number from 0 to 2^{bits} - 1"
        ))
    })
}

/// What each host sends to each, source by source.
pub(crate) type Weights<'py> = PyReadonlyArray2<'py, u16>;

/// The same, asked for a pair.
pub(crate) fn weight_of(weights: Weights<'_>) -> impl Fn(HostId, HostId) -> u16 + Send + use<> {
    let weights = weights.as_array().to_owned();
    move |from, to| weights[[from.index(), to.index()]]
}
