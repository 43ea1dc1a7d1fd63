//! One shortest-path tree per host, whatever its turns.

use crate::error::RoutingError;
use crate::form::{Endpoints, ForwardingTables, Lane, PairGranularity};
use crate::orient::routed_part;
use crate::paths::{Exit, NO_EXIT, NextHops, PathSpace, TurnRule, Turns, edge_by, exit_by};
use crate::progress::Progress;
use std::cmp::Reverse;
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// Hosts whose entries are written at once.
const HOSTS_AT_ONCE: usize = 64;

/// Shortest-path trees towards all hosts.
///
/// Its paths are those from each switch with hosts to each host, numbered switch by switch.
#[derive(Clone, Debug)]
pub(crate) struct ShortestForest {
    space: PathSpace,
    endpoints: Endpoints,
    /// Switches with hosts, ascending.
    sources: Vec<u32>,
    /// Per host and switch: its way.
    exits: Vec<Exit>,
}

impl ShortestForest {
    pub(crate) fn new(fabric: &Fabric) -> Result<Self, RoutingError> {
        routed_part(fabric)?;
        let endpoints = Endpoints::new(fabric, PairGranularity::Host);
        let sources = endpoints.source_switches();
        Ok(Self {
            space: PathSpace::new(fabric, None, TurnRule::Free),
            sources: sources.into_iter().map(SwitchId::number).collect(),
            endpoints,
            exits: Vec::new(),
        })
    }

    /// Grows the trees, each over the channels that carry least so far, those to the switches with
    /// most hosts first.
    pub(crate) fn grow_once(mut self, progress: &Progress) -> Self {
        let (space, endpoints) = (&self.space, &self.endpoints);
        let switches = space.switch_count();
        let hosts = endpoints.hosts_per_switch(switches);
        let mut order: Vec<usize> = (0..endpoints.count()).collect();
        order.sort_by_key(|&host| {
            let switch = endpoints.switch(host);
            (Reverse(hosts[switch as usize]), switch, host)
        });
        let mut exits = vec![NO_EXIT; endpoints.count() * switches];
        let mut loads = Loads::none(space);
        let is_together =
            |&one: &usize, &other: &usize| endpoints.switch(one) == endpoints.switch(other);
        progress.begin(order.len());
        for together in order.chunk_by(is_together) {
            let to = endpoints.switch(together[0]);
            let nearer = NextHops::to(space, to);
            for &host in together {
                progress.advance();
                let tree = &mut exits[host * switches..][..switches];
                loads.grow(space, &nearer, to, tree);
                loads.carry(space, &nearer, to, &hosts, tree);
            }
        }
        self.exits = exits;
        self
    }

    pub(crate) fn space(&self) -> &PathSpace {
        &self.space
    }

    /// All turns but those straight back.
    pub(crate) fn turns(&self) -> Turns<'_> {
        Turns::all(&self.space)
    }

    pub(crate) fn path_count(&self) -> Result<u32, RoutingError> {
        let found = self.sources.len() as u64 * self.endpoints.count() as u64;
        u32::try_from(found).map_err(|_| RoutingError::TooManyPaths { found })
    }

    /// The edges of a path; none where source and destination are one.
    pub(crate) fn path(&self, number: u32) -> Vec<u32> {
        let count = self.endpoints.count();
        let (source, host) = (number as usize / count, number as usize % count);
        let exits = &self.exits[host * self.space.switch_count()..][..self.space.switch_count()];
        let mut at = self.sources[source];
        let mut path = Vec::new();
        while exits[at as usize] != NO_EXIT {
            let edge = edge_by(&self.space, at, exits[at as usize]);
            path.push(edge);
            at = self.space.edge(edge).to;
        }
        path
    }

    pub(crate) fn tables(&self, fabric: &Fabric) -> ForwardingTables {
        let switches = self.space.switch_count();
        let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
        // Some hosts at a time: what is read by trees and written by switches stays at hand.
        let mut rows: Vec<&mut [PortNumber]> = tables.rows_mut().collect();
        let blocks = self.exits.chunks(HOSTS_AT_ONCE * switches);
        for (first, block) in (0..).step_by(HOSTS_AT_ONCE).zip(blocks) {
            for (at, row) in (0..).zip(&mut rows) {
                let ways = self.space.edges_of(at);
                let exits = block.iter().skip(at as usize).step_by(switches);
                for (port, &exit) in row[first..].iter_mut().zip(exits) {
                    if let Some(way) = ways.get(usize::from(exit)) {
                        *port = way.port;
                    }
                }
            }
        }
        tables
    }

    pub(crate) fn set_lanes(&self, tables: &mut ForwardingTables, lanes: &[Lane]) {
        let count = self.endpoints.count();
        let mut of_switches = vec![Lane::ZERO; self.space.switch_count() * count];
        for (&source, row) in self.sources.iter().zip(lanes.chunks_exact(count)) {
            of_switches[source as usize * count..][..count].copy_from_slice(row);
        }
        let switches = (0..count).map(|host| self.endpoints.switch(host)).collect();
        tables.set_lanes_by_switch(switches, of_switches);
    }
}

/// What the channels carry, and what the paths of the tree at hand do.
struct Loads {
    /// Per edge: pairs of hosts so far.
    of_edges: Vec<u64>,
    /// Per switch: what the channels of its path carry together.
    of_paths: Vec<u64>,
    /// Per switch: hosts whose paths lead through it; 0 between trees.
    flows: Vec<u64>,
}

impl Loads {
    fn none(space: &PathSpace) -> Self {
        Self {
            of_edges: vec![0; space.edge_count()],
            of_paths: vec![0; space.switch_count()],
            flows: vec![0; space.switch_count()],
        }
    }

    /// Gives every switch the way whose path carries least, of equals the one by the lowest port.
    fn grow(&mut self, space: &PathSpace, nearer: &NextHops, to: u32, tree: &mut [Exit]) {
        self.of_paths[to as usize] = 0;
        for (at, ways) in nearer.iter() {
            let (mut least, mut best) = (u64::MAX, None);
            for way in ways {
                let load = self.of_paths[way.to as usize] + self.of_edges[way.edge as usize];
                if load < least {
                    (least, best) = (load, Some(way.edge));
                }
            }
            if let Some(edge) = best {
                self.of_paths[at as usize] = least;
                tree[at as usize] = exit_by(space, edge);
            }
        }
    }

    /// Leads the hosts of every switch along a tree, the farthest first.
    fn carry(
        &mut self,
        space: &PathSpace,
        nearer: &NextHops,
        to: u32,
        hosts: &[u64],
        tree: &[Exit],
    ) {
        for (at, _) in nearer.iter().rev() {
            let flow = std::mem::take(&mut self.flows[at as usize]) + hosts[at as usize];
            let edge = edge_by(space, at, tree[at as usize]);
            self.of_edges[edge as usize] += flow;
            self.flows[space.edge(edge).to as usize] += flow;
        }
        self.flows[to as usize] = 0;
    }
}
