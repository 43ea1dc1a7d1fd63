//! Loads where switches choose among groups of ports: by hand, beside plain walks of every pair, and beside fixed routes.

#![expect(clippy::float_cmp, reason = "shares of halves and quarters are exact")]

use proptest::prelude::*;
use std::collections::BTreeMap;
use weft_fabric::generate::xgft;
use weft_fabric::{ChannelId, Fabric, HostId, Node};
use weft_routing::algorithms::{route_adaptive_spec, route_spec};
use weft_routing::load::figures;
use weft_routing::{
    AdaptiveRoutes, Entry, GroupTables, GroupUse, LidState, PortGroup, RoundFigures, Rounds,
    Subgroup, congestion, demand_figures, group_congestion, group_crossing, group_demand_figures,
    group_loads, group_parts, hashed_loads,
};
use weft_testing::{
    assert_near, fabric_of, fabrics, groups_of, random_groups, two_addresses, with_rates,
};

fn groups(fabric: &Fabric, spec: &str) -> GroupTables {
    match route_adaptive_spec(fabric, spec).unwrap().routes {
        AdaptiveRoutes::Groups(tables) => tables,
        other => panic!("{other:?}"),
    }
}

/// Two leaves of two hosts below two spines: half of four pairs go over each spine, all may over either.
#[test]
fn a_choice_of_two_spines_halves_the_mean_and_none_of_the_most() {
    let tree = xgft(&[2, 2], &[1, 2]).unwrap();
    let tables = groups(&tree, "ar_ftree");
    let loads = group_loads(&tree, &tables, 0);
    assert_eq!(loads.unreached_pairs, 0);
    for channel in tree.channel_ids() {
        let ends = [tree.source(channel).node, tree.target(channel).node];
        let (mean, most) = (loads.mean[channel.index()], loads.most[channel.index()]);
        if ends.iter().all(|node| node.switch().is_some()) {
            assert_eq!((mean, most), (2.0, 4));
        } else {
            // Every host sends to three others, and hears from them.
            assert_eq!((mean, most), (3.0, 3));
        }
    }
    // Four flows over two spines: never better than two and two, never worse than all.
    let between = |&channel: &ChannelId| tree.is_switch_channel(channel);
    let hosts: Vec<HostId> = tree.host_ids().collect();
    let most = |loads: Vec<Vec<f64>>| -> Vec<f64> {
        let most = |of: &Vec<f64>| {
            let carried = tree
                .channel_ids()
                .filter(between)
                .map(|one| of[one.index()]);
            carried.fold(0.0, f64::max)
        };
        loads.iter().map(most).collect()
    };
    let draws = most(hashed_loads(&tree, &tables, 0, &hosts, [1, 200], 1));
    assert!(draws.iter().all(|&most| [2.0, 3.0, 4.0].contains(&most)));
    assert!(draws.contains(&2.0) && draws.contains(&4.0));
    let even = most(hashed_loads(&tree, &tables, 0, &hosts, [1000, 4], 1));
    for most in even {
        assert_near(most, 2.0, 0.15);
    }
}

/// From each of two hosts of a leaf to the other leaf: half over each spine, so nobody waits; where all take one spine,
/// two share a channel.
#[test]
fn pairs_that_spread_over_two_spines_leave_all_to_one_another() {
    let tree = xgft(&[2, 2], &[1, 2]).unwrap();
    let mut tables = groups(&tree, "ar_ftree");
    let hosts: Vec<HostId> = tree.host_ids().collect();
    let rounds = |tables: &GroupTables| {
        let even = [GroupUse::Even];
        group_congestion(&tree, tables, 0, &hosts, Rounds::Shifts, &even).remove(0)
    };
    let spread = rounds(&tables);
    assert_eq!(spread.len(), 3);
    assert!(
        spread
            .iter()
            .all(|round| round.mean_share == 1.0 && round.max_load == 1)
    );
    for host in tree.host_ids() {
        for leaf in tree
            .switches_with_hosts()
            .filter(|&leaf| leaf != tree.host_switch(host))
        {
            let mut entry = tables.switch(leaf).entries(0)[host.index()];
            entry.state = LidState::Static;
            entry.static_port = tables.switch(leaf).groups[0].ports()[0];
            tables.set_entry(leaf, 0, host.index(), entry);
        }
    }
    let shares: Vec<f64> = rounds(&tables)
        .iter()
        .map(|round| round.mean_share)
        .collect();
    // In the second round all four leave their leaf, in the others two do.
    assert_eq!(shares, [1.0, 0.5, 1.0]);
}

