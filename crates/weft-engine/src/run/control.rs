//! The control loop: simulates slice by slice, finds the end of the warm-up, measures a window.

use super::generated::Generated;
use super::known::Known;
use super::parameters::{Plan, RunParameterError, RunParameters};
use super::slowest_queue::change_of_waits;
use super::verdict::{Ended, Verdict};
use crate::conditions::Conditions;
use crate::measurement::{Measurement, Outcome, Seen};
use crate::pools::PoolSampler;
use crate::probe::{Simulator, WaitingPacket};
use crate::recorder::{Recorder, Tally};
use crate::statistics::{Observation, truncation_point};
use std::ops::ControlFlow;
use weft_model::workload::Workload;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It waits for the network to settle.
    WarmUp,
    /// It measures.
    Window,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Cycles simulated so far.
    pub simulated_cycles: u64,
    /// Packets delivered so far, warm-up included.
    pub delivered_packets: u64,
    /// Share of the packets or cycles allowed that is used up, the larger of the two (0…1); most
    /// runs end long before.
    pub budget_share: f64,
}

/// A run gave no measurement.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The progress callback asked to stop.
    #[error("the run was interrupted")]
    Interrupted,
    /// The workload is no program, which alone has an end.
    #[error("the workload is no program; expected messages that depend on one another")]
    NoProgram,
    /// A parameter is out of range.
    #[error(transparent)]
    Parameter(#[from] RunParameterError),
}

/// Ticks a slice is made of: the observations the warm-up is found in.
const TICKS_PER_SLICE: usize = 5;

/// Slices between two searches for a deadlock in a network that still delivers.
const SLICES_PER_DEADLOCK_SEARCH: u64 = 16;

/// The window opens only after this many mean network latencies, and this many of the times in which
/// waits in the network change: what began empty has been forgotten by then.
const WARM_UP_LATENCIES: f64 = 10.0;
const WARM_UP_CHANGES: f64 = 5.0;

/// Packet-hops of a thread between two calls of the progress callback: about 10 ms of work.
const STEP_PACKET_HOPS: f64 = 50_000.0;

/// Events a packet-hop costs in a saturated network; work is counted by the larger of the two.
const EVENTS_PER_PACKET_HOP: u64 = 4;

/// Hops assumed per packet before any is seen.
const ASSUMED_HOPS: f64 = 16.0;

/// Why a run left its loop early.
enum Stop {
    Interrupted,
    Deadlocked(Vec<WaitingPacket>),
}

struct Run<'a, S> {
    simulator: &'a mut S,
    workload: Option<&'a Workload>,
    plan: Plan,
    conditions: &'a Conditions,
    on_progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    recorder: Recorder,
    phase: Phase,
    start_cycle: u64,
    /// Cycle the recorder was last emptied in.
    window_cycle: u64,
    now: u64,
    warm_up_packets: u64,
    slices: u64,
    /// Lower bound of the packet-hops per cycle to expect.
    assumed_hops_per_cycle: f64,
    hops_per_cycle: f64,
    /// In the window, where pools are followed.
    pools: Option<PoolSampler>,
    /// In the window, once it has been asked for.
    generated: Option<Generated<'a>>,
}

