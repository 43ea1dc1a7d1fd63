//! Which ways to a destination lanes hold, as switches are led there anew.

use super::change::Change;
use super::failed_parts::Left;
use super::legal_turns::LegalTurns;
use super::plan::{Coming, Plan};
use crate::form::{Lane, numbers};
use crate::joining::{HeldLanes, JoinsNearest, Leads};

/// Joins switches to the ways to a destination.
pub(super) struct Mending<'w> {
    pub(super) plan: &'w Plan,
    pub(super) held: &'w mut HeldLanes,
    pub(super) loads: &'w mut [u64],
    /// Compute ends that the destination stands for.
    pub(super) weight: u64,
    /// What a switch that is joined brings onto its way at most.
    pub(super) own: u64,
    /// What the busiest channel had to carry before.
    pub(super) most: u64,
    /// Per source: to this destination.
    pub(super) lanes: &'w mut [Lane],
    /// The place of these among all.
    pub(super) first_lane: usize,
    pub(super) left: &'w Left,
    pub(super) change: &'w mut Change,
    /// The turns that it keeps to.
    pub(super) legal: Option<&'w LegalTurns>,
    /// The edges that it keeps to, where not all are.
    pub(super) permits: Option<&'w dyn Fn(u32) -> bool>,
}

impl JoinsNearest for Mending<'_> {
    /// What some channel had to carry before counts as nothing.
    fn least_load(&self) -> u64 {
        self.most
    }

    /// What the channel carries once a switch is joined over it: one that has room for that is as good as any other, one
    /// that is as busy as the busiest is not.
    fn load(&self, edge: u32) -> u64 {
        let load = self.loads[edge as usize] + self.own;
        (load * self.plan.space.slowness(edge)).max(self.most)
    }

    /// An old entry is tried before any other.
    fn comes_later<W: Leads>(&self, ways: &W, at: u32, edge: u32) -> bool {
        ways.next(at) != edge
    }

    fn may_go(&self, edge: u32) -> bool {
        self.left.has(edge) && self.permits.is_none_or(|permits| permits(edge))
    }

    /// Puts the route of a switch on a service level, that which it had if that can hold it, and tells whether any
    /// can. A switch without hosts is tried on the first level that holds it, as it comes from some neighbour; where what
    /// it sends itself counts, on the level of that.
    fn join(&mut self, at: u32, path: &[u32]) -> bool {
        if let (Some(legal), &[first, next, ..]) = (self.legal, path)
            && !legal.allow(&self.plan.space, [first, next])
        {
            return false;
        }
        let left = self.left;
        let mut sources = self.plan.sources_left(at, left).peekable();
        let first = sources.peek();
        let had = first.map_or(0, |&source| self.lanes[source].number());
        // What it sends itself takes the way, too, and no other level than that.
        let count = if first.is_none() && self.plan.manages(at, left) {
            1
        } else {
            self.plan.rules.level_count()
        };
        // Where levels are filled from the lowest, the highest have most room.
        let others = (0..count).rev().filter(|&level| level != had);
        let mut levels = Some(had)
            .filter(|&had| had < count)
            .into_iter()
            .chain(others);
        let anew = self.not_held_yet(path);
        let Some(level) = levels.find(|&level| self.hold(at, anew, level)) else {
            return false;
        };
        let pairs = left.compute[at as usize] * self.weight;
        if pairs > 0 {
            for &edge in path {
                self.loads[edge as usize] += pairs;
            }
        }
        for source in sources {
            let was = std::mem::replace(&mut self.lanes[source], Lane::new(level));
            if was.number() != level {
                self.change.lanes.push((self.first_lane + source, was));
                self.change.changed_lanes += 1;
            }
        }
        true
    }
}

impl Mending<'_> {
    /// As much of a path as may not be held yet.
    fn not_held_yet<'p>(&self, path: &'p [u32]) -> &'p [u32] {
        let Some(&first) = path.first() else {
            return path;
        };
        let over = self.plan.space.edge(first).to;
        if !self.plan.holds_way_from(over, self.left) {
            return path;
        }
        debug_assert!({
            let mut turns = path[1..].windows(2);
            turns.all(|turn| {
                self.held
                    .uses([turn[0], turn[1]].map(|edge| (edge, Lane::ZERO)))
                    > 0
            })
        });
        &path[..path.len().min(2)]
    }

    /// Holds what comes to a path by a service level, all of it or none, and tells which.
    fn hold(&mut self, at: u32, path: &[u32], level: u8) -> bool {
        let (rules, space) = (&self.plan.rules, &self.plan.space);
        let ways = &mut self.change.ways;
        let kept = ways.count();
        let mut hold = |number: u32| {
            ways.hold(self.held, |steps| {
                rules.add_way(space, path, 1 << number, steps)
            })
        };
        let is_held = match self.plan.coming(at, path, level, self.left) {
            Coming::All(levels) => numbers(levels).all(&mut hold),
            Coming::Any(levels) => numbers(levels).any(&mut hold),
            Coming::Nobody => false,
        };
        if !is_held {
            ways.release(kept, self.held);
        }
        is_held
    }
}
