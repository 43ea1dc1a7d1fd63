//! The wormhole model simulated event by event, exact to the flit.
//!
//! ```text
//!           ┌ switching: head at front → request → arbitration → grant ┐
//!  events ──┤ hosts: what to send next, in-transit stops, deliveries   ├──► flow: runs of flits planned,
//!           └ control: stop and go reach a sender                      ┘    crossings predicted
//! ```
//!
//! Within a cycle the order of events does not matter: each only notes what it changes, and the
//! choices (arbitration, then NICs) are made when all events of the cycle have been handled. What
//! is sent in a cycle has no effect elsewhere before the next one, because a channel takes at least
//! one cycle.

mod clock;
mod core;
mod ends;
mod error;
mod event;
mod flow;
mod hosts;
mod junction;
mod ping;
mod pools;
mod routes;
mod switching;
mod traffic;

pub use error::EngineError;
pub use ping::idle_latency_cycles;
pub use routes::ListedRoutes;

use self::core::Core;
use crate::probe::{Counters, Probe, Simulator, WaitingPacket};
use flow::{Even, Mixed};
use std::borrow::Borrow;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::workload::{Execution, Workload};
use weft_model::{ChannelUse, PoolUse, WormholeModel};
use weft_routing::SourceRoutes;

/// The event-driven engine of the wormhole model.
///
/// For every packet and channel it gives what the model, stepped cycle by cycle, would give; it
/// borrows checked routes and workload, so that many engines can share them.
#[derive(Debug)]
pub struct Engine<'a>(Machine<'a>);

/// The engine, compiled once for channels that are all alike and once for others.
#[derive(Debug)]
enum Machine<'a> {
    Even(Box<Core<'a, Even>>),
    Mixed(Box<Core<'a, Mixed>>),
}

impl<'a> Engine<'a> {
    /// Makes an engine at cycle 0 with an empty network.
    ///
    /// # Errors
    /// [`EngineError`] when parameters contradict one another or the routes do not fit fabric and
    /// hardware.
    pub fn new<R: Borrow<SourceRoutes>>(
        fabric: &Fabric,
        routes: &'a ListedRoutes<R>,
        model: &WormholeModel,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        model.check_on(fabric)?;
        let routes = routes.on(fabric)?;
        Ok(Self(if let Some(even) = Even::of(&model.channels) {
            let core = Core::new(fabric, routes, model, workload, even)?;
            Machine::Even(Box::new(core))
        } else {
            let part_count = flow::part_count(fabric, model);
            let mixed = Mixed::new(&model.channels, fabric.channel_count(), part_count);
            let core = Core::new(fabric, routes, model, workload, mixed)?;
            Machine::Mixed(Box::new(core))
        }))
    }
}

/// Calls a method of whichever engine it is.
macro_rules! core {
    ($engine:expr, $core:ident => $call:expr) => {
        match $engine {
            Engine(Machine::Even($core)) => $call,
            Engine(Machine::Mixed($core)) => $call,
        }
    };
}

impl Simulator for Engine<'_> {
    fn now(&self) -> u64 {
        core!(self, core => core.now())
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        core!(self, core => core.advance(until_cycle, probe));
    }

    fn reset_use(&mut self) {
        core!(self, core => core.reset_use());
    }

    fn reset_pools(&mut self) {
        core!(self, core => core.reset_pools());
    }

    fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        core!(self, core => core.channel_use(channel))
    }

    fn pool_use(&self, host: HostId) -> PoolUse {
        core!(self, core => core.pool_use(host))
    }

    fn execution(&self) -> Option<&Execution> {
        core!(self, core => core.execution())
    }

    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        core!(self, core => core.waiting_cycle())
    }

    fn counters(&self) -> Counters {
        core!(self, core => core.counters())
    }

    fn flit_hops(&self) -> u64 {
        core!(self, core => core.flit_hops())
    }
}
