//! Our own format.
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
//! them. `lanes` has the lane of each pair, where there are several; where the hosts of a switch all
//! use the same, `switch_lanes` has a line per switch instead of one per source.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

/// What the member `format` says.
const MARK: &str = "weft-routes";
const VERSION: u32 = 1;
/// What `aliases` says where sources may send to any address.
const ANY: &str = "any";
