//! Files that hold several networks: which of their parts are one, and which was cut off.

use weft_fabric::{
    Cable, Fabric, FabricBuilder, Host, LidRange, Node, Switch, SwitchId, narrow, subnets,
};

/// Leaves under spines, and computers with one adapter each on every leaf.
#[derive(Clone, Copy)]
struct Tree {
    leaves: usize,
    spines: usize,
    hosts: usize,
    adapter: usize,
    first_computer: usize,
    /// The network it is of: under the spines of the first tree there.
    network: usize,
    /// The leaf that has lost its links to the spines.
    cut: Option<usize>,
}

impl Tree {
    const fn new(leaves: usize, spines: usize, hosts: usize) -> Self {
        Self {
            leaves,
            spines,
            hosts,
            adapter: 0,
            first_computer: 0,
            network: 0,
            cut: None,
        }
    }

    const fn adapter(self, adapter: usize) -> Self {
        Self { adapter, ..self }
    }

    const fn network(self, network: usize) -> Self {
        Self { network, ..self }
    }

    const fn without(self, leaf: usize) -> Self {
        Self {
            cut: Some(leaf),
            ..self
        }
    }

    const fn from(self, first_computer: usize) -> Self {
        Self {
            first_computer,
            ..self
        }
    }
}

/// How managers number ports.
#[derive(Clone, Copy, PartialEq)]
enum Lids {
    /// No LID is known.
    Unknown,
    /// From 1 in every network.
    Own,
    /// From 1 over all, the switches of all networks first: one manager's.
    Shared,
    /// From 1, 1001, 2001, … .
    Ranges,
}

/// Trees in one fabric.
fn fabric(trees: &[Tree], lids: Lids) -> Fabric {
    let mut builder = FabricBuilder::new("machine");
    let mut network_of = [Vec::new(), Vec::new()];
    let mut spines: Vec<SwitchId> = Vec::new();
    let mut used: Vec<u8> = Vec::new();
    for (number, tree) in trees.iter().enumerate() {
        let add = |builder: &mut FabricBuilder, name: String| {
            builder.add_switch(Switch::new(name, 200)).unwrap()
        };
        if number == 0 || trees[number - 1].network != tree.network {
            spines = (0..tree.spines)
                .map(|spine| add(&mut builder, format!("spine {number} {spine}")))
                .collect();
            used = vec![0; tree.spines];
            network_of[0].extend(vec![tree.network; tree.spines]);
        }
        for leaf in 0..tree.leaves {
            let id = add(&mut builder, format!("leaf {number} {leaf}"));
            network_of[0].push(tree.network);
            for host in 0..tree.hosts {
                let computer = tree.first_computer + leaf * tree.hosts + host;
                let name = format!("c{computer:03} mlx5_{}", tree.adapter);
                let host = builder.add_host(Host::new(name)).unwrap();
                network_of[1].push(tree.network);
                let at: u8 = narrow(host.index() % tree.hosts + 1, "few hosts");
                builder
                    .add_link(
                        Node::Host(host).at(1),
                        Node::Switch(id).at(at),
                        Cable::UNKNOWN,
                    )
                    .unwrap();
            }
            if tree.cut == Some(leaf) {
                continue;
            }
            for (spine, &above) in spines.iter().enumerate() {
                used[spine] += 1;
                let at: u8 = narrow(100 + spine, "few spines");
                builder
                    .add_link(
                        Node::Switch(id).at(at),
                        Node::Switch(above).at(used[spine]),
                        Cable::UNKNOWN,
                    )
                    .unwrap();
            }
        }
    }
    let mut next: Vec<u16> = (0..trees.len())
        .map(|number| match lids {
            Lids::Ranges => 1000 * u16::try_from(number).unwrap(),
            _ => 0,
        })
        .collect();
    let numbered = network_of.map(|nodes| {
        let of_nodes = nodes.into_iter().map(|network| {
            let manager = if lids == Lids::Shared { 0 } else { network };
            next[manager] += 1;
            LidRange::new(next[manager], 0).filter(|_| lids != Lids::Unknown)
        });
        of_nodes.collect::<Vec<_>>()
    });
    let [switches, hosts] = numbered;
    builder.build().unwrap().with_lids(switches, hosts)
}

