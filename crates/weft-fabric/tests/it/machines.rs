//! Whole machines as their discoveries show them: faults planted are named, and nothing is invented.

use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::metrics::{MissingEnd, Suspicion, levels, suspicions};
use weft_fabric::{Fabric, HostId, Node, PortNumber, ServiceReason, SwitchId};
use weft_testing::machines::{self, Descriptions, Device, Draw, Plug, Room, some};

fn suspected(fabric: &Fabric) -> Vec<Suspicion> {
    suspicions(fabric, &levels(fabric))
}

/// The ends of a cable by name, each with the ports it may be in.
pub(crate) type Ends = [(String, BTreeSet<u8>); 2];

fn sorted(mut ends: Ends) -> Ends {
    ends.sort();
    ends
}

pub(crate) fn planted(room: &Room, ends: &[Plug; 2]) -> Ends {
    sorted(ends.map(|(device, port)| (room.name_of(device).to_owned(), [port].into())))
}

fn end(fabric: &Fabric, switch: SwitchId, ports: &[PortNumber]) -> (String, BTreeSet<u8>) {
    let name = fabric.switch(switch).name.clone();
    (name, ports.iter().map(|port| port.number()).collect())
}

/// The cables said to be missing, and what else is said.
pub(crate) fn missing(fabric: &Fabric) -> (BTreeSet<Ends>, Vec<Suspicion>) {
    let (mut named, mut others) = (BTreeSet::new(), Vec::new());
    for suspicion in suspected(fabric) {
        if let Suspicion::MissingCable { ends } = &suspicion {
            let ends = ends.each_ref().map(|at| end(fabric, at.switch, &at.ports));
            named.insert(sorted(ends));
        } else {
            others.push(suspicion);
        }
    }
    (named, others)
}

/// Trees, and a dragonfly+.
fn whole() -> Vec<Room> {
    let mut rooms = machines::all();
    rooms.push(machines::dragonfly_plus());
    rooms.push(machines::unequal_uplinks());
    rooms.push(machines::wide_trunks());
    rooms.push(machines::unequal_spines());
    rooms.push(machines::cores_in_turn());
    rooms
}

#[test]
fn whole_machines_raise_no_suspicion_and_have_the_levels_they_were_built_with() {
    let expected: [&[usize]; 13] = [
        &[31, 9],
        &[16, 8],
        &[72, 94, 40],
        &[128, 64],
        &[160, 160, 80],
        &[260, 276, 130],
        &[46, 10],
        &[16, 18, 9],
        &[36, 36],
        &[20, 16],
        &[8, 4],
        &[24, 16],
        &[16, 80, 30],
    ];
    for (room, expected) in whole().into_iter().zip(expected) {
        let fabric = room.fabric();
        let mut counts: BTreeMap<Option<u32>, usize> = BTreeMap::new();
        for level in levels(&fabric) {
            *counts.entry(level).or_default() += 1;
        }
        let expected: BTreeMap<_, _> = (0..).map(Some).zip(expected.iter().copied()).collect();
        assert_eq!(counts, expected, "{}", fabric.name());
        assert_eq!(suspected(&fabric), [], "{}", fabric.name());
        for host in fabric.host_ids().map(|id| fabric.host(id)) {
            let is_aggregation = host.name.contains("Aggregation Node");
            let reason = is_aggregation.then_some(ServiceReason::Description);
            assert_eq!(host.service, reason, "{}", host.name);
        }
    }
}

/// Three whole trunks of such a machine are crossed, so that nothing tells how those lay of which both cables are missing:
/// of these both ports are told at both ends.
#[test]
fn the_cables_that_a_gb200_machine_lacks_are_named_one_by_one() {
    let mut room = machines::gb200();
    let spines: Vec<Device> = room.switches().take(9).collect();
    let mut ports: BTreeMap<[String; 2], [BTreeSet<u8>; 2]> = BTreeMap::new();
    for (spine, port) in machines::GB200_PULLED {
        let plug = (spines[usize::from(spine - 1)], port);
        let ends = planted(&room, &room.cable_at(plug));
        let trunk = ports.entry(ends.clone().map(|end| end.0)).or_default();
        for (all, end) in trunk.iter_mut().zip(ends) {
            all.extend(end.1);
        }
        room.pull(plug);
    }
    let ends = ports
        .into_iter()
        .map(|([one, other], [here, there])| [(one, here), (other, there)]);
    let fabric = room.fabric();
    assert_eq!(missing(&fabric), (ends.collect(), vec![]));
    assert_eq!(suspected(&fabric).len(), machines::GB200_PULLED.len());
}

