//! Cut-through networks in which parts fail and tables change, worked out by hand.

use crate::support::fixtures::{Collector, cut_through_model, listed};
use weft_engine::Simulator;
use weft_engine::cut_through::{Engine, EngineError};
use weft_fabric::{Fabric, HostId, LinkId, PortNumber, SwitchId, generate};
use weft_model::changes::{Change, Changes, Retries};
use weft_model::cut_through::FlowControl;
use weft_model::workload::{Packet, PacketList, Workload};
use weft_model::{ChannelTiming, ChannelTimings, LossCause};
use weft_routing::{
    AnyRoutes, CheckedRoutes, ForwardingTables, Lane, PairGranularity, Routes, algorithms,
};

const FLIGHT: u32 = 10;
const ROUTING_DELAY: u32 = 20;

fn timings() -> ChannelTimings {
    ChannelTimings::Alike(ChannelTiming {
        cycles_per_flit: 1,
        flight_cycles: FLIGHT,
    })
}

/// Packets of one length from host 0 to host 1, each generated in a cycle.
fn packets_at(fabric: &Fabric, cycles: &[u64], payload_bytes: u32) -> Workload {
    let packet = |&generation_cycle: &u64| {
        let packet = Packet {
            generation_cycle,
            destination: HostId::new(1),
            payload_bytes,
            is_control: false,
            is_urgent: false,
            queue_pair: 0,
        };
        (HostId::new(0), packet)
    };
    let packets: Vec<_> = cycles.iter().map(packet).collect();
    Workload::Listed(PacketList::new(fabric.host_count(), &packets).unwrap())
}

fn tables(fabric: &Fabric, spec: &str) -> CheckedRoutes<Routes> {
    let routes = algorithms::route_spec(fabric, spec).unwrap().routes;
    CheckedRoutes::new(fabric, routes).unwrap()
}

/// The link between the two switches of a line.
fn middle(fabric: &Fabric) -> LinkId {
    let hop = fabric.hops(SwitchId::new(0))[0];
    hop.channel.link()
}

fn run(
    fabric: &Fabric,
    routes: &CheckedRoutes<Routes>,
    others: &[Routes],
    changes: &Changes,
    workload: &Workload,
) -> Collector {
    let model = cut_through_model(2, 100, 100, ROUTING_DELAY);
    let timings = timings();
    let hardware = (&model, &timings);
    let mut engine =
        Engine::with_changes(fabric, routes, others, changes, hardware, workload).unwrap();
    let mut collector = Collector::default();
    engine.advance(10_000, &mut collector);
    assert_eq!(engine.counters().packets_alive, 0);
    collector
}

/// Cycles from generation to delivery of 32 flits over two switches: each takes the routing delay and a
/// flit's time in its output buffer, each of three channels its flight, and the last flit is 31 behind.
const IDLE: u64 = 2 * (20 + 1) + 3 * 10 + 31;

/// The first flit leaves the first switch so long after generation: a flight, the switch.
const LEAVES_FIRST_SWITCH: u64 = 10 + 21;

