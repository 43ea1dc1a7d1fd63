//! What packets are offered where they choose: by hand, and whatever they take on random fabrics.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use weft_fabric::generate::{mesh, torus};
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId, metrics};
use weft_routing::algorithms::{ADAPTIVE, route, route_adaptive_spec, route_spec};
use weft_routing::{
    AdaptiveForwarding, AdaptiveRoutes, AdaptiveTables, AnyForwarding, CheckedRoutes, Entry,
    ForwardingError, Header, Lane, Offers, RoutingError,
};
use weft_testing::{assert_has, fabric_of, fabrics, host_pairs};

fn adaptive(fabric: &Fabric, spec: &str) -> AdaptiveRoutes {
    route_adaptive_spec(fabric, spec).unwrap().routes
}

/// What tells packets of checked routes what they may take.
fn told<'a>(
    fabric: &Fabric,
    checked: &'a CheckedRoutes<&AdaptiveRoutes>,
) -> AdaptiveForwarding<'a> {
    match checked.forwarding(fabric).unwrap() {
        AnyForwarding::Adaptive(forwarding) => forwarding,
        AnyForwarding::Fixed(_) => unreachable!("packets choose"),
    }
}

fn entry_of(fabric: &Fabric, host: HostId, lane: Lane) -> Entry {
    Entry {
        switch: fabric.host_switch(host),
        port: fabric.host_port(host),
        lane,
    }
}

fn offers(
    forwarding: &AdaptiveForwarding<'_>,
    header: &Header,
    entry: Entry,
    before: usize,
) -> Offers {
    let mut offers = Offers::default();
    forwarding.offer(header, entry, before, (None, |_| true), &mut offers);
    offers
}

/// The way of a packet that takes of its offers the one that `pick` says: lanes between switches.
fn way(
    fabric: &Fabric,
    forwarding: &mut AdaptiveForwarding<'_>,
    (source, destination): (HostId, HostId),
    mut pick: impl FnMut(usize) -> usize,
) -> Vec<(SwitchId, Lane)> {
    let (header, lane) = forwarding.header(source, destination);
    let mut entry = entry_of(fabric, source, lane);
    let mut way = Vec::new();
    loop {
        let offers = offers(forwarding, &header, entry, way.len());
        let offered = offers.all();
        let (port, lane) = offered[pick(offered.len())];
        let channel = fabric.outgoing_at(entry.switch, port).unwrap();
        let end = fabric.target(channel);
        match end.node {
            Node::Host(host) => {
                assert_eq!((host, lane), (destination, entry.lane));
                return way;
            }
            Node::Switch(switch) => {
                entry = Entry {
                    switch,
                    port: end.port,
                    lane,
                };
                way.push((switch, lane));
                assert!(way.len() <= 3 * fabric.switch_count(), "{way:?}");
            }
        }
    }
}

/// What is offered in two classes, the last of which is an escape.
fn any_and_escape(offers: &Offers) -> (&[(PortNumber, Lane)], (PortNumber, Lane)) {
    let classes: Vec<_> = offers.classes().collect();
    let [any, &[escape]] = classes[..] else {
        panic!("{offers:?}")
    };
    (any, escape)
}

/// On a 3×3 mesh from one corner to the opposite: two ports to choose from, then, at the edge, one.
#[test]
fn a_packet_is_offered_all_ports_that_bring_it_nearer_and_the_escape() {
    let mesh = mesh(3, 3, 1).unwrap();
    let routes = adaptive(&mesh, "minimal_adaptive:lanes=3,root=4");
    let checked = CheckedRoutes::new(&mesh, &routes).unwrap();
    let mut forwarding = told(&mesh, &checked);
    let [corner, opposite] = [0, 8].map(HostId::from_index);
    let (header, first) = forwarding.header(corner, opposite);
    assert_eq!(first, Lane::ZERO);
    let port_to = |from, to| weft_testing::port_to(&mesh, from, to);
    let mut ports = [port_to(0, 1), port_to(0, 3)];
    ports.sort_unstable();
    let found = offers(&forwarding, &header, entry_of(&mesh, corner, first), 0);
    let lanes = [1, 2].map(Lane::new);
    let expected = ports
        .iter()
        .flat_map(|&port| lanes.map(|lane| (port, lane)));
    let (any, escape) = any_and_escape(&found);
    assert_eq!(any, expected.collect::<Vec<_>>());
    let (port, lane) = escape;
    assert!(ports.contains(&port), "up towards the centre");
    assert_eq!(lane, AdaptiveTables::ESCAPE_LANE);

    // At the edge one port is left; a packet that came on the escape has nothing but the escape.
    let at_edge = |lane| Entry {
        switch: SwitchId::from_index(2),
        port: PortNumber::new(1),
        lane: Lane::new(lane),
    };
    let found = offers(&forwarding, &header, at_edge(2), 2);
    let (any, escape) = any_and_escape(&found);
    assert_eq!(any, lanes.map(|lane| (port_to(2, 5), lane)));
    let escaped = offers(&forwarding, &header, at_edge(0), 2);
    assert_eq!(escaped.all(), [escape]);

    // The next packet's own channel has the next lane, in turn.
    let lanes = [0; 4].map(|_| forwarding.header(corner, opposite).1.number());
    assert_eq!(lanes, [1, 2, 0, 1]);
}

