//! What is sent: all of it, on a fabric with rails what stays on each, and each of several demands apart.
//!
//! Programs keep most traffic on the rails of a machine, so each rail is judged by itself, too. Tables that
//! spread all traffic evenly may send most of what a rail carries over few channels, and what others carry
//! over the rest.

use super::least_loads::{least_of_tables, of_end};
use crate::form::Endpoints;
use crate::load::whole_flows::common_divisor;
use crate::load::{Demand, Shown, between, least_by_metric, least_load};
use crate::paths::PathSpace;
use std::sync::OnceLock;
use weft_fabric::computers::{Rails, computers};
use weft_fabric::{Fabric, SwitchId, narrow};

/// The pattern of all that is sent.
pub(super) const ALL: usize = 0;

/// That of what stays on rails, on all at once; each rail's own come after it.
pub(super) const RAILS: usize = 1;

/// How far above the least possible load a nearly even routing is at most, as a fraction of it.
///
/// Random regular networks of 1,024 switches, whose channels are not relieved, come within 1.2 %.
pub(super) const NEARLY: [u64; 2] = [3, 100];

/// How far above it tables of other routings are that are not searched on from.
pub(super) const HARDLY: [u64; 2] = [1, 200];

/// How far above it first answers are that are enough of a large fabric.
pub(super) const NEAR: [u64; 2] = [1, 20];

/// How far above it other first answers are looked for as well.
pub(super) const FAR: [u64; 2] = [1, 4];

/// The same as [`NEARLY`] for what stays on rails, whose loads are sums of few large parts.
const NEARLY_ON_RAILS: [u64; 2] = [1, 20];

/// Parts in which the load of a rail is counted, where 1 is the least possible.
const PARTS: u64 = 1 << 20;

/// Less for the better, by each in turn.
///
/// Where there are rails, largest loads count as equal that [nearly](NEARLY) are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Figure {
    /// By how many times what nearly even routings differ in the largest load is above the least possible; 0 without
    /// rails.
    excess: u64,
    /// The largest load of what stays on rails, on one alone or on all at once, or of any of several demands, in parts of
    /// the least possible.
    rails: u64,
    /// The largest load.
    pub(super) largest: u64,
    /// The sum of all.
    sum: u64,
}

impl Figure {
    /// Tells whether the largest load is more than a share above that of another.
    pub(super) fn is_above(self, [more, of]: [u64; 2], other: Self) -> bool {
        self.largest * of > other.largest * (of + more)
    }
}

/// Several demands, of which each is to be even by itself.
#[derive(Clone, Debug)]
pub(super) struct Apart<'a> {
    /// Each demand: per switch and destination, what the hosts of the one send to the other.
    demands: &'a [Vec<u64>],
    /// Per demand: a load that the largest of no tables is below, not 0.
    least: Vec<u64>,
    /// All together, each in parts of its least possible load: per switch and destination.
    pub(super) together: Vec<u64>,
}

/// Parts in which demands are added up, where the least possible load of each is 1.
const PARTS_OF_LEAST: u128 = 1 << 32;

impl<'a> Apart<'a> {
    /// Finds what no tables keep each below.
    ///
    /// Shapes: `demands`, per demand, switch and destination.
    pub(super) fn new(
        space: &PathSpace,
        part: &[SwitchId],
        endpoints: &Endpoints,
        demands: &'a [Vec<u64>],
    ) -> Self {
        let least: Vec<u64> = demands
            .iter()
            .map(|demand| {
                let between = between(space, endpoints, Demand::PerPair(demand));
                let (least, _) = least_load(space, part, &between);
                let by_metric = least_by_metric(space, &between, LOOKS_AT_BOUNDS).least_load;
                least.max(by_metric).max(1)
            })
            .collect();
        let mut together = vec![0; demands.first().map_or(0, Vec::len)];
        for (demand, &least) in demands.iter().zip(&least) {
            for (sum, &sent) in together.iter_mut().zip(demand) {
                let parts = (u128::from(sent) * PARTS_OF_LEAST).div_ceil(u128::from(least));
                *sum += narrow::<_, u64>(parts, "what is sent is less than 2^32 times a load");
            }
        }
        Self {
            demands,
            least,
            together,
        }
    }
}

