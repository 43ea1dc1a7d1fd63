//! The same models as the engine's, one cycle and one flit at a time, written from the semantics
//! alone to be read and believed. For tests only; it shares data types with the engine and nothing
//! else: the fabric, routes and tables as they are held, parameters, the packets that traffic
//! generates and the tasks of a program. What happens to them is written here a second time.
//!
//! | folder or file | what |
//! |---|---|
//! | `wormhole` | source-routed wormhole switching, stops in transit, NICs and their firmware |
//! | `cut_through` | virtual cut-through on virtual lanes, fixed ways and choices |
//! | `program` | ranks: their tasks, processors, messages and NICs |
//! | `draws` | what is random in the network |
//! | `queue_pairs` | who is served next of what waits at a host |
//! | `pauses` | cycles in which nothing changes, passed over where that is asked for |

mod cut_through;
mod draws;
mod pauses;
mod program;
mod queue_pairs;
mod wormhole;

pub use cut_through::{CutThroughOracle, OracleError, Room};
pub use program::Ranks;
pub use wormhole::{Front, Oracle};

use std::collections::VecDeque;

/// Takes the first of the things under way, each with the cycle it arrives in, if that has come.
fn pop_due<T>(under_way: &mut VecDeque<(u64, T)>, now: u64) -> Option<T> {
    let is_due = under_way.front().is_some_and(|(cycle, _)| *cycle <= now);
    if is_due {
        under_way.pop_front().map(|(_, thing)| thing)
    } else {
        None
    }
}

/// Cycles from that in which a flit begins to leave to that in which it is there as a whole.
fn latency_cycles(timing: weft_model::ChannelTiming) -> u64 {
    u64::from(timing.cycles_per_flit) - 1 + u64::from(timing.flight_cycles)
}