#[test]
fn intermediate_switches_are_drawn_alike_and_each_source_has_its_own_draws() {
    let torus = torus(4, 4, 1).unwrap();
    let routes = adaptive(&torus, "valiant:seed=7");
    let near = HostId::from_index(1);
    let links_of = |order: &[usize]| {
        let checked = CheckedRoutes::new(&torus, &routes).unwrap();
        let mut forwarding = told(&torus, &checked);
        let mut links: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &source in order {
            let way = way(
                &torus,
                &mut forwarding,
                (HostId::from_index(source), near),
                |_| 0,
            );
            links.entry(source).or_default().push(way.len());
        }
        links
    };
    let one_by_one = links_of(&[0, 0, 0, 5, 5, 5]);
    let in_turn = links_of(&[5, 0, 5, 0, 5, 0]);
    assert_eq!(one_by_one, in_turn);
    // Both phases of a 4×4 torus take two links on average; of 4,000 draws the mean is within 0.1, which
    // is five standard deviations.
    let many = links_of(&vec![0; 4_000]);
    let mean = many[&0].iter().sum::<usize>() as f64 / 4_000.0;
    assert!((mean - 4.0).abs() < 0.1, "{mean}");
}

/// From switch 0 to 1 straight takes one link; by way of the others of a ring of four, three.
#[test]
fn ugal_goes_straight_unless_what_is_taken_outweighs_the_links() {
    let ring = weft_fabric::generate::ring(4, 1).unwrap();
    let routes = adaptive(&ring, "ugal:threshold=10");
    let checked = CheckedRoutes::new(&ring, &routes).unwrap();
    let mut forwarding = told(&ring, &checked);
    let [from, to] = [0, 1].map(HostId::from_index);
    let (mut header, branches) = loop {
        let (header, _) = forwarding.header(from, to);
        if let Some(branches) = forwarding.branches(&header, 0)
            && branches[0].port != branches[1].port
        {
            break (header, branches);
        }
    };
    assert_eq!(branches[0].links, 1);
    assert_eq!(branches[1].links, 3);
    for (taken, is_straight) in [
        ([0, 0], true),
        ([10, 0], true),
        ([11, 0], false),
        ([40, 10], true),
        ([41, 10], false),
    ] {
        assert_eq!(
            forwarding.goes_straight(&branches, taken),
            is_straight,
            "{taken:?}"
        );
    }
    let entry = entry_of(&ring, from, Lane::ZERO);
    let lanes = routes.lane_count();
    let detour = offers(&forwarding, &header, entry, 0).all()[0];
    assert_eq!(detour.0, branches[1].port);
    assert!(detour.1.number() < lanes / 2, "the first phase");
    header.go_straight();
    assert_eq!(forwarding.branches(&header, 0), None);
    let straight = offers(&forwarding, &header, entry, 0).all()[0];
    assert_eq!(straight.0, branches[0].port);
    assert!(straight.1.number() >= lanes / 2, "the second phase");
    // Always by way of another switch, nothing is to decide.
    let routes = adaptive(&ring, "valiant");
    let checked = CheckedRoutes::new(&ring, &routes).unwrap();
    let mut forwarding = told(&ring, &checked);
    for _ in 0..20 {
        let (header, _) = forwarding.header(from, to);
        assert_eq!(forwarding.branches(&header, 0), None);
    }
}

#[test]
fn what_is_not_fixed_or_not_adaptive_is_refused_by_name() {
    let line = fabric_of(&[1, 1], &[(0, 1)]);
    let tree = fabric_of(&[1, 1, 0], &[(0, 2), (1, 2)]);
    let groups = fabric_of(&[1, 1, 0, 0], &[(0, 2), (1, 3), (2, 3)]);
    for algorithm in ADAPTIVE {
        let root = ("root".to_owned(), "0".to_owned());
        let given = (algorithm.name == "ar_updn").then_some(root);
        let fabric = match algorithm.name {
            "ar_ftree" => &tree,
            "dfp" => &groups,
            _ => &line,
        };
        let error = route(fabric, algorithm.name, &BTreeMap::from_iter(given)).unwrap_err();
        let expected = RoutingError::NotFixed {
            algorithm: algorithm.name.to_owned(),
            needs: "what was asked for",
        };
        assert_eq!(error, expected);
        assert_has(&error, "needs a fixed route for every pair");
    }
    let error = route_adaptive_spec(&line, "updown").unwrap_err();
    assert!(matches!(error, RoutingError::NotAdaptive { .. }));
    let error = route_adaptive_spec(&torus(4, 4, 1).unwrap(), "ugal:lanes=3").unwrap_err();
    assert_eq!(
        error.to_string(),
        "routing ugal needs 4 lanes on fabric “torus-4x4”, found lanes=3; give lanes=4 where the \
         hardware has them, or choose another routing"
    );
    let error = route_spec(&line, "ugla").unwrap_err().to_string();
    assert_has(&error, "did you mean “ugal”?");
    let error = route_adaptive_spec(&line, "ugal:minimal=dimension").unwrap_err();
    assert_has(&error, "dimension_order");
}

