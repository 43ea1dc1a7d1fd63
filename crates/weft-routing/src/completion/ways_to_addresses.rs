//! The ways to all addresses, as they come to lead there, and what packets on them wait for.

use crate::form::{ForwardingTables, Lane, LaneTables, PairGranularity};
use crate::joining::{HeldLanes, JoinsNearest, LaneStep, WantedLanes, WaysToOne};
use crate::paths::{NO_EDGE, PathSpace};
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};

/// Most lanes: `InfiniBand`'s for data.
const MOST_LANES: u8 = 15;

/// Tables, and the lanes of channels in an order that all ways ascend.
pub(super) struct Ways<'a> {
    fabric: &'a Fabric,
    space: &'a PathSpace,
    tables: ForwardingTables,
    /// Per pair of endpoints, source by source.
    levels: Vec<Lane>,
    /// Levels and lanes that were in use, and levels that are now; each new level has a lane of its own.
    planned: [u8; 2],
    level_count: u8,
    /// What waits for what; `None` where planned routes close a cycle.
    held: Option<HeldLanes>,
}

/// Sources at one switch whose packets to a destination are told apart by nothing.
struct Senders {
    endpoints: Vec<usize>,
    switch: SwitchId,
    /// The port they come by, where lanes depend on it.
    port: PortNumber,
    level: u8,
    /// The address they were planned to send to.
    address: Option<usize>,
}

impl<'a> Ways<'a> {
    /// Takes in the planned routes.
    pub(super) fn new(fabric: &'a Fabric, space: &'a PathSpace, tables: ForwardingTables) -> Self {
        let count = tables.endpoint_count();
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        let planned = [tables.lanes_per_turn(), tables.lane_count()];
        let mut ways = Self {
            fabric,
            space,
            levels: pairs.map(|(from, to)| tables.lane(from, to)).collect(),
            planned,
            level_count: planned[0],
            held: None,
            tables,
        };
        ways.held = ways.planned_ways();
        ways
    }

    /// All planned routes; `None` where they close a cycle or one leads nowhere.
    fn planned_ways(&self) -> Option<HeldLanes> {
        let lane_count = self.planned[1].max(MOST_LANES);
        let mut wanted = WantedLanes::new(self.space, lane_count.into());
        for destination in 0..self.tables.endpoint_count() {
            let to = self.switch_of(destination);
            let mut known = BTreeMap::new();
            for senders in self.senders(destination) {
                let address = senders.address?;
                let ways = known
                    .entry(address)
                    .or_insert_with(|| self.ways_to(address, to));
                let path = ways.path(self.space, senders.switch.number())?;
                wanted.add(&self.on_lanes(&path, &senders, senders.level)?);
            }
        }
        wanted.into_held()
    }

    /// Those who send to a destination from other switches.
    fn senders(&self, destination: usize) -> Vec<Senders> {
        let (tables, count) = (&self.tables, self.tables.endpoint_count());
        let to = self.switch_of(destination);
        let mut all: Vec<Senders> = Vec::new();
        for switch in self.fabric.switches_with_hosts().filter(|&from| from != to) {
            let first = all.len();
            for &host in self.fabric.hosts_of(switch) {
                let source = tables.granularity().endpoint(self.fabric, host);
                let port = match tables.lane_tables() {
                    Some(_) => self.fabric.host_port(host),
                    None => PortNumber::new(0),
                };
                let level = self.levels[source * count + destination].number();
                let address = tables.address(source, destination);
                let is_alike = |known: &&mut Senders| {
                    (known.port, known.level, known.address) == (port, level, address)
                };
                if let Some(known) = all[first..].iter_mut().find(is_alike) {
                    known.endpoints.push(source);
                } else {
                    all.push(Senders {
                        endpoints: vec![source],
                        switch,
                        port,
                        level,
                        address,
                    });
                }
            }
        }
        all
    }

    fn switch_of(&self, endpoint: usize) -> SwitchId {
        let granularity = self.tables.granularity();
        granularity.endpoint_switch(self.fabric, endpoint)
    }

