//! Routes as text: our own format.
//!
//! ```json
//! {
//!   "format": "weft-routes",
//!   "version": 1,
//!   "fabric": "two switches",
//!   "fingerprint": "0x91f2a4c3b0d5e687",
//!   "algorithm": "updown",
//!   "parameters": {"root": "0"},
//!   "per": "switch",
//!   "routes": [
//!     [[], [5]],
//!     [[5], []]
//!   ],
//!   "lanes": [
//!     [[], [0]],
//!     [[1], []]
//!   ]
//! }
//! ```
//!
//! `per` is `switch` or `host`: what routes are held between, the endpoints. `routes` has a line per
//! source and in it, per destination, the output ports; `lanes`, where there are several, has the
//! lane of each step in the same shape. Instead of `routes` there may be forwarding tables:
//!
//! ```json
//! {
//!   "addresses": [1, 2],
//!   "tables": [
//!     [0, 5, 6],
//!     [5, 0, 0]
//!   ],
//!   "aliases": [
//!     [0, 1],
//!     [0, 0]
//!   ],
//!   "lanes": [
//!     [0, 0],
//!     [1, 0]
//!   ]
//! }
//! ```
//!
//! `addresses` counts those of each destination; `tables` has a line per switch and in it, per
//! address, the next port, 0 without one. `aliases` has a line per source and in it, per destination,
//! which of its addresses to send to: where it is missing the first, where it is the word `any` any of
//! them. `lanes` has the service level of each pair, where there are several: the number of the lane,
//! unless lane tables say another. Where the hosts of a switch all use the same, `switch_lanes` has a
//! line per switch instead of one per source.
//!
//! Either kind may have `turns`, a number *n* above 1: the packets of a pair alternate over *n* sets of
//! lanes, or service levels, the second beginning behind the highest of `lanes`, and so on. Tables may
//! come with lane tables (here a row has four lanes, in the file sixteen):
//!
//! ```json
//! {
//!   "lane_key": "service_level",
//!   "host_lanes": [0, 1, 2, 3],
//!   "lane_tables": [
//!     [[0, 0, [0, 1, 2, 3]], [1, 4, [0, 0, null, null]]],
//!     [[0, 0, [0, 1, 2, 3]]]
//!   ]
//! }
//! ```
//!
//! `lane_key` says what the rows are indexed by: `service_level` (SL-to-VL tables) or `incoming_lane`.
//! `host_lanes` is the row of hosts' channels, always by service level. `lane_tables` has a line per
//! switch and in it entries of an input port, an output port, and their row; ports 0 and 0 come first
//! and stand for all others, elsewhere port 0 is the switch's own. `null` is no lane.

mod lane_rows;
mod read;
mod write;

pub use read::read;
pub use write::write;

/// What the member `format` says.
const MARK: &str = "weft-routes";
const VERSION: u32 = 1;
/// What `aliases` says where sources may send to any address.
const ANY: &str = "any";
