//! Machines whose cables are in no order.

use super::Draw;
use super::dump::{Device, Room};

/// Sixteen leaves of 32 hosts and eight spines, four cables from leaf to spine, which are dealt out to the leaf's
/// ports as they come.
pub fn dealt_ports() -> Room {
    let mut room = Room::new("dealt");
    let spines: Vec<Device> = (0..8)
        .map(|s| room.switch(format!("MF0;sp{s:02}:MQM9790/U1"), 69))
        .collect();
    let mut draw = Draw::new(4);
    for l in 0..16 {
        let leaf = room.switch(format!("MF0;lf{l:02}:MQM9790/U1"), 69);
        for h in 0..32 {
            let plug = room.next(leaf);
            room.host(format!("n{l:02}{h:02} mlx5_0"), plug, "4xNDR");
        }
        let mut ups: Vec<Device> = spines.iter().flat_map(|&spine| [spine; 4]).collect();
        for last in (1..ups.len()).rev() {
            ups.swap(last, draw.below(last + 1));
        }
        for spine in ups {
            room.join(leaf, spine, 1, "4xNDR");
        }
        room.aggregation(leaf, "4xNDR");
    }
    for spine in spines {
        room.aggregation(spine, "4xNDR");
    }
    room
}
