//! Distances, parts and counts against closed forms, published values and a second algorithm.

use petgraph::algo::{connected_components, dijkstra};
use petgraph::graph::{NodeIndex, UnGraph};
use proptest::prelude::*;
use weft_fabric::generate::{IrregularParameters, express_torus, irregular, mesh, torus};
use weft_fabric::metrics::{self, FabricFigures, UNREACHABLE};
use weft_fabric::{Fabric, FabricBuilder, Host, LinkRate, Node, PortNumber, Switch, SwitchId};

fn close(found: Option<f64>, expected: f64, tolerance: f64) {
    let found = found.unwrap();
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

#[test]
fn distances_of_regular_networks_match_the_literature() {
    // Mean in links over distinct pairs, and the most.
    for (fabric, mean, tolerance, most) in [
        (torus(8, 8, 8), 4.0635, 5e-5, 8),
        (express_torus(8, 8, 8), 2.54, 5e-3, 4),
    ] {
        let figures = metrics::figures(&fabric.unwrap());
        close(figures.mean_distance_links, mean, tolerance);
        assert_eq!(figures.diameter_links, Some(most));
    }
    // Switches on the path over all pairs, and the most.
    for (fabric, mean, most) in [
        (mesh(4, 4, 4), 3.50, 7),
        (torus(4, 4, 4), 3.00, 5),
        (torus(4, 2, 4), 2.50, 4),
        (torus(8, 1, 4), 3.00, 5),
    ] {
        let figures = metrics::figures(&fabric.unwrap());
        close(figures.mean_path_switches, mean, 1e-12);
        assert_eq!(figures.max_path_switches, Some(most));
    }
}

/// Ten networks a size. One network's mean varies by 0.05 links (standard deviation), so two means
/// of ten differ by less than 0.05 in 97 of 100 cases.
#[test]
fn mean_distances_of_irregular_networks_match_the_reference() {
    for (switches, expected) in [(8, 1.43), (16, 1.97), (32, 2.54), (64, 3.16)] {
        let mean = (1..=10)
            .map(|seed| {
                let parameters = IrregularParameters {
                    switches,
                    seed,
                    ..IrregularParameters::default()
                };
                let figures = metrics::figures(&irregular(&parameters).unwrap());
                assert!(switches > 8 || figures.diameter_links == Some(2));
                figures.mean_distance_links.unwrap()
            })
            .sum::<f64>()
            / 10.0;
        close(Some(mean), expected, 0.05);
    }
}

#[test]
fn counts_add_up() {
    let figures = metrics::figures(&torus(4, 4, 3).unwrap());
    assert_eq!(
        (figures.switches, figures.hosts, figures.links),
        (16, 48, 80)
    );
    assert_eq!((figures.switch_links, figures.host_links), (32, 48));
    assert_eq!(
        (
            figures.self_links,
            figures.parallel_links,
            figures.components
        ),
        (0, 0, 1)
    );
    assert_eq!(figures.radix_max, 7);
    assert_eq!(
        (figures.hosts_per_switch_min, figures.hosts_per_switch_max),
        (3, 3)
    );
    close(Some(figures.hosts_per_switch_mean), 3.0, 0.0);
    assert!(figures.rates.is_empty());
}

/// Two switches joined by three cables (two rates), one of them with a loop, and a third switch
/// apart from them.
fn two_parts() -> Fabric {
    let mut builder = FabricBuilder::new("parts");
    let switches = ["a", "b", "c"].map(|name| builder.add_switch(Switch::new(name, 9)).unwrap());
    let end = |switch: usize, port| Node::Switch(switches[switch]).at(port);
    let rate = |text: &str| Some(text.parse::<LinkRate>().unwrap());
    builder
        .add_link(end(0, 1), end(1, 1), rate("4xHDR"))
        .unwrap();
    builder
        .add_link(end(1, 2), end(0, 2), rate("4xHDR"))
        .unwrap();
    builder
        .add_link(end(0, 3), end(1, 3), rate("1xSDR"))
        .unwrap();
    builder.add_link(end(0, 8), end(0, 9), None).unwrap();
    for (number, switch) in [(0, 0), (1, 0), (2, 2)] {
        let host = builder.add_host(Host::new(format!("h{number}"))).unwrap();
        builder
            .attach_host(host, switches[switch], PortNumber::new(4 + number))
            .unwrap();
    }
    builder.build().unwrap()
}

#[test]
fn parts_loops_and_parallel_links_are_told_apart() {
    let fabric = two_parts();
    let FabricFigures {
        rates,
        hosts_per_switch_mean,
        ..
    } = metrics::figures(&fabric);
    assert_eq!(
        rates,
        [("1xSDR".to_owned(), 1), ("4xHDR".to_owned(), 2)].into()
    );
    close(Some(hosts_per_switch_mean), 1.0, 0.0);
    let figures = metrics::figures(&fabric);
    assert_eq!(
        (figures.links, figures.switch_links, figures.host_links),
        (7, 4, 3)
    );
    assert_eq!(
        (
            figures.self_links,
            figures.parallel_links,
            figures.components
        ),
        (1, 2, 2)
    );
    assert_eq!(
        (figures.hosts_per_switch_min, figures.hosts_per_switch_max),
        (0, 2)
    );
    assert_eq!(figures.diameter_links, None);
    assert_eq!(figures.mean_distance_links, None);
    assert_eq!(figures.mean_path_switches, None);
    let parts = metrics::connected_parts(&fabric);
    assert_eq!(
        parts,
        [
            vec![SwitchId::new(0), SwitchId::new(1)],
            vec![SwitchId::new(2)]
        ]
    );
    assert_eq!(
        metrics::distances_from(&fabric, SwitchId::new(1)),
        [1, 0, UNREACHABLE]
    );
}

#[test]
fn a_single_switch_has_paths_but_no_distances() {
    let figures = metrics::figures(&mesh(1, 1, 2).unwrap());
    assert_eq!(figures.diameter_links, Some(0));
    assert_eq!(figures.mean_distance_links, None);
    close(figures.mean_path_switches, 1.0, 0.0);
    assert_eq!(figures.max_path_switches, Some(1));
}

/// Any wiring of up to nine switches: each pair of numbers asks for a link, ports are taken in
/// order.
fn any_wiring() -> impl Strategy<Value = Fabric> {
    (
        1_u8..10,
        proptest::collection::vec((0_u8..10, 0_u8..10), 0..30),
    )
        .prop_map(|(switch_count, wanted)| {
            let mut builder = FabricBuilder::new("random");
            for number in 0..switch_count {
                let name = format!("sw{number}");
                builder.add_switch(Switch::new(name, 80)).unwrap();
            }
            let mut used = vec![0_u8; usize::from(switch_count)];
            for (a, b) in wanted {
                let ends = [a % switch_count, b % switch_count].map(|switch| {
                    used[usize::from(switch)] += 1;
                    Node::Switch(SwitchId::new(switch.into())).at(used[usize::from(switch)])
                });
                builder.add_link(ends[0], ends[1], None).unwrap();
            }
            builder.build().unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distances_and_parts_agree_with_petgraph(fabric in any_wiring()) {
        let mut graph = UnGraph::<(), ()>::new_undirected();
        let nodes: Vec<NodeIndex> = fabric.switch_ids().map(|_| graph.add_node(())).collect();
        for link in fabric.link_ids().map(|id| fabric.link(id)) {
            if let [Node::Switch(a), Node::Switch(b)] = link.ends.map(|end| end.node) {
                graph.add_edge(nodes[a.index()], nodes[b.index()], ());
            }
        }
        let figures = metrics::figures(&fabric);
        prop_assert_eq!(figures.components, connected_components(&graph));
        prop_assert_eq!(metrics::connected_parts(&fabric).len(), figures.components);
        let others: Vec<SwitchId> = fabric.switch_ids().step_by(2).collect();
        let sums = metrics::distance_sums(&fabric, &others);
        let mut longest = 0;
        let mut total = 0;
        for source in fabric.switch_ids() {
            let expected = dijkstra(&graph, nodes[source.index()], None, |_| 1_u32);
            let found = metrics::distances_from(&fabric, source);
            let to_others = others.iter().map(|other| found[other.index()]);
            let reached = to_others.filter(|&links| links != UNREACHABLE);
            prop_assert_eq!(sums[source.index()], reached.map(u64::from).sum::<u64>());
            for switch in fabric.switch_ids() {
                let distance = expected.get(&nodes[switch.index()]).copied();
                prop_assert_eq!(found[switch.index()], distance.unwrap_or(UNREACHABLE));
                longest = longest.max(distance.unwrap_or(0));
                total += distance.unwrap_or(0);
            }
        }
        let connected = figures.components == 1;
        prop_assert_eq!(figures.diameter_links, connected.then_some(longest));
        let switches = f64::from(u32::try_from(figures.switches).unwrap());
        if connected && figures.switches > 1 {
            close(
                figures.mean_distance_links,
                f64::from(total) / switches / (switches - 1.0),
                1e-12,
            );
        }
    }
}
