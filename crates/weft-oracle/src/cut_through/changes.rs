//! What happens before all else in a cycle: parts fail and return, tables change. And what is lost by it.

use super::CutThroughOracle;
use super::choices::Guide;
use super::state::{FlyingFlit, PacketId};
use std::collections::BTreeSet;
use weft_fabric::{HostId, Node, PortNumber, SwitchId};
use weft_model::workload::Packet;
use weft_model::{Change, Changes, LossCause, LossRecord};

/// What changes, and what has failed now.
#[derive(Debug)]
pub(super) struct Happening {
    changes: Changes,
    /// How many of them have happened.
    done: usize,
    failed_links: BTreeSet<usize>,
    failed_switches: BTreeSet<usize>,
    /// Per host: what it will send again, by the cycle in which it joins the queue.
    again: Vec<BTreeSet<Again>>,
    pub(super) losses: Vec<LossRecord>,
}

/// A packet that joins its host's queue again: cycle, number, attempt, and the packet's destination and rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Again {
    due_cycle: u64,
    id: PacketId,
    packet: Packet,
}

impl Ord for Again {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due_cycle, self.id).cmp(&(other.due_cycle, other.id))
    }
}

impl PartialOrd for Again {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Happening {
    pub(super) fn new(changes: &Changes, host_count: usize) -> Self {
        Self {
            changes: changes.clone(),
            done: 0,
            failed_links: BTreeSet::new(),
            failed_switches: BTreeSet::new(),
            again: vec![BTreeSet::new(); host_count],
            losses: Vec::new(),
        }
    }

    /// The cycles in which something will happen by itself.
    pub(super) fn due_cycles(&self) -> impl Iterator<Item = u64> {
        let next = self.changes.by_cycle().get(self.done);
        let again = self.again.iter().filter_map(BTreeSet::first);
        next.map(|&(cycle, _)| cycle)
            .into_iter()
            .chain(again.map(|again| again.due_cycle))
    }
}

impl CutThroughOracle<'_> {
    /// Before phase 0.
    pub(super) fn change(&mut self) {
        while let Some(&(cycle, change)) =
            self.happening.changes.by_cycle().get(self.happening.done)
            && cycle <= self.now
        {
            self.happening.done += 1;
            let happening = &mut self.happening;
            match change {
                Change::LinkFails(link) => {
                    happening.failed_links.insert(link.index());
                }
                Change::LinkReturns(link) => {
                    happening.failed_links.remove(&link.index());
                }
                Change::SwitchFails(switch) => {
                    happening.failed_switches.insert(switch.index());
                }
                Change::SwitchReturns(switch) => {
                    happening.failed_switches.remove(&switch.index());
                }
                Change::SwitchTables(switch, tables) => {
                    self.guide.set_switch_tables(switch, tables);
                }
                Change::SwitchEntry(switch, address, port) => {
                    self.guide.set_switch_entry(switch, address as usize, port);
                }
                Change::HostTables(host, tables) => self.guide.set_host_tables(host, tables),
            }
            self.look_at_channels();
        }
    }

    /// What is on a channel that is down since now is broken.
    fn look_at_channels(&mut self) {
        for channel in self.fabric.channel_ids() {
            let ends = [self.fabric.source(channel), self.fabric.target(channel)];
            let has_failed = |node| match node {
                Node::Switch(switch) => self.happening.failed_switches.contains(&switch.index()),
                Node::Host(_) => false,
            };
            let link = channel.link().index();
            let is_down = self.happening.failed_links.contains(&link)
                || ends.iter().any(|end| has_failed(end.node));
            let state = &mut self.channels[channel.index()];
            if is_down && !state.is_down {
                let flying = state.flits.iter().filter(|(_, flit)| !flit.is_swallowed);
                let mut broken: Vec<PacketId> = flying.map(|(_, flit)| flit.packet).collect();
                for lane in &state.lanes {
                    let begun = lane.front.iter().filter(|front| {
                        0 < front.sent && front.sent < front.flits && !front.is_swallowed
                    });
                    broken.extend(begun.map(|front| front.packet));
                }
                for packet in broken {
                    if let Some(packet) = self.packets.get_mut(&packet) {
                        packet.is_broken = true;
                    }
                }
            }
            self.channels[channel.index()].is_down = is_down;
        }
    }

