//! Programs that were read from any bytes: what is accepted runs to an end, or to a wait that is
//! told.

use weft_fabric::HostId;
use weft_model::workload::program::{Execution, Messaging, MessagingParameters, Program, Tasks};

/// What a run may take: beyond, a program is only read.
const MOST_RANKS: usize = 16;
const MOST_BYTES: u64 = 1 << 16;

/// Cycles from a packet's generation to its delivery.
const LATENCY: u64 = 10;

/// Runs a program, if it is short, on a network that brings every packet in the same time.
///
/// # Panics
/// When it neither ends nor tells what it waits for.
pub fn run(tasks: impl Into<Tasks>) {
    let tasks = tasks.into();
    if tasks.rank_count() > MOST_RANKS || tasks.packet_count(1) > MOST_BYTES {
        return;
    }
    let hosts: Vec<HostId> = (0..tasks.rank_count()).map(HostId::from_index).collect();
    let parameters = MessagingParameters {
        eager_bytes: 1000,
        ..MessagingParameters::default()
    };
    let Ok(messaging) = Messaging::new(&parameters, 1.0) else {
        panic!("the parameters are valid");
    };
    let Ok(program) = Program::new(tasks, messaging, &hosts, hosts.len()) else {
        panic!("every rank has a host");
    };
    let mut execution = Execution::new(&program);
    let mut sequences = vec![0; hosts.len()];
    let mut travelling: Vec<(u64, HostId, HostId, u64)> = Vec::new();
    let mut cycle = 0;
    while execution.is_under_way() {
        for (&host, sequence) in hosts.iter().zip(&mut sequences) {
            let mut packets = Vec::new();
            execution.act(&program, host, cycle, &mut packets, &mut Vec::new());
            for packet in packets.into_iter().flatten() {
                travelling.push((cycle + LATENCY, packet.destination, host, *sequence));
                *sequence += 1;
            }
        }
        travelling.retain(|&(delivery, to, from, sequence)| {
            if delivery == cycle {
                execution.deliver(&program, cycle, to, (from, sequence));
            }
            delivery > cycle
        });
        let acts = hosts.iter().filter_map(|&host| execution.next_cycle(&program, host));
        let deliveries = travelling.iter().map(|packet| packet.0);
        let next = acts.chain(deliveries).filter(|&next| next > cycle).min();
        cycle = next.unwrap_or(cycle + 1);
    }
    let (sent, received) = execution.message_counts();
    if execution.is_finished() {
        assert_eq!(sent - received, execution.unclaimed().len() as u64);
    } else {
        assert!(!execution.blocked().is_empty());
    }
}
