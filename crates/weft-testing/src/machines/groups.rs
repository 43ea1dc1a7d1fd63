//! Machines of groups whose spines are joined.

use super::Draw;
use super::dump::{Device, Room};
use std::collections::BTreeMap;

/// How the ends of a dragonfly+ are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptions {
    /// By what they are.
    Telling,
    /// All alike, by the adapter.
    Alike,
}

/// Six groups of six leaves with twelve hosts each and six spines, each spine with two cables to one of every other
/// group; an adapter inside every switch.
pub fn dragonfly_plus() -> Room {
    groups(Descriptions::Telling).0
}

/// The same with storage and gateways on eight of the spines, in groups 0, 1 and 4.
pub fn dragonfly_plus_with_ends_on_spines(descriptions: Descriptions) -> Room {
    let (mut room, spines) = groups(descriptions);
    let ends = [
        (0, 0, "oss01 HCA-1"),
        (0, 1, "oss02 HCA-1"),
        (0, 2, "oss03 HCA-1"),
        (1, 0, "oss04 HCA-1"),
        (1, 1, "oss05 HCA-1"),
        (1, 2, "oss06 HCA-1"),
        (4, 0, "skyway-01 mlx5_0"),
        (4, 3, "ufm01 mlx5_0"),
    ];
    for (group, spine, name) in ends {
        let plug = room.next(spines[group][spine]);
        room.host(described(descriptions, name), plug, "4xHDR");
    }
    room
}

/// Nine groups of four leaves with eight hosts each and four spines, each spine with a cable to two other groups, so
/// that two groups have one between them.
pub fn dragonfly_plus_with_one_cable_a_pair() -> Room {
    let mut room = Room::new("dragonfly-plus-9");
    let mut spines: Vec<Vec<Device>> = Vec::new();
    for group in 0..9 {
        let own: Vec<Device> = (0..4)
            .map(|s| room.switch(format!("MF0;pod{group}-S{s}:MQM9790/U1"), 65))
            .collect();
        for number in 0..4 {
            let leaf = room.switch(format!("MF0;pod{group}-L{number}:MQM9790/U1"), 65);
            for host in 0..8 {
                let plug = room.next(leaf);
                let name = format!("gpu{:03} mlx5_{host}", 4 * group + number);
                room.host(name, plug, "4xNDR");
            }
            for &spine in &own {
                room.join(leaf, spine, 2, "4xNDR");
            }
            room.aggregation(leaf, "4xNDR");
        }
        spines.push(own);
    }
    for group in 0..9 {
        for ahead in 1..9 {
            let there = (group + ahead) % 9;
            if group < there {
                let ends = [
                    spines[group][(ahead - 1) / 2],
                    spines[there][(8 - ahead) / 2],
                ];
                room.join(ends[0], ends[1], 1, "4xNDR");
            }
        }
    }
    for &spine in spines.iter().flatten() {
        room.aggregation(spine, "4xNDR");
    }
    room
}

/// Five groups of four leaves with eight hosts each and four spines, each spine with so many cables to the one in its place
/// of every other group.
pub fn dragonfly_plus_by_place(cables: usize) -> Room {
    let mut room = Room::new("dragonfly-plus-by-place");
    let mut spines: Vec<Vec<Device>> = Vec::new();
    for group in 0..5 {
        let own: Vec<Device> = (0..4)
            .map(|s| room.switch(format!("MF0;b{group}-sp{s}:MQM9700/U1"), 65))
            .collect();
        for number in 0..4 {
            let leaf = room.switch(format!("MF0;b{group}-lf{number}:MQM9700/U1"), 65);
            for host in 0..8 {
                let plug = room.next(leaf);
                room.host(format!("b{group}{number}{host} mlx5_0"), plug, "4xNDR");
            }
            for &spine in &own {
                room.join(leaf, spine, 2, "4xNDR");
            }
        }
        for (earlier, place) in spines.iter().flat_map(|of| of.iter().zip(0..)) {
            room.join(own[place], *earlier, cables, "4xNDR");
        }
        spines.push(own);
    }
    room
}

