//! A simulator that replays packets made by a closure.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use std::ops::ControlFlow;
use weft_engine::measurement::{Measurement, Reason};
use weft_engine::run::{Conditions, RunParameters, run};
use weft_engine::{Counters, Probe, Simulator, WaitingPacket};
use weft_fabric::{ChannelId, HostId};
use weft_model::{ChannelUse, LossCause, LossRecord, PacketRecord, PoolUse};
use weft_routing::Lane;

/// Payload of every packet in bytes.
pub(crate) const PAYLOAD_BYTES: u32 = 1000;

/// Length of a cycle in ns.
pub(crate) const CYCLE_NS: f64 = 6.25;

/// Channels each packet takes.
pub(crate) const HOPS: u64 = 20;

/// Losses that come with every packet delivered.
pub(crate) const LOSSES: [LossCause; 6] = [
    LossCause::Overflow,
    LossCause::Damage,
    LossCause::Timeout,
    LossCause::Damage,
    LossCause::Overflow,
    LossCause::Overflow,
];

fn loss(record: &PacketRecord, cause: LossCause) -> LossRecord {
    LossRecord {
        cycle: record.delivery_cycle,
        source: record.source,
        sequence: record.sequence,
        destination: record.destination,
        cause,
    }
}

/// Replays the packets of `next`, which come in order of delivery; without a packet the network
/// is empty for ever. From `frozen_from` on nothing moves.
pub(crate) struct Replay<F> {
    next: F,
    pending: Option<PacketRecord>,
    frozen_from: u64,
    has_stuck_corner: bool,
    /// A channel, and how much of the time it is busy or halted, in ten thousandths.
    busiest: Option<(ChannelId, u64)>,
    now: u64,
    reset_cycle: u64,
    delivered: u64,
}

impl<F: FnMut() -> Option<PacketRecord>> Replay<F> {
    pub(crate) fn new(mut next: F) -> Self {
        let pending = next();
        Self {
            next,
            pending,
            frozen_from: u64::MAX,
            has_stuck_corner: false,
            busiest: None,
            now: 0,
            reset_cycle: 0,
            delivered: 0,
        }
    }

    pub(crate) fn frozen_from(self, cycle: u64) -> Self {
        Self {
            frozen_from: cycle,
            ..self
        }
    }

    /// The same with a channel that is busy or halted all the time.
    pub(crate) fn with_a_restless(self, channel: ChannelId) -> Self {
        self.with_a_busy(channel, 10_000)
    }

    /// The same with a channel that is busy or halted so many ten thousandths of the time.
    pub(crate) fn with_a_busy(self, channel: ChannelId, of_10_000: u64) -> Self {
        Self {
            busiest: Some((channel, of_10_000)),
            ..self
        }
    }

    /// The same, deadlocked from the start in one corner.
    pub(crate) fn with_stuck_corner(self) -> Self {
        Self {
            has_stuck_corner: true,
            ..self
        }
    }
}

