//! Packet-hops and flit-hops per CPU second of the engines, the oracles and CAMINOS, under uniform traffic
//! with up\*/down\* routes, each at shares of its own highest accepted traffic: wormhole switching on the
//! 8×8 torus with 512 hosts, cut-through with two lanes on a random network of 64 switches and on the
//! 8×8 torus with 256 hosts. How far CAMINOS is the same is told in `caminos.rs`; it is installed by cargo
//! from crates.io, into the folder of build results.
//!
//! ```text
//! cargo bench --package weft-benches --features comparison --bench comparison [wormhole|cut-through]
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ThreadTime;
use std::path::Path;
use weft::fabric::{formats, generate};
use weft::{Fabric, Machine};
use weft_benches::caminos::{Caminos, Router, Setup, VERSION};
use weft_benches::{Measured, Result, least, random_regular};
use weft_oracle::{CutThroughOracle, Oracle};

const RUNS: usize = 3;

/// Length of packets with cut-through switching.
const PACKET_BYTES: u32 = 32;

/// Shares of the highest accepted traffic.
const SHARES: [f64; 3] = [0.25, 0.5, 0.9];

const TORUS: &str = "Torus { sides: [8, 8],";

/// Packet-hops and flit-hops per CPU second.
#[derive(Clone, Copy)]
struct Rate {
    packets: f64,
    flits: f64,
}

impl Rate {
    fn of([packet_hops, flit_hops]: [u64; 2], seconds: f64) -> Self {
        Self {
            packets: packet_hops as f64 / seconds,
            flits: flit_hops as f64 / seconds,
        }
    }
}

fn main() -> Result<()> {
    println!("CAMINOS {VERSION} is installed unless it is there");
    let caminos = Caminos::install(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("caminos"))?;
    println!("uniform traffic, up*/down*; CAMINOS {VERSION}; the best of {RUNS} runs");
    println!("thousands per CPU second, and how many times as many the engine does as each");
    println!();
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|text| text != "--bench")
        .collect();
    let is_wanted = |name: &str| asked.is_empty() || asked.iter().any(|text| text == name);
    if is_wanted("wormhole") {
        println!("wormhole, 8x8 torus, 512 hosts");
        heading("payload");
        wormhole(&caminos)?;
        println!();
    }
    if is_wanted("cut-through") {
        both_fabrics(&caminos)?;
    }
    Ok(())
}

fn both_fabrics(caminos: &Caminos) -> Result<()> {
    println!("cut-through, 64 switches, 256 hosts, two lanes, {PACKET_BYTES} bytes");
    heading("fabric");
    let regular = random_regular()?;
    let list = caminos.folder().join("regular.caminos");
    std::fs::write(&list, without_hosts(&regular)?)?;
    let topology = format!("File {{ filename: \"{}\", format: 0,", list.display());
    cut_through(caminos, "random", &regular, &topology)?;
    cut_through(caminos, "torus", &generate::torus(8, 8, 4)?, TORUS)
}

fn heading(first: &str) {
    println!("               packet-hops                  flit-hops");
    println!(
        "{first:7}  share  engine  oracle CAMINOS   engine  oracle CAMINOS   packet-hops  flit-hops"
    );
}

/// A fabric as CAMINOS reads it.
fn without_hosts(fabric: &Fabric) -> Result<String> {
    Ok(formats::write(fabric, formats::FormatName::Caminos)?)
}

