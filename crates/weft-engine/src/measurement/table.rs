//! The table of figures: each with its name, type, shape, unit, meaning and how it is measured, once.
//! The measurement, what Python knows of it, results files, exports and the reference are made from
//! it.

use super::figure::{Entry, Measured, Shape};
use super::{LatencyBins, LatencySummary, Reason, Seen};
use crate::probe::{Simulator, WaitingPacket};

macro_rules! figures {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty, $shape:ident, $unit:literal, |$seen:ident| $measured:expr;
    )+) => {
        /// What is known of a network after a run. Everything but the costs (`events` to
        /// `simulated_cycles`) is about the window; where a run ended in its warm-up, the window is
        /// the whole run. A figure that cannot be given is NaN.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Measurement {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        /// A figure of a measurement.
        pub type Figure = Entry<Measurement>;

        /// All figures of a measurement, in the order of results files.
        pub const FIGURES: &[Figure] = &[$(Entry::of::<$type>(
            stringify!($name),
            Shape::$shape,
            $unit,
            &[$($doc),+],
            |measurement| measurement.$name.value(),
        ),)+];

        impl Measurement {
            /// Turns what was noted in the window into a measurement.
            pub(crate) fn new<S: Simulator>(seen: &Seen<'_, S>) -> Self {
                Self {
                    $($name: {
                        let $seen = seen;
                        $measured
                    },)+
                }
            }
        }
    };
}

