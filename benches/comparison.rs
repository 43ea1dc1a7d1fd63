//! Packet-hops and flit-hops per CPU second of the engine, the oracle and CAMINOS, on the 8×8 torus with
//! 512 hosts under uniform traffic with up\*/down\* routes, each at shares of its own highest accepted
//! traffic. How far CAMINOS is the same is told in `caminos.rs`; it is installed by cargo from
//! crates.io, into the folder of build results.
//!
//! ```text
//! cargo bench --package weft-benches --features comparison --bench comparison
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ThreadTime;
use std::path::Path;
use weft_benches::caminos::{Caminos, VERSION};
use weft_benches::{Network, Result, least, myrinet, route, saturation, uniform};
use weft_fabric::generate;
use weft_oracle::Oracle;

const RUNS: usize = 3;

/// Packet-hops and flit-hops per CPU second.
#[derive(Clone, Copy)]
struct Rate {
    packets: f64,
    flits: f64,
}

fn main() -> Result<()> {
    println!("CAMINOS {VERSION} is installed unless it is there");
    let caminos = Caminos::install(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("caminos"))?;
    let fabric = generate::torus(8, 8, 8)?;
    let routes = route(&fabric, "updown", &[("root", "0"), ("seed", "1")])?;
    let model = myrinet()?;
    let network = Network {
        fabric: &fabric,
        routes: &routes,
        model: &model,
    };
    println!("8x8 torus, 512 hosts, uniform, updown; CAMINOS {VERSION}; the best of {RUNS} runs");
    println!("thousands per CPU second, and how many times as many the engine does as each");
    println!();
    println!("               packet-hops                  flit-hops");
    println!(
        "payload  share  engine  oracle CAMINOS   engine  oracle CAMINOS   packet-hops  flit-hops"
    );
    for payload_bytes in [32, 512, 1024] {
        let highest = saturation(&network, payload_bytes, 0.008)?;
        let highest_of_caminos = caminos.saturation(payload_bytes)?;
        for share in [0.25, 0.5, 0.9] {
            let engine = best(|| engine_rate(&network, payload_bytes, share * highest))?;
            let oracle = best(|| oracle_rate(&network, payload_bytes, share * highest))?;
            let other = best(|| caminos_rate(&caminos, payload_bytes, share * highest_of_caminos))?;
            let thousands = |value: f64| value / 1e3;
            println!(
                "{payload_bytes:7}  {:3.0} % {:7.0} {:7.1} {:7.1}  {:7.0} {:7.0} {:7.0}   {:4.0} {:6.0}  {:4.0} {:5.0}",
                100.0 * share,
                thousands(engine.packets),
                thousands(oracle.packets),
                thousands(other.packets),
                thousands(engine.flits),
                thousands(oracle.flits),
                thousands(other.flits),
                engine.packets / oracle.packets,
                engine.packets / other.packets,
                engine.flits / oracle.flits,
                engine.flits / other.flits,
            );
        }
    }
    Ok(())
}

/// The best of some runs.
fn best(mut run: impl FnMut() -> Result<Rate>) -> Result<Rate> {
    let mut rates = Vec::new();
    for _ in 0..RUNS {
        rates.push(run()?);
    }
    let most = |values: Vec<f64>| -least(&values.iter().map(|value| -value).collect::<Vec<_>>());
    Ok(Rate {
        packets: most(rates.iter().map(|rate| rate.packets).collect()),
        flits: most(rates.iter().map(|rate| rate.flits).collect()),
    })
}

fn engine_rate(network: &Network, payload_bytes: u32, load: f64) -> Result<Rate> {
    let work = network.measure_packets(payload_bytes, load, 50_000.0)?;
    Ok(Rate {
        packets: work.counters.packet_hops as f64 * 1e9 / work.cpu_ns,
        flits: work.counters.flit_hops as f64 * 1e9 / work.cpu_ns,
    })
}

fn oracle_rate(network: &Network, payload_bytes: u32, load: f64) -> Result<Rate> {
    let workload = uniform(network.fabric, payload_bytes, load)?;
    let mut oracle = Oracle::new(network.fabric, network.routes, network.model, &workload)?;
    let mut delivered = Vec::new();
    oracle.advance(30_000, &mut delivered);
    let (packets, flits) = (oracle.packet_hops(), oracle.flit_hops());
    let start = ThreadTime::now();
    oracle.advance(50_000, &mut delivered);
    let seconds = start.elapsed().as_secs_f64();
    Ok(Rate {
        packets: (oracle.packet_hops() - packets) as f64 / seconds,
        flits: (oracle.flit_hops() - flits) as f64 / seconds,
    })
}

/// The warm-up is simulated alone as well, and its time taken off.
fn caminos_rate(caminos: &Caminos, payload_bytes: u32, load: f64) -> Result<Rate> {
    let warm_up = 10_000 + 20 * u64::from(payload_bytes);
    let alone = caminos.run(payload_bytes, load, warm_up, 1)?;
    let run = caminos.run(payload_bytes, load, warm_up, 40_000)?;
    let packets = run.packet_hops / (run.cpu_seconds - alone.cpu_seconds);
    Ok(Rate {
        packets,
        flits: packets * f64::from(payload_bytes),
    })
}
