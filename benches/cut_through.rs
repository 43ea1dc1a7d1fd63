//! CPU time per packet-hop of the cut-through engine: 64 switches, a random regular network and an 8×8
//! torus, two lanes, packets of 32 bytes in all on the buffers of InfiniBand 1x, at 90 % of the highest
//! accepted traffic, with credits and with stop & go; the torus with credits at 150 % of it, with larger
//! and larger buffers, which must not cost more; then a three-level fat tree of 36-port switches
//! with 11,664 hosts at half load, and its memory. Median of five runs, one core.
//!
//! ```text
//! cargo bench --package weft-benches --bench cut_through
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use weft::Fabric;
use weft::fabric::generate;
use weft_benches::{Measured, Result, median, peak_memory_mb, random_regular};

const RUNS: usize = 5;
const PACKET_BYTES: u32 = 32;

/// Stops and gos on the same buffers: a packet and what is under way fit above the stop.
const STOP_AND_GO: &[(&str, &str)] = &[
    ("flow_control", "stop_and_go"),
    ("stop_above_bytes", "512"),
    ("go_below_bytes", "480"),
];

/// The input buffers at 150 % of the highest accepted traffic, in bytes.
const BUFFERS: [u32; 4] = [1 << 10, 16 << 10, 64 << 10, 256 << 10];

/// What a network costs at a load, as a share of its highest accepted traffic.
fn at(share: f64, name: &str, fabric: &Fabric, spec: &str, changes: &[(&str, &str)]) -> Result<()> {
    let network = Measured::infiniband(fabric, spec, changes)?;
    let load = share * network.saturation(PACKET_BYTES, 0.05, 20_000)?;
    let mut per_hop = Vec::new();
    let mut events_per_hop = 0.0;
    for _ in 0..RUNS {
        let work = network.measure_packets(PACKET_BYTES, load, 400_000.0, 20_000)?;
        per_hop.push(work.ns_per_packet_hop());
        events_per_hop = work.events_per_packet_hop();
    }
    println!(
        "{name:14} {spec:22} {load:.4}  {:17.1}  {events_per_hop:6.2}",
        median(per_hop)
    );
    Ok(())
}

fn main() -> Result<()> {
    println!("64 switches, 4 hosts each, packets of 32 bytes, two lanes of 1 KB + 1 KB");
    let regular = random_regular()?;
    let torus = generate::torus(8, 8, 4)?;
    for (what, changes) in [("credits", [].as_slice()), ("stop & go", STOP_AND_GO)] {
        println!();
        println!("{what:14} routing                  load  ns per packet-hop  events");
        at(
            0.9,
            "random regular",
            &regular,
            "multi_tree:trees=2",
            changes,
        )?;
        at(0.9, "8x8 torus", &torus, "dimension_order", changes)?;
    }

    println!();
    println!("buffers in KB  at 150 %, credits      load  ns per packet-hop  events");
    for bytes in BUFFERS {
        let buffer = ("input_buffer_bytes", &*bytes.to_string());
        let name = (bytes >> 10).to_string();
        at(1.5, &name, &torus, "dimension_order", &[buffer])?;
    }

    let tree = generate::xgft(&[18, 18, 36], &[1, 18, 18])?;
    let network = Measured::infiniband(&tree, "down_preferred:per=switch,root=tops", &[])?;
    println!();
    println!(
        "fat tree of {} switches, {} hosts, at half load; after routing {:.0} MB",
        tree.switch_count(),
        tree.host_count(),
        peak_memory_mb()?
    );
    let work = network.measure_packets(PACKET_BYTES, 0.5, 2_000_000.0, 1_000)?;
    println!(
        "{} packets delivered, {:.2} million packet-hops per CPU second, {:.0} MB at most",
        work.packets,
        1e3 / work.ns_per_packet_hop(),
        peak_memory_mb()?
    );
    Ok(())
}
