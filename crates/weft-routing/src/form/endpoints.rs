//! What routes are held between: the switches of a fabric, or its hosts.

use crate::form::PairGranularity;
use weft_fabric::{Fabric, SwitchId};

/// The sources and destinations of the routes, in the order in which routes are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoints {
    granularity: PairGranularity,
    /// Per endpoint: its switch.
    switches: Vec<u32>,
    /// Per endpoint: hosts it stands for.
    hosts: Vec<u64>,
}

impl Endpoints {
    /// The switches or the hosts of a fabric.
    pub(crate) fn new(fabric: &Fabric, granularity: PairGranularity) -> Self {
        let (switches, hosts) = match granularity {
            PairGranularity::Switch => fabric
                .switch_ids()
                .map(|switch| (switch.number(), fabric.hosts_of(switch).len() as u64))
                .unzip(),
            PairGranularity::Host => fabric
                .host_ids()
                .map(|host| (fabric.host_switch(host).number(), 1))
                .unzip(),
        };
        Self {
            granularity,
            switches,
            hosts,
        }
    }

    pub(crate) fn granularity(&self) -> PairGranularity {
        self.granularity
    }

    pub(crate) fn count(&self) -> usize {
        self.switches.len()
    }

    pub(crate) fn switch(&self, index: usize) -> u32 {
        self.switches[index]
    }

    /// Counts the hosts an endpoint stands for.
    pub(crate) fn hosts(&self, index: usize) -> u64 {
        self.hosts[index]
    }

    /// Counts the hosts of every switch.
    pub(crate) fn hosts_per_switch(&self, switch_count: usize) -> Vec<u64> {
        let mut hosts = vec![0; switch_count];
        for (&switch, &count) in self.switches.iter().zip(&self.hosts) {
            hosts[switch as usize] += count;
        }
        hosts
    }

    /// Counts the pairs of hosts that a route serves; 0 where no route is needed: to and from
    /// switches without hosts.
    pub(crate) fn host_pairs(&self, source: usize, destination: usize) -> u64 {
        self.hosts[source] * self.hosts[destination]
    }

    /// Tells whether packets need a way over other switches between two endpoints.
    pub(crate) fn need_route(&self, source: usize, destination: usize) -> bool {
        self.switches[source] != self.switches[destination]
            && self.host_pairs(source, destination) > 0
    }

    /// The switches that routes start from, ascending, each once.
    pub(crate) fn source_switches(&self) -> Vec<SwitchId> {
        let mut switches: Vec<SwitchId> = (0..self.count())
            .filter(|&index| self.hosts[index] > 0)
            .map(|index| SwitchId::new(self.switches[index]))
            .collect();
        switches.sort_unstable();
        switches.dedup();
        switches
    }
}
