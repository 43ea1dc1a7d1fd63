//! Ways to one switch after the other that close no cycle with the routes there are.

use super::{Ends, Room};
use crate::choose::{places_as_manager, sort_as_manager};
use crate::form::{Lane, RouteHop, Routes};
use crate::joining::{HeldLanes, Joins, Leads, WantedLanes, WaysToOne};
use crate::paths::{NO_EDGE, PathSpace};
use crate::shape::{levels_told, widest_leaf};
use std::sync::Arc;
use weft_fabric::{PortNumber, SwitchId, metrics};

/// What routes hold and want, and more ways beside them.
#[derive(Clone)]
pub(super) struct Ways<'a> {
    pub(super) space: &'a PathSpace,
    /// Lanes that ways may take.
    lane_count: u8,
    /// Per switch: the port of a host where ways may stop in transit, if they may.
    stop_ports: Vec<Option<PortNumber>>,
    /// `None` where the routes there are have a cycle: then there is none to keep out.
    held: Option<HeldLanes>,
    /// Per switch: links to the one that new turns are made near.
    from_middle: Vec<u32>,
    /// Per switch: its place in the manager's order.
    pub(super) places: Arc<[u32]>,
}

/// The ways to one switch, with the lane of each.
pub(super) struct LanedWays {
    pub(super) ways: WaysToOne,
    /// Per switch: that of its way, up to the first stop.
    lanes: Vec<Lane>,
    /// Per switch: the port of a host at the next one, where its way stops.
    stops: Vec<Option<PortNumber>>,
}

impl LanedWays {
    /// The lane of the way from a switch.
    pub(super) fn lane(&self, from: u32) -> Lane {
        self.lanes[from as usize]
    }

    /// The ports of the way from a switch and the lane of each, stops among them; `None` where there is none.
    pub(super) fn steps(&self, space: &PathSpace, from: u32) -> Option<Vec<(PortNumber, Lane)>> {
        let mut lane = self.lane(from);
        let mut steps = Vec::new();
        for edge in self.ways.path(space, from)? {
            steps.push((space.edge(edge).port, lane));
            if let Some(port) = self.stops[space.tail(edge) as usize] {
                steps.push((port, lane));
                lane = self.lane(space.edge(edge).to);
            }
        }
        Some(steps)
    }
}

impl<'a> Ways<'a> {
    /// Beside the routes of the compute part, on their lanes, and with room for ways on more lanes.
    pub(super) fn beside(
        ends: &Ends<'_>,
        space: &'a PathSpace,
        routes: &Routes,
        room: Room,
    ) -> Self {
        // What holds of the lanes of one turn holds of those of each.
        let lane_count = (routes.lane_count() / routes.turns().max(1)).max(1);
        let mut wanted = WantedLanes::new(space, lane_count.max(room.lanes).into());
        let mut way = Vec::new();
        for shared in routes
            .shared(ends.compute)
            .filter(|shared| shared.turn == 0)
        {
            for step in routes.walk_shared(ends.compute, &shared) {
                match step.hop {
                    Ok(RouteHop::Channel(_)) => {
                        let edge = space.edge_by_port(step.switch.number(), step.port);
                        way.extend(edge.map(|edge| (edge, step.lane)));
                    }
                    // A stop lets go of all channels.
                    Ok(RouteHop::InTransit(_)) | Err(_) => {
                        wanted.add(&way);
                        way.clear();
                    }
                }
            }
            wanted.add(&way);
            way.clear();
        }
        // Where routes of the compute part turn from down to up, if they do.
        let mut leaves: Vec<SwitchId> = ends.compute.switches_with_hosts().collect();
        sort_as_manager(ends.fabric, &mut leaves);
        let widest = widest_leaf(ends.compute, space, &levels_told(ends.compute));
        let middle = widest.map(SwitchId::new).or(leaves.first().copied());
        let from_middle = middle.map(|leaf| metrics::distances_from(ends.fabric, leaf));
        let stop_port = |switch| {
            let mut hosts = ends.fabric.hosts_of(switch).iter().filter(|_| room.stops);
            let host = hosts.find(|&&host| !ends.fabric.is_service(host));
            host.map(|&host| ends.fabric.host_port(host))
        };
        Self {
            lane_count,
            stop_ports: ends.fabric.switch_ids().map(stop_port).collect(),
            held: wanted.into_held(),
            from_middle: from_middle.unwrap_or_else(|| vec![0; space.switch_count()]),
            places: places_as_manager(ends.fabric).into(),
            space,
        }
    }