figures! {
    /// Why the run ended: steady, saturated, deadlocked or budget.
    reason: Reason, Run, "", |seen| seen.outcome.reason;

    /// The reason as a sentence with its numbers.
    reason_text: String, Run, "", |seen| seen.outcome.reason_text.clone();

    /// Packets that wait in a circle.
    ///
    /// Each waits for the channel that the next one holds; empty unless deadlocked.
    waiting_cycle: Vec<WaitingPacket>, Run, "", |seen| seen.outcome.waiting_cycle.clone();

    /// Payload offered per sending host.
    ///
    /// A host to which the traffic pattern gives no destination counts neither here nor in what is
    /// accepted. By a traffic matrix it is what the host offers whose link that fills most.
    offered_load: f64, Run, "fraction of host link rate", |seen| seen.conditions.offered_load;

    /// Payload delivered per sending host.
    accepted_load: f64, Run, "fraction of host link rate", |seen| seen.accepted_load();

    /// Half width of the 95 % confidence interval of the accepted load.
    ///
    /// NaN where none can be given: too short a window, or a deadlock.
    accepted_load_half_width: f64, Run, "fraction of host link rate", |seen| {
        seen.outcome.known.accepted.half_width / seen.conditions.full_load_bytes_per_cycle_of_all()
    };

    /// Payload offered per switch.
    ///
    /// What all hosts together offer, over all switches.
    offered_bytes_per_ns_per_switch: f64, Run, "bytes/ns/switch",
        |seen| seen.per_switch(seen.conditions.offered_load);

    /// Payload delivered per switch.
    accepted_bytes_per_ns_per_switch: f64, Run, "bytes/ns/switch",
        |seen| seen.per_switch(seen.accepted_load());

    /// From generation, source queue included, to the delivery of the tail.
    ///
    /// Once saturated it has no steady value: it grows as long as one measures.
    generation_latency_ns: LatencySummary, Run, "ns",
        |seen| seen.latency(&seen.recorder.generation_latency, &seen.outcome.known.generation);

    /// From the injection of the head to the delivery of the tail.
    network_latency_ns: LatencySummary, Run, "ns",
        |seen| seen.latency(&seen.recorder.network_latency, &seen.outcome.known.network);

    /// Longest wait of a packet for the output of a switch, from its request to the grant.
    ///
    /// Of those granted one in the window and those that waited at its end: what an arbitration
    /// policy does to those it puts last.
    longest_wait_ns: f64, Run, "ns", |seen| {
        let waits = seen.channels().map(|channel| channel.longest_wait_cycles);
        waits.max().map_or(f64::NAN, |cycles| seen.ns(cycles))
    };

    /// Switches traversed per packet.
    ///
    /// The mean; a switch with an in-transit stop counts twice.
    mean_switches: f64, Run, "switches", |seen| seen.per_packet(seen.recorder.switches);

    /// In-transit stops per packet.
    mean_in_transit_stops: f64, Run, "stops",
        |seen| seen.per_packet(seen.recorder.in_transit_stops);

    /// Discarded start of the run.
    warm_up_ns: f64, Run, "ns", |seen| seen.ns(seen.outcome.warm_up_cycles);

    /// Measured span of the run.
    window_ns: f64, Run, "ns", |seen| seen.ns(seen.recorder.total.cycles);

    /// Packets delivered in the window.
    delivered_packets: u64, Run, "packets", |seen| seen.recorder.total.packets;

    /// Interval in which in-transit pools were followed; 0 where they were not.
    pool_interval_ns: f64, Run, "ns",
        |seen| seen.pool_series().map_or(0.0, |series| series.interval_ns);

    /// In-transit packets that found the pool of their NIC too full.
    pool_overflows: u64, Run, "packets", |seen| seen.pools().map(|pool| pool.overflows).sum();

    /// Packets lost, and sent again, because an in-transit host had no room.
    dropped_packets: u64, Run, "packets", |seen| seen.recorder.dropped_packets;

    /// Packets lost, and sent again, because a link damaged them.
    damaged_packets: u64, Run, "packets", |seen| seen.recorder.damaged_packets;

    /// Packets lost, and sent again, because they waited too long for an output of a switch.
    timed_out_packets: u64, Run, "packets", |seen| seen.recorder.timed_out_packets;

    /// Share of the packets delivered that arrived out of order, 0 to 1.
    ///
    /// Packets that left the same source for the same destination later had arrived before. Counted where packets
    /// choose on their way, else NaN.
    out_of_order_share: f64, Run, "share", |seen| {
        if seen.simulator.tells_order() {
            seen.per_packet(seen.recorder.overtaken_packets)
        } else {
            f64::NAN
        }
    };

    /// Most packets of a source and destination that overtook one of theirs.
    ///
    /// So many must a receiver that puts them in order keep; 0 where packets do not choose.
    out_of_order_distance: u64, Run, "packets", |seen| seen.recorder.most_overtaken_by.into();

    /// Events the engine processed.
    events: u64, Run, "events", |seen| seen.work(|done| done.events);

    /// Switches traversed by all packets.
    packet_hops: u64, Run, "packets × switches", |seen| seen.work(|done| done.packet_hops);

    /// Flits moved over channels.
    flit_hops: u64, Run, "flits × channels", |seen| seen.flit_hops();

    /// Cycles simulated, warm-up included.
    simulated_cycles: u64, Run, "cycles", |seen| seen.outcome.simulated_cycles;

    /// Share of the window in which it carried flits, 0 to 1.
    channel_utilization: Vec<f32>, Channel, "share",
        |seen| seen.of_channels(|channel| channel.busy_cycles);

    /// Share of the window in which flow control halted it, 0 to 1.
    ///
    /// While it had a packet to send; of several lanes, that of the one halted longest.
    channel_blocked: Vec<f32>, Channel, "share",
        |seen| seen.of_channels(|channel| channel.blocked_cycles);

    /// Time average of the bytes in its in-transit pool.
    pool_mean_bytes: Vec<f32>, Host, "bytes", |seen| {
        let pools = seen.pools();
        pools.map(|pool| seen.mean_bytes(pool.occupancy_flit_cycles)).collect()
    };

    /// Most bytes there.
    pool_max_bytes: Vec<u32>, Host, "bytes",
        |seen| seen.pools().map(|pool| seen.bytes(pool.max_flits)).collect();

    /// Delivered of its payload, fraction of the host link rate.
    ///
    /// How fairly hosts are served. By a traffic matrix a fraction of what the host offers at a load of 1.
    host_accepted_load: Vec<f32>, Host, "fraction of host link rate", |seen| seen.host_loads();

    /// Share of the window in which its flits were sent, 0 to 1.
    ///
    /// No columns for hardware without several lanes.
    lane_utilization: Vec<f32>, Lane, "share", |seen| seen.of_lanes(|lane| lane.busy_cycles);

    /// Share of the window in which flow control halted it, 0 to 1.
    ///
    /// While it had a packet to send.
    lane_blocked: Vec<f32>, Lane, "share", |seen| seen.of_lanes(|lane| lane.blocked_cycles);

    /// Time average of the bytes in the buffer at its end.
    ///
    /// As flow control counts them: with credits whole packets, with stop & go flits; 0 at hosts.
    buffer_mean_bytes: Vec<f32>, Lane, "bytes", |seen| {
        let lanes = seen.lanes();
        lanes.map(|lane| seen.mean_bytes(lane.occupancy_flit_cycles)).collect()
    };

    /// Most bytes there.
    buffer_max_bytes: Vec<u32>, Lane, "bytes",
        |seen| seen.lanes().map(|lane| seen.bytes(lane.max_occupancy_flits)).collect();

    /// Time average of the bytes in its in-transit pool.
    ///
    /// Interval by interval of the window; the last, unfinished one is left out, and those after the
    /// first 16 million values.
    pool_series_mean_bytes: Vec<f32>, Interval, "bytes", |seen| {
        seen.pool_series().map(|series| series.mean_bytes.clone()).unwrap_or_default()
    };

    /// Most bytes there.
    pool_series_max_bytes: Vec<u32>, Interval, "bytes", |seen| {
        seen.pool_series().map(|series| series.max_bytes.clone()).unwrap_or_default()
    };

    /// Distribution of the latency from generation.
    generation_histogram: LatencyBins, Run, "packets",
        |seen| seen.bins(&seen.recorder.generation_latency);
}

impl Measurement {
    /// Counts the lanes of a channel that are told one by one; 0 where channels have no lanes.
    pub fn lane_count(&self) -> usize {
        self.lane_utilization.len() / self.channel_utilization.len().max(1)
    }

    /// Rows and columns of an array of a figure; a row only for what has no columns.
    pub fn extents(&self, figure: &Figure) -> Vec<usize> {
        let (channels, hosts) = (self.channel_utilization.len(), self.pool_mean_bytes.len());
        match figure.shape {
            Shape::Run => vec![],
            Shape::Channel => vec![channels],
            Shape::Lane => vec![channels, self.lane_count()],
            Shape::Host => vec![hosts],
            Shape::Interval if self.pool_interval_ns > 0.0 => {
                vec![self.pool_series_max_bytes.len() / hosts.max(1), hosts]
            }
            Shape::Interval => vec![0, 0],
        }
    }
}