/// In the second round two pairs leave each leaf: if all choose alike they share both spines, by a hash of one flow one
/// spine in half of all draws, by many flows nearly as if used evenly. A hash is the same under any traffic.
#[test]
fn pairs_share_what_a_hash_or_one_and_the_same_choice_leaves_them() {
    let tree = xgft(&[2, 2], &[1, 2]).unwrap();
    let tables = groups(&tree, "ar_ftree");
    let hosts: Vec<HostId> = tree.host_ids().collect();
    let shares = |uses: &[GroupUse]| -> Vec<Vec<f64>> {
        let found = group_congestion(&tree, &tables, 0, &hosts, Rounds::Shifts, uses);
        let of_use = |rounds: &Vec<RoundFigures>| rounds.iter().map(|one| one.mean_share).collect();
        found.iter().map(of_use).collect()
    };
    assert_eq!(
        shares(&[GroupUse::Even, GroupUse::Alike]),
        [[1.0, 1.0, 1.0], [1.0, 0.5, 1.0]]
    );
    let hashed = |flows, draw| GroupUse::Hashed {
        flows,
        seed: 1,
        draw,
    };
    let draws: Vec<GroupUse> = (0..400).map(|draw| hashed(1, draw)).collect();
    let second: Vec<f64> = shares(&draws).iter().map(|rounds| rounds[1]).collect();
    assert!(second.iter().all(|share| [0.5, 0.75, 1.0].contains(share)));
    assert_near(second.iter().sum::<f64>() / 400.0, 0.75, 0.03);
    assert!(shares(&[hashed(1000, 0)])[0][1] > 0.9);
    // Of two flows each gets its own share: of 16 ways two leave a half, eight 2/3 and the mean of 2/3 and 1, six all.
    let draws: Vec<GroupUse> = (0..800).map(|draw| hashed(2, draw)).collect();
    let second: f64 = shares(&draws).iter().map(|rounds| rounds[1]).sum();
    assert_near(second / 800.0, 0.8125, 0.015);

    let to_third = |host: HostId| match host.index() {
        0 => vec![(hosts[2], 1.0)],
        _ => Vec::new(),
    };
    let taken = |how| -> Vec<f64> {
        let found = group_demand_figures(&tree, &tables, 0, how, to_third).load_per_channel;
        let between = tree
            .channel_ids()
            .filter(|&one| tree.is_switch_channel(one));
        between.map(|channel| found[channel.index()]).collect()
    };
    assert_eq!(taken(GroupUse::Alike).iter().sum::<f64>(), 4.0);
    let alone = [hosts[0], hosts[2]];
    for draw in 0..8 {
        let alone = hashed_loads(&tree, &tables, 0, &alone, [1, draw + 1], 1);
        let of_draw = tree
            .channel_ids()
            .filter(|&one| tree.is_switch_channel(one));
        let there: Vec<f64> = of_draw
            .map(|one| alone[draw as usize][one.index()])
            .collect();
        let taken = taken(hashed(1, draw));
        // Flows the other way are in the loads of both hosts.
        assert!(taken.iter().zip(&there).all(|(here, there)| here <= there));
        assert_eq!(taken.iter().sum::<f64>(), 2.0);
    }
}

