//! The control loop: simulates slice by slice, finds the end of the warm-up, measures a window.

use super::parameters::{Plan, RunParameterError, RunParameters};
use super::verdict::{MIN_LATENCIES, Verdict};
use crate::conditions::Conditions;
use crate::measurement::{Measurement, Outcome, Reason, Seen};
use crate::pools::PoolSampler;
use crate::probe::{Simulator, WaitingPacket};
use crate::recorder::{Recorder, Tally};
use crate::statistics::{Observation, truncation_point};
use std::ops::ControlFlow;

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
}

/// Simulates until the measurement is as precise as `parameters` ask, or until there is
/// another reason to end.
///
/// The simulator may have run before; counts start at its present cycle. `on_progress` is called
/// after every 10 ms or so of work and ends the run with `ControlFlow::Break`. The result depends
/// on the simulator and the parameters alone, not on the clock.
///
/// # Errors
/// [`RunError::Interrupted`] when `on_progress` breaks, [`RunError::Parameter`] when a parameter
/// is out of range.
pub fn run<S: Simulator>(
    simulator: &mut S,
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
    };
    let judge = Verdict {
        conditions,
        parameters,
        plan: &plan,
    };
    let mut waiting_cycle = Vec::new();
    let (reason, reason_text) = match run.until_verdict(&judge) {
        Ok(verdict) => verdict,
        Err(Stop::Interrupted) => return Err(RunError::Interrupted),
        Err(Stop::Deadlocked(packets)) => {
            waiting_cycle = packets;
            let cycles = run.simulated_cycles();
            let text = Verdict::deadlocked(waiting_cycle.len(), cycles, run.delivered_packets());
            (Reason::Deadlocked, text)
        }
    };
    let outcome = Outcome {
        reason,
        reason_text,
        waiting_cycle,
        warm_up_cycles: run.window_cycle - start_cycle,
        simulated_cycles: run.simulated_cycles(),
        counters_before,
        flit_hops_before,
        pools: run.pools.take(),
    };
    let recorder = run.recorder;
    Ok(Measurement::new(&Seen {
        simulator: &*simulator,
        conditions,
        recorder: &recorder,
        outcome: &outcome,
    }))
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
                    && self.simulated_cycles() as f64 >= MIN_LATENCIES * recent.mean_or_zero();
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
    fn until_verdict(&mut self, judge: &Verdict) -> Result<(Reason, String), Stop> {
        let settled = self.warm_up()?;
        self.open_window();
        let mut next_look = self.plan.min_packets;
        loop {
            self.slice()?;
            let packets = self.recorder.total.packets;
            let spent = self.budget_share() >= 1.0;
            if packets >= next_look || spent {
                // Looking again after every slice would stop at the first narrow interval that
                // chance brings along.
                next_look = packets + packets / 4;
                let ended = judge.ended(&self.recorder, spent);
                if ended.is_some() || spent {
                    self.search_deadlock()?;
                    return Ok(ended.unwrap_or_else(|| {
                        let text = judge.budget(
                            &self.recorder,
                            self.simulated_cycles(),
                            self.delivered_packets(),
                            settled,
                        );
                        (Reason::Budget, text)
                    }));
                }
            }
        }
    }
}
