//! Networks with virtual lanes as the benchmarks measure them: InfiniBand 1x, packets of 32 bytes.

use crate::measured::{Work, highest_accepted};
use crate::{Result, uniform};
use weft_engine::cut_through::Engine;
use weft_fabric::Fabric;
use weft_model::hardware::{CutThroughSetup, Hardware};
use weft_model::workload::Workload;
use weft_routing::{Routes, algorithms};

/// Length of all packets.
pub const PACKET_BYTES: u32 = 32;

/// A cut-through network that is simulated.
#[derive(Debug)]
pub struct LaneNetwork<'a> {
    /// Switches, hosts and links.
    pub fabric: &'a Fabric,
    /// Its routes.
    pub routes: Routes,
    /// Its hardware.
    pub setup: CutThroughSetup,
}

impl<'a> LaneNetwork<'a> {
    /// Routes a fabric by a routing as on the command line, for InfiniBand 1x with at least two lanes
    /// and what `changes` say of it, by name of the parameter.
    ///
    /// # Errors
    /// When the routing refuses the fabric, or the hardware a change.
    pub fn new(fabric: &'a Fabric, spec: &str, changes: &[(&str, &str)]) -> Result<Self> {
        let routes = algorithms::route_spec(fabric, spec)?.routes;
        let lanes = routes.lane_count().max(2).to_string();
        let mut hardware = Hardware::preset("infiniband_1x")?.with("lanes", &lanes)?;
        for &(name, value) in changes {
            hardware = hardware.with(name, value)?;
        }
        let Hardware::CutThrough(hardware) = hardware else {
            return Err("InfiniBand is cut-through hardware".into());
        };
        let setup = hardware.cut_through()?;
        Ok(Self {
            fabric,
            routes,
            setup,
        })
    }

    /// Simulates `warm_up` cycles, then measures `cycles` more.
    ///
    /// # Errors
    /// When routes or packets do not fit the hardware.
    pub fn measure(&self, workload: &Workload, warm_up: u64, cycles: u64) -> Result<Work> {
        let CutThroughSetup {
            model, channels, ..
        } = &self.setup;
        let mut engine = Engine::new(self.fabric, &self.routes, model, channels, workload)?;
        Ok(Work::measure(&mut engine, warm_up, cycles))
    }

    /// Measures about as many packets as told under uniform traffic, after `warm_up` cycles; the load
    /// is in bytes per cycle and host.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn measure_packets(&self, load: f64, packets: f64, warm_up: u64) -> Result<Work> {
        let workload = uniform(self.fabric, PACKET_BYTES, load)?;
        let hosts = self.fabric.host_count() as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of cycles far below 2^53"
        )]
        let cycles = (packets * f64::from(PACKET_BYTES) / load / hosts) as u64;
        self.measure(&workload, warm_up, cycles)
    }

    /// The highest accepted traffic over loads 5 % apart, in bytes per cycle and host.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn saturation(&self) -> Result<f64> {
        let cycles = 20_000;
        highest_accepted(0.05, 1.05, |load| {
            let workload = uniform(self.fabric, PACKET_BYTES, load)?;
            let work = self.measure(&workload, cycles, cycles)?;
            let hosts = self.fabric.host_count() as f64;
            Ok(work.delivered.payload_bytes as f64 / cycles as f64 / hosts)
        })
    }
}
