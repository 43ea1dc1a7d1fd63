//! Service levels for routes that change lanes on the way: what `InfiniBand`'s switches are told, who
//! choose a packet's lane by its input port, its output port and its service level.

use crate::form::{Lane, LaneKey, LaneRow, LaneTables, PairGranularity, RouteHop, Routes};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, narrow};

/// Service levels of routes, and the tables that make lanes of them.
pub(crate) struct LeveledRoutes {
    /// Per ordered pair of endpoints, source by source.
    pub(crate) levels: Vec<Lane>,
    pub(crate) tables: LaneTables,
}

/// A route agrees with no service level there is.
pub(crate) struct NoLevel {
    /// Offsets of its endpoints.
    pub(crate) endpoints: [usize; 2],
    /// Levels there are for it.
    pub(crate) levels: usize,
}

/// Gives every route a service level so that at each switch input port, output port and level
/// tell the next lane.
///
/// Routes are taken in ascending order. Each gets, of the levels on which it contradicts nothing, the
/// one that tells most of its lanes already; of equals the lowest. The lane of a host's channel is
/// that of the route's first step, the lane of the last channel that of the last step. Level 0 is
/// that of pairs on one switch. What a switch sends and gets itself has the lanes of its first host.
/// What no route asks for is lane 0.
/// Time in proportion to the steps of all routes.
pub(crate) fn service_levels(fabric: &Fabric, routes: &Routes) -> Result<LeveledRoutes, NoLevel> {
    let count = routes.endpoint_count();
    let mut rules = Rules::new(fabric, routes);
    let mut levels = vec![Lane::ZERO; count * count];
    for source in 0..count {
        for destination in (0..count).filter(|&destination| destination != source) {
            let Some((first, asked)) = rules.asked(source, destination) else {
                continue;
            };
            let level = rules.level(first, &asked).ok_or(NoLevel {
                endpoints: [source, destination],
                levels: rules.level_limit,
            })?;
            rules.take(level, first, &asked);
            levels[source * count + destination] = Lane::new(narrow(level, "there are 16 levels"));
        }
    }
    Ok(LeveledRoutes {
        levels,
        tables: rules.tables(),
    })
}

/// What levels say already.
struct Rules<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    /// Levels for the packets of one turn.
    level_limit: usize,
    /// Levels in use.
    level_count: usize,
    /// The lane of hosts' channels, by level.
    host: LaneRow,
    /// The lane by level, where a route asked for one.
    rows: BTreeMap<Turn, LaneRow>,
}

/// A switch, an input port and an output port. Where routes are those of switches, all their hosts
/// are at port 0.
type Turn = (SwitchId, PortNumber, PortNumber);

/// A row that says nothing.
const NOTHING: LaneRow = [None; LaneTables::KEYS];

impl<'a> Rules<'a> {
    fn new(fabric: &'a Fabric, routes: &'a Routes) -> Self {
        Self {
            fabric,
            routes,
            level_limit: LaneTables::KEYS / usize::from(routes.turns().max(1)),
            level_count: 0,
            host: NOTHING,
            rows: BTreeMap::new(),
        }
    }

    /// The port of an endpoint's host.
    fn host_port(&self, endpoint: usize) -> PortNumber {
        match self.routes.granularity() {
            PairGranularity::Host => self.fabric.host_port(HostId::from_index(endpoint)),
            PairGranularity::Switch => PortNumber::new(0),
        }
    }

    /// The lane of a route's first step and what it asks of switches; `None` where it takes
    /// no channel between switches.
    fn asked(&self, source: usize, destination: usize) -> Option<(Lane, Vec<(Turn, Lane)>)> {
        let mut walk = self.routes.walk(self.fabric, source, destination);
        let mut input = self.host_port(source);
        let mut asked = Vec::new();
        let mut lanes = None;
        for step in walk.by_ref() {
            let Ok(RouteHop::Channel(channel)) = step.hop else {
                unreachable!("renaming has walked the route, which has channels alone");
            };
            let (first, _) = lanes.unwrap_or((step.lane, step.lane));
            lanes = Some((first, step.lane));
            asked.push(((step.switch, input, step.port), step.lane));
            input = self.fabric.target(channel).port;
        }
        let (first, last) = lanes?;
        let output = self.host_port(destination);
        asked.push(((walk.switch(), input, output), last));
        Some((first, asked))
    }

    /// The level that tells most of what a route asks and contradicts none of it.
    fn level(&self, first: Lane, asked: &[(Turn, Lane)]) -> Option<usize> {
        let known: Vec<(LaneRow, Lane)> = std::iter::once((self.host, first))
            .chain(asked.iter().map(|(turn, lane)| {
                let row = self.rows.get(turn).copied();
                (row.unwrap_or(NOTHING), *lane)
            }))
            .collect();
        let told = |level: usize| {
            let fits = |(row, lane): &(LaneRow, Lane)| row[level].is_none_or(|told| told == *lane);
            let told = known.iter().filter(|(row, _)| row[level].is_some());
            known.iter().all(fits).then(|| told.count())
        };
        let open = (self.level_count + 1).min(self.level_limit);
        let fitting = (0..open).filter_map(|level| Some((Reverse(told(level)?), level)));
        fitting.min().map(|(_, level)| level)
    }

    fn take(&mut self, level: usize, first: Lane, asked: &[(Turn, Lane)]) {
        self.level_count = self.level_count.max(level + 1);
        self.host[level] = Some(first);
        for &(turn, lane) in asked {
            self.rows.entry(turn).or_insert(NOTHING)[level] = Some(lane);
        }
    }

    /// A row with the lanes of all turns, and lane 0 where nothing is asked.
    fn whole(&self, row: &LaneRow) -> LaneRow {
        let mut whole = [Some(Lane::ZERO); LaneTables::KEYS];
        for turn in 0..self.routes.turns() {
            let shift = self.routes.lane_shift(turn);
            let levels = &mut whole[usize::from(turn) * self.level_count..];
            for (entry, lane) in levels.iter_mut().zip(&row[..self.level_count]) {
                if let Some(lane) = lane {
                    *entry = Some(Lane::new(lane.number() + shift));
                }
            }
        }
        whole
    }

    fn tables(&self) -> LaneTables {
        let fabric = self.fabric;
        let mut tables = LaneTables::new(fabric, LaneKey::ServiceLevel);
        tables.set_host(self.whole(&self.host));
        for switch in fabric.switch_ids() {
            tables.set_switch(switch, self.whole(&NOTHING));
        }
        let management = PortNumber::new(0);
        for (&(switch, input, output), row) in &self.rows {
            let hosts = fabric.hosts_of(switch).iter();
            let hosts = hosts.map(|&host| fabric.host_port(host));
            let ports = |port: PortNumber| -> Vec<PortNumber> {
                if port == management {
                    return hosts.clone().chain([management]).collect();
                }
                let also = hosts.clone().next().filter(|&first| first == port);
                [port].into_iter().chain(also.map(|_| management)).collect()
            };
            let row = self.whole(row);
            for input in ports(input) {
                for output in ports(output) {
                    tables.set(fabric, switch, [input, output], row);
                }
            }
        }
        tables
    }
}
