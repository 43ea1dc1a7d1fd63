//! What packets wait for while some entries are old and some are new, by following all of them.

use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, LaneTables, Repair, RoundEntry, Transition};
use weft_testing::host_pairs;

/// Switch, port and lane of a channel, which mean the same in both fabrics.
type Place = (u32, u8, u8);

/// The lane that a switch gives packets of a service level, by the ports through which they come and go.
fn lane(tables: &ForwardingTables, at: SwitchId, ports: [PortNumber; 2], level: u8) -> u8 {
    let by_ports = |lanes: &LaneTables| lanes.lane(at, ports, level, Lane::ZERO).unwrap();
    tables
        .lane_tables()
        .map_or(level, |lanes| by_ports(lanes).number())
}

/// Follows packets of a service level from a switch, to which they came by a port, in so many rounds, of which any may
/// begin while they are on their way: by every port that switches have for them in a round. Notes what waits for what.
fn walk(
    fabric: &Fabric,
    tables: &ForwardingTables,
    (rounds, ports): (usize, &dyn Fn(SwitchId, usize) -> BTreeSet<u8>),
    (start, input): (SwitchId, PortNumber),
    level: u8,
    graph: &mut DiGraphMap<Place, ()>,
) {
    let mut met = BTreeSet::new();
    let mut open = vec![(start, input, None, 0)];
    while let Some((at, input, held, since)) = open.pop() {
        let ports = (since..rounds).flat_map(|round| {
            let ports = ports(at, round).into_iter();
            ports.map(move |port| (port, round))
        });
        for (port, round) in ports {
            let output = PortNumber::new(port);
            let Some(channel) = fabric.outgoing_at(at, output) else {
                continue;
            };
            let Node::Switch(next) = fabric.target(channel).node else {
                continue;
            };
            let lane = lane(tables, at, [input, output], level);
            let wanted: Place = (at.number(), port, lane);
            if let Some(held) = held {
                graph.add_edge(held, wanted, ());
            }
            if met.insert((wanted, round)) {
                open.push((next, fabric.target(channel).port, Some(wanted), round));
            }
        }
    }
}

pub(super) fn entry(tables: &ForwardingTables, at: SwitchId, host: usize) -> Option<u8> {
    let address = tables.addresses(host).start;
    tables.next_port(at, address).map(PortNumber::number)
}

/// Packets to a destination, from where they begin.
struct Sent {
    start: (SwitchId, PortNumber),
    destination: HostId,
    /// Their levels, old and new.
    levels: [u8; 2],
}

/// Tells whether what switches without hosts send, on level 0, waits in no circle with what hosts do: then it counts in
/// repairs, unless switches choose lanes by ports.
pub(super) fn keeps_management(fabric: &Fabric, tables: &ForwardingTables) -> bool {
    let mut alone = DiGraphMap::new();
    for sent in sent([fabric; 2], [tables; 2], true) {
        let by_old = |at| entry(tables, at, sent.destination.index());
        let ports = |at, _: usize| by_old(at).into_iter().collect();
        walk(
            fabric,
            tables,
            (1, &ports),
            sent.start,
            sent.levels[0],
            &mut alone,
        );
    }
    tables.lane_tables().is_none() && !is_cyclic_directed(&alone)
}

/// What hosts send; and, where that is asked for, what switches do that had no hosts and have none.
fn sent(
    [before, fabric]: [&Fabric; 2],
    tables: [&ForwardingTables; 2],
    with_switches: bool,
) -> Vec<Sent> {
    let pairs = host_pairs(fabric).into_iter();
    let of_hosts = pairs.map(|(source, destination)| Sent {
        start: (fabric.host_switch(source), fabric.host_port(source)),
        destination,
        levels: tables.map(|of| of.lane(source.index(), destination.index()).number()),
    });
    let is_one_lane = tables.iter().all(|of| of.lane_count() == 1);
    let had_none = |at: SwitchId| {
        let mut was = before.switch_ids();
        let was = was.find(|&of| before.switch(of).name == fabric.switch(at).name);
        was.is_some_and(|of| before.hosts_of(of).is_empty())
    };
    let bare = fabric.switch_ids().filter(|&at| {
        with_switches && fabric.hosts_of(at).is_empty() && (is_one_lane || had_none(at))
    });
    let bare: Vec<SwitchId> = bare.collect();
    let of_switches = fabric.host_ids().flat_map(|destination| {
        bare.iter().map(move |&at| Sent {
            start: (at, PortNumber::new(0)),
            destination,
            levels: [0; 2],
        })
    });
    of_hosts.chain(of_switches).collect()
}

