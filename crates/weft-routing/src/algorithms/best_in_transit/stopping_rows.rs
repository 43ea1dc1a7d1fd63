//! Routes by the source that stop in transit: even first, then cut where that costs least.
//!
//! ```text
//! even ways ─► ChannelOrder ─► stops ─┐
//!                   ▲                 │ rounds
//!                   └── cheapest ways ┘
//! ```
//!
//! A total order of the channels decides where routes have to stop: wherever they take a channel after
//! a later one. Each part of a route then ascends the order, so no packets wait in a circle, whatever
//! ways there are. So there is a price for everything, and the cheapest ways and stops are taken by an
//! order, and the order is bettered for the ways, in turns.
//!
//! The largest load is settled before: later no channel carries more.
//!
//! A packet that waits for a channel holds those behind it as far as its last stop. That is what a
//! stop is worth beyond what cycles ask for, and more so before the channels that are waited for most.

use super::all_routes::{Route, Traffic, Ways};
use super::carried_loads::{Tariff, Weights};
use super::cheapest_way::{Rules, Search};
use super::shortest_way::APART;
use super::stopping_order::{ChannelOrder, TurnCosts};
use crate::cycles::{StopHosts, places_of, up_down_ranks};
use crate::form::{Endpoints, RouteRow};
use crate::orient::{Orientation, nearest_to_all, tops};
use crate::paths::{PathSpace, SpanningTree, TurnRule, Turns};
use crate::progress::Progress;
use crate::random::stream;
use rand::seq::SliceRandom;
use weft_fabric::{Fabric, SwitchId, metrics, narrow};

/// What a search may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Links that a route may be longer than a shortest one.
    pub(crate) slack: u16,
    /// What a stop costs, in channels that a waiting packet holds.
    pub(crate) stop_cost: u8,
    /// Times that the order and the ways are bettered.
    pub(crate) rounds: u8,
    pub(crate) seed: u64,
}

/// All routes are taken anew once for each, over the channels that cost least: such a power of what
/// they carry. First the sum counts, then ever more the fullest alone.
const EXPONENTS: [i32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/// The last of them, again and again for the fullest channels of small fabrics: as often as so many
/// routes can be taken anew.
const LAST_EXPONENTS: usize = 6;
const MOST_WORK: usize = 1 << 18;
const MOST_REPEATS: usize = 8;

/// Of more routes than that only those over the fullest channels are taken anew where these carry at most such
/// a part more than any routes have to.
const NEARLY_EVEN: u64 = 256;

/// Times a round that channels are moved in the order at random.
const KICKS: u64 = 32;

/// Makes a route for every pair, stops included, such that no packets deadlock.
///
/// Shapes: a row per source, as output ports; `part` holds the switches that are joined.
/// Time O((12 + r)·R·T) for r rounds, R routes and T turns on the ways that one may take, and for the
/// order O(r·K·C·d) with K kicks, C channels and d turns from each.
pub(crate) fn stopping_rows(
    fabric: &Fabric,
    part: &[SwitchId],
    endpoints: &Endpoints,
    weights: Weights,
    effort: Effort,
    progress: &Progress,
) -> Vec<RouteRow> {
    let root = nearest_to_all(fabric, part);
    let space = &PathSpace::new(fabric, None, TurnRule::Free);
    let all = Turns::all(space);
    let tree = SpanningTree::from_root(space, root);
    let links = links_between(fabric, part);
    let most_links = |[from, to]: [u32; 2]| {
        links[to as usize * space.switch_count() + from as usize] + effort.slack
    };
    let traffic = Traffic::new(fabric, space, endpoints, &weights, most_links);
    let mut work = Work {
        all: &all,
        tree: &tree.turns(space),
        search: Search::new(space, &links),
        order: up_down(space, &Orientation::from_root(fabric, root)),
        least: traffic.least_load(part),
        traffic,
        effort,
        progress,
    };
    let tops = tops(fabric, part);
    let levels = tops.split_first();
    let levels = levels.map(|(&first, others)| Orientation::from_roots(fabric, first, others));
    work.settle_loads(levels.map(|levels| up_down(space, &levels)));
    work.settle_stops();
    rows(fabric, space, endpoints, weights, work.traffic.routes())
}

/// Routes that are looked at together before each is taken anew.
const LOOKED_AT: usize = 64;

struct Work<'a> {
    all: &'a Turns<'a>,
    /// Turns that ascend wherever no route can stop, so that every pair stays joined.
    tree: &'a Turns<'a>,
    search: Search<'a>,
    order: ChannelOrder,
    traffic: Traffic<'a>,
    /// A load that the largest of no ways is below.
    least: u64,
    effort: Effort,
    progress: &'a Progress,
}

