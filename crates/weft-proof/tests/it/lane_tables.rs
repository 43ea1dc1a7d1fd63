//! Tables by which switches choose lanes, through the proof: a ring that one row keeps from
//! deadlock, and what becomes of it when that row is damaged.

use super::proved::{assert_proved, cycle_of, dead_end_of, unreached_of};
use weft_fabric::{ChannelId, Fabric, SwitchId};
use weft_proof::{Dependency, verify};
use weft_routing::{
    DeadEnd, ForwardingTables, Lane, LaneKey, LaneRow, LaneTables, PairGranularity, Routes,
};
use weft_testing::{port_to, ring_of};

/// The channel from a switch to the next of the ring.
fn onward(fabric: &Fabric, from: usize) -> ChannelId {
    let port = port_to(fabric, from, (from + 1) % fabric.switch_count());
    fabric
        .outgoing_at(SwitchId::from_index(from), port)
        .unwrap()
}

/// Tables over a ring: the next switch to every destination, by where the packet is.
fn tables(fabric: &Fabric, next: impl Fn(usize, usize) -> usize) -> ForwardingTables {
    let count = fabric.switch_count();
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    for here in 0..count {
        for to in (0..count).filter(|&to| to != here) {
            let port = port_to(fabric, here, next(here, to));
            tables.set_next_port(SwitchId::from_index(here), to, port);
        }
    }
    tables
}

/// All one way around.
fn clockwise(fabric: &Fabric) -> ForwardingTables {
    let count = fabric.switch_count();
    tables(fabric, |here, _| (here + 1) % count)
}

/// The lanes for the first two service levels or incoming lanes.
fn row(lanes: [Option<u8>; 2]) -> LaneRow {
    let mut row = [None; LaneTables::KEYS];
    for (entry, lane) in row.iter_mut().zip(lanes) {
        *entry = lane.map(Lane::new);
    }
    row
}

/// Sets the row of packets that go on around the ring through a switch.
fn set_passing(lanes: &mut LaneTables, fabric: &Fabric, switch: usize, row: LaneRow) {
    let count = fabric.switch_count();
    let neighbours = [(switch + count - 1) % count, (switch + 1) % count];
    let ports = neighbours.map(|neighbour| port_to(fabric, switch, neighbour));
    lanes.set(fabric, SwitchId::from_index(switch), ports, row);
}

/// Clockwise routes whose packets move from lane 0 to lane 1 where they pass the dateline.
fn with_dateline(fabric: &Fabric, dateline: usize) -> (ForwardingTables, LaneTables) {
    let mut lanes = LaneTables::new(fabric, LaneKey::IncomingLane);
    set_passing(&mut lanes, fabric, dateline, row([Some(1), Some(1)]));
    (clockwise(fabric), lanes)
}

fn routes(tables: &ForwardingTables, lanes: &LaneTables) -> Routes {
    let mut tables = tables.clone();
    tables.set_lane_tables(lanes.clone());
    tables.into()
}

/// The dependencies of the cycle that is found.
fn cycle(fabric: &Fabric, routes: &Routes) -> Vec<Dependency> {
    let proof = verify(fabric, routes).unwrap();
    cycle_of(fabric, &proof).dependencies.clone()
}

/// The channels and lanes held in a cycle, in order of the channels.
fn held(dependencies: &[Dependency]) -> Vec<(ChannelId, u8)> {
    let held = dependencies.iter();
    let mut held: Vec<_> = held
        .map(|step| (step.held, step.held_lane.number()))
        .collect();
    held.sort_unstable();
    held
}

#[test]
fn a_dateline_keeps_a_ring_from_deadlock_wherever_it_lies() {
    for switches in [3, 4, 5, 8] {
        let fabric = ring_of(switches);
        for dateline in 0..switches {
            let (tables, lanes) = with_dateline(&fabric, dateline);
            assert_proved(&fabric, &routes(&tables, &lanes));
        }
    }
}

#[test]
fn a_ring_whose_dateline_is_forgotten_deadlocks_on_lane_0() {
    for switches in [3, 4, 5, 8] {
        let fabric = ring_of(switches);
        let (tables, mut lanes) = with_dateline(&fabric, 1);
        set_passing(&mut lanes, &fabric, 1, row([Some(0), Some(1)]));
        let found = cycle(&fabric, &routes(&tables, &lanes));
        let mut expected: Vec<_> = (0..switches).map(|s| (onward(&fabric, s), 0)).collect();
        expected.sort_unstable();
        assert_eq!(held(&found), expected);
    }
}

