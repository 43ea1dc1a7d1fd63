//! Files that hold routes: tables that `OpenSM` dumps, and our own.

mod fdb_file;
mod lft_dump;
mod table_entries;

use crate::text::start_of;
use fdb_file::{fdbs_switch, read_fdbs};
use lft_dump::{LFTS_START, read_lfts};
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_routing::{Routing, json};

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
pub fn read_routes(
    bytes: &[u8],
    source_name: &str,
    fabric: &Fabric,
) -> Result<ReadRoutes, FormatError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    let source = Source {
        name: source_name,
        text: &text,
    };
    let lines = || text.lines().map(str::trim);
    let Some(first) = lines().find(|line| !line.is_empty() && !line.starts_with('#')) else {
        return Err(source.unexpected(0, "an empty file", READABLE));
    };
    if first.starts_with('{') {
        return Ok(ReadRoutes {
            routing: json::read(source, fabric)?,
            notes: Vec::new(),
        });
    }
    // Shells and drivers leave lines of their own before what a tool prints.
    for line in lines() {
        if line.starts_with(LFTS_START) {
            return read_lfts(source, fabric);
        }
        if fdbs_switch(line).is_some() {
            return read_fdbs(source, fabric);
        }
    }
    let offset = first.as_ptr().addr() - text.as_ptr().addr();
    let found = format!("a file that starts with {}", start_of(first));
    Err(source.unexpected(offset, found, READABLE))
}