/// Storage and gateways on the spines of a dragonfly+, whose descriptions may tell nothing.
#[test]
fn ends_on_spines_of_groups_are_service_ends() {
    for descriptions in [Descriptions::Telling, Descriptions::Alike] {
        let room = machines::dragonfly_plus_with_ends_on_spines(descriptions);
        let fabric = room.fabric();
        let levels = levels(&fabric);
        let mut reasons: BTreeMap<Option<ServiceReason>, usize> = BTreeMap::new();
        for host in fabric.host_ids() {
            let reason = fabric.host(host).service;
            *reasons.entry(reason).or_default() += 1;
            let level = levels[fabric.host_switch(host).index()];
            let is_on_spine = reason == Some(ServiceReason::Place);
            let is_inside = reason == Some(ServiceReason::Description);
            assert!(is_inside || level == Some(u32::from(is_on_spine)));
        }
        let expected = [
            (None, 432),
            (Some(ServiceReason::Description), 72),
            (Some(ServiceReason::Place), 8),
        ];
        assert_eq!(reasons, expected.into(), "{descriptions:?}");
        assert_eq!(suspected(&fabric), [], "{descriptions:?}");
    }
}

/// Ten of two spines of eight, and of two cores of a plane of six.
#[test]
fn ends_on_two_switches_of_many_are_service_ends_and_leave_the_levels() {
    for (room, expected) in machines::ends_on_two_tops()
        .into_iter()
        .zip([&[16, 8][..], &[24, 16, 24]])
    {
        let fabric = room.fabric();
        let levels = levels(&fabric);
        let on = |at: &u32| levels.iter().filter(|level| **level == Some(*at)).count();
        let found: Vec<usize> = (0..)
            .map_while(|at| Some(on(&at)).filter(|&count| count > 0))
            .collect();
        assert_eq!(found, expected, "{}", fabric.name());
        let by_place = |host: &HostId| fabric.host(*host).service == Some(ServiceReason::Place);
        assert_eq!(
            fabric.host_ids().filter(by_place).count(),
            10,
            "{}",
            fabric.name()
        );
        assert_eq!(suspected(&fabric), [], "{}", fabric.name());
    }
}

#[test]
fn cables_pulled_are_named_and_no_other() {
    for (machine, room) in whole().into_iter().enumerate() {
        let mut room = room;
        for count in [1, 4, 20] {
            let pulled = some(&room.trunks(), count, &mut Draw::new(count as u64));
            let expected: BTreeSet<Ends> = pulled.iter().map(|ends| planted(&room, ends)).collect();
            for ends in &pulled {
                room.pull(ends[0]);
            }
            let fabric = room.fabric();
            let (mut named, others) = missing(&fabric);
            if count == 1 {
                assert_eq!((&named, &others), (&expected, &vec![]), "{}", fabric.name());
            }
            // Where several are pulled out of one switch its ports may not be told apart.
            let told = expected.iter().filter(|planted| {
                let is_it = |named: &&Ends| {
                    let mut ends = named.iter().zip(planted.iter());
                    ends.all(|(named, end)| named.0 == end.0 && named.1.is_superset(&end.1))
                };
                let found = named.iter().find(is_it).cloned();
                found.is_some_and(|found| named.remove(&found))
            });
            let among = |other: &Suspicion| match other {
                Suspicion::MissingAmong { count, .. } => *count,
                _ => 0,
            };
            let told = told.count() + others.iter().map(among).sum::<usize>();
            assert!(named.is_empty(), "{}: {named:?}", fabric.name());
            assert!(
                10 * told >= 9 * count,
                "{}: {told} of {count}",
                fabric.name()
            );
            room = whole().swap_remove(machine);
        }
    }
}

/// Of each spine the sixteen with the same cores tell which core it lacks, not the others with some of these.
#[test]
fn cables_to_cores_that_some_spines_share_are_named_one_by_one() {
    let room = machines::cores_in_turn();
    let ups = room.trunks().into_iter().filter(|ends| {
        let names = ends.map(|(device, _)| room.name_of(device));
        names.iter().any(|name| name.contains("core"))
    });
    let ups: Vec<[Plug; 2]> = ups.collect();
    for seed in 1..=20 {
        let mut room = machines::cores_in_turn();
        let mut draw = Draw::new(seed);
        let pulled: BTreeSet<usize> = (0..4).map(|_| draw.below(ups.len())).collect();
        for &cable in &pulled {
            room.pull(ups[cable][0]);
        }
        let expected = pulled.iter().map(|&cable| planted(&room, &ups[cable]));
        assert_eq!(
            missing(&room.fabric()),
            (expected.collect(), vec![]),
            "{seed}"
        );
    }
}

/// No port tells then where its cable led: of a leaf all are told that lack one.
#[test]
fn cables_pulled_are_named_where_they_lie_in_ports_as_they_come() {
    assert_eq!(suspected(&machines::dealt_ports().fabric()), []);
    for (count, seed) in [(1, 1), (1, 2), (4, 3), (4, 4), (6, 5)] {
        let mut room = machines::dealt_ports();
        let pulled = some(&room.trunks(), count, &mut Draw::new(seed));
        let expected: Vec<Ends> = pulled.iter().map(|ends| planted(&room, ends)).collect();
        for ends in &pulled {
            room.pull(ends[0]);
        }
        let (mut named, _) = missing(&room.fabric());
        for planted in &expected {
            let is_it = |named: &&Ends| {
                let mut ends = named.iter().zip(planted);
                ends.all(|(named, end)| named.0 == end.0 && named.1.is_superset(&end.1))
            };
            if let Some(found) = named.iter().find(is_it).cloned() {
                named.remove(&found);
            }
        }
        assert!(named.is_empty(), "{count}, {seed}: {named:?}");
    }
}