    /// What has been lost since this was asked last.
    pub fn take_losses(&mut self) -> Vec<LossRecord> {
        std::mem::take(&mut self.happening.losses)
    }

    /// The last flit of a packet would arrive, were the channel not down.
    pub(super) fn swallow(&mut self, flit: FlyingFlit) {
        self.lose(flit.packet, LossCause::Failure);
        self.packets.remove(&flit.packet);
    }

    /// A packet is lost now, and sent again where that is to be.
    pub(super) fn lose(&mut self, id: PacketId, cause: LossCause) {
        let Some(state) = self.packets.get_mut(&id) else {
            unreachable!("a packet is lost once")
        };
        state.is_lost = true;
        let (source, sequence, attempt) = id;
        let packet = state.packet;
        self.happening.losses.push(LossRecord {
            cycle: self.now,
            source,
            sequence,
            destination: packet.destination,
            cause,
        });
        let Some(retries) = self.happening.changes.retries() else {
            return;
        };
        if attempt < retries.count {
            let injection = state.injection_cycle.unwrap_or(self.now);
            let again = Again {
                due_cycle: (injection + retries.timeout_cycles).max(self.now + 1),
                id: (source, sequence, attempt + 1),
                packet,
            };
            self.happening.again[source.index()].insert(again);
        }
    }

    /// What a host sends again from now on joins its queue.
    pub(super) fn send_again(&mut self, host: HostId) {
        while let Some(&Again {
            due_cycle,
            id,
            packet,
        }) = self.happening.again[host.index()].first()
            && due_cycle <= self.now
        {
            self.happening.again[host.index()].pop_first();
            let way = self.first_steps(host, &packet);
            self.enqueue(id, packet, way);
        }
    }

    /// Phase 6: what is discarded crosses to nowhere.
    pub(super) fn discarding(&mut self) {
        let crossbar = u64::from(self.model.crossbar_cycles_per_flit);
        let lanes = self.channels.iter_mut().flat_map(|c| &mut c.lanes);
        for stored in lanes.filter_map(|lane| lane.buffer.front_mut()) {
            let Some(discard) = &mut stored.discard else {
                continue;
            };
            let last = discard.last_crossing;
            let is_free = last.is_none_or(|last| self.now >= last + crossbar);
            if self.now >= discard.first_cycle && is_free && stored.left < stored.arrived {
                stored.left += 1;
                discard.last_crossing = Some(self.now);
            }
        }
    }

    /// Tells whether the packet in front of an input buffer has been discarded whole.
    pub(super) fn is_discarded(&self, index: usize, lane: usize) -> bool {
        let crossbar = u64::from(self.model.crossbar_cycles_per_flit);
        let front = self.channels[index].lanes[lane].buffer.front();
        front.is_some_and(|stored| {
            let last = stored.discard.and_then(|discard| discard.last_crossing);
            stored.left == stored.flits && last.is_some_and(|last| last + crossbar == self.now)
        })
    }
}

impl Guide<'_> {
    fn set_switch_tables(&mut self, switch: SwitchId, tables: usize) {
        if let Self::Changing(changing) = self {
            changing.set_switch(switch, tables);
        }
    }

    fn set_switch_entry(&mut self, switch: SwitchId, address: usize, port: PortNumber) {
        if let Self::Changing(changing) = self {
            changing.set_switch_entry(switch, address, port);
        }
    }

    fn set_host_tables(&mut self, host: HostId, tables: usize) {
        if let Self::Changing(changing) = self {
            changing.set_host(host, tables);
        }
    }
}
