//! Our own format.
//!
//! ```json
//! {
//!   "format": "weft-fabric",
//!   "version": 1,
//!   "name": "two switches",
//!   "layout": {"grid": {"extents": [2, 1]}},
//!   "switches": [
//!     {"name": "sw0", "ports": 8, "guid": "0x0002c90200000001", "system_guid": "0x0002c90200000000",
//!      "lid": 4},
//!     {"name": "sw1", "ports": 8}
//!   ],
//!   "hosts": [
//!     {"name": "host0", "guid": "0x0002c90300000007", "adapter_guid": "0x0002c90300000006",
//!      "lid": 12, "lmc": 2},
//!     {"name": "aggregation", "service": "inside_switch"}
//!   ],
//!   "links": [
//!     {"ends": [["host0", 1], ["sw0", 1]], "rate": "4xHDR"},
//!     {"ends": [["sw0", 5], ["sw1", 5]], "rate": "1.28 Gbit/s", "metres": 10, "port_kind": "lan"}
//!   ]
//! }
//! ```
//!
//! `layout`, `guid`, `system_guid`, `adapter_guid`, `lid`, `rate`, `metres` (the cable's length) and `port_kind`
//! (`san` or `lan`, of Myrinet) may be missing, and `lmc` is 0 when it is. A
//! switch's `system_guid` is that of its chassis, a host's `guid` and `lid` are those of its port; one with `service`, and what says so
//! (`description`, `inside_switch`, `place` or `told`), is a service end. An end of a link is a node's name and one of its
//! ports. The order of switches, hosts and links is kept: it numbers them.

mod entries;
mod read;
mod write;

use super::recognise::opens_json;
use super::{Format, FormatName, Reader, node_link, ufm_links};

/// Our own format in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Json,
    id: "json",
    title: "weft-fabric JSON",
    summary: "Weft's own format: everything a fabric consists of, one part a line.",
    keeps: "Everything.",
    extensions: &["json"],
    reader: Some(Reader(
        |text| opens_json(text) && !node_link::recognises(text) && !ufm_links::recognises(text),
        read::read,
    )),
    writer: Some(|fabric| Ok(write::write(fabric))),
};

/// What the member `format` says.
const MARK: &str = "weft-fabric";
const VERSION: u64 = 1;