    /// The same, with ways on so many lanes.
    pub(super) fn on_lanes(&self, lane_count: u8) -> Self {
        Self {
            lane_count,
            ..self.clone()
        }
    }

    /// Lanes that ways may take.
    pub(super) fn lane_count(&self) -> u8 {
        self.lane_count
    }

    /// The first lane that can hold a path, which it does then.
    pub(super) fn hold_on_any(&mut self, path: &[u32]) -> Option<Lane> {
        let mut lanes = (0..self.lane_count).map(Lane::new);
        let Some(held) = &mut self.held else {
            return lanes.next();
        };
        lanes.find(|&lane| held.hold_on(lane, path))
    }

    /// Leads every switch that it can to one of them: by turns that are held already before any others, and
    /// by new ones as near to one leaf as may be. Turns from down to up that are all made near one leaf of
    /// a tree close no cycle, as between two of them there is no way but over the top. Switches for which
    /// there is no such way are led by stops in transit, where there may be some.
    pub(super) fn lead_to(&mut self, to: u32) -> LanedWays {
        let no_ways = vec![NO_EDGE; self.space.switch_count()];
        self.lead_others(WaysToOne::new(self.space, SwitchId::new(to), no_ways))
    }

    /// The same for the switches that have no way yet, beside those that have; the lanes of these are not told.
    pub(super) fn lead_others(&mut self, mut ways: WaysToOne) -> LanedWays {
        let count = self.space.switch_count();
        let space = self.space;
        let may_stop = self.stop_ports.iter().any(Option::is_some);
        let mut joined = Joined {
            ways: self,
            lanes: vec![Lane::ZERO; count],
            stops: vec![None; count],
            may_stop: false,
        };
        ways.grow(space, &mut joined);
        if may_stop {
            joined.may_stop = true;
            ways.grow(space, &mut joined);
        }
        let Joined { lanes, stops, .. } = joined;
        LanedWays { ways, lanes, stops }
    }
}

/// Ways to one switch as they are joined.
struct Joined<'w, 'a> {
    ways: &'w mut Ways<'a>,
    lanes: Vec<Lane>,
    stops: Vec<Option<PortNumber>>,
    may_stop: bool,
}

impl Joins for Joined<'_, '_> {
    /// Whether a way makes a new turn, how far from the middle that is, and the links of the whole way; then the place
    /// of its switch.
    type Order = (bool, u32, u32, u32);

    fn order<W: Leads>(&self, ways: &W, at: u32, edge: u32, links: u32) -> Option<Self::Order> {
        let Ways { space, held, .. } = &*self.ways;
        let by = space.edge(edge).to;
        let makes = |held: &HeldLanes| held.makes([edge, ways.next(by)]);
        let is_new = by != ways.to() && !held.as_ref().is_none_or(makes);
        let distance = if is_new {
            self.ways.from_middle[by as usize]
        } else {
            0
        };
        Some((is_new, distance, links, self.ways.places[at as usize]))
    }

    fn join(&mut self, at: u32, path: &[u32]) -> bool {
        // A stop lets go of all channels.
        let stops = |&edge: &u32| self.stops[self.ways.space.tail(edge) as usize].is_some();
        let held = path
            .iter()
            .position(stops)
            .map_or(path, |stop| &path[..=stop]);
        if let Some(lane) = self.ways.hold_on_any(held) {
            self.lanes[at as usize] = lane;
            return true;
        }
        let next = path.first().map(|&edge| self.ways.space.edge(edge).to);
        let stop = next.and_then(|next| self.ways.stop_ports[next as usize]);
        self.stops[at as usize] = stop.filter(|_| self.may_stop);
        self.stops[at as usize].is_some()
    }
}
