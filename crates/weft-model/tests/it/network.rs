//! A network that brings every packet in the same number of cycles.

use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::HostId;
use weft_model::workload::program::{Dependency, Execution, Program, Task, TaskGraph, Work};

/// Cycles from a packet's generation to its delivery.
pub(crate) const LATENCY: u64 = 10;

/// A packet that travels: (delivery cycle, host, source, number, payload, generation cycle).
pub(crate) type Travelling = (u64, HostId, HostId, u64, u32, u64);

pub(crate) fn task(work: Work) -> Task {
    Task::new(work, 0)
}

pub(crate) fn send(to: u32, bytes: u64) -> Work {
    Work::Send { to, tag: 0, bytes }
}

pub(crate) fn receive(from: u32) -> Work {
    let (from, tag) = (Some(from), Some(0));
    Work::Receive { from, tag }
}

/// Tasks of each rank, each after the end of the one before.
pub(crate) fn in_order(ranks: &[&[Work]]) -> TaskGraph {
    let mut graph = TaskGraph::new(ranks.len());
    for (rank, works) in (0..).zip(ranks) {
        for (number, &work) in (0_u64..).zip(*works) {
            let before = number.checked_sub(1).map(Dependency::end);
            let before: Vec<Dependency> = before.into_iter().collect();
            graph.add(rank, task(work), &before).unwrap();
        }
    }
    graph
}

/// Runs a program until nothing happens any more; the packets in order of delivery.
pub(crate) fn run(program: &Program) -> (Execution, Vec<Travelling>) {
    let mut execution = Execution::new(program);
    let mut travelling: Vec<Travelling> = Vec::new();
    let ranks = (0..).take(program.rank_count());
    let hosts: BTreeSet<HostId> = ranks
        .flat_map(|rank| program.adapters(rank).to_vec())
        .collect();
    let mut sequences: BTreeMap<HostId, u64> = BTreeMap::new();
    let mut cycle = 0;
    while execution.is_under_way() {
        for &host in &hosts {
            let mut packets = Vec::new();
            execution.act(program, host, cycle, &mut packets, &mut Vec::new());
            for packet in packets.into_iter().flatten() {
                assert_eq!(packet.generation_cycle, cycle);
                let sequence = sequences.entry(host).or_default();
                let (to, bytes) = (packet.destination, packet.payload_bytes);
                travelling.push((cycle + LATENCY, to, host, *sequence, bytes, cycle));
                *sequence += 1;
            }
        }
        for &(delivery, to, from, sequence, ..) in &travelling {
            if delivery == cycle {
                execution.deliver(program, cycle, to, (from, sequence));
            }
        }
        let acts = hosts.iter().copied();
        let acts = acts.filter_map(|host| execution.next_cycle(program, host));
        let deliveries = travelling.iter().map(|packet| packet.0);
        let next = acts.chain(deliveries).filter(|&next| next > cycle).min();
        cycle = next.unwrap_or(cycle + 1);
        assert!(cycle < 1_000_000_000, "it goes on for ever");
    }
    travelling.sort_unstable();
    (execution, travelling)
}
