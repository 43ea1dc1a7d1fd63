//! Machines as they are built today, by what their own dumps show.

use super::dump::{Device, Room};

/// Four rails of eight leaves, and nine spines; two cables from leaf to spine. Leaf 03-01 is not there.
pub fn gb200() -> Room {
    let mut room = Room::new("gb200");
    let spines: Vec<Device> = (1..=9)
        .map(|s| {
            let row = if s < 5 { 'A' } else { 'B' };
            room.switch(format!("MF0;{row}10-P1-IBSPINE-{s:02}:MQM9701/U1"), 65)
        })
        .collect();
    let mut unnamed = 0;
    for rack in 1..=8_u8 {
        let (row, low) = if rack < 5 { ('A', 'a') } else { ('B', 'b') };
        for rail in 1..=4_u8 {
            if (rail, rack) == (3, 1) {
                continue;
            }
            let name = format!("MF0;{row}09-P1-IBLEAF-{rail:02}-{rack:02}:MQM9701/U1");
            let leaf = room.switch(name, 65);
            for tray in 1..=18_u8 {
                let is_absent = match rack {
                    2 => tray == 5 || tray == 15,
                    4 => tray == 18,
                    7 => tray == 5,
                    8 => tray == 2,
                    _ => false,
                };
                if is_absent {
                    continue;
                }
                unnamed += 1;
                let adapter = [1, 2, 5, 6][usize::from(rail - 1)];
                let name = match (rack, unnamed % 7) {
                    (2 | 6 | 8, 0) => "MT4129 ConnectX7   Mellanox Technologies".to_owned(),
                    (4, _) => format!("{low}08-p1-dgx-04-c{tray:02} mlx5_{}", adapter - 1),
                    _ => format!("{low}{rack:02}-p1-dgx-{rack:02}-c{tray:02} HCA-{adapter}"),
                };
                room.host(name, (leaf, tray), "4xNDR");
            }
            if rack == 8 && rail > 2 {
                room.host(format!("ubuntu mlx5_{}", rail - 3), (leaf, 21), "4xNDR");
                room.host(
                    format!("B11-P1-CUFM-02 mlx5_{}", rail - 3),
                    (leaf, 22),
                    "4xNDR",
                );
            }
            room.aggregation(leaf, "4xNDR");
            let place = 4 * (rack - 1) + rail;
            for (number, &spine) in (0..).zip(&spines) {
                let up = 33 + 2 * number;
                let down = 2 * place - 1;
                let is_crossed = matches!((place, number), (16 | 32, 1) | (16, 7));
                let crossed = u8::from(is_crossed);
                room.cable((leaf, up), (spine, down + crossed), "4xNDR");
                room.cable((leaf, up + 1), (spine, down + 1 - crossed), "4xNDR");
            }
        }
    }
    for spine in spines {
        room.aggregation(spine, "4xNDR");
    }
    room
}

/// The cables that such a machine was found to lack, by spine and port.
pub const GB200_PULLED: [(u8, u8); 26] = [
    (1, 9),
    (1, 10),
    (1, 15),
    (1, 16),
    (1, 20),
    (1, 31),
    (1, 32),
    (4, 2),
    (4, 9),
    (4, 10),
    (4, 17),
    (4, 18),
    (4, 27),
    (4, 28),
    (4, 34),
    (4, 49),
    (4, 50),
    (5, 53),
    (5, 54),
    (6, 19),
    (6, 20),
    (6, 54),
    (6, 58),
    (7, 43),
    (7, 44),
    (8, 34),
];

