//! What packets may meet on the way from old tables to new, by trying every order of the writes: of tables per host,
//! on one lane.

use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Step, TransitionPlan, Write};

/// Switch and port of a channel.
type Place = (u32, u8);

/// What packets may wait for.
#[derive(Default)]
pub(crate) struct Moments {
    /// Of each phase.
    graphs: Vec<DiGraphMap<Place, ()>>,
    /// Dependencies, those of each phase and address by themselves.
    pub(crate) dependencies: u64,
}

impl Moments {
    pub(crate) fn are_free(&self) -> bool {
        !self.graphs.iter().any(is_cyclic_directed)
    }
}

fn entry(tables: &ForwardingTables, at: SwitchId, host: HostId) -> Option<PortNumber> {
    tables.next_port(at, tables.addresses(host.index()).start)
}

/// The dependencies of each phase, found by trying every order of its writes, each with a packet that moves or waits
/// between any two: of tables per host, on one lane.
pub(crate) fn all_moments(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
    plan: &TransitionPlan,
) -> Moments {
    let mut found = Moments::default();
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
            if found.graphs.len() <= place {
                found.graphs.push(DiGraphMap::new());
            }
            let rounds: Vec<Vec<Write>> = phase
                .steps
                .iter()
                .filter_map(|step| match step {
                    Step::Write(writes) => Some(writes.clone()),
                    Step::WriteLanes(_)
                    | Step::Answer(_)
                    | Step::Renew(_)
                    | Step::RenewEach(_)
                    | Step::RenewForTrees(_) => None,
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
            found.dependencies += turns.len() as u64;
            for (held, wanted) in turns {
                found.graphs[place].add_edge(held, wanted, ());
            }
            for write in rounds.iter().flatten() {
                ports.insert(write.switch, write.port);
            }
        }
        for at in after.switch_ids() {
            let is = entry(new, at, host);
            assert_eq!(ports[&at], is);
        }
    }
    found
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

/// Counts the entries that differ.
pub(crate) fn differing_entries(fabric: &Fabric, tables: [&ForwardingTables; 2]) -> usize {
    changes(fabric, tables).count()
}

fn changes<'a>(
    fabric: &'a Fabric,
    [old, new]: [&'a ForwardingTables; 2],
) -> impl Iterator<Item = (SwitchId, HostId)> + 'a {
    let all = fabric
        .switch_ids()
        .flat_map(|at| fabric.host_ids().map(move |host| (at, host)));
    all.filter(move |&(at, host)| entry(old, at, host) != entry(new, at, host))
}

/// Whether entries of tables on one lane can be written one by one, each when all packets of before are gone, such
/// that no packets can deadlock and none is lost: whatever else is planned comes down to that.
pub(crate) fn a_way_without_draining(
    fabrics: [&Fabric; 2],
    tables: [&ForwardingTables; 2],
) -> bool {
    let after = fabrics[1];
    let changes: Vec<(SwitchId, HostId)> = changes(after, tables).collect();
    assert!(changes.len() <= 16, "every subset is tried");
    let all = (1_u32 << changes.len()) - 1;
    let port = |written: u32, at: SwitchId, host: HostId| {
        let place = changes.iter().position(|&change| change == (at, host));
        let is_new = place.is_some_and(|place| written >> place & 1 == 1);
        entry(tables[usize::from(is_new)], at, host)
    };
    // What packets may do before and after one more is written, of that address by either.
    let is_free = |before: u32, after_it: u32| {
        let mut graph: DiGraphMap<Place, ()> = DiGraphMap::new();
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
        !is_cyclic_directed(&graph)
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
