//! Wormhole networks in which parts fail and hosts get other routes, worked out by hand: a flight of 8 cycles,
//! 24 cycles at a switch, five flits beside the payload of a packet over two switches.

use crate::support::fixtures::Collector;
use weft_engine::Simulator;
use weft_engine::wormhole::{Engine, EngineError, ListedRoutes};
use weft_fabric::{Fabric, HostId, LinkId, SwitchId, generate};
use weft_model::changes::{Change, Changes, Retries};
use weft_model::{ChannelTiming, ChannelTimings, LossCause, LossRecord, WormholeModel};
use weft_routing::{MappedRoutes, PairGranularity, RouteRow, SourceRoutes};
use weft_testing::by_hand::{self, Listed, MYRINET, times};

const UNTIL: u64 = 5_000;

/// What is delivered and lost; the engine and the oracle must say the same.
fn run(
    fabric: &Fabric,
    routing: &SourceRoutes,
    others: &[MappedRoutes],
    changes: &Changes,
    packets: &[Listed],
) -> Collector {
    run_on(&MYRINET, fabric, routing, others, changes, packets)
}

/// The same on other hardware.
fn run_on(
    model: &WormholeModel,
    fabric: &Fabric,
    routing: &SourceRoutes,
    others: &[MappedRoutes],
    changes: &Changes,
    packets: &[Listed],
) -> Collector {
    let workload = by_hand::workload(fabric, packets);
    let routes = ListedRoutes::new(fabric, routing).unwrap();
    let mut engine =
        Engine::with_changes(fabric, &routes, others, changes, model, &workload).unwrap();
    let mut found = Collector::default();
    engine.advance(UNTIL, &mut found);
    assert_eq!(engine.counters().packets_alive, 0);
    let mut oracle =
        weft_oracle::Oracle::with_changes(fabric, routing, others, changes, model, &workload)
            .unwrap();
    let mut delivered = Vec::new();
    oracle.advance(UNTIL, &mut delivered);
    assert_eq!(
        (&found.delivered, &found.lost),
        (&delivered, &oracle.take_losses())
    );
    found
}

fn losses(lost: &[LossRecord]) -> Vec<(u32, u64, u64, LossCause)> {
    let told = |lost: &LossRecord| (lost.source.number(), lost.sequence, lost.cycle, lost.cause);
    lost.iter().map(told).collect()
}

/// Two switches, a host at each.
fn line() -> (Fabric, SourceRoutes, LinkId) {
    let fabric = by_hand::fabric(&[0, 1], &[[0, 1]]);
    let routing = by_hand::routing(&fabric, &[]);
    let middle = fabric.hops(SwitchId::new(0))[0].channel.link();
    (fabric, routing, middle)
}

#[test]
fn what_holds_a_channel_is_broken_and_what_asks_for_it_is_discarded() {
    let (fabric, routing, middle) = line();
    // 105 flits: the head asks at 8, 104 flits leave the first switch from 32 to 135, 103 the second from 64
    // to 166, the last of which arrives at 174.
    let packets = [(0, 1, 0, 100), (0, 1, 1_000, 100), (0, 1, 2_000, 100)];
    let returns = (2_008, Change::LinkReturns(middle));
    let discarded = |cycle| Some((cycle, LossCause::Failure));
    for (fails_at, first) in [
        (8, discarded(8)),
        (9, discarded(174)),
        (135, discarded(174)),
        (136, None),
    ] {
        let changes = Changes::new(vec![(fails_at, Change::LinkFails(middle)), returns], None);
        let found = run(&fabric, &routing, &[], &changes, &packets);
        let lost = losses(&found.lost);
        let mut expected: Vec<_> = first
            .map(|(cycle, cause)| (0, 0, cycle, cause))
            .into_iter()
            .collect();
        expected.push((0, 1, 1_008, LossCause::Failure));
        expected.sort_by_key(|&(_, _, cycle, _)| cycle);
        assert_eq!(lost, expected, "fails at {fails_at}");
        // The third asks in the cycle in which the link returns.
        let mut delivered = vec![(0, 2, 2_000, 2_174)];
        if first.is_none() {
            delivered.insert(0, (0, 0, 0, 174));
        }
        assert_eq!(times(&found.delivered), delivered, "fails at {fails_at}");
    }
}

