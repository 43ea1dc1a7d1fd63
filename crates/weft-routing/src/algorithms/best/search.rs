//! Trees towards all destinations on a given number of lanes, balanced and free of deadlock.
//!
//! ```text
//! orders of the switches ─► LaneGrowth ─► order of the channels per lane ─► guides ─► Forest ─► tables
//! ```
//!
//! A lane is a total order of the channels, and a route may use it that ascends the order: whatever
//! routes do, no packets on the lane wait in a circle. So once the orders are found, deadlock is no
//! concern any more: every tree may be grown anew at any time, as long as each of its paths ascends
//! the order of *some* lane. A turn knows the lanes where it ascends as a set of bits, and a path
//! those of all its turns.
//!
//! The orders are made for the paths there are. Several lanes are filled with the turns of one shortest
//! path after the other, each ranked anew where a turn needs it (Pearce, Kelly), and what all the
//! turns left to the orders permit comes on top. On one lane routes and order are negotiated.
//!
//! Growing whole trees evens most loads out; what is left full then is relieved switch by switch.

use super::balanced_forest::{DESTINATIONS_AT_ONCE, Forest};
use super::patterns::{Figure, HARDLY, NEAR, Patterns};
use super::target_switch::Ground;
use super::tree_on_lanes::Tree;
use crate::form::{Columns, Endpoints, ForwardingTables, Lane, LaneTables, PairGranularity};
use crate::load::Detours;
use crate::paths::{NO_EXIT, PathSpace, edge_by};
use crate::progress::Progress;
use std::sync::Arc;
use weft_fabric::{Fabric, PortNumber, SwitchId, narrow};

/// What a search may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) lanes: u8,
    /// Whether on one lane routes to every host are negotiated apart, not to every switch, and every number
    /// of lanes is searched with, not only down to a nearly even one.
    pub(crate) is_thorough: bool,
    /// Whether the first tables known are those of a large grid.
    pub(crate) is_grid: bool,
    /// Whether all numbers of lanes are searched with to the end, however far behind others.
    pub(crate) is_exhaustive: bool,
    /// Whether single switches on one lane send another way, and the order goes along, on large fabrics as well.
    pub(crate) descends_on_one_lane: bool,
    /// Whether the search ends by itself: neither a number of starts nor a time is given.
    pub(crate) is_automatic: bool,
    /// The user says how many starts.
    pub(crate) are_told: bool,
    /// Whether, of large fabrics, first tables are taken that are enough: no number of starts is asked for.
    pub(crate) takes_first: bool,
    /// Whether known tables are enough that are [near](NEAR) a bound.
    pub(crate) takes_near: bool,
    /// Rounds in which every tree is grown anew.
    pub(crate) rounds: u32,
    /// Starts with one lane; with several, as many times fewer, but two. 0 for first tables alone.
    pub(crate) starts: u64,
    /// Whether those are wanted at once: trees grown once.
    pub(crate) is_at_once: bool,
    /// Most times that all full channels are relieved in a row.
    pub(crate) reliefs: u64,
    /// Most agreements of routes on one lane that a first answer waits for where it is far from a bound.
    pub(crate) agreements: u64,
    pub(crate) seed: u64,
}

/// Lanes that are searched with besides one: those that ports of `InfiniBand` have.
///
/// Each number that fits is tried apart, as without the larger ones, and the best of all is taken: so more
/// lanes are never worse. On large fabrics fewer lanes are tried only while the largest load is more than
/// 3 % above a bound, so more are worse by no more than that.
const MORE_LANES: [u8; 4] = [2, 4, 8, 15];

/// Orders of the channels and trees that keep to them.
#[derive(Clone)]
pub(super) struct Found<'a> {
    pub(super) ground: Ground,
    pub(super) forest: Forest<'a>,
    /// Lengths by which routes may be longer than shortest ones.
    pub(super) detours: Option<Arc<Detours>>,
    /// The service levels whose orders these are, where switches make lanes of them; else each is a lane.
    pub(super) levels: Option<Levels>,
    /// Whether routes and the one order have been negotiated: routes are of any length.
    pub(super) is_negotiated: bool,
    /// Pairs of switches that its orders were grown with no shortest route for.
    pub(super) longer: u64,
}

/// Service levels of which switches make lanes.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// Per order of the channels.
    pub(super) numbers: Vec<Lane>,
    pub(super) tables: Arc<LaneTables>,
}

impl Found<'_> {
    /// The lanes that packets take.
    pub(super) fn lane_count(&self) -> u8 {
        let by_levels = self
            .levels
            .as_ref()
            .map(|levels| levels.tables.lane_count());
        by_levels.unwrap_or_else(|| self.ground.orders.lane_count())
    }

    pub(super) fn figure(&self) -> Figure {
        self.forest.figure()
    }
}

