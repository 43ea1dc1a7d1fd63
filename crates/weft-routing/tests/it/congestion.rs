//! Static load of pairs: shares worked out by hand, laws of rounds, the channels that most take.

use proptest::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId, generate};
use weft_routing::algorithms::route_spec;
use weft_routing::load::figures;
use weft_routing::{
    ForwardingTables, PairGranularity, RoundFigures, Rounds, Routes, channel_loads, congestion,
    hottest_channels,
};
use weft_testing::{fabric_of, fabrics, with_rates};

fn hosts_of(fabric: &Fabric) -> Vec<HostId> {
    fabric.host_ids().collect()
}

fn rounds(fabric: &Fabric, spec: &str, rounds: Rounds) -> Vec<RoundFigures> {
    let routing = route_spec(fabric, spec).unwrap();
    congestion(fabric, &routing.routes, &hosts_of(fabric), rounds)
}

/// Three switches in a line, two hosts each. Shifted by one, hosts 1 and 3 cross a link forth and host
/// 5 both links back: nobody shares. Shifted by two, both hosts of a switch go to the next, and those
/// of the last back over both links: each pair shares in two.
/// Two switches of three hosts, and a fast and a slow cable between them. Two of three go over the fast one, which has room
/// for both; who goes over the slow one gets half of what it could send.
#[test]
fn pairs_share_channels_by_their_rates() {
    let plain = fabric_of(&[3, 3], &[(0, 1), (0, 1)]);
    let trunk = with_rates(&plain, |link| {
        Some(
            ["4xNDR", "4xEDR"]
                .get(link.index())
                .copied()
                .unwrap_or("4xHDR"),
        )
    });
    let found = rounds(&trunk, "min_hop", Rounds::Shifts)[2];
    assert_eq!((found.pairs, found.max_load), (6, 2));
    assert!((found.mean_share - 5.0 / 6.0).abs() < 1e-12, "{found:?}");
    assert!((found.least_share - 0.5).abs() < 1e-12, "{found:?}");
    // A host with a slow link can send no more over the slow cable, and takes no more.
    let slow = plain.injection_channel(HostId::new(0)).link();
    let trunk = with_rates(&trunk, |link| match link.index() {
        0 => Some("4xNDR"),
        1 => Some("4xEDR"),
        index => Some(if index == slow.index() {
            "2xEDR"
        } else {
            "4xHDR"
        }),
    });
    let routing = route_spec(&trunk, "min_hop").unwrap();
    let to_slow = [HostId::new(3), HostId::new(0)];
    let found = congestion(&trunk, &routing.routes, &to_slow, Rounds::Shifts);
    assert_eq!((found[0].mean_share, found[0].least_share), (1.0, 1.0));
    // Where nobody knows the rate of one, all are alike.
    let unknown = with_rates(&plain, |link| Some("4xEDR").filter(|_| link.index() > 1));
    let [one, other] = [&plain, &unknown].map(|fabric| rounds(fabric, "min_hop", Rounds::Shifts));
    assert_eq!(one, other);
}

#[test]
fn shifts_over_a_line_share_as_counted_by_hand() {
    let line = fabric_of(&[2, 2, 2], &[(0, 1), (1, 2)]);
    let found = rounds(&line, "updown:root=0", Rounds::Shifts);
    assert_eq!(found.len(), 5);
    let of = |shift: usize| found[shift - 1];
    assert_eq!((of(1).max_load, of(2).max_load, of(3).max_load), (1, 2, 2));
    let expected = [(of(1), 1.0, 1.0), (of(2), 0.5, 0.5)];
    for (round, mean, least) in expected {
        assert!((round.mean_share - mean).abs() < 1e-12, "{round:?}");
        assert!((round.least_share - least).abs() < 1e-12, "{round:?}");
        assert_eq!((round.pairs, round.unreached_pairs), (6, 0));
    }
}

#[test]
fn a_crossbar_leaves_every_pair_the_whole_rate() {
    let star = fabric_of(&[3], &[]);
    for kind in [
        Rounds::Shifts,
        Rounds::Permutations { count: 20, seed: 3 },
        Rounds::Bisections { count: 20, seed: 3 },
    ] {
        for round in rounds(&star, "updown", kind) {
            assert!((round.mean_share - 1.0).abs() < 1e-12);
            assert!(round.max_load <= 1);
        }
    }
}

/// One link between two switches of `n` hosts. Of a half that sends to the other, the pairs across
/// share that link: a round with `f` pairs forth, `b` back and `s` inside has the sum of shares
/// 1 + 1 + s. With two hosts a switch the pairings of four hosts are few enough to count: a third of
/// them stays inside, two thirds cross, half of these in one direction.
#[test]
fn the_effective_bisection_of_a_thin_link_is_near_its_expectation() {
    let thin = fabric_of(&[2, 2], &[(0, 1)]);
    let kind = Rounds::Bisections {
        count: 6000,
        seed: 5,
    };
    let found = rounds(&thin, "updown", kind);
    let mean = found.iter().map(|round| round.mean_share).sum::<f64>() / 6000.0;
    let expected = 1.0 / 3.0 + 2.0 / 3.0 * (0.5 * 1.0 + 0.5 * 0.5);
    assert!((mean - expected).abs() < 0.02, "{mean} {expected}");
}