impl Work<'_> {
    /// Lays ways that leave the fullest channel as empty as can be. Those that would have to stop at
    /// a switch without hosts are led around by an order, and all are evened out by it once more. The
    /// order by the levels of a tree is taken where no way has to stop by that alone.
    fn settle_loads(&mut self, by_levels: Option<ChannelOrder>) {
        self.balance(false);
        if self.better_order(0) > 0
            && let Some(order) = by_levels.filter(|order| self.traffic.ascends(order))
        {
            self.order = order;
        }
        self.traffic.charge(Tariff::Balance {
            exponent: 1,
            unit: 1,
        });
        let slack = self.effort.slack;
        if self
            .traffic
            .lead_around(&self.order, &mut self.search, slack)
        {
            self.balance(true);
        }
    }

    /// Takes every route anew again and again, by the order or without, and keeps the most even of
    /// all ways there were.
    fn balance(&mut self, is_by_order: bool) {
        let rules = Rules {
            order: is_by_order.then_some(&self.order),
            stops_freely: false,
            most: u64::MAX,
        };
        let mut turns: Vec<usize> = (0..self.traffic.routes().len()).collect();
        let mut random = stream(self.effort.seed, "routes evened out", 0);
        let mut best = Best::default();
        if is_by_order {
            best.look_at(self.traffic.largest());
        }
        let repeats = (MOST_WORK / turns.len().max(1)).min(MOST_REPEATS);
        let last = EXPONENTS[EXPONENTS.len() - LAST_EXPONENTS..].repeat(repeats);
        for exponent in EXPONENTS.into_iter().chain(last) {
            let largest = self.traffic.largest();
            if largest > 0 && largest <= self.least {
                break;
            }
            // Close above the least there can be, ways whose channels all carry no more would not help.
            let is_nearly_even = turns.len() > MOST_WORK
                && (1..=self.least + self.least / NEARLY_EVEN).contains(&largest);
            let unit = largest.max(1);
            self.traffic.charge(Tariff::Balance { exponent, unit });
            best.keep(&self.traffic);
            turns.shuffle(&mut random);
            self.progress.begin(turns.len());
            for turns in turns.chunks(LOOKED_AT) {
                self.traffic.look_at(turns);
                for &number in turns {
                    self.progress.advance();
                    if !is_nearly_even || self.traffic.exceeds(number, self.least) {
                        self.traffic.retake(number, &mut self.search, rules);
                    }
                }
            }
            best.look_at(self.traffic.largest());
        }
        best.give_back(&mut self.traffic);
    }

    /// Betters the order for the ways and takes ways anew by the order, in turns, and keeps the
    /// cheapest of all there were.
    fn settle_stops(&mut self) {
        let most = self.traffic.largest();
        let mut turns: Vec<usize> = (0..self.traffic.routes().len()).collect();
        let mut random = stream(self.effort.seed, "routes cut", 0);
        let mut best = Best::default();
        // Whether nothing of the last round has changed, or will in the next.
        let mut is_settled = false;
        for round in 1..=self.effort.rounds {
            let is_free = self.better_order(round.into()) == 0;
            let has_stopped = self.traffic.place_stops(&self.order);
            if is_settled && is_free && !has_stopped {
                break;
            }
            best.look_at(self.traffic.cost());
            if round == self.effort.rounds {
                break;
            }
            best.keep(&self.traffic);
            let rules = Rules {
                order: Some(&self.order),
                stops_freely: true,
                most,
            };
            turns.shuffle(&mut random);
            is_settled = is_free;
            self.progress.begin(turns.len());
            for turns in turns.chunks(LOOKED_AT) {
                self.traffic.look_at(turns);
                for &number in turns {
                    self.progress.advance();
                    is_settled &= !self.traffic.retake(number, &mut self.search, rules);
                }
            }
        }
        best.give_back(&mut self.traffic);
    }

    /// Betters the order for the ways there are and tells what it leaves them to pay. From round 1 on they can stop wherever it asks for
    /// it, and always will.
    fn better_order(&mut self, round: u64) -> i64 {
        self.traffic.charge(Tariff::Stops {
            cost: self.effort.stop_cost.into(),
            unit: self.traffic.largest().max(1),
        });
        let mut costs: TurnCosts<'_> = self.traffic.turn_costs(self.all, round > 0);
        let space = self.all.space();
        for (held, wanted) in self.tree.pairs() {
            // Elsewhere routes can stop.
            if !space.has_host(space.tail(wanted)) {
                costs.forbid(held, wanted);
            }
        }
        self.order.improve(&costs, KICKS, [self.effort.seed, round])
    }
}

