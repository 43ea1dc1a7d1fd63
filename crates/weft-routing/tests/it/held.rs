//! Routes come out of where they are held as they went in, packed or by a rule.

use proptest::prelude::*;
use weft_fabric::generate::{mesh_of, torus_of};
use weft_fabric::{Fabric, PortNumber};
use weft_routing::{
    CheckedRoutes, ForwardingError, Lane, PairGranularity, RouteRow, Routes, SourceRoutes, json,
};
use weft_testing::{cases, fabric_of, fabrics, host_pairs, route_spec, walk};

type Step = (PortNumber, Lane);

/// Makes sure that all ways to ask for steps tell the same.
fn assert_held(routes: &SourceRoutes, [from, to]: [usize; 2], steps: &[Step]) {
    let held = routes.steps_between(from, to);
    assert_eq!(held.len(), steps.len());
    assert!(held.clone().eq(steps.iter().map(|step| step.0)));
    assert!(held.clone().on_lanes().eq(steps.iter().copied()));
    for before in 0..=steps.len() {
        assert_eq!(routes.step(from, to, before), steps.get(before).copied());
        let rest = steps[before..].iter().map(|step| step.0);
        assert!(held.clone().skip(before).eq(rest));
    }
    assert_eq!(routes.step(from, to, steps.len() + 70_000), None);
}

/// Numbers that look random, the same for the same seed.
fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed | 1;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// By the number of different ports steps have 1, 2, 4 or 8 bits.
    #[test]
    fn packed_routes_come_out_as_they_went_in(
        count in 1_usize..40, ports in prop::sample::select(vec![1, 2, 3, 4, 5, 16, 17, 255]),
        longest in 1_u64..20, lanes in 0_u64..4, per_step in any::<bool>(), seed in any::<u64>(),
    ) {
        let mut draw = draws(seed);
        let mut small = |below: u64| u8::try_from(draw(below)).unwrap();
        let mut route = || -> Vec<Step> {
            let lane = small(lanes + 1);
            let lane = |small: &mut dyn FnMut(u64) -> u8| {
                if per_step { small(lanes + 1) } else { lane }
            };
            (0..small(longest + 1))
                .map(|_| {
                    let lane = Lane::new(lane(&mut small));
                    (PortNumber::new(255 - small(ports)), lane)
                })
                .collect()
        };
        let all: Vec<Vec<Vec<Step>>> =
            (0..count).map(|_| (0..count).map(|_| route()).collect()).collect();
        let rows = all.iter().map(|row| RouteRow::on_lanes(row.clone())).collect();
        let routes = SourceRoutes::from_rows(PairGranularity::Switch, rows);
        for (from, row) in all.iter().enumerate() {
            for (to, steps) in row.iter().enumerate() {
                assert_held(&routes, [from, to], steps);
            }
        }
        let most = all.iter().flatten().flatten().map(|step| step.1.number()).max();
        prop_assert_eq!(routes.lane_count(), most.unwrap_or(0) + 1);
    }

    /// A rule tells what follows from the definition of dimension order, worked out here from the
    /// numbers of the switches: ports of hosts come first, then those towards larger and smaller
    /// positions of one dimension after the other.
    #[test]
    fn the_rule_of_a_grid_goes_its_way(
        extents in prop::collection::vec(1_u32..=6, 1..=3), closed in any::<bool>(),
        hosts in 0_u32..3, per in prop::sample::select(vec!["switch", "host"]),
        tie in prop::sample::select(vec!["alternate", "positive"]),
    ) {
        let hosts = hosts + 1;
        let made = if closed { torus_of(&extents, hosts) } else { mesh_of(&extents, hosts) };
        let Ok(fabric) = made else {
            return Ok(());
        };
        let spec = format!("dimension_order:tie={tie},per={per}");
        let routing = route_spec(&fabric, &spec).unwrap();
        let Routes::Source(routes) = &routing.routes else {
            panic!("dimension order gives source routes");
        };
        for from in fabric.host_ids() {
            for to in fabric.host_ids().filter(|&to| to != from) {
                let ends = [from, to].map(|host| fabric.host_switch(host).number());
                let expected = grid_way(&extents, closed, ends, tie == "alternate");
                let found = walk(&fabric, &routing, from, to).numbers();
                let switches: Vec<u32> = expected.iter().map(|step| step.0).collect();
                prop_assert_eq!(&found[1..], &switches);
                let [row, column] = [from, to].map(|host| routes.granularity().endpoint(&fabric, host));
                let ports = routes.steps_between(row, column);
                let lanes = expected.iter().map(|step| Lane::new(step.1));
                let steps: Vec<Step> = ports.zip(lanes).collect();
                assert_held(routes, [row, column], &steps);
            }
        }
        // Written out and read again they are held as lists.
        let text = json::write(&fabric, &routing);
        let source = weft_fabric::formats::Source { name: "routes.json", text: &text };
        let listed = json::read(source, &fabric).unwrap();
        prop_assert_eq!(&listed, &routing);
        prop_assert_eq!(&routing, &listed);
        prop_assert_eq!(json::write(&fabric, &listed), text);
    }
}

