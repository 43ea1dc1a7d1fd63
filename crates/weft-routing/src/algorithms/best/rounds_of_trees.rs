//! Trees grown, relieved and improved, round by round.

use super::balanced_forest::Forest;
use super::negotiation::Agreement;
use super::patterns::{ALL, Figure, largest};
use super::search::{Found, Search};
use super::target_switch::{Ground, Target};
use super::{guide_trees, starting_orders};
use crate::cycles::{LaneGrowth, LaneOrders};
use crate::load::Detours;
use crate::paths::{Exit, Lengths};
use rayon::prelude::*;
use std::sync::Arc;
use weft_fabric::SwitchId;

/// Trees grown once or twice over less loaded channels, by ascending exponents: cost is what a channel
/// carries first, then ever more the load of the fullest alone. All are powers of 2.
const EXPONENTS: [u32; 6] = [1, 1, 4, 16, 64, 64];

/// Exponents of rounds in which what is below the largest load is evened out.
const EVENING_EXPONENTS: [u32; 2] = [2, 8];

/// The exponent of the round of a first answer, which has no second one: channels that others fill up later are kept off at once.
const EXPONENT_AT_ONCE: u32 = 8;

/// Most times that full channels of a first answer are relieved: each takes a fraction of a round.
const RELIEFS_AT_ONCE: u64 = 3;

/// Rounds after which starts are compared.
const TRIAL_ROUNDS: usize = 3;

/// Channels whose load lies this far down from the largest to the least possible are relieved too, as a
/// fraction.
const FULL_ENOUGH: [u64; 2] = [3, 10];

/// What relief of full channels and a round of trees have to bring that are gone on with on large fabrics, as a fraction of
/// what the largest load is above a bound.
const WORTH_A_RELIEF: [u64; 2] = [1, 50];
const WORTH_A_ROUND: [u64; 2] = [1, 20];

impl Found<'_> {
    /// Grows all trees anew.
    fn grow(&mut self, round: usize, is_over: &dyn Fn() -> bool) {
        if let Some(detours) = &self.detours {
            let full = detours.split_load;
            self.forest
                .grow_around(&mut self.ground, round, full, is_over);
        } else {
            let exponent = EXPONENTS[round.min(EXPONENTS.len() - 1)];
            self.forest.grow(&self.ground, exponent, is_over);
        }
    }
}