/// Sixteen leaves of 32 hosts and eight spines, four cables from leaf to spine; a manager on a leaf.
fn pod() -> Room {
    let mut room = Room::new("pod");
    room.lids_from(10_500);
    let name = |zone: usize| {
        format!(
            "XXXX-POD1-JQ1-CS-JR-ZONE{}-{}/{}",
            1 + zone / 8,
            1 + zone % 8,
            8
        )
    };
    let leaves: Vec<Device> = (0..16).map(|l| room.switch(name(l), 65)).collect();
    let spines: Vec<Device> = (16..24).map(|s| room.switch(name(s), 65)).collect();
    for (l, &leaf) in leaves.iter().enumerate() {
        for h in 0..32 {
            let name = if (l, h) == (9, 31) {
                "XXXX-POD1-UFM-01 mlx5_0".to_owned()
            } else {
                format!("XXXX-POD1-JQ1-ZS-{} mlx5_{}", 1200 + 4 * l + h, 2 + l % 8)
            };
            let plug = room.next(leaf);
            room.host(name, plug, "4xNDR");
        }
        for &spine in &spines {
            room.join(leaf, spine, 4, "4xNDR");
        }
        room.aggregation(leaf, "4xNDR");
    }
    for spine in spines {
        room.aggregation(spine, "4xNDR");
    }
    room
}

/// Eight rails over nine units of 72 leaves in all, ten spines a rail, 40 cores, twelve leaves of storage and two
/// of gateways on the cores: 206 switches, 80 of them spines.
fn rails_206() -> Room {
    let mut room = Room::new("rails");
    let mut leaves = Vec::new();
    for unit in 1..=9 {
        for rail in 1..=8 {
            let leaf = room.switch(format!("MF0;dgx-su{unit:02}-ibl{rail}:MQM8700/U1"), 41);
            for node in 0..20 {
                let name = format!("dgx-{:03} mlx5_{rail}", 20 * (unit - 1) + node + 1);
                let plug = room.next(leaf);
                room.host(name, plug, "4xHDR");
            }
            leaves.push(leaf);
        }
    }
    let spines: Vec<Device> = (0..80)
        .map(|s| {
            let name = format!("MF0;dgx-ibs{}-{:02}:MQM8700/U1", 1 + s / 10, 1 + s % 10);
            room.switch(name, 41)
        })
        .collect();
    for (l, &leaf) in leaves.iter().enumerate() {
        for spine in &spines[10 * (l % 8)..10 * (l % 8 + 1)] {
            room.join(leaf, *spine, 2, "4xHDR");
        }
    }
    let cores: Vec<Device> = (1..=40)
        .map(|c| room.switch(format!("MF0;dgx-ibc{c:02}:MQM8700/U1"), 41))
        .collect();
    for (s, &spine) in spines.iter().enumerate() {
        for up in 0..18 {
            let core = 20 * (s % 2) + (18 * (s / 2) + up) % 20;
            room.join(spine, cores[core], 1, "4xHDR");
        }
    }
    for storage in 0..14 {
        let (name, hosts, ups) = match storage {
            12.. => (format!("MF0;gw-ibl{}:MQM8700/U1", storage - 11), 4, 8),
            _ => (format!("MF0;sto-ibl{:02}:MQM8700/U1", storage + 1), 12, 12),
        };
        let leaf = room.switch(name, 41);
        for host in 0..hosts {
            let name = match storage {
                12.. => format!("skyway-{:02} mlx5_{host}", storage - 11),
                _ => format!("oss{:02} mlx5_{storage}", host + 1),
            };
            let plug = room.next(leaf);
            room.host(name, plug, "4xHDR");
        }
        for up in 0..ups {
            let first = if storage < 12 {
                ups * storage
            } else {
                ups * (storage - 12) + 24
            };
            room.join(leaf, cores[(first + up) % 40], 1, "4xHDR");
        }
        leaves.push(leaf);
    }
    for switch in leaves.into_iter().chain(spines).chain(cores) {
        room.aggregation(switch, "4xHDR");
    }
    room
}

