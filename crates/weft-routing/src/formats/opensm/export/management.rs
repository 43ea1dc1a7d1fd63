//! Ways to the switches' own LIDs, by which counters are read and traps sent.
//!
//! Routes are proved between hosts. So that what is sent to a switch cannot wait in a circle with
//! them, its ways ascend the same order of the channels, on lane 0, wherever there are such.

use std::collections::VecDeque;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};

/// The ways from every switch to every other.
pub(super) struct Management {
    switch_count: usize,
    /// Per destination and switch: the next port, 0 at the destination and where no way leads.
    ports: Vec<PortNumber>,
    /// Ordered pairs of switches whose way is short, where none ascends the order.
    pub(super) unordered_pairs: usize,
}

impl Management {
    /// This is the port by which a switch leads to another's LID: 0 for its own, `None` without a way.
    pub(super) fn port(&self, switch: SwitchId, destination: SwitchId) -> Option<PortNumber> {
        let port = self.ports[destination.index() * self.switch_count + switch.index()];
        (port.number() != 0 || switch == destination).then_some(port)
    }
}

/// This finds ways that ascend an order of the channels, and short ones for pairs without.
///
/// Shapes: a rank per channel.
pub(super) fn ways(fabric: &Fabric, ranks: Option<&[u32]>) -> Management {
    let descending = ranks.map(|ranks| {
        let mut channels: Vec<ChannelId> = fabric
            .channel_ids()
            .filter(|&channel| fabric.is_switch_channel(channel))
            .collect();
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
        if let Some((ranks, channels)) = &descending {
            ascending(fabric, destination, ranks, channels, &mut next);
        }
        found.unordered_pairs += short(fabric, destination, &mut next);
        let ports = next.into_iter().map(|channel| {
            channel.map_or(PortNumber::new(0), |channel| fabric.source(channel).port)
        });
        found.ports.extend(ports);
    }
    found
}

/// This leads every switch it can to a destination over channels of ascending rank. Those of highest
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
        let [from, to] = ends(fabric, channel);
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

/// This leads the switches that no way leads yet by a shortest to those with one, and counts them.
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

/// These are the switches at both ends of a channel between switches.
fn ends(fabric: &Fabric, channel: ChannelId) -> [SwitchId; 2] {
    [fabric.source(channel), fabric.target(channel)].map(|end| match end.node {
        weft_fabric::Node::Switch(switch) => switch,
        // Channels of hosts are left out before.
        weft_fabric::Node::Host(host) => fabric.host_switch(host),
    })
}