#[test]
fn who_waits_for_what_fails_is_discarded_and_leaves_its_buffer_flit_by_flit() {
    // Two hosts at the first switch, of which the first wins at cycle 8 and holds the link until 135.
    let fabric = by_hand::fabric(&[0, 0, 1], &[[0, 1]]);
    let routing = by_hand::routing(&fabric, &[]);
    let middle = fabric.hops(SwitchId::new(0))[0].channel.link();
    let changes = Changes::new(
        vec![
            (50, Change::LinkFails(middle)),
            (60, Change::LinkReturns(middle)),
        ],
        None,
    );
    let packets = [(0, 2, 0, 100), (1, 2, 0, 100), (1, 2, 1, 100)];
    let found = run(&fabric, &routing, &[], &changes, &packets);
    let expected = [
        (1, 0, 50, LossCause::Failure),
        (0, 0, 174, LossCause::Failure),
    ];
    assert_eq!(losses(&found.lost), expected);
    // The 104 flits behind its head are gone at the end of 153; what comes behind is granted in 154, and takes
    // 166 cycles from there, as it does from cycle 8. It is taken by its NIC when the first has left.
    assert_eq!(times(&found.delivered), [(1, 1, 105, 154 + 166)]);
}

/// A flit takes four cycles and eight of flight, and a switch none: who passes leaves four cycles after its head has
/// arrived, who waits in the cycle of its grant.
#[test]
fn who_asks_while_a_switch_fails_and_returns_waits_like_others() {
    let model = WormholeModel {
        channels: ChannelTimings::Alike(ChannelTiming {
            cycles_per_flit: 4,
            flight_cycles: 8,
        }),
        routing_delay_cycles: 0,
        ..MYRINET
    };
    let fabric = by_hand::fabric(&[0, 1, 0, 0], &[[0, 1]]);
    let routing = by_hand::routing(&fabric, &[]);
    let first = SwitchId::new(0);
    // The first packet has left its buffer from 71 on, and its host sends the second from 61 on, which arrives in 72
    // and is for who receives another until 82.
    let packets = [(0, 1, 0, 10), (3, 2, 20, 9), (0, 2, 61, 10)];
    let changes = [Change::SwitchFails, Change::SwitchReturns];
    let changes = Changes::new(changes.map(|change| (72, change(first))).into(), None);
    let found = run_on(&model, &fabric, &routing, &[], &changes, &packets);
    // 12 flits leave from 35 to 79, and 13 from 83 to 131.
    let broken = [
        (3, 0, 79 + 11, LossCause::Failure),
        (0, 1, 131 + 11, LossCause::Failure),
    ];
    assert_eq!(losses(&found.lost), broken);
}

#[test]
fn a_switch_that_fails_takes_the_links_of_its_hosts_along() {
    let (fabric, routing, middle) = line();
    let second = SwitchId::new(1);
    // The head of the first packet waits 24 cycles in the second switch from 40 on, of which it holds the link
    // to the host.
    let mut changes = vec![(50, Change::SwitchFails(second))];
    let packets = [(0, 1, 0, 100), (0, 1, 1_000, 100), (1, 0, 1_000, 100)];
    let lost = [
        (0, 0, 174, LossCause::Failure),
        (0, 1, 1_008, LossCause::Failure),
    ];
    changes.push((1_500, Change::SwitchReturns(second)));
    let found = run(
        &fabric,
        &routing,
        &[],
        &Changes::new(changes.clone(), None),
        &packets,
    );
    assert_eq!(losses(&found.lost), lost);
    // The host of the switch has waited for it to return.
    assert_eq!(times(&found.delivered), [(1, 0, 1_500, 1_674)]);
    // When it returns, the link has failed.
    changes.push((1_200, Change::LinkFails(middle)));
    let found = run(
        &fabric,
        &routing,
        &[],
        &Changes::new(changes, None),
        &packets,
    );
    let mut lost = lost.to_vec();
    lost.push((1, 0, 1_508, LossCause::Failure));
    assert_eq!(losses(&found.lost), lost);
}

/// Three switches in a line with a host at each; packets from the first to the last stop at the second.
fn with_a_stop() -> (Fabric, SourceRoutes) {
    let fabric = by_hand::fabric(&[0, 1, 2], &[[0, 1], [1, 2]]);
    let routing = by_hand::routing(&fabric, &[((0, 2), &[2, 1, 3])]);
    (fabric, routing)
}

