//! What old and new tables say of an address, and who sends there on which lanes.

use super::edge::Edge;
use super::removal::Removal;
use super::side::{HERE, NOWHERE, Side};
use crate::cycles::LaneSet;
use crate::form::{ForwardingTables, PairGranularity};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, narrow};

/// An address of a destination: all switches lead packets to it by one entry each.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// The name of its switch or host.
    pub(super) destination: String,
    /// Which of its addresses it is.
    pub(super) alias: u8,
    pub(super) old: Entries,
    pub(super) new: Entries,
    /// The exits of the new entries with old ones where those are [`removed`](Self::removed); `None` where none are.
    pub(super) kept: Option<Vec<u32>>,
    /// Whether the destination is left.
    pub(super) is_left: bool,
    /// The port of a host that is left.
    pub(super) own_port: Option<PortNumber>,
    /// Who sent there before, of those that are gone too.
    pub(super) past: Vec<Sent>,
    /// The switches that are left where an old entry is, the new tables have none and nobody comes by these.
    pub(super) removed: Vec<u32>,
}

/// Entries for an address.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    /// Per switch of both fabrics: the edge that it goes on by. New entries are old ones where hosts' packets come to a
    /// switch that has none.
    pub(super) exits: Vec<u32>,
    /// Who sends there, of those that are left, by switch. By old entries those too that nobody tells when to begin.
    pub(super) sent: Vec<Sent>,
}

/// Service levels that packets to an address start with at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) from: u32,
    pub(super) levels: LaneSet,
}

/// The service level of what switches send.
const OF_MANAGEMENT: LaneSet = 1;

/// A destination, as both sides know it.
type Endpoint = (String, [Option<usize>; 2]);

pub(super) fn gather_addresses(
    was: &Side<'_>,
    is: &Side<'_>,
    (edges, switch_count): (&[Edge], usize),
) -> Vec<Address> {
    let is_by_switch = [was, is]
        .iter()
        .all(|side| side.tables.granularity() == PairGranularity::Switch);
    let granularity = if is_by_switch {
        PairGranularity::Switch
    } else {
        PairGranularity::Host
    };
    let hosts_left: BTreeMap<&str, HostId> = is
        .fabric
        .host_ids()
        .map(|id| (is.fabric.host(id).name.as_str(), id))
        .collect();
    let unasked = Unasked::new(was, is);
    let mut addresses = Vec::new();
    for (destination, ends) in endpoints([was.fabric, is.fabric], granularity) {
        let of = |side: &Side<'_>, end: Option<usize>| {
            let held = end.map(|end| held_as(side, granularity, end));
            held.map_or(0..0, |held| side.tables.addresses(held))
        };
        let [old, new] = [of(was, ends[0]), of(is, ends[1])];
        for alias in 0..old.len().max(new.len()) {
            let entries = |side: &Side<'_>, end: Option<usize>, all: &std::ops::Range<usize>| {
                let address = all.clone().nth(alias);
                match (end, address) {
                    (Some(end), Some(address)) => {
                        exits(side, granularity, end, address, switch_count)
                    }
                    _ => vec![NOWHERE; switch_count],
                }
            };
            let sent = |side: &Side<'_>, end: Option<usize>, keeps: &dyn Fn(HostId) -> bool| {
                end.map_or_else(Vec::new, |end| sent(side, granularity, end, alias, keeps))
            };
            let name = |host: HostId| was.fabric.host(host).name.as_str();
            let is_new_address = match (ends, granularity) {
                ([Some(_), _] | [_, None], _) => false,
                ([None, Some(end)], PairGranularity::Host) => unasked.has(HostId::from_index(end)),
                ([None, Some(end)], PairGranularity::Switch) => {
                    let mut all = is.fabric.hosts_of(SwitchId::from_index(end)).iter();
                    all.all(|&host| unasked.has(host))
                }
            };
            let is_new = |host: HostId| is_new_address || unasked.has(host);
            let mut old_exits = entries(was, ends[0], &old);
            let mut new_exits = entries(is, ends[1], &new);
            if let (PairGranularity::Switch, Some(to)) = (granularity, ends[1]) {
                // A switch needs no entry for itself.
                old_exits[to] = HERE;
                new_exits[to] = HERE;
            }
            let new_sent = by_switch([sent(is, ends[1], &|_| true), Vec::new()]);
            let removal = if ends[1].is_some() {
                let exits = [&old_exits, &new_exits].map(Vec::as_slice);
                let ground = (edges, is.fabric.switch_count());
                let senders = new_sent.iter().map(|sent| sent.from);
                let (removal, exits) = Removal::find(exits, ground, senders);
                new_exits = exits;
                removal
            } else {
                Removal::default()
            };
            addresses.push(Address {
                alias: narrow(alias, "a destination has at most 128 addresses"),
                old: Entries {
                    exits: old_exits,
                    sent: by_switch([
                        sent(was, ends[0], &|host| hosts_left.contains_key(name(host))),
                        sent(is, ends[1], &is_new),
                    ]),
                },
                new: Entries {
                    exits: new_exits,
                    sent: new_sent,
                },
                kept: removal.kept,
                is_left: ends[1].is_some(),
                own_port: ends[1]
                    .filter(|_| granularity == PairGranularity::Host)
                    .map(|end| is.fabric.host_port(HostId::from_index(end))),
                past: sent(was, ends[0], &|_| true),
                removed: removal.removed,
                destination: destination.clone(),
            });
        }
    }
    addresses
}

