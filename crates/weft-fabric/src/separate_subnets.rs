//! Several networks in one file.

use crate::computers::computers;
use crate::metrics::connected_parts;
use crate::{Fabric, LidRange, Node, SwitchId};
use std::collections::BTreeSet;

/// A part of one switch is a network of its own, not one that was cut off, where it has one of so many of
/// the hosts of another and nothing but the names of computers tells.
const LEAST_SHARE: usize = 4;
/// So many switches with hosts, and LIDs beyond all others, are a network and no switch that was cut off.
const LEAST_SWITCHES: usize = 2;

/// The networks that a fabric consists of: one, unless parts of it that no link joins were never meant to
/// be joined.
///
/// Every network has a manager of its own, which numbers its ports from where it was told to, mostly from
/// 1: parts that share LIDs, or have LIDs in ranges that do not meet, are two networks. Parts are two
/// networks as well if most computers with several ends have some in each, as planes of a machine do,
/// whatever their LIDs. So are parts of like size whose LIDs are known: a discovery does not come to what is cut
/// off, so both were discovered. Others, whose LIDs are from one range, are one network of which a part was cut
/// off.
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
        let may_have = |network: &&mut Vec<Part>| !network.iter().any(|own| part.is_apart(own));
        let of_part = |network: &&mut Vec<Part>| part.strangeness(network);
        match networks.iter_mut().filter(may_have).min_by_key(of_part) {
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
        let shared = self.computers.intersection(&other.computers).count();
        let least = self.computers.len().min(other.computers.len());
        let most = self.computers.len().max(other.computers.len());
        let is_large = LEAST_SHARE * self.hosts >= other.hosts;
        let are_planes =
            shared > 1 && 2 * shared > most && (is_large || self.switches.len() >= LEAST_SWITCHES);
        if self.lids.is_empty() || other.lids.is_empty() {
            return are_planes || (shared > 1 && 2 * shared > least && is_large);
        }
        let are_alike = is_large
            && LEAST_SHARE * other.hosts >= self.hosts
            && self.are_networks(other)
            && shared == 0;
        are_planes
            || are_alike
            || !self.lids.is_disjoint(&other.lids)
            || self.is_numbered_apart(other)
    }

    /// Tells whether both have what a network has at least: several switches, and hosts on them.
    fn are_networks(&self, other: &Self) -> bool {
        [self, other]
            .iter()
            .all(|part| part.switches.len() >= LEAST_SWITCHES && part.hosts > 1)
    }

    /// Tells whether two managers numbered the ports, each from a range of its own: one alone numbers
    /// switches and hosts of all parts in one order.
    fn is_numbered_apart(&self, other: &Self) -> bool {
        let is_below = |one: &Self, two: &Self| one.lids.last() < two.lids.first();
        self.are_networks(other) && (is_below(self, other) || is_below(other, self))
    }

    /// How little it looks like a part of a network: a computer has one end in each network, and LIDs of a
    /// network are from one range.
    fn strangeness(&self, network: &[Self]) -> (usize, usize) {
        let shared = network
            .iter()
            .map(|part| self.computers.intersection(&part.computers).count());
        let first = network.iter().filter_map(|part| part.lids.first()).min();
        let last = network.iter().filter_map(|part| part.lids.last()).max();
        let is_outside = |lid: &&u16| Some(*lid) < first || Some(*lid) > last;
        let beyond = self.lids.iter().filter(is_outside).count();
        (shared.sum(), beyond)
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