#[test]
fn packets_in_transit_wait_for_the_link_of_their_stop() {
    let (fabric, routing) = with_a_stop();
    let host = HostId::new(1);
    let link = fabric.injection_channel(host).link();
    // Nine flits: the mark arrives at 72, may be sent on from 148; its tail has left the second switch at 70. The
    // NIC sends six from 1,000 on, which take 75 cycles more to their end.
    let packets = [(0, 2, 0, 1), (0, 2, 500, 1)];
    let changes = Changes::new(
        vec![
            (80, Change::LinkFails(link)),
            (1_000, Change::LinkReturns(link)),
        ],
        None,
    );
    let found = run(&fabric, &routing, &[], &changes, &packets);
    assert_eq!(times(&found.delivered), [(0, 0, 0, 1_075)]);
    // The second asks for the link to the stop at 540.
    assert_eq!(losses(&found.lost), [(0, 1, 540, LossCause::Failure)]);
    // While it is sent on, the link fails: it is lost where it would have been delivered.
    let changes = Changes::new(vec![(150, Change::LinkFails(link))], None);
    let found = run(&fabric, &routing, &[], &changes, &packets[..1]);
    assert_eq!(losses(&found.lost), [(0, 0, 148 + 75, LossCause::Failure)]);
}

#[test]
fn a_packet_takes_the_routes_that_its_host_has_when_the_nic_takes_it() {
    let (fabric, stopping) = with_a_stop();
    let straight = by_hand::routing(&fabric, &[]);
    let first = HostId::new(0);
    // The second packet is generated before the change, and taken after the first has left, 105 flits over three
    // switches: by the straight way.
    let packets = [(0, 2, 0, 98), (0, 2, 1, 98)];
    let found_by_all = vec![true; fabric.host_count()];
    let mapped = MappedRoutes::new(straight.clone(), found_by_all);
    let changes = |cycle| Changes::new(vec![(cycle, Change::HostTables(first, 1))], None);
    let stops = |cycle: u64| -> Vec<u16> {
        let others = [mapped.clone()];
        let found = run(&fabric, &stopping, &others, &changes(cycle), &packets);
        let mut delivered = found.delivered;
        delivered.sort_by_key(|record| record.sequence);
        delivered
            .iter()
            .map(|record| record.in_transit_stops)
            .collect()
    };
    // With its stop the first has 106 flits, which leave from 0 to 105.
    assert_eq!(stops(0), [0, 0]);
    assert_eq!(stops(1), [1, 0]);
    assert_eq!(stops(106), [1, 0]);
    assert_eq!(stops(107), [1, 1]);
}

#[test]
fn a_packet_without_a_route_is_lost_when_the_nic_takes_it_and_its_source_asks_again() {
    let (fabric, routing, _) = line();
    let nobody = MappedRoutes::new(routing.clone(), vec![true, false]);
    let host = HostId::new(0);
    let packets = [(0, 1, 100, 100), (0, 1, 100, 100)];
    let gives = |cycle, place| (cycle, Change::HostTables(host, place));
    let changes = vec![gives(0, 1), gives(300, 0)];
    let found = run(
        &fabric,
        &routing,
        std::slice::from_ref(&nobody),
        &Changes::new(changes.clone(), None),
        &packets,
    );
    // One in a cycle.
    let lost = [
        (0, 0, 100, LossCause::NoEntry),
        (0, 1, 101, LossCause::NoEntry),
    ];
    assert_eq!(losses(&found.lost), lost);
    let retries = |count| Retries {
        timeout_cycles: 150,
        count,
    };
    for (count, arrives) in [(1, false), (2, true)] {
        let changes = Changes::new(changes.clone(), Some(retries(count)));
        let others = std::slice::from_ref(&nobody);
        let found = run(&fabric, &routing, others, &changes, &packets);
        let again = [
            (0, 0, 250, LossCause::NoEntry),
            (0, 1, 251, LossCause::NoEntry),
        ];
        assert_eq!(losses(&found.lost), [lost, again].concat());
        // The first holds the link until 535; from its grant the second takes 166 cycles.
        let delivered = [(0, 0, 400, 574), (0, 1, 505, 536 + 166)];
        let expected: &[_] = if arrives { &delivered } else { &[] };
        assert_eq!(times(&found.delivered), expected);
    }
}