impl<F: FnMut() -> Option<PacketRecord>> Simulator for Replay<F> {
    fn now(&self) -> u64 {
        self.now
    }

    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe) {
        assert!(until_cycle > self.now, "time goes on");
        let moving_until = until_cycle.min(self.frozen_from);
        while let Some(record) = self.pending.filter(|p| p.delivery_cycle < moving_until) {
            probe.delivered(&record);
            for cause in LOSSES {
                probe.lost(&loss(&record, cause));
            }
            self.delivered += 1;
            self.pending = (self.next)();
        }
        self.now = until_cycle;
    }

    fn reset_use(&mut self) {
        self.reset_cycle = self.now;
    }

    /// Every channel carries flits in a quarter of the time and is halted in an eighth, or for the rest
    /// of it; the waits for them are 10, 20, 30 … cycles.
    fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        let cycles = self.now - self.reset_cycle;
        ChannelUse {
            busy_cycles: cycles / 4,
            blocked_cycles: match self.busiest {
                Some((busiest, of_10_000)) if busiest == channel => {
                    cycles * of_10_000 / 10_000 - cycles / 4
                }
                _ => cycles / 8,
            },
            longest_wait_cycles: 10 * (1 + u64::from(channel.number())),
        }
    }

    /// Every pool holds 3 flits all the time.
    fn pool_use(&self, _: HostId) -> PoolUse {
        let cycles = self.now - self.reset_cycle;
        PoolUse {
            occupancy_flit_cycles: 3 * cycles,
            max_flits: 3,
            packets: 1,
            overflows: 1,
        }
    }

    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        let packet = |holds: u32, wants: u32| WaitingPacket {
            holds: ChannelId::new(holds),
            holds_lane: Lane::ZERO,
            wants: ChannelId::new(wants),
            wants_lane: Lane::ZERO,
            source: HostId::new(holds),
            destination: HostId::new(wants),
            sequence: 0,
        };
        let is_stuck = self.has_stuck_corner || self.now > self.frozen_from;
        is_stuck.then(|| vec![packet(0, 1), packet(1, 0)])
    }

    fn is_at_rest(&self) -> bool {
        false
    }

    fn counters(&self) -> Counters {
        Counters {
            events: 3 * HOPS * self.delivered,
            packet_hops: HOPS * self.delivered,
            packets_alive: u64::from(self.pending.is_some()),
        }
    }

    fn flit_hops(&self) -> u64 {
        HOPS * u64::from(PAYLOAD_BYTES) * self.delivered
    }
}

/// A packet without detours.
pub(crate) fn record(generation: u64, injection: u64, delivery: u64) -> PacketRecord {
    PacketRecord {
        source: HostId::new(0),
        sequence: 0,
        destination: HostId::new(1),
        payload_bytes: PAYLOAD_BYTES,
        generation_cycle: generation,
        injection_cycle: injection,
        delivery_cycle: delivery,
        switches: 3,
        in_transit_stops: 1,
        overtaken_by: 0,
    }
}

/// The conditions of `host_count` hosts on two switches with four channels that
/// together offer `packets_per_cycle`.
pub(crate) fn conditions(host_count: usize, packets_per_cycle: f64) -> Conditions {
    let bytes_per_cycle = packets_per_cycle * f64::from(PAYLOAD_BYTES);
    Conditions {
        switch_count: 2,
        host_count,
        sending_host_count: host_count,
        channel_count: 4,
        link_bytes_per_cycle: 1.0,
        full_load_bytes_per_cycle: 1.0,
        host_full_load_bytes_per_cycle: None,
        flit_bytes: 1,
        offered_load: bytes_per_cycle / host_count as f64,
        mean_payload_bytes: f64::from(PAYLOAD_BYTES),
        cycle_ns: CYCLE_NS,
    }
}

/// Measures by the rules that hold unless told otherwise.
pub(crate) fn measure(simulator: &mut impl Simulator, conditions: &Conditions) -> Measurement {
    measure_with(simulator, conditions, &RunParameters::default())
}

/// Measures without an interruption.
pub(crate) fn measure_with(
    simulator: &mut impl Simulator,
    conditions: &Conditions,
    parameters: &RunParameters,
) -> Measurement {
    run(simulator, None, conditions, parameters, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap()
}

/// Asserts why a run ended, and how the sentence begins that says so.
#[track_caller]
pub(crate) fn assert_ended(found: &Measurement, reason: Reason, begins: &str) {
    let text = &found.reason_text;
    assert_eq!(found.reason, reason, "{text}");
    assert!(text.starts_with(begins), "{text}");
}

/// Draws from (0, 1).
pub(crate) fn uniform(random: &mut Pcg64Mcg) -> f64 {
    (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0
}

/// Draws from an exponential distribution.
pub(crate) fn exponential(random: &mut Pcg64Mcg, mean: f64) -> f64 {
    -mean * uniform(random).ln()
}

/// Rounds a positive time down to a cycle.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn cycle(time: f64) -> u64 {
    time as u64
}
