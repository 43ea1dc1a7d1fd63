//! One stretch of simulated time on a torus, for a profiler: prints packet-hops and events, so that what
//! the profiler counts can be divided by them.
//!
//! ```text
//! cargo bench --no-run --package weft-benches --bench stretch
//! valgrind --tool=callgrind target/release/deps/stretch-… 512 0.02 1000000
//! ```
//!
//! Arguments: payload in bytes, load in payload bytes per cycle and host, cycles to simulate; then, if
//! wanted, the rows and columns of switches, 8 and 8 unless told, the hardware, `myrinet` with 8 hosts a
//! switch unless told or `infiniband_1x` with 4, and changes of it, `name=value` each. In place of rows and
//! columns stand the file of a fabric and a routing, before any hardware:
//!
//! ```text
//! stretch-… 2048 0.3 100000 examples/cluster.ibnetdiscover dfsssp:lanes=8 infiniband_edr
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::str::FromStr;
use weft::RoutedFabric;
use weft::fabric::{formats::read, generate};
use weft::routing::algorithms;
use weft_benches::{Measured, Result, hardware};

/// All arguments.
fn given() -> impl Iterator<Item = String> {
    std::env::args().skip(1).filter(|text| text != "--bench")
}

/// The argument at a position, or what it is unless told.
fn argument<T: FromStr>(position: usize, default: T) -> std::result::Result<T, T::Err> {
    match given().nth(position) {
        Some(text) => text.parse(),
        None => Ok(default),
    }
}

fn main() -> Result<()> {
    let payload_bytes = argument(0, 512)?;
    let load = argument(1, 0.02)?;
    let cycles: u64 = argument(2, 1_000_000)?;
    let place = argument(3, "8".to_owned())?;
    let preset = argument(5, "myrinet".to_owned())?;
    let changes: Vec<String> = given().skip(6).collect();
    let changes: Vec<_> = changes
        .iter()
        .filter_map(|text| text.split_once('='))
        .collect();
    let is_myrinet = preset == "myrinet";
    let fabric = match place.parse() {
        Ok(rows) => generate::torus(rows, argument(4, 8)?, if is_myrinet { 8 } else { 4 })?,
        Err(_) => read(&std::fs::read(&place)?, &place)?.fabric,
    };
    let network = if place.parse::<u16>().is_err() {
        let spec = argument(4, "updown".to_owned())?;
        let routing = algorithms::route_spec(&fabric, &spec)?;
        Measured {
            fabric: &fabric,
            routed: RoutedFabric::new(fabric.clone(), routing),
            hardware: hardware(&preset, &changes)?,
        }
    } else if is_myrinet {
        Measured::myrinet(&fabric, "ud_itb:root=0,seed=1,per=switch", &changes)?
    } else {
        Measured::infiniband(&fabric, "dimension_order", &changes)?
    };
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
