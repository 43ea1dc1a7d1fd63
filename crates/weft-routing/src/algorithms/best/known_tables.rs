//! Tables of other routings, to start from.

use super::balanced_forest::{DESTINATIONS_AT_ONCE, Forest};
use super::loads_of_trees::{Loads, Towards};
use super::patterns::Figure;
use super::search::{Found, Levels, Search};
use super::target_switch::{Ground, Target, nearest_first};
use super::tree_on_lanes::Tree;
use crate::cycles::{Dependencies, LaneOrders, up_down_ranks};
use crate::form::{Columns, ForwardingTables, Lane, LaneKey, LaneTables};
use crate::paths::{Exit, NO_EXIT, edge_by, exit_by};
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// Tables that are free of deadlock, to start from.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) tables: ForwardingTables,
    /// Per switch: its place in an order that every route goes up first and down then. Without it, packets of
    /// one service level on one lane must not wait in a circle.
    pub(crate) places: Option<Vec<u32>>,
    /// Whether the search starts from them, too; else they are taken as they are, where nothing better was found.
    pub(crate) is_start: bool,
}

/// Per destination and switch: its way.
type Ways = Vec<Vec<Exit>>;

impl<'a> Search<'a> {
    /// Takes tables as they are, with an order of the channels for each of their service levels, which have a lane
    /// each, and relieves their fullest channels; `None` where the routes of a level ascend no order.
    pub(super) fn follow(&self, known: &Known) -> Option<Found<'a>> {
        let trees = self.trees_of(&known.tables);
        let ranks = match &known.places {
            Some(places) => vec![up_down_ranks(self.space, places)],
            None => self.ranks_by_level(&known.tables, &trees)?,
        };
        self.followed(trees, ranks, None)
    }

    /// Tables as they are; where one order of the channels holds for them, pairs are spread over all lanes allowed, each
    /// to that which has carried least so far.
    pub(super) fn on_all_lanes(&self, known: &Known) -> ForwardingTables {
        let mut tables = known.tables.clone();
        if known.places.is_none() || self.effort.lanes == 1 {
            return tables;
        }
        let (switches, count) = (self.space.switch_count(), self.endpoints.count());
        let mut lanes = vec![Lane::ZERO; switches * count];
        let all = (0..self.effort.lanes).map(|number| (0, Lane::new(number)));
        let mut carried: Vec<(u64, Lane)> = all.collect();
        for (at, of_switch) in (0..).zip(lanes.chunks_exact_mut(count)) {
            for (destination, pair) in of_switch.iter_mut().enumerate() {
                let flow = self.patterns.sent(at, destination);
                if flow > 0
                    && let Some((carried, lane)) = carried.iter_mut().min()
                {
                    *carried += flow;
                    *pair = *lane;
                }
            }
        }
        let switch_of = |source| self.endpoints.switch(source);
        tables.set_lanes_by_switch((0..count).map(switch_of).collect(), lanes);
        tables
    }

    /// As [`Self::follow`], with the lanes that switches make of the service levels: of the channels of all lanes there is one order,
    /// and the routes of each level ascend it by the lane that the level takes on a channel. `None` where no switches
    /// do, where that depends on where a packet came from, or where the routes ascend no order.
    pub(super) fn follow_levels(&self, known: &Known) -> Option<Found<'a>> {
        let lane_tables = known.tables.lane_tables()?;
        let trees = self.trees_of(&known.tables);
        let routes = self.routes(&known.tables, &trees)?;
        let mut numbers: Vec<Lane> = routes.iter().map(|(level, _)| *level).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lanes = u32::from(lane_tables.lane_count());
        let of_level = |&level| self.vertices(lane_tables, level);
        let vertices: Vec<Vec<u32>> = numbers.iter().map(of_level).collect::<Option<_>>()?;
        let mut graph = Dependencies::new(self.space.edge_count() * lanes as usize);
        for (level, path) in &routes {
            let place = numbers.binary_search(level).ok()?;
            let of_path = path.iter().map(|&edge| vertices[place][edge as usize]);
            graph.add_route(&of_path.collect::<Vec<u32>>());
        }
        let all = graph.ranks()?;
        let of_level = |vertices: &Vec<u32>| {
            let ranks = vertices.iter().map(|&vertex| all[vertex as usize]);
            ranks.collect()
        };
        let ranks: Vec<Vec<u32>> = vertices.iter().map(of_level).collect();
        let levels = Levels {
            numbers,
            tables: Arc::new(lane_tables.clone()),
        };
        self.followed(trees, ranks, Some(levels))
    }

    /// The figure of tables.
    pub(super) fn figure_of(&self, known: &Known) -> Figure {
        let mut loads = Loads::new(self.space, self.patterns);
        let mut orders: Vec<Option<Vec<u32>>> = vec![None; self.space.switch_count()];
        self.read_trees(&known.tables, |destination, exits| {
            let switch = self.endpoints.switch(destination);
            // Ways to all hosts of a switch have as many links.
            let order = orders[switch as usize]
                .get_or_insert_with(|| nearest_first(self.space, switch, exits, |_| 1.0).0);
            let tree = Towards {
                destination,
                switch,
                exits,
                farthest_first: order.iter().rev().copied(),
            };
            loads.change(&tree, |_, load, flow| *load += flow);
        });
        loads.figure()
    }

    fn followed(
        &self,
        trees: Ways,
        ranks: Vec<Vec<u32>>,
        levels: Option<Levels>,
    ) -> Option<Found<'a>> {
        let orders = LaneOrders::new(self.space, ranks);
        let mut forest = Forest::new(self.space, self.patterns);
        let mut targets: Vec<Option<Target>> = vec![None; self.space.switch_count()];
        let mut ways = Tree::new(self.space.switch_count());
        for (destination, exits) in trees.into_iter().enumerate() {
            let to = self.endpoints.switch(destination);
            ways.follow(self.space, &orders, to, &exits);
            if ways.lacks_lane(&exits) {
                return None;
            }
            // Ways to all hosts of a switch have as many links.
            let new = || Target::new(self.space, to, exits.clone(), |_| 1.0);
            let target = targets[to as usize].get_or_insert_with(new);
            forest.plant(destination, target, &exits, |_, _| ());
        }
        let ground = Ground {
            orders,
            targets: targets.into_iter().flatten().collect(),
            target_of: self.target_of(),
        };
        let mut found = Found {
            ground,
            forest,
            detours: None,
            levels,
            is_negotiated: false,
            longer: 0,
        };
        self.relieve(&mut found);
        Some(found)
    }

    /// Per destination and switch, its way by tables.
    fn trees_of(&self, tables: &ForwardingTables) -> Ways {
        let mut trees = Vec::with_capacity(self.endpoints.count());
        self.read_trees(tables, |_, exits| trees.push(exits.to_vec()));
        trees
    }

    /// Shows, for one destination after the other, the way of each switch by tables.
    fn read_trees(&self, tables: &ForwardingTables, mut each: impl FnMut(usize, &[Exit])) {
        let (switches, count) = (self.space.switch_count(), self.endpoints.count());
        let mut entries = vec![PortNumber::new(0); switches * DESTINATIONS_AT_ONCE];
        let mut exits = vec![NO_EXIT; switches];
        for first in (0..count).step_by(DESTINATIONS_AT_ONCE) {
            let width = DESTINATIONS_AT_ONCE.min(count - first);
            let columns = Columns::new(first..first + width);
            for (at, entries) in (0..).take(switches).zip(entries.chunks_exact_mut(width)) {
                columns.read(tables.row(SwitchId::new(at)), entries);
            }
            for destination in first..first + width {
                let to = self.endpoints.switch(destination);
                for (at, exit) in (0..).zip(&mut exits) {
                    let port = entries[at as usize * width + destination - first];
                    *exit = if port == PortNumber::new(0) || at == to {
                        NO_EXIT
                    } else {
                        exit_by(self.space, self.space.edge_at(at, port))
                    };
                }
                each(destination, &exits);
            }
        }
    }

    /// Per service level in use, ranks of the channels that its routes ascend; `None` where those of one ascend none,
    /// or there are no routes.
    fn ranks_by_level(&self, tables: &ForwardingTables, trees: &Ways) -> Option<Vec<Vec<u32>>> {
        let mut of_levels: BTreeMap<Lane, Dependencies> = BTreeMap::new();
        for (level, path) in self.routes(tables, trees)? {
            let new = || Dependencies::new(self.space.edge_count());
            of_levels.entry(level).or_insert_with(new).add_route(&path);
        }
        let ranks: Option<Vec<_>> = of_levels.values().map(Dependencies::ranks).collect();
        ranks.filter(|ranks| !ranks.is_empty())
    }

    /// The routes from every switch with hosts to every destination, each with its service level; `None` where one
    /// does not arrive.
    fn routes(&self, tables: &ForwardingTables, trees: &Ways) -> Option<Vec<(Lane, Vec<u32>)>> {
        let mut first_of: Vec<Option<usize>> = vec![None; self.space.switch_count()];
        for source in (0..self.endpoints.count()).rev() {
            first_of[self.endpoints.switch(source) as usize] = Some(source);
        }
        let mut routes = Vec::new();
        for (destination, exits) in trees.iter().enumerate() {
            let to = self.endpoints.switch(destination);
            for (from, source) in (0..).zip(&first_of) {
                let Some(source) = source.filter(|_| from != to) else {
                    continue;
                };
                let mut path = Vec::new();
                let mut at = from;
                while exits[at as usize] != NO_EXIT && path.len() < exits.len() {
                    let edge = edge_by(self.space, at, exits[at as usize]);
                    path.push(edge);
                    at = self.space.edge(edge).to;
                }
                if at != to {
                    return None;
                }
                routes.push((tables.lane(source, destination), path));
            }
        }
        Some(routes)
    }

    /// Per edge: its number among those of all lanes on the lane that a service level takes there; `None` where that
    /// is another by the port through which packets came.
    fn vertices(&self, tables: &LaneTables, level: Lane) -> Option<Vec<u32>> {
        let count = u32::from(tables.lane_count());
        let mut vertices = vec![0; self.space.edge_count()];
        for at in (0..).take(self.space.switch_count()) {
            let switch = SwitchId::new(at);
            for edge in self.space.edge_ids(at) {
                let output = self.space.edge(edge).port;
                let mut lane = None;
                for input in ports(self.fabric, switch).filter(|&input| input != output) {
                    let found = tables.lane(switch, [input, output], level.number(), level)?;
                    if lane.replace(found).is_some_and(|before| before != found) {
                        return None;
                    }
                }
                vertices[edge as usize] = edge * count + u32::from(lane?.number());
            }
        }
        (tables.key() == LaneKey::ServiceLevel).then_some(vertices)
    }
}

/// The ports of a switch with a cable.
fn ports(fabric: &Fabric, switch: SwitchId) -> impl Iterator<Item = PortNumber> + '_ {
    let outgoing = fabric.outgoing(switch).iter();
    outgoing.map(move |&channel| fabric.source(channel).port)
}
