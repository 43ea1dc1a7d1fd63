//! The turns of a lane: free, taken or blocked, and never a cycle of those taken.

use crate::cycles::AcyclicDependencies;
use crate::paths::{NO_EDGE, PathSpace, SpanningTree};
use weft_fabric::SwitchId;

/// What is known of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing.
    Free,
    /// It may be taken.
    Taken,
    /// It would close a cycle of turns taken, or leads straight back.
    Blocked,
}

/// The complete channel dependency graph of a lane: a turn from every channel to every next one.
#[derive(Clone, Debug)]
pub(super) struct LaneTurns<'a> {
    space: &'a PathSpace,
    states: Vec<State>,
    taken: AcyclicDependencies,
    escape: SpanningTree,
    /// Turns taken, and places of those blocked, since trees were last kept.
    tried: Vec<[u32; 2]>,
    refused: Vec<usize>,
}

impl<'a> LaneTurns<'a> {
    /// A lane that has taken the turns by which a tree from a root leads to some switches.
    pub(super) fn new(space: &'a PathSpace, root: SwitchId, targets: &[SwitchId]) -> Self {
        let mut layer = Self {
            space,
            states: vec![State::Free; space.turn_count()],
            taken: AcyclicDependencies::new(space.edge_count()),
            escape: SpanningTree::from_root(space, root),
            tried: Vec::new(),
            refused: Vec::new(),
        };
        for held in (0..).take(space.edge_count()) {
            let from = space.tail(held);
            for wanted in space.edge_ids(space.edge(held).to) {
                if space.edge(wanted).to == from {
                    let place = layer.space.turn_place(held, wanted);
                    layer.states[place] = State::Blocked;
                }
            }
        }
        let mut way = vec![NO_EDGE; space.switch_count()];
        for target in targets {
            layer.escape_to(target.number(), &mut way);
            for &held in way.iter().filter(|&&held| held != NO_EDGE) {
                let wanted = way[space.edge(held).to as usize];
                if wanted != NO_EDGE {
                    let is_taken = layer.take(held, wanted);
                    debug_assert!(is_taken, "the turns of a tree close no cycle");
                }
            }
        }
        layer.tried.clear();
        layer
    }

    /// Takes a turn, unless that would close a cycle, and tells whether it is taken.
    pub(super) fn take(&mut self, held: u32, wanted: u32) -> bool {
        let place = self.space.turn_place(held, wanted);
        if self.states[place] == State::Free {
            if self.taken.add(held, wanted) {
                self.states[place] = State::Taken;
                self.tried.push([held, wanted]);
            } else {
                self.states[place] = State::Blocked;
                self.refused.push(place);
            }
        }
        self.states[place] == State::Taken
    }

    /// Keeps, of the turns taken since trees were last kept, those of a tree: a way out of every
    /// switch. The others are free again; and so is what was blocked meanwhile, unless none went.
    pub(super) fn keep(&mut self, next: &[u32]) {
        let mut tried = std::mem::take(&mut self.tried);
        let is_of_tree = |edge: u32| next[self.space.tail(edge) as usize] == edge;
        tried.retain(|&[held, wanted]| !(is_of_tree(held) && is_of_tree(wanted)));
        for &[held, wanted] in &tried {
            self.taken.remove_route(&[held, wanted]);
            let place = self.space.turn_place(held, wanted);
            self.states[place] = State::Free;
        }
        if !tried.is_empty() {
            for &place in &self.refused {
                self.states[place] = State::Free;
            }
        }
        self.refused.clear();
    }

    /// Writes the way of every switch over the escape tree to one.
    pub(super) fn escape_to(&self, to: u32, next: &mut [u32]) {
        for (at, way) in (0..).zip(next.iter_mut()) {
            *way = self.escape.parent(at).unwrap_or(NO_EDGE);
        }
        // Above it, ways lead down to it.
        let mut at = to;
        while let Some(up) = self.escape.parent(at) {
            at = self.space.edge(up).to;
            next[at as usize] = self.space.edge(up).reverse;
        }
        next[to as usize] = NO_EDGE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::ring;

    /// Edges of a ring of four by port: of switch s, 2s on to s + 1 and 2s + 1 back to s - 1.
    fn layer(space: &PathSpace) -> LaneTurns<'_> {
        LaneTurns::new(space, SwitchId::new(0), &[0, 1, 2, 3].map(SwitchId::new))
    }

    #[test]
    fn what_would_close_a_cycle_is_blocked_until_what_it_needs_is_free() {
        let ring = ring(4, 1).unwrap();
        let space = PathSpace::new(&ring, None, TurnRule::Free);
        let ends: Vec<u32> = (0..8).map(|edge| space.edge(edge).to).collect();
        assert_eq!(ends, [1, 3, 2, 0, 3, 1, 0, 2]);
        let mut layer = layer(&space);
        // The tree 1 – 0 – 3 and 2 below 1 takes the turns on round at 0 and 1, both ways.
        for [held, wanted] in [[6, 0], [0, 2], [5, 3], [3, 1]] {
            assert!(layer.take(held, wanted));
        }
        assert!(layer.tried.is_empty(), "all of them were taken already");
        assert!(layer.take(2, 4));
        assert!(!layer.take(4, 6), "3 → 0 → 1 → 2 → 3 → 0");
        assert!(layer.take(1, 7));
        assert!(!layer.take(7, 5));
        assert!(!layer.take(0, 3), "straight back");
        // No tree takes them, so everything is as before.
        layer.keep(&[NO_EDGE; 4]);
        assert!(layer.take(4, 6));
        assert!(!layer.take(2, 4));
        // Only 3's way to 0 stays.
        layer.keep(&[NO_EDGE, NO_EDGE, 4, 6]);
        assert!(!layer.take(2, 4));
    }

    #[test]
    fn escape_ways_lead_up_and_down_the_tree() {
        let ring = ring(4, 1).unwrap();
        let space = PathSpace::new(&ring, None, TurnRule::Free);
        let mut next = vec![0; 4];
        layer(&space).escape_to(2, &mut next);
        // 0 → 1 → 2, 3 → 0.
        assert_eq!(next, [0, 2, NO_EDGE, 6]);
    }
}
