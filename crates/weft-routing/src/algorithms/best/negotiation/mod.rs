//! An order of the channels on one lane, negotiated between the routes.
//!
//! ```text
//! trees over channels and turns that cost ─► order that little descends ─► dearer turns ─► trees …
//! ```
//!
//! On one lane the order of the channels decides everything: which paths there are, how long, and how
//! many share a channel. So the order is sought for the routes there would be. Trees grow over the
//! channels that carry least, and a turn that descends is permitted, but costs. Then the order is
//! changed where the turns that descend carry most. Turns that still descend weigh ever more in the
//! order, and what they cost rises, until no route wants any; and channels that were full cost more the
//! next time.

mod beginnings;
mod channel_order;
mod priced_tree;

use crate::load::whole;
use crate::paths::{Exit, NO_EDGE, NO_EXIT, PathSpace, exit_by};
use channel_order::{ChannelOrder, TurnWeights};
use priced_tree::{Costs, PricedTree};
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use std::sync::Arc;

/// Times that all trees are grown until no turn may descend.
const SWEEPS: i32 = 12;

/// Sweeps with the same power of the loads.
const SWEEPS_A_POWER: i32 = 4;

/// Powers of the loads by which trees are evened out at last.
const SETTLING_POWERS: [i32; 3] = [2, 4, 8];

/// What a turn of the first tree weighs: more than all routes.
const HELD: u64 = 1 << 50;

/// What it weighs after, in mean loads.
const HELD_AFTER: u64 = 4;

/// How much of what a turn carries that descends it weighs more from then on, as a fraction.
const PRESSED: [u64; 2] = [3, 10];

/// What it is taken to carry at least: the mean load over this.
const LEAST_PRESSED: f64 = 10.0;

/// What is left of a turn's weight after routes have agreed, as a fraction.
const REMEMBERED: [u64; 2] = [7, 10];

/// Bounds of what a channel costs for having been full.
const HISTORY: [f64; 2] = [0.2, 20.0];

/// Less of the mean load than this is no better.
const LEAST_SHARE: f64 = 0.3;

/// Routes of one lane that negotiate.
///
/// # Source
/// Our own. That routes share channels at a price for what is full and what was is from McMurchie, Ebeling,
/// FPGA 1995 (negotiated congestion). The order with least weight descending is the linear ordering
/// problem; moves of single items are its simplest local search.
#[derive(Clone, Debug)]
pub(super) struct Negotiation<'a> {
    space: &'a PathSpace,
    /// Per tree and switch: what the switch sends.
    sent: Arc<[u64]>,
    random: Pcg64Mcg,
    order: ChannelOrder,
    /// Each with the switch it leads to.
    trees: Vec<(u32, PricedTree)>,
    /// Per edge: what it carries, times its slowness.
    loads: Vec<u64>,
    history: Vec<f64>,
    /// What turns carry.
    flows: TurnWeights,
    /// What they weigh besides.
    pressure: TurnWeights,
    descent: Descent,
}

/// What a turn that descends costs.
#[derive(Clone, Copy, Debug)]
struct Descent {
    first: f64,
    /// How many times more it costs from one sweep to the next.
    dearer: f64,
}

/// An order on which routes have agreed.
#[derive(Clone, Debug)]
pub(super) struct Agreement {
    /// Per edge: its rank.
    pub(super) ranks: Vec<u32>,
    /// Per tree and switch: its way, by ascending ranks.
    pub(super) trees: Vec<Vec<Exit>>,
}

