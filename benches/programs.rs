//! Packets per CPU second of programs on cut-through hardware, messages and all: an exchange of all with
//! all on an 8-ary 3-tree and a ring all-reduce on an 8-ary 2-tree, on InfiniBand HDR with packets of
//! 2 KiB; and how long everything takes before the first cycle. Median of the runs, one core.
//!
//! ```text
//! cargo bench --package weft-benches --bench programs
//! ```
//!
//! Arguments: `alltoall` or `allreduce` for one of the two, once, as profilers want it; `memory` for what a message of an
//! exchange of all with all takes at most, from routes to results, all sent at once and one after another; with `pairwise`,
//! `scattered` or `at_once` besides of that order alone, in whose way no memory stands that another gave back; with `2048`
//! among as many ranks in place of 1,024, eight on a switch.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ThreadTime;
use weft::engine::Simulator;
use weft::engine::run::{Replay, ReplayLimits, RunError, replay};
use weft::fabric::generate::{k_ary_n_tree, torus};
use weft::model::workload::Workload;
use weft::model::workload::program::{
    Algorithms, Collective, Messaging, Program, Region, Tasks, Trace,
};
use weft::{Fabric, RoutedFabric, Task, messaging, unwatched};
use weft_benches::{Result, hardware, median, peak_memory_mb, reset_peak_memory};

const RUNS: usize = 3;
const PACKET_BYTES: f64 = 2_048.0;

/// Runs a program and takes the time.
struct Timed;

impl Task for Timed {
    type Outcome = (Replay, u64, f64);

    fn run(self, simulator: &mut impl Simulator) -> std::result::Result<Self::Outcome, RunError> {
        let start = ThreadTime::now();
        let found = replay(simulator, ReplayLimits::NONE, &mut unwatched)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok((found, simulator.counters().packet_hops, seconds))
    }
}

/// A collective operation of all hosts of a fabric.
fn at(
    name: &str,
    fabric: &Fabric,
    operation: &Collective,
    [of, which, routing]: [&str; 3],
    runs: usize,
) -> Result<()> {
    let hardware = hardware("infiniband_hdr", &[])?;
    let mut per_second = Vec::new();
    let (mut set_up, mut simulated) = (Vec::new(), Vec::new());
    let mut told = String::new();
    for _ in 0..runs {
        let start = ThreadTime::now();
        let routing = weft::routing::algorithms::route_spec(fabric, routing)?;
        let routed = RoutedFabric::new(fabric.clone(), routing);
        let network = weft::Network::new(&routed, &hardware)?;
        let hosts: Vec<_> = fabric.host_ids().collect();
        #[expect(clippy::cast_possible_truncation, reason = "hundreds of hosts")]
        let trace = Trace::of_collectives(hosts.len() as u32, std::slice::from_ref(operation));
        let mut algorithms = Algorithms::default();
        algorithms.choose(of, which)?;
        let tasks = Tasks::of_trace(trace, &Region::default(), algorithms)?;
        let changes = [("packet_bytes".to_owned(), PACKET_BYTES)].into();
        let messages = messaging(&hardware, &changes)?;
        let messages = Messaging::new(&messages, network.machine().cycle_ns())?;
        let program = Program::new(tasks, messages, &hosts, hosts.len())?;
        let (found, hops, seconds) = network.on_engine(&Workload::Program(program), Timed)?;
        let in_all = start.elapsed().as_secs_f64();
        set_up.push(in_all - seconds);
        simulated.push(seconds);
        let packets = found.delivered_packets as f64;
        per_second.push(packets / seconds / 1e6);
        let (mean, longest) = (found.mean_latency_cycles, found.max_latency_cycles);
        told = format!(
            "{packets:9} {:6.2} {mean:11.1} {longest:9}",
            hops as f64 / packets
        );
    }
    println!(
        "{name:22} {told} {:9.3} {:7.3} {:12.3}",
        median(set_up),
        median(simulated),
        median(per_second)
    );
    Ok(())
}

fn main() -> Result<()> {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|text| text != "--bench")
        .collect();
    let runs = if asked.is_empty() { RUNS } else { 1 };
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|text| text == name);
    println!(
        "InfiniBand HDR, d_mod_k, packets of 2 KiB, CPU seconds; latency in cycles\n\n\
         {:22} {:>9} {:>6} {:>11} {:>9} {:>9} {:>7} {:>12}",
        "program", "packets", "hops", "latency", "longest", "set-up", "run", "M packets/s"
    );
    if asked.iter().any(|text| text == "memory") {
        let are_more = asked.iter().any(|text| text == "2048");
        let fabric = torus(16, 16, if are_more { 8 } else { 4 })?;
        let exchange = Collective::AllToAll { bytes: 64 };
        let ranks = fabric.host_count() as f64;
        let messages = ranks * (ranks - 1.0);
        let mut orders = vec!["pairwise", "scattered", "at_once"];
        if orders.iter().any(|&order| is_asked(order)) {
            orders.retain(|&order| is_asked(order));
        }
        for order in orders {
            reset_peak_memory()?;
            let before = peak_memory_mb()?;
            at(
                order,
                &fabric,
                &exchange,
                ["alltoall", order, "updown:per=switch"],
                1,
            )?;
            let taken = peak_memory_mb()? - before;
            println!("  {:.0} bytes a message", taken * 1e6 / messages);
        }
    }
    if is_asked("alltoall") {
        let exchange = Collective::AllToAll { bytes: 16 << 10 };
        at(
            "alltoall, 512 hosts",
            &k_ary_n_tree(8, 3)?,
            &exchange,
            ["alltoall", "automatic", "d_mod_k"],
            runs,
        )?;
    }
    if is_asked("allreduce") {
        let bytes = 64 << 20;
        let reduce = Collective::AllReduce { bytes, ns: 0.0 };
        at(
            "ring, 64 hosts",
            &k_ary_n_tree(8, 2)?,
            &reduce,
            ["allreduce", "ring", "d_mod_k"],
            runs,
        )?;
    }
    Ok(())
}