#[test]
fn a_row_that_leads_back_to_lane_0_behind_the_dateline_deadlocks() {
    let fabric = ring_of(5);
    let (tables, mut lanes) = with_dateline(&fabric, 1);
    // From switch 1 on lane 1, from switch 2 on lane 0 again.
    set_passing(&mut lanes, &fabric, 2, row([Some(0), Some(0)]));
    let found = cycle(&fabric, &routes(&tables, &lanes));
    let lane_of = |switch: usize| u8::from(switch == 1);
    let mut expected: Vec<_> = (0..5).map(|s| (onward(&fabric, s), lane_of(s))).collect();
    expected.sort_unstable();
    assert_eq!(held(&found), expected);
    let next = found.iter().cycle().skip(1);
    for (step, next) in found.iter().zip(next) {
        assert_eq!(
            (step.wanted, step.wanted_lane),
            (next.held, next.held_lane),
            "the steps are a circle"
        );
    }
}

#[test]
fn a_row_without_a_lane_leaves_pairs_unreached() {
    let fabric = ring_of(4);
    let (tables, mut lanes) = with_dateline(&fabric, 1);
    set_passing(&mut lanes, &fabric, 1, row([None, Some(1)]));
    let proof = verify(&fabric, &routes(&tables, &lanes)).unwrap();
    let pairs = unreached_of(&fabric, &proof);
    // All that pass switch 1: to 2 and 3 from 0, to 2 from 3, and none else: of 3's packets those to
    // 0 and 1 end before.
    let ends: Vec<_> = pairs
        .iter()
        .map(|pair| (pair.source.index(), pair.destination.index()))
        .collect();
    assert_eq!(ends, [(0, 2), (0, 3), (3, 2)]);
    for pair in pairs {
        assert_eq!(dead_end_of(pair), (1, DeadEnd::NoLane { service_level: 0 }));
    }
}

/// Shortest ways around a ring of five, both ways; pairs that cross the link from 4 to 0 have service
/// level 1.
fn shortest(fabric: &Fabric) -> ForwardingTables {
    let is_clockwise = |here: usize, to: usize| (to + 5 - here) % 5 <= 2;
    let mut tables = tables(fabric, |here, to| {
        if is_clockwise(here, to) {
            (here + 1) % 5
        } else {
            (here + 4) % 5
        }
    });
    let crosses = |from: usize, to: usize| {
        from != to
            && if is_clockwise(from, to) {
                to < from
            } else {
                to > from
            }
    };
    let pairs = (0..5).flat_map(|from| (0..5).map(move |to| (from, to)));
    let levels = pairs.map(|(from, to)| Lane::new(u8::from(crosses(from, to))));
    tables.set_lanes(levels.collect());
    tables
}

#[test]
fn service_levels_keep_a_ring_from_deadlock_as_long_as_they_have_lanes_of_their_own() {
    let fabric = ring_of(5);
    let tables = shortest(&fabric);
    let levels = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    assert_proved(&fabric, &routes(&tables, &levels));
    // Which lane is whose does not matter.
    let mut swapped = levels.clone();
    let exchanged = row([Some(1), Some(0)]);
    swapped.set_host(exchanged);
    for switch in fabric.switch_ids() {
        swapped.set_switch(switch, exchanged);
    }
    assert_proved(&fabric, &routes(&tables, &swapped));
    // One lane for both is a ring of shortest ways.
    let mut flat = levels.clone();
    let same = row([Some(0), Some(0)]);
    flat.set_host(same);
    for switch in fabric.switch_ids() {
        flat.set_switch(switch, same);
    }
    let found = held(&cycle(&fabric, &routes(&tables, &flat)));
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|&(_, lane)| lane == 0));
    // Clockwise it is enough that switch 0 or 3 tells them apart, the other way that 1 or 4 does: their
    // channels are those that both levels use, one to start and one to end.
    let parted_at = |switches: &[usize]| {
        let mut parted = flat.clone();
        for &switch in switches {
            let apart = row([Some(0), Some(1)]);
            parted.set_switch(SwitchId::from_index(switch), apart);
        }
        let routes = routes(&tables, &parted);
        verify(&fabric, &routes).unwrap().is_deadlock_free()
    };
    for switch in 0..5 {
        assert!(!parted_at(&[switch]), "switch {switch}");
    }
    for switches in [[0, 1], [0, 4], [3, 1], [3, 4]] {
        assert!(parted_at(&switches), "switches {switches:?}");
    }
    for switches in [[0, 3], [1, 4], [2, 0]] {
        assert!(!parted_at(&switches), "switches {switches:?}");
    }
}
