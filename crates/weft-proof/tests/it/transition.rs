//! From old tables to new: no packets wait for one another in a circle, whatever is written when.

use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId};
use weft_proof::{CheckedTransition, TransitionCheckError, check_transition};
use weft_routing::{
    ForwardingTables, PairGranularity, Phase, Step, TransitionPlan, Write, classics,
    plan_transition,
};
use weft_testing::{cases, fabric_of, port_to, tables_of, with_links_cut};

/// Plans, and checks what is planned.
#[track_caller]
fn checked(
    fabrics: [&Fabric; 2],
    tables: [&ForwardingTables; 2],
) -> (TransitionPlan, CheckedTransition) {
    let plan = plan_transition(fabrics, tables).unwrap();
    let found = check_transition(fabrics, tables, &plan).unwrap();
    (plan, found)
}

/// Tables of all hosts, by a rule that names the next switch for each switch and host.
fn tables_by(fabric: &Fabric, next: impl Fn(usize, HostId) -> usize) -> ForwardingTables {
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    for host in fabric.host_ids() {
        for at in fabric
            .switch_ids()
            .filter(|&at| at != fabric.host_switch(host))
        {
            let port = port_to(fabric, at.index(), next(at.index(), host));
            tables.set_next_port(at, host.index(), port);
        }
    }
    tables
}

/// A ring of four with two hosts each, the first of which is reached clockwise from the other side and the second
/// the other way, but from 1 to 3 and back by way of `apex` alone.
fn ring_by_way_of(fabric: &Fabric, apex: usize, hosts: [usize; 4]) -> ForwardingTables {
    tables_by(fabric, |at, host| {
        let to = fabric.host_switch(host).index();
        let number = fabric
            .hosts_of(fabric.host_switch(host))
            .iter()
            .position(|&of| of == host);
        match (at, to) {
            (1, 3) | (3, 1) => apex,
            (0, 2) | (2, 0) if number < Some(hosts[to]) => (at + 1) % 4,
            (0, 2) | (2, 0) => (at + 3) % 4,
            _ => to,
        }
    })
}

const RING: [(usize, usize); 4] = [(0, 1), (1, 2), (2, 3), (3, 0)];

/// Old ways from 1 to 3 and back pass 0, new ones 2; all else goes clockwise from 0 to 2 and back, for ever. The new
/// way to 3 by 1, 2 and 3 and the old way to 1 by 3, 0 and 1 close the ring: so that goes first, and 3 once nobody is
/// on it any more.
#[test]
fn where_mixtures_close_a_ring_one_destination_waits_for_the_other() {
    let fabric = fabric_of(&[1; 4], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex, [1; 4]));
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert_eq!((plan.phases.len(), plan.drained_count()), (2, 0));
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    let written = |phase: &Phase| {
        let mut found = BTreeSet::new();
        for step in &phase.steps {
            let Step::Write(writes) = step else {
                panic!("{step:?}")
            };
            found.extend(
                writes
                    .iter()
                    .map(|write| (write.address, write.switch.index())),
            );
        }
        found
    };
    let all: Vec<_> = plan.phases.iter().map(written).collect();
    assert_eq!(all, [BTreeSet::from([(1, 3)]), BTreeSet::from([(3, 1)])]);
    // At once they may deadlock, though neither tables do.
    let mut at_once = plan.clone();
    let second = at_once.phases.remove(1);
    at_once.phases[0].steps.extend(second.steps);
    for order in [plan.phases[0].order.clone(), second.order] {
        at_once.phases[0].order = order;
        let refused = check_transition([&fabric; 2], [&old, &new], &at_once);
        assert!(matches!(
            refused,
            Err(TransitionCheckError::NotAscending { .. })
        ));
    }
    assert!(is_cyclic(
        &all_moments([&fabric; 2], [&old, &new], &at_once)[0]
    ));
}

/// With a second host on 0 and 2, which is reached the other way round, each of the two has to go before the other:
/// one of them is drained.
#[test]
fn where_each_has_to_go_before_the_other_one_is_drained() {
    let fabric = fabric_of(&[2, 1, 2, 1], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex, [1; 4]));
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert_eq!(plan.drained_count(), 1);
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    assert!(!a_way_without_draining([&fabric; 2], [&old, &new]));
}