#[test]
fn a_link_breaks_what_is_on_it_swallows_what_comes_and_lets_pass_what_begins_after_its_return() {
    let fabric = generate::mesh(2, 1, 1).unwrap();
    let routes = tables(&fabric, "updown:per=host");
    let link = middle(&fabric);
    // Each packet begins to leave the first switch 31 cycles after it was generated, for 32 cycles, and its last
    // flit is across 10 cycles later.
    let generated = [0, 100, 200, 300];
    let workload = packets_at(&fabric, &generated, 32);
    let last_across = LEAVES_FIRST_SWITCH + 31 + u64::from(FLIGHT);
    let returns = (200 + LEAVES_FIRST_SWITCH, Change::LinkReturns(link));
    for (fails_at, broken) in [
        // While the last flit of the first packet arrives, and in the next cycle.
        (last_across, vec![0]),
        (last_across + 1, vec![]),
        // Before its first flit leaves, and when it does: it is swallowed.
        (LEAVES_FIRST_SWITCH, vec![]),
        (LEAVES_FIRST_SWITCH + 1, vec![0]),
    ] {
        let changes = Changes::new(vec![(fails_at, Change::LinkFails(link)), returns], None);
        let found = run(&fabric, &routes, &[], &changes, &workload);
        let lost = |sequence: u64| {
            let mut of_it = found.lost.iter().filter(|lost| lost.sequence == sequence);
            of_it.next().map(|lost| (lost.cycle, lost.cause))
        };
        let swallowed = |n: u64| Some((100 * n + last_across, LossCause::Failure));
        let first = if broken.contains(&0) {
            // It is lost where it would have been delivered.
            Some((IDLE, LossCause::Failure))
        } else if fails_at <= LEAVES_FIRST_SWITCH {
            swallowed(0)
        } else {
            None
        };
        assert_eq!(lost(0), first, "fails at {fails_at}");
        assert_eq!(lost(1), swallowed(1), "fails at {fails_at}");
        // The third begins in the cycle in which the link returns.
        assert_eq!([lost(2), lost(3)], [None, None], "fails at {fails_at}");
        for record in &found.delivered {
            assert_eq!(record.delivery_cycle - record.generation_cycle, IDLE);
        }
        assert_eq!(found.delivered.len() + found.lost.len(), 4);
    }
}

#[test]
fn a_switch_that_fails_takes_all_its_channels_along_those_of_hosts_too() {
    let fabric = generate::mesh(2, 1, 1).unwrap();
    let routes = tables(&fabric, "updown:per=host");
    let workload = packets_at(&fabric, &[0, 500], 32);
    // The first packet is inside the second switch then: its head has arrived, and it is on two channels.
    let fails_at = LEAVES_FIRST_SWITCH + 10 + 5;
    let second = SwitchId::new(1);
    let mut changes = vec![(fails_at, Change::SwitchFails(second))];
    let found = run(
        &fabric,
        &routes,
        &[],
        &Changes::new(changes.clone(), None),
        &workload,
    );
    let lost: Vec<_> = found
        .lost
        .iter()
        .map(|lost| (lost.sequence, lost.cycle))
        .collect();
    // The last flit of the first would have arrived at its host; the second is swallowed on the first channel
    // that is down.
    let swallowed = 500 + LEAVES_FIRST_SWITCH + 31 + 10;
    assert_eq!(lost, [(0, IDLE), (1, swallowed)]);
    // It returns, but the link has failed meanwhile.
    changes.push((300, Change::LinkFails(middle(&fabric))));
    changes.push((400, Change::SwitchReturns(second)));
    let found = run(
        &fabric,
        &routes,
        &[],
        &Changes::new(changes, None),
        &workload,
    );
    assert_eq!((found.lost.len(), found.delivered.len()), (2, 0));
}

#[test]
fn a_source_sends_again_when_its_timer_ends_or_when_the_packet_is_lost_if_that_is_later() {
    let fabric = generate::mesh(2, 1, 1).unwrap();
    let routes = tables(&fabric, "updown:per=host");
    let link = middle(&fabric);
    let workload = packets_at(&fabric, &[0], 32);
    let across = LEAVES_FIRST_SWITCH + 31 + u64::from(FLIGHT);
    for (timeout_cycles, period) in [(500, 500), (1, across + 1)] {
        let changes = vec![
            (0, Change::LinkFails(link)),
            (2 * period, Change::LinkReturns(link)),
        ];
        for (count, arrives) in [(1, false), (2, true)] {
            let retries = Retries {
                timeout_cycles,
                count,
            };
            let changes = Changes::new(changes.clone(), Some(retries));
            let found = run(&fabric, &routes, &[], &changes, &workload);
            let cycles: Vec<u64> = found.lost.iter().map(|lost| lost.cycle).collect();
            assert_eq!(cycles, [across, period + across], "{timeout_cycles} cycles");
            let delivered: Vec<_> = found
                .delivered
                .iter()
                .map(|record| {
                    [
                        record.generation_cycle,
                        record.injection_cycle,
                        record.delivery_cycle,
                    ]
                })
                .collect();
            let third = [0, 2 * period, 2 * period + IDLE];
            assert_eq!(delivered, if arrives { vec![third] } else { vec![] });
        }
    }
}

