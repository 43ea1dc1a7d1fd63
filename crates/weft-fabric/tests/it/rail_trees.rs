//! Rail-optimised trees: who hangs on which leaf, and which leaves spines join.

use crate::topologies::neighbours;
use weft_fabric::SwitchId;
use weft_fabric::generate::{RailTreeParameters, rail_tree};
use weft_fabric::metrics::figures;

/// Two units of three computers with two adapters of two ports: plane by plane four leaves, each with an adapter of three
/// computers, and spines below which all leaves are, or those of one rail.
#[test]
fn rail_trees_give_each_adapter_a_rail_and_each_port_a_plane() {
    let parameters = RailTreeParameters {
        units: 2,
        computers: 3,
        rails: 2,
        planes: 2,
        spines: 3,
        are_rails_apart: false,
        links: 2,
    };
    let joined = rail_tree(parameters).unwrap();
    let apart = RailTreeParameters {
        are_rails_apart: true,
        ..parameters
    };
    let apart = rail_tree(apart).unwrap();
    assert_eq!(joined.name(), "rail-tree-u2-n3-r2-planes2");
    let names = |switch| {
        let hosts = joined.hosts_of(SwitchId::new(switch)).iter();
        let names = hosts.map(|&host| joined.host(host).name.clone());
        names.collect::<Vec<_>>()
    };
    // Unit 1, rail 0 of the first plane; the second begins behind four leaves and three spines.
    let ends = |port| [3, 4, 5].map(|node| format!("node{node} mlx5_0 port {port}"));
    assert_eq!(names(2), ends(1));
    assert_eq!(names(7 + 2), ends(2));
    assert_eq!(neighbours(&joined, 2), [4, 4, 5, 5, 6, 6]);
    assert_eq!(neighbours(&joined, 4), [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(neighbours(&apart, 2), [4, 4, 5, 5, 6, 6]);
    assert_eq!(neighbours(&apart, 3), [7, 7, 8, 8, 9, 9]);
    assert_eq!(neighbours(&apart, 7), [1, 1, 3, 3]);
    for (fabric, switches, parts) in [(joined, 14, 2), (apart, 20, 4)] {
        let found = figures(&fabric);
        assert_eq!(
            (found.switches, found.hosts, found.components),
            (switches, 24, parts)
        );
        assert_eq!(found.switch_links, 2 * 4 * 3 * 2);
    }
}
