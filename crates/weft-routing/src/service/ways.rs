//! Ways to one switch after the other that close no cycle with the routes there are.

use super::Ends;
use crate::form::{Lane, RouteHop, Routes};
use crate::joining::{HeldLanes, Joins, WantedLanes, WaysToOne};
use crate::paths::{NO_EDGE, PathSpace};
use weft_fabric::{SwitchId, metrics};

/// What routes hold and want, and more ways beside them.
pub(super) struct Ways<'a> {
    pub(super) space: &'a PathSpace,
    lane_count: u8,
    /// `None` where the routes there are have a cycle: then there is none to keep out.
    held: Option<HeldLanes>,
    /// Per switch: links to the one that new turns are made near.
    from_middle: Vec<u32>,
}

/// The ways to one switch, with the lane of each.
pub(super) struct LanedWays {
    pub(super) ways: WaysToOne,
    /// Per switch.
    lanes: Vec<Lane>,
}

impl LanedWays {
    /// The lane of the way from a switch.
    pub(super) fn lane(&self, from: u32) -> Lane {
        self.lanes[from as usize]
    }
}

impl<'a> Ways<'a> {
    /// Beside the routes of the compute part.
    pub(super) fn beside(ends: &Ends<'_>, space: &'a PathSpace, routes: &Routes) -> Self {
        let lane_count = routes.lane_count().max(1);
        let mut wanted = WantedLanes::new(space, lane_count.into());
        let mut way = Vec::new();
        for shared in routes.shared(ends.compute) {
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
        let first = ends.compute.switches_with_hosts().next();
        let from_middle = first.map(|leaf| metrics::distances_from(ends.fabric, leaf));
        Self {
            lane_count,
            held: wanted.into_held(),
            from_middle: from_middle.unwrap_or_else(|| vec![0; space.switch_count()]),
            space,
        }
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
    /// a tree close no cycle, as between two of them there is no way but over the top.
    pub(super) fn lead_to(&mut self, to: u32) -> LanedWays {
        let count = self.space.switch_count();
        let mut ways = WaysToOne::new(self.space, SwitchId::new(to), vec![NO_EDGE; count]);
        let mut joined = Joined {
            ways: self,
            lanes: vec![Lane::ZERO; count],
        };
        ways.grow(joined.ways.space, &mut joined);
        let lanes = joined.lanes;
        LanedWays { ways, lanes }
    }
}

/// Ways to one switch as they are joined.
struct Joined<'w, 'a> {
    ways: &'w mut Ways<'a>,
    lanes: Vec<Lane>,
}

impl Joins for Joined<'_, '_> {
    /// Whether a way makes a new turn, how far from the middle that is, and the links of the whole way.
    type Order = (bool, u32, u32);

    fn order(&self, ways: &WaysToOne, _: u32, edge: u32, links: u32) -> Option<Self::Order> {
        let Ways { space, held, .. } = &*self.ways;
        let by = space.edge(edge).to;
        let makes = |held: &HeldLanes| held.makes([edge, ways.next(by)]);
        let is_new = by != ways.to() && !held.as_ref().is_none_or(makes);
        let distance = if is_new {
            self.ways.from_middle[by as usize]
        } else {
            0
        };
        Some((is_new, distance, links))
    }

    fn join(&mut self, at: u32, path: &[u32]) -> bool {
        let lane = self.ways.hold_on_any(path);
        if let Some(lane) = lane {
            self.lanes[at as usize] = lane;
        }
        lane.is_some()
    }
}
