//! The cheapest way of one pair of switches after the other, stops included.

use super::carried_loads::{Hop, Ledger};
use super::shortest_way::ShortestWays;
use super::stopping_order::ChannelOrder;
use super::way_with_stops::MOST_HELD;
use crate::paths::PathSpace;
use weft_fabric::narrow;

/// The step before the first.
const NONE: u32 = u32::MAX;

/// What a way must keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a> {
    /// Where it has to stop; without an order nowhere.
    pub(super) order: Option<&'a ChannelOrder>,
    /// Whether it may stop elsewhere as well.
    pub(super) stops_freely: bool,
    /// What a channel may carry.
    pub(super) most: u64,
}

/// Between which switches a way is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) ends: [u32; 2],
    /// Most links.
    pub(super) links: u16,
    /// What is sent over it.
    pub(super) weight: u64,
}

/// A channel that a way takes, with the cheapest way to it.
#[derive(Clone, Copy, Debug)]
struct Step {
    hop: Hop,
    /// Channels held behind, as far as the last stop.
    held: u32,
    cost: f64,
    before: u32,
}

/// A search for the cheapest way, link by link, with what it needs again and again.
///
/// Of the ways of as many links to a channel, the cheapest is followed for each number of channels that
/// a packet holds there; more links are worth it only if they cost less.
#[derive(Debug)]
pub(super) struct Search<'a> {
    space: &'a PathSpace,
    /// Per switch and switch: links to the first from the second.
    links: &'a [u16],
    shortest: ShortestWays<'a>,
    steps: Vec<Step>,
    /// Per edge and channels held: the last layer of steps with it, and its step there.
    met: Vec<(u32, u32)>,
    layer: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(space: &'a PathSpace, links: &'a [u16]) -> Self {
        Self {
            space,
            links,
            shortest: ShortestWays::new(space, links),
            steps: Vec::new(),
            met: vec![(0, 0); space.edge_count() * (MOST_HELD as usize + 1)],
            layer: 0,
        }
    }

    /// Writes the cheapest way that keeps to the rules and tells whether there is one.
    /// Time in proportion to the turns between the channels of all ways of so many links.
    pub(super) fn run(
        &mut self,
        wanted: Wanted,
        rules: Rules<'_>,
        ledger: &Ledger,
        way: &mut Vec<Hop>,
    ) -> bool {
        let [from, to] = wanted.ends;
        let shortest = self.links[to as usize * self.space.switch_count() + from as usize];
        if rules.order.is_none() && rules.most == u64::MAX && wanted.links == shortest {
            self.shortest.cheapest(wanted.ends, ledger, way);
            return true;
        }
        self.steps.clear();
        let mut best: Option<(f64, u32)> = None;
        let mut last_layer = 0..0;
        for taken in 1..=wanted.links {
            let left = wanted.links - taken;
            let start = self.steps.len();
            self.begin_layer();
            if taken == 1 {
                for edge in self.space.edge_ids(from) {
                    if self.may_take(edge, left, wanted, rules, ledger) {
                        self.offer([edge, NONE], false, ledger);
                    }
                }
            }
            for number in last_layer {
                let step = self.steps[number];
                let is_there = self.space.edge(step.hop.edge).to == to;
                if !is_there && best.is_none_or(|(cost, _)| step.cost < cost) {
                    self.follow(step_number(number), left, wanted, rules, ledger);
                }
            }
            last_layer = start..self.steps.len();
            for number in last_layer.clone() {
                let step = self.steps[number];
                let is_there = self.space.edge(step.hop.edge).to == to;
                if is_there && best.is_none_or(|(cost, _)| step.cost < cost) {
                    best = Some((step.cost, step_number(number)));
                }
            }
        }
        way.clear();
        let mut at = best.map_or(NONE, |(_, number)| number);
        while at != NONE {
            let step = self.steps[at as usize];
            way.push(step.hop);
            at = step.before;
        }
        way.reverse();
        best.is_some()
    }

    /// Offers every channel that a way may take next, with and without a stop.
    fn follow(
        &mut self,
        number: u32,
        left: u16,
        wanted: Wanted,
        rules: Rules<'_>,
        ledger: &Ledger,
    ) {
        let held = self.steps[number as usize].hop.edge;
        let (back, here) = (self.space.tail(held), self.space.edge(held).to);
        let can_stop = rules.order.is_some() && ledger.stops[here as usize] < f64::INFINITY;
        for edge in self.space.edge_ids(here) {
            if self.space.edge(edge).to == back || !self.may_take(edge, left, wanted, rules, ledger)
            {
                continue;
            }
            let descends = rules.order.is_some_and(|order| order.descends(held, edge));
            if !descends {
                self.offer([edge, number], false, ledger);
            }
            if can_stop && (descends || rules.stops_freely) {
                self.offer([edge, number], true, ledger);
            }
        }
    }

    /// Tells whether a way may take a channel after which so many links are left.
    fn may_take(
        &self,
        edge: u32,
        left: u16,
        wanted: Wanted,
        rules: Rules<'_>,
        ledger: &Ledger,
    ) -> bool {
        let row = wanted.ends[1] as usize * self.space.switch_count();
        self.links[row + self.space.edge(edge).to as usize] <= left
            && ledger.loads[edge as usize].saturating_add(wanted.weight) <= rules.most
    }

    /// Takes a channel after a step, unless a cheaper way to it that holds as many is known.
    fn offer(&mut self, [edge, before]: [u32; 2], is_after_stop: bool, ledger: &Ledger) {
        let last = self.steps.get(before as usize);
        let held = match last {
            Some(last) if !is_after_stop => (last.held + 1).min(MOST_HELD),
            _ => 0,
        };
        let mut cost = last.map_or(0.0, |last| last.cost);
        cost += ledger.edges[edge as usize] + ledger.waits[edge as usize] * f64::from(held);
        if is_after_stop {
            cost += ledger.stops[self.space.tail(edge) as usize];
        }
        let step = Step {
            hop: Hop {
                edge,
                is_after_stop,
            },
            held,
            cost,
            before,
        };
        let place = edge as usize * (MOST_HELD as usize + 1) + held as usize;
        let (layer, number) = self.met[place];
        if layer != self.layer {
            self.met[place] = (self.layer, step_number(self.steps.len()));
            self.steps.push(step);
        } else if cost < self.steps[number as usize].cost {
            self.steps[number as usize] = step;
        }
    }

    fn begin_layer(&mut self) {
        self.layer = self.layer.wrapping_add(1);
        if self.layer == 0 {
            self.met.fill((0, 0));
            self.layer = 1;
        }
    }
}