/// The best ways that there were.
struct Best<T> {
    figure: Option<T>,
    /// None as long as the routes have them.
    ways: Option<Ways>,
}

impl<T> Default for Best<T> {
    fn default() -> Self {
        Self {
            figure: None,
            ways: None,
        }
    }
}

impl<T: PartialOrd> Best<T> {
    /// Looks at the ways that the routes have; of equally good ones the first are the best.
    fn look_at(&mut self, figure: T) {
        if self.figure.as_ref().is_none_or(|least| figure < *least) {
            *self = Self {
                figure: Some(figure),
                ways: None,
            };
        }
    }

    /// Keeps the best ways before routes take others.
    fn keep(&mut self, traffic: &Traffic<'_>) {
        if self.figure.is_some() && self.ways.is_none() {
            self.ways = Some(traffic.ways());
        }
    }

    /// Has the routes take the best ways.
    fn give_back(self, traffic: &mut Traffic<'_>) {
        if let Some(ways) = self.ways {
            traffic.set_ways(&ways);
        }
    }
}

/// The order in which routes go up a tree's levels first and down then.
fn up_down(space: &PathSpace, orientation: &Orientation) -> ChannelOrder {
    let mut downward: Vec<u32> = (0..).take(space.switch_count()).collect();
    downward.sort_by_key(|&switch| orientation.key(SwitchId::new(switch)));
    ChannelOrder::by_ranks(&up_down_ranks(space, &places_of(&downward)))
}

/// The links between every two switches: by the one they lead to, then by the other.
fn links_between(fabric: &Fabric, part: &[SwitchId]) -> Vec<u16> {
    let switches = fabric.switch_count();
    let mut links = vec![APART; switches * switches];
    for &to in part {
        let row = &mut links[to.index() * switches..][..switches];
        for (links, far) in row.iter_mut().zip(metrics::distances_from(fabric, to)) {
            if far != metrics::UNREACHABLE {
                *links = narrow(far, "no fabric that fits memory is 65,536 links wide");
            }
        }
    }
    links
}

/// The routes as rows, each stop at that host of its switch which carries least so far.
fn rows(
    fabric: &Fabric,
    space: &PathSpace,
    endpoints: &Endpoints,
    weights: Weights,
    routes: &[Route],
) -> Vec<RouteRow> {
    let mut hosts = StopHosts::least_loaded(fabric, weights.hosts);
    // Nothing is drawn where the least loaded host is asked for.
    let mut random = stream(0, "in-transit hosts", 0);
    let mut routes = routes.iter();
    let mut rows = Vec::with_capacity(endpoints.count());
    for source in 0..endpoints.count() {
        let mut row = RouteRow::default();
        for destination in 0..endpoints.count() {
            let is_needed = endpoints.need_route(source, destination);
            let mut ports = Vec::new();
            if let Some(route) = is_needed.then(|| routes.next()).flatten() {
                for hop in &route.way {
                    if hop.is_after_stop {
                        let switch = SwitchId::new(space.tail(hop.edge));
                        let host = hosts.take(switch, route.wanted.weight, &mut random);
                        ports.push(fabric.host_port(host));
                    }
                    ports.push(space.edge(hop.edge).port);
                }
            }
            row.push(ports);
        }
        rows.push(row);
    }
    rows
}
