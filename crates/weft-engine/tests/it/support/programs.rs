//! Random programs: graphs of messages and computing, on some of the hosts, with every parameter of
//! the messaging layer; and what their ranks do in engine and oracle.

use super::random::Draws;
use weft_fabric::{Fabric, HostId};
use weft_model::workload::program::{
    Acknowledged, Dependency, Messaging, MessagingParameters, Task, TaskGraph, Work,
};
use weft_model::workload::{Execution, Program, Workload};
use weft_oracle::Ranks;

/// A program and what it is.
pub(crate) fn draw(draws: &mut Draws, fabric: &Fabric) -> (Workload, String) {
    let host_count = fabric.host_count();
    let rank_count = 1 + draws.index(host_count);
    let mut hosts: Vec<HostId> = fabric.host_ids().collect();
    draws.shuffle(&mut hosts);
    let parameters = messaging(draws);
    let tasks = tasks(draws, rank_count);
    let description = format!(
        "a program of {} tasks on {rank_count} ranks, {parameters:?}",
        tasks.task_count()
    );
    let messaging = Messaging::new(&parameters, 1.0).unwrap();
    let program = Program::new(tasks, messaging, &hosts[..rank_count], host_count).unwrap();
    (Workload::Program(program), description)
}

/// What the ranks of a program have done before a cycle, and how they spent their time.
pub(crate) fn compare(
    found: Option<&Execution>,
    expected: Option<&Ranks<'_>>,
    cycle: u64,
) -> Result<(), String> {
    let (Some(found), Some(expected)) = (found, expected) else {
        return Ok(());
    };
    let is_equal = found.message_counts() == expected.message_counts()
        && found.blocked() == expected.blocked()
        && found.unclaimed() == expected.unclaimed()
        && found.is_finished() == expected.is_finished();
    if !is_equal {
        return Err(format!(
            "program at {cycle}\nengine {found:?}\noracle {expected:?}"
        ));
    }
    for rank in (0..).take(expected.rank_count()) {
        let found = (found.finish_cycle(rank), found.account(rank, cycle));
        let expected = (expected.finish_cycle(rank), expected.account(rank));
        if found != expected {
            return Err(format!(
                "rank {rank} at {cycle}\nengine {found:?}\noracle {expected:?}"
            ));
        }
    }
    Ok(())
}

/// Nothing, a little, now and then a lot.
fn overhead_ns(draws: &mut Draws) -> f64 {
    match draws.between(0, 5) {
        0..=2 => 0.0,
        3 | 4 => 30.0 * draws.unit(),
        _ => 500.0 * draws.unit(),
    }
}

fn messaging(draws: &mut Draws) -> MessagingParameters {
    MessagingParameters {
        packet_bytes: *draws.choose(&[1, 16, 64, 64, 512]),
        acknowledged: *draws.choose(&[
            Acknowledged::No,
            Acknowledged::Waited,
            Acknowledged::Waited,
            Acknowledged::Unwaited,
        ]),
        acknowledgement_bytes: *draws.choose(&[0, 1, 8]),
        acknowledge_ns: overhead_ns(draws),
        next_packet_ns: overhead_ns(draws),
        control_ns: overhead_ns(draws),
        blocking: draws.once_in(3),
        pio_bytes: *draws.choose(&[0, 20, 1_000_000]),
        push_packet_ns: overhead_ns(draws),
        bus_gbit_per_s: *draws.choose(&[0.0, 0.0, 1.0, 4.0, 30.0]),
        eager_bytes: *draws.choose(&[0, 20, 100, 65_536]),
        control_bytes: *draws.choose(&[0, 8, 70]),
        send_message_ns: overhead_ns(draws),
        send_byte_ns: draws.unit(),
        receive_message_ns: overhead_ns(draws),
        receive_byte_ns: draws.unit(),
        compute_scale: *draws.choose(&[0.0, 1.0, 1.0, 0.3]),
    }
}

/// Messages one after another, each with its send and its receive; both wait for random tasks before
/// them, so that most programs come to their end. Some messages have no receive, some receives no
/// message, and receives may ask for any rank or tag, so that some do not.
fn tasks(draws: &mut Draws, rank_count: usize) -> TaskGraph {
    let mut graph = TaskGraph::new(rank_count);
    let mut counts = vec![0_u64; rank_count];
    let loss = if draws.once_in(5) { 12 } else { u64::MAX };
    let is_chain = draws.once_in(3);
    let wildcards = if draws.once_in(4) { 6 } else { u64::MAX };
    let mut add = |draws: &mut Draws, rank: usize, work: Work| {
        let count = &mut counts[rank];
        let waits_for = match *count {
            0 => 0,
            _ if is_chain => 1,
            _ => draws.index(3),
        };
        let dependencies: Vec<Dependency> = (0..waits_for)
            .map(|_| {
                let back = if is_chain { 1 } else { draws.between(1, 4) };
                let task = count.saturating_sub(back);
                if draws.once_in(3) {
                    Dependency::start(task)
                } else {
                    Dependency::end(task)
                }
            })
            .collect();
        let task = Task { work, line: 0 };
        graph
            .add(u32::try_from(rank).unwrap(), task, &dependencies)
            .unwrap();
        *count += 1;
    };
    for _ in 0..draws.between(1, 60) {
        let (from, to) = (draws.index(rank_count), draws.index(rank_count));
        let tag = draws.between_u32(0, 1);
        let bytes = *draws.choose(&[0, 1, 8, 64, 150]);
        let number = |rank| u32::try_from(rank).unwrap();
        if draws.once_in(2) {
            let ns = overhead_ns(draws);
            add(draws, from, Work::Compute { ns });
        }
        if !draws.once_in(loss) {
            let to = number(to);
            add(draws, from, Work::Send { to, tag, bytes });
        }
        if draws.once_in(8) {
            add(draws, to, Work::Join);
        }
        if !draws.once_in(loss) {
            let work = Work::Receive {
                from: (!draws.once_in(wildcards)).then_some(number(from)),
                tag: (!draws.once_in(wildcards)).then_some(tag),
            };
            add(draws, to, work);
        }
    }
    graph
}