fn row(first: &str, share: f64, [engine, oracle, other]: [Rate; 3]) {
    let thousands = |value: f64| value / 1e3;
    println!(
        "{first:>7}  {:3.0} % {:7.0} {:7.1} {:7.1}  {:7.0} {:7.0} {:7.0}   {:4.0} {:6.0}  {:4.0} {:5.0}",
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

fn wormhole(caminos: &Caminos) -> Result<()> {
    let fabric = generate::torus(8, 8, 8)?;
    let network = Measured::myrinet(&fabric, "updown:root=0,seed=1", &[])?;
    for payload_bytes in [32, 512, 1024] {
        let setup = Setup {
            topology: TORUS,
            routers: 64,
            servers_per_router: 8,
            flits: payload_bytes,
            router: Router::Wormhole,
        };
        let length = u64::from(payload_bytes);
        let highest = network.saturation(payload_bytes, 0.008, 200 * length + 100_000)?;
        let asked = Asked {
            packets: 50_000.0,
            warm_up: 300 * length + 20_000,
            oracle: [30_000, 50_000],
        };
        rows(
            &payload_bytes.to_string(),
            &network,
            highest,
            &asked,
            (caminos, &setup),
        )?;
    }
    Ok(())
}

fn cut_through(caminos: &Caminos, name: &str, fabric: &Fabric, topology: &str) -> Result<()> {
    let network = Measured::infiniband(fabric, "multi_tree:roots=0,trees=1,lanes=2", &[])?;
    let setup = Setup {
        topology,
        routers: 64,
        servers_per_router: 4,
        flits: PACKET_BYTES,
        router: Router::CutThrough,
    };
    let highest = network.saturation(PACKET_BYTES, 0.05, 20_000)?;
    let asked = Asked {
        packets: 100_000.0,
        warm_up: 20_000,
        oracle: [5_000, 10_000],
    };
    rows(name, &network, highest, &asked, (caminos, &setup))
}

/// How long each is measured.
struct Asked {
    /// Packets that the engine delivers, after a warm-up in cycles.
    packets: f64,
    warm_up: u64,
    /// Where the oracle's warm-up and its measurement end, in cycles.
    oracle: [u64; 2],
}

fn rows(
    first: &str,
    network: &Measured<'_>,
    highest: f64,
    asked: &Asked,
    (caminos, setup): (&Caminos, &Setup<'_>),
) -> Result<()> {
    let highest_of_caminos = caminos.saturation(setup)?;
    for share in SHARES {
        let load = share * highest;
        let engine = best(|| {
            let work = network.measure_packets(setup.flits, load, asked.packets, asked.warm_up)?;
            let hops = [work.counters.packet_hops, work.flit_hops];
            Ok(Rate::of(hops, work.cpu_ns / 1e9))
        })?;
        let oracle = best(|| oracle_rate(network, setup.flits, load, asked.oracle))?;
        let other = best(|| caminos_rate(caminos, setup, share * highest_of_caminos))?;
        row(first, share, [engine, oracle, other]);
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

fn oracle_rate(
    network: &Measured<'_>,
    payload_bytes: u32,
    load: f64,
    ends: [u64; 2],
) -> Result<Rate> {
    let workload = network.workload(payload_bytes, load)?;
    let routing = network.routed.routing().fixed("an oracle")?;
    let fabric = network.fabric;
    let delivered = &mut Vec::new();
    match network.network()?.machine() {
        Machine::Wormhole { model, .. } => {
            let routes = routing.routes.to_source_routes(fabric);
            let mut oracle = Oracle::new(fabric, &routes, model, &workload)?;
            Ok(rate_between(ends, |end| {
                oracle.advance(end, delivered);
                [oracle.packet_hops(), oracle.flit_hops()]
            }))
        }
        Machine::CutThrough(setup) => {
            let (model, channels) = (&setup.model, &setup.channels);
            let oracle = CutThroughOracle::new(fabric, &routing.routes, model, channels, &workload);
            let mut oracle = oracle.map_err(|error| format!("{error:?}"))?;
            Ok(rate_between(ends, |end| {
                oracle.advance(end, delivered);
                [oracle.packet_hops(), oracle.flit_hops()]
            }))
        }
    }
}

/// The rate between two cycles of what counts packet-hops and flit-hops up to a cycle.
fn rate_between([begin, end]: [u64; 2], mut hops_until: impl FnMut(u64) -> [u64; 2]) -> Rate {
    let before = hops_until(begin);
    let start = ThreadTime::now();
    let after = hops_until(end);
    let seconds = start.elapsed().as_secs_f64();
    Rate::of([after[0] - before[0], after[1] - before[1]], seconds)
}

fn caminos_rate(caminos: &Caminos, setup: &Setup, load: f64) -> Result<Rate> {
    let packets = caminos.packet_hops_per_second(setup, load)?;
    Ok(Rate {
        packets,
        flits: packets * f64::from(setup.flits),
    })
}
