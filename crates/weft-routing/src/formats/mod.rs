//! Files that hold routes: our own, and tables that `OpenSM` dumps.
//!
//! ```text
//! bytes, Fabric ─► json | opensm ─► ReadRoutes
//! Fabric, Routing ─► json ─► text
//! ```

mod json;
pub mod opensm;

use crate::form::routes::Routing;
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatError, FormatErrorKind, ReadNote, Source};

/// Routes as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRoutes {
    /// The routes; of tables that came from elsewhere, the algorithm is the format's name.
    pub routing: Routing,
    /// What was passed over, in the order of the file.
    pub notes: Vec<ReadNote>,
}

/// What is read, for people.
const READABLE: &str = "routes: Weft's own JSON, tables as OpenSM dumps them (opensm-lfts.dump, \
                        dump_fts) or its opensm.fdbs";

/// Reads the routes of a fabric; the format is found from the content.
///
/// Switches and hosts of `OpenSM`'s files are known by GUID, by LID where a line has no GUID; so the
/// fabric must have them. A port with several LIDs has several addresses, and sources may send to
/// each.
///
/// # Errors
/// [`FormatError`] with the place: the file is damaged, of another kind or of another fabric. No
/// content makes the reader panic.
pub fn read(bytes: &[u8], source_name: &str, fabric: &Fabric) -> Result<ReadRoutes, FormatError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    let source = Source {
        name: source_name,
        text: &text,
    };
    let lines = || text.lines().map(str::trim);
    let Some(first) = lines().find(|line| !line.is_empty() && !line.starts_with('#')) else {
        return Err(unexpected(source, 0, "an empty file", READABLE));
    };
    if first.starts_with('{') {
        return json::read(source, fabric);
    }
    // Shells and drivers leave lines of their own before what a tool prints.
    for line in lines() {
        if line.starts_with(opensm::LFTS_START) {
            return opensm::read_lfts(source, fabric);
        }
        if opensm::fdbs_switch(line).is_some() {
            return opensm::read_fdbs(source, fabric);
        }
    }
    let start: String = first.chars().take(40).collect();
    let offset = first.as_ptr().addr() - text.as_ptr().addr();
    let found = format!("a file that starts with “{start}”");
    Err(unexpected(source, offset, found, READABLE))
}

/// Writes the routes of a fabric in our own format; [`read`] gives them back unchanged.
///
/// # Examples
/// ```
/// use weft_routing::{algorithms, formats};
///
/// let fabric = weft_fabric::generate::mesh(2, 2, 1)?;
/// let routing = algorithms::route_spec(&fabric, "down_preferred")?;
/// let text = formats::write(&fabric, &routing);
/// assert_eq!(formats::read(text.as_bytes(), "routes.json", &fabric)?.routing, routing);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(fabric: &Fabric, routing: &Routing) -> String {
    json::write(fabric, routing)
}

fn unexpected(
    source: Source<'_>,
    offset: usize,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> FormatError {
    source.error(
        offset,
        FormatErrorKind::Unexpected {
            found: found.into(),
            expected: expected.into(),
        },
    )
}
