//! What is known of a network after a run, in ns, bytes and shares.

use crate::histogram::Histogram;
use crate::probe::{Counters, Simulator, WaitingPacket};
use crate::recorder::Recorder;
use crate::run::{Conditions, PoolSampler, PoolSeries};
use crate::statistics::Estimate;
use std::fmt;
use weft_fabric::{ChannelId, HostId};
use weft_routing::Lane;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Latencies and accepted traffic are known as precisely as was asked for.
    Steady,
    /// The network accepts less than 95 % of the traffic offered, and how much is known as
    /// precisely as was asked for. Source queues grow without end, so latency from generation
    /// depends on the length of the run and has no interval.
    Saturated,
    /// Packets wait for one another for ever.
    Deadlocked,
    /// The packets or cycles allowed were used up before.
    Budget,
}

impl Reason {
    /// The reason as results files and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Saturated => "saturated",
            Self::Deadlocked => "deadlocked",
            Self::Budget => "budget",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The distribution of one latency over the packets delivered in the window. Times are ns, NaN
/// where no packet was delivered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencySummary {
    /// Mean, exact.
    pub mean: f64,
    /// Half width of the 95 % confidence interval of the mean; NaN where none can be given: too
    /// short a window, or a latency that grows with the length of the run.
    pub mean_half_width: f64,
    /// Median, within 0.4 %.
    pub p50: f64,
    /// What 95 % of the packets do not exceed, within 0.4 %.
    pub p95: f64,
    /// What 99 % of the packets do not exceed, within 0.4 %.
    pub p99: f64,
    /// Maximum, exact.
    pub max: f64,
    /// Packets.
    pub count: u64,
}

/// A histogram of latencies: bin `i` holds `counts[i]` packets from `lower_edges_ns[i]` to the
/// next lower edge; the last one ends at the maximum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyBins {
    /// Lower edges of the bins in ns, ascending.
    pub lower_edges_ns: Vec<f64>,
    /// Packets per bin.
    pub counts: Vec<u64>,
}

/// What is known of a network after a run. Everything but the costs (`events` to
/// `simulated_cycles`) is about the window; where a run ended in its warm-up, the window is the
/// whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Why the run ended.
    pub reason: Reason,
    /// The reason in one sentence, with numbers.
    pub reason_text: String,
    /// Packets that wait for one another, each for the channel the next one holds; empty unless
    /// deadlocked.
    pub waiting_cycle: Vec<WaitingPacket>,
    /// Payload offered per sending host, as a fraction of its link's rate.
    pub offered_load: f64,
    /// Payload delivered per sending host, in the same unit.
    pub accepted_load: f64,
    /// Half width of the 95 % confidence interval of `accepted_load`; NaN where none can be given.
    pub accepted_load_half_width: f64,
    /// Payload offered in bytes (flits) per ns and switch.
    pub offered_bytes_per_ns_per_switch: f64,
    /// Payload delivered in bytes (flits) per ns and switch.
    pub accepted_bytes_per_ns_per_switch: f64,
    /// From generation (source queue included) to the last flit's arrival.
    pub generation_latency_ns: LatencySummary,
    /// From injection to the last flit's arrival.
    pub network_latency_ns: LatencySummary,
    /// Longest wait of a packet for the output of a switch, from its request to the grant, of those
    /// granted one in the window and those that waited at its end: whom an arbitration policy
    /// starves shows here.
    pub longest_wait_ns: f64,
    /// The distribution behind `generation_latency_ns`.
    pub generation_histogram: LatencyBins,
    /// Switches a packet traversed, on average; NaN where no packet was delivered.
    pub mean_switches: f64,
    /// In-transit stops a packet made, on average; NaN where no packet was delivered.
    pub mean_in_transit_stops: f64,
    /// Simulated time before the window.
    pub warm_up_ns: f64,
    /// Length of the window.
    pub window_ns: f64,
    /// Packets delivered in the window.
    pub delivered_packets: u64,
    /// Per channel: share of the window in which it carried flits (0…1).
    pub channel_utilization: Vec<f32>,
    /// Per channel: share of the window in which flow control halted a packet on it (0…1).
    pub channel_blocked: Vec<f32>,
    /// Lanes of a channel whose use is told one by one; 0 where channels have no lanes.
    pub lane_count: u8,
    /// Per channel and lane, lane by lane: share of the window in which it carried flits (0…1).
    pub lane_utilization: Vec<f32>,
    /// Per channel and lane: share of the window in which flow control kept back the packet in front of
    /// it (0…1).
    pub lane_blocked: Vec<f32>,
    /// Per channel and lane: flits in the input buffer at its end, average over the window.
    pub buffer_mean_flits: Vec<f32>,
    /// Per channel and lane: most flits ever in that buffer in the window.
    pub buffer_max_flits: Vec<u32>,
    /// Per host: payload bytes of its packets delivered per cycle, which shows whom the network serves
    /// worse than others.
    pub host_accepted_bytes_per_cycle: Vec<f32>,
    /// Per host: bytes in its in-transit pool, average over the window.
    pub pool_mean_bytes: Vec<f32>,
    /// Per host: most bytes ever in its in-transit pool in the window.
    pub pool_max_bytes: Vec<u32>,
    /// The pools' occupancy in time, where it was asked for.
    pub pool_series: Option<PoolSeries>,
    /// In-transit packets that found a pool too full.
    pub pool_overflows: u64,
    /// Packets lost in the window, each sent again by its source: those that an in-transit host
    /// dropped for want of room,
    pub dropped_packets: u64,
    /// those that a link error damaged,
    pub damaged_packets: u64,
    /// and those that waited too long for an output of a switch.
    pub timed_out_packets: u64,
    /// Events handled in the whole run.
    pub events: u64,
    /// Channels taken by packets in the whole run.
    pub packet_hops: u64,
    /// Flits sent over channels in the whole run.
    pub flit_hops: u64,
    /// Cycles simulated in the whole run.
    pub simulated_cycles: u64,
}