/// 128 leaves of 64 hosts and 64 spines of 144 ports, one cable from leaf to spine: 192 switches.
fn two_levels_192() -> Room {
    let mut room = Room::new("two-levels");
    let spines: Vec<Device> = (1..=64)
        .map(|s| room.switch(format!("MF0;xdr-spine-{s:02}:Q3400/U1"), 145))
        .collect();
    for l in 0..128 {
        let leaf = room.switch(format!("MF0;xdr-leaf-{l:03}:Q3400/U1"), 145);
        for h in 0..64 {
            let plug = room.next(leaf);
            room.host(
                format!("gpu{:04} mlx5_{}", 8 * l + h / 8, h % 8),
                plug,
                "4xXDR",
            );
        }
        for &spine in &spines {
            room.join(leaf, spine, 1, "4xXDR");
        }
        room.aggregation(leaf, "4xXDR");
    }
    for spine in spines {
        room.aggregation(spine, "4xXDR");
    }
    room
}

/// Ten pods of 16 leaves and 16 spines, and 80 cores in 16 groups of five: 400 switches. The 32 cables of
/// a spine are dealt out to its five cores in turn, so that it has six or seven to each.
fn pods_400() -> Room {
    let mut room = Room::new("pods");
    let cores: Vec<Device> = (0..80)
        .map(|c| room.switch(format!("MF0;core-g{:02}-{}:MQM9790/U1", c / 5, c % 5), 65))
        .collect();
    for pod in 0..10 {
        let spines: Vec<Device> = (0..16)
            .map(|s| room.switch(format!("MF0;pod{pod:02}-spine{s:02}:MQM9790/U1"), 65))
            .collect();
        for l in 0..16 {
            let leaf = room.switch(format!("MF0;pod{pod:02}-leaf{l:02}:MQM9790/U1"), 65);
            for h in 0..32 {
                let plug = room.next(leaf);
                let name = format!("h100-{:04} mlx5_{}", 64 * pod + 2 * h + l / 8, l % 8);
                room.host(name, plug, "4xNDR");
            }
            for &spine in &spines {
                room.join(leaf, spine, 2, "4xNDR");
            }
            room.aggregation(leaf, "4xNDR");
        }
        for (s, &spine) in spines.iter().enumerate() {
            for up in 0..32 {
                let core = cores[5 * s + (32 * pod + up) % 5];
                room.join(spine, core, 1, "4xNDR");
            }
            room.aggregation(spine, "4xNDR");
        }
    }
    for core in cores {
        room.aggregation(core, "4xNDR");
    }
    room
}

/// Thirteen pods of 20 leaves and 20 spines, 130 cores in ten planes, and 16 leaves of storage that hang on
/// the cores: 666 switches. A spine has 19 cables to 13 cores, one or two to each.
fn pods_666() -> Room {
    let mut room = Room::new("pods-and-storage");
    let cores: Vec<Device> = (0..130)
        .map(|c| {
            room.switch(
                format!("MF0;core{:02}-{:02}:MQM8790/U1", c / 13, c % 13),
                41,
            )
        })
        .collect();
    for pod in 0..13 {
        let spines: Vec<Device> = (0..20)
            .map(|s| room.switch(format!("MF0;p{pod:02}s{s:02}:MQM8790/U1"), 41))
            .collect();
        for l in 0..20 {
            let leaf = room.switch(format!("MF0;p{pod:02}l{l:02}:MQM8790/U1"), 41);
            for h in 0..20 {
                let plug = room.next(leaf);
                room.host(format!("c{pod:02}{l:02}{h:02} HCA-1"), plug, "4xHDR");
            }
            for &spine in &spines {
                room.join(leaf, spine, 1, "4xHDR");
            }
            room.aggregation(leaf, "4xHDR");
        }
        for (s, &spine) in spines.iter().enumerate() {
            let first = 19 * (2 * pod + s % 2);
            for up in 0..19 {
                room.join(spine, cores[13 * (s / 2) + (first + up) % 13], 1, "4xHDR");
            }
            room.aggregation(spine, "4xHDR");
        }
    }
    for l in 0..16 {
        let leaf = room.switch(format!("MF0;sto-l{l:02}:MQM8790/U1"), 41);
        for h in 0..8 {
            let plug = room.next(leaf);
            room.host(format!("lustre-oss{:03} mlx5_0", 8 * l + h), plug, "4xHDR");
        }
        for up in 0..16 {
            let place = 16 * l + up;
            // Two cables a core are free, two dozen and two a plane.
            room.join(leaf, cores[13 * (place % 10) + place / 10 % 13], 1, "4xHDR");
        }
        room.aggregation(leaf, "4xHDR");
    }
    for core in cores {
        room.aggregation(core, "4xHDR");
    }
    room
}

