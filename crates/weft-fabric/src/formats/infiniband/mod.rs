//! What the formats of InfiniBand's tools have in common.
//!
//! Every one of them lists the ports of every node and names what stands at the other end of each,
//! so every cable is told twice. Each format's own reader finds the nodes and their port lines
//! ([`Gathering`]); from there on they are one:
//!
//! ```text
//! Gathering ─► peers ─► wiring ─► assembly, names ─► Fabric + notes
//! who says     who is    which    hosts and
//! what         at the    cables   their names
//!              other end there are
//! ```
//!
//! Both sides of a cable are compared. Each wired port of a channel adapter (CA) becomes a host.

mod assembly;
mod cabling;
mod cells;
mod choice_of_cable;
mod claims;
mod cursor;
mod doubts;
mod gathering;
mod identities;
mod lids;
mod listing;
mod names;
mod peers;
mod records;
mod rivals;
mod service;
mod speed;
mod subnet;
mod text;
mod twins;
mod unlisted_ports;
mod wiring;

pub(super) use cabling::{NamedCable, NamedEnd, finish_cables};
pub(super) use cells::{Columns, Row, cells, guid, number, port};
pub(super) use cursor::{Cursor, Malformed, hexadecimal};
pub(super) use gathering::{CableEnd, Gathering};
pub(super) use identities::Adapters;
pub(super) use lids::Lids;
pub(super) use listing::{Listed, Listing};
pub(super) use records::{
    Device, Entry, Mark, Node, NodeKey, NodeKind, Peer, PortLine, PortLines, Rate, note,
};
pub(super) use rivals::Rivals;
pub(super) use speed::{active, rate, rounded, signalling};
pub(super) use subnet::{Subnet, SubnetNode, SubnetPort};
pub(super) use text::{ListLine, TextLine, cut_line, lines, read_list, unknown_reason};
pub(super) use twins::Again;

use super::{FormatError, ReadNote, Source};
use crate::Fabric;

/// Makes the fabric of what was gathered.
pub(super) fn finish(
    source: Source<'_>,
    gathering: Gathering<'_>,
    notes: &mut Vec<ReadNote>,
) -> Result<Fabric, FormatError> {
    gathering.note_repeats(notes);
    let records = gathering.resolve_peers(notes)?;
    let cables = wiring::cables(&records, notes);
    let fabric = assembly::assemble(source, &records, &cables, notes)?;
    notes.sort_by_key(|note| note.line.unwrap_or(u32::MAX));
    Ok(fabric)
}
