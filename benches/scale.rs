//! CPU time and memory of large machines, from 4,096 to 262,656 hosts: routes, proof, certificate, the first
//! point of a sweep, and what a hop of a packet takes: on InfiniBand 1x, and by wormhole switching on Myrinet where
//! the routes are those of pairs of switches on one lane. Nothing is asserted; the figures are for comparing.
//! Arguments, if there are any, choose networks by a part of their names.
//!
//! ```text
//! cargo bench --package weft-benches --bench scale -- "torus 64x64" 40-ary
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ProcessTime;
use weft::Fabric;
use weft::fabric::FabricError;
use weft::fabric::formats::{FormatName, read, write};
use weft::fabric::generate::{
    JellyfishParameters, dragonfly, jellyfish, k_ary_n_tree, torus, xgft,
};
use weft::proof::{Verdict, check_certificate};
use weft::routing::PairGranularity;
use weft::routing::load::figures;
use weft_benches::{Measured, Result, hardware, peak_memory_mb, reset_peak_memory};

/// What is simulated for a point: cycles, and the load of a host in bytes a cycle.
const CYCLES: u64 = 1_000;
const LOAD: f64 = 0.02;
/// Hops that the time of one is taken from.
const HOPS: f64 = 200_000.0;
/// Most hosts whose figures of load take a few seconds.
const MOST_WALKED: usize = 20_000;

fn main() -> Result<()> {
    println!(
        "rayon uses {} threads; reading the file, routes, proof, certificate, loads and the point (an engine and \
         {CYCLES} cycles) in seconds of CPU\n\n{:32} {:>7} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9} {:>7} {:>6} {:>8}",
        rayon::current_num_threads(),
        "network",
        "hosts",
        "read",
        "routes",
        "proof",
        "cert",
        "loads",
        "point",
        "bytes/host",
        "MB",
        "ns/hop",
        "wormhole"
    );
    let random = |switches, degree, hosts_per_switch| {
        move || {
            jellyfish(&JellyfishParameters {
                switches,
                degree,
                hosts_per_switch,
                seed: 1,
            })
        }
    };
    let grid = |rows, columns, hosts| move || torus(rows, columns, hosts);
    let tree = |arity| move || k_ary_n_tree(arity, 3);
    let large_tree = || xgft(&[45, 45, 90], &[1, 45, 45]);
    let (updown, down_preferred) = ("updown:per=switch", "down_preferred:per=switch");
    through("torus 64x64", grid(64, 64, 1), "dimension_order")?;
    through("jellyfish 1024", random(1_024, 15, 9), down_preferred)?;
    through("jellyfish 1024", random(1_024, 15, 9), "prefix")?;
    through("24-ary 3-tree", tree(24), "d_mod_k")?;
    through("torus 128x128", grid(128, 128, 1), "dimension_order")?;
    through("torus 64x32", grid(64, 32, 8), updown)?;
    through("40-ary 3-tree", tree(40), "d_mod_k")?;
    through("jellyfish 4096", random(4_096, 16, 16), down_preferred)?;
    through("jellyfish 4096", random(4_096, 16, 16), updown)?;
    through(
        "xgft 45,45,90",
        large_tree,
        "down_preferred:per=switch,root=tops",
    )?;
    through("torus 128x64", grid(128, 64, 8), updown)?;
    through("dragonfly 16,32,16", || dragonfly(16, 32, 16), updown)?;
    Ok(())
}

fn seconds(start: ProcessTime) -> f64 {
    start.elapsed().as_secs_f64()
}

/// Reads a fabric, routes it, proves the routes, checks the certificate, and simulates a point, if the network is
/// chosen.
fn through(
    name: &str,
    generate: impl FnOnce() -> std::result::Result<Fabric, FabricError>,
    spec: &str,
) -> Result<()> {
    let chosen: Vec<String> = std::env::args()
        .skip(1)
        .filter(|text| text != "--bench")
        .collect();
    if !chosen.is_empty() && !chosen.iter().any(|part| name.contains(part.as_str())) {
        return Ok(());
    }
    let text = write(&generate()?, FormatName::Json)?;
    let start = ProcessTime::now();
    let fabric = &read(text.as_bytes(), "network.json")?.fabric;
    let read = seconds(start);
    drop(text);
    reset_peak_memory()?;
    let start = ProcessTime::now();
    let network = Measured::infiniband(fabric, spec, &[])?;
    let routed = seconds(start);
    let start = ProcessTime::now();
    network.measure(512, LOAD, 0, CYCLES)?;
    let point = seconds(start);
    let memory = peak_memory_mb()?;
    // The first run finds the routes that it asks for.
    let measure = || network.measure_packets(512, LOAD, HOPS / 8.0, CYCLES);
    measure()?;
    let work = measure()?;
    let start = ProcessTime::now();
    let proof = network.network()?.prove()?;
    let proved = seconds(start);
    let routing = network.routed.routing().fixed("a certificate")?;
    let start = ProcessTime::now();
    if let Verdict::DeadlockFree(certificate) = &proof.verdict {
        check_certificate(fabric, &routing.routes, certificate)?;
    }
    let checked = seconds(start);
    let start = ProcessTime::now();
    let loads = if fabric.host_count() <= MOST_WALKED {
        figures(fabric, routing);
        format!("{:7.2}", seconds(start))
    } else {
        format!("{:>7}", "–")
    };
    let hosts = fabric.host_count();
    let wormhole = if routing.routes.lane_count() == 1
        && routing.routes.granularity() == PairGranularity::Switch
    {
        let myrinet = Measured {
            hardware: hardware("myrinet", &[])?,
            ..network
        };
        let measure = || myrinet.measure_packets(512, LOAD, HOPS / 8.0, CYCLES);
        measure()?;
        format!("{:8.0}", measure()?.ns_per_packet_hop())
    } else {
        format!("{:>8}", "–")
    };
    println!(
        "{:32} {hosts:7} {read:6.2} {routed:7.2} {proved:7.2} {checked:7.2} {loads} {point:7.2} {:10.0} {memory:7.0} {:6.0} {wormhole}",
        format!("{name} {}", spec.split(':').next().unwrap_or(spec)),
        memory * 1e6 / hosts as f64,
        work.ns_per_packet_hop()
    );
    Ok(())
}
