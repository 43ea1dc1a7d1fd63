//! The cut-through model simulated event by event, exact to the cycle.
//!
//! ```text
//!  events ──┬─► request: a head is in front of a buffer, its packet asks for an output ─┐
//!           └─► look: at the source of a channel ◄──────────────────────────────────────┘
//!                  grants of the crossbar, then the link; then the next look is planned
//! ```
//!
//! With credits nothing that has started ever waits: when a packet is granted an output, the cycle its
//! last flit crosses in is known, and with it when its room is given back; when it gets the link, so
//! are its arrival at the next switch and the release of the link. All of that is entered ahead of
//! time. Outputs and links are given away ahead of time too, as far as it is known who comes (the
//! [foresight](switches::Crossbar::foresight)), so that mostly a packet costs one event a channel, its
//! request, and a look where it waits. With stop & go the same holds for packets of which it is known that nothing
//! halts them; others move in runs, which may be cut.
//!
//! Within a cycle the order of events does not matter: requests are put in order as they are entered,
//! and grants and links are decided when all events of the cycle are handled. A channel takes at least
//! one cycle, and so does a flit, so nothing decided in a cycle is seen elsewhere in the same one.
//!
//! Who owns what, and calls only what stands below it:
//!
//! ```text
//!  Core ───► Flow ─► Network ─► Clock      the present cycle, what is planned
//!          (credits,          ├► Hosts      what they send, what they are told
//!         stop & go)          ├► Channels   who has the link
//!                             ├► Switches   both ends of lanes: buffers, requests, grants
//!                             ├► Packets
//!                             └► Meters
//! ```

mod borders;
mod changes;
mod channel_state;
mod choosing;
mod clock;
mod core;
mod error;
mod event;
mod far_room;
mod flow;
mod following;
mod hosts;
mod lane_numbers;
mod lane_use;
mod network;
mod occupancy;
mod order;
mod packet_state;
mod parts;
mod setting;
mod switches;
mod under_way;
mod waiting_hosts;
mod whole;

pub use error::EngineError;

use self::core::Core;
use crate::parallel::{Division, WindowCounts};
use crate::probe::{Counters, Motion, Probe, Simulator, WaitingPacket};
use borders::Borders;
use parts::Parts;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::changes::Changes;
use weft_model::cut_through::{CutThroughModel, LaneUse};
use weft_model::workload::{Execution, Workload};
use weft_model::{ChannelTimings, ChannelUse, PoolUse};
use weft_routing::{CheckedRoutes, HoldsRoutes, Lane, Routes};
use whole::Whole;

/// The event-driven engine of the cut-through model.
///
/// For every packet and lane it gives what the model, stepped cycle by cycle, would give; it borrows
/// checked routes and workload, so that many engines can share them.
#[derive(Debug)]
pub struct Engine<'a> {
    machine: Machine<'a>,
    /// Lanes of the hardware, those that no packet takes included.
    lane_count: u8,
    /// Lanes that packets take.
    used_lanes: u8,
}