impl<'a> Search<'a> {
    /// Finds orders from a start, and trees that are balanced a little; of shortest routes or, with `detours`, of any.
    /// `None` once the search is over.
    pub(super) fn begin(
        &self,
        lanes: u8,
        number: u64,
        detours: Option<&Arc<Detours>>,
    ) -> Option<Found<'a>> {
        let found = self.ordered(lanes, number, detours)?;
        self.balanced_a_little(found)
    }

    /// Finds orders from a start, and guides; no trees. `None` once the search is over.
    fn ordered(&self, lanes: u8, number: u64, detours: Option<&Arc<Detours>>) -> Option<Found<'a>> {
        let lengths = detours.map_or(Lengths::LINKS, |detours| detours.lengths());
        let random = [number, self.effort.seed];
        let start = starting_orders::start(self.fabric, self.space, self.part, lanes, random);
        let mut growth = LaneGrowth::new(self.space, &start.ranks);
        let with_hosts = self.endpoints.source_switches();
        for [from, to] in start.tree.pairs_of_all_turns(self.space, &with_hosts) {
            let is_held = growth.hold(0, &start.tree.path(self.space, from, to));
            debug_assert!(is_held, "the turns of a tree close no cycle");
        }
        let tree = |&switch: &SwitchId| {
            if (self.is_over)() {
                return None;
            }
            let (to, may_reorder) = (switch.number(), start.may_reorder);
            let distances = lengths.distances_to(self.space, to);
            Some(growth.lead_to(to, lengths, &distances, self.hosts, may_reorder))
        };
        let trees: Vec<_> = with_hosts.iter().map(tree).collect::<Option<_>>()?;
        let orders = LaneOrders::new(self.space, growth.ranks());
        let longer = growth.longer();
        let target = |(&switch, tree): (&SwitchId, Vec<Exit>)| {
            let to = switch.number();
            let guide = guide_trees::complete(self.space, &orders, to, &tree, lengths);
            Target::new(self.space, to, guide, |edge| lengths.of(edge).into())
        };
        let targets = with_hosts.par_iter().zip(trees).map(target).collect();
        let mut ground = Ground {
            orders,
            targets,
            target_of: self.target_of(),
        };
        if detours.is_some() {
            ground.part_targets();
        }
        Some(Found {
            ground,
            forest: Forest::new(self.space, self.patterns),
            detours: detours.cloned(),
            levels: None,
            is_negotiated: false,
            longer,
        })
    }

    /// The first start with the most lanes, from the orders and guides that first tables have been grown by, if there are any.
    /// `None` once the search is over.
    pub(super) fn first_start(&self, at_once: Option<&Found<'a>>) -> Option<Found<'a>> {
        let Some(at_once) = at_once else {
            let lanes = self.more_lanes().last()?;
            return self.begin(*lanes, 0, None);
        };
        let mut found = at_once.clone();
        found.forest = Forest::new(self.space, self.patterns);
        self.balanced_a_little(found)
    }

    /// Tables to have at once: those of the first start with the most lanes, its trees grown once.
    pub(super) fn at_once(&self) -> Option<Found<'a>> {
        let lanes = self.more_lanes().last()?;
        let mut found = self.ordered(*lanes, 0, None)?;
        self.progress.begin(0);
        found
            .forest
            .grow(&found.ground, EXPONENT_AT_ONCE, self.is_over);
        self.relieve_at_most(self.effort.reliefs.min(RELIEFS_AT_ONCE), &mut found);
        Some(found)
    }

    /// Takes the trees on which routes have agreed, and balances them a little. `None` once the search is over.
    ///
    /// Shapes: trees per host, or per switch with hosts.
    pub(super) fn by_agreement(&self, agreement: Agreement) -> Option<Found<'a>> {
        let trees = agreement.trees;
        let target_of = self.negotiated_tree_of();
        let targets = self.negotiated_targets().into_par_iter().zip(&trees);
        let target = |(switch, tree): (u32, &Vec<Exit>)| {
            Target::new(self.space, switch, tree.clone(), |_| 1.0)
        };
        let ground = Ground {
            orders: LaneOrders::new(self.space, vec![agreement.ranks]),
            targets: targets.map(target).collect(),
            target_of,
        };
        let mut forest = Forest::new(self.space, self.patterns);
        for (destination, &tree) in ground.target_of.iter().enumerate() {
            let target = ground.target(destination);
            forest.plant(destination, target, &trees[tree as usize], |_, _| ());
        }
        self.balanced_a_little(Found {
            ground,
            forest,
            detours: None,
            levels: None,
            is_negotiated: true,
            longer: 0,
        })
    }

    /// The switches towards which trees are negotiated: that of every host or, on large
    /// fabrics, every one that has hosts.
    pub(super) fn negotiated_targets(&self) -> Vec<u32> {
        if self.effort.is_thorough {
            let hosts = 0..self.endpoints.count();
            return hosts.map(|host| self.endpoints.switch(host)).collect();
        }
        let with_hosts = self.endpoints.source_switches();
        with_hosts.into_iter().map(SwitchId::number).collect()
    }

    /// Per destination: its tree among these.
    fn negotiated_tree_of(&self) -> Vec<u32> {
        if self.effort.is_thorough {
            return (0..).take(self.endpoints.count()).collect();
        }
        self.target_of()
    }

    /// Per negotiated tree and switch, what the switch sends over it.
    pub(super) fn negotiated_demand(&self) -> Vec<u64> {
        let switches = self.space.switch_count();
        let trees = self.negotiated_targets().len();
        let tree_of = self.negotiated_tree_of();
        let mut sent = vec![0; trees * switches];
        for (destination, tree) in tree_of.into_iter().enumerate() {
            let of_tree = &mut sent[tree as usize * switches..][..switches];
            for (from, sent) in (0..).zip(of_tree) {
                *sent += self.patterns.sent(from, destination);
            }
        }
        sent
    }

    fn balanced_a_little(&self, mut found: Found<'a>) -> Option<Found<'a>> {
        for round in 0..TRIAL_ROUNDS {
            self.progress.begin(0);
            found.grow(round, self.is_over);
            // What is ended in the first round lacks trees.
            if (self.is_over)() {
                return None;
            }
            if self.is_even_enough(found.figure()) {
                return Some(found);
            }
        }
        self.relieve(&mut found);
        Some(found)
    }

    /// Tells whether trees need not be balanced further before starts are compared: no tables are better or, on the
    /// largest fabrics, not by much.
    fn is_even_enough(&self, figure: Figure) -> bool {
        if self.effort.takes_near && self.patterns.count() == 1 {
            return self.patterns.is_nearly_least(figure);
        }
        self.patterns.is_least_of_all(figure)
    }

    /// Relieves channels whose load is near the largest, again and again while that falls.
    pub(super) fn relieve(&self, found: &mut Found<'a>) {
        self.relieve_at_most(self.effort.reliefs, found);
    }

    fn relieve_at_most(&self, times: u64, found: &mut Found<'a>) {
        if !self.effort.is_thorough && self.patterns.is_least_of_all(found.figure()) {
            return;
        }
        for _ in 0..times {
            let (mut is_changed, before) = (false, found.figure());
            // What all of several demands carry together is no figure of its own.
            let first = usize::from(self.patterns.is_several());
            for pattern in first..self.patterns.count() {
                let largest = largest(&found.forest.loads[pattern]);
                let excess = largest.saturating_sub(self.patterns.least(pattern));
                if pattern != ALL && excess == 0 {
                    continue;
                }
                let full = largest - excess * FULL_ENOUGH[0] / FULL_ENOUGH[1];
                let permitted = self.patterns.permitted(found.figure());
                is_changed |= found
                    .forest
                    .relieve(&found.ground, pattern, full, &permitted);
            }
            let is_worth_it = self.is_lowered_by(WORTH_A_RELIEF, before, found.figure());
            if self.patterns.count() == 1 && !is_worth_it {
                break;
            }
            if !is_changed || (self.is_over)() || self.patterns.is_least_of_all(found.figure()) {
                break;
            }
        }
    }

    /// Tells whether the largest load has fallen by more than a share of what it was above a bound; always on fabrics that are
    /// not large.
    fn is_lowered_by(&self, share: [u64; 2], before: Figure, after: Figure) -> bool {
        let least = self.patterns.least_of_all();
        self.effort.is_thorough || is_nearer_by(share, [before.largest, after.largest], least)
    }

    /// Per destination, the place of its switch among those with hosts.
    pub(super) fn target_of(&self) -> Vec<u32> {
        let mut places = vec![0; self.space.switch_count()];
        for (place, switch) in (0..).zip(self.endpoints.source_switches()) {
            places[switch.index()] = place;
        }
        let place = |endpoint| places[self.endpoints.switch(endpoint) as usize];
        (0..self.endpoints.count()).map(place).collect()
    }

    /// Grows trees on whose largest load no tables are below: of the same largest load those are kept whose channels carry
    /// most alike, by the sum of squares.
    pub(super) fn even_out(&self, mut found: Found<'a>) -> Found<'a> {
        let figures = |forest: &Forest<'_>| (forest.figure(), forest.loads.sum_of_squares());
        let mut best = found.forest.clone();
        for round in TRIAL_ROUNDS..self.effort.rounds as usize {
            let exponent = EVENING_EXPONENTS[round % EVENING_EXPONENTS.len()];
            found.forest.grow(&found.ground, exponent, self.is_over);
            self.relieve(&mut found);
            if figures(&found.forest) < figures(&best) {
                best.clone_from(&found.forest);
            }
        }
        found.forest = best;
        found
    }

    /// Grows all trees anew round by round and keeps the best there were. In those of each round that are better than all
    /// before, single switches send another way, so that what is grown after them makes nothing worse.
    pub(super) fn improve(&self, mut found: Found<'a>) -> Found<'a> {
        let mut grown = found.forest.clone();
        let mut best = self.descended(&found);
        for round in TRIAL_ROUNDS..self.effort.rounds as usize {
            let figures = [Some(grown.figure()), best.as_ref().map(Found::figure)];
            let mut figures = figures.into_iter().flatten();
            if figures.any(|figure| self.patterns.is_least_of_all(figure)) || (self.is_over)() {
                break;
            }
            self.progress.begin(0);
            found.grow(round, self.is_over);
            self.relieve(&mut found);
            let is_better = found.figure() < grown.figure();
            if !is_better && self.is_lean() {
                break;
            }
            let is_last = self.is_lean()
                && !self.is_lowered_by(WORTH_A_ROUND, grown.figure(), found.figure());
            if is_better {
                grown.clone_from(&found.forest);
                let descended = self.descended(&found);
                best = match (best, descended) {
                    (Some(best), Some(other)) if best.figure() <= other.figure() => Some(best),
                    (best, other) => other.or(best),
                };
            }
            if is_last {
                break;
            }
        }
        found.forest = grown;
        best.filter(|best| best.figure() <= found.figure())
            .unwrap_or(found)
    }

    /// The same with single switches that send another way; none where hardly anything is left for them, as on trees.
    fn descended(&self, found: &Found<'a>) -> Option<Found<'a>> {
        // On one lane it brings most, as the order goes along.
        let is_on_one_lane =
            found.ground.orders.lane_count() == 1 && self.effort.descends_on_one_lane;
        let may_descend = (self.effort.is_thorough || is_on_one_lane)
            && self.patterns.count() == 1
            && !self.has_heights();
        if !may_descend || self.patterns.is_least_of_all(found.figure()) {
            return None;
        }
        let mut found = found.clone();
        self.descend(&mut found);
        Some(found)
    }
}

/// Tells whether what came down from one load to another has come nearer to a bound by more than a share of what it was above.
fn is_nearer_by([more, of]: [u64; 2], [before, after]: [u64; 2], least: u64) -> bool {
    let excess = before.saturating_sub(least);
    before.saturating_sub(after) * of > excess * more
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred above the bound, two are a fiftieth; five a twentieth.
    #[test]
    fn what_is_gone_on_with_brings_more_than_a_share_of_what_is_left() {
        let relief = |after: u64| is_nearer_by(WORTH_A_RELIEF, [1_100, after], 1_000);
        assert_eq!(
            [1_200, 1_100, 1_098, 1_097].map(relief),
            [false, false, false, true]
        );
        let round = |after: u64| is_nearer_by(WORTH_A_ROUND, [1_100, after], 1_000);
        assert_eq!([1_095, 1_094, 1_000].map(round), [false, true, true]);
        assert!(!is_nearer_by(WORTH_A_RELIEF, [1_000, 1_000], 1_000));
    }
}