/// Hosts that send, and are sent to, before they are told anything: those of switches that were not there before, which
/// remember what they knew when these were; where there is one service level and nothing to be told, all that were not
/// there.
struct Unasked(Vec<bool>);

impl Unasked {
    fn new(was: &Side<'_>, is: &Side<'_>) -> Self {
        let (before, after) = (was.fabric, is.fabric);
        let is_told = [was, is]
            .iter()
            .any(|side| side.tables.lanes_per_turn() > 1);
        let switches: BTreeSet<&str> = before
            .switch_ids()
            .map(|at| before.switch(at).name.as_str())
            .collect();
        let hosts: BTreeSet<&str> = before
            .host_ids()
            .map(|host| before.host(host).name.as_str())
            .collect();
        let is_unasked = |host: HostId| {
            let at = after.host_switch(host);
            !switches.contains(after.switch(at).name.as_str())
                || !is_told && !hosts.contains(after.host(host).name.as_str())
        };
        Self(after.host_ids().map(is_unasked).collect())
    }

    fn has(&self, host: HostId) -> bool {
        self.0[host.index()]
    }
}

/// What each switch without hosts sends: it answers the subnet manager, wherever that is.
pub(super) fn without_hosts(side: &Side<'_>) -> Vec<Sent> {
    let all = side.fabric.switch_ids().zip(&side.switches);
    let bare = all.filter(|(at, _)| side.fabric.hosts_of(*at).is_empty());
    bare.map(|(_, &from)| Sent {
        from,
        levels: OF_MANAGEMENT,
    })
    .collect()
}

/// What is sent, by switch.
fn by_switch(all: [Vec<Sent>; 2]) -> Vec<Sent> {
    let mut levels: BTreeMap<u32, LaneSet> = BTreeMap::new();
    for sent in all.into_iter().flatten() {
        *levels.entry(sent.from).or_default() |= sent.levels;
    }
    let sent = levels.into_iter();
    sent.map(|(from, levels)| Sent { from, levels }).collect()
}

/// All destinations: those that are left, then those that are gone.
fn endpoints(fabrics: [&Fabric; 2], granularity: PairGranularity) -> Vec<Endpoint> {
    let names = fabrics.map(|fabric| {
        let count = granularity.endpoint_count(fabric);
        let name = |index| granularity.endpoint_name(fabric, index).to_owned();
        (0..count).map(name).collect::<Vec<_>>()
    });
    let [before, after] = &names;
    let places: BTreeMap<&str, usize> = (0..).zip(before).map(|(n, name)| (&**name, n)).collect();
    let left: BTreeMap<&str, usize> = (0..).zip(after).map(|(n, name)| (&**name, n)).collect();
    let stay = (0..).zip(after).map(|(place, name)| {
        let was = places.get(name.as_str()).copied();
        (name.clone(), [was, Some(place)])
    });
    let gone = (0..).zip(before).filter_map(|(place, name)| {
        let is_left = left.contains_key(name.as_str());
        (!is_left).then(|| (name.clone(), [Some(place), None]))
    });
    stay.chain(gone).collect()
}

/// The number by which tables hold an endpoint of a granularity that may be finer than theirs.
fn held_as(side: &Side<'_>, granularity: PairGranularity, end: usize) -> usize {
    match [granularity, side.tables.granularity()] {
        [PairGranularity::Host, PairGranularity::Switch] => {
            side.fabric.host_switch(HostId::from_index(end)).index()
        }
        _ => end,
    }
}

fn exits(
    side: &Side<'_>,
    granularity: PairGranularity,
    end: usize,
    address: usize,
    switch_count: usize,
) -> Vec<u32> {
    let mut exits = vec![NOWHERE; switch_count];
    let to = granularity.endpoint_switch(side.fabric, end);
    for at in side.fabric.switch_ids() {
        let port = side.tables.next_port(at, address);
        let exit = match granularity {
            _ if at != to => side.edge(at, port),
            PairGranularity::Host if side.tables.granularity() == PairGranularity::Host => {
                let own = side.fabric.host_port(HostId::from_index(end));
                if port == Some(own) {
                    HERE
                } else {
                    side.edge(at, port)
                }
            }
            _ => HERE,
        };
        exits[side.switches[at.index()] as usize] = exit;
    }
    exits
}