#[derive(Debug)]
enum Machine<'a> {
    Whole(Box<Core<'a>>),
    Parts(Parts<'a>),
}

/// Nothing happens.
static STILL: Changes = Changes::none();

impl<'a> Engine<'a> {
    /// Makes an engine at cycle 0 with an empty network.
    ///
    /// # Errors
    /// [`EngineError`] when parameters contradict one another, or routes or packets do not fit.
    pub fn new<R: HoldsRoutes>(
        fabric: &Fabric,
        routes: &'a CheckedRoutes<R>,
        model: &CutThroughModel,
        timings: &ChannelTimings,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        let hardware = (model, timings);
        Self::whole(&Whole::checked(
            fabric,
            routes,
            &[],
            &STILL,
            hardware,
            workload,
        )?)
    }

    /// The same on several threads, with the same results: each has a part of the fabric. At most
    /// `thread_count` are taken, and no more than make it faster, as far as the first packets of each host
    /// tell.
    ///
    /// On one thread are simulated, whatever is asked for, programs, stop & go, and packets that choose their way.
    ///
    /// # Errors
    /// Those of [`Engine::new`].
    pub fn on_threads<R: HoldsRoutes + Sync>(
        fabric: &Fabric,
        routes: &'a CheckedRoutes<R>,
        hardware: (&CutThroughModel, &ChannelTimings),
        workload: &'a Workload,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let whole = Whole::checked(fabric, routes, &[], &STILL, hardware, workload)?;
        let most = thread_count.min(fabric.switch_count());
        let window = whole.window_over(fabric.switch_channels());
        if most < 2 || window == 0 {
            return Self::whole(&whole);
        }
        let work = whole.work()?;
        let thread_count = work.paying_threads(window, most);
        Self::of_parts(&whole, &work.division(fabric, thread_count), thread_count)
    }

    /// The same, of a network to which things happen. Switches and hosts have the tables of `routes`, place 0,
    /// until a change gives them those of `others`, from place 1 on; by these packets need not arrive.
    ///
    /// # Errors
    /// The same. Where packets choose, parts may fail, and no tables change.
    pub fn with_changes<R: HoldsRoutes>(
        fabric: &Fabric,
        routes: &'a CheckedRoutes<R>,
        others: &'a [Routes],
        changes: &Changes,
        hardware: (&CutThroughModel, &ChannelTimings),
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        let whole = Whole::checked(fabric, routes, others, changes, hardware, workload)?;
        Self::whole(&whole)
    }

    /// A division of the fabric in which all parts have as much to do, by the first packets of each host.
    ///
    /// # Errors
    /// Those of [`Engine::new`].
    pub fn balanced<R: HoldsRoutes>(
        fabric: &Fabric,
        routes: &'a CheckedRoutes<R>,
        hardware: (&CutThroughModel, &ChannelTimings),
        workload: &'a Workload,
        part_count: usize,
    ) -> Result<Division, EngineError> {
        let whole = Whole::checked(fabric, routes, &[], &STILL, hardware, workload)?;
        Ok(whole.work()?.division(fabric, part_count))
    }

    /// The same with the parts of a given division, on so many threads.
    ///
    /// # Errors
    /// Those of [`Engine::new`].
    ///
    /// # Panics
    /// When the division is one of another fabric.
    pub fn divided<R: HoldsRoutes + Sync>(
        fabric: &Fabric,
        routes: &'a CheckedRoutes<R>,
        hardware: (&CutThroughModel, &ChannelTimings),
        workload: &'a Workload,
        division: &Division,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let whole = Whole::checked(fabric, routes, &[], &STILL, hardware, workload)?;
        Self::of_parts(&whole, division, thread_count)
    }

    /// What the windows of a simulation in parts were like: of all parts on one thread, of those of the first
    /// thread on several.
    pub fn window_counts(&self) -> WindowCounts {
        match &self.machine {
            Machine::Whole(_) => WindowCounts::default(),
            Machine::Parts(parts) => parts.window_counts(),
        }
    }

    fn whole<R: HoldsRoutes>(whole: &Whole<'_, 'a, R>) -> Result<Self, EngineError> {
        let core = whole.core(Borders::none(whole.fabric))?;
        Ok(Self::of(whole, Machine::Whole(Box::new(core))))
    }

    fn of_parts<R: HoldsRoutes + Sync>(
        whole: &Whole<'_, 'a, R>,
        division: &Division,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let window = whole.window_over(division.cut_channels(whole.fabric));
        if window == 0 || division.part_count() < 2 {
            return Self::whole(whole);
        }
        let parts = Parts::new(whole, division, window, thread_count)?;
        Ok(Self::of(whole, Machine::Parts(parts)))
    }

    fn of<R>(whole: &Whole<'_, 'a, R>, machine: Machine<'a>) -> Self
    where
        R: HoldsRoutes,
    {
        Self {
            machine,
            lane_count: whole.lane_count(),
            used_lanes: whole.lanes.count(),
        }
    }
}

/// Calls a method of whichever it is.
macro_rules! machine {
    ($engine:expr, $machine:ident => $call:expr) => {
        match &$engine.machine {
            Machine::Whole($machine) => $call,
            Machine::Parts($machine) => $call,
        }
    };
    (mut $engine:expr, $machine:ident => $call:expr) => {
        match &mut $engine.machine {
            Machine::Whole($machine) => $call,
            Machine::Parts($machine) => $call,
        }
    };
}

impl Simulator for Engine<'_> {
    fn now(&self) -> u64 {
        machine!(self, machine => machine.now())
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        machine!(mut self, machine => machine.advance(until_cycle, probe));
    }

    fn thread_count(&self) -> usize {
        match &self.machine {
            Machine::Whole(_) => 1,
            Machine::Parts(parts) => parts.thread_count(),
        }
    }

    fn reset_use(&mut self) {
        machine!(mut self, machine => machine.reset_use());
    }

    fn lane_count(&self) -> u8 {
        self.lane_count
    }

    fn lane_use(&self, channel: ChannelId, lane: Lane) -> LaneUse {
        if lane.number() >= self.used_lanes {
            return LaneUse::default();
        }
        machine!(self, machine => machine.lane_use(channel, lane))
    }

    fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        let lanes = (0..self.lane_count()).map(|lane| self.lane_use(channel, Lane::new(lane)));
        let mut sum = ChannelUse::default();
        for lane in lanes {
            sum.busy_cycles += lane.busy_cycles;
            // Lanes are kept back at the same time; the channel counts as blocked like the worst.
            sum.blocked_cycles = sum.blocked_cycles.max(lane.blocked_cycles);
            sum.longest_wait_cycles = sum.longest_wait_cycles.max(lane.longest_wait_cycles);
        }
        sum
    }

    fn pool_use(&self, _: HostId) -> PoolUse {
        PoolUse::default()
    }

    fn execution(&self) -> Option<&Execution> {
        match &self.machine {
            Machine::Whole(core) => core.execution(),
            Machine::Parts(_) => None,
        }
    }

    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        machine!(self, machine => machine.waiting_cycle())
    }

    fn follow_packets(&mut self) -> bool {
        match &mut self.machine {
            Machine::Whole(core) => core.follow_packets(),
            Machine::Parts(_) => return false,
        }
        true
    }

    fn motions(&mut self) -> Vec<Motion> {
        match &mut self.machine {
            Machine::Whole(core) => core.motions(),
            Machine::Parts(_) => Vec::new(),
        }
    }

    fn is_at_rest(&self) -> bool {
        machine!(self, machine => machine.is_at_rest())
    }

    fn counters(&self) -> Counters {
        machine!(self, machine => machine.counters())
    }

    fn tells_order(&self) -> bool {
        match &self.machine {
            Machine::Whole(core) => core.tells_order(),
            Machine::Parts(_) => false,
        }
    }

    fn hops_to_come(&self) -> u64 {
        machine!(self, machine => machine.hops_to_come())
    }

    fn flit_hops(&self) -> u64 {
        machine!(self, machine => machine.flit_hops())
    }
}