/// Simulates until the measurement is as precise as `parameters` ask, or until there is
/// another reason to end.
///
/// The simulator may have run before; counts start at its present cycle. `workload` is what it simulates: where the
/// network carries all of that, what is accepted is known by what is generated; without one, by itself alone.
/// `on_progress` is called
/// after every 10 ms or so of work and ends the run with `ControlFlow::Break`. The result depends
/// on the simulator and the parameters alone, not on the clock.
///
/// # Errors
/// [`RunError::Interrupted`] when `on_progress` breaks, [`RunError::Parameter`] when a parameter
/// is out of range.
pub fn run<S: Simulator>(
    simulator: &mut S,
    workload: Option<&Workload>,
    conditions: &Conditions,
    parameters: &RunParameters,
    on_progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Measurement, RunError> {
    let plan = Plan::new(conditions, parameters)?;
    let (counters_before, flit_hops_before) = (simulator.work_done(), simulator.flit_hops());
    let start_cycle = simulator.now();
    let assumed_hops_per_cycle = ASSUMED_HOPS * conditions.packets_per_cycle();
    simulator.reset_use();
    let mut run = Run {
        simulator,
        workload,
        plan,
        conditions,
        on_progress,
        recorder: Recorder::default(),
        phase: Phase::WarmUp,
        start_cycle,
        window_cycle: start_cycle,
        now: start_cycle,
        warm_up_packets: 0,
        slices: 0,
        assumed_hops_per_cycle,
        hops_per_cycle: assumed_hops_per_cycle,
        pools: None,
        generated: None,
    };
    let judge = Verdict {
        conditions,
        parameters,
        plan: &plan,
    };
    let mut waiting_cycle = Vec::new();
    let ended = match run.until_verdict(&judge) {
        Ok(ended) => ended,
        Err(Stop::Interrupted) => return Err(RunError::Interrupted),
        Err(Stop::Deadlocked(packets)) => {
            waiting_cycle = packets;
            let (cycles, delivered) = (run.simulated_cycles(), run.delivered_packets());
            let known = Known::of(&run.recorder, conditions);
            Verdict::deadlocked(known, waiting_cycle.len(), cycles, delivered)
        }
    };
    let outcome = Outcome {
        reason: ended.reason,
        reason_text: ended.text,
        known: ended.known,
        waiting_cycle,
        warm_up_cycles: run.window_cycle - start_cycle,
        simulated_cycles: run.simulated_cycles(),
        counters_before,
        flit_hops_before,
        pools: run.pools.take(),
    };
    let recorder = run.recorder;
    let seen = Seen::new(&*simulator, conditions, &recorder, &outcome);
    Ok(Measurement::new(&seen))
}

impl<S: Simulator> Run<'_, S> {
    fn simulated_cycles(&self) -> u64 {
        self.now - self.start_cycle
    }

    fn delivered_packets(&self) -> u64 {
        self.warm_up_packets + self.recorder.generation_latency.count()
    }

    /// The share of the budget that is used up.
    fn budget_share(&self) -> f64 {
        let packets = self.delivered_packets() as f64 / self.plan.max_packets as f64;
        packets.max(self.simulated_cycles() as f64 / self.plan.max_cycles as f64)
    }

    /// Simulates up to `end`, in steps short enough for the progress callback.
    fn advance(&mut self, end: u64) -> Result<(), Stop> {
        while self.now < end {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "positive; too large ones saturate"
            )]
            let step_cycles = {
                let step_packet_hops = STEP_PACKET_HOPS * self.simulator.thread_count() as f64;
                (step_packet_hops / self.hops_per_cycle).max(1.0) as u64
            };
            let sample = self.pools.as_ref().map_or(end, |pools| pools.next_cycle);
            let until = end.min(sample).min(self.now.saturating_add(step_cycles));
            let before = self.simulator.counters();
            self.simulator.advance(until, &mut self.recorder);
            let after = self.simulator.counters();
            let events = (after.events - before.events) / EVENTS_PER_PACKET_HOP;
            // Promises may be taken back.
            let hops = after.packet_hops.saturating_sub(before.packet_hops);
            let work = events.max(hops) as f64;
            // Traffic that builds up may be half as much again in the next step.
            let expected = 1.5 * work / (until - self.now) as f64;
            self.hops_per_cycle = expected.max(self.assumed_hops_per_cycle);
            self.now = until;
            if let Some(pools) = self
                .pools
                .as_mut()
                .filter(|pools| pools.next_cycle == until)
            {
                pools.close(self.simulator);
            }
            let progress = Progress {
                phase: self.phase,
                simulated_cycles: self.simulated_cycles(),
                delivered_packets: self.delivered_packets(),
                budget_share: self.budget_share().min(1.0),
            };
            if (self.on_progress)(progress).is_break() {
                return Err(Stop::Interrupted);
            }
        }
        Ok(())
    }

    /// Simulates a slice and returns its ticks.
    fn slice(&mut self) -> Result<[Tally; TICKS_PER_SLICE], Stop> {
        let start = self.now;
        let mut ticks = [Tally::default(); TICKS_PER_SLICE];
        for (index, tick) in (1..).zip(&mut ticks) {
            let tick_start = self.now;
            self.advance(start + self.plan.slice_cycles * index / TICKS_PER_SLICE as u64)?;
            *tick = self.recorder.close_tick(self.now - tick_start);
        }
        let delivered = self.recorder.close_slice().packets;
        self.slices += 1;
        let silent = delivered == 0 && self.simulator.counters().packets_alive > 0;
        if silent || self.slices.is_multiple_of(SLICES_PER_DEADLOCK_SEARCH) {
            self.search_deadlock()?;
        }
        Ok(ticks)
    }

    fn search_deadlock(&self) -> Result<(), Stop> {
        self.simulator
            .waiting_cycle()
            .map_or(Ok(()), |packets| Err(Stop::Deadlocked(packets)))
    }

    /// Simulates until the network has settled, or half of the budget is used up, and tells
    /// which.
    fn warm_up(&mut self) -> Result<bool, Stop> {
        let mut accepted: Vec<Observation> = Vec::new();
        let mut network_latency: Vec<Observation> = Vec::new();
        let mut next_look = 0;
        loop {
            for tick in self.slice()? {
                accepted.push(tick.accepted());
                network_latency.push(tick.network_latency());
            }
            if accepted.len() >= next_look {
                next_look = accepted.len() + accepted.len() / 4;
                let recent = Observation::sum(&network_latency[network_latency.len() / 2..]);
                let turned_over = recent.weight > 0.0
                    && self.simulated_cycles() as f64 >= self.least_warm_up(recent.mean_or_zero());
                let settled = |series: &[Observation]| truncation_point(series).is_some();
                if turned_over && settled(&accepted) && settled(&network_latency) {
                    return Ok(true);
                }
            }
            if self.budget_share() >= 0.5 {
                return Ok(false);
            }
        }
    }

    /// Cycles a warm-up lasts at least, where the mean network latency is now so many cycles.
    fn least_warm_up(&self, network_latency: f64) -> f64 {
        let latencies = WARM_UP_LATENCIES * network_latency;
        // Pools of in-transit packets may fill without end.
        if self.recorder.in_transit_stops > 0 {
            return latencies;
        }
        let change = change_of_waits(&self.recorder.network_latency, self.conditions);
        latencies.max(WARM_UP_CHANGES * change)
    }

    fn known(&mut self, judge: &Verdict, spent: bool) -> Known {
        let mut known = Known::of(&self.recorder, self.conditions);
        if judge.depends_on_queues(&known, spent) {
            known.look_at_queues(&*self.simulator, self.conditions);
            if let Some(workload) = self.workload
                && known.has_seen_queues_change()
            {
                let generated = self.generated.get_or_insert_with(|| {
                    let (slice, hosts) = (self.plan.slice_cycles, self.conditions.host_count);
                    Generated::since(self.window_cycle, slice, workload, hosts)
                });
                generated.read_until(self.now);
                known.look_at_generated(&self.recorder, &generated.series);
            }
        }
        known
    }

    /// Discards everything so far.
    fn open_window(&mut self) {
        self.warm_up_packets = self.delivered_packets();
        self.recorder = Recorder::default();
        self.simulator.reset_use();
        self.window_cycle = self.now;
        self.phase = Phase::Window;
        self.pools = self
            .plan
            .pool_interval_cycles
            .map(|cycles| PoolSampler::new(self.conditions, cycles, self.now));
    }

    /// Simulates warm-up and window until a rule ends the run.
    ///
    /// A run ends when two looks in a row find it precise: the first narrow interval may be chance's,
    /// and the runs that stop at it are those that have not yet seen congestion.
    fn until_verdict(&mut self, judge: &Verdict) -> Result<Ended, Stop> {
        let settled = self.warm_up()?;
        self.open_window();
        let mut next_look = self.plan.min_packets;
        let mut was_precise = false;
        loop {
            self.slice()?;
            let packets = self.recorder.total.packets;
            let spent = self.budget_share() >= 1.0;
            if packets < next_look && !spent {
                continue;
            }
            next_look = packets + packets / 4;
            let known = self.known(judge, spent);
            let ended = judge.ended(known, packets, spent);
            let is_precise = ended.is_some();
            if spent || (is_precise && was_precise) {
                self.search_deadlock()?;
                let (cycles, delivered) = (self.simulated_cycles(), self.delivered_packets());
                let budget = || judge.budget(known, cycles, delivered, settled);
                return Ok(ended.unwrap_or_else(budget));
            }
            was_precise = is_precise;
        }
    }
}
