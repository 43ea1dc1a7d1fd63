//! A program from its beginning to its end.

use super::control::RunError;
use crate::probe::{Probe, Simulator, WaitingPacket};
use std::ops::ControlFlow;
use weft_model::workload::Execution;
use weft_model::{LossRecord, PacketRecord};

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayEnd {
    /// All tasks of all ranks are over.
    Finished,
    /// Ranks wait for messages that nobody sends, or of which packets were lost and are not sent again.
    Blocked,
    /// Packets wait for one another in the network for ever.
    Deadlocked(Vec<WaitingPacket>),
    /// Some ranks are not at their end when it was to be ended. Traffic beside jobs has no end, so that whether
    /// they would come to theirs is not known.
    Stopped,
}

/// What the network did for a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// How it ended.
    pub end: ReplayEnd,
    /// Packets delivered, acknowledgements included.
    pub delivered_packets: u64,
    /// Payload of these in bytes.
    pub payload_bytes: u64,
    /// Mean of their latency from generation, in cycles; NaN without packets.
    pub mean_latency_cycles: f64,
    /// The largest.
    pub max_latency_cycles: u64,
    /// Switches they traversed on average; NaN without packets.
    pub mean_switches: f64,
    /// Attempts that failed.
    pub lost_packets: u64,
    /// Share of the packets delivered that others of their source and destination overtook; NaN where packets do not
    /// choose on their way, and without packets.
    pub out_of_order_share: f64,
    /// By how many one was overtaken at most.
    pub out_of_order_distance: u32,
    /// The work it was: its events, and 20 for each message received, which takes as much processor time.
    pub work: u64,
    /// How far ranks were after half of the most work, if it came to that.
    pub halfway: Option<RankProgress>,
}

/// When a program is ended that has not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayLimits {
    /// After so many cycles.
    pub most_cycles: u64,
    /// After so much work, see [`Replay::work`], or a moment later.
    pub most_work: u64,
}

impl ReplayLimits {
    /// Whatever it takes.
    pub const NONE: Self = Self {
        most_cycles: u64::MAX,
        most_work: u64::MAX,
    };
}

/// How far ranks are in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankProgress {
    /// The cycle.
    pub cycle: u64,
    /// Per rank: the packets of messages received from others.
    pub received_packets: Vec<u64>,
}

/// How far a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayProgress {
    /// Cycles simulated so far.
    pub simulated_cycles: u64,
    /// Messages received so far.
    pub received_messages: u64,
}

#[derive(Debug, Default)]
struct Tally {
    packets: u64,
    payload_bytes: u64,
    latency_cycles: u64,
    max_latency_cycles: u64,
    switches: u64,
    losses: u64,
    overtaken: u64,
    most_overtaken_by: u32,
}

impl Probe for Tally {
    fn delivered(&mut self, record: &PacketRecord) {
        let latency = record.delivery_cycle - record.generation_cycle;
        self.packets += 1;
        self.payload_bytes += u64::from(record.payload_bytes);
        self.latency_cycles += latency;
        self.max_latency_cycles = self.max_latency_cycles.max(latency);
        self.switches += u64::from(record.switches);
        self.overtaken += u64::from(record.overtaken_by > 0);
        self.most_overtaken_by = self.most_overtaken_by.max(record.overtaken_by);
    }

    fn lost(&mut self, _: &LossRecord) {
        self.losses += 1;
    }
}

/// Events between two calls of the progress callback: some 10 ms of work.
const FEWEST_EVENTS: u64 = 50_000;
const MOST_EVENTS: u64 = 400_000;

/// A message takes about as much processor time as so many events do: what its ranks do for it are few of them, but each is
/// long. Of 24 runs of several jobs on 1,024 hosts, of few long messages to many short ones, work a second is within an
/// eighth of the mean by its standard deviation, where events alone are within a third.
const WORK_OF_MESSAGE: u64 = 20;

/// Cycles of the first stretch, and of the longest.
const FIRST_CYCLES: u64 = 1 << 10;
const MOST_CYCLES: u64 = 1 << 36;

/// Simulates a program until all its tasks are over, until that can never be, or as far as it may go.
///
/// `on_progress` is called after every 10 ms or so of work and ends the run with
/// `ControlFlow::Break`.
///
/// # Errors
/// [`RunError::Interrupted`] when `on_progress` breaks, [`RunError::NoProgram`] when the simulator's
/// workload is no program.
pub fn replay<S: Simulator>(
    simulator: &mut S,
    limits: ReplayLimits,
    on_progress: &mut dyn FnMut(ReplayProgress) -> ControlFlow<()>,
) -> Result<Replay, RunError> {
    let mut tally = Tally::default();
    let mut stretch = FIRST_CYCLES;
    let mut halfway = None;
    let (end, work) = loop {
        let (events_before, packets_before) = (simulator.counters().events, tally.packets);
        let until = simulator
            .now()
            .saturating_add(stretch)
            .min(limits.most_cycles);
        simulator.advance(until, &mut tally);
        let events = simulator.counters().events - events_before;
        let Some(execution) = simulator.execution() else {
            return Err(RunError::NoProgram);
        };
        let progress = ReplayProgress {
            simulated_cycles: simulator.now(),
            received_messages: execution.message_counts().1,
        };
        if on_progress(progress).is_break() {
            return Err(RunError::Interrupted);
        }
        let work = simulator.counters().events + WORK_OF_MESSAGE * progress.received_messages;
        if halfway.is_none() && work >= limits.most_work / 2 {
            halfway = Some(RankProgress {
                cycle: simulator.now(),
                received_packets: execution.received_packets().to_vec(),
            });
        }
        if let Some(end) = ended(execution) {
            break (end, work);
        }
        let is_at_rest = simulator.is_at_rest();
        if (is_at_rest || tally.packets == packets_before)
            && simulator.counters().packets_alive > 0
            && let Some(packets) = simulator.waiting_cycle()
        {
            break (ReplayEnd::Deadlocked(packets), work);
        }
        if is_at_rest {
            break (ReplayEnd::Blocked, work);
        }
        if simulator.now() >= limits.most_cycles || work >= limits.most_work {
            let circle = simulator.waiting_cycle();
            let end = circle.map_or(ReplayEnd::Stopped, ReplayEnd::Deadlocked);
            break (end, work);
        }
        if events > MOST_EVENTS {
            stretch = (stretch / 2).max(1);
        } else if events < FEWEST_EVENTS {
            stretch = (stretch * 2).min(MOST_CYCLES);
        }
    };
    let mean = |sum: u64| sum as f64 / tally.packets as f64;
    Ok(Replay {
        end,
        delivered_packets: tally.packets,
        payload_bytes: tally.payload_bytes,
        mean_latency_cycles: mean(tally.latency_cycles),
        max_latency_cycles: tally.max_latency_cycles,
        mean_switches: mean(tally.switches),
        lost_packets: tally.losses,
        out_of_order_share: if simulator.tells_order() {
            mean(tally.overtaken)
        } else {
            f64::NAN
        },
        out_of_order_distance: tally.most_overtaken_by,
        work,
        halfway,
    })
}

fn ended(execution: &Execution) -> Option<ReplayEnd> {
    if execution.is_finished() {
        Some(ReplayEnd::Finished)
    } else if execution.is_under_way() {
        None
    } else {
        Some(ReplayEnd::Blocked)
    }
}