/// How a run went, as the control loop knows it.
pub(crate) struct Outcome {
    pub(crate) reason: Reason,
    pub(crate) reason_text: String,
    pub(crate) waiting_cycle: Vec<WaitingPacket>,
    pub(crate) warm_up_cycles: u64,
    pub(crate) simulated_cycles: u64,
    /// The simulator's counters before the run.
    pub(crate) counters_before: Counters,
    /// The pools followed in the window, if they were.
    pub(crate) pools: Option<PoolSampler>,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "seven digits are enough for a share"
)]
fn share(part: u64, whole: u64) -> f32 {
    (part as f64 / whole as f64) as f32
}

fn latency_summary(cycles: &Histogram, half_width_cycles: f64, cycle_ns: f64) -> LatencySummary {
    let ns = |cycles: Option<f64>| cycles.map_or(f64::NAN, |cycles| cycles * cycle_ns);
    LatencySummary {
        mean: ns(cycles.mean()),
        mean_half_width: half_width_cycles * cycle_ns,
        p50: ns(cycles.percentile(0.50)),
        p95: ns(cycles.percentile(0.95)),
        p99: ns(cycles.percentile(0.99)),
        max: ns(cycles.max().map(|max| max as f64)),
        count: cycles.count(),
    }
}

impl Measurement {
    /// Turns what was noted in the window into a measurement.
    pub(crate) fn new<S: Simulator>(
        simulator: &S,
        conditions: &Conditions,
        recorder: &Recorder,
        outcome: Outcome,
    ) -> Self {
        let Conditions {
            cycle_ns,
            offered_load,
            ..
        } = *conditions;
        let sending_bytes_per_cycle = conditions.sending_bytes_per_cycle();
        let window_cycles = recorder.total.cycles;
        let packets = recorder.total.packets as f64;
        let accepted: Estimate = recorder.accepted_series.estimate();
        let accepted_load =
            recorder.total.payload_bytes as f64 / window_cycles as f64 / sending_bytes_per_cycle;
        let bytes_per_ns_per_switch =
            sending_bytes_per_cycle / conditions.switch_count as f64 / cycle_ns;
        let generation_half_width = match outcome.reason {
            Reason::Steady | Reason::Budget => recorder.generation_series.estimate().half_width,
            Reason::Saturated | Reason::Deadlocked => f64::NAN,
        };
        let network_half_width = match outcome.reason {
            Reason::Deadlocked => f64::NAN,
            _ => recorder.network_series.estimate().half_width,
        };
        let mut generation_histogram = LatencyBins::default();
        for (lower_edge, count) in recorder.generation_latency.bins() {
            generation_histogram
                .lower_edges_ns
                .push(lower_edge as f64 * cycle_ns);
            generation_histogram.counts.push(count);
        }
        let channels = || {
            let ids = (0..conditions.channel_count).map(ChannelId::from_index);
            ids.map(|channel| simulator.channel_use(channel))
        };
        let pools = || {
            let ids = (0..conditions.host_count).map(HostId::from_index);
            ids.map(|host| {
                let used = simulator.pool_use(host);
                let followed = outcome.pools.as_ref();
                followed.map_or(used, |pools| pools.total(host.index(), used))
            })
        };
        let lane_count = simulator.lane_count();
        let lanes = || {
            let channels = (0..conditions.channel_count).map(ChannelId::from_index);
            channels.flat_map(|channel| {
                let lanes = (0..lane_count).map(Lane::new);
                lanes.map(move |lane| simulator.lane_use(channel, lane))
            })
        };
        let payload_of = |host| recorder.payload_by_source.get(host).copied().unwrap_or(0);
        let (before, after) = (outcome.counters_before, simulator.counters());
        Self {
            reason: outcome.reason,
            reason_text: outcome.reason_text,
            waiting_cycle: outcome.waiting_cycle,
            offered_load,
            accepted_load,
            accepted_load_half_width: match outcome.reason {
                Reason::Deadlocked => f64::NAN,
                _ => accepted.half_width / sending_bytes_per_cycle,
            },
            offered_bytes_per_ns_per_switch: offered_load * bytes_per_ns_per_switch,
            accepted_bytes_per_ns_per_switch: accepted_load * bytes_per_ns_per_switch,
            generation_latency_ns: latency_summary(
                &recorder.generation_latency,
                generation_half_width,
                cycle_ns,
            ),
            network_latency_ns: latency_summary(
                &recorder.network_latency,
                network_half_width,
                cycle_ns,
            ),
            longest_wait_ns: channels()
                .map(|channel| channel.longest_wait_cycles)
                .max()
                .map_or(f64::NAN, |cycles| cycles as f64 * cycle_ns),
            generation_histogram,
            mean_switches: recorder.switches as f64 / packets,
            mean_in_transit_stops: recorder.in_transit_stops as f64 / packets,
            warm_up_ns: outcome.warm_up_cycles as f64 * cycle_ns,
            window_ns: window_cycles as f64 * cycle_ns,
            delivered_packets: recorder.total.packets,
            channel_utilization: channels()
                .map(|c| share(c.busy_cycles, window_cycles))
                .collect(),
            channel_blocked: channels()
                .map(|c| share(c.blocked_cycles, window_cycles))
                .collect(),
            lane_count,
            lane_utilization: lanes()
                .map(|lane| share(lane.busy_cycles, window_cycles))
                .collect(),
            lane_blocked: lanes()
                .map(|lane| share(lane.blocked_cycles, window_cycles))
                .collect(),
            buffer_mean_flits: lanes()
                .map(|lane| share(lane.occupancy_flit_cycles, window_cycles))
                .collect(),
            buffer_max_flits: lanes().map(|lane| lane.max_occupancy_flits).collect(),
            host_accepted_bytes_per_cycle: (0..conditions.host_count)
                .map(|host| share(payload_of(host), window_cycles))
                .collect(),
            pool_mean_bytes: pools()
                .map(|pool| share(pool.occupancy_flit_cycles, window_cycles))
                .collect(),
            pool_max_bytes: pools().map(|pool| pool.max_flits).collect(),
            pool_overflows: pools().map(|pool| pool.overflows).sum(),
            pool_series: outcome.pools.clone().map(PoolSampler::into_series),
            dropped_packets: recorder.dropped_packets,
            damaged_packets: recorder.damaged_packets,
            timed_out_packets: recorder.timed_out_packets,
            events: after.events - before.events,
            packet_hops: after.packet_hops - before.packet_hops,
            flit_hops: after.flit_hops - before.flit_hops,
            simulated_cycles: outcome.simulated_cycles,
        }
    }
}
