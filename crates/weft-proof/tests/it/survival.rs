//! Tables repaired failure after failure, by what is kept of them, beside repairs from nothing.

use super::proved::assert_proved;
use super::torus_2qos;
use proptest::prelude::*;
use std::sync::Arc;
use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft_fabric::generate::{JellyfishParameters, jellyfish, torus, torus_of, xgft};
use weft_fabric::{ChannelId, Fabric, HostId, LinkId, SwitchId};
use weft_routing::load::figures;
use weft_routing::{
    Bisections, FailedParts, ForwardingTables, RepairError, Repaired, Rounds, Routes, Routing,
    StandingTables, Survey, Survival, congestion, repair,
};
use weft_testing::{assert_near, cases, fabrics, tables_of, with_rates};

const ROUNDS: u32 = 4;

/// What is left of a fabric without some parts more, told by their ids in the whole one, in the part with most
/// hosts.
fn without(whole: &Fabric, left: &Fabric, failed: &FailedParts) -> Option<Fabric> {
    let named = |names: Vec<String>| Chosen { names, share: None };
    let links = failed.links.iter().map(|&link| {
        let end = whole.link(link).ends[0];
        format!("{}:{}", whole.node_name(end.node), end.port)
    });
    let switches = failed
        .switches
        .iter()
        .map(|&at| whole.switch(at).name.clone());
    let hosts = failed
        .hosts
        .iter()
        .map(|&host| whole.host(host).name.clone());
    let failures = Failures {
        links: named(links.collect()),
        switches: named(switches.collect()),
        hosts: named(hosts.collect()),
        keep: Keep::LargestPart,
        ..Failures::default()
    };
    let left = degrade(left, &failures).ok()?.fabric;
    (left.host_count() > 1).then_some(left)
}

fn routing(fabric: &Fabric, tables: &ForwardingTables) -> Routing {
    let mut routing = weft_testing::route_spec(fabric, "min_hop").unwrap();
    routing.routes = Routes::from(tables.clone());
    routing
}

/// Most routes over a channel between switches.
fn largest_load(fabric: &Fabric, tables: &ForwardingTables) -> u64 {
    let loads = figures(fabric, &routing(fabric, tables)).routes_per_channel;
    let between = fabric
        .switch_channels()
        .map(|channel| loads[channel.index()]);
    between.max().unwrap_or(0)
}

/// What each failure alone comes to.
fn survive(
    standing: &StandingTables,
    failures: &[FailedParts],
    bisections: &Bisections,
) -> Vec<Survival> {
    Survey::new(Arc::new(standing.clone()), bisections.clone()).survive(failures)
}

/// Draws a part that fails: mostly a link between switches.
fn drawn(whole: &Fabric, kind: u8, index: prop::sample::Index) -> FailedParts {
    let links: Vec<LinkId> = whole
        .switch_channels()
        .step_by(2)
        .map(ChannelId::link)
        .collect();
    let mut failed = FailedParts::default();
    match kind {
        0 => failed
            .switches
            .push(SwitchId::from_index(index.index(whole.switch_count()))),
        1 => failed
            .hosts
            .push(HostId::from_index(index.index(whole.host_count()))),
        2 => failed
            .links
            .push(LinkId::from_index(index.index(whole.link_count()))),
        _ if links.is_empty() => {}
        _ => failed.links.push(links[index.index(links.len())]),
    }
    failed
}

