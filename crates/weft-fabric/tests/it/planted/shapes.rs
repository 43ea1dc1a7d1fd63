//! Fabrics of many shapes, as machine rooms have them.

use weft_fabric::generate::{dragonfly, hyperx, k_ary_n_tree, torus, xgft};
use weft_fabric::{Fabric, FabricBuilder, Host, Node, ServiceReason, Switch, SwitchId};

/// A fabric that is wired port by port.
pub(super) struct Room {
    builder: FabricBuilder,
    used: Vec<u8>,
    hosts: usize,
}

impl Room {
    pub(super) fn new(name: &str) -> Self {
        Self {
            builder: FabricBuilder::new(name),
            used: Vec::new(),
            hosts: 0,
        }
    }

    pub(super) fn switches(&mut self, name: &str, count: usize, ports: u8) -> Vec<SwitchId> {
        (0..count)
            .map(|number| {
                self.used.push(0);
                let switch = Switch::new(format!("{name}{number}"), ports);
                self.builder.add_switch(switch).unwrap()
            })
            .collect()
    }

    fn next(&mut self, switch: SwitchId) -> u8 {
        self.used[switch.index()] += 1;
        self.used[switch.index()]
    }

    pub(super) fn hosts(&mut self, switch: SwitchId, count: usize) {
        for _ in 0..count {
            let port = self.next(switch);
            let host = Host::new(format!("node{}", self.hosts));
            self.host(host, switch, port);
        }
    }

    /// An adapter that serves the network.
    pub(super) fn service_at(&mut self, switch: SwitchId, port: u8) {
        let host = Host {
            service: Some(ServiceReason::InsideSwitch),
            ..Host::new(format!("aggregation node {}", self.hosts))
        };
        self.host(host, switch, port);
    }

    fn host(&mut self, host: Host, switch: SwitchId, port: u8) {
        self.hosts += 1;
        let host = self.builder.add_host(host).unwrap();
        let rate = Some("4xEDR".parse().unwrap());
        let ends = [Node::Host(host).at(1), Node::Switch(switch).at(port)];
        self.builder.add_link(ends[0], ends[1], rate).unwrap();
    }

    pub(super) fn join(&mut self, a: SwitchId, b: SwitchId, count: usize) {
        for _ in 0..count {
            let ports = [a, b].map(|switch| self.next(switch));
            self.cable([a, b], ports);
        }
    }

    pub(super) fn cable(&mut self, [a, b]: [SwitchId; 2], [at, to]: [u8; 2]) {
        let ends = [Node::Switch(a).at(at), Node::Switch(b).at(to)];
        let rate = Some("4xEDR".parse().unwrap());
        self.builder.add_link(ends[0], ends[1], rate).unwrap();
    }

    pub(super) fn build(self) -> Fabric {
        self.builder.build().unwrap()
    }
}

/// Two directors of 27 leaf and 18 spine modules, every module with an aggregation node in its last
/// port; 84 edge switches of 19 or 18 hosts, nine links each to nine leaf modules of a group.
pub(super) fn directors() -> Fabric {
    let mut room = Room::new("directors");
    let edges = room.switches("edge", 84, 37);
    let mut modules = Vec::new();
    for director in ["core1", "core2"] {
        let leaves = room.switches(&format!("{director}/L"), 27, 37);
        let spines = room.switches(&format!("{director}/S"), 18, 37);
        for &leaf in &leaves {
            for &spine in &spines {
                room.join(leaf, spine, 1);
            }
        }
        for &spine in &spines {
            room.service_at(spine, 37);
        }
        modules.extend(leaves);
    }
    for (number, &edge) in edges.iter().enumerate() {
        let group = number / 14;
        for &leaf in modules.iter().skip(group).step_by(6) {
            room.join(edge, leaf, 1);
        }
        room.hosts(edge, if number % 5 == 0 { 17 } else { 18 });
        room.service_at(edge, 37);
    }
    for &leaf in &modules {
        room.service_at(leaf, 37);
    }
    room.build()
}

/// Eight rails of four leaves each; every leaf has two links to each of eight spines, three leaves
/// of storage have one.
pub(super) fn rails() -> Fabric {
    let mut room = Room::new("rails");
    let leaves = room.switches("rail", 32, 40);
    let storage = room.switches("storage", 3, 40);
    let spines = room.switches("spine", 8, 80);
    for &leaf in &leaves {
        room.hosts(leaf, 20);
    }
    for &leaf in &storage {
        room.hosts(leaf, 12);
    }
    for &spine in &spines {
        for &leaf in &leaves {
            room.join(leaf, spine, 2);
        }
        for &leaf in &storage {
            room.join(leaf, spine, 1);
        }
    }
    // Service adapters on spines.
    for &spine in &spines[..3] {
        room.service_at(spine, 80);
    }
    room.build()
}

/// A tree of two levels whose leaves are not equally full and whose cables are in the spines' ports
/// in no order.
pub(super) fn unordered() -> Fabric {
    let mut room = Room::new("unordered");
    let leaves = room.switches("leaf", 30, 36);
    let spines = room.switches("spine", 10, 36);
    for (number, &leaf) in leaves.iter().enumerate() {
        room.hosts(leaf, 10 + number % 9);
    }
    for (number, &leaf) in leaves.iter().enumerate() {
        for place in 0..spines.len() {
            room.join(leaf, spines[(place * 3 + number * 7) % spines.len()], 1);
        }
    }
    room.build()
}

/// All shapes.
pub(super) fn all() -> Vec<Fabric> {
    vec![
        directors(),
        rails(),
        unordered(),
        xgft(&[18, 14], &[1, 6]).unwrap(),
        // 160 switches, 40 switches, 666, 400.
        xgft(&[12, 12, 8], &[1, 4, 4]).unwrap(),
        xgft(&[18, 30], &[1, 10]).unwrap(),
        k_ary_n_tree(4, 3).unwrap(),
        k_ary_n_tree(8, 3).unwrap(),
        xgft(&[20, 20, 18], &[1, 10, 6]).unwrap(),
        xgft(&[16, 16, 20], &[1, 4, 5]).unwrap(),
        dragonfly(2, 4, 2).unwrap(),
        dragonfly(4, 8, 4).unwrap(),
        hyperx(&[4, 4], &[1, 1], 2).unwrap(),
        hyperx(&[6, 4], &[2, 3], 4).unwrap(),
        torus(8, 8, 4).unwrap(),
        torus(6, 4, 2).unwrap(),
    ]
}