#[test]
fn pairs_that_no_route_joins_get_nothing_and_load_nothing() {
    let line = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let mut tables = ForwardingTables::new(PairGranularity::Switch, 3, &[1, 1, 1]);
    tables.set_next_port(SwitchId::new(0), 1, PortNumber::new(1));
    tables.set_next_port(SwitchId::new(0), 2, PortNumber::new(1));
    let routes = Routes::from(tables);
    let found = congestion(&line, &routes, &hosts_of(&line), Rounds::Shifts);
    assert_eq!(found[0].unreached_pairs, 2);
    assert!((found[0].mean_share - 1.0 / 3.0).abs() < 1e-12);
    assert!(found[0].least_share.abs() < 1e-12);
    let hot = hottest_channels(&line, &routes, &hosts_of(&line), 9, 9);
    assert_eq!(hot.len(), 1, "only 0 → 1 arrives");
    assert_eq!(hot[0].pairs, 1);
    assert_eq!(hot[0].first_pairs, [[HostId::new(0), HostId::new(1)]]);
}

#[test]
fn the_hottest_channel_of_a_line_is_one_of_its_middle() {
    let line = fabric_of(&[1, 1, 1, 1], &[(0, 1), (1, 2), (2, 3)]);
    let routing = route_spec(&line, "updown").unwrap();
    let hot = hottest_channels(&line, &routing.routes, &hosts_of(&line), 2, 3);
    let middle: Vec<ChannelId> = line
        .channel_ids()
        .filter(|&c| {
            let ends = [line.source(c).node, line.target(c).node];
            let middle = [1, 2].map(|s| weft_fabric::Node::Switch(SwitchId::new(s)));
            ends == middle || ends == [middle[1], middle[0]]
        })
        .collect();
    let found: Vec<ChannelId> = hot.iter().map(|hot| hot.channel).collect();
    assert_eq!(found, middle);
    assert!(hot.iter().all(|hot| hot.pairs == 4));
    let forth: Vec<[u32; 2]> = hot[0]
        .first_pairs
        .iter()
        .map(|p| p.map(HostId::number))
        .collect();
    assert_eq!(forth, [[0, 2], [0, 3], [1, 2]]);
}

/// The worst shifts of a k-ary n-tree routed by destination are free of conflicts only where the
/// routing is balanced for them; random permutations never are, which is what makes them worth
/// studying.
#[test]
fn random_permutations_of_a_tree_conflict() {
    let tree = generate::k_ary_n_tree(4, 2).unwrap();
    let kind = Rounds::Permutations {
        count: 200,
        seed: 1,
    };
    let found = rounds(&tree, "down_preferred", kind);
    assert!(found.iter().any(|round| round.max_load > 1));
    assert!(found.iter().all(|round| round.mean_share > 0.25));
}

proptest! {
    /// Loads of all hosts are the load figures; every channel's pairs are as many as its load.
    #[test]
    fn loads_of_all_hosts_are_the_load_figures(fabric in fabrics(0), stops in any::<bool>()) {
        let spec = if stops { "ud_mitb:hostless=detour" } else { "lash" };
        let routing = route_spec(&fabric, spec).unwrap();
        let hosts = hosts_of(&fabric);
        let loads = channel_loads(&fabric, &routing.routes, &hosts);
        prop_assert_eq!(&loads, &figures(&fabric, &routing).routes_per_channel);
        let hot = hottest_channels(&fabric, &routing.routes, &hosts, usize::MAX, usize::MAX);
        let loaded = fabric.switch_channels();
        prop_assert_eq!(hot.len(), loaded.filter(|c| loads[c.index()] > 0).count());
        for pair in hot.windows(2) {
            prop_assert!(pair[0].pairs >= pair[1].pairs);
        }
        for hot in &hot {
            prop_assert_eq!(hot.pairs, loads[hot.channel.index()]);
            if !stops {
                prop_assert_eq!(hot.first_pairs.len() as u64, hot.pairs);
            }
        }
    }

    /// All shifts together are all pairs; a round's shares lie between what its busiest channel leaves
    /// and the whole, and other seeds draw other rounds without changing their number.
    #[test]
    fn rounds_keep_their_laws(fabric in fabrics(1), seed in any::<u64>()) {
        let count = fabric.host_count();
        let shifts = rounds(&fabric, "lash", Rounds::Shifts);
        let pairs: u64 = shifts.iter().map(|round| u64::from(round.pairs)).sum();
        prop_assert_eq!(pairs, (count * (count - 1)) as u64);
        let bisections = rounds(&fabric, "lash", Rounds::Bisections { count: 9, seed });
        prop_assert!(bisections.iter().all(|round| round.pairs as usize == count / 2));
        let permutations = rounds(&fabric, "lash", Rounds::Permutations { count: 9, seed });
        prop_assert_eq!(permutations.len(), 9);
        for round in shifts.iter().chain(&bisections).chain(&permutations) {
            prop_assert_eq!(round.unreached_pairs, 0);
            if round.pairs > 0 {
                let least = 1.0 / f64::from(round.max_load);
                prop_assert!((round.least_share - least).abs() < 1e-12);
                prop_assert!(round.mean_share >= least - 1e-12);
                prop_assert!(round.mean_share <= 1.0);
            }
        }
    }
}
