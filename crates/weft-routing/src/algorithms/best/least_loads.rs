//! Loads that the largest of no tables is below, by where hosts hang alone.

use crate::load::whole_flows::over_some_port;
use crate::paths::PathSpace;
use weft_fabric::SwitchId;

/// What an end sends to all others fills its own link: less on the channels between switches gains nothing.
pub(super) fn of_end(hosts: &[u64]) -> u64 {
    hosts.iter().sum::<u64>().saturating_sub(1)
}

/// A load that the largest of no tables is below, by what [some port](over_some_port) of a switch takes.
///
/// Shapes: `hosts`, per switch.
pub(super) fn least_of_tables(space: &PathSpace, part: &[SwitchId], hosts: &[u64]) -> u64 {
    let all: u64 = hosts.iter().sum();
    let at = |switch: &SwitchId| {
        let edges = space.edge_ids(switch.number());
        let fastest = edges.map(|edge| space.slowness(edge)).min();
        over_some_port(space, *switch, hosts[switch.index()], all) * fastest.unwrap_or(0)
    };
    part.iter().map(at).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orient::routed_part;
    use crate::paths::TurnRule;
    use weft_fabric::degrade::{Chosen, Failures, degrade};
    use weft_fabric::generate::k_ary_n_tree;
    use weft_fabric::{Fabric, HostId, Node};

    fn least(fabric: &Fabric) -> u64 {
        let space = PathSpace::new(fabric, None, TurnRule::Free);
        let hosts = fabric
            .switch_ids()
            .map(|switch| fabric.hosts_of(switch).len() as u64);
        let hosts: Vec<u64> = hosts.collect();
        least_of_tables(&space, &routed_part(fabric).unwrap(), &hosts)
    }

    /// The four hosts of a leaf send to 60 others over four cables, or, when one has failed, to 20 over each of three,
    /// or over two.
    #[test]
    fn some_port_takes_what_the_others_cannot() {
        let tree = k_ary_n_tree(4, 3).unwrap();
        assert_eq!(least(&tree), 4 * 15);
        let space = PathSpace::new(&tree, None, TurnRule::Free);
        let leaf = tree.host_switch(HostId::new(0));
        let ports: Vec<String> = space
            .edges_of(leaf.number())
            .iter()
            .map(|edge| format!("{}:{}", tree.node_name(Node::Switch(leaf)), edge.port))
            .collect();
        for (failed, ports_left) in [(1, 3), (2, 2), (3, 1)] {
            let failures = Failures {
                links: Chosen::parse("links", &ports[..failed]).unwrap(),
                ..Failures::default()
            };
            let damaged = degrade(&tree, &failures).unwrap().fabric;
            assert_eq!(least(&damaged), 4 * 60_u64.div_ceil(ports_left));
        }
    }
}
