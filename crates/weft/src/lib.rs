//! The front door of Weft: a fabric, its routes, hardware and what the hosts send come in;
//! proofs, and measurements in nanoseconds, bytes and shares, come out.
//!
//! ```text
//! Fabric ┬─► RoutedFabric ┬─► Network on a Machine ┬─► prove      ─► Proof
//! Routes ┘                │   (chooses the engine) ├─► simulate   ─► Measurement, its figures in FIGURES
//! Hardware ───────────────┘                        ├─► replay     ─► Replayed
//!                                                  ├─► rehearse   ─► Rehearsed
//!                                                  ├─► bandwidth  ─► Bandwidth
//!                                                  └─► idle_latencies_ns
//! ```
//!
//! Whoever has a fabric and wants figures begins here; the crates of the stages, which are
//! re-exported, are for what is not asked often: a generator by itself, an engine cycle by cycle, a
//! certificate checked once more. Nothing here reads a clock or a file: a result depends on the
//! arguments alone.
//!
//! # Examples
//! A torus, its up\*/down\* routes proved, and what arrives of a tenth of the hosts' rate:
//!
//! ```
//! use weft::fabric::generate;
//! use weft::routing::algorithms;
//! use weft::{Hardware, Network, OfferedTraffic, RoutedFabric, RunParameters};
//!
//! let torus = generate::torus(4, 4, 2)?;
//! let routing = algorithms::route_spec(&torus, "updown:root=0")?;
//! let routed = RoutedFabric::new(torus, routing);
//! let hardware = Hardware::preset("myrinet")?;
//! let network = Network::new(&routed, &hardware)?;
//! assert!(network.prove()?.is_deadlock_free());
//!
//! let traffic = OfferedTraffic::uniform(0.1);
//! let parameters = RunParameters { max_packets: Some(10_000), ..RunParameters::default() };
//! let measured = network.simulate(&traffic, &parameters, &mut weft::unwatched)?;
//! assert!((measured.accepted_load - 0.1).abs() < 0.01, "{}", measured.reason_text);
//! assert!(measured.generation_latency_ns.mean > 3_000.0);
//! # Ok::<(), weft::Error>(())
//! ```

mod bandwidth;
mod comparison;
mod demand;
mod error;
mod event_check;
mod job_load;
mod machine;
mod network;
mod rehearsal;
mod rehearsal_error;
mod rehearsal_events;
mod replay;
mod routed_fabric;
mod timeline;
mod traffic;

pub use bandwidth::{Bandwidth, Transfers, one_destination_each};
pub use comparison::{Compared, compare};
pub use demand::{DemandGap, HostDemand};
pub use error::Error;
pub use event_check::check_events;
pub use job_load::JobLoad;
pub use machine::{Machine, Task};
pub use network::{Network, prove, unwatched};
pub use rehearsal::{Rehearsal, Rehearsed, Window};
pub use rehearsal_error::RehearsalError;
pub use rehearsal_events::{Event, Happening, TimedEvent};
pub use replay::{RankTimes, Replayed, Replaying, UnclaimedMessage, WaitingTask, messaging};
pub use routed_fabric::RoutedFabric;
pub use timeline::{
    MessageSpan, NamedTask, SpanPlace, StateSpan, StateSpans, Timeline, TimelineDetail,
};
pub use traffic::OfferedTraffic;

pub use weft_engine::measurement::{
    Column, FIGURES, Figure, Kind, LATENCY_PARTS, LatencyBins, LatencyPart, LatencySummary,
    Measurement, Reason, Shape, Value,
};
pub use weft_engine::run::{Progress, ReplayEnd, ReplayProgress, RunParameters};
pub use weft_fabric::Fabric;
pub use weft_model::hardware::Hardware;
pub use weft_proof::Proof;
pub use weft_routing::AnyRouting;

pub use weft_engine as engine;
pub use weft_fabric as fabric;
pub use weft_model as model;
pub use weft_proof as proof;
pub use weft_routing as routing;
