//! The ways to all addresses, as they come to lead there, and what packets on them wait for.

use crate::cycles::{AcyclicDependencies, Dependencies};
use crate::form::{ForwardingTables, Lane, LaneTables, PairGranularity};
use crate::paths::{NO_EDGE, PathSpace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, narrow};

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
    /// Lanes that vertices are numbered by.
    stride: usize,
    /// What waits for what; `None` where planned routes close a cycle.
    graph: Option<AcyclicDependencies>,
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

/// The next edge of each switch on the way to an address.
type Next = Vec<u32>;

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
            stride: planned[1].max(MOST_LANES).into(),
            graph: None,
            tables,
        };
        ways.graph = ways.planned_graph();
        ways
    }

    /// The dependencies of all planned routes; `None` where they close a cycle or one leads nowhere.
    fn planned_graph(&self) -> Option<AcyclicDependencies> {
        let vertices = self.space.edge_count() * self.stride;
        let mut plan = Dependencies::new(vertices);
        let mut all = Vec::new();
        for destination in 0..self.tables.endpoint_count() {
            for senders in self.senders(destination) {
                let way = self.planned_way(&senders, destination)?;
                plan.add_route(&way);
                all.push(way);
            }
        }
        let mut graph = AcyclicDependencies::with_ranks(plan.ranks()?);
        all.iter().all(|way| graph.add_route(way)).then_some(graph)
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

    /// The entries there are for an address of a destination at a switch.
    fn next(&self, address: usize, to: SwitchId) -> Next {
        let edge = |at: SwitchId| {
            let port = self.tables.next_port(at, address).filter(|_| at != to)?;
            self.space.edge_by_port(at.number(), port)
        };
        let switches = self.fabric.switch_ids();
        switches.map(|at| edge(at).unwrap_or(NO_EDGE)).collect()
    }

    /// The edges from a switch to another; `None` where entries do not lead there.
    fn path(&self, next: &Next, from: SwitchId, to: SwitchId) -> Option<Vec<u32>> {
        let mut path = Vec::new();
        let mut at = from.number();
        while at != to.number() {
            let edge = next[at as usize];
            if edge == NO_EDGE || path.len() == self.space.switch_count() {
                return None;
            }
            path.push(edge);
            at = self.space.edge(edge).to;
        }
        Some(path)
    }

    /// The lanes of channels that packets take on a path; `None` where a switch has no lane for them.
    fn way(&self, path: &[u32], senders: &Senders, level: u8) -> Option<Vec<u32>> {
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
            let vertex = edge as usize * self.stride + lane.index();
            way.push(narrow(vertex, "lanes of channels have numbers of 32 bits"));
            (at, input) = (SwitchId::new(out.to), self.space.edge(out.reverse).port);
        }
        Some(way)
    }

    fn planned_way(&self, senders: &Senders, destination: usize) -> Option<Vec<u32>> {
        let to = self.switch_of(destination);
        let path = self.path(&self.next(senders.address?, to), senders.switch, to)?;
        self.way(&path, senders, senders.level)
    }

    /// Tells whether all addresses of a destination have ways from everywhere.
    pub(super) fn lead_everywhere(&self, destination: usize) -> bool {
        let to = self.switch_of(destination);
        self.tables.addresses(destination).all(|address| {
            let next = self.next(address, to);
            let mut from = self.fabric.switches_with_hosts();
            from.all(|from| self.path(&next, from, to).is_some())
        })
    }

    /// Gives all addresses of a destination ways from everywhere.
    pub(super) fn complete(&mut self, destination: usize) {
        let to = self.switch_of(destination);
        let senders = self.senders(destination);
        let mut is_held = true;
        for address in self.tables.addresses(destination) {
            let fixed = self.next(address, to);
            let has_way = |senders: &Senders| self.path(&fixed, senders.switch, to).is_some();
            let is_whole = senders.iter().all(has_way);
            let found = self.held_ways(&senders, &fixed, to);
            is_held &= found.is_some();
            if !is_whole {
                let next = found.unwrap_or_else(|| self.short_ways(&fixed, to));
                self.enter(address, to, &next);
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

    fn enter(&mut self, address: usize, to: SwitchId, next: &Next) {
        for at in self.fabric.switch_ids().filter(|&at| at != to) {
            let edge = next[at.index()];
            if edge != NO_EDGE {
                let port = self.space.edge(edge).port;
                self.tables.set_next_port(at, address, port);
            }
        }
    }

    /// Ways from everywhere that go by fixed entries where there are some and are held on the levels that
    /// senders have, the nearest switches first; `None`, and nothing more is held, where there are none.
    fn held_ways(&mut self, senders: &[Senders], fixed: &Next, to: SwitchId) -> Option<Next> {
        let mut held = Vec::new();
        let mut next = fixed.clone();
        let mut links: Vec<Option<usize>> = Vec::with_capacity(next.len());
        for at in self.fabric.switch_ids() {
            let path = self.path(&next, at, to);
            if let Some(path) = &path
                && !self.hold_from(senders, at, path, &mut held)
            {
                self.release(&held);
                return None;
            }
            links.push(path.map(|path| path.len()));
        }
        let mut open = BinaryHeap::new();
        for at in self.fabric.switch_ids() {
            self.open(at, &links, &next, &mut open);
        }
        while let Some(Reverse((_, edge))) = open.pop() {
            let at = SwitchId::new(self.space.tail(edge));
            if links[at.index()].is_some() {
                continue;
            }
            next[at.index()] = edge;
            let path = self.path(&next, at, to)?;
            if self.hold_from(senders, at, &path, &mut held) {
                links[at.index()] = Some(path.len());
                self.open(at, &links, &next, &mut open);
            } else {
                next[at.index()] = NO_EDGE;
            }
        }
        if senders
            .iter()
            .all(|from| links[from.switch.index()].is_some())
        {
            return Some(next);
        }
        self.release(&held);
        None
    }

    /// Notes by which edges other switches would come to one that has a way.
    fn open(
        &self,
        at: SwitchId,
        links: &[Option<usize>],
        next: &Next,
        open: &mut BinaryHeap<Reverse<(usize, u32)>>,
    ) {
        let Some(far) = links[at.index()] else {
            return;
        };
        for back in self.space.edges_of(at.number()) {
            let from = back.to as usize;
            if links[from].is_none() && next[from] == NO_EDGE {
                open.push(Reverse((far + 1, back.reverse)));
            }
        }
    }

    /// The shortest ways from everywhere to where fixed entries lead on.
    fn short_ways(&self, fixed: &Next, to: SwitchId) -> Next {
        let mut next = fixed.clone();
        let paths = |at| self.path(fixed, at, to).map(|path| path.len());
        let mut links: Vec<Option<usize>> = self.fabric.switch_ids().map(paths).collect();
        let mut open = BinaryHeap::new();
        for at in self.fabric.switch_ids() {
            self.open(at, &links, &next, &mut open);
        }
        while let Some(Reverse((far, edge))) = open.pop() {
            let at = SwitchId::new(self.space.tail(edge));
            if links[at.index()].is_none() {
                (next[at.index()], links[at.index()]) = (edge, Some(far));
                self.open(at, &links, &next, &mut open);
            }
        }
        next
    }

    /// Holds the way of all senders at a switch, or that of none, and tells which.
    fn hold_from(
        &mut self,
        senders: &[Senders],
        at: SwitchId,
        path: &[u32],
        held: &mut Vec<Vec<u32>>,
    ) -> bool {
        let mark = held.len();
        for senders in senders.iter().filter(|senders| senders.switch == at) {
            let way = self.way(path, senders, senders.level);
            let Some(way) = way.filter(|way| self.hold(way)) else {
                self.release(&held[mark..]);
                held.truncate(mark);
                return false;
            };
            held.push(way);
        }
        true
    }

    fn hold(&mut self, way: &[u32]) -> bool {
        self.graph
            .as_mut()
            .is_some_and(|graph| graph.add_route(way))
    }

    fn release(&mut self, ways: &[Vec<u32>]) {
        if let Some(graph) = &mut self.graph {
            for way in ways {
                graph.remove_route(way);
            }
        }
    }

    /// Puts senders whose ways to the addresses of a destination their level does not hold on another that
    /// holds them all.
    fn change_levels(&mut self, senders: &[Senders], destination: usize) {
        if self.graph.is_none() {
            return;
        }
        let to = self.switch_of(destination);
        let all: Vec<Next> = self
            .tables
            .addresses(destination)
            .map(|address| self.next(address, to))
            .collect();
        for senders in senders {
            if let Some(way) = self.planned_way(senders, destination) {
                self.release(&[way]);
            }
            let paths = all.iter().map(|next| self.path(next, senders.switch, to));
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
            let way = self.way(path, senders, level);
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
