//! Trees whose leaves or spines are not alike, or have many cables to each spine.

use super::dump::{Device, Room};

/// Eleven leaves of 32 hosts with two cables to each of sixteen spines, eight of 40 hosts at half the rate with one, and one
/// of eight hosts with one to four of the spines: that is how they were bought.
pub fn unequal_uplinks() -> Room {
    let mut room = Room::new("unequal");
    let spines: Vec<Device> = (0..16)
        .map(|s| room.switch(format!("MF0;hs-spine{s:02}:MQM9790/U1"), 65))
        .collect();
    for l in 0..20_u8 {
        let (kind, hosts, rate, cables) = match l {
            0..11 => ("gpu", 32, "4xNDR", 2),
            11..19 => ("cpu", 40, "2xNDR", 1),
            _ => ("svc", 8, "4xNDR", 1),
        };
        let leaf = room.switch(format!("MF0;hs-{kind}{l:02}:MQM9790/U1"), 65);
        for h in 0..hosts {
            let plug = room.next(leaf);
            room.host(format!("{kind}{l:02}{h:02} mlx5_0"), plug, rate);
        }
        for (place, &spine) in (0..).zip(&spines) {
            if kind == "svc" && place % 4 > 0 {
                continue;
            }
            for cable in 0..cables {
                let port: u8 = 41 + 2 * place + cable;
                let up = if port < 65 {
                    (leaf, port)
                } else {
                    room.next(leaf)
                };
                room.cable(up, (spine, 1 + 2 * l + cable), "4xNDR");
            }
        }
        room.aggregation(leaf, "4xNDR");
    }
    for spine in spines {
        room.aggregation(spine, "4xNDR");
    }
    room
}

/// Eight leaves of 24 hosts and four spines, six cables from leaf to spine.
pub fn wide_trunks() -> Room {
    let mut room = Room::new("wide");
    let spines: Vec<Device> = (0..4)
        .map(|s| room.switch(format!("MF0;plane-spine{s}:MQM9790/U1"), 65))
        .collect();
    for l in 0..8 {
        let leaf = room.switch(format!("MF0;plane-leaf{l}:MQM9790/U1"), 65);
        for h in 0..24 {
            let plug = room.next(leaf);
            room.host(format!("node{:03} mlx5_0", 24 * l + h), plug, "4xNDR");
        }
        for &spine in &spines {
            room.join(leaf, spine, 6, "4xNDR");
        }
        room.aggregation(leaf, "4xNDR");
    }
    for spine in spines {
        room.aggregation(spine, "4xNDR");
    }
    room
}

/// Twenty-four leaves of 36 hosts, four rails of six groups of racks, whose 28 cables up do not divide by sixteen spines: two
/// to each of twelve, one to each of the other four, which so have half of the cables of others.
pub fn unequal_spines() -> Room {
    let mut room = Room::new("unequal-spines");
    let spines: Vec<Device> = (1..=16)
        .map(|s| room.switch(format!("MF0;xdr-spine{s:02}:MQM9700/U1"), 65))
        .collect();
    for l in 0..24_u8 {
        let name = format!("MF0;su{}-rail{}:MQM9700/U1", l / 4 + 1, l % 4 + 1);
        let leaf = room.switch(name, 65);
        for h in 0..36 {
            let name = format!("gb-{:02}-{:02} mlx5_{}", l / 4 * 2 + h / 18, h % 18, l % 4);
            room.host(name, (leaf, h + 1), "4xNDR");
        }
        for place in 0..28_u8 {
            let (spine, second) = (usize::from(place % 16), place / 16);
            let up = (leaf, 37 + place);
            room.cable(up, (spines[spine], 1 + 24 * second + l), "4xNDR");
        }
        room.aggregation(leaf, "4xNDR");
    }
    for spine in spines {
        room.aggregation(spine, "4xNDR");
    }
    room
}

/// Eight rails of two leaves and ten spines, and thirty cores: the cables of one spine after the other go on to the next
/// twelve of the cores, so that one in five has the same twelve, and others six of them.
pub fn cores_in_turn() -> Room {
    const CORES: u8 = 30;
    const UP: u8 = 12;
    let mut room = Room::new("cores-in-turn");
    let cores: Vec<Device> = (1..=CORES)
        .map(|c| room.switch(format!("MF0;core-{c:02}:MQM8700/U1"), 41))
        .collect();
    let mut laid = 0_u16;
    for rail in 1..=8 {
        let leaves = [1, 2].map(|l| room.switch(format!("MF0;su{l}-rail{rail}:MQM8700/U1"), 41));
        for (l, leaf) in leaves.into_iter().enumerate() {
            for h in 0..20 {
                let plug = room.next(leaf);
                let name = format!("dgx{:03} mlx5_{}", 20 * l + h, rail - 1);
                room.host(name, plug, "4xHDR");
            }
        }
        for s in 1..=10_u8 {
            let spine = room.switch(format!("MF0;spine-r{rail}-{s:02}:MQM8700/U1"), 41);
            for (l, leaf) in (0..).zip(leaves) {
                for cable in 1..=2 {
                    let up = 20 + 2 * (s - 1) + cable;
                    room.cable((leaf, up), (spine, 2 * l + cable), "4xHDR");
                }
            }
            for up in 0..UP {
                let core = cores[usize::from(laid % u16::from(CORES))];
                let plug = room.next(core);
                room.cable((spine, 25 + up), plug, "4xHDR");
                laid += 1;
            }
        }
    }
    room
}

/// Eight pods of six leaves and four spines, whose spines in the same place share one core, or two where there are as many.
pub fn pods_on_few_cores(cores: u8) -> Room {
    const SPINES: u8 = 4;
    let mut room = Room::new("pods-on-few-cores");
    let cores: Vec<Device> = (0..cores)
        .map(|c| room.switch(format!("MF0;core{c}:MQM9700/U1"), 64))
        .collect();
    for pod in 0..8_u8 {
        let leaves: Vec<Device> = (0..6)
            .map(|l| room.switch(format!("MF0;pod{pod}-leaf{l}:MQM9700/U1"), 64))
            .collect();
        for (l, &leaf) in leaves.iter().enumerate() {
            for h in 0..4 {
                let plug = room.next(leaf);
                room.host(format!("pod{pod}-{l}-{h} mlx5_0"), plug, "4xNDR");
            }
        }
        for s in 0..SPINES {
            let spine = room.switch(format!("MF0;pod{pod}-spine{s}:MQM9700/U1"), 64);
            for &leaf in &leaves {
                room.join(leaf, spine, 1, "4xNDR");
            }
            for &core in cores.iter().skip(usize::from(s)).step_by(SPINES.into()) {
                let plug = room.next(spine);
                room.cable(plug, (core, pod + 1), "4xNDR");
            }
        }
    }
    room
}
