//! A network that brings every packet in the same number of cycles.

use weft_fabric::HostId;
use weft_model::workload::program::{Execution, Program};

/// Cycles from a packet's generation to its delivery.
pub(crate) const LATENCY: u64 = 10;

/// A packet that travels: (delivery cycle, host, source, number, payload, generation cycle).
pub(crate) type Travelling = (u64, HostId, HostId, u64, u32, u64);

/// Runs a program until nothing happens any more; the packets in order of delivery.
pub(crate) fn run(program: &Program) -> (Execution, Vec<Travelling>) {
    let mut execution = Execution::new(program);
    let mut travelling: Vec<Travelling> = Vec::new();
    let mut sequences = vec![0; program.rank_count()];
    let mut cycle = 0;
    while execution.is_under_way() {
        for rank in 0..u32::try_from(program.rank_count()).unwrap() {
            let host = program.host(rank);
            let mut packets = Vec::new();
            execution.act(program, host, cycle, &mut packets);
            for packet in packets.into_iter().flatten() {
                assert_eq!(packet.generation_cycle, cycle);
                let sequence = &mut sequences[rank as usize];
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
        let hosts = (0..)
            .take(program.rank_count())
            .map(|rank| program.host(rank));
        let acts = hosts.filter_map(|host| execution.next_cycle(program, host));
        let deliveries = travelling.iter().map(|packet| packet.0);
        let next = acts.chain(deliveries).filter(|&next| next > cycle).min();
        cycle = next.unwrap_or(cycle + 1);
        assert!(cycle < 1_000_000_000, "it goes on for ever");
    }
    travelling.sort_unstable();
    (execution, travelling)
}