type Place = (u32, u8);

fn is_cyclic(graph: &DiGraphMap<Place, ()>) -> bool {
    is_cyclic_directed(graph)
}

fn entry(tables: &ForwardingTables, at: SwitchId, host: HostId) -> Option<PortNumber> {
    tables.next_port(at, tables.addresses(host.index()).start)
}

/// The dependencies of each phase, found by trying every order of its writes, each with a packet that moves or waits
/// between any two: of tables per host, on one lane.
fn all_moments(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
    plan: &TransitionPlan,
) -> Vec<DiGraphMap<Place, ()>> {
    let mut graphs: Vec<DiGraphMap<Place, ()>> = Vec::new();
    let mut count = vec![0; plan.phases.len()];
    for (number, address) in plan.addresses.iter().enumerate() {
        let host = after
            .host_ids()
            .find(|&host| after.host(host).name == address.destination);
        let host = host.unwrap();
        let mut ports: BTreeMap<SwitchId, Option<PortNumber>> = after
            .switch_ids()
            .map(|at| (at, entry(old, at, host)))
            .collect();
        for (place, phase) in plan.phases.iter().enumerate() {
            if graphs.len() <= place {
                graphs.push(DiGraphMap::new());
            }
            let rounds: Vec<Vec<Write>> = phase
                .steps
                .iter()
                .filter_map(|step| match step {
                    Step::Write(writes) => Some(writes.clone()),
                    Step::Answer(_) | Step::Renew(_) => None,
                })
                .map(|writes| {
                    let own = writes
                        .into_iter()
                        .filter(|write| write.address as usize == number);
                    own.collect()
                })
                .collect();
            let past = if place == 0 {
                old_places(before, old, host)
            } else {
                BTreeSet::new()
            };
            let starts: BTreeSet<SwitchId> = after.switches_with_hosts().chain(past).collect();
            let turns = try_all(after, &ports, &rounds, &starts, host);
            count[place] += turns.len();
            for (held, wanted) in turns {
                graphs[place].add_edge(held, wanted, ());
            }
            for write in rounds.iter().flatten() {
                ports.insert(write.switch, write.port);
            }
        }
        for at in after.switch_ids() {
            let is = entry(new, at, host);
            assert!(is.is_none() || ports[&at] == is);
        }
    }
    graphs
}

/// Where old packets may be, before a link failed and behind it.
fn old_places(before: &Fabric, old: &ForwardingTables, host: HostId) -> BTreeSet<SwitchId> {
    let mut found = BTreeSet::new();
    for start in before.switches_with_hosts() {
        let mut at = start;
        while found.insert(at) {
            let channel = entry(old, at, host).and_then(|port| before.outgoing_at(at, port));
            match channel.map(|channel| before.target(channel).node) {
                Some(Node::Switch(next)) => at = next,
                _ => break,
            }
        }
    }
    found
}

/// What a packet may hold and want, by every order of the writes of each round.
fn try_all(
    fabric: &Fabric,
    ports: &BTreeMap<SwitchId, Option<PortNumber>>,
    rounds: &[Vec<Write>],
    starts: &BTreeSet<SwitchId>,
    host: HostId,
) -> BTreeSet<(Place, Place)> {
    let writes: Vec<(usize, &Write)> = (0..)
        .zip(rounds)
        .flat_map(|(round, writes)| writes.iter().map(move |write| (round, write)))
        .collect();
    assert!(writes.len() < 24, "every subset is tried");
    let mut turns = BTreeSet::new();
    let mut known = BTreeSet::new();
    let mut open: Vec<(u32, SwitchId, Option<Place>)> =
        starts.iter().map(|&start| (0, start, None)).collect();
    while let Some((written, at, held)) = open.pop() {
        if !known.insert((written, at, held)) {
            continue;
        }
        let is_written = |place: usize| written >> place & 1 == 1;
        for (place, (round, _)) in writes.iter().enumerate() {
            let mut earlier = (0..writes.len()).filter(|&other| writes[other].0 < *round);
            if !is_written(place) && earlier.all(is_written) {
                open.push((written | 1 << place, at, held));
            }
        }
        if at == fabric.host_switch(host) {
            continue;
        }
        let last = (0..writes.len())
            .rev()
            .find(|&place| is_written(place) && writes[place].1.switch == at);
        let port = last.map_or(ports[&at], |place| writes[place].1.port);
        let Some(port) = port else { continue };
        let Some(channel) = fabric.outgoing_at(at, port) else {
            continue;
        };
        let wanted = (at.number(), port.number());
        if let Some(held) = held {
            turns.insert((held, wanted));
        }
        if let Node::Switch(next) = fabric.target(channel).node {
            open.push((written, next, Some(wanted)));
        }
    }
    turns
}

