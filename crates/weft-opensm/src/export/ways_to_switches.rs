//! Ways to the switches' own LIDs and from switches to hosts, by which counters are read and traps sent.
//!
//! Routes are proved between hosts. So that what is sent to a switch cannot wait in a circle with
//! them, its ways ascend the same order of the channels, on service level 0, wherever there are such.
//! A switch is reached as its first host is, wherever that ascends the order: so these ways stay when
//! tables are repaired, as those to hosts do. Where a packet's lane depends on the port it came by, that
//! is so everywhere, and whether the ways ascend the order is seen afterwards.
//!
//! A switch without hosts that no route to a host passes has no entry for it in the tables, but answers
//! the manager there, and tells it of failures. It is led there as to a switch, by entries that stand in the
//! tables themselves: repairs and transitions know them.

use super::LaneOrder;
use super::exits::Exits;
use super::exported_subnet::{Subnet, WayToHost};
use super::ranked_channels::{Ranked, are_all_led};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, LaneTables, Managed, StandingTables};

/// The ways from every switch to every other.
pub(super) struct Management {
    switch_count: usize,
    /// Per destination and switch: the next port, 0 at the destination and where no way leads.
    ports: Vec<PortNumber>,
    /// Ordered pairs of switches whose way does not ascend the order.
    pub(super) unordered_pairs: usize,
}

impl Management {
    /// The port by which a switch leads to another's LID: 0 for its own, `None` without a way.
    pub(super) fn port(&self, switch: SwitchId, destination: SwitchId) -> Option<PortNumber> {
        let port = self.ports[destination.index() * self.switch_count + switch.index()];
        (port.number() != 0 || switch == destination).then_some(port)
    }
}

/// What switches without hosts are led to.
#[derive(Default)]
pub(super) struct LedToHosts {
    /// The entries, by switch and endpoint.
    pub(super) entries: Vec<(SwitchId, usize)>,
    /// The switches that are not led, each with the endpoint: a way there could wait in a circle.
    pub(super) lacking: Vec<(SwitchId, usize)>,
    /// Pairs of a switch and an address whose way does not ascend the order.
    pub(super) unordered_pairs: usize,
}

impl LedToHosts {
    /// The hosts that some switches are not led to, each once.
    pub(super) fn lacking_hosts(&self, fabric: &Fabric, tables: &ForwardingTables) -> Vec<HostId> {
        let endpoints: BTreeSet<usize> = self.lacking.iter().map(|of| of.1).collect();
        let hosts = fabric.host_ids();
        let endpoint = |host| tables.granularity().endpoint(fabric, host);
        hosts
            .filter(|&host| endpoints.contains(&endpoint(host)))
            .collect()
    }
}

/// Ways to so many switches are found one after the other from what lies near.
const SIDE_BY_SIDE: usize = 64;

/// The service level of what is sent to a switch.
const LEVEL: u8 = 0;

/// An order of the channels as ways for management are found by it.
pub(super) struct Ordered<'a> {
    order: Option<LaneOrder<'a>>,
    exits: Exits,
    /// The ranks of channels; `None` without an order, and where lanes change on the way.
    ranked: Option<Ranked>,
}

impl<'a> Ordered<'a> {
    pub(super) fn new(
        fabric: &Fabric,
        tables: &ForwardingTables,
        order: Option<LaneOrder<'a>>,
    ) -> Self {
        let known = order.filter(|_| tables.lane_tables().is_none());
        Self {
            exits: Exits::of(fabric),
            ranked: known.map(|order| Ranked::new(fabric, &order, LEVEL)),
            order,
        }
    }