#[test]
fn packets_without_an_entry_are_lost_when_they_ask_and_entries_count_when_packets_ask() {
    let fabric = generate::mesh(2, 1, 1).unwrap();
    let routes = tables(&fabric, "min_hop");
    let AnyRoutes::Fixed(Routes::Tables(first)) = routes.routes() else {
        panic!("these are tables")
    };
    let mut cleared: ForwardingTables = first.clone();
    let address = first.address(0, 1).unwrap();
    cleared.set_next_port(SwitchId::new(0), address, PortNumber::new(0));
    let workload = packets_at(&fabric, &[0, 100, 200], 32);
    // Heads arrive at the first switch, and ask, a flight after they were generated.
    let cleared_at = 100 + u64::from(FLIGHT);
    let changes = Changes::new(
        vec![
            (cleared_at, Change::SwitchTables(SwitchId::new(0), 1)),
            (cleared_at + 1, Change::SwitchTables(SwitchId::new(0), 0)),
        ],
        None,
    );
    let found = run(&fabric, &routes, &[cleared.into()], &changes, &workload);
    let lost: Vec<_> = found
        .lost
        .iter()
        .map(|lost| (lost.sequence, lost.cycle, lost.cause))
        .collect();
    assert_eq!(lost, [(1, cleared_at, LossCause::NoEntry)]);
    let delivered: Vec<u64> = found
        .delivered
        .iter()
        .map(|record| record.delivery_cycle)
        .collect();
    assert_eq!(delivered, [IDLE, 200 + IDLE]);
}

#[test]
fn single_entries_count_from_the_cycle_on_until_the_switch_has_other_tables() {
    let fabric = generate::mesh(2, 1, 1).unwrap();
    let routes = tables(&fabric, "min_hop");
    let AnyRoutes::Fixed(Routes::Tables(first)) = routes.routes() else {
        panic!("these are tables")
    };
    let others = [first.clone().into()];
    let address = u32::try_from(first.address(0, 1).unwrap()).unwrap();
    let here = SwitchId::new(0);
    let port = first.next_port(here, address as usize).unwrap();
    let writes = |cycle, number| {
        (
            cycle,
            Change::SwitchEntry(here, address, PortNumber::new(number)),
        )
    };
    let workload = packets_at(&fabric, &[0, 100, 200, 300, 400, 500], 32);
    let asks = |sequence: u64| 100 * sequence + u64::from(FLIGHT);
    let changes = Changes::new(
        vec![
            // The second packet finds none; the third one that was set again in that cycle; the fourth a port
            // that nothing is plugged into; the fifth tables that are new.
            writes(asks(1), 0),
            writes(asks(2), port.number()),
            writes(asks(3) - 1, 200),
            (asks(4), Change::SwitchTables(here, 1)),
        ],
        None,
    );
    let found = run(&fabric, &routes, &others, &changes, &workload);
    let lost: Vec<_> = found
        .lost
        .iter()
        .map(|lost| (lost.sequence, lost.cycle, lost.cause))
        .collect();
    assert_eq!(
        lost,
        [
            (1, asks(1), LossCause::NoEntry),
            (3, asks(3), LossCause::NoEntry)
        ]
    );
    assert_eq!(found.delivered.len(), 4);
    // Without other tables, too.
    let changes = Changes::new(vec![writes(asks(5), 0)], None);
    let found = run(&fabric, &routes, &[], &changes, &workload);
    assert_eq!((found.lost.len(), found.delivered.len()), (1, 5));
}

