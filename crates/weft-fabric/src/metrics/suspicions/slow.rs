//! Links that are slower than the others.

use super::peers::Peers;
use super::{Suspicion, is_self_link};
use crate::{Fabric, HostId, LinkId, LinkRate, Node, SwitchId};
use std::collections::BTreeMap;

/// Links of one kind share a rate when this many quarters of those with a known rate have it.
const QUARTERS: usize = 3;
/// Of fewer links of a switch to a kind none is the odd one.
const FEWEST: usize = 4;

/// Links are of one kind when they join the same kinds of switches; those of hosts, when the hosts'
/// names differ in numbers only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Switches([usize; 2]),
    Switch(SwitchId, usize),
    Hosts(String),
    HostsOf(SwitchId, String),
}

/// The links slower than most of their kind, than most of their switch to the same kind, or than
/// another between the same two switches, by kind and rates.
pub(super) fn too_low(fabric: &Fabric, peers: &Peers) -> Vec<Suspicion> {
    let mut by_kind: BTreeMap<Kind, Vec<LinkRate>> = BTreeMap::new();
    let mut by_trunk: BTreeMap<[SwitchId; 2], LinkRate> = BTreeMap::new();
    let rated = |id: LinkId| {
        let rate = fabric.link(id).cable.rate?;
        (!is_self_link(fabric, id)).then_some((id, rate))
    };
    for (id, rate) in fabric.link_ids().filter_map(rated) {
        for kind in kinds(fabric, peers, id) {
            by_kind.entry(kind).or_default().push(rate);
        }
        if let Some(ends) = trunk(fabric, id) {
            let fastest = by_trunk.entry(ends).or_insert(rate);
            *fastest = faster(*fastest, rate);
        }
    }
    let usual: BTreeMap<Kind, LinkRate> = by_kind
        .into_iter()
        .filter_map(|(kind, rates)| Some((kind.clone(), usual_rate(&kind, rates)?)))
        .collect();
    let fastest = fastest_of_switches(fabric);
    let mut groups: BTreeMap<(Kind, LinkRate, LinkRate), Vec<LinkId>> = BTreeMap::new();
    for (id, found) in fabric.link_ids().filter_map(rated) {
        let kinds = kinds(fabric, peers, id);
        let of_kinds = kinds.iter().filter_map(|kind| usual.get(kind)).copied();
        let mut expected = of_kinds.fold(found, faster);
        if is_slow(expected, found) && is_of_older(fabric, &fastest, id, found) {
            expected = found;
        }
        let of_trunk = trunk(fabric, id).and_then(|ends| by_trunk.get(&ends).copied());
        let expected = faster(expected, of_trunk.unwrap_or(found));
        if is_slow(expected, found)
            && let Some(kind) = kinds.into_iter().next()
        {
            groups.entry((kind, found, expected)).or_default().push(id);
        }
    }
    let group = |((_, found, expected), links)| Suspicion::SlowLinks {
        links,
        found,
        expected,
    };
    groups.into_iter().map(group).collect()
}

fn is_slow(expected: LinkRate, found: LinkRate) -> bool {
    found.data_gbit_per_s() < expected.data_gbit_per_s()
}

/// The kinds a link is of, the widest first.
fn kinds(fabric: &Fabric, peers: &Peers, id: LinkId) -> Vec<Kind> {
    match fabric.link(id).ends.map(|end| end.node) {
        [Node::Switch(a), Node::Switch(b)] => {
            let [of_a, of_b] = [a, b].map(|switch| peers.kind_of(switch));
            vec![
                Kind::Switches([of_a.min(of_b), of_a.max(of_b)]),
                Kind::Switch(a, of_b),
                Kind::Switch(b, of_a),
            ]
        }
        [Node::Host(host), _] | [_, Node::Host(host)] => {
            let stem = stem(fabric, host);
            vec![
                Kind::Hosts(stem.clone()),
                Kind::HostsOf(fabric.host_switch(host), stem),
            ]
        }
    }
}

/// The name of a host without its numbers, but for that of its adapter and port, which stand last;
/// a GUID put behind the name to make it the only one is left out whole.
fn stem(fabric: &Fabric, host: HostId) -> String {
    let name = &fabric.host(host).name;
    let mut stem = String::new();
    for word in name
        .split_whitespace()
        .filter(|word| !word.starts_with("0x"))
    {
        let is_adapter = !stem.is_empty() && (word.starts_with("HCA-") || word.starts_with("mlx"));
        if !stem.is_empty() {
            stem.push(' ');
        }
        let mut is_number = false;
        for letter in word.chars() {
            if !letter.is_ascii_digit() || is_adapter {
                stem.push(letter);
            } else if !is_number {
                stem.push('#');
            }
            is_number = letter.is_ascii_digit();
        }
    }
    stem
}

fn trunk(fabric: &Fabric, id: LinkId) -> Option<[SwitchId; 2]> {
    match fabric.link(id).ends.map(|end| end.node) {
        [Node::Switch(a), Node::Switch(b)] => Some([a.min(b), a.max(b)]),
        _ => None,
    }
}

/// Per switch with hosts: the rate of its fastest link, where all are known.
fn fastest_of_switches(fabric: &Fabric) -> Vec<Option<LinkRate>> {
    let fastest = |switch: SwitchId| {
        let rates = fabric.outgoing(switch).iter();
        let rates = rates.map(|channel| fabric.link(channel.link()).cable.rate);
        let fastest = rates
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .reduce(faster);
        fastest.filter(|_| fabric.compute_hosts_of(switch) > 0)
    };
    fabric.switch_ids().map(fastest).collect()
}

/// Tells whether a link belongs to a switch with hosts of which no link is faster: that is one of
/// an older generation, as a whole.
fn is_of_older(fabric: &Fabric, fastest: &[Option<LinkRate>], id: LinkId, found: LinkRate) -> bool {
    let switches = fabric
        .link(id)
        .ends
        .into_iter()
        .filter_map(|end| end.node.switch());
    switches
        .into_iter()
        .any(|switch| fastest[switch.index()].is_some_and(|fastest| !is_slow(fastest, found)))
}

fn faster(a: LinkRate, b: LinkRate) -> LinkRate {
    if is_slow(b, a) { b } else { a }
}

/// The rate that enough links have.
fn usual_rate(kind: &Kind, mut rates: Vec<LinkRate>) -> Option<LinkRate> {
    let fewest = match kind {
        Kind::Switches(_) | Kind::Hosts(_) => 1,
        Kind::Switch(..) | Kind::HostsOf(..) => FEWEST,
    };
    rates.sort_unstable();
    let same = rates
        .chunk_by(|a, b| a == b)
        .max_by_key(|same| same.len())?;
    let is_enough = match kind {
        Kind::Switches(_) | Kind::Switch(..) => 4 * same.len() >= QUARTERS * rates.len(),
        // Hosts of one kind are bought alike, so that fewer make the rule.
        Kind::Hosts(_) | Kind::HostsOf(..) => 3 * same.len() >= 2 * rates.len(),
    };
    (is_enough && rates.len() >= fewest).then_some(same[0])
}
