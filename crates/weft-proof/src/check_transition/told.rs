//! Who has been told new service levels for an address, and lets go of old ones.

use super::ends::Sent;
use super::entries::Timeline;
use std::collections::BTreeSet;
use weft_fabric::SwitchId;
use weft_routing::Lane;

/// What has become of service levels by the beginning of a phase.
pub(super) struct Told {
    /// Whether all hosts may be told new ones.
    is_answered: bool,
    /// Whether nobody uses old ones.
    is_renewed: bool,
    /// Switches whose hosts have new ones and use no others.
    renewed: BTreeSet<SwitchId>,
    /// Switches whose hosts were told the level of spanning trees, and use no old ones.
    on_trees: BTreeSet<SwitchId>,
    /// Switches whose hosts send by the level of spanning trees afterwards.
    alike: BTreeSet<SwitchId>,
    /// Switches whose hosts send by other levels afterwards. Who sends from another port by a level that others of its
    /// switch send by is told nothing that they were not: its packets count from the beginning.
    differing: BTreeSet<SwitchId>,
}

impl Told {
    /// Nobody is told anything yet of what is sent by old tables and new, and by the level of spanning trees where there are
    /// any.
    pub(super) fn new(sent: [&BTreeSet<Sent>; 2], of_trees: Option<Lane>) -> Self {
        let [old, new] = sent.map(|all| -> BTreeSet<(SwitchId, Lane)> {
            all.iter().map(|sent| (sent.at, sent.level)).collect()
        });
        let is_other = |sent: &&(SwitchId, Lane)| of_trees.is_some_and(|of| of != sent.1);
        let others = old.union(&new).filter(is_other);
        let differing = old.symmetric_difference(&new).chain(others);
        let all = new.iter().filter(|_| of_trees.is_some());
        let mut alike: BTreeSet<SwitchId> = all.map(|&(at, _)| at).collect();
        for (at, _) in new.iter().filter(is_other) {
            alike.remove(at);
        }
        Self {
            is_answered: false,
            is_renewed: false,
            renewed: BTreeSet::new(),
            on_trees: BTreeSet::new(),
            alike,
            differing: differing.map(|&(at, _)| at).collect(),
        }
    }

    /// Whether hosts of a switch may have new levels.
    pub(super) fn knows(&self, at: SwitchId) -> bool {
        self.is_answered || self.renewed.contains(&at) || !self.differing.contains(&at)
    }

    /// The step from which on hosts of a switch may send by new levels, if any in a phase.
    pub(super) fn begins(&self, at: SwitchId, timeline: &Timeline) -> Option<u32> {
        if self.knows(at) {
            return Some(0);
        }
        let own = timeline.levels_each.get(&at).copied();
        let of_trees = timeline.for_trees.get(&at).copied();
        let of_trees = of_trees.filter(|_| self.alike.contains(&at));
        timeline.levels[0]
            .into_iter()
            .chain(own)
            .chain(of_trees)
            .min()
    }

    /// The step after which no host of a switch sends by old levels; `None` where none does in the phase.
    pub(super) fn ends(&self, at: SwitchId, timeline: &Timeline) -> Option<u32> {
        let own = timeline.for_trees.get(&at).copied();
        let until = self.ends_others(at, timeline)?;
        (!self.on_trees.contains(&at)).then(|| own.map_or(until, |own| own.min(until)))
    }

    /// From which step on hosts of a switch may send by the level of spanning trees, and after which none does; `None` where
    /// none does in the phase.
    pub(super) fn by_trees(&self, at: SwitchId, timeline: &Timeline) -> Option<(u32, u32)> {
        let own = timeline.for_trees.get(&at).copied();
        let from = self.on_trees.contains(&at).then_some(0).or(own)?;
        Some((from, self.ends_others(at, timeline)?))
    }

    /// The step after which hosts of a switch send by new levels alone.
    fn ends_others(&self, at: SwitchId, timeline: &Timeline) -> Option<u32> {
        if self.is_renewed || self.renewed.contains(&at) {
            return None;
        }
        let own = timeline.levels_each.get(&at).copied();
        let all = timeline.levels[1].into_iter().chain(own).min();
        Some(all.unwrap_or(u32::MAX))
    }

    /// Goes on to the next phase.
    pub(super) fn pass(&mut self, timeline: &Timeline) {
        let [answer, renewal] = timeline.levels;
        self.is_answered |= answer.is_some();
        self.is_renewed |= renewal.is_some();
        self.renewed.extend(timeline.levels_each.keys());
        self.on_trees.extend(timeline.for_trees.keys());
        let told_for_trees = timeline.for_trees.keys();
        let is_renewed = |at: &&SwitchId| self.alike.contains(at);
        self.renewed.extend(told_for_trees.filter(is_renewed));
    }
}