/// Ways out of switches that are looked at for a load that no tables keep all that is sent below: on trees and grids, where
/// it is reached, few do.
const LOOKS_AT_A_BOUND: u64 = 1 << 24;

/// The same for each of several demands.
const LOOKS_AT_BOUNDS: u64 = 1 << 27;

/// Patterns of traffic whose loads are counted apart: all that is sent, what stays on rails, and what stays on each; or
/// all of several demands, and each of them.
#[derive(Clone, Debug)]
pub(super) struct Patterns<'a> {
    demand: Demand<'a>,
    /// Per pattern after [`ALL`]: its demand, where there are several.
    apart: &'a [Vec<u64>],
    /// Per switch: the pattern of its rail, [`ALL`] if it is on none.
    of_switch: Vec<usize>,
    /// The same per destination.
    of_destination: Vec<usize>,
    /// Per pattern: a load that the largest of no tables is below or, where there are rails, no gain is below.
    least: Vec<u64>,
    /// What all loads of all that is sent are multiples of: the hosts of a switch send to a destination by one way.
    grain: u64,
    /// A nearer one of all that is sent, once it is looked for: where tables reach it, nothing is left to search for.
    nearer: OnceLock<Shown>,
}

impl<'a> Patterns<'a> {
    /// All that is sent alone.
    pub(super) fn one(
        space: &PathSpace,
        part: &[SwitchId],
        endpoints: &Endpoints,
        demand: Demand<'a>,
    ) -> Self {
        let between = between(space, endpoints, demand);
        let (least, _) = least_load(space, part, &between);
        let (of_tables, grain) = match demand {
            Demand::PerHost(hosts) => (least_of_tables(space, part, hosts), common_divisor(hosts)),
            Demand::PerPair(sent) => (0, common_divisor(sent)),
        };
        Self {
            demand,
            apart: &[],
            of_switch: vec![ALL; space.switch_count()],
            of_destination: vec![ALL; endpoints.count()],
            least: vec![least.max(of_tables).next_multiple_of(grain)],
            grain,
            nearer: OnceLock::new(),
        }
    }

    /// Several demands, each by itself, and all together.
    pub(super) fn several(
        space: &PathSpace,
        part: &[SwitchId],
        endpoints: &Endpoints,
        apart: &'a Apart<'a>,
    ) -> Self {
        let mut patterns = Self::one(space, part, endpoints, Demand::PerPair(&apart.together));
        patterns.apart = apart.demands;
        patterns.least.extend(&apart.least);
        patterns
    }

    /// The same, and what is sent on each rail if all hosts send alike.
    pub(super) fn with_rails(
        mut self,
        fabric: &Fabric,
        space: &PathSpace,
        part: &[SwitchId],
        endpoints: &Endpoints,
    ) -> Self {
        let Demand::PerHost(hosts) = self.demand else {
            return self;
        };
        let Some(found) = Rails::of(fabric, &computers(fabric)) else {
            return self;
        };
        let switches = hosts.len();
        let (mut at_once, mut least_at_once) = (vec![0; switches * switches], 0);
        let mut least_of_rails = Vec::new();
        for rail in found.rails {
            let mut of_rail = vec![0; switches];
            for &switch in &rail.switches {
                of_rail[switch.index()] = hosts[switch.index()];
            }
            let mut between = vec![0; switches * switches];
            for (from, &sending) in of_rail.iter().enumerate() {
                for (to, &hearing) in of_rail.iter().enumerate() {
                    between[from * switches + to] = sending * hearing;
                    at_once[from * switches + to] += sending * hearing;
                }
            }
            let (mean, _) = least_load(space, part, &between);
            if mean == 0 {
                // All its ends hang on one switch.
                continue;
            }
            let least = mean.max(least_of_tables(space, part, &of_rail));
            let least = least.max(of_end(&of_rail));
            for &switch in &rail.switches {
                self.of_switch[switch.index()] = RAILS + 1 + least_of_rails.len();
            }
            least_at_once = least_at_once.max(least);
            least_of_rails.push(least);
        }
        if least_of_rails.is_empty() {
            return self;
        }
        self.least[ALL] = self.least[ALL].max(of_end(hosts));
        let (mean, _) = least_load(space, part, &at_once);
        self.least.push(mean.max(least_at_once));
        self.least.append(&mut least_of_rails);
        let pattern = |destination| self.of_switch[endpoints.switch(destination) as usize];
        self.of_destination = (0..endpoints.count()).map(pattern).collect();
        self
    }

