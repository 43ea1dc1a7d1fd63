//! One stretch of simulated time on a torus, for a profiler: prints packet-hops and events, so that what
//! the profiler counts can be divided by them.
//!
//! ```text
//! cargo bench --no-run --package weft-benches --bench stretch
//! valgrind --tool=callgrind target/release/deps/stretch-… 512 0.02 1000000
//! ```
//!
//! Arguments: payload in bytes, load in payload bytes per cycle and host, cycles to simulate, and
//! optionally the rows and columns of switches (8 hosts each), 8 and 8 unless told.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use cpu_time::ThreadTime;
use std::str::FromStr;
use weft_benches::{Delivered, Result, myrinet, route, uniform};
use weft_engine::Simulator;
use weft_engine::wormhole::Engine;
use weft_fabric::generate;

/// The argument at a position, or what it is unless told.
fn argument<T: FromStr>(position: usize, default: T) -> std::result::Result<T, T::Err> {
    let mut given = std::env::args().skip(1).filter(|text| text != "--bench");
    match given.nth(position) {
        Some(text) => text.parse(),
        None => Ok(default),
    }
}

fn main() -> Result<()> {
    let payload_bytes = argument(0, 512)?;
    let load = argument(1, 0.02)?;
    let cycles: u64 = argument(2, 1_000_000)?;
    let fabric = generate::torus(argument(3, 8)?, argument(4, 8)?, 8)?;
    let routes = route(
        &fabric,
        "ud_itb",
        &[("root", "0"), ("seed", "1"), ("per", "switch")],
    )?;
    let model = myrinet()?;
    let workload = uniform(&fabric, payload_bytes, load)?;
    let mut engine = Engine::new(&fabric, &routes, &model, &workload)?;
    let mut delivered = Delivered::default();
    let start = ThreadTime::now();
    engine.advance(cycles, &mut delivered);
    let cpu_ns = start.elapsed().as_secs_f64() * 1e9;
    let counters = engine.counters();
    let hops = counters.packet_hops as f64;
    let accepted = delivered.payload_bytes as f64 / cycles as f64 / fabric.host_count() as f64;
    println!(
        "{} packets delivered, {accepted:.5} bytes per cycle and host, {} packet-hops, {:.1} ns and {:.2} events each",
        delivered.packets,
        counters.packet_hops,
        cpu_ns / hops,
        counters.events as f64 / hops,
    );
    Ok(())
}
