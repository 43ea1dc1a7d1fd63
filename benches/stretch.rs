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

use std::str::FromStr;
use weft::fabric::generate;
use weft_benches::{Measured, Result};

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
    let network = Measured::myrinet(&fabric, "ud_itb:root=0,seed=1,per=switch", &[])?;
    let work = network.measure(payload_bytes, load, 0, cycles)?;
    let accepted = work.payload_bytes as f64 / cycles as f64 / fabric.host_count() as f64;
    println!(
        "{} packets delivered, {accepted:.5} bytes per cycle and host, {} packet-hops, {:.1} ns and {:.2} events each",
        work.packets,
        work.counters.packet_hops,
        work.ns_per_packet_hop(),
        work.events_per_packet_hop(),
    );
    Ok(())
}