/// How many switches and hosts each network has.
fn sizes(fabric: &Fabric) -> Vec<(usize, usize)> {
    let networks = fabric.clone().into_subnets();
    assert_eq!(networks.len(), subnets(fabric).len());
    networks
        .iter()
        .map(|network| (network.switch_count(), network.host_count()))
        .collect()
}

const ALL: [Lids; 4] = [Lids::Unknown, Lids::Own, Lids::Shared, Lids::Ranges];

#[test]
fn planes_of_the_same_computers_are_networks_whatever_their_lids() {
    let plane = Tree::new(12, 6, 24);
    for lids in ALL {
        let two = fabric(&[plane, plane.adapter(1).network(1)], lids);
        assert_eq!(sizes(&two), [(18, 288); 2]);
    }
}

#[test]
fn one_adapter_of_nine_in_a_network_for_storage_is_a_plane() {
    let rails = (0..8).map(|rail| Tree::new(4, 8, 16).adapter(rail));
    let storage = Tree::new(4, 2, 16).adapter(8).network(1);
    let trees: Vec<Tree> = rails.chain([storage]).collect();
    for lids in ALL {
        assert_eq!(sizes(&fabric(&trees[..8], lids)), [(40, 512)]);
        assert_eq!(sizes(&fabric(&trees, lids)), [(40, 512), (6, 64)]);
    }
}

#[test]
fn a_leaf_cut_off_belongs_to_the_plane_that_its_computers_lack() {
    let plane = Tree::new(8, 4, 20);
    let planes = [
        plane,
        plane.adapter(1).network(1),
        plane.adapter(2).network(2).without(2),
        plane.adapter(3).network(3),
    ];
    for lids in ALL {
        let four = fabric(&planes, lids);
        assert_eq!(sizes(&four), [(12, 160); 4]);
        let parts = weft_fabric::metrics::connected_parts(&four.into_subnets()[2]);
        assert_eq!(
            parts.iter().map(Vec::len).collect::<Vec<_>>(),
            [11, 1],
            "the leaf is told as cut off"
        );
    }
}

#[test]
fn a_leaf_cut_off_from_joined_rails_is_no_network() {
    // The smallest machine, where the leaf has a quarter of the ends, and one of a single rack, where it
    // has an end of every computer.
    let small = Tree::new(2, 2, 2);
    let rack = Tree::new(1, 4, 8);
    let rails = |tree: Tree, count: usize| -> Vec<Tree> {
        let last = tree.adapter(count - 1).without(0);
        let others = (0..count - 1).map(|rail| tree.adapter(rail));
        others.chain([last]).collect()
    };
    for lids in [Lids::Shared, Lids::Ranges] {
        assert_eq!(sizes(&fabric(&rails(small, 2), lids)), [(6, 8)]);
        assert_eq!(sizes(&fabric(&rails(rack, 8), lids)), [(12, 64)]);
    }
    assert_eq!(sizes(&fabric(&rails(rack, 8), Lids::Unknown)), [(12, 64)]);
}

#[test]
fn networks_of_different_computers_are_told_by_their_lids() {
    let trees = [
        Tree::new(12, 6, 24),
        Tree::new(4, 2, 16).from(900).network(1),
    ];
    for lids in [Lids::Own, Lids::Ranges] {
        assert_eq!(sizes(&fabric(&trees, lids)), [(18, 288), (6, 64)]);
    }
    // One manager numbered both, or nothing tells: one network of which a part was cut off.
    for lids in [Lids::Shared, Lids::Unknown] {
        assert_eq!(sizes(&fabric(&trees, lids)), [(24, 352)]);
    }
    // Unless they are of like size, as a discovery comes to no part that is cut off.
    let alike = [trees[0], Tree::new(8, 4, 16).from(900).network(1)];
    for lids in [Lids::Own, Lids::Ranges, Lids::Shared] {
        assert_eq!(sizes(&fabric(&alike, lids)), [(18, 288), (12, 128)]);
    }
    assert_eq!(sizes(&fabric(&alike, Lids::Unknown)), [(30, 416)]);
    // A leaf that is cut off belongs to the network whose LIDs are around its own.
    let cut = [trees[0], trees[1].without(1)];
    assert_eq!(sizes(&fabric(&cut, Lids::Ranges)), [(18, 288), (6, 64)]);
}
