//! What a run leaves behind, converted from cycles and flits to ns, bytes and shares.

use super::{LatencyBins, LatencySummary, Reason};
use crate::conditions::Conditions;
use crate::histogram::Histogram;
use crate::pools::{PoolSampler, PoolSeries};
use crate::probe::{Counters, Simulator, WaitingPacket};
use crate::recorder::Recorder;
use crate::run::Known;
use crate::statistics::Estimate;
use weft_fabric::{ChannelId, HostId};
use weft_model::{ChannelUse, LaneUse, PoolUse};
use weft_routing::Lane;

/// How a run went, as the control loop knows it.
pub(crate) struct Outcome {
    pub(crate) reason: Reason,
    pub(crate) reason_text: String,
    /// What is known of the window's means.
    pub(crate) known: Known,
    pub(crate) waiting_cycle: Vec<WaitingPacket>,
    pub(crate) warm_up_cycles: u64,
    pub(crate) simulated_cycles: u64,
    /// The simulator's counters before the run.
    pub(crate) counters_before: Counters,
    /// Flits it had sent over channels before the run.
    pub(crate) flit_hops_before: u64,
    /// The pools followed in the window, if they were.
    pub(crate) pools: Option<PoolSampler>,
}

/// What a run leaves behind for figures to be made of.
pub(crate) struct Seen<'a, S> {
    pub(super) simulator: &'a S,
    pub(super) conditions: &'a Conditions,
    pub(super) recorder: &'a Recorder,
    pub(super) outcome: &'a Outcome,
    /// How channels and lanes were used: in a saturated network, to ask takes a walk over every packet
    /// that waits, so they are asked once.
    channels: Vec<ChannelUse>,
    lanes: Vec<LaneUse>,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "seven digits are enough for a share"
)]
fn share(part: u64, whole: u64) -> f32 {
    (part as f64 / whole as f64) as f32
}

impl<'a, S: Simulator> Seen<'a, S> {
    /// Asks the simulator what is counted there.
    pub(crate) fn new(
        simulator: &'a S,
        conditions: &'a Conditions,
        recorder: &'a Recorder,
        outcome: &'a Outcome,
    ) -> Self {
        let channel_ids = || (0..conditions.channel_count).map(ChannelId::from_index);
        let lanes_of = |channel| {
            let lanes = (0..simulator.lane_count()).map(Lane::new);
            lanes.map(move |lane| simulator.lane_use(channel, lane))
        };
        Self {
            simulator,
            conditions,
            recorder,
            outcome,
            channels: channel_ids()
                .map(|channel| simulator.channel_use(channel))
                .collect(),
            lanes: channel_ids().flat_map(lanes_of).collect(),
        }
    }

    pub(super) fn ns(&self, cycles: u64) -> f64 {
        cycles as f64 * self.conditions.cycle_ns
    }

    fn window_cycles(&self) -> u64 {
        self.recorder.total.cycles
    }

    /// A number per packet delivered in the window.
    pub(super) fn per_packet(&self, sum: u64) -> f64 {
        sum as f64 / self.recorder.total.packets as f64
    }

    /// What was delivered per sending host, as a fraction of what it offers at a load of 1.
    pub(super) fn accepted_load(&self) -> f64 {
        self.recorder.total.payload_bytes as f64
            / self.window_cycles() as f64
            / self.conditions.full_load_bytes_per_cycle_of_all()
    }

    /// The load in bytes per ns and switch.
    pub(super) fn per_switch(&self, load: f64) -> f64 {
        let conditions = self.conditions;
        let bytes_per_cycle = conditions.full_load_bytes_per_cycle_of_all();
        load * (bytes_per_cycle / conditions.switch_count as f64 / conditions.cycle_ns)
    }

    /// A latency in figures.
    pub(super) fn latency(&self, cycles: &Histogram, known: &Estimate) -> LatencySummary {
        let ns = |cycles: Option<f64>| {
            cycles.map_or(f64::NAN, |cycles| cycles * self.conditions.cycle_ns)
        };
        LatencySummary {
            mean: ns(cycles.mean()),
            mean_half_width: ns(Some(known.half_width)),
            p50: ns(cycles.percentile(0.50)),
            p95: ns(cycles.percentile(0.95)),
            p99: ns(cycles.percentile(0.99)),
            max: ns(cycles.max().map(|max| max as f64)),
            count: cycles.count(),
        }
    }

    pub(super) fn bins(&self, cycles: &Histogram) -> LatencyBins {
        let bins = cycles.bins();
        let (lower_edges_ns, counts) = bins.map(|(edge, count)| (self.ns(edge), count)).unzip();
        LatencyBins {
            lower_edges_ns,
            counts,
        }
    }

    pub(super) fn channels(&self) -> impl Iterator<Item = &ChannelUse> {
        self.channels.iter()
    }

    /// A share of the window for each channel.
    pub(super) fn of_channels(&self, cycles: fn(&ChannelUse) -> u64) -> Vec<f32> {
        self.channels()
            .map(|channel| share(cycles(channel), self.window_cycles()))
            .collect()
    }

    /// The lanes of all channels, channel by channel.
    pub(super) fn lanes(&self) -> impl Iterator<Item = &LaneUse> {
        self.lanes.iter()
    }

    /// A share of the window for each lane of each channel.
    pub(super) fn of_lanes(&self, cycles: fn(&LaneUse) -> u64) -> Vec<f32> {
        self.lanes()
            .map(|lane| share(cycles(lane), self.window_cycles()))
            .collect()
    }

    /// Bytes that so many flits have on average over the window, of their sum over its cycles.
    pub(super) fn mean_bytes(&self, flit_cycles: u64) -> f32 {
        share(flit_cycles, self.window_cycles()) * self.conditions.flit_bytes as f32
    }

    pub(super) fn bytes(&self, flits: u32) -> u32 {
        flits * self.conditions.flit_bytes
    }

    fn hosts(&self) -> impl Iterator<Item = HostId> + use<S> {
        (0..self.conditions.host_count).map(HostId::from_index)
    }

    pub(super) fn pools(&self) -> impl Iterator<Item = PoolUse> {
        self.hosts().map(|host| {
            let used = self.simulator.pool_use(host);
            let followed = self.outcome.pools.as_ref();
            followed.map_or(used, |pools| pools.total(host.index(), used))
        })
    }

    /// The occupancy of the pools in time, where it was followed.
    pub(super) fn pool_series(&self) -> Option<&PoolSeries> {
        self.outcome.pools.as_ref().map(PoolSampler::series)
    }

    /// What was delivered of each host's payload, as a fraction of what it offers at a load of 1.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "seven digits are enough for a share"
    )]
    pub(super) fn host_loads(&self) -> Vec<f32> {
        let payload = &self.recorder.payload_by_source;
        let of = |host: HostId| payload.get(host.index()).copied().unwrap_or(0);
        let full = |host| self.conditions.full_load_bytes_per_cycle_of(host) as f32;
        self.hosts()
            .map(|host| share(of(host), self.window_cycles()) / full(host))
            .collect()
    }

    /// Work of the simulator in the run.
    pub(super) fn work(&self, of: fn(&Counters) -> u64) -> u64 {
        of(&self.simulator.work_done()) - of(&self.outcome.counters_before)
    }

    /// Flits sent over channels in the run.
    pub(super) fn flit_hops(&self) -> u64 {
        self.simulator.flit_hops() - self.outcome.flit_hops_before
    }
}
