//! One measured stretch of simulated time, and the load at which accepted traffic is highest.

use crate::{Delivered, Result, uniform};
use cpu_time::ThreadTime;
use weft_engine::wormhole::Engine;
use weft_engine::{Counters, Simulator};
use weft_fabric::Fabric;
use weft_model::WormholeModel;
use weft_model::workload::Workload;
use weft_routing::SourceRoutes;

/// What was done in a network.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Work of the simulator.
    pub counters: Counters,
    /// Packets delivered.
    pub delivered: Delivered,
    /// CPU time it took, in ns.
    pub cpu_ns: f64,
}

impl Work {
    /// Simulates `warm_up` cycles, then measures `cycles` more.
    pub fn measure(engine: &mut impl Simulator, warm_up: u64, cycles: u64) -> Self {
        engine.advance(warm_up, &mut Delivered::default());
        let before = engine.counters();
        let mut delivered = Delivered::default();
        let start = ThreadTime::now();
        engine.advance(warm_up + cycles, &mut delivered);
        let cpu_ns = start.elapsed().as_secs_f64() * 1e9;
        let after = engine.counters();
        Self {
            counters: Counters {
                events: after.events - before.events,
                packet_hops: after.packet_hops - before.packet_hops,
                flit_hops: after.flit_hops - before.flit_hops,
                packets_alive: after.packets_alive,
            },
            delivered,
            cpu_ns,
        }
    }

    /// CPU time per packet and channel, in ns.
    pub fn ns_per_packet_hop(&self) -> f64 {
        self.cpu_ns / self.counters.packet_hops as f64
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

/// A wormhole network that is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Network<'a> {
    /// Switches, hosts and links.
    pub fabric: &'a Fabric,
    /// Its routes.
    pub routes: &'a SourceRoutes,
    /// Its hardware.
    pub model: &'a WormholeModel,
}

impl Network<'_> {
    /// Simulates `warm_up` cycles, then measures `cycles` more.
    ///
    /// # Errors
    /// When the routes do not fit the fabric.
    pub fn measure(&self, workload: &Workload, warm_up: u64, cycles: u64) -> Result<Work> {
        let mut engine = Engine::new(self.fabric, self.routes, self.model, workload)?;
        Ok(Work::measure(&mut engine, warm_up, cycles))
    }

    /// Measures about as many packets as told under uniform traffic, after a warm-up.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn measure_packets(&self, payload_bytes: u32, load: f64, packets: f64) -> Result<Work> {
        let workload = uniform(self.fabric, payload_bytes, load)?;
        let per_cycle = load * self.fabric.host_count() as f64 / f64::from(payload_bytes);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of cycles far below 2^53"
        )]
        let cycles = (packets / per_cycle) as u64;
        self.measure(&workload, 300 * u64::from(payload_bytes) + 20_000, cycles)
    }

    /// The highest accepted traffic over loads 5 % apart, in payload bytes per cycle and host.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn saturation(&self, payload_bytes: u32, lowest: f64) -> Result<f64> {
        let cycles = 200 * u64::from(payload_bytes) + 100_000;
        highest_accepted(lowest, 1.05, |load| {
            let workload = uniform(self.fabric, payload_bytes, load)?;
            let work = self.measure(&workload, cycles, cycles)?;
            let hosts = self.fabric.host_count() as f64;
            Ok(work.delivered.payload_bytes as f64 / cycles as f64 / hosts)
        })
    }
}