/// The switches and lanes of the steps between two switches of a grid.
fn grid_way(
    extents: &[u32],
    closed: bool,
    [from, to]: [u32; 2],
    alternates: bool,
) -> Vec<(u32, u8)> {
    let positions = |mut switch: u32| -> Vec<i64> {
        let digit = |&extent: &u32| {
            let digit = switch % extent;
            switch /= extent;
            i64::from(digit)
        };
        extents.iter().map(digit).collect()
    };
    let (mut here, end) = (positions(from), positions(to));
    let mut way = Vec::new();
    for (dimension, &extent) in extents.iter().enumerate() {
        let is_even = here.iter().sum::<i64>() % 2 == 0;
        let extent = i64::from(extent);
        let is_ring = closed && extent > 2;
        let across = end[dimension] - here[dimension];
        let mut distances = vec![(across, across.signum())];
        if is_ring && across != 0 {
            distances.push((across - across.signum() * extent, -across.signum()));
        }
        distances.sort_by_key(|&(distance, way)| {
            let wanted = if alternates && !is_even { -1 } else { 1 };
            (distance.abs(), way != wanted)
        });
        let (distance, direction) = distances[0];
        let mut lane = u8::from(is_ring);
        for _ in 0..distance.abs() {
            let next = here[dimension] + direction;
            here[dimension] = next.rem_euclid(extent);
            if here[dimension] != next {
                lane = 0;
            }
            let mut number = 0;
            for (&extent, &position) in extents.iter().zip(&here).rev() {
                number = number * extent + u32::try_from(position).unwrap();
            }
            way.push((number, lane));
        }
    }
    way
}

/// Together they are too long for 16 bits, and each is found nevertheless.
#[test]
fn long_routes_begin_where_they_should() {
    for length in [40_000_usize, 65_535] {
        let route = |to: usize| {
            (0..length + 1 - to)
                .map(move |step| PortNumber::new(1 + u8::try_from(step % 2).unwrap()))
        };
        let rows = vec![(1..4).map(route).collect::<RouteRow>(); 3];
        let routes = SourceRoutes::from_rows(PairGranularity::Host, rows);
        for to in 1..4 {
            assert_eq!(routes.steps_between(2, to - 1).len(), length + 1 - to);
            assert!(routes.steps_between(2, to - 1).eq(route(to)));
        }
    }
}

