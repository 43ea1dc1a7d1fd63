//! What the benchmarks share: the networks and loads they run, and the clock they read.

pub mod caminos;
mod lanes;
mod measured;

pub use lanes::{LaneNetwork, PACKET_BYTES};
pub use measured::{Network, Work, highest_accepted};

use std::collections::BTreeMap;
use weft_engine::Probe;
use weft_fabric::{Fabric, generate};
use weft_model::hardware::Hardware;
use weft_model::workload::{
    Arrivals, Destinations, ShareOf, SizeShare, Traffic, TrafficParameters, Workload,
};
use weft_model::{LossRecord, PacketRecord, WormholeModel};
use weft_routing::{Routes, SourceRoutes, algorithms};

/// Whatever goes wrong ends the benchmark with its message.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Sums over the packets delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivered {
    /// Packets.
    pub packets: u64,
    /// Their payload in bytes.
    pub payload_bytes: u64,
}

impl Probe for Delivered {
    fn delivered(&mut self, record: &PacketRecord) {
        self.packets += 1;
        self.payload_bytes += u64::from(record.payload_bytes);
    }

    fn lost(&mut self, _: &LossRecord) {}
}

/// The Myrinet of the published studies.
///
/// # Errors
/// Never, unless the preset contradicts itself.
pub fn myrinet() -> Result<WormholeModel> {
    match Hardware::preset("myrinet")? {
        Hardware::Wormhole(hardware) => Ok(hardware.wormhole()?),
        Hardware::CutThrough(_) => Err("Myrinet is wormhole hardware".into()),
    }
}

/// A random network of 64 switches with four links and four hosts each.
///
/// # Errors
/// Never, unless the generator refuses its own parameters.
pub fn random_regular() -> Result<Fabric> {
    Ok(generate::irregular(&generate::IrregularParameters {
        switches: 64,
        hosts_per_switch: 4,
        ports_per_switch: 8,
        seed: 1,
        ..generate::IrregularParameters::default()
    })?)
}

/// Computes routes by name, with parameters as pairs of texts.
///
/// # Errors
/// When the routing refuses the fabric.
pub fn route(fabric: &Fabric, name: &str, parameters: &[(&str, &str)]) -> Result<SourceRoutes> {
    let parameters: BTreeMap<String, String> = parameters
        .iter()
        .map(|&(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let routing = algorithms::route(fabric, name, &parameters)?;
    Ok(match routing.routes {
        Routes::Source(routes) => routes,
        tables @ Routes::Tables(_) => tables.to_source_routes(fabric)?.into_owned(),
    })
}

/// Uniform traffic at a constant rate; the load is in payload bytes per cycle and host.
///
/// # Errors
/// When the load is not positive.
pub fn uniform(fabric: &Fabric, payload_bytes: u32, load: f64) -> Result<Workload> {
    let parameters = TrafficParameters {
        arrivals: Arrivals::Constant,
        sizes: vec![SizeShare {
            payload_bytes,
            share: 1.0,
        }],
        share_of: ShareOf::Packets,
        load_bytes_per_cycle: load,
        seed: 1,
    };
    Ok(Workload::Traffic(Traffic::new(
        parameters,
        Destinations::uniform(fabric.host_count())?,
    )?))
}

/// The process's highest resident memory so far in MB, from the kernel.
///
/// # Errors
/// When the kernel does not tell, as on other systems than Linux.
pub fn peak_memory_mb() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB"));
    let kib: f64 = kib
        .ok_or("the kernel does not tell VmHWM")?
        .trim()
        .parse()?;
    Ok(kib * 1024.0 / 1e6)
}

/// The least, which other work on a shared machine moves least.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The median, which noise on a shared machine moves little.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
