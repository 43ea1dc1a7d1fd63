//! Cables that were plugged in crosswise: they are told as such, and as no missing ones.

use std::collections::BTreeSet;
use weft_fabric::metrics::{Suspicion, levels, suspicions};
use weft_fabric::{Fabric, LinkId, PortNumber, SwitchId};
use weft_testing::machines::{self, Device, Draw, Plug, Room};

/// Between which groups a cable is; of a switch's number, as they have twelve switches each.
fn groups([one, other]: [Plug; 2], spines: &[Device]) -> Option<[usize; 2]> {
    let group = |(device, _): Plug| {
        spines
            .iter()
            .position(|&spine| spine == device)
            .map(|at| at / 6)
    };
    let pair = [group(one)?, group(other)?];
    (pair[0] != pair[1]).then_some(pair)
}

type Socket = (String, u8);

/// Pairs of cables said to be crossed, each by the ports that they belong in, and what else is said.
fn told(fabric: &Fabric) -> (BTreeSet<BTreeSet<[Socket; 2]>>, Vec<Suspicion>) {
    let (mut crossed, mut others) = (BTreeSet::new(), Vec::new());
    for suspicion in suspicions(fabric, &levels(fabric)) {
        let Suspicion::SwappedCables { belong, .. } = suspicion else {
            others.push(suspicion);
            continue;
        };
        let cable = belong.map(|ends| {
            let mut ends = ends.map(|(at, port)| (fabric.switch(at).name.clone(), port.number()));
            ends.sort();
            ends
        });
        assert!(crossed.insert(cable.into()), "told twice");
    }
    (crossed, others)
}

#[test]
fn cables_between_groups_that_exchanged_an_end_are_told_and_none_as_missing() {
    for crossings in [1, 2] {
        for seed in 0..12 {
            let mut room = machines::dragonfly_plus();
            let spines: Vec<Device> = room
                .switches()
                .filter(|&device| room.name_of(device).contains("-sp"))
                .collect();
            let mut draw = Draw::new(seed);
            let mut left: Vec<[Plug; 2]> = room.trunks();
            left.retain(|&ends| groups(ends, &spines).is_some());
            let mut expected = BTreeSet::new();
            while expected.len() < crossings {
                let one = left.swap_remove(draw.below(left.len()));
                let other = left.swap_remove(draw.below(left.len()));
                let exchanged = [[one[0], other[1]], [other[0], one[1]]];
                let between = |cables: [[Plug; 2]; 2]| cables.map(|ends| groups(ends, &spines));
                // Two cables of the same two groups lead to them still, and none leads back into its group.
                let pairs = between([one, other]).map(|pair| {
                    let mut pair = pair.unwrap();
                    pair.sort_unstable();
                    pair
                });
                if pairs[0] == pairs[1] || between(exchanged).contains(&None) {
                    left.extend([one, other]);
                    continue;
                }
                for ends in [one, other] {
                    room.pull(ends[0]);
                }
                for [near, far] in exchanged {
                    room.cable(near, far, "4xHDR");
                }
                let name = |(device, port): Plug| (room.name_of(device).to_owned(), port);
                let planned = [one, other].map(|ends| {
                    let mut ends = ends.map(name);
                    ends.sort();
                    ends
                });
                expected.insert(BTreeSet::from(planned));
            }
            assert_eq!(
                told(&room.fabric()),
                (expected, vec![]),
                "{crossings}, {seed}"
            );
        }
    }
}

/// Twelve leaves with six hosts each under six spines, one cable between each two, in ports as they come.
fn dealt(draw: &mut Draw) -> Room {
    let mut room = Room::new("dealt");
    let mut switch = |name: String| {
        let mut ports: Vec<u8> = (1..=36).collect();
        for last in (1..ports.len()).rev() {
            ports.swap(last, draw.below(last + 1));
        }
        (room.switch(name, 36), ports)
    };
    let mut leaves: Vec<(Device, Vec<u8>)> = (0..12).map(|n| switch(format!("leaf{n}"))).collect();
    let mut spines: Vec<(Device, Vec<u8>)> = (0..6).map(|n| switch(format!("spine{n}"))).collect();
    for (leaf, ports) in &mut leaves {
        for (spine, others) in &mut spines {
            let ends = [
                (*leaf, ports.pop().unwrap()),
                (*spine, others.pop().unwrap()),
            ];
            room.cable(ends[0], ends[1], "4xEDR");
        }
        for host in 0..6 {
            let name = format!("n{} {host}", room.name_of(*leaf));
            room.host(name, (*leaf, ports.pop().unwrap()), "4xEDR");
        }
    }
    room
}

/// Which of two cables between a leaf and a spine is the one too many no port tells: both are said to be possible.
#[test]
fn cables_of_leaves_that_exchanged_an_end_are_told_by_their_number_where_no_port_tells() {
    for seed in 0..20 {
        let mut draw = Draw::new(seed);
        let mut room = dealt(&mut draw);
        assert_eq!(told(&room.fabric()), (BTreeSet::new(), vec![]));
        let trunks = room.trunks();
        let [one, other] = loop {
            let [one, other] = [(); 2].map(|()| trunks[draw.below(trunks.len())]);
            if one[0].0 != other[0].0 && one[1].0 != other[1].0 {
                break [one, other];
            }
        };
        let planned = |ends: [Plug; 2]| ends.map(|(device, _)| room.name_of(device).to_owned());
        let expected: BTreeSet<[String; 2]> = [one, other].map(planned).into();
        for ends in [one, other] {
            room.pull(ends[0]);
        }
        room.cable(one[0], other[1], "4xEDR");
        room.cable(other[0], one[1], "4xEDR");
        let fabric = room.fabric();
        let found = suspicions(&fabric, &levels(&fabric));
        let [
            Suspicion::SwappedCables {
                links,
                others,
                belong,
            },
        ] = &found[..]
        else {
            panic!("{seed}: {found:?}");
        };
        let name = |(switch, _): (SwitchId, PortNumber)| fabric.switch(switch).name.clone();
        let belong = belong.map(|ends| {
            let mut ends = ends.map(name);
            ends.sort();
            ends
        });
        assert_eq!(BTreeSet::from(belong), expected, "{seed}");
        // Either is the cable laid or the other between the same switches.
        let laid = [[one[0], other[1]], [other[0], one[1]]];
        let is_laid = |link: LinkId| {
            let ends = fabric
                .link(link)
                .ends
                .map(|end| (fabric.node_name(end.node).to_owned(), end.port.number()));
            laid.iter().any(|laid| {
                laid.iter()
                    .all(|&(device, port)| ends.contains(&(room.name_of(device).to_owned(), port)))
            })
        };
        for (link, others) in links.iter().zip(others) {
            assert_eq!(others.len(), 1, "{seed}");
            assert!(is_laid(*link) || is_laid(others[0]), "{seed}");
        }
    }
}
