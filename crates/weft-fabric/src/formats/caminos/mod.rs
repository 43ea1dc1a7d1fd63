//! The neighbour lists of CAMINOS (its topology `File` with `format: 0`).
//!
//! ```text
//! NODOS 3
//! GRADO 2
//! N 0
//! 1 2
//! N 1
//! 0
//! N 2
//! 0
//! ```
//!
//! `NODOS` is the number of routers (switches), `GRADO` the largest number of neighbours; after
//! `N i` stands the line of the neighbours of router `i`, in the order of its ports, which is empty
//! for a router without. CAMINOS counts ports from 0, a fabric from 1.
//!
//! A file lists no servers (hosts): CAMINOS takes their number from its configuration, the same for
//! every router (`servers_per_router`). So a fabric that is read has none, and one that is written
//! must have equally many on every switch. As CAMINOS finds a link's far port by searching for the
//! first mention of its own number, two routers can have one link only.
//!
//! Source: caminos-lib 0.6, `src/topology/neighbourslists.rs`.

mod read;
mod write;

use super::{Format, FormatName, Reader};

/// CAMINOS neighbour lists in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Caminos,
    id: "caminos",
    title: "CAMINOS neighbour lists",
    summary: "The file of CAMINOS's topology File.",
    keeps: "Which switches are joined, and the order of their ports; hosts, names and rates are lost, parallel links refused.",
    extensions: &["caminos"],
    reader: Some(Reader(recognises, read::read)),
    writer: Some(write::write),
};

/// Tells neighbour lists from other text.
pub(super) fn recognises(text: &str) -> bool {
    text.split_ascii_whitespace().next() == Some("NODOS")
}
