//! Peak memory of the routes of all pairs of 1,024 switches, and of a run with 16,384 hosts, routes held
//! per pair of switches.
//!
//! ```text
//! cargo bench --package weft-benches --bench memory
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use weft::fabric::generate;
use weft::routing::algorithms::route_spec;
use weft_benches::{Measured, Result, peak_memory_mb};

fn main() -> Result<()> {
    let fabric = generate::torus(32, 32, 8)?;
    println!("32x32 torus, {} switches", fabric.switch_count());
    for algorithm in ["updown", "ud_itb"] {
        route_spec(&fabric, &format!("{algorithm}:root=0,seed=1,per=switch"))?;
        let peak = peak_memory_mb()?;
        println!("after {algorithm:9} {peak:7.0} MB at most");
    }
    let fabric = generate::torus(64, 32, 8)?;
    let network = Measured::myrinet(&fabric, "updown:root=0,per=switch", &[])?;
    println!(
        "\n64x32 torus, {} hosts, updown per pair of switches",
        fabric.host_count()
    );
    println!("after routing   {:7.0} MB at most", peak_memory_mb()?);
    let work = network.measure(512, 0.002, 0, 1_000_000)?;
    println!("after the run   {:7.0} MB at most", peak_memory_mb()?);
    println!(
        "{} packets delivered, {:.0} ns of CPU per packet-hop",
        work.packets,
        work.ns_per_packet_hop()
    );
    Ok(())
}
