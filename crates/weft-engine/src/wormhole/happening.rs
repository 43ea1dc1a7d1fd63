//! What is to happen, and what has failed.

use crate::cycle::Cycle;
use crate::ids::Table;
use weft_fabric::{ChannelId, Fabric, HostId, LinkId, SwitchId};
use weft_model::changes::{Change, Changes};

/// What is to happen, and what has failed.
#[derive(Debug)]
pub(super) struct Happening {
    pub(super) changes: Changes,
    /// How many of them have happened.
    done: usize,
    failed_links: Table<LinkId, bool>,
    failed_switches: Table<SwitchId, bool>,
    /// Channels from each switch.
    outgoing: Table<SwitchId, Vec<ChannelId>>,
    /// By channel: how many of its link and the switches at its ends have failed.
    failures: Table<ChannelId, u8>,
    /// The last cycle in which each host took a packet that it had no route for.
    pub(super) taken_in_vain: Table<HostId, Cycle>,
}

impl Happening {
    /// Nothing, ever.
    pub(super) fn nothing() -> Self {
        Self {
            changes: Changes::default(),
            done: 0,
            failed_links: Vec::new().into(),
            failed_switches: Vec::new().into(),
            outgoing: Vec::new().into(),
            failures: Vec::new().into(),
            taken_in_vain: Vec::new().into(),
        }
    }

    pub(super) fn new(fabric: &Fabric, changes: &Changes) -> Self {
        let outgoing = fabric.switch_ids().map(|id| fabric.outgoing(id).to_vec());
        Self {
            changes: changes.clone(),
            done: 0,
            failed_links: Table::of(false, fabric.link_count()),
            failed_switches: Table::of(false, fabric.switch_count()),
            outgoing: outgoing.collect(),
            failures: Table::of(0, fabric.channel_count()),
            taken_in_vain: Table::of(Cycle::NEVER, fabric.host_count()),
        }
    }

    /// The cycle of the next change, or never.
    pub(super) fn next_cycle(&self) -> Cycle {
        let next = self.changes.by_cycle().get(self.done);
        next.map_or(Cycle::NEVER, |&(cycle, _)| Cycle::new(cycle))
    }

    /// The next of the changes that are due by `now`.
    pub(super) fn next_due(&mut self, now: Cycle) -> Option<Change> {
        let &(cycle, change) = self.changes.by_cycle().get(self.done)?;
        (Cycle::new(cycle) <= now).then(|| {
            self.done += 1;
            change
        })
    }

    #[inline]
    pub(super) fn is_down(&self, channel: ChannelId) -> bool {
        self.failures[channel] > 0
    }

    /// A link fails, or works again: the channels that are down or work since now.
    pub(super) fn set_link(&mut self, link: LinkId, has_failed: bool) -> Vec<ChannelId> {
        if std::mem::replace(&mut self.failed_links[link], has_failed) == has_failed {
            return Vec::new();
        }
        let one_way = ChannelId::from_index(2 * link.index());
        self.count([one_way, one_way.reverse()], has_failed)
    }

    /// A switch fails, or works again: the channels that are down or work since now.
    pub(super) fn set_switch(&mut self, switch: SwitchId, has_failed: bool) -> Vec<ChannelId> {
        if std::mem::replace(&mut self.failed_switches[switch], has_failed) == has_failed {
            return Vec::new();
        }
        let outgoing = self.outgoing[switch].clone();
        let both_ways = outgoing
            .iter()
            .flat_map(|&channel| [channel, channel.reverse()]);
        self.count(both_ways, has_failed)
    }

    fn count(
        &mut self,
        channels: impl IntoIterator<Item = ChannelId>,
        has_failed: bool,
    ) -> Vec<ChannelId> {
        let mut changed = Vec::new();
        for channel in channels {
            let was_down = self.is_down(channel);
            if has_failed {
                self.failures[channel] += 1;
            } else {
                self.failures[channel] -= 1;
            }
            if self.is_down(channel) != was_down {
                changed.push(channel);
            }
        }
        changed
    }
}
