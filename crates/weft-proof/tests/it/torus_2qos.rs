//! torus-2QoS: the examples of its manual, lanes by hand, and proofs with links and switches failed.

use super::proved::{assert_proved, proved};
use proptest::prelude::*;
use weft_fabric::degrade::{Chosen, Failures, degrade};
use weft_fabric::formats::{FormatName, read, write};
use weft_fabric::generate::{mesh_of, torus_of};
use weft_fabric::{Fabric, HostId, Layout, Node, SwitchId};
use weft_routing::load::figures;
use weft_routing::{Routes, Routing, RoutingError};
use weft_testing::{assert_has, cases, plain_steps, route_spec, walk};

/// The fabric without some switches' links and hosts, and without links between other pairs.
pub(super) fn without(fabric: &Fabric, switches: &[u32], links: &[(u32, u32)]) -> Fabric {
    let is_lost = |ends: [u32; 2]| {
        let listed = |&(a, b): &(u32, u32)| ends == [a, b] || ends == [b, a];
        ends.iter().any(|end| switches.contains(end)) || links.iter().any(listed)
    };
    let mut failures = Failures::default();
    for link in fabric.link_ids() {
        let ends = fabric.link(link).ends;
        if let [Node::Switch(a), Node::Switch(b)] = ends.map(|end| end.node)
            && is_lost([a.number(), b.number()])
        {
            let name = format!("{}:{}", fabric.switch(a).name, ends[0].port);
            failures.links.names.push(name);
        }
    }
    failures.hosts = Chosen {
        names: switches
            .iter()
            .flat_map(|&switch| fabric.hosts_of(SwitchId::new(switch)))
            .map(|&host| fabric.host(host).name.clone())
            .collect(),
        share: None,
    };
    degrade(fabric, &failures).unwrap().fabric
}

/// The host of a switch that has one.
fn host(fabric: &Fabric, switch: u32) -> HostId {
    fabric.hosts_of(SwitchId::new(switch))[0]
}

fn numbers(fabric: &Fabric, routing: &Routing, from: u32, to: u32) -> Vec<u32> {
    let [from, to] = [from, to].map(|switch| host(fabric, switch));
    walk(fabric, routing, from, to).numbers()
}

fn lanes(fabric: &Fabric, routing: &Routing, from: u32, to: u32) -> Vec<u8> {
    let [from, to] = [from, to].map(|switch| host(fabric, switch));
    let steps = plain_steps(fabric, &routing.routes, from, to);
    steps.iter().map(|(_, lane)| lane.number()).collect()
}

#[track_caller]
fn route(fabric: &Fabric) -> Routing {
    proved(fabric, "torus_2qos")
}

fn refusal(fabric: &Fabric) -> String {
    let error = route_spec(fabric, "torus_2qos").unwrap_err();
    assert!(
        matches!(error, RoutingError::NoWayAroundGap { .. }),
        "{error}"
    );
    error.to_string()
}

/// The 6×5 torus of the manual: m S n T o p are 6 to 11, I and r are 14 and 15, D is 21.
#[test]
fn the_examples_of_the_manual_on_six_by_five() {
    let torus = torus_of(&[6, 5], 1).unwrap();
    let whole = route(&torus);
    assert_eq!(numbers(&torus, &whole, 7, 21), [7, 8, 9, 15, 21]);
    assert_eq!(whole.routes.lane_count(), 2);
    // Without S – n or n – T the way leads round the ring, over the link that closes it.
    for link in [(7, 8), (8, 9)] {
        let cut = without(&torus, &[], &[link]);
        let routing = route(&cut);
        assert_eq!(numbers(&cut, &routing, 7, 21), [7, 6, 11, 10, 9, 15, 21]);
        assert_eq!(lanes(&cut, &routing, 7, 21), [0; 6]);
        assert_eq!(routing.routes.lane_count(), 2);
    }
    // Without T an early turn at n; at I the turn back, and I – r on the lane for it.
    let failed = without(&torus, &[9], &[]);
    let routing = route(&failed);
    assert_eq!(numbers(&failed, &routing, 7, 21), [7, 8, 14, 15, 21]);
    assert_eq!(lanes(&failed, &routing, 7, 21), [0, 0, 2, 0]);
    assert_eq!(routing.routes.lane_count(), 4);
}

/// On 6×6, T and R are 9 and 15, q, I and u are 14, 20 and 21, D is 27.
#[test]
fn failed_switches_are_passed_in_the_last_dimension_alone() {
    let torus = torus_of(&[6, 6], 1).unwrap();
    let failed = without(&torus, &[9, 15], &[]);
    let routing = route(&failed);
    assert_eq!(numbers(&failed, &routing, 7, 27), [7, 8, 14, 20, 21, 27]);
    assert_eq!(lanes(&failed, &routing, 7, 27), [0, 0, 0, 2, 0]);
    // O and T, 9 and 10, are next to each other in the first dimension. A turn beside O, as in the manual,
    // would end in a circle; so the way to T's column leads round to its other side.
    let failed = without(&torus, &[9, 10], &[]);
    let routing = route(&failed);
    assert_eq!(numbers(&failed, &routing, 7, 22), [7, 6, 11, 17, 16, 22]);
    assert_eq!(lanes(&failed, &routing, 7, 22), [0, 0, 0, 2, 0]);
    // Of three, the middle one's column is reached from neither side: the turns back close a circle.
    assert_eq!(
        refusal(&without(&torus, &[8, 9, 10], &[])),
        "routing torus_2qos cannot lead around what is missing from fabric \
         “torus-6x6-without-10-links-3-hosts”: ways around failed switches would let packets wait in a \
         circle, through sw2[2] → sw3[3]; choose a routing for any fabric, such as best or nue"
    );
    // Without n – T and T – o, T is cut off from its line; 6 is the first switch on it.
    assert!(
        refusal(&without(&torus, &[], &[(8, 9), (9, 10)]))
            .contains("no way leads from “sw6” to “sw3”, as a line is cut in two")
    );
}

