//! CPU time per packet-hop of the engine under uniform traffic at 25, 50 and 90 % of the highest accepted
//! traffic: on the 8×8 torus with 512 hosts by payload, with link errors drawn for, and on the 16×32
//! torus with 4,096 hosts. The least of seven runs, one core.
//!
//! ```text
//! taskset --cpu-list 0 cargo bench --package weft-benches --bench engine
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use weft::Fabric;
use weft::fabric::generate;
use weft_benches::{Measured, Result, least};

const RUNS: usize = 7;
const PACKETS: f64 = 100_000.0;
const ROUTING: &str = "ud_itb:root=0,seed=1";

fn main() -> Result<()> {
    println!("a packet-hop is one packet over one channel, channels of hosts included");
    let torus = generate::torus(8, 8, 8)?;
    table(&torus, ROUTING, &[], &[32, 512, 1024], 0.012)?;
    let lossy = [("bit_error_rate", "1e-18")];
    table(&torus, ROUTING, &lossy, &[512], 0.012)?;
    let large = generate::torus(16, 32, 8)?;
    table(&large, &format!("{ROUTING},per=switch"), &[], &[512], 0.003)
}

fn table(
    fabric: &Fabric,
    routing: &str,
    changes: &[(&str, &str)],
    payloads: &[u32],
    lowest_load: f64,
) -> Result<()> {
    let network = Measured::myrinet(fabric, routing, changes)?;
    let (name, hosts) = (fabric.name(), fabric.host_count());
    let remark = if changes.is_empty() {
        ""
    } else {
        ", link errors drawn for"
    };
    println!("\n{name}, {hosts} hosts, ud_itb{remark}");
    println!("payload  share     load  ns per packet-hop  events  ns per event");
    for &payload_bytes in payloads {
        let length = u64::from(payload_bytes);
        let highest = network.saturation(payload_bytes, lowest_load, 200 * length + 100_000)?;
        for share in [0.25, 0.5, 0.9] {
            let load = share * highest;
            let mut times = Vec::new();
            let mut events = 0.0;
            for _ in 0..RUNS {
                let warm_up = 300 * length + 20_000;
                let work = network.measure_packets(payload_bytes, load, PACKETS, warm_up)?;
                times.push(work.ns_per_packet_hop());
                events = work.events_per_packet_hop();
            }
            let time = least(&times);
            println!(
                "{payload_bytes:7}  {:3.0} %  {load:.5}  {time:17.1}  {events:6.2}  {:12.1}",
                100.0 * share,
                time / events
            );
        }
    }
    Ok(())
}