#[test]
fn a_source_sends_again_what_failures_took_when_its_timer_ends() {
    let (fabric, routing, middle) = line();
    let changes = vec![
        (0, Change::LinkFails(middle)),
        (700, Change::LinkReturns(middle)),
    ];
    // Each time the head asks 8 cycles after it left; a timer that ends before counts from the loss.
    for (timeout_cycles, period) in [(300, 300), (1, 9)] {
        let tries = 700_u64.div_ceil(period);
        let retries = Retries {
            timeout_cycles,
            count: 1_000,
        };
        let changes = Changes::new(changes.clone(), Some(retries));
        let found = run(&fabric, &routing, &[], &changes, &[(0, 1, 0, 1)]);
        // It may be on its way when the link returns.
        let in_time = |n: u64| n * period + 8 < 700;
        let tries = (0..=tries).filter(|&n| in_time(n)).count() as u64;
        let expected: Vec<_> = (0..tries)
            .map(|n| (0, 0, n * period + 8, LossCause::Failure))
            .collect();
        assert_eq!(losses(&found.lost), expected);
        // Six flits over two switches.
        let left = tries * period;
        assert_eq!(times(&found.delivered), [(0, 0, left, left + 75)]);
    }
}

/// Routes around a ring of four switches with a host each, that leave out the link before switch `start`: free of
/// deadlock.
fn around(fabric: &Fabric, start: u32) -> SourceRoutes {
    let place = |host: HostId| (fabric.host_switch(host).number() + 4 - start) % 4;
    let row = |source: HostId| {
        let mut row = RouteRow::default();
        for destination in fabric.host_ids() {
            let onwards = place(destination) > place(source);
            let mut here = fabric.host_switch(source);
            let mut steps = Vec::new();
            while here != fabric.host_switch(destination) {
                let next = (here.number() + if onwards { 1 } else { 3 }) % 4;
                let hops = fabric.hops(here);
                let hop = hops.iter().find(|hop| hop.switch.number() == next).unwrap();
                steps.push(hop.port);
                here = hop.switch;
            }
            row.push(steps);
        }
        row
    };
    let rows = fabric.host_ids().map(row).collect();
    SourceRoutes::from_rows(PairGranularity::Host, rows)
}

#[test]
fn two_routings_free_of_deadlock_may_deadlock_when_some_hosts_have_each() {
    let fabric = generate::ring(4, 1).unwrap();
    let (old, new) = (around(&fabric, 0), around(&fabric, 2));
    // Each to the host across, two links away, in packets longer than any buffer.
    let packets: Vec<Listed> = (0..4)
        .map(|host| (host, (host + 2) % 4, 0, 1_000))
        .collect();
    let others = [MappedRoutes::new(new, vec![true; 4])];
    let routes = ListedRoutes::new(&fabric, &old).unwrap();
    let workload = by_hand::workload(&fabric, &packets);
    let cycle_of = |hosts: &[u32]| {
        let given = |&host: &u32| (0, Change::HostTables(HostId::new(host), 1));
        let changes = Changes::new(hosts.iter().map(given).collect(), None);
        let engine = Engine::with_changes(&fabric, &routes, &others, &changes, &MYRINET, &workload);
        let mut engine = engine.unwrap();
        let mut found = Collector::default();
        engine.advance(100_000, &mut found);
        let cycle = engine.waiting_cycle();
        assert_eq!(cycle.is_none(), found.delivered.len() == packets.len());
        cycle.map_or(0, |cycle| cycle.len())
    };
    assert_eq!(cycle_of(&[]), 0);
    assert_eq!(cycle_of(&[0, 1, 2, 3]), 0);
    // The first two go onwards as ever, and the others do by the new routes.
    assert_eq!(cycle_of(&[2, 3]), 4);
}

#[test]
fn what_cannot_change_is_refused() {
    let fabric = generate::ring(4, 1).unwrap();
    let routing = by_hand::routing(&fabric, &[]);
    let routes = ListedRoutes::new(&fabric, &routing).unwrap();
    let workload = by_hand::workload(&fabric, &[(0, 1, 0, 1)]);
    let refusal = |change: Change| -> EngineError {
        let changes = Changes::new(vec![(7, change)], None);
        Engine::with_changes(&fabric, &routes, &[], &changes, &MYRINET, &workload).unwrap_err()
    };
    let text = refusal(Change::LinkFails(LinkId::new(8))).to_string();
    assert_eq!(
        text,
        "change 1 (cycle 7) names 8, but there are 8 links, from 0 on"
    );
    let text = refusal(Change::SwitchTables(SwitchId::new(3), 0)).to_string();
    assert_eq!(
        text,
        "a switch is given tables in cycle 7, but packets of wormhole hardware carry their routes; give hosts \
         other routes"
    );
}