#[test]
fn slow_cables_are_named_and_no_other() {
    for mut room in whole() {
        let mut draw = Draw::new(9);
        let mut slow = some(&room.trunks(), 12, &mut draw);
        slow.extend(some(&room.host_cables(), 8, &mut draw));
        for ends in &slow {
            room.slow(ends[0], "1xHDR");
        }
        let expected: BTreeSet<Ends> = slow.iter().map(|ends| planted(&room, ends)).collect();
        let fabric = room.fabric();
        let mut told = BTreeSet::new();
        for suspicion in suspected(&fabric) {
            let Suspicion::SlowLinks { links, .. } = suspicion else {
                panic!("{}: {suspicion:?}", fabric.name())
            };
            told.extend(links.into_iter().map(|id| {
                sorted(fabric.link(id).ends.map(|end| {
                    let name = match end.node {
                        Node::Switch(id) => fabric.switch(id).name.clone(),
                        Node::Host(id) => fabric.host(id).name.clone(),
                    };
                    (name, [end.port.number()].into())
                }))
            }));
        }
        // Adapters of one description have their GUID behind it.
        let is_named = |ends: &&Ends| ends.iter().all(|(name, _)| !name.contains("Technologies"));
        let named = |all: &BTreeSet<Ends>| -> BTreeSet<Ends> {
            all.iter().filter(is_named).cloned().collect()
        };
        assert_eq!(named(&told), named(&expected), "{}", fabric.name());
        assert_eq!(told.len(), expected.len(), "{}", fabric.name());
    }
}

/// Machines of groups, with cables pulled and how many hundredths of them are told one by one.
type OfGroups = (fn() -> Room, &'static [(usize, usize)]);

/// Where no port and no place tells which spines of two groups were joined, those are told that may have been.
const OF_GROUPS: [OfGroups; 4] = [
    (
        machines::dragonfly_plus,
        &[(1, 100), (4, 100), (10, 100), (20, 99)],
    ),
    (
        machines::dragonfly_plus_with_one_cable_a_pair,
        &[(1, 100), (4, 95)],
    ),
    (
        machines::dragonfly_plus_as_it_comes,
        &[(1, 100), (4, 95), (20, 75)],
    ),
    (
        machines::dragonfly_plus_in_any_ports,
        &[(1, 90), (4, 90), (10, 90), (20, 75)],
    ),
];

#[test]
fn cables_pulled_within_groups_and_between_them_are_named_and_no_other() {
    for (make, counts) in OF_GROUPS {
        assert_eq!(suspected(&make().fabric()), []);
        for &(count, hundredths) in counts {
            let (mut told, mut left) = (0, 0);
            for seed in 0..12 {
                let mut room = make();
                let pulled = some(&room.trunks(), count, &mut Draw::new(seed));
                let mut expected: Vec<Ends> =
                    pulled.iter().map(|ends| planted(&room, ends)).collect();
                for ends in &pulled {
                    room.pull(ends[0]);
                }
                let fabric = room.fabric();
                let (named, others) = missing(&fabric);
                let name = format!("{} {count} {seed}", fabric.name());
                for named in &named {
                    let is_it = |planted: &Ends| {
                        let mut ends = named.iter().zip(planted);
                        ends.all(|(named, end)| named.0 == end.0 && named.1.is_superset(&end.1))
                    };
                    let found = expected.iter().position(is_it);
                    let found = found.unwrap_or_else(|| panic!("{name}: {named:?}"));
                    expected.swap_remove(found);
                    told += 1;
                }
                for other in &others {
                    let Suspicion::MissingAmong { count, ends, .. } = other else {
                        continue;
                    };
                    let ends = ends.each_ref().map(|ends| {
                        let of_end = |at: &MissingEnd| end(&fabric, at.switch, &at.ports);
                        ends.iter().map(of_end).collect::<BTreeMap<_, _>>()
                    });
                    let may_be = |[one, other]: [&(String, BTreeSet<u8>); 2]| {
                        let has = |end: usize, at: &(String, BTreeSet<u8>)| {
                            ends[end]
                                .get(&at.0)
                                .is_some_and(|ports| ports.is_superset(&at.1))
                        };
                        has(0, one) && has(1, other)
                    };
                    for _ in 0..*count {
                        let is_it =
                            |[one, other]: &Ends| may_be([one, other]) || may_be([other, one]);
                        let found = expected.iter().position(is_it);
                        let found = found.unwrap_or_else(|| panic!("{name}: {other:?}"));
                        expected.swap_remove(found);
                    }
                }
                left += expected.len();
            }
            assert!(100 * told >= hundredths * 12 * count, "{count}: {told}");
            // Where a third of all pairs of groups lack cables, it is not known how many they had.
            let most = if count > 10 { 12 } else { 3 };
            assert!(100 * left <= most * 12 * count, "{count}: {left} not told");
        }
    }
}
