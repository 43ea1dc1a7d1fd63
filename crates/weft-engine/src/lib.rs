//! The event-driven simulation, exact to the flit, and its measurements.

mod arrival;
mod circle;
mod conditions;
pub mod cut_through;
mod cycle;
mod event;
mod far_pairs;
mod following;
mod happening;
mod histogram;
mod ids;
mod linked_queue;
pub mod measurement;
mod memory;
mod pair_names;
mod parallel;
mod pools;
mod prefetch;
mod probe;
mod queue;
mod queue_pairs;
mod recorder;
mod reporting;
pub mod run;
mod script;
mod shared_queues;
mod slab;
pub mod statistics;
mod waiting_pair;
pub mod wormhole;

pub use arrival::arrival_cycle;
pub use parallel::{Division, WindowCounts};
pub use probe::{Counters, Motion, Probe, Simulator, WaitingPacket};