    /// Leads switches without hosts to the addresses of hosts that tables have no entries for. Unless switches choose lanes
    /// by ports nothing that these send waits in a circle then, on the lane of their level: to where they have no such way
    /// they get none. Where it waits in one by the entries there are, they get any.
    pub(super) fn lead_to_hosts(
        &self,
        fabric: &Fabric,
        tables: &mut ForwardingTables,
    ) -> LedToHosts {
        if self.ranked.is_none() {
            return self.lead_by_any_way(fabric, tables, true);
        }
        let mut ordered = tables.clone();
        let by_order = self.lead_by_any_way(fabric, &mut ordered, false);
        if by_order.unordered_pairs == 0 && by_order.entries.is_empty() {
            return by_order;
        }
        let on = Arc::new(fabric.clone());
        let beside_all = |tables: &ForwardingTables| {
            let standing = StandingTables::new(Arc::clone(&on), tables).ok()?;
            standing.counts_management().then(|| standing.managed())
        };
        // Entries that there were need not ascend the order; and ways that do may bar others.
        let by_order = beside_all(&ordered).map(|found| (by_order.entries, found));
        let is_whole = |of: &(_, Managed)| of.1.lacking.is_empty();
        let alone = match &by_order {
            Some(found) if is_whole(found) => None,
            _ => beside_all(tables).map(|found| (Vec::new(), found)),
        };
        let both = by_order.into_iter().chain(alone);
        let Some((mut entries, found)) = both.min_by_key(|of| of.1.lacking.len()) else {
            return self.lead_by_any_way(fabric, tables, true);
        };
        entries.extend(found.found);
        if let Ok(all) = found.tables.tables(fabric) {
            for &(at, endpoint) in &entries {
                for address in tables.addresses(endpoint) {
                    if let Some(port) = all.next_port(at, address) {
                        tables.set_next_port(at, address, port);
                    }
                }
            }
        }
        LedToHosts {
            entries,
            lacking: found.lacking,
            unordered_pairs: 0,
        }
    }

    /// The same by the order wherever there is such a way, and by any other where that is asked for; else those are
    /// counted that have none.
    fn lead_by_any_way(
        &self,
        fabric: &Fabric,
        tables: &mut ForwardingTables,
        takes_others: bool,
    ) -> LedToHosts {
        let is_bare = |&switch: &SwitchId| fabric.hosts_of(switch).is_empty();
        let bare: Vec<SwitchId> = fabric.switch_ids().filter(is_bare).collect();
        let granularity = tables.granularity();
        let mut led_to = LedToHosts::default();
        for endpoint in 0..tables.endpoint_count() {
            let destination = granularity.endpoint_switch(fabric, endpoint);
            for address in tables.addresses(endpoint) {
                let entry = |switch| tables.next_port(switch, address);
                let arrives = |at| self.arrives(fabric, destination, &entry, at);
                let lacking = bare.iter().filter(|&&switch| !arrives(switch));
                let lacking: BTreeSet<SwitchId> = lacking.copied().collect();
                if lacking.is_empty() {
                    continue;
                }
                let mut next = vec![None; fabric.switch_count()];
                self.as_tables(fabric, destination, &entry, self.ranked.as_ref(), &mut next);
                if let Some(ranked) = &self.ranked {
                    ranked.ascending(fabric, destination, |at| lacking.contains(&at), &mut next);
                }
                let is_led = |at: &&SwitchId| next[at.index()].is_some();
                let lanes = tables.lane_tables();
                let led = match lanes {
                    Some(_) => 0,
                    None => lacking.iter().filter(is_led).count(),
                };
                // Of the others, entries that lead there are taken as they are.
                if takes_others {
                    self.as_tables(fabric, destination, &entry, None, &mut next);
                    short(fabric, destination, &mut next);
                } else {
                    led_to.unordered_pairs += lacking.len() - led;
                }
                let all = lacking.iter().filter(|at| next[at.index()].is_some());
                let all: Vec<SwitchId> = all.copied().collect();
                let is_ordered = |&&at: &&SwitchId| match (lanes, &self.order) {
                    (Some(lanes), Some(order)) => {
                        ascends(fabric, lanes, order, [at, destination], &next)
                    }
                    _ => false,
                };
                let ordered = led + all.iter().filter(is_ordered).count();
                led_to.unordered_pairs += all.len() - ordered;
                for at in all {
                    if let Some(channel) = next[at.index()] {
                        tables.set_next_port(at, address, fabric.source(channel).port);
                        led_to.entries.push((at, endpoint));
                    }
                }
            }
        }
        led_to
    }

    /// Tells whether entries for an address lead a switch without hosts to its destination: what leads to one with
    /// hosts does.
    fn arrives(
        &self,
        fabric: &Fabric,
        destination: SwitchId,
        entry: &impl Fn(SwitchId) -> Option<PortNumber>,
        from: SwitchId,
    ) -> bool {
        let mut here = from;
        // Entries of switches without hosts may lead in a circle, which nobody sends on.
        for _ in 0..fabric.switch_count() {
            if here == destination {
                return true;
            }
            let Some((_, head)) = entry(here).and_then(|port| self.exits.at(here, port)) else {
                return false;
            };
            if !fabric.hosts_of(here).is_empty() {
                return true;
            }
            here = head;
        }
        false
    }