    /// The ways that entries for an address of a destination at a switch give.
    fn ways_to(&self, address: usize, to: SwitchId) -> WaysToOne {
        let edge = |at: SwitchId| {
            let port = self.tables.next_port(at, address)?;
            self.space.edge_by_port(at.number(), port)
        };
        let switches = self.fabric.switch_ids();
        let next = switches.map(|at| edge(at).unwrap_or(NO_EDGE)).collect();
        WaysToOne::new(self.space, to, next)
    }

    /// The lanes of channels that packets take on a path; `None` where a switch has no lane for them.
    fn on_lanes(&self, path: &[u32], senders: &Senders, level: u8) -> Option<Vec<LaneStep>> {
        let [levels, lanes] = self.planned;
        let tables = self.tables.lane_tables().filter(|_| level < levels);
        let mut lane = match tables {
            Some(tables) => tables.host_lane(level)?,
            None if level < levels => Lane::new(level),
            None => Lane::new(lanes + (level - levels)),
        };
        let (mut at, mut input) = (senders.switch, senders.port);
        let mut way = Vec::with_capacity(path.len());
        for &edge in path {
            let out = self.space.edge(edge);
            if let Some(tables) = tables {
                lane = tables.lane(at, [input, out.port], level, lane)?;
            }
            way.push((edge, lane));
            (at, input) = (SwitchId::new(out.to), self.space.edge(out.reverse).port);
        }
        Some(way)
    }

    /// Tells whether all addresses of a destination have ways from everywhere.
    pub(super) fn lead_everywhere(&self, destination: usize) -> bool {
        let to = self.switch_of(destination);
        self.tables.addresses(destination).all(|address| {
            let ways = self.ways_to(address, to);
            let mut from = self.fabric.switches_with_hosts();
            from.all(|from| ways.is_joined(from.number()))
        })
    }

    /// Gives all addresses of a destination ways from everywhere.
    pub(super) fn complete(&mut self, destination: usize) {
        let to = self.switch_of(destination);
        let senders = self.senders(destination);
        let mut is_held = true;
        for address in self.tables.addresses(destination) {
            let fixed = self.ways_to(address, to);
            let has_way = |senders: &Senders| fixed.is_joined(senders.switch.number());
            let is_whole = senders.iter().all(has_way);
            let found = self.held_ways(&senders, &fixed);
            is_held &= found.is_some();
            if !is_whole {
                let ways = found.unwrap_or_else(|| {
                    let mut ways = fixed.clone();
                    ways.lead_nearest(self.space, &mut Shortest);
                    ways
                });
                self.enter(address, &ways);
            }
            if self.tables.granularity() == PairGranularity::Host {
                let port = self.fabric.host_port(HostId::from_index(destination));
                self.tables.set_next_port(to, address, port);
            }
        }
        if !is_held {
            self.change_levels(&senders, destination);
        }
    }

    fn enter(&mut self, address: usize, ways: &WaysToOne) {
        for at in self.fabric.switch_ids() {
            if let Some(port) = ways.port(self.space, at.number()) {
                self.tables.set_next_port(at, address, port);
            }
        }
    }

    /// Ways from everywhere that go by fixed entries where there are some and are held on the levels that
    /// senders have, the nearest switches first; `None`, and nothing more is held, where there are none.
    fn held_ways(&mut self, senders: &[Senders], fixed: &WaysToOne) -> Option<WaysToOne> {
        let space = self.space;
        let mut ways = fixed.clone();
        let mut held = Held {
            all: self,
            senders,
            ways: Vec::new(),
        };
        let mut at = (0..).take(space.switch_count());
        let are_fixed_held = at.all(|at| {
            let path = fixed.path(space, at);
            path.is_none_or(|path| held.join(at, &path))
        });
        if are_fixed_held {
            ways.lead_nearest(space, &mut held);
            let mut all = senders.iter();
            if all.all(|from| ways.is_joined(from.switch.number())) {
                return Some(ways);
            }
        }
        let Held { ways, .. } = held;
        self.release(&ways);
        None
    }

    fn hold(&mut self, way: &[LaneStep]) -> bool {
        self.held.as_mut().is_some_and(|held| held.hold(way))
    }