fn step_number(number: usize) -> u32 {
    narrow(
        number,
        "steps are fewer than channels times links, and these than 2^32",
    )
}

#[cfg(test)]
mod tests {
    use super::super::carried_loads::Tariff;
    use super::*;
    use crate::paths::TurnRule;
    use crate::random::stream;
    use rand::RngExt;
    use weft_fabric::generate::{IrregularParameters, irregular, k_ary_n_tree, torus};
    use weft_fabric::{SwitchId, metrics};

    #[test]
    fn the_search_of_shortest_ways_finds_what_the_search_of_all_ways_finds() {
        let random = irregular(&IrregularParameters::default()).unwrap();
        let fabrics = [torus(5, 4, 1).unwrap(), k_ary_n_tree(3, 3).unwrap(), random];
        for (number, fabric) in (0..).zip(&fabrics) {
            let space = &PathSpace::new(fabric, None, TurnRule::Free);
            let far = |to: SwitchId| metrics::distances_from(fabric, to);
            let links: Vec<u16> = fabric
                .switch_ids()
                .flat_map(far)
                .map(|far| u16::try_from(far).unwrap())
                .collect();
            let switches = space.switch_count();
            let mut search = Search::new(space, &links);
            let mut ledger = Ledger::new(space, vec![(1, 0.0); switches], 1.0);
            let mut draws = stream(1, "pairs of the test", number);
            let (mut quick, mut plain) = (Vec::new(), Vec::new());
            for round in 0..3000 {
                if round % 300 == 0 {
                    // The last make sums that differ by less than they can tell, and infinite ones.
                    let exponent = 1 << (round / 300);
                    let unit = if round == 2700 {
                        1
                    } else {
                        1 + ledger.largest()
                    };
                    ledger.charge(Tariff::Balance { exponent, unit });
                }
                let ends = [0, 0].map(|_| draws.random_range(0..u32::try_from(switches).unwrap()));
                if ends[0] == ends[1] {
                    continue;
                }
                let wanted = Wanted {
                    ends,
                    links: links[ends[1] as usize * switches + ends[0] as usize],
                    weight: draws.random_range(1..4),
                };
                let mut found = |most, way: &mut Vec<Hop>| {
                    let rules = Rules {
                        order: None,
                        stops_freely: false,
                        most,
                    };
                    search.run(wanted, rules, &ledger, way)
                };
                assert!(found(u64::MAX, &mut quick) && found(u64::MAX - 1, &mut plain));
                assert_eq!(quick, plain, "round {round}");
                ledger.change(space, &quick, |sum| sum + wanted.weight);
            }
        }
    }
}