/// Ports 1 and 2 of a line's inner switches lead to the neighbours in the order of the cables.
#[test]
fn a_rule_is_held_against_the_links_of_the_fabric_it_is_used_on() {
    let line = |links: &[(usize, usize)]| -> Fabric { fabric_of(&[1; 4], links) };
    let straight = line(&[(0, 1), (1, 2), (2, 3)]);
    let turned = line(&[(1, 2), (0, 1), (2, 3)]);
    let routing = route_spec(&straight, "dimension_order").unwrap();
    assert!(CheckedRoutes::new(&straight, &routing.routes).is_ok());
    let error = CheckedRoutes::new(&turned, &routing.routes).unwrap_err();
    assert!(matches!(error, ForwardingError::BrokenRoute(_)), "{error}");
    let Routes::Source(routes) = &routing.routes else {
        panic!("dimension order gives source routes");
    };
    assert!(routes.lead_by_rule(&straight) && !routes.lead_by_rule(&turned));
    let other = fabric_of(&[1; 5], &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    assert!(!routes.lead_by_rule(&other));
}

/// Routes of algorithms that find them when they are asked for.
fn found_later() -> impl Strategy<Value = String> {
    let names = ["updown", "updown:root=tops", "dfs", "minimal"];
    let selections = ["random", "first"];
    let pers = ["switch", "host"];
    let choices = (
        prop::sample::select(names.to_vec()),
        prop::sample::select(selections.to_vec()),
        prop::sample::select(pers.to_vec()),
        0_u64..100,
    );
    choices.prop_map(|(name, selection, per, seed)| {
        let separator = if name.contains(':') { ',' } else { ':' };
        format!("{name}{separator}selection={selection},per={per},seed={seed}")
    })
}

proptest! {
    #![proptest_config(cases(100))]

    /// One by one and last first, block by block, or all at once.
    #[test]
    fn routes_are_the_same_however_they_are_asked_for(
        fabric in fabrics(0), spec in found_later(),
    ) {
        let Ok(routing) = route_spec(&fabric, &spec) else {
            return Ok(());
        };
        let again = || match route_spec(&fabric, &spec).unwrap().routes {
            Routes::Source(routes) => routes,
            Routes::Tables(_) => unreachable!("these are source routes"),
        };
        let written = json::write(&fabric, &routing);
        let source = weft_fabric::formats::Source { name: "routes.json", text: &written };
        let all = json::read(source, &fabric).unwrap().routes;
        let Routes::Source(all) = all else {
            unreachable!("these are source routes")
        };
        let ends = 0..all.endpoint_count();
        let one_by_one = again();
        for from in ends.clone().rev() {
            for to in ends.clone().rev() {
                let steps = one_by_one.steps_between(from, to);
                prop_assert!(steps.eq(all.steps_between(from, to)));
            }
        }
        let by_block = again();
        let mut seen = Vec::new();
        for block in by_block.blocks() {
            by_block.visit(&block, |routes| {
                seen.push(routes.source());
                for to in ends.clone() {
                    let steps: Vec<_> = all.steps_between(routes.source(), to).collect();
                    assert!(routes.steps_to(to).eq(steps.iter().copied()));
                    let mut ports = Vec::new();
                    assert!(routes.try_each_port(to, |port| {
                        ports.push(port);
                        true
                    }));
                    assert_eq!(ports, steps);
                    let mut left = steps.len() / 2;
                    let all_taken = routes.try_each_port(to, |_| {
                        left = left.saturating_sub(1);
                        left > 0
                    });
                    assert!(all_taken == steps.is_empty() && left == 0);
                }
                true
            });
        }
        seen.sort_unstable();
        prop_assert!(seen.into_iter().eq(ends));
        prop_assert_eq!(&by_block, &all);
        prop_assert_eq!(&again(), &by_block);
    }

    /// What is told to lead everywhere by how it is found does so, walked step by step.
    #[test]
    fn routes_that_are_found_later_lead_where_they_should(
        fabric in fabrics(0), other in fabrics(0), spec in found_later(),
    ) {
        let Ok(routing) = route_spec(&fabric, &spec) else {
            return Ok(());
        };
        let Routes::Source(routes) = &routing.routes else {
            unreachable!("these are source routes")
        };
        let lead_on = |fabric: &Fabric| {
            host_pairs(fabric).into_iter().all(|(from, to)| {
                let mut walk = routing.routes.walk_hosts(fabric, from, to);
                let is_whole = walk.by_ref().all(|step| step.hop.is_ok());
                is_whole && walk.switch() == fabric.host_switch(to)
            })
        };
        let leads = lead_on(&fabric);
        prop_assert!(leads || !routes.lead_by_rule(&fabric));
        prop_assert!(routes.lead_by_rule(&fabric) || spec.contains("tops"));
        prop_assert!(!routes.lead_by_rule(&other) || lead_on(&other));
        let checked = CheckedRoutes::new(&fabric, &routing.routes);
        prop_assert_eq!(checked.is_ok(), leads);
    }
}
