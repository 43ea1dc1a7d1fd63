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

/// Cycles of the first stretch, and of the longest.
const FIRST_CYCLES: u64 = 1 << 10;
const MOST_CYCLES: u64 = 1 << 36;

/// Simulates a program until all its tasks are over, until that can never be, or for so many cycles.
///
/// `on_progress` is called after every 10 ms or so of work and ends the run with
/// `ControlFlow::Break`.
///
/// # Errors
/// [`RunError::Interrupted`] when `on_progress` breaks, [`RunError::NoProgram`] when the simulator's
/// workload is no program.
pub fn replay<S: Simulator>(
    simulator: &mut S,
    most_cycles: u64,
    on_progress: &mut dyn FnMut(ReplayProgress) -> ControlFlow<()>,
) -> Result<Replay, RunError> {
    let mut tally = Tally::default();
    let mut stretch = FIRST_CYCLES;
    let end = loop {
        let (events_before, packets_before) = (simulator.counters().events, tally.packets);
        let until = simulator.now().saturating_add(stretch).min(most_cycles);
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
        if let Some(end) = ended(execution) {
            break end;
        }
        let is_at_rest = simulator.is_at_rest();
        if (is_at_rest || tally.packets == packets_before)
            && simulator.counters().packets_alive > 0
            && let Some(packets) = simulator.waiting_cycle()
        {
            break ReplayEnd::Deadlocked(packets);
        }
        if is_at_rest {
            break ReplayEnd::Blocked;
        }
        if simulator.now() >= most_cycles {
            let circle = simulator.waiting_cycle();
            break circle.map_or(ReplayEnd::Stopped, ReplayEnd::Deadlocked);
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
