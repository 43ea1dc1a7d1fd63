//! The order of the channels that decides where routes have to stop.

use crate::paths::{PathSpace, Turns};
use crate::random::stream;
use rand::RngExt;

/// Sweeps over all channels at most; few orders need half of them until no channel moves.
const MOST_SWEEPS: usize = 64;

/// Parts of the channels that are moved at random together, at most.
const KICKED_PART: usize = 16;

/// What it costs that a turn descends at which no route can stop: more than all others together.
const FORBIDDEN: i64 = 1 << 54;

/// What it costs that turns descend.
#[derive(Clone, Debug)]
pub(super) struct TurnCosts<'a> {
    all: &'a Turns<'a>,
    /// Per place of a turn.
    costs: Vec<i64>,
}

impl<'a> TurnCosts<'a> {
    pub(super) fn none(all: &'a Turns<'a>) -> Self {
        Self {
            all,
            costs: vec![0; all.place_count()],
        }
    }

    /// Adds to what it costs that a turn descends.
    pub(super) fn add(&mut self, held: u32, wanted: u32, cost: i64) {
        let sum = &mut self.costs[self.all.place(held, wanted)];
        *sum = (*sum + cost).min(FORBIDDEN);
    }

    pub(super) fn forbid(&mut self, held: u32, wanted: u32) {
        self.costs[self.all.place(held, wanted)] = FORBIDDEN;
    }

    fn of(&self, held: u32, wanted: u32) -> i64 {
        self.costs[self.all.place(held, wanted)]
    }
}

/// A total order of the channels. Routes that take a channel after a later one stop in between, so that
/// each part of a route ascends.
#[derive(Clone, Debug)]
pub(super) struct ChannelOrder {
    /// Per edge: its place; no two have the same.
    places: Vec<f64>,
}

impl ChannelOrder {
    /// An order by ranks, each given once.
    pub(super) fn by_ranks(ranks: &[u32]) -> Self {
        Self {
            places: ranks.iter().copied().map(f64::from).collect(),
        }
    }

    #[inline]
    pub(super) fn descends(&self, held: u32, wanted: u32) -> bool {
        self.places[held as usize] > self.places[wanted as usize]
    }

    /// Moves channels to where the turns that descend cost less: one after the other until none
    /// moves; then, so many times, a few to random places and all after them, which is taken back
    /// unless it costs no more. Tells what all turns cost then.
    /// Draws depend on the seed and the number alone.
    /// Time O(S·C·d·log d) for S sweeps over C channels with d turns each, S mostly below 10 a kick.
    pub(super) fn improve(
        &mut self,
        costs: &TurnCosts<'_>,
        kicks: u64,
        [seed, number]: [u64; 2],
    ) -> i64 {
        self.settle(costs);
        let mut least = self.cost(costs);
        let mut random = stream(seed, "moved channels", number);
        let count = self.places.len();
        for _ in 0..kicks {
            if least == 0 {
                break;
            }
            let before = self.places.clone();
            for _ in 0..random.random_range(1..=(count / KICKED_PART).max(1)) {
                let edge = random.random_range(0..count);
                self.places[edge] = random.random_range(0..count) as f64;
            }
            self.renumber();
            self.settle(costs);
            let cost = self.cost(costs);
            if cost <= least {
                least = cost;
            } else {
                self.places = before;
            }
        }
        least
    }

    /// What all turns cost that descend.
    fn cost(&self, costs: &TurnCosts<'_>) -> i64 {
        let turns = costs.all.pairs();
        let descending = turns.filter(|&(held, wanted)| self.descends(held, wanted));
        descending.fold(0, |sum: i64, (held, wanted)| {
            sum.saturating_add(costs.of(held, wanted))
        })
    }

    /// Moves one channel after the other until none moves.
    fn settle(&mut self, costs: &TurnCosts<'_>) {
        let mut neighbours = Vec::new();
        for _ in 0..MOST_SWEEPS {
            let mut has_moved = false;
            for edge in costs.all.edges() {
                has_moved |= self.shift(costs, edge, &mut neighbours);
            }
            self.renumber();
            if !has_moved {
                break;
            }
        }
    }

    /// Moves a channel to where its turns cost least, if that is less than here.
    fn shift(
        &mut self,
        costs: &TurnCosts<'_>,
        edge: u32,
        neighbours: &mut Vec<(f64, i64)>,
    ) -> bool {
        find_neighbours(costs, &self.places, edge, neighbours);
        let here = self.places[edge as usize];
        let before = neighbours.iter().filter(|neighbour| neighbour.0 < here);
        let mut least: i64 = before.map(|neighbour| neighbour.1).sum();
        let (mut sum, mut found) = (0, None);
        for passed in 0..=neighbours.len() {
            if sum < least {
                (least, found) = (sum, Some(passed));
            }
            sum += neighbours.get(passed).map_or(0, |neighbour| neighbour.1);
        }
        let Some(passed) = found else { return false };
        let low = passed.checked_sub(1).map(|last| neighbours[last].0);
        let high = neighbours.get(passed).map(|next| next.0);
        let place = match (low, high) {
            (Some(low), Some(high)) => low + (high - low) / 2.0,
            (Some(low), None) => low + 0.5,
            (None, Some(high)) => high - 0.5,
            (None, None) => here,
        };
        let is_between = low.is_none_or(|low| low < place) && high.is_none_or(|high| place < high);
        if is_between {
            self.places[edge as usize] = place;
        } else {
            // No number is left between the two.
            self.renumber();
        }
        true
    }

    /// Gives the channels whole numbers as places, in the order they have; of equal places the
    /// lower channel comes first.
    fn renumber(&mut self) {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by(|&one, &other| self.places[one].total_cmp(&self.places[other]));
        for (place, edge) in order.into_iter().enumerate() {
            self.places[edge] = place as f64;
        }
    }
}

/// Lists the channels that a channel follows or is followed by where that may cost something:
/// the place of each, and what it costs to come after it.
fn find_neighbours(
    costs: &TurnCosts<'_>,
    places: &[f64],
    edge: u32,
    neighbours: &mut Vec<(f64, i64)>,
) {
    let space: &PathSpace = costs.all.space();
    neighbours.clear();
    for back in space.edge_ids(space.tail(edge)) {
        let held = space.edge(back).reverse;
        neighbours.push((places[held as usize], -costs.of(held, edge)));
    }
    for wanted in space.edge_ids(space.edge(edge).to) {
        neighbours.push((places[wanted as usize], costs.of(edge, wanted)));
    }
    neighbours.retain(|neighbour| neighbour.1 != 0);
    neighbours.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
}
