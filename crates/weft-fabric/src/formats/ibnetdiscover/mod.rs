//! The output of `ibnetdiscover`, as real clusters produce it.
//!
//! ```text
//! line ─► gathering ─► ending, peers ─► wiring ─► assembly, names ─► Fabric + notes
//! what    which node   is it whole?     which     hosts and
//! a line  says what    who is at the    cables    their names
//! says                 other end?       there are
//! ```
//!
//! A switch's record lists its cables one a line, and so does the record of the channel adapter
//! (CA) or switch at the other end; both sides are compared. Each wired port of an adapter becomes
//! a host.
//!
//! Source: `ibnetdiscover(8)` of infiniband-diags.

mod assembly;
mod ending;
mod gathering;
mod line;
mod names;
mod peers;
mod records;
mod wiring;

use super::ReadFabric;
use super::error::FormatError;
use super::registry::{Format, FormatName, Reader};
use super::source::Source;
use line::{Line, parse};

/// The output of `ibnetdiscover` in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Ibnetdiscover,
    id: "ibnetdiscover",
    title: "ibnetdiscover",
    summary: "What ibnetdiscover of infiniband-diags prints of a cluster.",
    keeps: "Names, GUIDs, numbers of ports, cables and rates.",
    extensions: &["ibnetdiscover"],
    reader: Some(Reader {
        recognises: looks_like_ibnetdiscover,
        read,
    }),
    writer: None,
};

/// This tells whether any line is one that only `ibnetdiscover` writes.
fn looks_like_ibnetdiscover(text: &str) -> bool {
    text.lines().any(|line| match parse(line) {
        Line::Identity | Line::Header(_) | Line::Port(_) => true,
        Line::Comment => line.contains("Topology file: generated on"),
        Line::Malformed(malformed) => malformed.is_header,
        Line::Blank | Line::Grouping | Line::Unknown => false,
    })
}

fn read(source: Source<'_>) -> Result<ReadFabric, FormatError> {
    let mut notes = Vec::new();
    let records = gathering::gather(source, &mut notes)?;
    let cables = wiring::cables(source, &records, &mut notes)?;
    let fabric = assembly::assemble(source, &records, &cables, &mut notes)?;
    notes.sort_by_key(|note| note.line.unwrap_or(u32::MAX));
    Ok(ReadFabric {
        fabric,
        format: FormatName::Ibnetdiscover,
        notes,
    })
}
