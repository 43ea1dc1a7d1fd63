//! Bounds on the bisection width: exact where the width is known, never past it elsewhere.

use proptest::prelude::*;
use weft_fabric::generate::{
    ClosReading, CplantReading, IrregularLinks, IrregularParameters, cplant, express_torus,
    hypercube, hyperx, irregular, k_ary_n_tree, mesh, mesh_of, myrinet_clos, rhinet_tree, ring,
    torus, torus_of, xgft,
};
use weft_fabric::metrics::Bisection;
use weft_fabric::{Fabric, Node};

/// Counts the links between the halves found, their hosts, and checks both.
fn checked(fabric: &Fabric) -> Bisection {
    let found = Bisection::of(fabric);
    let mut cut = 0;
    for link in fabric.link_ids().map(|id| fabric.link(id)) {
        if let [Node::Switch(a), Node::Switch(b)] = link.ends.map(|end| end.node) {
            cut += u64::from(found.is_second[a.index()] != found.is_second[b.index()]);
        }
    }
    assert_eq!(cut, found.at_most_links, "{}", fabric.name());
    let mut sizes = [0; 2];
    let mut most = 0;
    for switch in fabric.switch_ids() {
        let hosts = match fabric.host_count() {
            0 => 1,
            _ => fabric.hosts_of(switch).len() as u64,
        };
        sizes[usize::from(found.is_second[switch.index()])] += hosts;
        most = most.max(hosts);
    }
    assert_eq!(sizes, found.sizes);
    assert!(sizes[0].abs_diff(sizes[1]) <= most);
    assert!(
        found
            .at_least_links
            .is_none_or(|least| least <= found.at_most_links)
    );
    found
}

#[test]
fn the_width_of_known_topologies_is_found() {
    let clos = |reading| myrinet_clos(reading, 4).unwrap();
    let cases = [
        // Published for the RHiNET study, in links.
        (mesh(4, 4, 4), 4),
        (torus(4, 4, 4), 8),
        (torus(4, 2, 4), 4),
        (ring(8, 4), 2),
        (Ok(clos(ClosReading::BothSides)), 8),
        (rhinet_tree(2, 4, 1, 4), 4),
        (rhinet_tree(2, 4, 2, 4), 4),
        // Closed forms.
        (mesh(1, 1, 4), 0),
        (mesh(5, 1, 1), 1),
        (ring(9, 2), 2),
        (mesh(8, 6, 2), 6),
        (torus(8, 8, 8), 16),
        (torus_of(&[8, 8, 4], 1), 64),
        (mesh_of(&[6, 2, 4], 1), 8),
        (express_torus(8, 8, 8), 48),
        (hypercube(3, 1), 4),
        (hypercube(8, 1), 128),
        (hyperx(&[8], &[1], 1), 16),
        (hyperx(&[7], &[2], 1), 24),
        (k_ary_n_tree(4, 2), 8),
        (k_ary_n_tree(4, 3), 32),
        (xgft(&[18, 14], &[1, 6]), 42),
    ];
    for (fabric, width) in cases {
        let fabric = fabric.unwrap();
        assert_eq!(checked(&fabric).at_most_links, width, "{}", fabric.name());
    }
}

#[test]
fn an_even_flow_proves_some_widths() {
    for (fabric, width) in [
        (torus(4, 4, 4), 8),
        (torus(8, 8, 8), 16),
        (ring(8, 4), 2),
        (hypercube(6, 2), 32),
        (rhinet_tree(2, 4, 2, 4), 4),
        (hyperx(&[8], &[1], 1), 16),
    ] {
        let found = checked(&fabric.unwrap());
        assert_eq!(found.at_least_links, Some(width));
        assert_eq!(found.at_most_links, width);
    }
    let cplant = checked(&cplant(CplantReading::CubeOfHypercubes, 8).unwrap());
    assert!(cplant.at_least_links.unwrap() > 20);
}

/// The least cut of all halves that are as alike as the search may make them.
fn exact_width(fabric: &Fabric) -> u64 {
    let switches = fabric.switch_count();
    let mut weights: Vec<u64> = fabric
        .switch_ids()
        .map(|switch| fabric.hosts_of(switch).len() as u64)
        .collect();
    if fabric.host_count() == 0 {
        weights.fill(1);
    }
    let (total, most): (u64, u64) = (weights.iter().sum(), *weights.iter().max().unwrap());
    (0_u32..1 << switches)
        .filter(|halves| {
            let second: u64 = (0..switches)
                .filter(|switch| halves >> switch & 1 == 1)
                .map(|switch| weights[switch])
                .sum();
            total.abs_diff(2 * second) <= most
        })
        .map(|halves| {
            fabric
                .switch_ids()
                .flat_map(|switch| {
                    fabric
                        .hops(switch)
                        .iter()
                        .map(move |hop| (switch, hop.switch))
                })
                .filter(|(a, b)| a < b && (halves >> a.index() ^ halves >> b.index()) & 1 == 1)
                .count() as u64
        })
        .min()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_exact_width_lies_between_the_bounds(
        switches in 3_u32..11,
        seed in any::<u64>(),
        lost in prop::collection::vec(0_usize..40, 0..25),
    ) {
        let fabric = irregular(&IrregularParameters {
            switches,
            hosts_per_switch: 4,
            ports_per_switch: 4 + 4.min(switches - 1),
            links: IrregularLinks::RandomCount,
            seed,
        }).unwrap();
        // Hosts taken away leave switches of different weight, none among them.
        let lost = lost.iter().map(|host| format!("host{}", host % fabric.host_count()));
        let failures = weft_fabric::degrade::Failures {
            hosts: weft_fabric::degrade::Chosen { names: lost.collect(), share: None },
            ..Default::default()
        };
        let fabric = weft_fabric::degrade::degrade(&fabric, &failures).unwrap().fabric;
        let found = checked(&fabric);
        let exact = exact_width(&fabric);
        prop_assert!(found.at_most_links >= exact);
        prop_assert!(found.at_least_links.unwrap() <= exact);
        prop_assert_eq!(found.clone(), Bisection::of(&fabric));
    }
}
