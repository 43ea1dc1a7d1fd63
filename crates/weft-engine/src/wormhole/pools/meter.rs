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

    /// Whether all cycles before `now` have been followed.
    pub(super) fn is_at(&self, now: Cycle) -> bool {
        self.cycle == now
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
        while self.cycle < now {
            while self
                .arrivals
                .front()
                .is_some_and(|arrival| arrival.run.end < self.cycle)
            {
                self.arrivals.pop_front();
            }
            let closed = self
                .arrivals
                .iter()
                .find(|arrival| arrival.pooled == Some(true))
                .map(|arrival| arrival.run);
            let filling = closed.unwrap_or(arriving);
            let (is_filling, filling_changes) = state_at(&filling, self.cycle);
            let (is_leaving, leaving_changes) = state_at(&leaving, self.cycle);
            // A closed run that is not pooled must not hide the end of the one before it, so the
            // end of each is a point where the state is looked at again.
            let next_end = self
                .arrivals
                .front()
                .map_or(now, |arrival| arrival.run.end + 1);
            let end = now.min(filling_changes).min(leaving_changes).min(next_end);
            if S::IS_ONE {
                self.advance(end - self.cycle, is_filling, is_leaving);
            } else {
                let quiet = |is_on: bool, run: Run<S>| if is_on { run } else { Run::NONE };
                self.step(end, quiet(is_filling, filling), quiet(is_leaving, leaving));
            }
            self.cycle = end;
        }
    }

    /// Follows runs of any strides through the cycles before `end`, from flit to flit.
    fn step(&mut self, end: Cycle, filling: Run<S>, leaving: Run<S>) {
        let mut cycle = self.cycle;
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

    fn advance(&mut self, cycles: u64, filling: bool, leaving: bool) {
        let ramp = cycles * (cycles + 1) / 2;
        self.used.occupancy_flit_cycles += self.held * cycles;
        let highest = match (filling, leaving) {
            (true, false) => {
                self.used.occupancy_flit_cycles += ramp;
                self.held += cycles;
                self.held
            }
            (false, true) => {
                self.used.occupancy_flit_cycles -= ramp;
                self.held -= cycles;
                self.held + cycles - 1
            }
            _ => self.held,
        };
        self.note_most(highest);
    }
}

/// Whether a run is on at `cycle`, and the next cycle at which that changes.
fn state_at<S>(run: &Run<S>, cycle: Cycle) -> (bool, Cycle) {
    if cycle < run.start {
        (false, run.start)
    } else if cycle <= run.end {
        (true, run.end + 1)
    } else {
        (false, Cycle::NEVER)
    }
}
