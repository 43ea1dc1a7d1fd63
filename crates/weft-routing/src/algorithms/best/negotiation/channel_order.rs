//! An order of the channels that as little as possible descends.

use crate::cycles::places_of;
use crate::paths::{PathSpace, SpanningTree};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

/// Times that every channel is looked at when the order is improved.
const PASSES: usize = 4;

/// How far before or after all its neighbours a channel comes at most, in shares of all channels.
const FAR: f64 = 0.05;

/// What each turn weighs: a number per turn, as [`PathSpace::turn_place`] tells their places.
#[derive(Clone, Debug)]
pub(super) struct TurnWeights {
    weights: Vec<u64>,
}

impl TurnWeights {
    pub(super) fn new(space: &PathSpace) -> Self {
        Self {
            weights: vec![0; space.turn_count()],
        }
    }

    pub(super) fn of(&self, space: &PathSpace, held: u32, wanted: u32) -> u64 {
        self.weights[space.turn_place(held, wanted)]
    }

    /// The weight of a turn, to be changed.
    pub(super) fn of_mut(&mut self, space: &PathSpace, held: u32, wanted: u32) -> &mut u64 {
        &mut self.weights[space.turn_place(held, wanted)]
    }

    pub(super) fn all_mut(&mut self) -> &mut [u64] {
        &mut self.weights
    }
}

/// A total order of the channels.
#[derive(Clone, Debug)]
pub(super) struct ChannelOrder {
    /// Per edge.
    ranks: Vec<u32>,
    /// Edges by ascending ranks.
    edges: Vec<u32>,
}

impl ChannelOrder {
    /// A drawn order in which paths up a tree and down again ascend.
    pub(super) fn around(space: &PathSpace, tree: &SpanningTree, random: &mut Pcg64Mcg) -> Self {
        let mut keys: Vec<f64> = (0..space.edge_count()).map(|_| random.random()).collect();
        let switches = (0..).take(space.switch_count());
        let deepest = switches.clone().map(|switch| tree.depth(switch)).max();
        let levels = f64::from(deepest.unwrap_or(0) + 1);
        for switch in switches {
            if let Some(up) = tree.parent(switch) {
                let depth = f64::from(tree.depth(switch)) - 0.9 * random.random::<f64>();
                let below = depth / (2.0 * levels);
                keys[up as usize] = 0.5 - below;
                keys[space.edge(up).reverse as usize] = 0.5 + below;
            }
        }
        Self::by_keys(&keys)
    }

    /// The order of some keys, of equals that of the edges.
    pub(super) fn by_keys(keys: &[f64]) -> Self {
        let mut edges: Vec<u32> = (0..).take(keys.len()).collect();
        edges.sort_by(|&one, &other| keys[one as usize].total_cmp(&keys[other as usize]));
        let ranks = places_of(&edges);
        Self { ranks, edges }
    }

    pub(super) fn rank(&self, edge: u32) -> u32 {
        self.ranks[edge as usize]
    }

    pub(super) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    pub(super) fn ascends(&self, held: u32, wanted: u32) -> bool {
        self.rank(held) < self.rank(wanted)
    }

    /// All edges, the latest first.
    pub(super) fn descending(&self) -> impl Iterator<Item = u32> + '_ {
        self.edges.iter().rev().copied()
    }

    /// Moves single channels to wherever the turns that descend weigh less, by two kinds of
    /// weights together, until none does or all have been looked at often.
    ///
    /// No move makes them weigh more.
    /// Time O(T log p) for T turns and p ports.
    pub(super) fn improve(
        &mut self,
        space: &PathSpace,
        weights: [&TurnWeights; 2],
        random: &mut Pcg64Mcg,
    ) {
        let mut keys: Vec<f64> = self.ranks.iter().copied().map(f64::from).collect();
        let mut edges: Vec<u32> = (0..).take(keys.len()).collect();
        let mut turns = Vec::new();
        for _ in 0..PASSES {
            edges.shuffle(random);
            let mut is_any_moved = false;
            for &edge in &edges {
                if let Some([low, high]) = better_place(space, weights, &keys, edge, &mut turns) {
                    keys[edge as usize] = low + (high - low) * random.random::<f64>();
                    is_any_moved = true;
                }
            }
            if !is_any_moved {
                break;
            }
        }
        *self = Self::by_keys(&keys);
    }
}