/// The switches behind failed links on an old route from a switch, and the ports of these.
fn behind_failures(
    [before, after]: [&Fabric; 2],
    old: &ForwardingTables,
    (start, destination): (SwitchId, HostId),
) -> Vec<(SwitchId, PortNumber)> {
    let mut found = Vec::new();
    let mut at = start;
    let old_entry = |at| entry(old, at, destination.index()).map(PortNumber::new);
    while let Some(port) = old_entry(at).filter(|_| found.len() < before.switch_count()) {
        let channel = before.outgoing_at(at, port).unwrap();
        let Node::Switch(next) = before.target(channel).node else {
            break;
        };
        if after.outgoing_at(at, port).is_none() {
            found.push((next, before.target(channel).port));
        }
        at = next;
    }
    found
}

/// The order in which tables change.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) rounds: &'a [Vec<RoundEntry>],
    pub(super) cleared: &'a [String],
    /// Whether the first clears entries alone, and packets of before are gone by the next.
    pub(super) clears_first: bool,
    /// Whether what switches without hosts send is among what is followed.
    pub(super) management: bool,
}

impl<'a> Order<'a> {
    /// All entries change when they will.
    pub(super) const AT_ONCE: Self = Self {
        rounds: &[],
        cleared: &[],
        clears_first: false,
        management: true,
    };

    pub(super) fn of(made: &'a Repair) -> Self {
        Self {
            rounds: &made.rounds,
            cleared: &made.cleared,
            clears_first: made.transition == Transition::ClearFirst,
            management: made.counts_management,
        }
    }
}

/// Follows packets by the old entries, those that have passed a failed link too, and by the new; where those are not
/// cleared first, by whichever of the two each switch has in the rounds of a repair, on old lanes and new. Where some
/// are, what stands beside the new ones once packets of before are gone.
pub(super) fn mixed(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
    Order {
        rounds,
        cleared,
        clears_first,
        management,
    }: Order<'_>,
) -> DiGraphMap<Place, ()> {
    if clears_first {
        let is_cleared = |of: &RoundEntry| of.port.is_none() && cleared.contains(&of.destination);
        assert!(rounds[0].iter().all(is_cleared), "it does nothing else");
    }
    let mut graph = DiGraphMap::new();
    let mut round_of = BTreeMap::new();
    for (round, entries) in (0..).zip(rounds) {
        for of in entries
            .iter()
            .filter(|of| !cleared.contains(&of.destination))
        {
            let is_new = round_of.insert((of.switch.as_str(), of.destination.as_str()), round);
            assert_eq!(is_new, None, "an entry is set once");
        }
    }
    for sent in sent([before, after], [old, new], management) {
        let (start, lanes) = (sent.start, sent.levels);
        let name = after.host(sent.destination).name.as_str();
        let by = |tables: &ForwardingTables, at| entry(tables, at, sent.destination.index());
        let (by_old, by_new) = (|at| by(old, at), |at| by(new, at));
        let by_round = |at: SwitchId, now: usize| -> BTreeSet<u8> {
            let own = round_of.get(&(after.switch(at).name.as_str(), name));
            let own = own.copied().unwrap_or(0);
            let was = by_old(at).filter(|_| now <= own);
            was.into_iter()
                .chain(by_new(at).filter(|_| now >= own))
                .collect()
        };
        let only_old = |at, _: usize| by_old(at).into_iter().collect();
        let only_new = |at, _: usize| by_new(at).into_iter().collect();
        // An old entry over a failed link leads nowhere.
        let may_mix = !cleared.iter().any(|cleared| cleared == name);
        if may_mix || !clears_first {
            walk(after, old, (1, &only_old), start, lanes[0], &mut graph);
        }
        walk(after, new, (1, &only_new), start, lanes[1], &mut graph);
        let rounds = rounds.len().max(1);
        let mixing = lanes.into_iter().filter(|_| may_mix);
        for lane in mixing.clone() {
            walk(after, old, (rounds, &by_round), start, lane, &mut graph);
        }
        let behind = behind_failures([before, after], old, (start.0, sent.destination));
        let behind = behind.into_iter();
        for behind in behind.filter(|_| !clears_first) {
            walk(after, old, (1, &only_old), behind, lanes[0], &mut graph);
            if may_mix {
                walk(
                    after,
                    old,
                    (rounds, &by_round),
                    behind,
                    lanes[0],
                    &mut graph,
                );
            }
        }
    }
    graph
}
