//! One simulation of the wormhole model in parts of the fabric: how long their windows are, and what is asked of
//! all together.

use super::borders::Borders;
use super::core::{Core, find_waiting_cycle};
use super::error::EngineError;
use super::flow::Timing;
use super::whole::Whole;
use crate::cycle::Cycle;
use crate::parallel::{Division, FollowedWork, Part, Team, WindowCounts, neighbours};
use crate::probe::{Counters, Probe, WaitingPacket};
use std::sync::Arc;
use weft_fabric::{ChannelId, HostId, Node, SwitchId};
use weft_model::{ChannelUse, PoolUse};
use weft_routing::PairGranularity;

/// Cores of all parts of a fabric.
#[derive(Debug)]
pub(super) struct Parts<'a, T: Timing>(Team<Core<'a, T>>)
where
    Core<'a, T>: Part;

impl Whole<'_, '_> {
    /// Cycles of a window: nothing that happens in one part has an effect in another before. 0 where a loss
    /// may have one at once.
    pub(super) fn window_cycles(&self, division: &Division) -> u64 {
        self.window_over(division.cut_channels(self.fabric))
    }

    /// What there is to do, and the number of threads, at most so many, that pay for it.
    pub(super) fn work(&self, most_threads: usize) -> (FollowedWork, usize) {
        let work = FollowedWork::of(self.fabric, self.workload, |source, packet, tell| {
            self.follow(source, packet.destination, tell);
        });
        let window = self.window_over(self.fabric.switch_channels());
        let paying = work.paying_threads(window, most_threads);
        (work, paying)
    }

    /// By part: those that it has something to tell, or hears of. Losses may be told to any.
    fn neighbours(&self, division: &Division) -> Vec<Vec<usize>> {
        let mut neighbours = neighbours(self.fabric, division);
        let part_count = division.part_count();
        if self.model.may_lose_packets() {
            for (part, others) in neighbours.iter_mut().enumerate() {
                others.extend((0..part_count).filter(|&other| other != part));
            }
        }
        neighbours.into_iter().map(Vec::from_iter).collect()
    }

    /// Cycles of a window where these channels lead from part to part.
    fn window_over(&self, cut: impl Iterator<Item = ChannelId>) -> u64 {
        let flights = cut.map(|channel| self.model.channels.of(channel).latency_cycles());
        let window = flights.min().unwrap_or(Cycle::NEVER.number());
        if self.model.may_lose_packets() {
            window.min(self.model.retransmit_after_cycles.into())
        } else {
            window
        }
    }

    /// Tells each switch a packet traverses, with the channel it takes to another, and the switches of the hosts
    /// it leaves.
    fn follow(
        &self,
        source: HostId,
        destination: HostId,
        tell: &mut dyn FnMut(SwitchId, Option<ChannelId>),
    ) {
        let &Self { fabric, routes, .. } = self;
        let (row, column) = match routes.routes.granularity() {
            PairGranularity::Host => (source.index(), destination.index()),
            PairGranularity::Switch => {
                let [from, to] = [source, destination].map(|host| fabric.host_switch(host).index());
                (from, to)
            }
        };
        let mut here = fabric.host_switch(source);
        tell(here, None);
        for port in routes.routes.steps_between(row, column) {
            let Some(channel) = fabric.outgoing_at(here, port) else {
                return;
            };
            match fabric.target(channel).node {
                Node::Switch(next) => {
                    tell(here, Some(channel));
                    here = next;
                }
                Node::Host(_) => {
                    tell(here, None);
                    tell(here, None);
                }
            }
        }
        tell(here, None);
    }
}

impl<'a, T: Timing + Clone + Send + Sync> Parts<'a, T>
where
    T::Stride: Send,
{
    /// Makes the cores of all parts at cycle 0, with an empty network; the model has been checked, and the
    /// division leaves windows of a cycle at least.
    pub(super) fn new(
        whole: &Whole<'_, 'a>,
        timing: &T,
        division: Division,
        window: u64,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let division = Arc::new(division);
        let neighbours = whole.neighbours(&division);
        let core = |part| {
            let borders = Borders::of(&division, part);
            Core::new(whole, timing.clone(), borders)
        };
        let fabric = whole.fabric;
        Team::new(fabric, &division, neighbours, window, thread_count, core).map(Self)
    }

    pub(super) fn window_counts(&self) -> WindowCounts {
        self.0.window_counts()
    }

    pub(super) fn now(&self) -> u64 {
        self.0.now()
    }

    /// Simulates what happens before `until`; `false`, as it does not stop before.
    pub(super) fn run_before(&mut self, until: Cycle) -> bool {
        self.0.advance(until.number());
        false
    }

    pub(super) fn tell(&mut self, probe: &mut impl Probe) {
        for core in self.0.parts_mut() {
            core.tell(probe);
        }
    }

    pub(super) fn thread_count(&self) -> usize {
        self.0.thread_count()
    }

    pub(super) fn reset_use(&mut self) {
        self.0.parts_mut().iter_mut().for_each(Core::reset_use);
    }

    pub(super) fn reset_pools(&mut self) {
        self.0.parts_mut().iter_mut().for_each(Core::reset_pools);
    }

    pub(super) fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        self.0.sender(channel).channel_use(channel)
    }

    pub(super) fn pool_use(&self, host: HostId) -> PoolUse {
        let injection = self.0.parts()[0].injection(host);
        self.0.sender(injection).pool_use(host)
    }

    pub(super) fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        find_waiting_cycle(&self.0.parts()[0], |channel| self.0.ends(channel))
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.0.parts().iter().all(Core::is_at_rest)
    }

    pub(super) fn counters(&self) -> Counters {
        self.0.parts().iter().map(Core::counters).sum()
    }

    pub(super) fn hops_to_come(&self) -> u64 {
        self.0.parts().iter().map(Core::hops_to_come).sum()
    }

    pub(super) fn flit_hops(&self) -> u64 {
        let sent = |channel| self.0.sender(channel).flits_sent(channel);
        self.0.channels().map(sent).sum()
    }
}
