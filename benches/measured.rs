//! One measured stretch of simulated time, and the load at which accepted traffic is highest.

use crate::{Result, hardware};
use cpu_time::ThreadTime;
use weft::engine::run::RunError;
use weft::engine::{Counters, Probe, Simulator};
use weft::model::workload::{SizeShare, Workload};
use weft::model::{LossRecord, PacketRecord};
use weft::routing::algorithms;
use weft::{Fabric, Hardware, Network, OfferedTraffic, RoutedFabric, Task};

/// What was done in a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Work of the simulator.
    pub counters: Counters,
    /// Flits sent over channels in the cycles measured.
    pub flit_hops: u64,
    /// Packets delivered.
    pub packets: u64,
    /// Their payload in bytes.
    pub payload_bytes: u64,
    /// CPU time it took, in ns.
    pub cpu_ns: f64,
}

impl Probe for Work {
    fn delivered(&mut self, record: &PacketRecord) {
        self.packets += 1;
        self.payload_bytes += u64::from(record.payload_bytes);
    }

    fn lost(&mut self, _: &LossRecord) {}
}

impl Work {
    /// CPU time per packet and channel, in ns.
    pub fn ns_per_packet_hop(&self) -> f64 {
        self.cpu_ns / self.counters.packet_hops as f64
    }

    /// Events per packet and channel.
    pub fn events_per_packet_hop(&self) -> f64 {
        self.counters.events as f64 / self.counters.packet_hops as f64
    }
}

/// So many cycles that are measured, after so many that are not.
struct Stretch {
    warm_up: u64,
    cycles: u64,
}

impl Task for Stretch {
    type Outcome = Work;

    fn run(self, simulator: &mut impl Simulator) -> std::result::Result<Work, RunError> {
        simulator.advance(self.warm_up, &mut Work::default());
        let (before, flits_before) = (simulator.work_done(), simulator.flit_hops());
        let mut work = Work::default();
        let start = ThreadTime::now();
        simulator.advance(self.warm_up + self.cycles, &mut work);
        work.cpu_ns = start.elapsed().as_secs_f64() * 1e9;
        let after = simulator.work_done();
        work.counters = Counters {
            events: after.events - before.events,
            packet_hops: after.packet_hops - before.packet_hops,
            packets_alive: after.packets_alive,
        };
        work.flit_hops = simulator.flit_hops() - flits_before;
        Ok(work)
    }
}

/// The highest accepted traffic over loads that begin with `lowest` and grow by `step`, until
/// less than four fifths of a load are accepted; `accepted` measures it in the unit of the loads.
///
/// # Errors
/// Those of `accepted`.
pub fn highest_accepted(
    lowest: f64,
    step: f64,
    mut accepted: impl FnMut(f64) -> Result<f64>,
) -> Result<f64> {
    let (mut best, mut load) = (0.0_f64, lowest);
    loop {
        let found = accepted(load)?;
        best = best.max(found);
        if found < 0.8 * load {
            return Ok(best);
        }
        load *= step;
    }
}

/// Uniform traffic at a constant rate; the load is in payload bytes per cycle and host, where a flit
/// is a byte.
pub fn packets_of(payload_bytes: u32, load: f64) -> OfferedTraffic {
    let mut traffic = OfferedTraffic::uniform(load);
    "constant".clone_into(&mut traffic.arrivals);
    traffic.sizes = vec![SizeShare {
        payload_bytes,
        share: 1.0,
    }];
    traffic
}

/// A network whose engine is measured.
#[derive(Debug)]
pub struct Measured<'a> {
    /// Switches, hosts and links.
    pub fabric: &'a Fabric,
    /// Its routes, checked once for all loads.
    pub routed: RoutedFabric,
    /// Its hardware.
    pub hardware: Hardware,
}

impl<'a> Measured<'a> {
    /// Routes a fabric by a routing as on the command line, for the Myrinet of the published studies
    /// with changes.
    ///
    /// # Errors
    /// When the routing refuses the fabric, or the hardware a change.
    pub fn myrinet(fabric: &'a Fabric, spec: &str, changes: &[(&str, &str)]) -> Result<Self> {
        let routing = algorithms::route_spec(fabric, spec)?;
        Ok(Self {
            fabric,
            routed: RoutedFabric::new(fabric.clone(), routing),
            hardware: hardware("myrinet", changes)?,
        })
    }

    /// The same for InfiniBand 1x with at least two lanes.
    ///
    /// # Errors
    /// As [`myrinet`](Self::myrinet).
    pub fn infiniband(fabric: &'a Fabric, spec: &str, changes: &[(&str, &str)]) -> Result<Self> {
        let routing = algorithms::route_spec(fabric, spec)?;
        let lanes = routing.routes.lane_count().max(2).to_string();
        Ok(Self {
            fabric,
            routed: RoutedFabric::new(fabric.clone(), routing),
            hardware: hardware("infiniband_1x", changes)?.with("lanes", &lanes)?,
        })
    }

    /// The network, as it is asked elsewhere.
    ///
    /// # Errors
    /// When the hardware does not suit the fabric.
    pub fn network(&self) -> Result<Network<'_>> {
        Ok(Network::new(&self.routed, &self.hardware)?)
    }

    /// What hosts send, in cycles of the hardware.
    ///
    /// # Errors
    /// When the load is not positive.
    pub fn workload(&self, payload_bytes: u32, load: f64) -> Result<Workload> {
        let traffic = packets_of(payload_bytes, load).on(self.fabric, self.network()?.machine())?;
        Ok(Workload::Traffic(traffic))
    }

    /// Simulates `warm_up` cycles, then measures `cycles` more.
    ///
    /// # Errors
    /// When routes or packets do not fit the hardware.
    pub fn measure(
        &self,
        payload_bytes: u32,
        load: f64,
        warm_up: u64,
        cycles: u64,
    ) -> Result<Work> {
        let workload = self.workload(payload_bytes, load)?;
        let stretch = Stretch { warm_up, cycles };
        Ok(self.network()?.on_engine(&workload, stretch)?)
    }

    /// Measures about as many packets as told, after a warm-up.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn measure_packets(
        &self,
        payload_bytes: u32,
        load: f64,
        packets: f64,
        warm_up: u64,
    ) -> Result<Work> {
        let per_cycle = load * self.fabric.host_count() as f64 / f64::from(payload_bytes);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of cycles far below 2^53"
        )]
        let cycles = (packets / per_cycle) as u64;
        self.measure(payload_bytes, load, warm_up, cycles)
    }

    /// The highest accepted traffic over loads 5 % apart, in payload bytes per cycle and host, each
    /// measured for so many cycles after as many.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn saturation(&self, payload_bytes: u32, lowest: f64, cycles: u64) -> Result<f64> {
        highest_accepted(lowest, 1.05, |load| {
            let work = self.measure(payload_bytes, load, cycles, cycles)?;
            let hosts = self.fabric.host_count() as f64;
            Ok(work.payload_bytes as f64 / cycles as f64 / hosts)
        })
    }
}
