//! What is noted of every packet delivered.

use crate::histogram::Histogram;
use crate::probe::Probe;
use crate::statistics::{BatchSeries, Observation};
use weft_model::{LossCause, LossRecord, PacketRecord};

/// Sums over a short span of time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cycles: u64,
    pub(crate) packets: u64,
    pub(crate) payload_bytes: u64,
    pub(crate) generation_latency_cycles: u64,
    pub(crate) network_latency_cycles: u64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.cycles += other.cycles;
        self.packets += other.packets;
        self.payload_bytes += other.payload_bytes;
        self.generation_latency_cycles += other.generation_latency_cycles;
        self.network_latency_cycles += other.network_latency_cycles;
    }

    /// The span as an observation of accepted payload bytes per cycle.
    pub(crate) fn accepted(&self) -> Observation {
        Observation {
            total: self.payload_bytes as f64,
            weight: self.cycles as f64,
        }
    }

    /// The span as an observation of latency from generation, in cycles.
    pub(crate) fn generation_latency(&self) -> Observation {
        self.of_packets(self.generation_latency_cycles)
    }

    /// The span as an observation of latency from injection, in cycles.
    pub(crate) fn network_latency(&self) -> Observation {
        self.of_packets(self.network_latency_cycles)
    }

    fn of_packets(&self, total: u64) -> Observation {
        Observation {
            total: total as f64,
            weight: self.packets as f64,
        }
    }
}

/// Everything noted since the recorder was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder {
    /// Latencies from generation, in cycles.
    pub(crate) generation_latency: Histogram,
    /// Latencies from injection, in cycles.
    pub(crate) network_latency: Histogram,
    /// Payload bytes accepted per cycle, slice by slice.
    pub(crate) accepted_series: BatchSeries,
    pub(crate) generation_series: BatchSeries,
    pub(crate) network_series: BatchSeries,
    /// Sums over everything up to the last closed tick.
    pub(crate) total: Tally,
    pub(crate) switches: u64,
    pub(crate) in_transit_stops: u64,
    /// Packets lost, by cause.
    pub(crate) dropped_packets: u64,
    pub(crate) damaged_packets: u64,
    pub(crate) timed_out_packets: u64,
    /// Packets that others of their pair overtook, and by how many at most.
    pub(crate) overtaken_packets: u64,
    pub(crate) most_overtaken_by: u32,
    /// Payload bytes delivered, by the host that sent them, up to the last one that did.
    pub(crate) payload_by_source: Vec<u64>,
    /// Sums over the slice and the tick that are open.
    slice: Tally,
    tick: Tally,
}

impl Recorder {
    /// Closes a span of `cycles` cycles and returns its sums.
    pub(crate) fn close_tick(&mut self, cycles: u64) -> Tally {
        let mut tick = std::mem::take(&mut self.tick);
        tick.cycles = cycles;
        self.slice.add(&tick);
        self.total.add(&tick);
        tick
    }

    /// Closes the slice that the last ticks make up, and returns its sums.
    pub(crate) fn close_slice(&mut self) -> Tally {
        let slice = std::mem::take(&mut self.slice);
        self.accepted_series.push(slice.accepted());
        self.generation_series.push(slice.generation_latency());
        self.network_series.push(slice.network_latency());
        slice
    }
}

impl Probe for Recorder {
    #[inline]
    fn delivered(&mut self, record: &PacketRecord) {
        let generation_latency = record.delivery_cycle - record.generation_cycle;
        let network_latency = record.delivery_cycle - record.injection_cycle;
        self.generation_latency.record(generation_latency);
        self.network_latency.record(network_latency);
        self.tick.packets += 1;
        self.tick.payload_bytes += u64::from(record.payload_bytes);
        self.tick.generation_latency_cycles += generation_latency;
        self.tick.network_latency_cycles += network_latency;
        let source = record.source.index();
        if source >= self.payload_by_source.len() {
            self.payload_by_source.resize(source + 1, 0);
        }
        self.payload_by_source[source] += u64::from(record.payload_bytes);
        self.switches += u64::from(record.switches);
        self.in_transit_stops += u64::from(record.in_transit_stops);
        self.overtaken_packets += u64::from(record.overtaken_by > 0);
        self.most_overtaken_by = self.most_overtaken_by.max(record.overtaken_by);
    }

    fn lost(&mut self, record: &LossRecord) {
        match record.cause {
            LossCause::Overflow => self.dropped_packets += 1,
            LossCause::Damage => self.damaged_packets += 1,
            LossCause::Timeout => self.timed_out_packets += 1,
            LossCause::Failure | LossCause::NoEntry => {
                unreachable!("nothing changes in a network that is measured in its steady state")
            }
        }
    }
}
