//! What packets to one address certainly do, whatever else changes.

use super::joint::Joint;
use super::lane_choice::Rows;
use super::side::NOWHERE;
use super::{BlockedChange, OrderEnd};
use crate::cycles::LaneSet;
use crate::form::LanedSet;
use std::collections::BTreeMap;

/// A dependency, between lanes of edges.
pub(super) type Use = [u32; 2];

/// What packets to an address do as long as no entry of those that are left over is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Per switch that is left: the entry, where it is certain.
    pub(super) exits: Vec<u32>,
    /// Per switch that is left: the entry on the other side of the write, where it is one of those left over.
    pub(super) others: Vec<u32>,
    /// Who sends there, whatever else hosts have been told.
    pub(super) sent: Vec<(u32, LaneSet)>,
    /// The level on the other side of the change, of switches whose hosts send by one and then by another, where that is one
    /// of those left over.
    pub(super) other_levels: BTreeMap<u32, LaneSet>,
    /// Per switch: levels and lanes of packets that go on by its entry.
    pub(super) on: Vec<LanedSet>,
    pub(super) uses: Vec<Use>,
}

impl Ways {
    /// What is certain of an address as long as none of its entries is written.
    pub(super) fn of(joint: &Joint, number: usize, end: OrderEnd) -> Self {
        let address = &joint.addresses[number];
        if !address.is_left {
            return Self::default();
        }
        let left = joint.left_count;
        let sides = [
            (address.old.exits.as_slice(), &address.old.sent),
            (address.written(), &address.new.sent),
        ];
        let [stands, other] = match end {
            OrderEnd::First => sides,
            OrderEnd::Last => [sides[1], sides[0]],
        };
        let mut exits = stands.0[..left].to_vec();
        for &at in &address.removed {
            exits[at as usize] = NOWHERE;
        }
        let mut others = vec![NOWHERE; left];
        for at in address.changing(left) {
            others[at as usize] = other.0[at as usize];
            if others[at as usize] == NOWHERE {
                // It closes no cycle by itself, so it may be the first.
                exits[at as usize] = NOWHERE;
            }
        }
        let (mut sent, mut other_levels) = (Vec::new(), BTreeMap::new());
        for one in stands.1.iter().filter(|one| (one.from as usize) < left) {
            let Some(two) = other.1.iter().find(|two| two.from == one.from) else {
                continue;
            };
            let same = one.levels & two.levels;
            if same != 0 {
                sent.push((one.from, same));
            } else if [one, two].iter().all(|of| of.levels.is_power_of_two()) {
                sent.push((one.from, one.levels));
                other_levels.insert(one.from, two.levels);
            }
        }
        Self {
            exits,
            others,
            sent,
            other_levels,
            ..Self::default()
        }
    }

    pub(super) fn exit(&self, at: u32) -> u32 {
        self.exits.get(at as usize).copied().unwrap_or(NOWHERE)
    }

    /// What changes, and where.
    pub(super) fn changes(&self) -> Vec<(u32, BlockedChange)> {
        let entries = (0..).zip(&self.others);
        let entries = entries.filter(|&(_, &other)| other != NOWHERE);
        let entries = entries.map(|(at, _)| (at, BlockedChange::Entry));
        let levels = self.other_levels.keys();
        entries
            .chain(levels.map(|&at| (at, BlockedChange::Level)))
            .collect()
    }

    /// Takes something for uncertain from now on.
    pub(super) fn let_go(&mut self, at: u32, change: BlockedChange) {
        match change {
            BlockedChange::Entry => {
                self.exits[at as usize] = NOWHERE;
                self.others[at as usize] = NOWHERE;
            }
            BlockedChange::Level | BlockedChange::Levels => {
                self.other_levels.remove(&at);
                self.sent.retain(|&(from, _)| from != at);
            }
        }
    }

    /// What hosts of a switch certainly send over an edge.
    pub(super) fn begun(&self, joint: &Joint, at: u32, edge: u32) -> LanedSet {
        let mut own = self.sent.iter().filter(|(from, _)| *from == at);
        own.next()
            .map_or(0, |&(_, levels)| begun(joint, levels, edge))
    }

    /// Follows all packets by what is certain.
    pub(super) fn follow(&mut self, joint: &Joint) {
        self.on = vec![0; joint.switch_count];
        let mut uses = Vec::new();
        let mut open = Vec::new();
        for &(from, _) in &self.sent {
            self.on[from as usize] |= self.begun(joint, from, self.exit(from));
            open.push(from);
        }
        while let Some(at) = open.pop() {
            let exit = self.exit(at);
            if !joint.stands(exit) {
                continue;
            }
            let to = joint.edges[exit as usize].to;
            let wanted = self.exit(to);
            if !joint.stands(wanted) {
                continue;
            }
            let come = joint.certain_uses([exit, wanted], self.on[at as usize], &mut uses);
            let more = self.on[to as usize] | come;
            if more != self.on[to as usize] {
                self.on[to as usize] = more;
                open.push(to);
            }
        }
        uses.sort_unstable();
        uses.dedup();
        self.uses = uses;
    }
}

/// What is certainly sent over an edge by some service levels.
pub(super) fn begun(joint: &Joint, levels: LaneSet, edge: u32) -> LanedSet {
    if !joint.stands(edge) {
        return 0;
    }
    let edge = &joint.edges[edge as usize];
    let each = (0..16).filter(|level| levels >> level & 1 == 1);
    let begun = each.map(|level| joint.lanes.begun(edge, 1 << level, Rows::Either).certain());
    begun.fold(0, |all, one| all | one)
}
