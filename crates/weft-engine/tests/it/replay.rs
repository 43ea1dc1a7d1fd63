//! Programs on a network: how they end.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use weft_engine::Simulator;
use weft_engine::run::{Replay, ReplayEnd, ReplayLimits, RunError, replay};
use weft_engine::wormhole::{Engine, ListedRoutes};
use weft_fabric::{Fabric, HostId};
use weft_model::hardware::Hardware;
use weft_model::workload::program::{
    Algorithms, Collective, Messaging, MessagingParameters, Program, Region, Task, TaskGraph,
    Tasks, Trace, Work,
};
use weft_model::workload::{PacketList, Workload};
use weft_routing::algorithms::route;

fn ring() -> Fabric {
    let parameters = [("switches", "4"), ("hosts_per_switch", "1")];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned()));
    weft_fabric::generate::generate("ring", &BTreeMap::from(parameters)).unwrap()
}

/// Runs a workload on the ring to its end; the ends of the ranks besides.
fn run(workload: &Workload, routing: &str) -> Result<(Replay, Vec<Option<u64>>), RunError> {
    let (replayed, ends, _) = run_until(workload, routing, ReplayLimits::NONE)?;
    Ok((replayed, ends))
}

/// A run on the ring, with the ends of the ranks and the packets each received.
type Ran = (Replay, Vec<Option<u64>>, Vec<u64>);

fn run_until(workload: &Workload, routing: &str, limits: ReplayLimits) -> Result<Ran, RunError> {
    let fabric = ring();
    let routing = route(&fabric, routing, &BTreeMap::new()).unwrap();
    let routes = routing.routes.to_source_routes(&fabric);
    let routes = ListedRoutes::new(&fabric, routes).unwrap();
    let Hardware::Wormhole(hardware) = Hardware::preset("myrinet").unwrap() else {
        unreachable!("myrinet is wormhole hardware")
    };
    let (model, _) = hardware.wormhole_on(&fabric).unwrap();
    let mut engine = Engine::new(&fabric, &routes, &model, workload).unwrap();
    let replayed = replay(&mut engine, limits, &mut |_| ControlFlow::Continue(()))?;
    let execution = engine.execution().unwrap();
    Ok((
        replayed,
        (0..4).map(|rank| execution.finish_cycle(rank)).collect(),
        execution.received_packets().to_vec(),
    ))
}

fn program(tasks: impl Into<Tasks>) -> Workload {
    let messaging = Messaging::new(&MessagingParameters::default(), 6.25).unwrap();
    let hosts: Vec<HostId> = (0..4).map(HostId::from_index).collect();
    Workload::Program(Program::new(tasks, messaging, &hosts, 4).unwrap())
}

fn tasks_of(operation: Collective) -> Tasks {
    let trace = Trace::of_collectives(4, &[operation]);
    Tasks::of_trace(trace, &Region::default(), Algorithms::default()).unwrap()
}

fn collective(operation: Collective) -> Workload {
    program(tasks_of(operation))
}

fn single(works: &[(u32, Work)]) -> Workload {
    let mut graph = TaskGraph::new(4);
    for &(rank, work) in works {
        graph.add(rank, Task::new(work, 0), &[]).unwrap();
    }
    program(graph)
}

#[test]
fn a_barrier_takes_two_rounds_of_packets() {
    let (replayed, ends) = run(&collective(Collective::Barrier), "updown").unwrap();
    assert_eq!(replayed.end, ReplayEnd::Finished);
    assert_eq!((replayed.delivered_packets, replayed.payload_bytes), (8, 0));
    let last = ends.iter().flatten().max().unwrap();
    // To the neighbour: two switches of 24 cycles, three channels of 8, five flits; two switches
    // away, a switch, a channel and a flit more. Shared channels can only add to that.
    let near = 2 * 24 + 3 * 8 + 4;
    assert!(*last >= 2 * near && *last < 4 * near, "{last}");
}

#[test]
fn computing_takes_no_events() {
    let compute = Work::Compute { ns: 6.25e12 };
    let (replayed, ends) = run(&single(&[(0, compute)]), "updown").unwrap();
    assert_eq!(replayed.end, ReplayEnd::Finished);
    assert_eq!(ends, [Some(1_000_000_000_000), Some(0), Some(0), Some(0)]);
}

#[test]
fn a_receive_without_a_message_blocks_the_program() {
    let receive = Work::Receive {
        from: Some(1),
        tag: None,
    };
    let (replayed, ends) = run(&single(&[(2, receive)]), "updown").unwrap();
    assert_eq!(replayed.end, ReplayEnd::Blocked);
    assert_eq!(ends, [Some(0), Some(0), None, Some(0)]);
}

#[test]
fn packets_that_wait_for_each_other_end_it() {
    let exchange = Collective::AllToAll { bytes: 200_000 };
    let (replayed, _) = run(&collective(exchange.clone()), "minimal").unwrap();
    assert!(
        matches!(replayed.end, ReplayEnd::Deadlocked(_)),
        "{:?}",
        replayed.end
    );
    let (replayed, _) = run(&collective(exchange), "updown").unwrap();
    assert_eq!(replayed.end, ReplayEnd::Finished);
}

#[test]
fn a_run_is_ended_after_so_much_work_and_tells_how_far_ranks_were_after_half_of_it() {
    let exchange = || tasks_of(Collective::AllToAll { bytes: 20_000 }).repeated(16);
    let packet_bytes = MessagingParameters::default().packet_bytes;
    let all = exchange().packet_count(packet_bytes);
    let limited = |most_work| {
        let limits = ReplayLimits {
            most_work,
            ..ReplayLimits::NONE
        };
        run_until(&program(exchange()), "updown", limits).unwrap()
    };

    let (whole, ends, received) = limited(u64::MAX);
    assert_eq!((whole.end, whole.halfway), (ReplayEnd::Finished, None));
    assert_eq!(
        received.iter().sum::<u64>(),
        all,
        "none of a rank to itself"
    );
    // Every rank receives three messages of each exchange, of 20 each, and no event is less than one.
    assert!(whole.work > 20 * 16 * 12 + whole.delivered_packets);

    let (enough, same_ends, _) = limited(whole.work);
    assert_eq!((enough.end, same_ends), (ReplayEnd::Finished, ends));

    let (half, ends, received) = limited(whole.work / 2);
    assert_eq!((half.end, ends), (ReplayEnd::Stopped, vec![None; 4]));
    assert!(half.work >= whole.work / 2 && half.work < whole.work);
    let halfway = half.halfway.unwrap();
    let sums = [&halfway.received_packets, &received].map(|each| each.iter().sum::<u64>());
    assert!(
        0 < sums[0] && sums[0] < sums[1] && sums[1] < all,
        "{sums:?} of {all}"
    );
}

#[test]
fn what_is_no_program_has_no_end() {
    let list = Workload::Listed(PacketList::new(4, &[]).unwrap());
    assert_eq!(run(&list, "updown").unwrap_err(), RunError::NoProgram);
}
