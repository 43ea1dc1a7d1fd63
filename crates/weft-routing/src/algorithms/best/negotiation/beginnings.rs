//! What negotiations begin with: a tree, or an order whose ascending paths join all switches.

use super::channel_order::{ChannelOrder, TurnWeights};
use super::priced_tree::PricedTree;
use super::{Agreement, Descent, HELD, Negotiation};
use crate::load::whole;
use crate::paths::{PathSpace, SpanningTree};
use crate::random::stream;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;
use weft_fabric::SwitchId;

/// What a turn that descends costs in the first sweep, in mean channels, and how much more from one sweep to the next:
/// where routes begin around a tree, and where an order joins them that is worth keeping.
const DESCENT_AROUND_TREE: Descent = Descent {
    first: 1.0,
    dearer: 1.5,
};
const DESCENT_ALONG_ORDER: Descent = Descent {
    first: 16.0,
    dearer: 1.3,
};

/// Powers of the loads by which trees grow along an order that is given.
const POWERS_ALONG_ORDER: [i32; 6] = [1, 2, 3, 2, 4, 8];

/// Part of the mean load that a turn of such an order weighs.
const HELD_ALONG_ORDER: u64 = 10;

impl<'a> Negotiation<'a> {
    /// The `number`-th negotiation about trees towards some switches.
    ///
    /// Shapes: `sent`, per tree and switch what the switch sends over it.
    pub(in crate::algorithms::best) fn new(
        space: &'a PathSpace,
        part: &[SwitchId],
        targets: &[u32],
        sent: Arc<[u64]>,
        [number, seed]: [u64; 2],
    ) -> Self {
        let mut random = stream(seed, "negotiation", number);
        let root = part[random.random_range(0..part.len())];
        let tree = SpanningTree::from_root(space, root);
        let order = ChannelOrder::around(space, &tree, &mut random);
        let mut negotiation = Self::with_no_trees(space, targets, sent, order, random);
        for (held, wanted) in tree.turns(space).pairs() {
            *negotiation.pressure.of_mut(space, held, wanted) = HELD;
        }
        negotiation.descent = DESCENT_AROUND_TREE;
        negotiation
    }

    /// The `number`-th negotiation that begins with an order whose ascending paths join all switches, and what that leads
    /// to as it is; `None` where no trees ascend it.
    ///
    /// Shapes: `ranks`, per edge; others as [`Self::new`] has them.
    pub(in crate::algorithms::best) fn along(
        space: &'a PathSpace,
        ranks: &[u32],
        targets: &[u32],
        sent: Arc<[u64]>,
        [number, seed]: [u64; 2],
    ) -> Option<(Self, Agreement)> {
        let keys: Vec<f64> = ranks.iter().copied().map(f64::from).collect();
        let random = stream(seed, "negotiation along an order", number);
        let order = ChannelOrder::by_keys(&keys);
        let mut negotiation = Self::with_no_trees(space, targets, sent, order, random);
        let mut sequence: Vec<usize> = (0..targets.len()).collect();
        for power in POWERS_ALONG_ORDER {
            sequence.shuffle(&mut negotiation.random);
            if !negotiation.regrow(&sequence, power) {
                return None;
            }
        }
        negotiation.hold_order();
        let agreement = negotiation.agreement();
        Some((negotiation, agreement))
    }

    fn with_no_trees(
        space: &'a PathSpace,
        targets: &[u32],
        sent: Arc<[u64]>,
        order: ChannelOrder,
        random: Pcg64Mcg,
    ) -> Self {
        let no_tree = |&target: &u32| (target, PricedTree::new(space.switch_count()));
        Self {
            space,
            sent,
            random,
            order,
            trees: targets.iter().map(no_tree).collect(),
            loads: vec![0; space.edge_count()],
            history: vec![1.0; space.edge_count()],
            flows: TurnWeights::new(space),
            pressure: TurnWeights::new(space),
            descent: DESCENT_ALONG_ORDER,
        }
    }

    /// Lets every turn that ascends weigh a little.
    fn hold_order(&mut self) {
        let space = self.space;
        let held_weight = whole(self.mean_load()) / HELD_ALONG_ORDER;
        for held in (0..).take(space.edge_count()) {
            for wanted in space.edge_ids(space.edge(held).to) {
                if self.order.ascends(held, wanted) {
                    *self.pressure.of_mut(space, held, wanted) = held_weight;
                }
            }
        }
    }
}
