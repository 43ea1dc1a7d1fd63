//! Topologies of ibutils: systems and the cables between them (`.topo`), and what is inside of systems
//! (`.ibnl`), which may stand before them in one file, or in files beside it.
//!
//! ```text
//! TOPSYSTEM DIRECTOR
//! NODE SW 24 MT47396 U1
//! 1 -> P1
//! 13 -4x-10G-> U2 13
//! NODE SW 24 MT47396 U2
//! 1 -> P2
//!
//! MTS2400 S-1
//!    P1 -> MT23108 H-1 P1
//!    P24 -4x-10G-> DIRECTOR D-1 P2
//! ```
//!
//! A system of a topology that no definition is given of is one switch, or one channel adapter, whose ports
//! are `P1`, `P2` and so on: an adapter if its type is called `HCA…` or as one of the adapters that ibutils
//! defines, a switch if it has lines of its own or several wired ports. A file that has
//! definitions alone is the fabric of its TOPSYSTEM. Boards (`SYSTEM`) are put where they stand in others;
//! modifiers (`CFG:`) choose among their names.
//!
//! Source: `ibdm-topo-file(1)` and `ibdm-ibnl-file(1)` of ibutils.

mod companions;
mod definition;
mod read;
mod system;

pub(super) use read::read_beside;

use super::{Format, FormatName, Reader};

/// These files in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Ibutils,
    id: "topo",
    title: "ibutils' topology (.topo, .ibnl)",
    summary: "Systems and the cables between them as ibutils' topology files have it, and the insides of systems (.ibnl) before them or in files beside.",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(
        |text| text.lines().any(read::is_of_ibutils),
        read::read,
    )),
    writer: None,
};
