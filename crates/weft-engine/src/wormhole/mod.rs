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

mod borders;
mod carried_ports;
mod clock;
mod core;
mod ends;
mod error;
mod event;
mod flow;
mod hosts;
mod junction;
mod parts;
mod ping;
mod pools;
mod routes;
mod switching;
mod traffic;
mod whole;

pub use error::EngineError;
pub use ping::idle_latency_cycles;
pub use routes::ListedRoutes;

use self::core::Core;
use crate::cycle::Cycle;
use crate::parallel::{Division, WindowCounts};
use crate::probe::{Counters, Motion, Probe, Simulator, WaitingPacket};
use borders::Borders;
use flow::{Changing, Even, InPart, Mixed};
use parts::Parts;
use std::borrow::Borrow;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::workload::{Execution, Workload};
use weft_model::{Changes, ChannelUse, PoolUse, WormholeModel};
use weft_routing::{MappedRoutes, SourceRoutes};
use whole::Whole;

/// The event-driven engine of the wormhole model.
///
/// For every packet and channel it gives what the model, stepped cycle by cycle, would give; it
/// borrows checked routes and workload, so that many engines can share them.
#[derive(Debug)]
pub struct Engine<'a>(Machine<'a>);

/// The engine, compiled once for channels that are all alike, once for others, and for what happens to them.
#[derive(Debug)]
enum Machine<'a> {
    Even(Box<Core<'a, Even>>),
    Mixed(Box<Core<'a, Mixed>>),
    Changing(Box<Core<'a, Changing>>),
    EvenParts(Parts<'a, InPart<Even>>),
    MixedParts(Parts<'a, InPart<Mixed>>),
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
        Self::on_threads(fabric, routes, model, workload, 1)
    }

    /// The same on several threads, with the same results: each has a part of the fabric. At most
    /// `thread_count` are taken, and no more than make it faster, as far as the first packets of each host
    /// tell.
    ///
    /// On one thread are simulated, whatever is asked for, programs, and hardware that may lose packets and
    /// sends them again in the same cycle.
    ///
    /// # Errors
    /// Those of [`Engine::new`].
    pub fn on_threads<R: Borrow<SourceRoutes>>(
        fabric: &Fabric,
        routes: &'a ListedRoutes<R>,
        model: &WormholeModel,
        workload: &'a Workload,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let whole = Whole::checked(fabric, routes, model, workload)?;
        let most = thread_count.min(fabric.switch_count());
        if most < 2 || workload.program().is_some() {
            return Self::whole(&whole);
        }
        let (work, thread_count) = whole.work(most);
        Self::of_parts(&whole, work.division(fabric, thread_count), thread_count)
    }

    /// The same, of a network to which things happen. Hosts have `routes`, place 0, until a change gives them those
    /// of `others`, from place 1 on.
    ///
    /// # Errors
    /// Those of [`Engine::new`], and [`EngineError::Changes`], [`EngineError::UnknownPart`] and
    /// [`EngineError::SwitchTables`] where changes are none of this network.
    pub fn with_changes<R: Borrow<SourceRoutes>>(
        fabric: &Fabric,
        routes: &'a ListedRoutes<R>,
        others: &'a [MappedRoutes],
        changes: &Changes,
        model: &WormholeModel,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        let whole = Whole::changing(fabric, routes, others, changes, model, workload)?;
        let timing = Changing(whole.mixed());
        let core = Core::new(&whole, timing, Borders::none())?;
        Ok(Self(Machine::Changing(Box::new(core))))
    }

    /// A division of the fabric in which all parts have as much to do, by the first packets of each host.
    ///
    /// # Errors
    /// Those of [`Engine::new`].
    pub fn balanced<R: Borrow<SourceRoutes>>(
        fabric: &Fabric,
        routes: &'a ListedRoutes<R>,
        model: &WormholeModel,
        workload: &'a Workload,
        part_count: usize,
    ) -> Result<Division, EngineError> {
        let whole = Whole::checked(fabric, routes, model, workload)?;
        let (work, _) = whole.work(part_count);
        Ok(work.division(fabric, part_count))
    }

    /// The same with the parts of a given division, on so many threads.
    ///
    /// # Errors
    /// Those of [`Engine::new`].
    ///
    /// # Panics
    /// When the division is one of another fabric.
    pub fn divided<R: Borrow<SourceRoutes>>(
        fabric: &Fabric,
        routes: &'a ListedRoutes<R>,
        model: &WormholeModel,
        workload: &'a Workload,
        division: Division,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let whole = Whole::checked(fabric, routes, model, workload)?;
        Self::of_parts(&whole, division, thread_count)
    }

    /// What the windows of a simulation in parts were like: of all parts on one thread, of those of the first
    /// thread on several.
    pub fn window_counts(&self) -> WindowCounts {
        match &self.0 {
            Machine::Even(_) | Machine::Mixed(_) | Machine::Changing(_) => WindowCounts::default(),
            Machine::EvenParts(parts) => parts.window_counts(),
            Machine::MixedParts(parts) => parts.window_counts(),
        }
    }

    fn whole(whole: &Whole<'_, 'a>) -> Result<Self, EngineError> {
        Ok(Self(if let Some(even) = Even::of(&whole.model.channels) {
            Machine::Even(Box::new(Core::new(whole, even, Borders::none())?))
        } else {
            Machine::Mixed(Box::new(Core::new(whole, whole.mixed(), Borders::none())?))
        }))
    }

    fn of_parts(
        whole: &Whole<'_, 'a>,
        division: Division,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let window = whole.window_cycles(&division);
        if window == 0 || division.part_count() < 2 || whole.workload.program().is_some() {
            return Self::whole(whole);
        }
        Ok(Self(if let Some(even) = Even::of(&whole.model.channels) {
            Machine::EvenParts(Parts::new(
                whole,
                &InPart(even),
                division,
                window,
                thread_count,
            )?)
        } else {
            let mixed = InPart(whole.mixed());
            Machine::MixedParts(Parts::new(whole, &mixed, division, window, thread_count)?)
        }))
    }
}

/// Calls a method of whichever engine it is.
macro_rules! core {
    ($engine:expr, $core:ident => $call:expr) => {
        match $engine {
            Engine(Machine::Even($core)) => $call,
            Engine(Machine::Mixed($core)) => $call,
            Engine(Machine::Changing($core)) => $call,
            Engine(Machine::EvenParts($core)) => $call,
            Engine(Machine::MixedParts($core)) => $call,
        }
    };
}

impl Engine<'_> {
    /// Simulates what happens before `until`, or until there is much to tell: whether it has stopped for that.
    fn run_before(&mut self, until: Cycle) -> bool {
        core!(self, core => core.run_before(until))
    }
}

impl Simulator for Engine<'_> {
    fn now(&self) -> u64 {
        core!(self, core => core.now())
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        while self.run_before(Cycle::new(until_cycle)) {
            core!(self, core => core.tell(probe));
        }
        core!(self, core => core.tell(probe));
    }

    fn thread_count(&self) -> usize {
        match &self.0 {
            Machine::Even(_) | Machine::Mixed(_) | Machine::Changing(_) => 1,
            Machine::EvenParts(parts) => parts.thread_count(),
            Machine::MixedParts(parts) => parts.thread_count(),
        }
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
        match &self.0 {
            Machine::Even(core) => core.execution(),
            Machine::Mixed(core) => core.execution(),
            Machine::Changing(core) => core.execution(),
            Machine::EvenParts(_) | Machine::MixedParts(_) => None,
        }
    }

    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        core!(self, core => core.waiting_cycle())
    }

    fn is_at_rest(&self) -> bool {
        core!(self, core => core.is_at_rest())
    }

    fn follow_packets(&mut self) -> bool {
        match &mut self.0 {
            Machine::Even(core) => core.follow_packets(),
            Machine::Mixed(core) => core.follow_packets(),
            Machine::Changing(core) => core.follow_packets(),
            Machine::EvenParts(_) | Machine::MixedParts(_) => return false,
        }
        true
    }

    fn motions(&mut self) -> Vec<Motion> {
        match &mut self.0 {
            Machine::Even(core) => core.motions(),
            Machine::Mixed(core) => core.motions(),
            Machine::Changing(core) => core.motions(),
            Machine::EvenParts(_) | Machine::MixedParts(_) => Vec::new(),
        }
    }

    fn counters(&self) -> Counters {
        core!(self, core => core.counters())
    }

    fn hops_to_come(&self) -> u64 {
        core!(self, core => core.hops_to_come())
    }

    fn flit_hops(&self) -> u64 {
        core!(self, core => core.flit_hops())
    }
}
