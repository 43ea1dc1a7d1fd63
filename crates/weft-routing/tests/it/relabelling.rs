//! What routes do not depend on: names, and where only ports decide, the numbers of switches.

use proptest::prelude::*;
use std::collections::BTreeMap;
use weft_fabric::generate::generate;
use weft_fabric::{Endpoint, Fabric, FabricBuilder, Host, Node, Switch, SwitchId};
use weft_routing::algorithms::ALGORITHMS;
use weft_testing::{cases, fabrics, host_pairs, plain_steps, route_or_refusal, route_spec};

/// The same fabric, its switches in another order: `order[new]` is the number before. Hosts, ports
/// and links stay where they are; every name is another.
fn relabelled(fabric: &Fabric, order: &[usize]) -> Fabric {
    let mut builder = FabricBuilder::new("relabelled");
    let mut renumbered = vec![SwitchId::new(0); order.len()];
    for &before in order {
        let ports = fabric.switch(SwitchId::from_index(before)).port_count;
        let name = format!("relabelled switch {before}");
        renumbered[before] = builder.add_switch(Switch::new(name, ports)).unwrap();
    }
    for host in fabric.host_ids() {
        let name = format!("relabelled host {}", fabric.host_count() - host.index());
        builder.add_host(Host::new(name)).unwrap();
    }
    let end = |end: Endpoint| Endpoint {
        node: match end.node {
            Node::Switch(switch) => Node::Switch(renumbered[switch.index()]),
            Node::Host(host) => Node::Host(host),
        },
        port: end.port,
    };
    for link in fabric.link_ids() {
        let [first, second] = fabric.link(link).ends.map(end);
        builder.add_link(first, second, None).unwrap();
    }
    builder.build().unwrap()
}

/// Routes that ports alone decide are the same from host to host whatever the switches' numbers.
fn check_by_ports_alone(fabric: &Fabric, order: &[usize], spec: &str) -> Result<(), TestCaseError> {
    let other = relabelled(fabric, order);
    let [before, after] = [fabric, &other].map(|fabric| route_spec(fabric, spec).unwrap().routes);
    for (source, destination) in host_pairs(fabric) {
        prop_assert_eq!(
            plain_steps(fabric, &before, source, destination),
            plain_steps(&other, &after, source, destination),
            "{} from {} to {}",
            spec,
            source,
            destination
        );
    }
    Ok(())
}

fn shuffled(count: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..count).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn names_do_not_matter(fabric in fabrics(1), seed in any::<u64>()) {
        let order: Vec<usize> = (0..fabric.switch_count()).collect();
        let other = relabelled(&fabric, &order);
        let parameters = BTreeMap::from([("seed".to_owned(), seed.to_string())]);
        for algorithm in ALGORITHMS {
            let mut given = parameters.clone();
            if algorithm.parameters.iter().all(|spec| spec.name != "seed") {
                given.clear();
            }
            let routings = [&fabric, &other]
                .map(|fabric| route_or_refusal(fabric, algorithm.name, &given));
            let [before, after] = routings.map(|routing| routing.map(|routing| routing.routes));
            prop_assert_eq!(before.is_some(), after.is_some());
            prop_assert!(before == after, "{} looks at names", algorithm.name);
        }
    }

    #[test]
    fn first_shortest_paths_permute_with_the_switches(
        (fabric, order) in fabrics(1).prop_flat_map(|fabric| {
            let order = shuffled(fabric.switch_count());
            (Just(fabric), order)
        }),
    ) {
        check_by_ports_alone(&fabric, &order, "minimal:selection=first,per=host")?;
    }
}

proptest! {
    #![proptest_config(cases(30))]

    /// A tree has no link between equal levels, so that no number decides which end is up.
    #[test]
    fn first_legal_paths_of_trees_permute_with_the_switches(order in shuffled(12)) {
        let parameters = [("k", "2"), ("n", "3")];
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let tree = generate("k_ary_n_tree", &BTreeMap::from(parameters)).unwrap();
        for spec in [
            "updown:root=tops,selection=first,per=host",
            "down_preferred:root=tops,selection=first,per=host",
            "minimal:selection=first,per=host",
        ] {
            check_by_ports_alone(&tree, &order, spec)?;
        }
    }
}
