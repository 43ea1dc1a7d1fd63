//! CPU time per packet-hop of the engine under uniform traffic at 25, 50 and 90 % of the highest accepted
//! traffic: on the 8×8 torus with 512 hosts by payload, with link errors drawn for, and on the 16×32
//! torus with 4,096 hosts. The least of seven runs, one core.
//!
//! ```text
//! taskset --cpu-list 0 cargo bench --package weft-benches --bench engine
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use weft_benches::{Network, Result, least, myrinet, route};
use weft_fabric::{Fabric, generate};
use weft_model::WormholeModel;

const RUNS: usize = 7;
const PACKETS: f64 = 100_000.0;

fn main() -> Result<()> {
    println!("a packet-hop is one packet over one channel, channels of hosts included");
    let perfect = myrinet()?;
    let lossy = WormholeModel {
        bit_error_rate: 1e-18,
        ..perfect.clone()
    };
    let torus = generate::torus(8, 8, 8)?;
    let routes = [("root", "0"), ("seed", "1")];
    table(&torus, &routes, &perfect, &[32, 512, 1024], "", 0.012)?;
    table(
        &torus,
        &routes,
        &lossy,
        &[512],
        ", link errors drawn for",
        0.012,
    )?;
    let large = generate::torus(16, 32, 8)?;
    let per_switch = [("root", "0"), ("seed", "1"), ("per", "switch")];
    table(&large, &per_switch, &perfect, &[512], "", 0.003)
}

fn table(
    fabric: &Fabric,
    parameters: &[(&str, &str)],
    model: &WormholeModel,
    payloads: &[u32],
    remark: &str,
    lowest_load: f64,
) -> Result<()> {
    let routes = &route(fabric, "ud_itb", parameters)?;
    let network = Network {
        fabric,
        routes,
        model,
    };
    println!(
        "\n{}, {} hosts, ud_itb{remark}",
        fabric.name(),
        fabric.host_count()
    );
    println!("payload  share     load  ns per packet-hop  events  ns per event");
    for &payload_bytes in payloads {
        let highest = network.saturation(payload_bytes, lowest_load)?;
        for share in [0.25, 0.5, 0.9] {
            let load = share * highest;
            let mut times = Vec::new();
            let mut events = 0.0;
            for _ in 0..RUNS {
                let work = network.measure_packets(payload_bytes, load, PACKETS)?;
                times.push(work.ns_per_packet_hop());
                events = work.counters.events as f64 / work.counters.packet_hops as f64;
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