/// Ports of the torus: host 1, then towards larger x 2, smaller x 3, larger y 4, smaller y 5.
#[test]
fn the_closing_link_of_a_ring_decides_the_lane_all_along_it() {
    let torus = torus_of(&[5, 5], 1).unwrap();
    let routing = route(&torus);
    // x: 3 → 4 → 0 over the closing link; y: 1 → 2, not.
    assert_eq!(numbers(&torus, &routing, 8, 10), [8, 9, 5, 10]);
    assert_eq!(lanes(&torus, &routing, 8, 10), [1, 1, 0]);
    // x: 2 → 1; y: 1 → 0 → 4, the other way round.
    assert_eq!(numbers(&torus, &routing, 7, 21), [7, 6, 1, 21]);
    assert_eq!(lanes(&torus, &routing, 7, 21), [0, 1, 1]);
    let weft_routing::Routes::Tables(tables) = &routing.routes else {
        panic!("tables by destination");
    };
    let level = |from, to| tables.lane(from, to).number();
    // Bit 0 for x, bit 1 for y.
    assert_eq!(
        [level(8, 10), level(7, 21), level(0, 24), level(0, 12)],
        [1, 2, 3, 0]
    );
}

/// `OpenSM`'s engine loads a channel of the 8×8 torus with 8 hosts a switch with 5120 pairs at most, over
/// routes of 4.01 links; with ties that go either way it is the mean.
#[test]
fn every_channel_of_the_8x8_torus_carries_the_same() {
    let torus = torus_of(&[8, 8], 8).unwrap();
    let found = figures(&torus, &route(&torus));
    assert!((found.mean_hops_links - 4.008).abs() < 1e-3);
    assert_eq!(found.max_hops_links, 8);
    assert!(
        torus
            .switch_channels()
            .all(|c| found.routes_per_channel[c.index()] == 4096)
    );
}

#[test]
fn a_mesh_needs_one_lane_and_four_dimensions_are_too_many() {
    let mesh = mesh_of(&[4, 3, 2], 1).unwrap();
    assert_eq!(route(&mesh).routes.lane_count(), 1);
    let error = route_spec(&mesh_of(&[2, 2, 2, 2], 1).unwrap(), "torus_2qos").unwrap_err();
    assert_has(
        &error,
        "it has 4 dimensions, and service levels have bits for 3",
    );
}

/// A discovery tells no extents, and to its links a ring of four is two lines of two.
#[test]
fn rings_of_four_of_a_torus_that_was_discovered_are_rings() {
    for extents in [&[4, 4, 3][..], &[4, 4, 4], &[4, 3, 4], &[4, 5]] {
        let torus = torus_of(extents, 2).unwrap();
        let text = write(&torus, FormatName::Ibnetdiscover).unwrap();
        let discovered = read(text.as_bytes(), "torus").unwrap().fabric;
        assert_eq!(*discovered.layout(), Layout::Unstructured);
        let routing = route(&discovered);
        assert_eq!(routing.routes.lane_count(), 2, "{extents:?}");
        let Routes::Tables(tables) = &routing.routes else {
            panic!("torus_2qos has tables");
        };
        assert!(tables.lanes_per_turn() <= 8, "{extents:?}");
        let most = |fabric: &Fabric, routing: &Routing| {
            let found = figures(fabric, routing).routes_per_channel;
            found.into_iter().max().unwrap()
        };
        assert_eq!(
            most(&discovered, &routing),
            most(&torus, &route(&torus)),
            "{extents:?}"
        );
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// Rings of three and more lose one link or one switch each: there is always a way, and it is proved.
    #[test]
    fn a_torus_without_a_link_or_a_switch_is_routed_free_of_deadlock(
        extents in prop::collection::vec(3_u32..=6, 2..=3), lost in any::<prop::sample::Index>(),
        is_switch in any::<bool>(),
    ) {
        prop_assume!(extents.iter().product::<u32>() <= 100);
        let torus = torus_of(&extents, 1).unwrap();
        let at = SwitchId::from_index(lost.index(torus.switch_count()));
        let damaged = if is_switch {
            without(&torus, &[at.number()], &[])
        } else {
            let hop = lost.get(torus.hops(at));
            without(&torus, &[], &[(at.number(), hop.switch.number())])
        };
        let routing = route(&damaged);
        prop_assert_eq!(routing.routes.lane_count(), if is_switch { 4 } else { 2 });
    }

    /// Whatever is missing, what is returned is proved.
    #[test]
    fn several_failures_are_routed_free_of_deadlock_or_refused(
        extents in prop::collection::vec(2_u32..=5, 2..=3), is_closed in any::<bool>(),
        lost in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..3), 2..6),
    ) {
        prop_assume!(extents.iter().product::<u32>() <= 64);
        let whole = if is_closed { torus_of(&extents, 1) } else { mesh_of(&extents, 1) }.unwrap();
        let (mut switches, mut links) = (Vec::new(), Vec::new());
        for (index, kind) in &lost {
            let at = SwitchId::from_index(index.index(whole.switch_count()));
            if *kind == 0 {
                switches.push(at.number());
            } else {
                links.push((at.number(), index.get(whole.hops(at)).switch.number()));
            }
        }
        let damaged = without(&whole, &switches, &links);
        match route_spec(&damaged, "torus_2qos") {
            Ok(routing) => assert_proved(&damaged, &routing.routes),
            Err(
                RoutingError::NoWayAroundGap { .. }
                | RoutingError::Disconnected { .. }
                | RoutingError::NoHost { .. },
            ) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
