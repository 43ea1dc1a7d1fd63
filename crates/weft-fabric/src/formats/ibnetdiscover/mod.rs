//! The output of `ibnetdiscover`, as real clusters produce it.
//!
//! A switch's record lists its cables one a line, and so does the record of the channel adapter
//! (CA) or switch at the other end.
//!
//! Source: `ibnetdiscover(8)` of infiniband-diags.

mod ending;
mod gathering;
mod line;
mod write;

use super::infiniband::finish;
use super::{Format, FormatError, FormatName, Found, Reader, Source};
use line::{Line, parse};

/// The output of `ibnetdiscover` in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Ibnetdiscover,
    id: "ibnetdiscover",
    title: "ibnetdiscover",
    summary: "What ibnetdiscover of infiniband-diags prints of a cluster, and what ibsim simulates.",
    keeps: "Names, GUIDs with those of chassis, LIDs, numbers of ports, order of switches and of hosts, cables and rates in InfiniBand's words; \
            GUIDs that are not known are made.",
    extensions: &["ibnetdiscover", "net"],
    reader: Some(Reader(looks_like_ibnetdiscover, read)),
    writer: Some(write::write),
};

/// Tells whether any line is one that only `ibnetdiscover` writes.
fn looks_like_ibnetdiscover(text: &str) -> bool {
    text.lines().any(|line| match parse(line) {
        Line::Identity(..) | Line::Header(_) | Line::Port(_) | Line::Prefixed(_) => true,
        Line::Comment => line.contains("Topology file: generated on"),
        Line::Malformed(_) => !line.trim_start().starts_with('['),
        Line::Blank | Line::Grouping | Line::Unknown => false,
    })
}

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let gathering = gathering::gather(source, &mut notes)?;
    let fabric = finish(source, gathering, &mut notes)?;
    Ok((fabric, notes))
}