/// Keys between which the turns of an edge that descend weigh least, if they weigh less than now.
///
/// Shapes: `turns`, scratch.
fn better_place(
    space: &PathSpace,
    weights: [&TurnWeights; 2],
    keys: &[f64],
    edge: u32,
    turns: &mut Vec<(f64, i64)>,
) -> Option<[f64; 2]> {
    // Sums of weights are below 2^62.
    let weight = |held, wanted| -> i64 {
        let of_both = weights.map(|weights| weights.of(space, held, wanted));
        (of_both[0] + of_both[1]).cast_signed()
    };
    turns.clear();
    // What descends where the edge comes before all others: the turns onto it.
    let mut descending = 0;
    for out in space.edges_of(space.tail(edge)) {
        let onto = weight(out.reverse, edge);
        if onto > 0 {
            descending += onto;
            turns.push((keys[out.reverse as usize], -onto));
        }
    }
    for next in space.edge_ids(space.edge(edge).to) {
        let off = weight(edge, next);
        if off > 0 {
            turns.push((keys[next as usize], off));
        }
    }
    turns.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let mut now = descending;
    let (mut least, mut place) = (descending, 0_usize);
    for (count, &(key, change)) in (1..).zip(turns.iter()) {
        descending += change;
        if descending < least {
            (least, place) = (descending, count);
        }
        if key < keys[edge as usize] {
            now = descending;
        }
    }
    if least >= now {
        return None;
    }
    let before = place.checked_sub(1).map(|place| turns[place].0);
    let after = turns.get(place).map(|turn| turn.0);
    let far = FAR * keys.len() as f64;
    let low = before.or(after.map(|after| after - far))?;
    Some([low, after.unwrap_or(low + far)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use crate::random::stream;
    use proptest::prelude::*;
    use weft_fabric::SwitchId;
    use weft_fabric::generate::{mesh, torus};

    fn descending(space: &PathSpace, order: &ChannelOrder, weights: &TurnWeights) -> u64 {
        let turns = (0..).take(space.edge_count()).flat_map(|held| {
            let exits = space.edge_ids(space.edge(held).to);
            exits.map(move |wanted| (held, wanted))
        });
        let descends = |&(held, wanted): &(u32, u32)| !order.ascends(held, wanted);
        let weight = |(held, wanted)| weights.of(space, held, wanted);
        turns.filter(descends).map(weight).sum()
    }

    #[test]
    fn a_path_of_three_channels_ascends_whatever_the_order_was() {
        let line = mesh(4, 1, 1).unwrap();
        let space = PathSpace::new(&line, None, TurnRule::Free);
        let on = |from: u32| {
            let mut edges = space.edge_ids(from);
            edges.find(|&edge| space.edge(edge).to == from + 1).unwrap()
        };
        let path = [on(0), on(1), on(2)];
        let mut weights = TurnWeights::new(&space);
        *weights.of_mut(&space, path[0], path[1]) = 3;
        *weights.of_mut(&space, path[1], path[2]) = 2;
        let none = TurnWeights::new(&space);
        for places in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let mut keys = vec![9.0; space.edge_count()];
            for (&edge, place) in path.iter().zip(places) {
                keys[edge as usize] = f64::from(place);
            }
            let mut order = ChannelOrder::by_keys(&keys);
            order.improve(&space, [&weights, &none], &mut stream(1, "test", 0));
            assert_eq!(descending(&space, &order, &weights), 0, "{places:?}");
        }
    }

    #[test]
    fn ways_up_and_down_a_tree_ascend_and_stay_so_while_they_weigh_more_than_all_else() {
        let torus = torus(4, 4, 1).unwrap();
        let space = PathSpace::new(&torus, None, TurnRule::Free);
        for seed in 0..20 {
            let mut random = stream(seed, "test", 0);
            let tree = SpanningTree::from_root(&space, SwitchId::new(5));
            let mut order = ChannelOrder::around(&space, &tree, &mut random);
            let [mut held, mut flows] = [TurnWeights::new(&space), TurnWeights::new(&space)];
            for weight in flows.all_mut() {
                *weight = random.random_range(0..100);
            }
            for (one, other) in tree.turns(&space).pairs() {
                assert!(order.ascends(one, other));
                *held.of_mut(&space, one, other) = 1 << 40;
            }
            order.improve(&space, [&flows, &held], &mut random);
            assert_eq!(descending(&space, &order, &held), 0);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_improvement_lets_more_descend(
            seed in any::<u64>(), columns in 2_u32..5, rows in 1_u32..4,
        ) {
            let mesh = mesh(columns, rows, 1).unwrap();
            let space = PathSpace::new(&mesh, None, TurnRule::Free);
            let mut random = stream(seed, "test", 0);
            let keys: Vec<f64> = (0..space.edge_count()).map(|_| random.random()).collect();
            let mut order = ChannelOrder::by_keys(&keys);
            let [mut weights, none] = [TurnWeights::new(&space), TurnWeights::new(&space)];
            for held in (0..).take(space.edge_count()) {
                let exits = space.edge_ids(space.edge(held).to);
                // No route leads straight back.
                for wanted in exits.filter(|&wanted| wanted != space.edge(held).reverse) {
                    *weights.of_mut(&space, held, wanted) = random.random_range(0..9);
                }
            }
            let before = descending(&space, &order, &weights);
            order.improve(&space, [&none, &weights], &mut random);
            prop_assert!(descending(&space, &order, &weights) <= before);
            let mut ranks = order.ranks().to_vec();
            ranks.sort_unstable();
            prop_assert!(ranks.into_iter().eq((0..).take(space.edge_count())));
        }
    }
}
