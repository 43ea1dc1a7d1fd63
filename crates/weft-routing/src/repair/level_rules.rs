//! Which lanes packets of each service level take, whether switches choose them or not.

use crate::form::{ForwardingTables, Lane, LaneTables, LanedLevels, LanedSet, numbers};
use crate::joining::LaneStep;
use crate::paths::PathSpace;
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// What becomes of service levels and lanes from channel to channel.
#[derive(Clone, Debug)]
pub(super) struct LevelRules {
    laned: LanedLevels,
    lane_count: usize,
    level_count: u8,
    /// Without, every packet keeps the lane of its service level.
    tables: Option<LaneTables>,
}

impl LevelRules {
    /// `None` where there are more pairs of a level and a lane than sets have room for.
    pub(super) fn new(tables: &ForwardingTables) -> Option<Self> {
        Some(Self {
            laned: LanedLevels::of(tables)?,
            lane_count: tables.lane_count().into(),
            level_count: tables.lanes_per_turn(),
            tables: tables.lane_tables().cloned(),
        })
    }

    /// Whether all packets are on one service level and one lane.
    pub(super) fn is_one_lane(&self) -> bool {
        self.lane_count == 1 && self.level_count == 1 && self.tables.is_none()
    }

    /// Whether switches choose lanes by the ports of packets.
    pub(super) fn are_by_port(&self) -> bool {
        self.tables.is_some()
    }

    /// What switches send that answer the subnet manager: packets on service level 0, which is what paths to and from
    /// switches are told.
    pub(super) fn of_management(&self) -> LanedSet {
        self.laned.one(0, Lane::ZERO)
    }

    /// Lanes of each channel.
    pub(super) fn lane_count(&self) -> usize {
        self.lane_count
    }

    /// Service levels of pairs: those below.
    pub(super) fn level_count(&self) -> u8 {
        self.level_count
    }

    /// The tables by which switches choose lanes, for some of the switches.
    pub(super) fn tables_of(&self, switches: &[SwitchId]) -> Option<LaneTables> {
        let tables = self.tables.as_ref()?;
        Some(tables.of_switches(switches))
    }

    /// Tells whether packets of all hosts of a switch are given the same lanes.
    pub(super) fn treat_hosts_alike(&self, fabric: &Fabric) -> bool {
        let Some(tables) = &self.tables else {
            return true;
        };
        fabric.switch_ids().all(|at| {
            let mut hosts = fabric
                .hosts_of(at)
                .iter()
                .map(|&host| fabric.host_port(host));
            let Some(first) = hosts.next() else {
                return true;
            };
            let mut outputs = fabric.hops(at).iter().map(|hop| hop.port);
            outputs.all(|output| {
                let row = |input| tables.row(at, [input, output]);
                hosts.clone().all(|input| row(input) == row(first))
            })
        })
    }

    /// What packets of a service level are on that come in by a port from a host and go on by an edge.
    pub(super) fn begun(
        &self,
        space: &PathSpace,
        input: PortNumber,
        edge: u32,
        level: u8,
    ) -> LanedSet {
        let Some(tables) = &self.tables else {
            return self.laned.one(level, Lane::new(level));
        };
        let at = SwitchId::new(space.tail(edge));
        let first = tables.host_lane(level);
        let lane =
            first.and_then(|lane| tables.lane(at, [input, space.edge(edge).port], level, lane));
        lane.map_or(0, |lane| self.laned.one(level, lane))
    }

    /// What packets of a service level may be on that come over any of some edges and go on by one.
    pub(super) fn passing(
        &self,
        space: &PathSpace,
        inputs: impl Iterator<Item = u32>,
        edge: u32,
        level: u8,
    ) -> LanedSet {
        if self.tables.is_none() {
            return self.laned.one(level, Lane::new(level));
        }
        let all = self.laned.of_level(level);
        inputs.fold(0, |found, input| {
            found | self.turned(space, [input, edge], all)
        })
    }

    /// What becomes of packets that go on from one edge to the next.
    #[inline]
    pub(super) fn turned(&self, space: &PathSpace, turn: [u32; 2], levels: LanedSet) -> LanedSet {
        let Some(tables) = &self.tables else {
            return levels;
        };
        let [held, wanted] = turn.map(|edge| space.edge(edge));
        let at = SwitchId::new(held.to);
        let row = tables.row(at, [space.edge(held.reverse).port, wanted.port]);
        self.laned.by_row(levels, tables.key(), row)
    }

    /// The lanes that packets hold and want at a turn, for each of the levels on lanes that hold its first edge.
    pub(super) fn steps<'a>(
        &'a self,
        space: &'a PathSpace,
        turn: [u32; 2],
        levels: LanedSet,
    ) -> impl Iterator<Item = [LaneStep; 2]> + use<'a> {
        numbers(levels).filter_map(move |held| {
            let wanted = numbers(self.turned(space, turn, 1 << held)).next()?;
            let lanes = [held, wanted].map(|number| self.laned.lane(number));
            Some([(turn[0], lanes[0]), (turn[1], lanes[1])])
        })
    }

    /// The lanes that one level on a lane takes along a path; `None` where a switch has none for it.
    pub(super) fn way(
        &self,
        space: &PathSpace,
        path: &[u32],
        first: LanedSet,
    ) -> Option<Vec<LaneStep>> {
        let mut way = Vec::with_capacity(path.len());
        self.add_way(space, path, first, &mut way).then_some(way)
    }

    /// Adds these to others, as far as switches have lanes for it, and tells whether all have.
    pub(super) fn add_way(
        &self,
        space: &PathSpace,
        path: &[u32],
        first: LanedSet,
        steps: &mut Vec<LaneStep>,
    ) -> bool {
        let mut level = first;
        for (place, &edge) in path.iter().enumerate() {
            if let Some(before) = place.checked_sub(1) {
                level = self.turned(space, [path[before], edge], level);
            }
            let Some(number) = numbers(level).next() else {
                return false;
            };
            steps.push((edge, self.laned.lane(number)));
        }
        true
    }
}