    /// Looks for a load that no tables keep all that is sent below, unless several demands are to be even.
    pub(super) fn look_for_least(&self, space: &PathSpace, endpoints: &Endpoints) {
        if !self.is_several() {
            let between = self.between(space, endpoints);
            self.nearer
                .get_or_init(|| least_by_metric(space, &between, LOOKS_AT_A_BOUND));
        }
    }

    /// What has been shown of it.
    pub(super) fn shown(&self) -> Option<&Shown> {
        self.nearer.get()
    }

    /// A load that the largest of no tables is below, the highest that is known.
    pub(super) fn least_of_all(&self) -> u64 {
        let nearer = self
            .nearer
            .get()
            .map_or(0, |shown| shown.least_load.next_multiple_of(self.grain));
        self.least[ALL].max(nearer)
    }

    /// Per switch and switch, all that is sent.
    pub(super) fn between(&self, space: &PathSpace, endpoints: &Endpoints) -> Vec<u64> {
        between(space, endpoints, self.demand)
    }

    pub(super) fn count(&self) -> usize {
        self.least.len()
    }

    pub(super) fn has_rails(&self) -> bool {
        self.count() > 1 && !self.is_several()
    }

    /// Tells whether several demands are to be even, each by itself.
    pub(super) fn is_several(&self) -> bool {
        !self.apart.is_empty()
    }

    pub(super) fn destination_count(&self) -> usize {
        self.of_destination.len()
    }

    /// A load of a pattern that the largest of no tables is below.
    pub(super) fn least(&self, pattern: usize) -> u64 {
        self.least[pattern]
    }

    /// The pattern of the rail that a destination is on.
    pub(super) fn rail_of(&self, destination: usize) -> Option<usize> {
        let pattern = self.of_destination[destination];
        (pattern != ALL).then_some(pattern)
    }

    /// The patterns that count what stays on the rail of a destination, if it is on one.
    pub(super) fn of_rail(&self, destination: usize) -> impl Iterator<Item = usize> + Clone {
        let rail = self.rail_of(destination);
        rail.into_iter().flat_map(|rail| [RAILS, rail])
    }

    /// All patterns that count what is sent to a destination.
    pub(super) fn counting(&self, destination: usize) -> impl Iterator<Item = usize> + Clone {
        (ALL..=self.apart.len()).chain(self.of_rail(destination))
    }

    /// Tells whether a switch is on a rail.
    pub(super) fn is_on(&self, switch: u32, rail: usize) -> bool {
        self.of_switch[switch as usize] == rail
    }

    /// What the hosts of a switch send to a destination.
    #[inline]
    pub(super) fn sent(&self, from: u32, destination: usize) -> u64 {
        let destinations = self.of_destination.len();
        self.demand.of(from as usize, destination, destinations)
    }