/// Whether entries of tables on one lane can be written one by one, each when all packets of before are gone, such
/// that no packets can deadlock and none is lost: whatever else is planned comes down to that.
fn a_way_without_draining(fabrics: [&Fabric; 2], tables: [&ForwardingTables; 2]) -> bool {
    let after = fabrics[1];
    let changes: Vec<(SwitchId, HostId)> = after
        .switch_ids()
        .flat_map(|at| after.host_ids().map(move |host| (at, host)))
        .filter(|&(at, host)| entry(tables[0], at, host) != entry(tables[1], at, host))
        .collect();
    assert!(changes.len() <= 16, "every subset is tried");
    let all = (1_u32 << changes.len()) - 1;
    let port = |written: u32, at: SwitchId, host: HostId| {
        let place = changes.iter().position(|&change| change == (at, host));
        let is_new = place.is_some_and(|place| written >> place & 1 == 1);
        entry(tables[usize::from(is_new)], at, host)
    };
    // What packets may do before and after one more is written, of that address by either.
    let is_free = |before: u32, after_it: u32| {
        let mut graph = DiGraphMap::new();
        for host in after.host_ids() {
            for start in after.switches_with_hosts() {
                let mut open = vec![(start, None, false)];
                let mut known = BTreeSet::new();
                while let Some((at, held, has_met_new)) = open.pop() {
                    if at == after.host_switch(host) || !known.insert((at, held, has_met_new)) {
                        continue;
                    }
                    let mut ports = BTreeSet::from([(port(after_it, at, host), true)]);
                    if port(before, at, host) == port(after_it, at, host) {
                        ports = BTreeSet::from([(port(before, at, host), has_met_new)]);
                    } else if !has_met_new {
                        ports.insert((port(before, at, host), false));
                    }
                    for (port, has_met_new) in ports {
                        let channel = port.and_then(|port| after.outgoing_at(at, port));
                        let Some(channel) = channel else { return false };
                        let wanted: Place = (at.number(), port.map_or(0, PortNumber::number));
                        if let Some(held) = held {
                            graph.add_edge(held, wanted, ());
                        }
                        let Node::Switch(next) = after.target(channel).node else {
                            return false;
                        };
                        open.push((next, Some(wanted), has_met_new));
                    }
                }
            }
        }
        !is_cyclic(&graph)
    };
    let mut known = BTreeSet::new();
    let mut open = vec![0];
    while let Some(written) = open.pop() {
        if written == all {
            return true;
        }
        if known.insert(written) {
            let more = (0..changes.len()).map(|place| written | 1 << place);
            open.extend(more.filter(|&more| more != written && is_free(written, more)));
        }
    }
    false
}

fn networks(
    switches: std::ops::Range<usize>,
) -> impl Strategy<Value = (Vec<usize>, Vec<(usize, usize)>)> {
    switches.prop_flat_map(|switches| {
        let hosts = prop::collection::vec(0_usize..3, switches);
        let further = prop::collection::vec((0..switches, 0..switches), 1..2 * switches);
        (hosts, further).prop_map(move |(mut hosts, further)| {
            hosts[0] = hosts[0].max(1);
            hosts[1] = hosts[1].max(1);
            let ring = (0..switches).map(|at| (at, (at + 1) % switches));
            let chords = further.into_iter().filter(|(a, b)| a != b);
            (hosts, ring.chain(chords).collect())
        })
    })
}

fn spec(name: &str, lanes: u8, root: usize) -> String {
    match name {
        "best" => format!("best:starts=1,lanes={lanes}"),
        "dfsssp" => "dfsssp:lanes=15".to_owned(),
        "min_hop" => "min_hop".to_owned(),
        "by_switch" => format!("down_preferred:per=switch,root={root}"),
        _ => format!("down_preferred:per=host,root={root}"),
    }
}