/// A tree of two generations: 24 leaves of 18 EDR hosts with six cables at EDR, 20 leaves of 40 hosts at half the
/// rate of HDR, on split cables, with ten cables at HDR; two leaves of storage at HDR.
fn two_generations() -> Room {
    let mut room = Room::new("generations");
    let spines: Vec<Device> = (1..=10)
        .map(|s| room.switch(format!("MF0;ib-spine{s:02}:MQM8700/U1"), 81))
        .collect();
    for l in 0..24 {
        let leaf = room.switch(format!("SwitchIB Mellanox Technologies old{l:02}"), 37);
        for h in 0..18 {
            let plug = room.next(leaf);
            room.host(format!("old{:04} mlx5_0", 18 * l + h), plug, "4xEDR");
        }
        for &spine in &spines {
            room.join(leaf, spine, 1, "4xEDR");
        }
        room.aggregation(leaf, "4xEDR");
    }
    for l in 0..22 {
        let is_storage = l >= 20;
        let leaf = room.switch(format!("MF0;ib-leaf{l:02}:MQM8700/U1"), 81);
        for h in 0..if is_storage { 16 } else { 40 } {
            let plug = room.next(leaf);
            let (name, rate) = if is_storage {
                (format!("nvme{:02} HCA-1", 16 * (l - 20) + h), "4xHDR")
            } else {
                (format!("new{:04} HCA-1", 40 * l + h), "2xHDR")
            };
            room.host(name, plug, rate);
        }
        for &spine in &spines {
            room.join(leaf, spine, 1, "4xHDR");
        }
        room.aggregation(leaf, "4xHDR");
    }
    for spine in spines {
        room.aggregation(spine, "4xHDR");
    }
    room
}

/// A director of 18 line modules and nine fabric modules, edge switches on it with hosts, hosts on two of
/// its line modules as well.
fn director() -> Room {
    let mut room = Room::new("director");
    let fabric: Vec<Device> = (1..=9)
        .map(|s| room.switch(format!("MF0;dir1:CS7510/S{s:02}/U1"), 37))
        .collect();
    let lines: Vec<Device> = (1..=18)
        .map(|l| room.switch(format!("MF0;dir1:CS7510/L{l:02}/U1"), 37))
        .collect();
    for &line in &lines {
        for &spine in &fabric {
            room.join(line, spine, 2, "4xEDR");
        }
    }
    for e in 0..16 {
        let edge = room.switch(format!("MF0;edge{e:02}:MSB7700/U1"), 37);
        for h in 0..20 {
            let plug = room.next(edge);
            room.host(format!("n{:04} HCA-1", 20 * e + h), plug, "4xEDR");
        }
        for &line in &lines[..16] {
            room.join(edge, line, 1, "4xEDR");
        }
        room.aggregation(edge, "4xEDR");
    }
    for (l, &line) in lines[16..].iter().enumerate() {
        for h in 0..16 {
            let plug = room.next(line);
            room.host(format!("io{:02} HCA-1", 16 * l + h), plug, "4xEDR");
        }
    }
    for switch in fabric.into_iter().chain(lines) {
        room.aggregation(switch, "4xEDR");
    }
    room
}

/// All of them, whole.
pub fn all() -> Vec<Room> {
    vec![
        gb200(),
        pod(),
        rails_206(),
        two_levels_192(),
        pods_400(),
        pods_666(),
        two_generations(),
        director(),
    ]
}
