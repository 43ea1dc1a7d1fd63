//! Changes of which none can be the first, whatever else changes before: what packets certainly do until then.

use super::joint::{Joint, LeadsTo};
use super::standing_ways::{Use, Ways, begun};
use super::{BlockedChange, OrderEnd};
use crate::cycles::{AcyclicDependencies, Dependencies};

/// What changes, for an address at a switch, by their numbers.
pub(super) type Place = (u32, u32, BlockedChange);

/// Changes left over, of which each closes a cycle when it is the first of them.
pub(super) struct CertainWays<'j> {
    pub(super) joint: &'j Joint,
    into: &'j [Vec<LeadsTo>],
    pub(super) ways: Vec<Ways>,
    pub(super) graph: AcyclicDependencies,
}

impl<'j> CertainWays<'j> {
    /// The largest set of such changes, of the addresses counted; `None` where packets can deadlock without any.
    ///
    /// A change that may be the first of a set may be the first of any part of it, so each that is taken away leaves
    /// the others no worse.
    pub(super) fn new(
        joint: &'j Joint,
        into: &'j [Vec<LeadsTo>],
        end: OrderEnd,
        is_counted: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        let count = joint.addresses.len();
        let mut ways: Vec<Ways> = (0..count)
            .map(|number| {
                if is_counted(number) {
                    Ways::of(joint, number, end)
                } else {
                    Ways::default()
                }
            })
            .collect();
        let mut graph = Dependencies::new(joint.vertex_count());
        for of in &mut ways {
            of.follow(joint);
            for &[held, wanted] in &of.uses {
                graph.add(held, wanted);
            }
        }
        let mut found = Self {
            joint,
            into,
            ways,
            graph: AcyclicDependencies::of(graph)?,
        };
        while found.take_away() {}
        Some(found)
    }

    /// Takes away the changes that may be first, and tells whether there were any.
    fn take_away(&mut self) -> bool {
        let mut is_less = false;
        for number in 0..self.ways.len() {
            let mut free = Vec::new();
            for change in self.ways[number].changes() {
                let added = self.added(number, change);
                if self.closing(&added).is_none() {
                    free.push(change);
                }
            }
            if free.is_empty() {
                continue;
            }
            is_less = true;
            let ways = &mut self.ways[number];
            for [held, wanted] in ways.uses.drain(..) {
                self.graph.remove_route(&[held, wanted]);
            }
            for (at, change) in free {
                ways.let_go(at, change);
            }
            ways.follow(self.joint);
            for &[held, wanted] in &ways.uses {
                let is_part = self.graph.add(held, wanted);
                debug_assert!(is_part, "a part of what closes no cycle closes none");
            }
        }
        is_less
    }

    /// The changes left over.
    pub(super) fn places(&self) -> Vec<Place> {
        let all = (0..).zip(&self.ways);
        all.flat_map(|(number, ways)| {
            let changes = ways.changes().into_iter();
            changes.map(move |(at, change)| (number, at, change))
        })
        .collect()
    }

    /// What packets do more once something has changed.
    pub(super) fn added(&self, number: usize, (at, change): (u32, BlockedChange)) -> Vec<Use> {
        let ways = &self.ways[number];
        let first = match change {
            BlockedChange::Entry => ways.others[at as usize],
            BlockedChange::Level | BlockedChange::Levels => ways.exit(at),
        };
        let mut added = Vec::new();
        if !self.joint.stands(first) {
            return added;
        }
        let mut on = match change {
            BlockedChange::Entry => ways.begun(self.joint, at, first),
            BlockedChange::Level | BlockedChange::Levels => {
                begun(self.joint, ways.other_levels[&at], first)
            }
        };
        let into = self.into[at as usize].iter();
        for before in into.filter(|_| change == BlockedChange::Entry) {
            if ways.exits.get(before.from as usize) == Some(&before.edge) {
                let come = ways.on[before.from as usize];
                on |= self
                    .joint
                    .certain_uses([before.edge, first], come, &mut added);
            }
        }
        let mut held = first;
        // Who comes round again is on a cycle by then.
        for _ in 0..self.joint.switch_count {
            let to = self.joint.edges[held as usize].to;
            let wanted = if to == at { first } else { ways.exit(to) };
            if !self.joint.stands(wanted) {
                break;
            }
            on = self.joint.certain_uses([held, wanted], on, &mut added);
            if to == at || on == 0 {
                break;
            }
            held = wanted;
        }
        added
    }

    /// The first of some further dependencies that closes a cycle with those before it; leaves all as it was.
    pub(super) fn closing(&mut self, added: &[Use]) -> Option<usize> {
        let is_refused = |&[held, wanted]: &Use| !self.graph.add(held, wanted);
        let found = added.iter().position(is_refused);
        for [held, wanted] in &added[..found.unwrap_or(added.len())] {
            self.graph.remove_route(&[*held, *wanted]);
        }
        found
    }
}
