//! Outputs claimed ahead of time: what they save, when they count, and that nobody can tell otherwise.

use crate::support::fixtures::Collector;
use weft_engine::Simulator;
use weft_engine::wormhole::{Engine, ListedRoutes};
use weft_fabric::Fabric;
use weft_testing::by_hand::{self, Listed, MYRINET, times};

/// Cycles from a head's arrival at a switch to the next: the routing delay and the flight.
const A_SWITCH: u64 = 24 + 8;

/// So many switches in a line, host 0 at the first, host 1 at the last, one more host at each of others.
fn line(switches: u32, others: &[u32]) -> Fabric {
    let links: Vec<[u32; 2]> = (1..switches).map(|next| [next - 1, next]).collect();
    by_hand::fabric(&[&[0, switches - 1], others].concat(), &links)
}

/// Lets an engine simulate packets, and asks it from cycle to cycle.
fn simulate(fabric: &Fabric, packets: &[Listed], until: u64, mut ask: impl FnMut(&Engine<'_>)) {
    let routing = by_hand::routing(fabric, &[]);
    let routes = ListedRoutes::new(fabric, &routing).unwrap();
    let workload = by_hand::workload(fabric, packets);
    let mut engine = Engine::new(fabric, &routes, &MYRINET, &workload).unwrap();
    for cycle in 1..=until {
        engine.advance(cycle, &mut Collector::default());
        ask(&engine);
    }
}

#[test]
fn a_packet_that_meets_nobody_takes_no_more_events_over_more_switches() {
    let events = |switches| {
        let mut events = 0;
        let packets = [(0, 1, 5, 100)];
        simulate(&line(switches, &[]), &packets, 2_000, |engine| {
            events = engine.counters().events;
        });
        events
    };
    assert_eq!(events(2), events(30));
}

#[test]
fn a_channel_counts_as_taken_from_the_cycle_on_in_which_the_head_asks_for_it() {
    let switches = 20;
    let mut cycle = 0;
    simulate(&line(switches, &[]), &[(0, 1, 0, 100)], 1_000, |engine| {
        // The head leaves the host in cycle 0 and is at the first switch after a flight of 8.
        let asked = u64::from(switches).min((cycle + A_SWITCH - 8) / A_SWITCH);
        assert_eq!(
            engine.work_done().packet_hops,
            1 + asked,
            "in cycle {cycle}"
        );
        cycle += 1;
    });
}

/// Another packet asks for an output on the way of the first one, or for one behind it, before, while and
/// after the head of the first comes there.
#[test]
fn who_comes_before_takes_what_was_claimed() {
    let (switches, until) = (8, 2_500);
    for (crossing, destination) in [(3, 1), (7, 1), (5, 4)] {
        let fabric = line(switches, &[crossing, 6, 7]);
        let routing = by_hand::routing(&fabric, &[]);
        let routes = ListedRoutes::new(&fabric, &routing).unwrap();
        for start in 0..50 + (u64::from(switches) + 1) * A_SWITCH {
            for payload in [1, 400] {
                let packets = [
                    (0, 1, 50, 512),
                    (2, destination, start, payload),
                    (2, 1, start + 100, payload),
                ];
                let workload = by_hand::workload(&fabric, &packets);
                let mut engine = Engine::new(&fabric, &routes, &MYRINET, &workload).unwrap();
                let mut found = Collector::default();
                engine.advance(until, &mut found);
                let expected = by_hand::run(&fabric, &routing, &MYRINET, &packets, until);
                let [found, expected] = [&found.delivered, &expected].map(|all| {
                    let mut times = times(all);
                    times.sort_unstable();
                    times
                });
                assert_eq!(expected.len(), packets.len());
                assert_eq!(found, expected, "{packets:?} from switch {crossing}");
            }
        }
    }
}