impl Negotiation<'_> {
    /// Lets the routes come to an agreement; `None` where they have come to none, and may on the
    /// next call. The first time they always do.
    /// Time O(t·C log C) for t targets and C channels.
    pub(super) fn agree(&mut self) -> Option<Agreement> {
        let mut sequence: Vec<usize> = (0..self.trees.len()).collect();
        for sweep in 0..SWEEPS {
            sequence.shuffle(&mut self.random);
            let prices = Prices {
                power: 1 + sweep / SWEEPS_A_POWER,
                unit: self.mean_load(),
                descent: self.descent.first * self.descent.dearer.powi(sweep),
            };
            self.grow(&sequence, prices);
            let weights = [&self.flows, &self.pressure];
            self.order.improve(self.space, weights, &mut self.random);
            if sweep >= SWEEPS / 2 {
                self.press();
            }
        }
        if !self.make_ascend() {
            return None;
        }
        self.remember();
        for power in SETTLING_POWERS {
            sequence.shuffle(&mut self.random);
            self.regrow(&sequence, power);
        }
        Some(self.agreement())
    }

    fn agreement(&self) -> Agreement {
        Agreement {
            ranks: self.order.ranks().to_vec(),
            trees: self.trees.iter().map(|tree| self.exits(&tree.1)).collect(),
        }
    }

    /// Forgets what routes have agreed on since, but neither what was full nor what is drawn.
    pub(super) fn go_back_to(&mut self, before: &Self) {
        let history = std::mem::take(&mut self.history);
        let random = self.random.clone();
        *self = before.clone();
        (self.history, self.random) = (history, random);
    }

    fn exits(&self, tree: &PricedTree) -> Vec<Exit> {
        let exit = |&way: &u32| match way {
            NO_EDGE => NO_EXIT,
            way => exit_by(self.space, way),
        };
        tree.ways.iter().map(exit).collect()
    }

    fn mean_load(&self) -> f64 {
        let sum: u64 = self.loads.iter().sum();
        (sum as f64 / self.loads.len().max(1) as f64).max(1.0)
    }

    /// Grows all trees anew, one after the other.
    fn grow(&mut self, sequence: &[usize], prices: Prices) {
        let cost = |load: u64, history: f64| history * prices.of(load);
        let all = self.loads.iter().zip(&self.history);
        let mut costs: Vec<f64> = all.map(|(&load, &history)| cost(load, history)).collect();
        let nothing_kept = vec![NO_EDGE; self.space.switch_count()];
        for &place in sequence {
            let before = self.carry(place, |load, flow| load - flow);
            for edge in before {
                costs[edge as usize] = cost(self.loads[edge as usize], self.history[edge as usize]);
            }
            let to = self.trees[place].0;
            let on = Costs {
                edges: &costs,
                descent: prices.descent,
            };
            self.trees[place].1 = PricedTree::grow(self.space, &self.order, to, on, &nothing_kept);
            let after = self.carry(place, |load, flow| load + flow);
            for edge in after {
                costs[edge as usize] = cost(self.loads[edge as usize], self.history[edge as usize]);
            }
        }
    }

    /// Changes the loads of channels and turns by what a tree carries, and lists the edges.
    fn carry(&mut self, place: usize, change: impl Fn(u64, u64) -> u64) -> Vec<u32> {
        let space = self.space;
        let switches = space.switch_count();
        let (_, tree) = &self.trees[place];
        let mut flows = self.sent[place * switches..][..switches].to_vec();
        let mut edges = Vec::new();
        let (loads, turns) = (&mut self.loads, &mut self.flows);
        tree.carry(space, &mut flows, |way, next, flow| {
            edges.push(way);
            let load = &mut loads[way as usize];
            *load = change(*load, flow * space.slowness(way));
            if let Some(next) = next {
                let carried = turns.of_mut(space, way, next);
                *carried = change(*carried, flow);
            }
        });
        edges
    }

    /// Lets turns that carry something and descend weigh more in the order from now on.
    fn press(&mut self) {
        let space = self.space;
        let least = whole(self.mean_load() / LEAST_PRESSED);
        for held in (0..).take(space.edge_count()) {
            for wanted in space.edge_ids(space.edge(held).to) {
                let flow = self.flows.of(space, held, wanted);
                if flow > 0 && !self.order.ascends(held, wanted) {
                    let pressure = self.pressure.of_mut(space, held, wanted);
                    let more = (flow + least) * PRESSED[0] / PRESSED[1];
                    *pressure = (*pressure + more).min(HELD);
                }
            }
        }
    }

    /// Grows the trees anew in which a turn descends, without one, and tells whether it can.
    fn make_ascend(&mut self) -> bool {
        let descends = |&place: &usize| !self.trees[place].1.ascends(self.space, &self.order);
        let places: Vec<usize> = (0..self.trees.len()).filter(descends).collect();
        self.regrow(&places, SWEEPS / SWEEPS_A_POWER)
    }

    /// Grows trees anew, one after the other, without a turn that descends, until one cannot be,
    /// and tells whether all could.
    fn regrow(&mut self, places: &[usize], power: i32) -> bool {
        let prices = Prices {
            power,
            unit: self.mean_load(),
            descent: f64::INFINITY,
        };
        for &place in places {
            self.carry(place, |load, flow| load - flow);
            let costs: Vec<f64> = self.loads.iter().map(|&load| prices.of(load)).collect();
            let to = self.trees[place].0;
            let found = PricedTree::grow_ascending(self.space, &self.order, to, &costs);
            let is_found = found.is_some();
            // Without a way nothing is carried.
            self.trees[place].1 =
                found.unwrap_or_else(|| PricedTree::new(self.space.switch_count()));
            self.carry(place, |load, flow| load + flow);
            if !is_found {
                return false;
            }
        }
        true
    }

    /// Lets channels cost more that were full, and old turns weigh less.
    fn remember(&mut self) {
        let mean = self.mean_load();
        for (history, &load) in self.history.iter_mut().zip(&self.loads) {
            let share = (load as f64 / mean).max(LEAST_SHARE);
            let [least, most] = HISTORY;
            let fourth_root = share.sqrt().sqrt();
            *history = (*history * fourth_root).clamp(least, most);
        }
        let held = whole(mean) * HELD_AFTER;
        for pressure in self.pressure.all_mut() {
            *pressure = if *pressure == HELD {
                held
            } else {
                *pressure * REMEMBERED[0] / REMEMBERED[1]
            };
        }
    }
}

