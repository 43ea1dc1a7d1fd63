//! Ways to the switches' own LIDs, by which counters are read and traps sent.
//!
//! Routes are proved between hosts. So that what is sent to a switch cannot wait in a circle with
//! them, its ways ascend the same order of the channels, on service level 0, wherever there are such.
//! A switch is reached as its first host is, wherever that ascends the order: so these ways stay when
//! tables are repaired, as those to hosts do. Where a packet's lane depends on the port it came by, that
//! is so everywhere, and whether the ways ascend the order is seen afterwards.

use super::LaneOrder;
use super::exported_subnet::Subnet;
use std::collections::VecDeque;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};
use weft_routing::{Lane, LaneTables};

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

/// The service level of what is sent to a switch.
const LEVEL: u8 = 0;

/// Finds ways that ascend an order of the channels, and short ones for pairs without.
pub(super) fn ways(subnet: &Subnet<'_>, order: Option<&LaneOrder<'_>>) -> Management {
    let fabric = subnet.fabric;
    let lanes = subnet.tables.lane_tables();
    let descending = order.filter(|_| lanes.is_none()).map(|order| {
        let rank = |channel| {
            let Some(rank) = order.rank(channel, Lane::new(LEVEL)) else {
                unreachable!("an order ranks the first lane of every channel");
            };
            rank
        };
        let ranks: Vec<u32> = fabric.channel_ids().map(rank).collect();
        let mut channels: Vec<ChannelId> = fabric.switch_channels().collect();
        channels.sort_by_key(|channel| (u32::MAX - ranks[channel.index()], channel.index()));
        (ranks, channels)
    });
    let switch_count = fabric.switch_count();
    let mut found = Management {
        switch_count,
        ports: Vec::with_capacity(switch_count * switch_count),
        unordered_pairs: 0,
    };
    for destination in fabric.switch_ids() {
        let mut next = vec![None; switch_count];
        let ranks = descending.as_ref().map(|(ranks, _)| ranks.as_slice());
        as_to_host(subnet, destination, ranks, &mut next);
        if let Some((ranks, channels)) = &descending {
            ascending(fabric, destination, ranks, channels, &mut next);
        }
        let short = short(fabric, destination, &mut next);
        found.unordered_pairs += match (lanes, order) {
            (Some(lanes), Some(order)) => fabric
                .switch_ids()
                .filter(|&switch| !ascends(fabric, lanes, order, [switch, destination], &next))
                .count(),
            (Some(_), None) => switch_count - 1,
            (None, _) => short,
        };
        let ports = next.into_iter().map(|channel| {
            channel.map_or(PortNumber::new(0), |channel| fabric.source(channel).port)
        });
        found.ports.extend(ports);
    }
    found
}

/// Leads switches to a destination as they lead packets to the destination's first host; where there are
/// ranks, those whose ways ascend them.
fn as_to_host(
    subnet: &Subnet<'_>,
    destination: SwitchId,
    ranks: Option<&[u32]>,
    next: &mut [Option<ChannelId>],
) {
    let fabric = subnet.fabric;
    let Some(&host) = fabric.hosts_of(destination).first() else {
        return;
    };
    let rank = |channel: ChannelId| ranks.map_or(0, |ranks| ranks[channel.index()]);
    let to_host = |switch: SwitchId| {
        let channel = fabric.outgoing_at(switch, subnet.port(switch, host, 0)?)?;
        fabric.is_switch_channel(channel).then_some(channel)
    };
    // Per switch: whether its way arrives and ascends, once that is known.
    let mut is_way: Vec<Option<bool>> = vec![None; fabric.switch_count()];
    let mut met = Vec::new();
    for start in fabric.switch_ids() {
        let mut here = start;
        while here != destination && is_way[here.index()].is_none() {
            // What leads in a circle, in tables that nobody proved, is no way.
            is_way[here.index()] = Some(false);
            let Some(channel) = to_host(here) else { break };
            met.push((here, channel));
            here = fabric.switches_of(channel)[1];
        }
        let mut after: Option<u32> = next[here.index()].map(rank);
        let mut is_good = here == destination || (is_way[here.index()] == Some(true));
        for (switch, channel) in met.drain(..).rev() {
            let own = rank(channel);
            is_good = is_good && after.is_none_or(|after| ranks.is_none() || own < after);
            is_way[switch.index()] = Some(is_good);
            if is_good {
                next[switch.index()] = Some(channel);
            }
            after = Some(own);
        }
    }
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

/// Leads every switch it can to a destination over channels of ascending rank. Those of highest
/// rank are looked at first, so that a switch's next channel ranks as high as any could and no switch
/// before it is barred that need not be.
fn ascending(
    fabric: &Fabric,
    destination: SwitchId,
    ranks: &[u32],
    descending: &[ChannelId],
    next: &mut [Option<ChannelId>],
) {
    for &channel in descending {
        let [from, to] = fabric.switches_of(channel);
        if from == to || from == destination || next[from.index()].is_some() {
            continue;
        }
        let leads_on = to == destination
            || next[to.index()]
                .is_some_and(|after: ChannelId| ranks[channel.index()] < ranks[after.index()]);
        if leads_on {
            next[from.index()] = Some(channel);
        }
    }
}

/// Leads the switches that no way leads yet by a shortest to those with one, and counts them.
fn short(fabric: &Fabric, destination: SwitchId, next: &mut [Option<ChannelId>]) -> usize {
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
