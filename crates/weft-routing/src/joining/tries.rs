//! Edges by which switches are tried, each by a way of as many links: those first whose busiest channel carries least.

use super::ways_to_one::{JoinsNearest, Leads, edges};
use crate::paths::PathSpace;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use weft_fabric::narrow;

/// Edges by switch, one of each open at a time.
///
/// Loads only grow: what a channel carried when it was looked at is the least that it does, so that a way is looked at
/// again only where by that it comes first.
#[derive(Clone, Debug, Default)]
pub(super) struct Tries {
    /// Those of one switch together.
    edges: Vec<Candidate>,
    turns: Vec<Turn>,
    /// Of each switch the edge that it begins with, in order.
    first: Vec<Next>,
    /// Those of `first` that were tried.
    begun: usize,
    /// What is tried next of those whose first was refused or put off.
    open: BinaryHeap<Reverse<Next>>,
    /// Per switch that is led: what the busiest channel of its way carried when that was last looked at, with the number
    /// of the destination then.
    carried: Vec<(u32, u64)>,
    destination: u32,
    path: Vec<u32>,
}

/// An edge whose turn it is, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Next {
    of: Candidate,
    turn: u32,
}

impl Next {
    pub(super) fn edge(self) -> u32 {
        self.of.edge
    }
}

/// An edge by which a switch may be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// What the busiest channel of its path had to carry when that was last asked for.
    load: u64,
    comes_later: bool,
    edge: u32,
}

/// A switch that is tried.
#[derive(Clone, Debug)]
struct Turn {
    at: u32,
    /// Its edges that come later, by place.
    rest: Range<usize>,
}

impl Tries {
    /// Forgets what channels carry and all edges, for the next destination.
    pub(super) fn forget(&mut self, switch_count: usize) {
        self.carried.resize(switch_count, (0, 0));
        self.destination = self.destination.checked_add(1).unwrap_or_else(|| {
            self.carried.fill((0, 0));
            1
        });
        self.clear();
    }

    fn clear(&mut self) {
        self.edges.clear();
        self.turns.clear();
        self.first.clear();
        self.begun = 0;
    }

    /// Begins with a switch.
    pub(super) fn begin(&mut self, at: u32) {
        let start = self.edges.len();
        self.turns.push(Turn {
            at,
            rest: start..start,
        });
    }

    /// Adds an edge to a neighbour of the switch begun with last.
    pub(super) fn add<W: Leads, J: JoinsNearest>(
        &mut self,
        (ways, by): (&W, &J),
        edge: u32,
        to: u32,
    ) {
        let load = self.carried(to).max(by.least_load());
        if let Some(turn) = self.turns.last_mut() {
            self.edges.push(Candidate {
                load,
                comes_later: by.comes_later(ways, turn.at, edge),
                edge,
            });
            turn.rest.end = self.edges.len();
        }
    }

    /// Tells whether the switch begun with last has an edge to be tried by.
    pub(super) fn has_begun(&mut self) -> bool {
        let last = self.turns.len().checked_sub(1);
        let turn = last.map(|last| narrow(last, "there are fewer than switches"));
        let first = turn.and_then(|turn| {
            let of = self.take_least(turn)?;
            Some(Next { of, turn })
        });
        self.first.extend(first);
        first.is_some()
    }

    /// Puts what switches begin with in order.
    pub(super) fn sort(&mut self) {
        self.first.sort_unstable();
    }

    /// Takes what is tried next; where that is nothing, all is clear for other switches.
    pub(super) fn next(&mut self) -> Option<Next> {
        let open = self.open.peek().map(|open| open.0);
        if let Some(&first) = self.first.get(self.begun)
            && open.is_none_or(|open| first < open)
        {
            self.begun += 1;
            return Some(first);
        }
        if self.open.pop().is_none() {
            self.clear();
        }
        open
    }

    pub(super) fn switch(&self, next: Next) -> u32 {
        self.turns[next.turn as usize].at
    }

    /// The edges of the way that was followed last.
    pub(super) fn path(&self) -> &[u32] {
        &self.path
    }

    /// Follows the way by an edge; where it carries more by now, it is tried when it is its turn by that.
    pub(super) fn follow_unless_later<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: (&W, &PathSpace, &J),
        next: Next,
    ) -> bool {
        let load = self.follow(ways, next.of.edge);
        if load > next.of.load {
            let of = Candidate { load, ..next.of };
            self.put_off(ways, Next { of, ..next });
            return false;
        }
        true
    }

    /// Opens the next edge of a switch after one that was refused, if it has any.
    pub(super) fn go_on(&mut self, after: Next) -> bool {
        let next = self.take_least(after.turn);
        let next = next.map(|of| Reverse(Next { of, ..after }));
        self.open.extend(next);
        next.is_some()
    }

    /// Collects the path by an edge, and returns what its busiest channel carries.
    fn follow<W: Leads, J: JoinsNearest>(
        &mut self,
        (ways, space, by): (&W, &PathSpace, &J),
        edge: u32,
    ) -> u64 {
        let over = space.edge(edge).to;
        self.path.clear();
        self.path.push(edge);
        let mut rest = 0;
        for edge in edges(ways, space, over) {
            rest = rest.max(by.load(edge));
            self.path.push(edge);
        }
        self.carried[over as usize] = (self.destination, rest);
        rest.max(by.load(edge))
    }

    /// What the busiest channel of a switch's way carries at least.
    fn carried(&self, at: u32) -> u64 {
        let (destination, load) = self.carried[at as usize];
        if destination == self.destination {
            load
        } else {
            0
        }
    }

    /// Puts an edge among those that its switch is tried by later, and opens what comes first now.
    fn put_off<W: Leads, J: JoinsNearest>(&mut self, ways: (&W, &PathSpace, &J), next: Next) {
        let (mut best, mut best_place) = (next.of, None);
        for place in self.turns[next.turn as usize].rest.clone() {
            if self.edges[place] < best {
                self.look_again(ways, place, best.load);
                if self.edges[place] < best {
                    (best, best_place) = (self.edges[place], Some(place));
                }
            }
        }
        if let Some(place) = best_place {
            self.edges[place] = next.of;
        }
        self.open.push(Reverse(Next { of: best, ..next }));
    }

    /// Looks at a way as it is now, unless what is known tells that it carries more than so much.
    fn look_again<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: (&W, &PathSpace, &J),
        place: usize,
        load: u64,
    ) {
        let (_, space, by) = ways;
        let edge = self.edges[place].edge;
        let known = self.carried(space.edge(edge).to).max(by.load(edge));
        self.edges[place].load = if known > load {
            known
        } else {
            self.follow(ways, edge)
        };
    }

    /// Takes the edge of a switch that comes first of all that come later.
    fn take_least(&mut self, turn: u32) -> Option<Candidate> {
        let rest = &mut self.turns[turn as usize].rest;
        let (first, others) = self.edges[rest.clone()].split_first_mut()?;
        if let Some(least) = others.iter_mut().min()
            && least < first
        {
            std::mem::swap(least, first);
        }
        rest.start += 1;
        Some(*first)
    }
}