/// What channels cost by their loads, and turns that descend.
#[derive(Clone, Copy, Debug)]
struct Prices {
    power: i32,
    /// The load that costs 1.
    unit: f64,
    descent: f64,
}

impl Prices {
    fn of(self, load: u64) -> f64 {
        ((load as f64 + 1.0) / self.unit).powi(self.power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::best::joining_orders::joining_orders;
    use crate::paths::{TurnRule, edge_by};
    use proptest::prelude::*;
    use weft_fabric::SwitchId;
    use weft_fabric::generate::{IrregularLinks, IrregularParameters, irregular};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        /// Routes agree the first time, and whenever they do, every one ascends and ends; so around a tree and along an
        /// order that joins all.
        #[test]
        fn routes_on_which_they_agree_ascend(
            switches in 4_u32..20, degree in 3_u32..6, seed in any::<u64>(),
        ) {
            let parameters = IrregularParameters {
                switches,
                hosts_per_switch: 1,
                ports_per_switch: 1 + degree.min(switches - 1),
                links: IrregularLinks::RandomCount,
                seed,
            };
            let fabric = irregular(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let targets: Vec<u32> = (0..switches).collect();
            let part: Vec<SwitchId> = fabric.switch_ids().collect();
            let sent: Arc<[u64]> = vec![1; (switches * switches) as usize].into();
            let check = |Agreement { ranks, trees }: Agreement| {
                for (to, exits) in (0..).zip(&trees) {
                    for from in 0..switches {
                        let (mut at, mut last) = (from, None);
                        while at != to {
                            let edge = edge_by(&space, at, exits[at as usize]);
                            let rank = Some(ranks[edge as usize]);
                            assert!(rank > last);
                            (at, last) = (space.edge(edge).to, rank);
                        }
                    }
                }
            };
            let mut around =
                Negotiation::new(&space, &part, &targets, Arc::clone(&sent), [0, seed]);
            check(around.agree().unwrap());
            let mut negotiations = vec![around];
            for ranks in joining_orders(&fabric, &space, &part) {
                let sent = Arc::clone(&sent);
                let begun = Negotiation::along(&space, &ranks, &targets, sent, [0, seed]);
                let (along, agreement) = begun.unwrap();
                check(agreement);
                negotiations.push(along);
            }
            for mut negotiation in negotiations {
                for _ in 0..3 {
                    negotiation.agree().into_iter().for_each(check);
                }
            }
        }
    }
}
