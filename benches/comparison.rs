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
use weft_benches::caminos::{Caminos, Router, Setup, VERSION};
use weft_benches::{
    LaneNetwork, Network, PACKET_BYTES, Result, Work, least, myrinet, random_regular, route,
    uniform,
};
use weft_fabric::{Fabric, formats, generate};
use weft_oracle::{CutThroughOracle, Oracle};

const RUNS: usize = 3;

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
    fn of(packet_hops: u64, flit_hops: u64, seconds: f64) -> Self {
        Self {
            packets: packet_hops as f64 / seconds,
            flits: flit_hops as f64 / seconds,
        }
    }

    fn of_work(work: &Work) -> Self {
        let counters = &work.counters;
        Self::of(counters.packet_hops, counters.flit_hops, work.cpu_ns / 1e9)
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
    let routes = route(&fabric, "updown", &[("root", "0"), ("seed", "1")])?;
    let model = myrinet()?;
    let network = Network {
        fabric: &fabric,
        routes: &routes,
        model: &model,
    };
    for payload_bytes in [32, 512, 1024] {
        let setup = Setup {
            topology: TORUS,
            routers: 64,
            servers_per_router: 8,
            flits: payload_bytes,
            router: Router::Wormhole,
        };
        let highest = network.saturation(payload_bytes, 0.008)?;
        let highest_of_caminos = caminos.saturation(&setup)?;
        for share in SHARES {
            let load = share * highest;
            let engine = best(|| {
                let work = network.measure_packets(payload_bytes, load, 50_000.0)?;
                Ok(Rate::of_work(&work))
            })?;
            let oracle = best(|| oracle_rate(&network, payload_bytes, load))?;
            let other = best(|| caminos_rate(caminos, &setup, share * highest_of_caminos))?;
            row(&payload_bytes.to_string(), share, [engine, oracle, other]);
        }
    }
    Ok(())
}

fn cut_through(caminos: &Caminos, name: &str, fabric: &Fabric, topology: &str) -> Result<()> {
    let network = LaneNetwork::new(fabric, "multi_tree:roots=0,trees=1,lanes=2", &[])?;
    let setup = Setup {
        topology,
        routers: 64,
        servers_per_router: 4,
        flits: PACKET_BYTES,
        router: Router::CutThrough,
    };
    let highest = network.saturation()?;
    let highest_of_caminos = caminos.saturation(&setup)?;
    for share in SHARES {
        let load = share * highest;
        let engine = best(|| {
            let work = network.measure_packets(load, 100_000.0, 20_000)?;
            Ok(Rate::of_work(&work))
        })?;
        let oracle = best(|| lane_oracle_rate(&network, load))?;
        let other = best(|| caminos_rate(caminos, &setup, share * highest_of_caminos))?;
        row(name, share, [engine, oracle, other]);
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

fn oracle_rate(network: &Network, payload_bytes: u32, load: f64) -> Result<Rate> {
    let workload = uniform(network.fabric, payload_bytes, load)?;
    let mut oracle = Oracle::new(network.fabric, network.routes, network.model, &workload)?;
    let mut delivered = Vec::new();
    oracle.advance(30_000, &mut delivered);
    let (packets, flits) = (oracle.packet_hops(), oracle.flit_hops());
    let start = ThreadTime::now();
    oracle.advance(50_000, &mut delivered);
    let seconds = start.elapsed().as_secs_f64();
    let done = [oracle.packet_hops() - packets, oracle.flit_hops() - flits];
    Ok(Rate::of(done[0], done[1], seconds))
}

fn lane_oracle_rate(network: &LaneNetwork, load: f64) -> Result<Rate> {
    let workload = uniform(network.fabric, PACKET_BYTES, load)?;
    let (model, channels) = (&network.setup.model, &network.setup.channels);
    let mut oracle =
        CutThroughOracle::new(network.fabric, &network.routes, model, channels, &workload)
            .map_err(|error| format!("{error:?}"))?;
    let mut delivered = Vec::new();
    oracle.advance(5_000, &mut delivered);
    let (packets, flits) = (oracle.packet_hops(), oracle.flit_hops());
    let start = ThreadTime::now();
    oracle.advance(10_000, &mut delivered);
    let seconds = start.elapsed().as_secs_f64();
    let done = [oracle.packet_hops() - packets, oracle.flit_hops() - flits];
    Ok(Rate::of(done[0], done[1], seconds))
}

fn caminos_rate(caminos: &Caminos, setup: &Setup, load: f64) -> Result<Rate> {
    let packets = caminos.packet_hops_per_second(setup, load)?;
    Ok(Rate {
        packets,
        flits: packets * f64::from(setup.flits),
    })
}
