//! One shortest-path tree per host, whatever its turns.

use super::switch_heap::{SwitchHeap, UNREACHED};
use crate::choose::{hosts_as_manager, sort_as_manager};
use crate::error::RoutingError;
use crate::form::{Endpoints, ForwardingTables, Lane, PairGranularity};
use crate::orient::routed_part;
use crate::paths::{Exit, NO_EDGE, NO_EXIT, PathSpace, TurnRule, Turns, edge_by, exit_by};
use crate::progress::Progress;
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
    /// All switches that links join to the hosts.
    part: Vec<SwitchId>,
    /// Switches with hosts, ascending.
    sources: Vec<u32>,
    /// Per host and switch: its way.
    exits: Vec<Exit>,
}

impl ShortestForest {
    pub(crate) fn new(fabric: &Fabric) -> Result<Self, RoutingError> {
        let part = routed_part(fabric)?;
        let endpoints = Endpoints::new(fabric, PairGranularity::Host);
        let sources = endpoints.source_switches();
        Ok(Self {
            space: PathSpace::new(fabric, None, TurnRule::Free),
            sources: sources.into_iter().map(SwitchId::number).collect(),
            endpoints,
            part,
            exits: Vec::new(),
        })
    }

    /// Grows the trees, each over the channels that carry least so far, in the order in which `OpenSM` does.
    /// Time O(h·(E + S·log S)) for h hosts, S switches and E channels between them.
    pub(crate) fn grow_once(mut self, fabric: &Fabric, progress: &Progress) -> Self {
        let switches = self.space.switch_count();
        let mut exits = vec![NO_EXIT; self.endpoints.count() * switches];
        let mut growth = Growth::new(fabric, &self.space, &self.part);
        progress.begin(self.endpoints.count());
        for host in hosts_as_manager(fabric) {
            progress.advance();
            let tree = &mut exits[host.index() * switches..][..switches];
            growth.grow(fabric.host_switch(host).number(), tree);
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

/// What an empty channel weighs: more than all that ever passes the channels of a shortest path.
const EMPTY: u64 = 1 << 40;

/// What the channels weigh, and the tree at hand.
///
/// A channel weighs as many switches and hosts as routes lead over it so far, those of switches to hosts
/// among them, and so much from the start that no longer path is lighter.
/// Source: `OpenSM`, `osm_ucast_dfsssp.c`.
struct Growth<'a> {
    space: &'a PathSpace,
    heap: SwitchHeap,
    /// Per switch: it and its hosts.
    ends: Vec<u64>,
    /// Per edge.
    weights: Vec<u64>,
    /// Per switch: what its path weighs.
    distances: Vec<u64>,
    /// Per switch that has a path: the first edge of it.
    ways: Vec<u32>,
    /// Switches by what their paths weigh.
    reached: Vec<u32>,
    /// Per switch: ends whose paths lead through it; 0 between trees.
    flows: Vec<u64>,
}

impl<'a> Growth<'a> {
    fn new(fabric: &Fabric, space: &'a PathSpace, part: &[SwitchId]) -> Self {
        let mut order = part.to_vec();
        sort_as_manager(fabric, &mut order);
        let count = space.switch_count();
        let hosts = |switch| fabric.hosts_of(switch).len() as u64;
        Self {
            space,
            heap: SwitchHeap::new(&order, count),
            ends: fabric
                .switch_ids()
                .map(|switch| 1 + hosts(switch))
                .collect(),
            weights: vec![EMPTY; space.edge_count()],
            distances: vec![UNREACHED; count],
            ways: vec![NO_EDGE; count],
            reached: Vec::with_capacity(count),
            flows: vec![0; count],
        }
    }

    /// Gives every switch the lightest path; of equals that over the neighbour taken first, and of links to
    /// one neighbour that at its lowest port.
    fn grow(&mut self, to: u32, tree: &mut [Exit]) {
        let space = self.space;
        self.reached.clear();
        self.distances.fill(UNREACHED);
        self.heap.refill();
        self.distances[to as usize] = 0;
        self.heap.lower(to, 0);
        while let Some((distance, at)) = self.heap.pop() {
            if distance == UNREACHED {
                break;
            }
            self.reached.push(at);
            for out in space.edges_of(at) {
                let through = distance + self.weights[out.reverse as usize];
                if through < self.distances[out.to as usize] {
                    self.distances[out.to as usize] = through;
                    self.ways[out.to as usize] = out.reverse;
                    self.heap.lower(out.to, through);
                }
            }
        }
        // The farthest first.
        for &at in self.reached[1..].iter().rev() {
            let edge = self.ways[at as usize];
            tree[at as usize] = exit_by(space, edge);
            let flow = std::mem::take(&mut self.flows[at as usize]) + self.ends[at as usize];
            self.weights[edge as usize] += flow;
            self.flows[space.edge(edge).to as usize] += flow;
        }
        self.flows[to as usize] = 0;
    }
}