    /// What of it a pattern counts that [counts](Self::counting) what is sent to the destination.
    pub(super) fn counted(&self, pattern: usize, from: u32, destination: usize) -> u64 {
        if pattern != ALL && self.is_several() {
            let place = from as usize * self.of_destination.len() + destination;
            return self.apart[pattern - 1][place];
        }
        let rail = self.of_destination[destination];
        if pattern == ALL || self.is_on(from, rail) {
            self.sent(from, destination)
        } else {
            0
        }
    }

    /// What a pattern of several has for a destination, in loads that the largest is not below.
    pub(super) fn share(&self, pattern: usize, destination: usize) -> f64 {
        let switches = (0..).take(self.of_switch.len());
        let sent: u64 = switches
            .map(|from| self.counted(pattern, from, destination))
            .sum();
        sent as f64 / self.least[pattern] as f64
    }

    /// The figure of loads.
    ///
    /// Shapes: `loads`, per pattern and edge.
    pub(super) fn figure(&self, loads: &[Vec<u64>]) -> Figure {
        let largest = largest(&loads[ALL]);
        let shares = self.least.iter().zip(loads).skip(1);
        let shares = shares.map(|(least, loads)| largest_share(loads, *least));
        Figure {
            excess: if self.has_rails() {
                self.excess(largest)
            } else {
                0
            },
            rails: shares.max().unwrap_or(0),
            largest,
            sum: loads[ALL].iter().sum(),
        }
    }

    fn excess(&self, largest: u64) -> u64 {
        largest.saturating_sub(self.least[ALL]) / self.step()
    }

    fn step(&self) -> u64 {
        (self.least[ALL] * NEARLY[0] / NEARLY[1]).max(1)
    }

    /// The largest load per pattern that leaves a figure as good as it is, or nearly.
    pub(super) fn permitted(&self, figure: Figure) -> Vec<u64> {
        let of_all = if self.is_several() {
            u64::MAX
        } else {
            self.least[ALL] + (figure.excess + 1) * self.step() - 1
        };
        let of_rail = |&least: &u64| (figure.rails * least).div_ceil(PARTS);
        let of_rails = self.least[1..].iter().map(of_rail);
        std::iter::once(of_all.max(figure.largest))
            .chain(of_rails)
            .collect()
    }

    /// Tells whether no tables have a lower largest load.
    pub(super) fn is_least(&self, figure: Figure) -> bool {
        figure.largest <= self.least_of_all()
    }

    /// Tells whether no tables have a lower largest load of any pattern.
    pub(super) fn is_least_of_all(&self, figure: Figure) -> bool {
        (self.is_several() || self.is_least(figure)) && figure.rails <= PARTS
    }

    /// Tells whether no tables are better, or where there are rails, none is by more than a little.
    pub(super) fn is_good_enough(&self, figure: Figure) -> bool {
        if self.has_rails() {
            let most = PARTS + PARTS * NEARLY_ON_RAILS[0] / NEARLY_ON_RAILS[1];
            return self.is_nearly_least(figure) && figure.rails <= most;
        }
        self.is_least_of_all(figure)
    }

    /// Tells whether the largest load is [nearly](NEARLY) the least possible.
    pub(super) fn is_nearly_least(&self, figure: Figure) -> bool {
        self.is_within(NEARLY, figure)
    }

    /// Tells whether the largest load is above the least possible by a fraction of that at most.
    pub(super) fn is_within(&self, [more, of]: [u64; 2], figure: Figure) -> bool {
        if self.is_several() {
            return figure.rails <= PARTS + PARTS * more / of;
        }
        let least = self.least_of_all();
        figure.largest <= least + least * more / of
    }
}

/// The largest of some loads; 0 without any.
pub(super) fn largest(loads: &[u64]) -> u64 {
    loads.iter().copied().max().unwrap_or(0)
}

/// It in parts of the least possible.
fn largest_share(loads: &[u64], least: u64) -> u64 {
    let parts = u128::from(largest(loads)) * u128::from(PARTS) / u128::from(least);
    narrow(parts, "loads are less than 2^44 times the least")
}
