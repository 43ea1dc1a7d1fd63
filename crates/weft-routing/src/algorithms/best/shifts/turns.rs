//! Turns that routes make on each lane, which close no circle.

use crate::paths::PathSpace;
use weft_fabric::narrow;

/// How many routes make each turn on each lane.
pub(super) struct Turns<'a> {
    space: &'a PathSpace,
    /// Per lane and turn.
    counts: Vec<Vec<u32>>,
    /// Per lane: turns that any route makes.
    kinds: Vec<usize>,
    /// Per edge: the last search that met it.
    met: Vec<u32>,
    search: u32,
    open: Vec<u32>,
}

impl<'a> Turns<'a> {
    pub(super) fn new(space: &'a PathSpace, lanes: u8) -> Self {
        let lanes = usize::from(lanes.max(1));
        Self {
            counts: vec![vec![0; space.turn_count()]; lanes],
            kinds: vec![0; lanes],
            met: vec![0; space.edge_count()],
            search: 0,
            open: Vec::new(),
            space,
        }
    }

    pub(super) fn lane_count(&self) -> u8 {
        narrow(self.kinds.len(), "there are 15 lanes at most")
    }

    /// Counts the turns that any route makes on a lane.
    pub(super) fn kinds(&self, lane: u8) -> usize {
        self.kinds[usize::from(lane)]
    }

    /// Counts a route more for each of some turns, if none closes a circle on the lane; tells whether it did.
    pub(super) fn take(&mut self, lane: u8, turns: &[[u32; 2]]) -> bool {
        for (number, &[held, wanted]) in turns.iter().enumerate() {
            let place = self.space.turn_place(held, wanted);
            if self.counts[usize::from(lane)][place] == 0 {
                if self.leads(lane, wanted, held) {
                    self.give_back(lane, &turns[..number]);
                    return false;
                }
                self.kinds[usize::from(lane)] += 1;
            }
            self.counts[usize::from(lane)][place] += 1;
        }
        true
    }

    /// Counts a route less for each of some turns.
    pub(super) fn give_back(&mut self, lane: u8, turns: &[[u32; 2]]) {
        for &[held, wanted] in turns {
            let count = &mut self.counts[usize::from(lane)][self.space.turn_place(held, wanted)];
            *count -= 1;
            self.kinds[usize::from(lane)] -= usize::from(*count == 0);
        }
    }

    /// Tells whether turns on a lane lead from one edge to another.
    fn leads(&mut self, lane: u8, from: u32, to: u32) -> bool {
        self.search += 1;
        self.met[from as usize] = self.search;
        self.open.clear();
        self.open.push(from);
        let counts = &self.counts[usize::from(lane)];
        while let Some(edge) = self.open.pop() {
            if edge == to {
                return true;
            }
            for next in self.space.edge_ids(self.space.edge(edge).to) {
                let is_new = self.met[next as usize] != self.search;
                if is_new && counts[self.space.turn_place(edge, next)] > 0 {
                    self.met[next as usize] = self.search;
                    self.open.push(next);
                }
            }
        }
        false
    }
}