    /// Leads switches to a destination as entries for an address there do; where there are ranks, those whose
    /// ways ascend them.
    fn as_tables(
        &self,
        fabric: &Fabric,
        destination: SwitchId,
        entry: &impl Fn(SwitchId) -> Option<PortNumber>,
        ranked: Option<&Ranked>,
        next: &mut [Option<ChannelId>],
    ) {
        if let Some(ranked) = ranked
            && let Some(all) = self.ascending_entries(fabric, destination, entry, ranked)
        {
            next.copy_from_slice(&all);
            return;
        }
        let rank = |channel: ChannelId| ranked.map_or(0, |ranked| ranked.ranks[channel.index()]);
        let to_host = |switch: SwitchId| self.exits.at(switch, entry(switch)?);
        // Per switch: whether its way arrives and ascends, once that is known.
        let mut is_way: Vec<Option<bool>> = vec![None; fabric.switch_count()];
        let mut met = Vec::new();
        for start in fabric.switch_ids() {
            let mut here = start;
            while here != destination && is_way[here.index()].is_none() {
                // What leads in a circle, in tables that nobody proved, is no way.
                is_way[here.index()] = Some(false);
                let Some((channel, head)) = to_host(here) else {
                    break;
                };
                met.push((here, channel));
                here = head;
            }
            let mut after: Option<u32> = next[here.index()].map(rank);
            let mut is_good = here == destination || (is_way[here.index()] == Some(true));
            for (switch, channel) in met.drain(..).rev() {
                let own = rank(channel);
                is_good = is_good && after.is_none_or(|after| ranked.is_none() || own < after);
                is_way[switch.index()] = Some(is_good);
                if is_good {
                    next[switch.index()] = Some(channel);
                }
                after = Some(own);
            }
        }
    }

    /// The channels that all switches but the destination go on by, where each leads there or to a switch that goes on by
    /// one of higher rank: then all ways arrive and ascend.
    fn ascending_entries(
        &self,
        fabric: &Fabric,
        destination: SwitchId,
        entry: impl Fn(SwitchId) -> Option<PortNumber>,
        ranked: &Ranked,
    ) -> Option<Vec<Option<ChannelId>>> {
        let mut all = vec![None; fabric.switch_count()];
        // Per switch: the rank that it goes on by, and the switch that it leads to.
        let mut ranks = vec![u32::MAX; fabric.switch_count()];
        let mut heads = vec![destination; fabric.switch_count()];
        for switch in fabric.switch_ids().filter(|&at| at != destination) {
            let (channel, head) = self.exits.at(switch, entry(switch)?)?;
            all[switch.index()] = Some(channel);
            ranks[switch.index()] = ranked.ranks[channel.index()];
            heads[switch.index()] = head;
        }
        let mut both = ranks.iter().zip(&heads);
        // The destination leads to itself, and goes on by none.
        let ascend = both.all(|(&rank, head)| rank < ranks[head.index()] || rank == u32::MAX);
        ascend.then_some(all)
    }

    /// Finds ways to switches that ascend the order, and short ones for pairs without.
    pub(super) fn ways(&self, subnet: &Subnet<'_>) -> Management {
        let fabric = subnet.fabric;
        let lanes = subnet.tables.lane_tables();
        let switch_count = fabric.switch_count();
        let mut found = Management {
            switch_count,
            ports: Vec::with_capacity(switch_count * switch_count),
            unordered_pairs: 0,
        };
        let ports_of = fabric.channel_ids();
        let ports_of: Vec<PortNumber> = ports_of.map(|id| fabric.source(id).port).collect();
        let all: Vec<SwitchId> = fabric.switch_ids().collect();
        for destinations in all.chunks(SIDE_BY_SIDE) {
            // Entries lie by switch: of several destinations they are near one another.
            let mut ports = Vec::with_capacity(switch_count * destinations.len());
            let to_first = destinations.iter().map(|&destination| {
                let host = fabric.hosts_of(destination).first();
                host.map(|&host| subnet.way_to(host, 0))
            });
            let to_first: Vec<Option<WayToHost>> = to_first.collect();
            for switch in fabric.switch_ids() {
                let to_first = to_first.iter();
                ports.extend(to_first.map(|way| way.and_then(|to| to.port(subnet.tables, switch))));
            }
            for (place, &destination) in destinations.iter().enumerate() {
                let mut next = vec![None; switch_count];
                if !fabric.hosts_of(destination).is_empty() {
                    let port =
                        |switch: SwitchId| ports[switch.index() * destinations.len() + place];
                    self.as_tables(fabric, destination, &port, self.ranked.as_ref(), &mut next);
                }
                if let Some(ranked) = &self.ranked {
                    ranked.ascending(fabric, destination, |_| true, &mut next);
                }
                let short = short(fabric, destination, &mut next);
                found.unordered_pairs += match (lanes, &self.order) {
                    (Some(lanes), Some(order)) => fabric
                        .switch_ids()
                        .filter(|&switch| {
                            !ascends(fabric, lanes, order, [switch, destination], &next)
                        })
                        .count(),
                    (Some(_), None) => switch_count - 1,
                    (None, _) => short,
                };
                found.ports.extend(next.iter().map(|channel| {
                    channel.map_or(PortNumber::new(0), |channel| ports_of[channel.index()])
                }));
            }
        }
        found
    }
}

