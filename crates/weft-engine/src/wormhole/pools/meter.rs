//! The in-transit pool of a NIC: how many flits it holds, followed lazily.

use crate::cycle::Cycle;
use crate::ids::PacketId;
use crate::wormhole::flow::{Run, Stride};
use std::collections::VecDeque;
use weft_fabric::narrow;
use weft_model::PoolUse;

/// Flits of one packet that arrive, or will, at a NIC without a pause.
#[derive(Clone, Copy, Debug)]
struct Arrival<S> {
    run: Run<S>,
    packet: PacketId,
    /// Whether they go to the pool; `None` until the packet's mark has arrived.
    pooled: Option<bool>,
}

/// Follows the occupancy of one pool in time.
#[derive(Clone, Debug)]
pub(super) struct PoolMeter<S> {
    /// First cycle not yet followed.
    cycle: Cycle,
    /// Flits held at the end of the cycle before.
    held: u64,
    used: PoolUse,
    /// Closed runs of in-transit packets that have not yet arrived whole, oldest first.
    arrivals: VecDeque<Arrival<S>>,
}

impl<S: Stride> PoolMeter<S> {
    pub(super) fn new() -> Self {
        Self {
            cycle: Cycle::ZERO,
            held: 0,
            used: PoolUse::default(),
            arrivals: VecDeque::new(),
        }
    }

    /// Flits held at the end of the last cycle followed.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Whether it holds no flit and none is on its way.
    pub(super) fn is_empty(&self) -> bool {
        self.held == 0 && self.arrivals.is_empty()
    }

    pub(super) fn used(&self) -> PoolUse {
        self.used
    }

    /// Starts the counts anew.
    pub(super) fn reset(&mut self) {
        self.used = PoolUse::default();
    }

    /// Notes a run of an in-transit packet that has left the switch; `run` is in cycles of arrival,
    /// the mark left out.
    pub(super) fn add_arrival(&mut self, run: Run<S>, packet: PacketId, pooled: Option<bool>) {
        if run.start <= run.end {
            self.arrivals.push_back(Arrival {
                run,
                packet,
                pooled,
            });
        }
    }

    /// Notes what became of a packet whose mark has arrived.
    pub(super) fn decide(&mut self, packet: PacketId, pooled: bool) {
        for arrival in self.arrivals.iter_mut().rev() {
            if arrival.packet == packet && arrival.pooled.is_none() {
                arrival.pooled = Some(pooled);
            }
        }
        if pooled {
            self.used.packets += 1;
        } else {
            self.used.overflows += 1;
        }
    }

    /// Follows the occupancy through the cycles before `now`. `arriving` is the run of pooled flits
    /// that is still growing, in cycles of arrival; `leaving` the run in which pooled flits are sent.
    pub(super) fn follow(&mut self, now: Cycle, arriving: Run<S>, leaving: Run<S>) {
        if self.cycle >= now {
            return;
        }
        if S::IS_ONE {
            self.leap(now, arriving, leaving);
        } else {
            self.walk(now, arriving, leaving);
        }
        self.cycle = now;
        while let Some(first) = self.arrivals.front()
            && first.run.end < now
        {
            self.arrivals.pop_front();
        }
    }

    /// Follows runs of a flit a cycle at once: each flit is held from its arrival, or no more from its departure,
    /// until `now`. Most are held where a run of arrivals ends, or in the first cycle.
    fn leap(&mut self, now: Cycle, arriving: Run<S>, leaving: Run<S>) {
        let leaves = Span::of(&leaving, self.cycle, now);
        let mut held = self.held;
        let mut most = held.saturating_sub(leaves.flits_through(self.cycle));
        let mut flit_cycles = held * (now - self.cycle);
        let closed = self
            .arrivals
            .iter()
            .filter(|arrival| arrival.pooled == Some(true));
        for run in closed.map(|arrival| arrival.run).chain([arriving]) {
            let comes = Span::of(&run, self.cycle, now);
            if comes.flits > 0 {
                held += comes.flits;
                flit_cycles += comes.flit_cycles_until(now);
                most = most.max(held - leaves.flits_through(comes.last));
            }
        }
        self.used.occupancy_flit_cycles += flit_cycles - leaves.flit_cycles_until(now);
        self.held = held - leaves.flits;
        self.note_most(most);
    }

    /// Follows runs of any strides from flit to flit.
    fn walk(&mut self, now: Cycle, arriving: Run<S>, leaving: Run<S>) {
        let mut from = self.cycle;
        for place in 0..self.arrivals.len() {
            let Arrival { run, pooled, .. } = self.arrivals[place];
            let end = now.min(run.end + 1);
            if pooled == Some(true) && from < end {
                self.step(from, end, run, leaving);
                from = end;
            }
        }
        self.step(from, now, arriving, leaving);
    }

    /// Follows one run of arriving flits through the cycles from `from` on and before `end`.
    fn step(&mut self, from: Cycle, end: Cycle, filling: Run<S>, leaving: Run<S>) {
        let mut cycle = from;
        while cycle < end {
            let (arrival, departure) = (filling.next_at(cycle), leaving.next_at(cycle));
            let next = arrival.min(departure).min(end);
            if next > cycle {
                self.used.occupancy_flit_cycles += self.held * (next - cycle);
                self.note_most(self.held);
            }
            if next == end {
                return;
            }
            self.held += u64::from(arrival == next);
            self.held -= u64::from(departure == next);
            self.used.occupancy_flit_cycles += self.held;
            self.note_most(self.held);
            cycle = next + 1;
        }
    }

    fn note_most(&mut self, held: u64) {
        let held = narrow(held, "a pool holds no more flits than its memory");
        self.used.max_flits = self.used.max_flits.max(held);
    }
}

/// The flits of a run, of a flit a cycle, in some cycles.
struct Span {
    first: Cycle,
    last: Cycle,
    flits: u64,
}

impl Span {
    /// Those from cycle `from` on and before `until`.
    #[inline]
    fn of<S>(run: &Run<S>, from: Cycle, until: Cycle) -> Self {
        let first = run.start.max(from);
        let end = until.min(run.end + 1);
        Self {
            first,
            last: end - 1,
            flits: end.since(first),
        }
    }

    #[inline]
    fn flits_through(&self, cycle: Cycle) -> u64 {
        (self.last.min(cycle) + 1).since(self.first)
    }

    /// Cycles from each flit's own on and before `until`, of all flits together.
    #[inline]
    fn flit_cycles_until(&self, until: Cycle) -> u64 {
        if self.flits == 0 {
            return 0;
        }
        self.flits * ((until - self.first) + (until - self.last)) / 2
    }
}
