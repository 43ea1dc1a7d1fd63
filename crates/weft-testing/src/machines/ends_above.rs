//! Trees with ten ends of storage and management on two of their highest switches.

use super::dump::{Device, Room};

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
    let mut three = Room::new("ends-on-two-cores");
    let cores: Vec<Device> = (0..24)
        .map(|c| three.switch(format!("MF0;core{}-{}:MQM8700/U1", c / 6, c % 6), 41))
        .collect();
    for pod in 0..4 {
        let own: Vec<Device> = (0..4)
            .map(|s| three.switch(format!("MF0;pod{pod}-spine{s}:MQM8700/U1"), 41))
            .collect();
        leaves(&mut three, &format!("pod{pod}-"), 6, 12, &own);
        for (spine, cores) in own.iter().zip(cores.chunks(6)) {
            for &core in cores {
                three.join(*spine, core, 2, "4xHDR");
            }
        }
        for spine in own {
            three.aggregation(spine, "4xHDR");
        }
    }
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
