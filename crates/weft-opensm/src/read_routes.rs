//! Files that hold routes: tables that `OpenSM` and ibdiagnet dump, and our own.

use crate::adaptive::{GroupFiles, RoutesFileKind, kind_of, read_group_tables};
use crate::tables::ReadRoutes;
use crate::tables::fdb_file::read_fdbs;
use crate::tables::lft_dump::{LFTS_START, read_lfts};
use crate::text::start_of;
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatError, Source};
use weft_routing::json;

/// What is read, for people.
const READABLE: &str = "routes: Weft's own JSON, tables as OpenSM dumps them (opensm-lfts.dump, \
                        dump_fts), its opensm.fdbs, or ibdiagnet's .far";

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
            routing: json::read(source, fabric)?.into(),
            notes: Vec::new(),
        });
    }
    // Shells and drivers leave lines of their own before what a tool prints.
    match kind_of(&text) {
        Some(RoutesFileKind::StaticTables) => {
            let is_dump = lines().any(|line| line.starts_with(LFTS_START));
            let read = if is_dump { read_lfts } else { read_fdbs };
            return read(source, fabric);
        }
        Some(RoutesFileKind::GroupTables) => {
            let files = GroupFiles {
                groups: Some((bytes, source_name)),
                ..GroupFiles::default()
            };
            return read_group_tables(&files, fabric);
        }
        _ => {}
    }
    let offset = first.as_ptr().addr() - text.as_ptr().addr();
    let found = format!("a file that starts with {}", start_of(first));
    Err(source.unexpected(offset, found, READABLE))
}
