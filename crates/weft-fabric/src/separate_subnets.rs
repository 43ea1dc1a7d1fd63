//! Several networks in one file.

use crate::computers::computers;
use crate::metrics::connected_parts;
use crate::{Fabric, LidRange, Node, SwitchId};
use std::collections::BTreeSet;

/// A part is a network of its own, not one that was cut off, where it has one of so many of the hosts of
/// another and nothing but the names of computers tells.
const LEAST_SHARE: usize = 4;

/// The networks that a fabric consists of: one, unless parts of it that no link joins were never meant to
/// be joined.
///
/// Every network has a manager of its own, which numbers its ports from 1: parts that share LIDs are two
/// networks, and parts that have LIDs and share none are one of which a part was cut off. Where LIDs are
/// not known, parts are two networks if most computers with several ends have some in each, as planes of a
/// machine do.
///
/// Shapes: the networks by their first switches, the switches of each in order.
pub fn subnets(fabric: &Fabric) -> Vec<Vec<SwitchId>> {
    let mut parts: Vec<Part> = connected_parts(fabric)
        .into_iter()
        .map(|switches| Part::of(fabric, switches))
        .collect();
    if parts.len() > 1 {
        add_computers(fabric, &mut parts);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.hosts));
    let mut networks: Vec<Vec<Part>> = Vec::new();
    for part in parts {
        let is_own = |network: &&mut Vec<Part>| network.iter().any(|other| part.is_apart(other));
        match networks.iter_mut().find(|network| !is_own(network)) {
            Some(network) => network.push(part),
            None => networks.push(vec![part]),
        }
    }
    let mut networks: Vec<Vec<SwitchId>> = networks
        .into_iter()
        .map(|parts| {
            let mut switches: Vec<SwitchId> =
                parts.into_iter().flat_map(|part| part.switches).collect();
            switches.sort_unstable();
            switches
        })
        .collect();
    networks.sort_unstable();
    networks
}

/// Switches that reach one another, and what tells whether others belong to them.
struct Part {
    switches: Vec<SwitchId>,
    hosts: usize,
    lids: BTreeSet<u16>,
    /// The computers with several ends that have one here.
    computers: BTreeSet<usize>,
}

impl Part {
    fn of(fabric: &Fabric, switches: Vec<SwitchId>) -> Self {
        let hosts = || switches.iter().flat_map(|&switch| fabric.hosts_of(switch));
        let of_switches = switches.iter().map(|&switch| fabric.switch(switch).lids);
        let lids = of_switches.chain(hosts().map(|&host| fabric.host(host).lids));
        Self {
            lids: lids.flatten().map(LidRange::base).collect(),
            hosts: hosts().filter(|&&host| !fabric.is_service(host)).count(),
            computers: BTreeSet::new(),
            switches,
        }
    }

    /// Tells whether the two were never meant to be joined.
    fn is_apart(&self, other: &Self) -> bool {
        if !self.lids.is_empty() && !other.lids.is_empty() {
            return !self.lids.is_disjoint(&other.lids);
        }
        let shared = self.computers.intersection(&other.computers).count();
        let least = self.computers.len().min(other.computers.len());
        shared > 1 && 2 * shared > least && LEAST_SHARE * self.hosts >= other.hosts
    }
}

fn add_computers(fabric: &Fabric, parts: &mut [Part]) {
    let several = computers(fabric)
        .into_iter()
        .filter(|computer| computer.hosts.len() > 1);
    for (number, computer) in several.enumerate() {
        for host in computer.hosts {
            let switch = fabric.host_switch(host);
            for part in parts
                .iter_mut()
                .filter(|part| part.switches.binary_search(&switch).is_ok())
            {
                part.computers.insert(number);
            }
        }
    }
}

impl Fabric {
    /// Each of the networks that the fabric consists of as one of its own, named after it and numbered from
    /// 1; the fabric itself where it is one.
    #[must_use]
    pub fn into_subnets(self) -> Vec<Self> {
        let subnets = subnets(&self);
        if subnets.len() < 2 {
            return vec![self];
        }
        let each = subnets.iter().enumerate().map(|(number, switches)| {
            let name = format!("{} subnet {}", self.name(), number + 1);
            self.part(&name, |node| match node {
                Node::Switch(switch) => switches.binary_search(&switch).is_ok(),
                Node::Host(_) => true,
            })
        });
        each.collect()
    }
}
