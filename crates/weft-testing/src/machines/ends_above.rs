//! Trees with ten ends of storage and management on two of their highest switches.

use super::dump::{Device, Plug, Room};

const ENDS: [&str; 10] = [
    "oss01 HCA-1",
    "oss02 HCA-1",
    "oss03 HCA-1",
    "mds01 mlx5_0",
    "mds02 mlx5_0",
    "login1 HCA-1",
    "login2 HCA-1",
    "mgmt01 mlx5_0",
    "mgmt02 mlx5_0",
    "backup1 HCA-2",
];

/// Sixteen leaves of 24 hosts below eight spines; and four pods of six leaves with twelve hosts and four spines below
/// 24 cores in four planes. Two spines, and two cores of a plane, have five ends each.
pub fn ends_on_two_tops() -> [Room; 2] {
    let mut two = Room::new("ends-on-two-spines");
    let spines: Vec<Device> = (0..8)
        .map(|s| two.switch(format!("MF0;row{s}-spine:MQM8700/U1"), 41))
        .collect();
    leaves(&mut two, "row", 16, 24, &spines);
    let (three, cores) = pods("ends-on-two-cores");
    [(two, spines), (three, cores)].map(|(mut room, tops)| {
        for (number, name) in ENDS.into_iter().enumerate() {
            let plug = room.next(tops[number % 2]);
            room.host(name.to_owned(), plug, "4xHDR");
        }
        for top in tops {
            room.aggregation(top, "4xHDR");
        }
        room
    })
}

/// The four pods with so many of the 24 cores that have ends, and so many ends on each, named as all others are.
pub fn ends_on_cores(tops: usize, ends: usize) -> Room {
    let (mut room, cores) = pods("ends-on-cores");
    for (number, &core) in cores.iter().take(tops).enumerate() {
        for end in 0..ends {
            let plug = room.next(core);
            room.host(format!("pod9-cn{number:02}{end:02} HCA-1"), plug, "4xHDR");
        }
    }
    room
}

/// The four pods without ends on the cores, where of the last one's leaves each has two ends alone, and so have
/// four leaves that hang on a core of each plane.
pub fn light_leaves() -> Room {
    let (mut room, cores) = pods("light-leaves");
    let hosts = room.host_cables();
    let is_of_last = |room: &Room, plug: Plug| room.name_of(plug.0).starts_with("pod3-cn");
    for [a, b] in hosts {
        let own = if is_of_last(&room, a) { a } else { b };
        let name = room.name_of(own.0);
        let is_kept = name.ends_with("00 HCA-1") || name.ends_with("01 HCA-1");
        if is_of_last(&room, own) && !is_kept {
            room.pull(own);
        }
    }
    for number in 0..4 {
        let own: Vec<Device> = cores.iter().skip(number).step_by(6).copied().collect();
        leaves(&mut room, &format!("store{number}-"), 1, 2, &own);
    }
    room
}

/// Four pods of six leaves with twelve hosts and four spines, and the 24 cores above them.
fn pods(name: &str) -> (Room, Vec<Device>) {
    let mut room = Room::new(name);
    let cores: Vec<Device> = (0..24)
        .map(|c| room.switch(format!("MF0;core{}-{}:MQM8700/U1", c / 6, c % 6), 41))
        .collect();
    for pod in 0..4 {
        let own: Vec<Device> = (0..4)
            .map(|s| room.switch(format!("MF0;pod{pod}-spine{s}:MQM8700/U1"), 41))
            .collect();
        leaves(&mut room, &format!("pod{pod}-"), 6, 12, &own);
        for (spine, cores) in own.iter().zip(cores.chunks(6)) {
            for &core in cores {
                room.join(*spine, core, 2, "4xHDR");
            }
        }
        for spine in own {
            room.aggregation(spine, "4xHDR");
        }
    }
    (room, cores)
}

fn leaves(room: &mut Room, place: &str, count: usize, hosts: usize, spines: &[Device]) {
    for number in 0..count {
        let leaf = room.switch(format!("MF0;{place}leaf{number:02}:MQM8700/U1"), 41);
        for host in 0..hosts {
            let plug = room.next(leaf);
            room.host(
                format!("{place}cn{number:02}{host:02} HCA-1"),
                plug,
                "4xHDR",
            );
        }
        for &spine in spines {
            room.join(leaf, spine, 1, "4xHDR");
        }
        room.aggregation(leaf, "4xHDR");
    }
}