fn names() -> impl Strategy<Value = [&'static str; 2]> {
    let old = vec!["best", "dfsssp", "down_preferred", "by_switch", "min_hop"];
    let new = vec!["best", "dfsssp", "down_preferred", "by_switch"];
    (prop::sample::select(old), prop::sample::select(new)).prop_map(|(old, new)| [old, new])
}

/// What the known methods come to on the ring: at once the two tables may deadlock, and stopping all traffic is safe.
#[test]
fn known_methods_are_told_beside_the_plan() {
    let fabric = fabric_of(&[1; 4], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex, [1; 4]));
    let found = classics([&fabric; 2], [&old, &new]).unwrap();
    let told = found.iter().map(|one| {
        (
            one.method.name(),
            one.rounds,
            one.waits,
            one.drained,
            one.lanes,
            one.is_free,
        )
    });
    // The longest old chain is clockwise by 2, 3, 0, 1 and 2.
    let expected = [
        ("static", 1, 1, 4, 1, true),
        ("double_scheme", 1, 1, 0, 2, true),
        ("overlapping", 4, 0, 0, 1, true),
        ("opensm", 1, 0, 0, 1, false),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert!(found.iter().all(|one| one.lost == 0));
}

proptest! {
    #![proptest_config(cases(400))]

    /// Links may have failed, or have come back.
    #[test]
    fn every_transition_is_proved_at_every_moment(
        (hosts, links) in networks(3..10),
        names in names(),
        lanes in prop::sample::select(vec![[1, 1], [1, 4], [2, 1], [2, 3], [4, 4]]),
        roots in [0_usize..3, 0..3],
        cut in 0_u32..30,
        comes_back in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let whole = fabric_of(&hosts, &links);
        let part = with_links_cut(&whole, cut, seed);
        prop_assume!(part.switch_count() >= 3);
        let fabrics = if comes_back { [&part, &whole] } else { [&whole, &part] };
        let tables = [0, 1].map(|side| tables_of(fabrics[side], &spec(names[side], lanes[side], roots[side])));
        let tables = [&tables[0], &tables[1]];
        let plan = plan_transition(fabrics, tables).unwrap();
        let found = check_transition(fabrics, tables, &plan).unwrap();
        prop_assert_eq!(&found.dropped, &Vec::<u32>::new());
        // Tables that can deadlock are free once something is cleared.
        let may_deadlock = names[0] == "min_hop";
        prop_assert!(may_deadlock || plan.is_free_throughout());
        prop_assert!(plan.phases.len() - found.proved_phases <= 1);
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// The check finds what trying every order of writes finds, no less and no more.
    #[test]
    fn the_check_agrees_with_every_order_of_writes(
        (hosts, links) in networks(3..6),
        roots in [0_usize..3, 0..3],
        cut in 0_u32..25,
        seed in any::<u64>(),
    ) {
        let before = fabric_of(&hosts, &links);
        let after = with_links_cut(&before, cut, seed);
        prop_assume!(after.host_count() == before.host_count());
        prop_assume!(after.switch_count() == before.switch_count());
        let old = tables_of(&before, &format!("down_preferred:per=host,root={}", roots[0]));
        let new = tables_of(&after, &format!("down_preferred:per=host,root={}", roots[1]));
        let (plan, found) = checked([&before, &after], [&old, &new]);
        let graphs = all_moments([&before, &after], [&old, &new], &plan);
        for graph in &graphs {
            prop_assert!(!is_cyclic(graph));
        }
        prop_assert!(found.dependencies >= graphs.iter().map(|graph| graph.edge_count() as u64).max().unwrap_or(0));
    }

    /// Where entries can be written one by one nothing is drained, but where the planner does not find the way: that
    /// is seldom.
    #[test]
    fn what_is_drained_has_to_be(
        (hosts, links) in networks(3..6),
        roots in [0_usize..3, 0..3],
    ) {
        let fabric = fabric_of(&hosts, &links);
        let [old, new] = roots.map(|root| tables_of(&fabric, &format!("down_preferred:per=host,root={root}")));
        let (plan, _) = checked([&fabric; 2], [&old, &new]);
        if plan.write_count() <= 12 && plan.drained_count() > 0 {
            prop_assert!(!a_way_without_draining([&fabric; 2], [&old, &new]));
        }
    }
}