#[test]
fn ways_that_may_never_end_or_end_elsewhere_carry_no_packets() {
    let triangle = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]);
    let all = AdaptiveTables::new(3, NonZeroU8::MIN, |here, to| {
        let hops = triangle.hops(here).iter();
        hops.filter(|_| here != to)
            .map(|hop| hop.port)
            .collect::<Vec<_>>()
    });
    let none = AdaptiveTables::new(3, NonZeroU8::MIN, |_, _| []);
    for tables in [all, none] {
        let routes = AdaptiveRoutes::Tables(tables);
        let error = CheckedRoutes::new(&triangle, &routes).unwrap_err();
        assert!(
            matches!(error, ForwardingError::BrokenRoute { .. }),
            "{error}"
        );
    }
    let routes = adaptive(&triangle, "minimal_adaptive");
    let other = fabric_of(&[1, 1], &[(0, 1)]);
    let error = CheckedRoutes::new(&other, &routes).unwrap_err();
    assert_has(&error, "the routes join 3 switches, but the fabric has 2");
}

proptest! {
    #[test]
    fn packets_arrive_whatever_they_take(
        fabric in fabrics(0), seed in any::<u64>(), picks in prop::collection::vec(any::<u32>(), 1..40),
    ) {
        for algorithm in ADAPTIVE {
            let spec = match algorithm.name {
                "ar_ftree" => "ar_ftree".to_owned(),
                "adaptive" => format!("adaptive:of=best:lanes=2,seed={seed}"),
                "ar_updn" => format!("ar_updn:seed={seed},root=min_average"),
                "omniwar" | "dfp" => algorithm.name.to_owned(),
                name => format!("{name}:seed={seed}"),
            };
            let routing = match route_adaptive_spec(&fabric, &spec) {
                Err(
                    RoutingError::TooFewLanes { .. }
                    | RoutingError::NoFatTree { .. }
                    | RoutingError::NoJoinedLines { .. }
                    | RoutingError::NoJoinedGroups { .. },
                ) => continue,
                routing => routing.unwrap(),
            };
            let checked = CheckedRoutes::new(&fabric, &routing.routes).unwrap();
            let mut forwarding = told(&fabric, &checked);
            let mut picks = picks.iter().cycle();
            for (source, destination) in host_pairs(&fabric) {
                let pick = |count: usize| *picks.next().unwrap() as usize % count;
                let way = way(&fabric, &mut forwarding, (source, destination), pick);
                let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
                let links = metrics::distances_from(&fabric, to);
                match &routing.routes {
                    // On adaptive lanes every link brings packets nearer, and lane 0 is not left again.
                    AdaptiveRoutes::Tables(_) => {
                        let mut left = links[from.index()];
                        let adaptive = way.iter().take_while(|step| step.1 != Lane::ZERO);
                        for &(switch, _) in adaptive.clone() {
                            prop_assert_eq!(links[switch.index()] + 1, left);
                            left -= 1;
                        }
                        let escaped = &way[adaptive.count()..];
                        prop_assert!(escaped.iter().all(|step| step.1 == Lane::ZERO));
                    }
                    // Managers take ways of fewest links that go up and then down; all keep the lane of their pair, or
                    // are raised.
                    AdaptiveRoutes::Groups(tables) => {
                        prop_assert!(way.len() >= links[from.index()] as usize);
                        let address = tables.addresses(destination).start;
                        let lane = Lane::new(tables.level_of(source, address));
                        if tables.lane_tables().is_none() {
                            prop_assert!(way.iter().all(|step| step.1 == lane));
                        } else {
                            prop_assert!(way.is_sorted_by_key(|step| step.1));
                        }
                    }
                    // Lanes of the first phase come before those of the second; each phase is shortest.
                    AdaptiveRoutes::TwoPhase(routes) => {
                        let is_second = |step: &&(SwitchId, Lane)| {
                            step.1.number() >= routes.lane_count() / 2
                        };
                        let second = way.iter().skip_while(|step| !is_second(step));
                        prop_assert!(second.clone().all(|step| is_second(&step)));
                        let first = way.len() - second.clone().count();
                        let middle = if first == 0 { from } else { way[first - 1].0 };
                        prop_assert_eq!(second.count(), links[middle.index()] as usize);
                        let to_middle = metrics::distances_from(&fabric, middle);
                        prop_assert_eq!(first, to_middle[from.index()] as usize);
                    }
                }
            }
        }
    }
}
