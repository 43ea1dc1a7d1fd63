//! Files as bytes.

use crate::errors::{Exception, Outcome};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weft_files::MOST_BYTES_WITHOUT_END;

/// The bytes of a whole file unpacked, `None` where they are not packed; what cannot be unpacked is a
/// `FormatError` that begins with the file's name.
#[pyfunction]
pub(crate) fn unpack<'py>(
    py: Python<'py>,
    content: &[u8],
    source_name: &str,
) -> Outcome<Option<Bound<'py, PyBytes>>> {
    let unpacked = py.detach(|| weft_files::unpack(content));
    let unpacked =
        unpacked.map_err(|error| Exception::Format.told(format!("{source_name}: {error}")))?;
    Ok(unpacked.map(|bytes| PyBytes::new(py, &bytes)))
}

/// Bytes that may come out of a pipe or a device.
#[pyfunction]
pub(crate) fn most_bytes_without_end() -> u64 {
    MOST_BYTES_WITHOUT_END
}