/// Two hosts of each leaf, by the first of two spines to first addresses and by the other to second ones: flows take either.
#[test]
fn flows_go_to_any_address_by_their_hash() {
    let tree = fabric_of(&[2, 2, 0, 0], &[(0, 2), (0, 3), (1, 2), (1, 3)]);
    let by = |spine: usize| {
        let next = move |at: usize, to: usize| vec![if at < 2 { spine } else { to }];
        groups_of(&tree, LidState::Free, next)
    };
    let tables = two_addresses(&tree, &by(2), &by(3));
    let to_third = |host: HostId| match host.index() {
        0 => vec![(HostId::new(2), 1.0)],
        _ => Vec::new(),
    };
    let how = GroupUse::Hashed {
        flows: 1000,
        seed: 1,
        draw: 0,
    };
    let found = group_demand_figures(&tree, &tables, 0, how, to_third).load_per_channel;
    let between = tree
        .channel_ids()
        .filter(|&one| tree.is_switch_channel(one));
    let taken: Vec<f64> = between
        .map(|channel| found[channel.index()])
        .filter(|&load| load > 0.0)
        .collect();
    assert_eq!(taken.len(), 4);
    assert!(
        taken.iter().all(|load| (load - 0.5).abs() < 0.05),
        "{taken:?}"
    );
}

/// One host of a leaf to one of the other, by both spines alike: half a packet a channel, and two links a packet.
#[test]
fn demand_spreads_over_what_switches_may_choose() {
    let tree = xgft(&[2, 2], &[1, 2]).unwrap();
    let tables = groups(&tree, "ar_ftree");
    let figures = group_demand_figures(&tree, &tables, 0, GroupUse::Even, |host| {
        match host.index() {
            0 => vec![(HostId::new(2), 1.0)],
            _ => Vec::new(),
        }
    });
    let between = |&channel: &ChannelId| tree.is_switch_channel(channel);
    let loads: Vec<f64> = tree
        .channel_ids()
        .filter(between)
        .map(|channel| figures.load_per_channel[channel.index()])
        .collect();
    assert_eq!(loads.iter().filter(|&&load| load == 0.5).count(), 4);
    assert_eq!(loads.iter().sum::<f64>(), 2.0);
    assert_eq!(
        (
            figures.sending_hosts,
            figures.mean_hops_links,
            figures.max_load
        ),
        (1, 2.0, 1.0)
    );
}

#[test]
fn weights_of_subgroups_part_the_load() {
    let tree = xgft(&[2, 2], &[1, 2]).unwrap();
    let mut tables = groups(&tree, "ar_ftree:lids=hbf");
    let leaf = tree.switches_with_hosts().next().unwrap();
    let group = tables.switch(leaf).groups[0].ports().to_vec();
    let parted = [(0, 3), (1, 1)].map(|(place, weight)| Subgroup {
        ports: vec![group[place]],
        weight,
    });
    tables.switch_mut(leaf).groups[0] = PortGroup::new(parted.to_vec());
    let loads = group_loads(&tree, &tables, 0);
    let over = |place: usize| loads.mean[tree.outgoing_at(leaf, group[place]).unwrap().index()];
    assert_eq!([over(0), over(1)], [3.0, 1.0]);
}

#[test]
fn pairs_that_may_be_lost_or_go_round_are_counted() {
    let line = weft_testing::fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let tables = groups_of(&line, LidState::Free, |at, to| match (at, to) {
        (1, 2) => vec![2, 0],
        (0, _) => vec![1],
        (2, 0) => vec![],
        (at, _) => vec![at - 1],
    });
    // To the last from both others they may go to and fro; from the last to the first nothing leads.
    assert_eq!(group_loads(&line, &tables, 0).unreached_pairs, 3);
}

/// Per channel of what a packet of a pair takes: the part, by walking every way.
fn parts(
    fabric: &Fabric,
    tables: &GroupTables,
    [source, destination]: [HostId; 2],
    address: usize,
) -> BTreeMap<ChannelId, f64> {
    let mut parts = BTreeMap::from([(fabric.injection_channel(source), 1.0)]);
    let level = tables.level_of(source, address);
    let entry = Entry {
        switch: fabric.host_switch(source),
        port: fabric.host_port(source),
        lane: tables.host_lane(level).unwrap(),
    };
    let mut open = vec![(entry, 1.0)];
    while let Some((at, part)) = open.pop() {
        let choice = tables.choice(at.switch, (at.port, at.lane), address, level);
        for &port in choice.ports {
            let channel = fabric.outgoing_at(at.switch, port).unwrap();
            let part = part / choice.ports.len() as f64;
            *parts.entry(channel).or_default() += part;
            let lane = tables
                .next_lane(at.switch, [at.port, port], level, at.lane)
                .unwrap();
            match fabric.target(channel).node {
                Node::Host(host) => assert_eq!(host, destination),
                Node::Switch(switch) => {
                    let port = fabric.target(channel).port;
                    open.push((Entry { switch, port, lane }, part));
                }
            }
        }
    }
    parts
}

