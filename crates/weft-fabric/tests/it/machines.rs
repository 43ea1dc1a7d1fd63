//! Whole machines as their discoveries show them: faults planted are named, and nothing is invented.

use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::metrics::{Suspicion, levels, suspicions};
use weft_fabric::{Fabric, Node, PortNumber, ServiceReason, SwitchId};
use weft_testing::machines::{self, Device, Draw, Plug, Room, some};

fn suspected(fabric: &Fabric) -> Vec<Suspicion> {
    suspicions(fabric, &levels(fabric))
}

/// The ends of a cable by name, each with the ports it may be in.
type Ends = [(String, BTreeSet<u8>); 2];

fn sorted(mut ends: Ends) -> Ends {
    ends.sort();
    ends
}

fn planted(room: &Room, ends: &[Plug; 2]) -> Ends {
    sorted(ends.map(|(device, port)| (room.name_of(device).to_owned(), [port].into())))
}

fn end(fabric: &Fabric, switch: SwitchId, ports: &[PortNumber]) -> (String, BTreeSet<u8>) {
    let name = fabric.switch(switch).name.clone();
    (name, ports.iter().map(|port| port.number()).collect())
}

/// The cables said to be missing, and what else is said.
fn missing(fabric: &Fabric) -> (BTreeSet<Ends>, Vec<Suspicion>) {
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

#[test]
fn whole_machines_raise_no_suspicion_and_have_the_levels_they_were_built_with() {
    let expected: [&[usize]; 8] = [
        &[31, 9],
        &[16, 8],
        &[72, 94, 40],
        &[128, 64],
        &[160, 160, 80],
        &[260, 276, 130],
        &[46, 10],
        &[16, 18, 9],
    ];
    for (room, expected) in machines::all().into_iter().zip(expected) {
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

#[test]
fn the_cables_that_a_gb200_machine_lacks_are_named_one_by_one() {
    let mut room = machines::gb200();
    let spines: Vec<Device> = room.switches().take(9).collect();
    let mut expected = BTreeSet::new();
    for (spine, port) in machines::GB200_PULLED {
        let plug = (spines[usize::from(spine - 1)], port);
        expected.insert(planted(&room, &room.cable_at(plug)));
        room.pull(plug);
    }
    assert_eq!(missing(&room.fabric()), (expected, vec![]));
}

#[test]
fn cables_pulled_are_named_and_no_other() {
    for (machine, room) in machines::all().into_iter().enumerate() {
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
            let told = told.count();
            assert!(named.is_empty(), "{}: {named:?}", fabric.name());
            assert!(
                10 * told >= 9 * count,
                "{}: {told} of {count}",
                fabric.name()
            );
            room = machines::all().swap_remove(machine);
        }
    }
}

#[test]
fn slow_cables_are_named_and_no_other() {
    for mut room in machines::all() {
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