/// Who sends to an address of a destination.
fn sent(
    side: &Side<'_>,
    granularity: PairGranularity,
    end: usize,
    alias: usize,
    keeps: &dyn Fn(HostId) -> bool,
) -> Vec<Sent> {
    let tables = side.tables;
    let destination = held_as(side, granularity, end);
    let Some(address) = tables.addresses(destination).nth(alias) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // Hosts of its own switch send to it over no channel between switches.
    let to = granularity.endpoint_switch(side.fabric, end);
    for at in side.fabric.switch_ids().filter(|&at| at != to) {
        let hosts = side.fabric.hosts_of(at).iter();
        let mut hosts = hosts.copied().filter(|&host| keeps(host));
        let levels = match tables.granularity() {
            PairGranularity::Switch => hosts
                .next()
                .filter(|_| sends(tables, at.index(), destination, address))
                .map_or(0, |_| level_bit(tables, at.index(), destination)),
            PairGranularity::Host => hosts
                .map(HostId::index)
                .filter(|&from| sends(tables, from, destination, address))
                .fold(0, |all, from| all | level_bit(tables, from, destination)),
        };
        if levels != 0 {
            found.push(Sent {
                from: side.switches[at.index()],
                levels,
            });
        }
    }
    found
}

fn sends(tables: &ForwardingTables, from: usize, to: usize, address: usize) -> bool {
    tables.sends_to_any_address() || tables.address(from, to) == Some(address)
}

fn level_bit(tables: &ForwardingTables, from: usize, to: usize) -> LaneSet {
    1 << tables.lane(from, to).number()
}

/// Has the hosts of a switch send by other levels.
pub(super) fn set_levels(all: &mut Vec<Sent>, sent: Sent) {
    match all.binary_search_by_key(&sent.from, |known| known.from) {
        Ok(place) if sent.levels == 0 => drop(all.remove(place)),
        Ok(place) => all[place] = sent,
        Err(place) => all.insert(place, sent),
    }
}

/// The levels that the hosts of a switch send by.
pub(super) fn levels_from(all: &[Sent], from: u32) -> LaneSet {
    let place = all.binary_search_by_key(&from, |sent| sent.from);
    place.map_or(0, |place| all[place].levels)
}

impl Address {
    /// The exits once all new entries are written, old ones that are to be removed among them.
    pub(super) fn written(&self) -> &[u32] {
        self.kept.as_deref().unwrap_or(&self.new.exits)
    }

    /// Tells whether a switch has another entry in the new tables.
    pub(super) fn changes(&self, at: u32) -> bool {
        self.old.exits[at as usize] != self.written()[at as usize]
    }

    /// The switches that are left whose entry changes.
    pub(super) fn changing(&self, left: usize) -> impl Iterator<Item = u32> + '_ {
        (0..).take(left).filter(|&at| self.changes(at))
    }

    /// The old exit of a switch where it has the new one, and the new one else.
    pub(super) fn other_exit(&self, exits: &[u32], at: u32) -> u32 {
        let both = [&self.old.exits[..], self.written()].map(|exits| exits[at as usize]);
        both[usize::from(exits[at as usize] == both[0])]
    }

    /// What the hosts of a switch send by old levels where they send by new ones, and by new ones else.
    pub(super) fn other_levels(&self, sent: &[Sent], from: u32) -> Sent {
        let both = self.levels(from);
        Sent {
            from,
            levels: both[usize::from(levels_from(sent, from) == both[0])],
        }
    }

    /// The service levels that packets from a switch are sent by, old and new.
    pub(super) fn levels(&self, from: u32) -> [LaneSet; 2] {
        [&self.old.sent, &self.new.sent].map(|all| levels_from(all, from))
    }

    /// The switches from which packets are sent by other levels.
    pub(super) fn changing_levels(&self) -> impl Iterator<Item = u32> + '_ {
        let all = [&self.old.sent, &self.new.sent].into_iter().flatten();
        let all: BTreeSet<u32> = all.map(|sent| sent.from).collect();
        let mut all = all.into_iter();
        std::iter::from_fn(move || all.find(|&from| self.levels(from)[0] != self.levels(from)[1]))
            .filter(|_| self.is_left)
    }

    /// Tells whether packets are sent there by other service levels, or from elsewhere.
    pub(super) fn changes_levels(&self) -> bool {
        self.is_left && self.old.sent != self.new.sent
    }
}
