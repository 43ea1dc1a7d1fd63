//! Whole numbers from Python, refused with a clear text when they do not fit.

use crate::errors::Exception;
use pyo3::prelude::*;
use pyo3::types::PyInt;

/// Converts a Python integer.
///
/// # Errors
/// The given exception, when the number is negative or too large for `T`.
pub(crate) fn whole<T: TryFrom<u64>>(
    exception: Exception,
    name: &str,
    number: &Bound<'_, PyInt>,
) -> PyResult<T> {
    number
        .extract::<u64>()
        .ok()
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| {
            let highest = if size_of::<T>() < size_of::<u64>() {
                "2^32 - 1"
            } else {
                "2^64 - 1"
            };
            let text = format!("{name} is {number}; expected a whole number from 0 to {highest}");
            exception.with_text(number.py(), text)
        })
}
