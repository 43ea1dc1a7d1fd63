//! Machines of groups whose spines are joined.

use super::dump::{Device, Room};

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