/// The entries of switches without hosts that no route to a host passes, by switch and endpoint: what these answer the
/// subnet manager by, and nothing else.
pub fn entries_of_management(fabric: &Fabric, tables: &ForwardingTables) -> Vec<(SwitchId, usize)> {
    let is_bare = |&switch: &SwitchId| fabric.hosts_of(switch).is_empty();
    let bare: Vec<SwitchId> = fabric.switch_ids().filter(is_bare).collect();
    let mut found = Vec::new();
    let mut passed = vec![false; fabric.switch_count()];
    for endpoint in 0..tables.endpoint_count() {
        let mut is_of_management = vec![false; bare.len()];
        for address in tables.addresses(endpoint) {
            passed.fill(false);
            for start in fabric.switches_with_hosts() {
                let mut here = start;
                while !std::mem::replace(&mut passed[here.index()], true) {
                    let port = tables.next_port(here, address);
                    let channel = port.and_then(|port| fabric.outgoing_at(here, port));
                    let Some(channel) = channel.filter(|&to| fabric.is_switch_channel(to)) else {
                        break;
                    };
                    here = fabric.switches_of(channel)[1];
                }
            }
            for (is, &at) in is_of_management.iter_mut().zip(&bare) {
                *is |= !passed[at.index()] && tables.next_port(at, address).is_some();
            }
        }
        let of_it = bare.iter().zip(is_of_management);
        found.extend(of_it.filter(|of| of.1).map(|(&at, _)| (at, endpoint)));
    }
    found
}

/// Tells whether the way from a switch to a destination ascends the order, on the lanes that it
/// is given.
fn ascends(
    fabric: &Fabric,
    lanes: &LaneTables,
    order: &LaneOrder<'_>,
    [from, destination]: [SwitchId; 2],
    next: &[Option<ChannelId>],
) -> bool {
    let mut here = from;
    let mut input = PortNumber::new(0);
    let mut last = None;
    while here != destination {
        let Some(channel) = next[here.index()] else {
            return false;
        };
        let output = fabric.source(channel).port;
        let lane = lanes.row(here, [input, output])[usize::from(LEVEL)];
        let rank = lane.and_then(|lane| order.rank(channel, lane));
        if rank.is_none() || last.is_some_and(|last| rank <= Some(last)) {
            return false;
        }
        last = rank;
        let end = fabric.target(channel);
        (here, input) = (fabric.switches_of(channel)[1], end.port);
    }
    true
}

/// Leads the switches that no way leads yet by a shortest to those with one, and counts them.
fn short(fabric: &Fabric, destination: SwitchId, next: &mut [Option<ChannelId>]) -> usize {
    if are_all_led(destination, next) {
        return 0;
    }
    let mut queue: VecDeque<SwitchId> = fabric
        .switch_ids()
        .filter(|&switch| switch == destination || next[switch.index()].is_some())
        .collect();
    let mut count = 0;
    while let Some(switch) = queue.pop_front() {
        for hop in fabric.hops(switch) {
            let from = hop.switch;
            if from != destination && next[from.index()].is_none() {
                next[from.index()] = Some(hop.channel.reverse());
                queue.push_back(from);
                count += 1;
            }
        }
    }
    count
}