    fn release(&mut self, ways: &[Vec<LaneStep>]) {
        if let Some(held) = &mut self.held {
            for way in ways {
                held.release(way);
            }
        }
    }

    /// Puts senders whose ways to the addresses of a destination their level does not hold on another that
    /// holds them all.
    fn change_levels(&mut self, senders: &[Senders], destination: usize) {
        if self.held.is_none() {
            return;
        }
        let to = self.switch_of(destination);
        let addresses = self.tables.addresses(destination);
        let all: BTreeMap<usize, WaysToOne> = addresses
            .map(|address| (address, self.ways_to(address, to)))
            .collect();
        for senders in senders {
            let from = senders.switch.number();
            let planned = senders.address.and_then(|address| all.get(&address));
            let path = planned.and_then(|ways| ways.path(self.space, from));
            let way = path.and_then(|path| self.on_lanes(&path, senders, senders.level));
            self.release(way.as_slice());
            let paths = all.values().map(|ways| ways.path(self.space, from));
            let Some(paths) = paths.collect::<Option<Vec<_>>>() else {
                continue;
            };
            let others = (0..self.level_count).filter(|&level| level != senders.level);
            let mut levels: Vec<u8> = std::iter::once(senders.level).chain(others).collect();
            levels.extend(self.new_level());
            let Some(level) = levels
                .into_iter()
                .find(|&level| self.hold_all(&paths, senders, level))
            else {
                continue;
            };
            self.level_count = self.level_count.max(level + 1);
            for source in &senders.endpoints {
                let pair = source * self.tables.endpoint_count() + destination;
                self.levels[pair] = Lane::new(level);
            }
        }
    }

    /// A level that is not in use, if there is one and a lane for it.
    fn new_level(&self) -> Option<u8> {
        let [levels, lanes] = self.planned;
        let lane = lanes + (self.level_count - levels);
        let is_one = usize::from(self.level_count) < LaneTables::KEYS && lane < MOST_LANES;
        is_one.then_some(self.level_count)
    }

    /// Holds all paths of senders on a level, or none, and tells which.
    fn hold_all(&mut self, paths: &[Vec<u32>], senders: &Senders, level: u8) -> bool {
        let mut held = Vec::with_capacity(paths.len());
        for path in paths {
            let way = self.on_lanes(path, senders, level);
            let Some(way) = way.filter(|way| self.hold(way)) else {
                self.release(&held);
                return false;
            };
            held.push(way);
        }
        true
    }

    /// The tables with all ways.
    pub(super) fn into_tables(mut self) -> ForwardingTables {
        let [levels, lanes] = self.planned;
        if let Some(tables) = self.tables.lane_tables() {
            let mut tables = tables.clone();
            for level in levels..self.level_count {
                tables.set_level(level, Lane::new(lanes + (level - levels)));
            }
            self.tables.set_lane_tables(tables);
        }
        let count = self.tables.endpoint_count();
        let kept = |(place, &level): (usize, &Lane)| {
            level == self.tables.lane(place / count, place % count)
        };
        if !self.levels.iter().enumerate().all(kept) {
            self.tables.set_lanes(self.levels);
        }
        self.tables
    }
}

/// Ways to an address as they are joined, from each switch on the levels that its senders have.
struct Held<'h, 'a> {
    all: &'h mut Ways<'a>,
    senders: &'h [Senders],
    /// What is held more than was.
    ways: Vec<Vec<LaneStep>>,
}

/// The shortest ways, held or not.
struct Shortest;

impl JoinsNearest for Held<'_, '_> {
    /// Holds the way of all senders at a switch, or that of none, and tells which.
    fn join(&mut self, at: u32, path: &[u32]) -> bool {
        let mark = self.ways.len();
        let of_switch = |senders: &&Senders| senders.switch.number() == at;
        for senders in self.senders.iter().filter(of_switch) {
            let way = self.all.on_lanes(path, senders, senders.level);
            let Some(way) = way.filter(|way| self.all.hold(way)) else {
                self.all.release(&self.ways.split_off(mark));
                return false;
            };
            self.ways.push(way);
        }
        true
    }
}

impl JoinsNearest for Shortest {
    fn join(&mut self, _: u32, _: &[u32]) -> bool {
        true
    }
}