#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) space: &'a PathSpace,
    pub(super) part: &'a [SwitchId],
    pub(super) endpoints: &'a Endpoints,
    pub(super) hosts: &'a [u64],
    pub(super) patterns: &'a Patterns<'a>,
    pub(super) effort: Effort,
    pub(super) progress: &'a Progress,
    /// Whether what goes on is to end at once, its outcome wanted by nobody.
    pub(super) is_over: &'a (dyn Fn() -> bool + Sync),
}

impl Search<'_> {
    /// The numbers of lanes besides one that are searched with.
    pub(super) fn more_lanes(&self) -> &'static [u8] {
        let fit = MORE_LANES.partition_point(|&lanes| lanes <= self.effort.lanes);
        &MORE_LANES[..fit]
    }

    /// Tells whether known tables are so near the least possible that nothing more is tried: the larger a fabric, the
    /// longer that would take.
    pub(super) fn is_enough_as_known(&self, figure: Figure) -> bool {
        self.is_enough(self.effort.takes_near, figure)
    }

    /// The same of the tables of a first start.
    pub(super) fn is_enough_at_first(&self, figure: Figure) -> bool {
        self.is_enough(!self.effort.is_thorough, figure)
    }

    /// Never where rails or several demands are to be even by themselves.
    fn is_enough(&self, takes_near: bool, figure: Figure) -> bool {
        let most = if takes_near { NEAR } else { HARDLY };
        self.patterns.count() == 1 && self.patterns.is_within(most, figure)
    }

    /// Tells whether no tables are better or, on fabrics with rails, hardly any.
    pub(super) fn is_good_enough(&self, found: Option<&Found<'_>>) -> bool {
        found.is_some_and(|found| self.patterns.is_good_enough(found.figure()))
    }

    /// The trees as tables; a pair's lane is that of those its path may use that has
    /// carried least so far. Where twice as many lanes are allowed as have orders, or more, several have
    /// the same: packets that wait then hold up fewer others.
    pub(super) fn tables(&self, found: &Found<'_>) -> ForwardingTables {
        let (switches, count) = (self.space.switch_count(), self.endpoints.count());
        let host = PairGranularity::Host;
        let mut tables = ForwardingTables::with_one_address(self.fabric, host);
        let mut lanes = vec![Lane::ZERO; switches * count];
        let ordered = usize::from(found.ground.orders.lane_count());
        let copies = match &found.levels {
            Some(_) => 1,
            None => usize::from(self.effort.lanes) / ordered,
        };
        let mut carried = vec![0_u64; ordered * copies.max(1)];
        let mut tree = Tree::new(switches);
        // Rows lie far apart in memory: entries are written for some destinations at a time.
        let some = DESTINATIONS_AT_ONCE.min(count).max(1);
        let mut ports = vec![PortNumber::new(0); switches * some];
        let mut of_some = vec![Lane::ZERO; switches * some];
        for destination in 0..count {
            let place = destination % some;
            let to = self.endpoints.switch(destination);
            let exits = found.forest.exits(destination);
            tree.follow(self.space, &found.ground.orders, to, exits);
            for at in (0..).take(switches) {
                if exits[at as usize] == NO_EXIT {
                    continue;
                }
                let edge = self.space.edge(edge_by(self.space, at, exits[at as usize]));
                ports[at as usize * some + place] = edge.port;
                let flow = self.patterns.sent(at, destination);
                let permitted = tree.lanes[at as usize];
                let mut least: Option<usize> = None;
                for first in (0..carried.len()).step_by(ordered) {
                    for lane in (0..ordered).filter(|lane| permitted >> lane & 1 == 1) {
                        let lane = first + lane;
                        if least.is_none_or(|least| carried[lane] < carried[least]) {
                            least = Some(lane);
                        }
                    }
                }
                let Some(lane) = least else {
                    unreachable!("the path of every switch ascends the order of some lane");
                };
                carried[lane] += flow;
                of_some[at as usize * some + place] = match &found.levels {
                    Some(levels) => levels.numbers[lane],
                    None => Lane::new(narrow(lane, "there are 16 lanes at most")),
                };
            }
            if place + 1 < some && destination + 1 < count {
                continue;
            }
            let first = destination - place;
            let columns = Columns::new(first..=destination);
            for (row, ports) in tables.rows_mut().zip(ports.chunks_exact(some)) {
                columns.write(&ports[..=place], row);
            }
            for (row, lanes_of) in lanes
                .chunks_exact_mut(count)
                .zip(of_some.chunks_exact(some))
            {
                row[first..=destination].copy_from_slice(&lanes_of[..=place]);
            }
            ports.fill(PortNumber::new(0));
            of_some.fill(Lane::ZERO);
        }
        let switch_of = |source| self.endpoints.switch(source);
        tables.set_lanes_by_switch((0..count).map(switch_of).collect(), lanes);
        if let Some(levels) = &found.levels {
            tables.set_lane_tables(LaneTables::clone(&levels.tables));
        }
        tables
    }
}