/// Tables around a ring of switches: always in one sense but for one link, so that they are
/// free of deadlock; the link that nobody takes is the one before switch `start`.
fn around(fabric: &Fabric, start: usize) -> Routes {
    let count = fabric.switch_count();
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    let place = |switch: usize| (switch + count - start) % count;
    for here in 0..count {
        for host in fabric.host_ids() {
            let to = fabric.host_switch(host).index();
            if to == here {
                continue;
            }
            let next = if place(to) > place(here) {
                (here + 1) % count
            } else {
                (here + count - 1) % count
            };
            let hops = fabric.hops(SwitchId::from_index(here));
            let hop = hops.iter().find(|hop| hop.switch.index() == next).unwrap();
            tables.set_next_port(SwitchId::from_index(here), host.index(), hop.port);
        }
    }
    tables.into()
}

#[test]
fn two_tables_free_of_deadlock_may_deadlock_when_they_take_each_others_place() {
    // Along a line from switch 0, then from switch 2: each for itself leaves a link of the ring out, but what half
    // of the switches have of one and half of the other leads around.
    // Of two hosts at a switch the second waits before what comes from the next switch does.
    let fabric = generate::ring(4, 2).unwrap();
    let (old, new) = (around(&fabric, 0), around(&fabric, 2));
    let checked = CheckedRoutes::new(&fabric, &old).unwrap();
    let packets: Vec<(usize, usize)> = (0..400).map(|n| (n % 8, (n + 4) % 8)).collect();
    let workload = listed(&fabric, &packets, 32);
    let mut model = cut_through_model(1, 32, 32, ROUTING_DELAY);
    model.flow_control = FlowControl::Credits;
    let timings = timings();
    let others = [new];
    let cycle_of = |changes: Vec<(u64, Change)>| {
        let changes = Changes::new(changes, None);
        let hardware = (&model, &timings);
        let engine =
            Engine::with_changes(&fabric, &checked, &others, &changes, hardware, &workload);
        let mut engine = engine.unwrap();
        let mut collector = Collector::default();
        engine.advance(1_000_000, &mut collector);
        let cycle = engine.waiting_cycle();
        assert_eq!(cycle.is_none(), collector.delivered.len() == packets.len());
        cycle
    };
    assert_eq!(cycle_of(vec![]), None);
    let all_at = |cycle: u64| {
        let switches = fabric.switch_ids();
        switches.map(move |switch| (cycle, Change::SwitchTables(switch, 1)))
    };
    assert_eq!(cycle_of(all_at(0).collect()), None);
    // Switches 2 and 3 first: from then on everybody sends on in the same sense, all around.
    let is_first = |&(_, change): &(u64, Change)| matches!(change, Change::SwitchTables(switch, _) if switch.index() >= 2);
    let (mut first, second): (Vec<_>, Vec<_>) = all_at(0).partition(is_first);
    first.extend(second.iter().map(|&(_, change)| (100_000, change)));
    let cycle = cycle_of(first).expect("old and new wait for one another");
    assert_eq!(cycle.len(), 4, "{cycle:?}");
    assert!(cycle.iter().all(|packet| packet.holds_lane == Lane::ZERO));
}

#[test]
fn what_cannot_change_is_refused() {
    let fabric = generate::ring(4, 1).unwrap();
    let routes = CheckedRoutes::new(&fabric, around(&fabric, 0)).unwrap();
    let workload = listed(&fabric, &[(0, 1)], 32);
    let timings = timings();
    let refusal = |change: Change| -> EngineError {
        let model = cut_through_model(1, 100, 100, ROUTING_DELAY);
        let changes = Changes::new(vec![(7, change)], None);
        let hardware = (&model, &timings);
        Engine::with_changes(&fabric, &routes, &[], &changes, hardware, &workload).unwrap_err()
    };
    let text = refusal(Change::LinkFails(LinkId::new(8))).to_string();
    assert_eq!(
        text,
        "change 1 (cycle 7) names 8, but there are 8 links, from 0 on"
    );
    let tables = Change::SwitchTables(SwitchId::new(3), 1);
    let text = refusal(tables).to_string();
    assert_eq!(
        text,
        "change 1 (cycle 7) names 1, but there are 1 tables, from 0 on"
    );
}
