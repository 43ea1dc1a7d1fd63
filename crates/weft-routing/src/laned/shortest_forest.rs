//! One shortest-path tree per host, whatever its turns.

use super::balance::{Demand, Forest};
use super::guides;
use super::orders::LaneOrders;
use super::target::{Target, edge_by};
use super::tree::{Exit, NO_EXIT};
use crate::endpoints::Endpoints;
use crate::error::RoutingError;
use crate::lane::Lane;
use crate::orientation::routed_part;
use crate::path_space::{PathSpace, TurnRule};
use crate::routes::PairGranularity;
use crate::tables::ForwardingTables;
use crate::turns::Turns;
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, SwitchId};

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
    /// This is a forest without trees.
    ///
    /// # Errors
    /// As [`routed_part`].
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

    /// This grows the trees, each over the channels that carry least so far, those to the switches with
    /// most hosts first.
    pub(crate) fn grow_once(mut self) -> Self {
        let (space, endpoints) = (&self.space, &self.endpoints);
        let orders = LaneOrders::none(space);
        let hosts = endpoints.hosts_per_switch(space.switch_count());
        let none = vec![NO_EXIT; space.switch_count()];
        let target = |&switch: &u32| {
            let guide = guides::complete(space, &orders, switch, &none);
            Target::new(space, switch, guide)
        };
        let targets: Vec<Target> = self.sources.par_iter().map(target).collect();
        let place = |host: usize| self.sources.binary_search(&endpoints.switch(host));
        // Every host's switch is a source.
        let places = (0..endpoints.count()).map(|host| place(host).unwrap_or(0));
        let target_of: Vec<u32> = places.map(|p| SwitchId::from_index(p).number()).collect();
        let mut order: Vec<usize> = (0..endpoints.count()).collect();
        order.sort_by_key(|&host| {
            let switch = endpoints.switch(host);
            (u64::MAX - hosts[switch as usize], switch, host)
        });
        let mut forest = Forest::new(space, Demand::PerHost(&hosts), endpoints.count());
        forest.grow(&orders, &targets, &target_of, &order, 1);
        self.exits = forest.into_exits();
        self
    }

    /// These are the channels.
    pub(crate) fn space(&self) -> &PathSpace {
        &self.space
    }

    /// These are all turns but those straight back.
    pub(crate) fn turns(&self) -> Turns<'_> {
        Turns::all(&self.space)
    }

    /// This counts the paths.
    pub(crate) fn path_count(&self) -> u32 {
        let count = self.sources.len() * self.endpoints.count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// These are the edges of a path; none where source and destination are one.
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

    /// These are the trees as tables.
    pub(crate) fn tables(&self, fabric: &Fabric) -> ForwardingTables {
        let switches = self.space.switch_count();
        let addresses = vec![1; self.endpoints.count()];
        let mut tables = ForwardingTables::new(PairGranularity::Host, switches, &addresses);
        for (host, exits) in self.exits.chunks_exact(switches).enumerate() {
            for (at, &exit) in (0..).zip(exits).filter(|entry| *entry.1 != NO_EXIT) {
                let edge = edge_by(&self.space, at, exit);
                tables.set_next_port(SwitchId::new(at), host, self.space.edge(edge).port);
            }
            let to = SwitchId::new(self.endpoints.switch(host));
            tables.set_next_port(to, host, fabric.host_port(HostId::from_index(host)));
        }
        tables
    }

    /// This gives the tables the lanes of all paths.
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