/// Five groups of four leaves with ten hosts each and six spines, each spine with two cables to every other group, which
/// spines of it and which ports as they come.
pub fn dragonfly_plus_as_it_comes() -> Room {
    let mut room = Room::new("dragonfly-plus-dealt");
    let mut draw = Draw::new(8);
    let mut spines: Vec<Vec<Device>> = Vec::new();
    for group in 0..5 {
        let own: Vec<Device> = (0..6)
            .map(|s| room.switch(format!("MF0;r{group}s{s}:MQM8790/U1"), 41))
            .collect();
        for number in 0..4 {
            let leaf = room.switch(format!("MF0;r{group}l{number}:MQM8790/U1"), 41);
            for host in 0..10 {
                let plug = room.next(leaf);
                room.host(format!("c{group}{number}{host:02} HCA-1"), plug, "4xHDR");
            }
            for &spine in &own {
                room.join(leaf, spine, 2, "4xHDR");
            }
            room.aggregation(leaf, "4xHDR");
        }
        spines.push(own);
    }
    let mut shuffled = |mut all: Vec<Device>| {
        for last in (1..all.len()).rev() {
            all.swap(last, draw.below(last + 1));
        }
        all
    };
    let mut cables: Vec<[Device; 2]> = Vec::new();
    for (one, of_one) in spines.iter().enumerate() {
        for of_other in &spines[one + 1..] {
            let [ones, others] = [of_one, of_other]
                .map(|spines| shuffled(spines.iter().flat_map(|&s| [s; 2]).collect()));
            cables.extend(ones.into_iter().zip(others).map(<[Device; 2]>::from));
        }
    }
    for last in (1..cables.len()).rev() {
        cables.swap(last, draw.below(last + 1));
    }
    for [one, other] in cables {
        room.join(one, other, 1, "4xHDR");
    }
    for &spine in spines.iter().flatten() {
        room.aggregation(spine, "4xHDR");
    }
    room
}

/// Nine groups of four leaves with eight hosts each and four spines, a cable between every two groups; which spines of
/// them it joins, and which ports any cable lies in, are as they come.
pub fn dragonfly_plus_in_any_ports() -> Room {
    let mut room = Room::new("dragonfly-plus-any");
    let mut draw = Draw::new(5);
    let mut shuffled = |mut all: Vec<usize>| {
        for last in (1..all.len()).rev() {
            all.swap(last, draw.below(last + 1));
        }
        all
    };
    let mut ports: BTreeMap<Device, Vec<usize>> = BTreeMap::new();
    let mut spines: Vec<Vec<Device>> = Vec::new();
    let mut joined: Vec<[Device; 2]> = Vec::new();
    for group in 0..9 {
        let own: Vec<Device> = (0..4)
            .map(|s| room.switch(format!("MF0;q{group}s{s}:MQM8790/U1"), 41))
            .collect();
        for number in 0..4 {
            let leaf = room.switch(format!("MF0;q{group}l{number}:MQM8790/U1"), 41);
            ports.insert(leaf, shuffled((1..=40).collect()));
            for host in 0..8 {
                let port = ports.get_mut(&leaf).unwrap().pop().unwrap();
                let plug = (leaf, u8::try_from(port).unwrap());
                room.host(format!("e{group}{number}{host} HCA-1"), plug, "4xHDR");
            }
            joined.extend(own.iter().flat_map(|&spine| [[leaf, spine]; 2]));
        }
        ports.extend(
            own.iter()
                .map(|&spine| (spine, shuffled((1..=40).collect()))),
        );
        spines.push(own);
    }
    // Each spine has two cables to other groups.
    let mut left: Vec<Vec<usize>> = (0..9).map(|_| shuffled((0..8).collect())).collect();
    for one in 0..9 {
        for other in one + 1..9 {
            let ends = [one, other].map(|group| spines[group][left[group].pop().unwrap() % 4]);
            joined.push(ends);
        }
    }
    for ends in joined {
        let plug = |end: Device| {
            let port = ports.get_mut(&end).unwrap().pop().unwrap();
            (end, u8::try_from(port).unwrap())
        };
        let [one, other] = ends.map(plug);
        room.cable(one, other, "4xHDR");
    }
    for &switch in ports.keys() {
        room.aggregation(switch, "4xHDR");
    }
    room
}

fn described(descriptions: Descriptions, name: &str) -> String {
    match descriptions {
        Descriptions::Telling => name.to_owned(),
        Descriptions::Alike => "MT54321 ConnectX".to_owned(),
    }
}

/// The machine, and the spines of each group.
fn groups(descriptions: Descriptions) -> (Room, Vec<Vec<Device>>) {
    let mut room = Room::new("dragonfly-plus");
    let mut spines: Vec<Vec<Device>> = Vec::new();
    let mut switches = Vec::new();
    for group in 0..6 {
        let name = |kind: &str, number: usize| match descriptions {
            Descriptions::Telling => format!("MF0;g{group}-{kind}{number}:MQM8700/U1"),
            Descriptions::Alike => "Quantum Mellanox Technologies".to_owned(),
        };
        let own: Vec<Device> = (0..6).map(|s| room.switch(name("sp", s), 41)).collect();
        for number in 0..6 {
            let leaf = room.switch(name("lf", number), 41);
            for host in 0..12 {
                let plug = room.next(leaf);
                let name = format!("n{group}{number}{host:02} mlx5_0");
                room.host(described(descriptions, &name), plug, "4xHDR");
            }
            for &spine in &own {
                room.join(leaf, spine, 2, "4xHDR");
            }
            switches.push(leaf);
        }
        switches.extend(&own);
        for (earlier, others) in spines.iter().enumerate() {
            for (place, &spine) in own.iter().enumerate() {
                let turned = (place + group + earlier) % 6;
                room.join(spine, others[turned], 2, "4xHDR");
            }
        }
        spines.push(own);
    }
    for switch in switches {
        room.aggregation(switch, "4xHDR");
    }
    (room, spines)
}
