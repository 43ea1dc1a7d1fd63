//! Time and memory of large machines, from 4,096 to 262,656 hosts: routes, proof, certificate, the first point
//! of a sweep, and what a hop of a packet takes. Nothing is asserted; the figures are for comparing.
//!
//! ```text
//! taskset --cpu-list 0 cargo bench --package weft-benches --bench scale
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::time::Instant;
use weft::Fabric;
use weft::fabric::formats::{FormatName, read, write};
use weft::fabric::generate::{
    JellyfishParameters, dragonfly, jellyfish, k_ary_n_tree, torus, xgft,
};
use weft::proof::{Verdict, check_certificate};
use weft::routing::load::figures;
use weft_benches::{Measured, Result, peak_memory_mb, reset_peak_memory};

/// What is simulated for a point: cycles, and the load of a host in bytes a cycle.
const CYCLES: u64 = 1_000;
const LOAD: f64 = 0.02;
/// Hops that the time of one is taken from.
const HOPS: f64 = 200_000.0;
/// Most hosts whose figures of load take a few seconds.
const MOST_WALKED: usize = 20_000;

fn main() -> Result<()> {
    println!(
        "rayon uses {} threads; routes, proof, certificate, loads and the point (an engine and {CYCLES} \
         cycles) in seconds\n\n{:32} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9} {:>7} {:>6}",
        rayon::current_num_threads(),
        "network",
        "hosts",
        "routes",
        "proof",
        "cert",
        "loads",
        "point",
        "bytes/host",
        "MB",
        "ns/hop"
    );
    let random = |switches, degree, hosts_per_switch| {
        jellyfish(&JellyfishParameters {
            switches,
            degree,
            hosts_per_switch,
            seed: 1,
        })
    };
    let (by_switch, tops) = (
        "down_preferred:per=switch",
        "down_preferred:per=switch,root=tops",
    );
    through(&torus(64, 64, 1)?, "dimension_order")?;
    through(&random(1_024, 15, 9)?, by_switch)?;
    through(&random(1_024, 15, 9)?, "prefix")?;
    through(&k_ary_n_tree(24, 3)?, "d_mod_k")?;
    through(&torus(128, 128, 1)?, "dimension_order")?;
    through(&torus(64, 32, 8)?, "updown:per=switch")?;
    through(&k_ary_n_tree(40, 3)?, "d_mod_k")?;
    through(&random(4_096, 16, 16)?, by_switch)?;
    through(&random(4_096, 16, 16)?, "updown:per=switch")?;
    let start = Instant::now();
    let tree = xgft(&[45, 45, 90], &[1, 45, 45])?;
    let made = seconds(start);
    through(&tree, tops)?;
    through(&torus(128, 64, 8)?, "updown:per=switch")?;
    through(&dragonfly(16, 32, 16)?, "updown:per=switch")?;
    let start = Instant::now();
    let text = write(&tree, FormatName::Json)?;
    let written = seconds(start);
    let start = Instant::now();
    let again = read(text.as_bytes(), "tree.json")?.fabric;
    println!(
        "\n{}: generated in {made:.2} s, {:.0} MB written in {written:.2} s, read in {:.2} s",
        again.name(),
        text.len() as f64 / 1e6,
        seconds(start)
    );
    Ok(())
}

fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

/// Routes a fabric, proves the routes, checks the certificate, and simulates a point.
fn through(fabric: &Fabric, spec: &str) -> Result<()> {
    reset_peak_memory()?;
    let start = Instant::now();
    let network = Measured::infiniband(fabric, spec, &[])?;
    let routed = seconds(start);
    let start = Instant::now();
    network.measure(512, LOAD, 0, CYCLES)?;
    let point = seconds(start);
    let memory = peak_memory_mb()?;
    // The first run finds the routes that it asks for.
    let measure = || network.measure_packets(512, LOAD, HOPS / 8.0, CYCLES);
    measure()?;
    let work = measure()?;
    let start = Instant::now();
    let proof = network.network()?.prove()?;
    let proved = seconds(start);
    let routing = network.routed.routing().fixed("a certificate")?;
    let start = Instant::now();
    if let Verdict::DeadlockFree(certificate) = &proof.verdict {
        check_certificate(fabric, &routing.routes, certificate)?;
    }
    let checked = seconds(start);
    let start = Instant::now();
    let loads = if fabric.host_count() <= MOST_WALKED {
        figures(fabric, routing);
        format!("{:7.2}", seconds(start))
    } else {
        format!("{:>7}", "–")
    };
    let hosts = fabric.host_count();
    println!(
        "{:32} {hosts:7} {routed:7.2} {proved:7.2} {checked:7.2} {loads} {point:7.2} {:10.0} {memory:7.0} {:6.0}",
        format!(
            "{} {}",
            fabric.name(),
            spec.split(':').next().unwrap_or(spec)
        ),
        memory * 1e6 / hosts as f64,
        work.ns_per_packet_hop()
    );
    Ok(())
}