proptest! {
    #![proptest_config(cases(1000))]

    /// The tables, counts and loads of a sequence of repairs are those of repairs that know nothing of the
    /// ones before; each is proved by the checker of routes. Figures are those of loads counted anew.
    #[test]
    fn a_sequence_of_repairs_is_that_of_repairs_from_nothing(
        whole in fabrics(0),
        sequence in prop::collection::vec((0_u8..8, any::<prop::sample::Index>()), 1..6),
        spec in prop::sample::select(vec![
            "best:starts=1,lanes=1", "best:starts=1,lanes=3", "dfsssp:lanes=8", "down_preferred:per=host",
            "down_preferred:per=switch",
        ]),
    ) {
        let sequence = sequence.into_iter().map(|(kind, index)| drawn(&whole, kind, index)).collect();
        check_sequence(whole, sequence, spec)?;
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// The same where switches choose lanes by ports: two lanes, and four without a switch.
    #[test]
    fn so_are_those_with_lanes_by_port(
        extents in prop::sample::select(vec![[4, 4], [5, 3], [6, 2], [3, 3]]),
        gap in prop::option::of(0_u32..9),
        sequence in prop::collection::vec((0_u8..12, any::<prop::sample::Index>()), 1..5),
    ) {
        let torus = torus_of(&extents, 1).unwrap();
        let whole = match gap {
            Some(gap) => torus_2qos::without(&torus, &[gap], &[]),
            None => torus,
        };
        let sequence = sequence.into_iter().map(|(kind, index)| drawn(&whole, kind, index)).collect();
        check_sequence(whole, sequence, "torus_2qos")?;
    }
}

/// Repairs tables after one part failed and another, by what is kept of them and from nothing.
fn check_sequence(
    whole: Fabric,
    sequence: Vec<FailedParts>,
    spec: &str,
) -> Result<(), TestCaseError> {
    let Ok(made) = weft_testing::route_spec(&whole, spec) else {
        return Ok(());
    };
    let Routes::Tables(first) = made.routes else {
        panic!("{spec} makes tables")
    };
    let whole = Arc::new(whole);
    let bisections = Bisections::new(&whole, ROUNDS, 7);
    let mut standing = StandingTables::new(whole.clone(), &first).unwrap();
    let mut left = (*whole).clone();
    let mut tables = first;
    for failed in sequence {
        // A part fails once.
        let Some(after) = without(&whole, &left, &failed) else {
            continue;
        };
        let told = survive(&standing, std::slice::from_ref(&failed), &bisections).remove(0);
        prop_assert_eq!(whole.host_count() - told.cut_off.len(), after.host_count());
        let step = standing.fail(&failed, &bisections);
        prop_assert_eq!(&told.repaired, &step);
        let anew = repair(&left, &tables, &after);
        match (step, anew) {
            (Ok(step), Ok(anew)) => {
                assert_proved(&after, &anew.tables.clone().into());
                prop_assert_eq!(&standing.tables(&after).unwrap(), &anew.tables);
                prop_assert_eq!(step.changed_entries, anew.changed_entries);
                prop_assert_eq!(
                    step.figures.largest_load,
                    largest_load(&after, &anew.tables)
                );
                let bound = figures(&after, &routing(&after, &anew.tables)).saturation_bound;
                prop_assert!((step.figures.saturation_bound - bound).abs() < 1e-12);
                // From nothing, levels that no pair has any more are not known.
                if anew.tables.lanes_per_turn() < tables.lanes_per_turn() {
                    break;
                }
                let from_nothing = StandingTables::new(after.clone().into(), &anew.tables);
                let counts = from_nothing.unwrap().counts_management();
                prop_assert_eq!(standing.counts_management(), counts);
                (left, tables) = (after, anew.tables);
            }
            (Err(RepairError::NoWay { .. }), Err(RepairError::NoWay { .. })) => {}
            (one, other) => return Err(TestCaseError::fail(format!("{one:?}, {other:?}"))),
        }
    }
    Ok(())
}

/// A switch whose only host is gone sends nothing of its own, so that it may get a way by which its host could not send.
#[test]
fn who_is_gone_asks_for_no_level() {
    let whole = torus_of(&[5, 3], 1).unwrap();
    let cables: Vec<LinkId> = whole
        .switch_channels()
        .step_by(2)
        .map(ChannelId::link)
        .collect();
    let cable = |place: usize| FailedParts {
        links: vec![cables[place]],
        ..FailedParts::default()
    };
    let host = FailedParts {
        hosts: vec![HostId::new(12)],
        ..FailedParts::default()
    };
    check_sequence(whole, vec![cable(3), host, cable(21)], "torus_2qos").unwrap();
}

/// On several lanes a switch whose only host is gone answers the subnet manager as one that never had any: what
/// it sends counts at the next failure, where it leaves no way to two entries of another.
#[test]
fn who_has_lost_its_hosts_answers_as_one_without() {
    let links = [(0, 1), (0, 2), (2, 3), (1, 4), (1, 5), (0, 6), (2, 4)];
    let whole = weft_testing::fabric_of(&[1, 3, 0, 2, 1, 0, 1], &links);
    let host = FailedParts {
        hosts: vec![HostId::new(6)],
        ..FailedParts::default()
    };
    check_sequence(whole, vec![host, link(1)], "best:starts=1,lanes=3").unwrap();
}

/// Around a ring what switches without hosts send waits in a circle, and does not count; once a link of it failed
/// it does.
#[test]
fn what_waited_in_a_circle_counts_when_that_is_open() {
    let links = [(0, 1), (1, 2), (1, 3), (3, 4), (2, 5), (4, 6), (5, 6)];
    let whole = weft_testing::fabric_of(&[0, 0, 2, 2, 0, 0, 2], &links);
    let tables = tables_of(&whole, "dfsssp:lanes=8");
    let standing = StandingTables::new(Arc::new(whole.clone()), &tables).unwrap();
    assert!(!standing.counts_management());
    check_sequence(whole, vec![link(1)], "dfsssp:lanes=8").unwrap();
}

/// A link that fails alone.
fn link(number: u32) -> FailedParts {
    FailedParts {
        links: vec![LinkId::new(number)],
        ..FailedParts::default()
    }
}

/// All single links of a fabric, and what each comes to.
fn single_links(whole: &Fabric, tables: &ForwardingTables) -> Vec<(LinkId, Repaired)> {
    let links: Vec<LinkId> = whole
        .switch_channels()
        .step_by(2)
        .map(ChannelId::link)
        .collect();
    let failures: Vec<FailedParts> = (links.iter())
        .map(|&link| FailedParts {
            links: vec![link],
            ..FailedParts::default()
        })
        .collect();
    let standing = StandingTables::new(Arc::new(whole.clone()), tables).unwrap();
    let bisections = Bisections::new(whole, ROUNDS, 7);
    let found = survive(&standing, &failures, &bisections);
    links
        .into_iter()
        .zip(found)
        .map(|(link, one)| (link, one.repaired.unwrap()))
        .collect()
}

/// Effective bisection and bound after a failure are those of all routes walked anew, whatever the rates of links.
#[test]
fn figures_after_a_failure_are_those_of_routes_walked_anew() {
    let parameters = JellyfishParameters {
        switches: 12,
        degree: 4,
        hosts_per_switch: 2,
        seed: 5,
    };
    let plain = jellyfish(&parameters).unwrap();
    let rated = with_rates(&plain, |link| {
        Some(["4xHDR", "2xHDR", "4xNDR", "4xHDR", "4xFDR"][link.index() % 5])
    });
    figures_are_those_of_routes_walked_anew(&plain);
    figures_are_those_of_routes_walked_anew(&rated);
}

fn figures_are_those_of_routes_walked_anew(whole: &Fabric) {
    let tables = tables_of(whole, "best:lanes=4,starts=1");
    let hosts: Vec<HostId> = whole.host_ids().collect();
    for (link, repaired) in single_links(whole, &tables).into_iter().take(8) {
        let failed = FailedParts {
            links: vec![link],
            ..FailedParts::default()
        };
        let after = without(whole, whole, &failed).unwrap();
        let anew = repair(whole, &tables, &after).unwrap();
        let loads = figures(&after, &routing(&after, &anew.tables)).routes_per_channel;
        let bound = bound_by_rates(&after, &loads);
        assert_near(repaired.figures.saturation_bound, bound, 1e-12);
        let rounds = Rounds::Bisections {
            count: ROUNDS,
            seed: 7,
        };
        let found = congestion(&after, &anew.tables.into(), &hosts, rounds);
        let mean = found.iter().map(|round| round.mean_share).sum::<f64>() / f64::from(ROUNDS);
        assert_near(repaired.figures.effective_bisection, mean, 1e-12);
    }
}

/// What every host can send of its own link to all others alike, hosts taken at the mean of their rates.
fn bound_by_rates(fabric: &Fabric, loads: &[u64]) -> f64 {
    let rate = |channel: ChannelId| {
        let rate = fabric.link(channel.link()).cable.rate;
        rate.map_or(1.0, weft_fabric::LinkRate::data_gbit_per_s)
    };
    let hosts = fabric.host_count() as f64;
    let injections = fabric.host_ids().map(|host| fabric.injection_channel(host));
    let of_route = injections.map(rate).sum::<f64>() / hosts / (hosts - 1.0);
    let used = fabric.channel_ids().zip(loads).filter(|used| *used.1 > 0);
    let shares = used.map(|(channel, &load)| rate(channel) / (of_route * load as f64));
    shares.fold(1.0, f64::min)
}

/// A leaf of a two-level tree with four spines and eight hosts that loses a cable has three left: with 40
/// hosts on other leaves each carries 8 · 40 / 3, so at least 107 of 320 routes. What a leaf has
/// goes one way to a destination, so loads are multiples of eight.
#[test]
fn what_a_cable_of_a_tree_carried_is_spread_over_the_others() {
    let whole = xgft(&[8, 6], &[1, 4]).unwrap();
    let tables = tables_of(&whole, "ftree");
    assert_eq!(largest_load(&whole, &tables), 80);
    for (_, repaired) in single_links(&whole, &tables) {
        assert!(
            (107..=112).contains(&repaired.figures.largest_load),
            "{repaired:?}"
        );
        // The spine sends packets of its own to two of the leaf's hosts by way of another leaf, which
        // none from above it may meet.
        assert_eq!(
            (repaired.last_destinations, repaired.cleared_destinations),
            (2, 0)
        );
    }
}

/// Where a switch between two others of a line fails, the part with most hosts goes on.
#[test]
fn a_switch_that_parts_a_line_cuts_off_the_smaller_part() {
    let line = weft_testing::fabric_of(&[2, 1, 1, 2, 2], &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    let tables = tables_of(&line, "min_hop");
    let standing = StandingTables::new(Arc::new(line.clone()), &tables).unwrap();
    let failures = [1, 3].map(|at| FailedParts {
        switches: vec![SwitchId::new(at)],
        ..FailedParts::default()
    });
    let found = survive(&standing, &failures, &Bisections::new(&line, 1, 1));
    let numbers = |place: usize| -> Vec<usize> {
        found[place]
            .cut_off
            .iter()
            .map(|host| host.index())
            .collect()
    };
    // Without 1: its host, and the two of 0. Without 3: its two hosts, and the two of 4.
    assert_eq!([numbers(0), numbers(1)], [vec![0, 1, 2], vec![4, 5, 6, 7]]);
    let loads = found
        .iter()
        .map(|one| one.repaired.as_ref().unwrap().figures.largest_load);
    // 2 | 3 4: one host and four. 0 1 | 2: three and one.
    assert_eq!(loads.collect::<Vec<_>>(), [6, 4]);
}

/// A torus on one lane, of which a turn that a repair wants would close a circle, is told to have no way.
#[test]
fn where_no_lane_holds_a_way_traffic_has_to_stop() {
    let whole = torus(4, 4, 1).unwrap();
    let tables = tables_of(&whole, "best:lanes=1,starts=1");
    let standing = StandingTables::new(Arc::new(whole.clone()), &tables).unwrap();
    let failures: Vec<FailedParts> = whole
        .switch_ids()
        .map(|at| FailedParts {
            switches: vec![at],
            ..FailedParts::default()
        })
        .collect();
    let found = survive(&standing, &failures, &Bisections::new(&whole, ROUNDS, 1));
    for (failed, one) in failures.iter().zip(&found) {
        let after = without(&whole, &whole, failed).unwrap();
        match repair(&whole, &tables, &after) {
            Ok(anew) => assert_proved(&after, &anew.tables.into()),
            Err(error) => assert_eq!(one.repaired, Err(error)),
        }
    }
    assert!(found.iter().any(|one| one.repaired.is_ok()));
}