/// What every table of every switch but one's own does with an address.
fn treated(fabric: &Fabric, tables: &GroupTables, address: usize, level: u8) -> Vec<String> {
    let home = fabric.host_switch(tables.host_of(address));
    let others = fabric.switch_ids().filter(|&switch| switch != home);
    let treated = others.flat_map(|switch| {
        let count = u8::try_from(tables.switch(switch).table_count()).unwrap();
        (0..count).map(move |table| {
            format!(
                "{:?}",
                tables.choice_of_table(switch, table, address, level)
            )
        })
    });
    let own = tables.has_pair_levels().then(|| address.to_string());
    treated.chain([format!("{home:?}")]).chain(own).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn alike_are_addresses_of_a_switch_that_all_others_treat_alike(
        fabric in fabrics(0), seed in any::<u64>(), level in 0_u8..2,
    ) {
        let tables = random_groups(&fabric, seed);
        let mut expected: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for address in 0..tables.address_count() {
            let treated = treated(&fabric, &tables, address, level);
            expected.entry(treated).or_default().push(address);
        }
        let mut expected: Vec<Vec<usize>> = expected.into_values().collect();
        expected.sort_unstable();
        prop_assert_eq!(tables.alike_addresses(&fabric, level), expected);
    }

    #[test]
    fn loads_are_those_of_all_pairs_one_by_one(fabric in fabrics(0), seed in any::<u64>()) {
        let tables = random_groups(&fabric, seed);
        let loads = group_loads(&fabric, &tables, 0);
        if loads.unreached_pairs > 0 {
            return Ok(());
        }
        let mut mean = vec![0.0; fabric.channel_count()];
        let mut most = vec![0_u64; fabric.channel_count()];
        let mut crossing: BTreeMap<ChannelId, Vec<([HostId; 2], f64)>> = BTreeMap::new();
        for source in fabric.host_ids() {
            for destination in fabric.host_ids().filter(|&host| host != source) {
                let addresses = tables.addresses(destination);
                let pair = [source, destination];
                let mut met: BTreeMap<ChannelId, f64> = BTreeMap::new();
                for address in addresses.clone() {
                    for (channel, part) in parts(&fabric, &tables, pair, address) {
                        *met.entry(channel).or_default() += part / addresses.len() as f64;
                    }
                }
                let found = group_parts(&fabric, &tables, 0, pair).unwrap();
                prop_assert!(found.iter().map(|part| part.0).eq(met.keys().copied()));
                for ((channel, part), (_, found)) in met.into_iter().zip(found) {
                    prop_assert!((part - found).abs() < 1e-9);
                    mean[channel.index()] += part;
                    most[channel.index()] += 1;
                    crossing.entry(channel).or_default().push((pair, part));
                }
            }
        }
        let ends = [HostId::new(0), HostId::from_index(fabric.host_count() - 1)];
        let one = |how| {
            let to_last = |host: HostId| match (host == ends[0], ends[0] == ends[1]) {
                (true, false) => vec![(ends[1], 1.0)],
                _ => Vec::new(),
            };
            group_demand_figures(&fabric, &tables, 0, how, to_last).load_per_channel
        };
        let flows = |flows| GroupUse::Hashed { flows, seed, draw: 1 };
        let (alike, hashed) = (one(GroupUse::Alike), one(flows(80)));
        let may_take = group_parts(&fabric, &tables, 0, ends).unwrap_or_default();
        let may_take: BTreeMap<ChannelId, f64> = may_take.into_iter().collect();
        for channel in fabric.channel_ids().filter(|_| ends[0] != ends[1]) {
            let part = may_take.get(&channel).copied().unwrap_or(0.0);
            let found = (alike[channel.index()], hashed[channel.index()]);
            prop_assert_eq!(found.0, f64::from(u8::from(part > 0.0)));
            // Flows are where they may go, and together nowhere missed that is no rare choice.
            prop_assert!(part > 0.0 || found.1 == 0.0);
            prop_assert!(part < 0.25 || found.1 > 0.0, "{part} of {channel:?}");
            prop_assert!((found.1 - part).abs() < 0.35, "{found:?} for {part}");
        }
        for channel in fabric.switch_channels().step_by(2) {
            let both = [channel, channel.reverse()];
            for (channel, found) in both.into_iter().zip(group_crossing(&fabric, &tables, 0, both)) {
                let expected = crossing.remove(&channel).unwrap_or_default();
                prop_assert_eq!(found.len(), expected.len());
                for (found, expected) in found.into_iter().zip(expected) {
                    prop_assert_eq!(found.0, expected.0);
                    prop_assert!((found.1 - expected.1).abs() < 1e-9);
                }
            }
        }
        for channel in fabric.channel_ids() {
            let [found, expected] = [&loads.mean, &mean].map(|all| all[channel.index()]);
            prop_assert!((found - expected).abs() < 1e-6, "{channel:?}: {found} for {expected}");
            prop_assert_eq!(loads.most[channel.index()], most[channel.index()], "{:?}", channel);
        }
    }

    /// Where nobody may choose, both are the loads of the static tables.
    #[test]
    fn without_a_choice_loads_are_those_of_fixed_routes(leaves in 2_u32..5, spines in 1_u32..4) {
        let tree = xgft(&[2, leaves], &[1, spines]).unwrap();
        let mut tables = groups(&tree, "ar_ftree");
        for switch in tree.switch_ids() {
            tables.switch_mut(switch).adaptive_levels = 0;
        }
        let fixed = route_spec(&tree, "ftree").unwrap();
        let hosts: Vec<HostId> = tree.host_ids().collect();
        let halves = Rounds::Bisections { count: 20, seed: 5 };
        let uses = [GroupUse::Even, GroupUse::Alike, GroupUse::Hashed { flows: 4, seed: 1, draw: 2 }];
        for found in group_congestion(&tree, &tables, 0, &hosts, halves, &uses) {
            prop_assert_eq!(found, congestion(&tree, &fixed.routes, &hosts, halves));
        }
        let rated = with_rates(&tree, |link| Some(["4xEDR", "2xEDR", "4xHDR"][link.index() % 3]));
        let expected = congestion(&rated, &fixed.routes, &hosts, halves);
        for found in group_congestion(&rated, &tables, 0, &hosts, halves, &uses) {
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found.mean_share - expected.mean_share).abs() < 1e-9);
                prop_assert!((found.least_share - expected.least_share).abs() < 1e-9);
            }
        }
        let to_first = |host: HostId| match host.index() {
            0 => Vec::new(),
            1 => vec![(HostId::new(0), 0.25), (hosts[3], 0.75)],
            _ => vec![(HostId::new(0), 1.0)],
        };
        for how in uses {
            let found = group_demand_figures(&tree, &tables, 0, how, to_first);
            let expected = demand_figures(&tree, &fixed, to_first);
            for (found, expected) in found.load_per_channel.iter().zip(&expected.load_per_channel) {
                prop_assert!((found - expected).abs() < 1e-9, "{how:?}");
            }
        }
        let fixed = figures(&tree, &fixed);
        let loads = group_loads(&tree, &tables, 0);
        for channel in tree.channel_ids() {
            let expected = fixed.routes_per_channel[channel.index()];
            let ends = [tree.source(channel).node, tree.target(channel).node];
            if ends.iter().all(|node| node.switch().is_some()) {
                prop_assert_eq!(loads.mean[channel.index()], expected as f64);
                prop_assert_eq!(loads.most[channel.index()], expected);
            }
        }
    }
}
