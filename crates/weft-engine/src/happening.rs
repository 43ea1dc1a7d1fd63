//! What is to happen, and what has failed.

use crate::ids::Table;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{ChannelId, Fabric, LinkId, SwitchId};
use weft_model::changes::{Change, Changes, Retries};

/// What is to happen, and what has failed.
#[derive(Debug)]
pub(crate) struct Happening {
    changes: Changes,
    /// How many of them have happened.
    done: usize,
    failed_links: BTreeSet<LinkId>,
    failed_switches: BTreeSet<SwitchId>,
    /// Channels from each switch that will fail.
    outgoing: BTreeMap<SwitchId, Vec<ChannelId>>,
    /// By channel: how many of its link and the switches at its ends have failed.
    failures: Table<ChannelId, u8>,
}

impl Happening {
    pub(crate) fn new(fabric: &Fabric, changes: &Changes) -> Self {
        let changing = changes.by_cycle().iter();
        let outgoing = changing.filter_map(|&(_, change)| match change {
            Change::SwitchFails(switch) => Some((switch, fabric.outgoing(switch).to_vec())),
            _ => None,
        });
        Self {
            changes: changes.clone(),
            done: 0,
            failed_links: BTreeSet::new(),
            failed_switches: BTreeSet::new(),
            outgoing: outgoing.collect(),
            failures: Table::of(0, fabric.channel_count()),
        }
    }

    /// Whether anything happens, or has.
    pub(crate) fn is_any(&self) -> bool {
        !self.changes.by_cycle().is_empty()
    }

    /// The cycle of the next change.
    pub(crate) fn next_cycle(&self) -> Option<u64> {
        let next = self.changes.by_cycle().get(self.done);
        next.map(|&(cycle, _)| cycle)
    }

    /// The next of the changes that are due by `now`.
    pub(crate) fn next_due(&mut self, now: u64) -> Option<Change> {
        let &(cycle, change) = self.changes.by_cycle().get(self.done)?;
        (cycle <= now).then(|| {
            self.done += 1;
            change
        })
    }

    /// How sources send again what is lost, if they do.
    pub(crate) fn retries(&self) -> Option<Retries> {
        self.changes.retries()
    }

    #[inline]
    pub(crate) fn is_down(&self, channel: ChannelId) -> bool {
        self.failures[channel] > 0
    }

    /// A link fails, or works again: the channels that are down or work since now.
    pub(crate) fn set_link(&mut self, link: LinkId, has_failed: bool) -> Vec<ChannelId> {
        if !set(&mut self.failed_links, link, has_failed) {
            return Vec::new();
        }
        let one_way = ChannelId::from_index(2 * link.index());
        self.count(&[one_way], has_failed)
    }

    /// A switch fails, or works again: the channels that are down or work since now.
    pub(crate) fn set_switch(&mut self, switch: SwitchId, has_failed: bool) -> Vec<ChannelId> {
        if !set(&mut self.failed_switches, switch, has_failed) {
            return Vec::new();
        }
        let outgoing = self.outgoing.get(&switch).cloned().unwrap_or_default();
        self.count(&outgoing, has_failed)
    }

    /// Something fails, or works again, that channels and those against them need.
    fn count(&mut self, one_way: &[ChannelId], has_failed: bool) -> Vec<ChannelId> {
        let both_ways = one_way
            .iter()
            .flat_map(|&channel| [channel, channel.reverse()]);
        let mut changed = Vec::new();
        for channel in both_ways {
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

/// Puts a part among those that have failed, or takes it out: whether that is new.
fn set<T: Ord>(failed: &mut BTreeSet<T>, part: T, has_failed: bool) -> bool {
    if has_failed {
        failed.insert(part)
    } else {
        failed.remove(&part)
    }
}
