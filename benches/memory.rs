//! Peak memory of the routes of all pairs of 1,024 switches, and of a run with 16,384 hosts, routes held
//! per pair of switches.
//!
//! ```text
//! cargo bench --package weft-benches --bench memory
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ThreadTime;
use weft_benches::{Delivered, Result, myrinet, peak_memory_mb, route, uniform};
use weft_engine::Simulator;
use weft_engine::wormhole::Engine;
use weft_fabric::generate;

fn main() -> Result<()> {
    routes_of_1024_switches()?;
    let fabric = generate::torus(64, 32, 8)?;
    let routes = route(&fabric, "updown", &[("root", "0"), ("per", "switch")])?;
    println!(
        "\n64x32 torus, {} hosts, updown per pair of switches",
        fabric.host_count()
    );
    println!("after routing   {:7.0} MB at most", peak_memory_mb()?);
    let model = myrinet()?;
    let workload = uniform(&fabric, 512, 0.002)?;
    let mut engine = Engine::new(&fabric, &routes, &model, &workload)?;
    let mut delivered = Delivered::default();
    let start = ThreadTime::now();
    engine.advance(1_000_000, &mut delivered);
    let cpu_ns = start.elapsed().as_secs_f64() * 1e9;
    let hops = engine.counters().packet_hops as f64;
    println!("after the run   {:7.0} MB at most", peak_memory_mb()?);
    println!(
        "{} packets delivered, {:.0} ns of CPU per packet-hop",
        delivered.packets,
        cpu_ns / hops
    );
    Ok(())
}

fn routes_of_1024_switches() -> Result<()> {
    let fabric = generate::torus(32, 32, 8)?;
    println!("32x32 torus, {} switches", fabric.switch_count());
    let parameters = [("root", "0"), ("seed", "1"), ("per", "switch")];
    for algorithm in ["updown", "ud_itb"] {
        route(&fabric, algorithm, &parameters)?;
        let peak = peak_memory_mb()?;
        println!("after {algorithm:9} {peak:7.0} MB at most");
    }
    Ok(())
}
