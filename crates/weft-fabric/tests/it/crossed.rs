//! Cables that were plugged in crosswise: they are told as such, and as no missing ones.

use std::collections::BTreeSet;
use weft_fabric::metrics::{OtherCable, Suspicion, levels, suspicions};
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

pub(crate) type Socket = (String, u8);

/// Pairs of cables said to be crossed, each by the ports that they belong in, and what else is said.
pub(crate) fn told(fabric: &Fabric) -> (BTreeSet<BTreeSet<[Socket; 2]>>, Vec<Suspicion>) {
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

/// The two groups hang together by the cables of their leaves then, as if they were one.
#[test]
fn a_cable_missing_between_groups_whose_leaves_exchanged_cables_is_named() {
    for seed in 0..12 {
        let mut room = machines::dragonfly_plus();
        let is_spine = |&device: &Device| room.name_of(device).contains("-sp");
        let spines: Vec<Device> = room.switches().filter(is_spine).collect();
        let group_of_leaf_cable = |ends: &[Plug; 2]| {
            let mut at = ends.iter().filter_map(|&(end, _)| {
                let place = spines.iter().position(|&spine| spine == end)?;
                Some(place / 6)
            });
            at.next().filter(|_| at.next().is_none())
        };
        let mut draw = Draw::new(seed);
        let [one, other] = [1, 4].map(|group| {
            let mut of_leaves = room.trunks();
            of_leaves.retain(|ends| group_of_leaf_cable(ends) == Some(group));
            of_leaves[draw.below(of_leaves.len())]
        });
        let mut between = room.trunks();
        between
            .retain(|&ends| groups(ends, &spines).is_some_and(|of| [[1, 4], [4, 1]].contains(&of)));
        let missing = between[draw.below(between.len())];
        let name = |(device, port): Plug| (room.name_of(device).to_owned(), port);
        let named = |ends: [Plug; 2]| {
            let mut ends = ends.map(name);
            ends.sort();
            ends
        };
        let expected = BTreeSet::from([one, other].map(named));
        let pulled = named(missing);
        for ends in [one, other, missing] {
            room.pull(ends[0]);
        }
        room.cable(one[0], other[1], "4xHDR");
        room.cable(other[0], one[1], "4xHDR");
        let fabric = room.fabric();
        let (crossed, others) = told(&fabric);
        assert_eq!(crossed, [expected].into(), "{seed}");
        let [Suspicion::MissingCable { ends }] = &others[..] else {
            panic!("{seed}: {others:?}");
        };
        for (switch, port) in pulled {
            let is_told = ends.iter().any(|end| {
                fabric.switch(end.switch).name == switch
                    && end.ports.contains(&PortNumber::new(port))
            });
            assert!(is_told, "{seed}: {switch}[{port}] in {ends:?}");
        }
    }
}

/// Pairs of cables said to be crossed, each by all that may be meant: what the cables would be.
fn meant(fabric: &Fabric) -> Vec<BTreeSet<BTreeSet<[Socket; 2]>>> {
    let named =
        |(at, port): (SwitchId, PortNumber)| (fabric.switch(at).name.clone(), port.number());
    let found = suspicions(fabric, &levels(fabric)).into_iter();
    let of_pair = found.map(|suspicion| {
        let Suspicion::SwappedCables { others, belong, .. } = suspicion else {
            panic!("{suspicion:?}");
        };
        let [[here, there], [left, right]] = belong;
        let with = |own, others: &[OtherCable]| {
            let others = others.iter().map(|&(_, ends)| ends);
            others.chain([own]).collect::<Vec<_>>()
        };
        let firsts = with([here, right], &others[0]);
        let seconds = with([left, there], &others[1]);
        let pairs = firsts
            .iter()
            .flat_map(|one| seconds.iter().map(move |other| (one, other)));
        let exchanged = pairs.map(|(one, other)| {
            let cables = [[one[0], other[1]], [other[0], one[1]]].map(|ends| {
                let mut ends = ends.map(named);
                ends.sort();
                ends
            });
            BTreeSet::from(cables)
        });
        exchanged.collect()
    });
    of_pair.collect()
}

/// Two cables of the same two groups lead to these still; that they were exchanged is told by how many cables joined
/// spines have between them, or by the places of spines that are joined. Of two trunks of two the cables left are as
/// likely: each set right gives spines that are joined by two.
#[test]
fn cables_within_two_groups_that_exchanged_an_end_are_told() {
    let rooms: [(fn() -> Room, usize); 3] = [
        (machines::dragonfly_plus, 4),
        (|| machines::dragonfly_plus_by_place(1), 1),
        (|| machines::dragonfly_plus_by_place(3), 1),
    ];
    for (make, most) in rooms {
        for (crossings, seeds) in [(1, 16), (2, 8)] {
            for seed in 0..seeds {
                let mut room = make();
                let spines: Vec<Device> = room
                    .switches()
                    .filter(|&device| room.name_of(device).contains("-sp"))
                    .collect();
                let group =
                    |(device, _): Plug| room.name_of(device).split('-').next().map(str::to_owned);
                let between = |ends: [Plug; 2]| {
                    let are_spines = ends.iter().all(|(device, _)| spines.contains(device));
                    let groups = ends.map(group);
                    (are_spines && groups[0] != groups[1]).then(|| BTreeSet::from(groups))
                };
                let all: Vec<[Plug; 2]> = room.trunks();
                let mut left: Vec<([Plug; 2], BTreeSet<Option<String>>)> = all
                    .into_iter()
                    .filter_map(|ends| Some((ends, between(ends)?)))
                    .collect();
                let mut pairs = Vec::new();
                let mut draw = Draw::new(seed);
                while pairs.len() < crossings {
                    let (one, groups) = left[draw.below(left.len())].clone();
                    let of_pair = left.iter().filter(|(ends, of)| {
                        *of == groups && ends.iter().all(|end| one.iter().all(|own| own.0 != end.0))
                    });
                    let others: Vec<[Plug; 2]> = of_pair.map(|&(ends, _)| ends).collect();
                    let mut other = others[draw.below(others.len())];
                    if group(one[0]) != group(other[0]) {
                        other.reverse();
                    }
                    left.retain(|(_, of)| *of != groups);
                    pairs.push([one, other]);
                }
                let name = |(device, port): Plug| (room.name_of(device).to_owned(), port);
                let planned = pairs.iter().map(|cables| {
                    let cables = cables.map(|ends| {
                        let mut ends = ends.map(name);
                        ends.sort();
                        ends
                    });
                    BTreeSet::from(cables)
                });
                let planned: Vec<BTreeSet<[Socket; 2]>> = planned.collect();
                for [one, other] in pairs {
                    room.pull(one[0]);
                    room.pull(other[0]);
                    let rate = if most == 1 { "4xNDR" } else { "4xHDR" };
                    room.cable(one[0], other[1], rate);
                    room.cable(other[0], one[1], rate);
                }
                let told = meant(&room.fabric());
                assert_eq!(told.len(), crossings, "{most} {seed}");
                for pair in planned {
                    let fitting = told.iter().filter(|told| told.contains(&pair));
                    assert_eq!(fitting.count(), 1, "{most} {seed}: {pair:?}");
                }
                assert!(told.iter().all(|told| told.len() <= most), "{most} {seed}");
            }
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
            assert!(is_laid(*link) || is_laid(others[0].0), "{seed}");
        }
    }
}
