//! All routes, each with its way.

use super::carried_loads::{Hop, Ledger, Tariff, Weights};
use super::cheapest_way::{Rules, Search, Wanted};
use super::stopping_order::{ChannelOrder, TurnCosts};
use super::way_with_stops::{Cutting, cost};
use crate::form::Endpoints;
use crate::load::least_load;
use crate::paths::{PathSpace, Turns};
use std::hint::black_box;
use weft_fabric::{Fabric, SwitchId};

/// Parts in which costs of turns are counted, which are whole numbers so that sums are exact.
const PARTS: f64 = 256.0;

/// Most that turns at a switch without hosts cost while routes that take them may still be led around.
const WORTH_KEEPING: f64 = 65_536.0;

#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) wanted: Wanted,
    pub(super) way: Vec<Hop>,
}

/// The ways of all routes, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    lengths: Vec<usize>,
    hops: Vec<Hop>,
}

/// All routes, by source, then by destination, and what they load.
#[derive(Clone, Debug)]
pub(super) struct Traffic<'a> {
    space: &'a PathSpace,
    routes: Vec<Route>,
    ledger: Ledger,
    /// What a route adds to its channels, on average.
    mean: f64,
    /// The way found last.
    found: Vec<Hop>,
}

impl<'a> Traffic<'a> {
    /// The pairs that need a route, as yet without a way; `links` tells the most links of the
    /// way between two switches.
    pub(super) fn new(
        fabric: &Fabric,
        space: &'a PathSpace,
        endpoints: &Endpoints,
        weights: &Weights,
        links: impl Fn([u32; 2]) -> u16,
    ) -> Self {
        let count = endpoints.count();
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| [from, to]));
        let route = |[from, to]: [usize; 2]| {
            let ends = [from, to].map(|end| endpoints.switch(end));
            let links = links(ends);
            Route {
                wanted: Wanted {
                    ends,
                    links,
                    weight: weights.pairs[from * count + to],
                },
                // Ways lie in the order of the routes, however often they are taken anew in another.
                way: Vec::with_capacity(links.into()),
            }
        };
        let needed = pairs.filter(|&[from, to]| endpoints.need_route(from, to));
        let routes: Vec<Route> = needed.map(route).collect();
        let sum: u64 = routes.iter().map(|route| route.wanted.weight).sum();
        let mean = sum as f64 / routes.len().max(1) as f64;
        let hosts = |switch: SwitchId| {
            let hosts = fabric.hosts_of(switch);
            let own: u64 = hosts.iter().map(|host| weights.hosts[host.index()]).sum();
            (hosts.len() as u64, own as f64 / hosts.len().max(1) as f64)
        };
        let hosts = fabric.switch_ids().map(hosts).collect();
        Self {
            space,
            routes,
            ledger: Ledger::new(space, hosts, mean),
            mean,
            found: Vec::new(),
        }
    }

    pub(super) fn routes(&self) -> &[Route] {
        &self.routes
    }

    pub(super) fn largest(&self) -> u64 {
        self.ledger.largest()
    }

    /// A load that the largest of no ways is below.
    pub(super) fn least_load(&self, part: &[SwitchId]) -> u64 {
        let switches = self.space.switch_count();
        let mut between = vec![0; switches * switches];
        for Wanted { ends, weight, .. } in self.routes.iter().map(|route| route.wanted) {
            between[ends[0] as usize * switches + ends[1] as usize] += weight;
        }
        least_load(self.space, part, &between).0
    }

    /// Has everything cost by another tariff.
    pub(super) fn charge(&mut self, tariff: Tariff) {
        self.ledger.charge(tariff);
    }

    pub(super) fn ways(&self) -> Ways {
        let ways = self.routes.iter().map(|route| &route.way);
        Ways {
            lengths: ways.clone().map(Vec::len).collect(),
            hops: ways.flatten().copied().collect(),
        }
    }

    pub(super) fn set_ways(&mut self, ways: &Ways) {
        let mut rest = &ways.hops[..];
        for (route, &length) in self.routes.iter_mut().zip(&ways.lengths) {
            let (way, after) = rest.split_at(length);
            route.way.clear();
            route.way.extend_from_slice(way);
            rest = after;
        }
        self.count_loads();
    }

    fn count_loads(&mut self) {
        self.ledger.clear();
        for Route { way, wanted } in &self.routes {
            self.ledger
                .change(self.space, way, |sum| sum + wanted.weight);
        }
    }

    /// Reads routes that are wanted next, which are anywhere in memory: it brings several at a time, but one
    /// after the other to who needs each before the next is known.
    pub(super) fn look_at(&self, numbers: &[usize]) {
        let first = |&number: &usize| self.routes[number].way.first();
        let edges = numbers
            .iter()
            .filter_map(first)
            .map(|hop| u64::from(hop.edge));
        black_box(edges.sum::<u64>());
    }

    /// Tells whether the way of a route has a channel that carries more than so much.
    pub(super) fn exceeds(&self, number: usize, load: u64) -> bool {
        let mut way = self.routes[number].way.iter();
        way.any(|hop| self.ledger.loads[hop.edge as usize] > load)
    }

    /// Gives a route the cheapest way by the rules, and tells whether it is another; without any it keeps
    /// the one it has.
    pub(super) fn retake(
        &mut self,
        number: usize,
        search: &mut Search<'_>,
        rules: Rules<'_>,
    ) -> bool {
        let Self {
            space,
            routes,
            ledger,
            found,
            ..
        } = self;
        let route = &mut routes[number];
        let weight = route.wanted.weight;
        ledger.change(space, &route.way, |sum| sum - weight);
        let is_another = search.run(route.wanted, rules, ledger, found) && *found != route.way;
        if is_another {
            route.way.clone_from(found);
        }
        ledger.change(space, &route.way, |sum| sum + weight);
        is_another
    }

    /// Tells whether all ways ascend an order.
    pub(super) fn ascends(&self, order: &ChannelOrder) -> bool {
        let mut turns = self.routes.iter().flat_map(|route| route.way.windows(2));
        turns.all(|two| !order.descends(two[0].edge, two[1].edge))
    }

    /// Leads every route that cannot stop where it would have to by a shortest way on which it can,
    /// whatever that loads, and tells whether there was any. Its way may then have `slack` links more.
    pub(super) fn lead_around(
        &mut self,
        order: &ChannelOrder,
        search: &mut Search<'_>,
        slack: u16,
    ) -> bool {
        let rules = Rules {
            order: Some(order),
            stops_freely: false,
            most: u64::MAX,
        };
        let mut has_led = false;
        let mut cutting = Cutting::default();
        for route in &mut self.routes {
            if cutting.place_stops(&mut route.way, self.space, order, &self.ledger) {
                continue;
            }
            has_led = true;
            // Invariant: the order permits the turns of a tree, which has a way between any two.
            while !search.run(route.wanted, rules, &self.ledger, &mut route.way) {
                route.wanted.links += 1;
            }
            route.wanted.links += slack;
        }
        self.count_loads();
        has_led
    }

    /// Stops all ways where that is cheapest by an order, and tells whether any now stops elsewhere.
    pub(super) fn place_stops(&mut self, order: &ChannelOrder) -> bool {
        let Self {
            space,
            routes,
            ledger,
            found,
            ..
        } = self;
        let mut cutting = Cutting::default();
        let mut has_moved = false;
        for Route { way, .. } in routes {
            found.clone_from(way);
            cutting.place_stops(way, space, order, ledger);
            has_moved |= way != found;
        }
        if has_moved {
            self.count_loads();
        }
        has_moved
    }

    /// The cost of all ways, stops included.
    pub(super) fn cost(&self) -> f64 {
        let each = self.routes.iter().map(|route| {
            let weight = route.wanted.weight as f64;
            weight * cost(&route.way, self.space, &self.ledger)
        });
        each.sum()
    }

    /// What it costs the routes that turns descend. At switches without hosts, that they would have
    /// to be led around, or, with `is_kept`, too much.
    pub(super) fn turn_costs<'b>(&self, all: &'b Turns<'b>, is_kept: bool) -> TurnCosts<'b> {
        let mut costs = TurnCosts::none(all);
        let mut cutting = Cutting::default();
        for route in &self.routes {
            let weight = route.wanted.weight as f64 / self.mean.max(1.0);
            let each = cutting.costs_of_stops(&route.way, self.space, &self.ledger);
            for (two, &cost) in route.way.windows(2).zip(each) {
                let [held, wanted] = [two[0].edge, two[1].edge];
                if cost < f64::INFINITY {
                    costs.add(held, wanted, in_parts(cost * weight));
                } else if is_kept {
                    costs.forbid(held, wanted);
                } else {
                    costs.add(held, wanted, in_parts(WORTH_KEEPING * weight.max(1.0)));
                }
            }
        }
        costs
    }
}

/// A cost in whole parts, one at least: a route of pairs that send nothing had better not stop
/// either.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a cost is below 2^20, a weight below 2^16 times the mean"
)]
fn in_parts(cost: f64) -> i64 {
    (cost * PARTS) as i64 + 1
}
