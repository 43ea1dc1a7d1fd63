//! Figures of a fabric: counts, parts, distances, bisection, levels, and what looks like a fault.

mod between_leaves;
mod bisection;
mod distances;
mod graph;
mod hung_leaves;
mod joined_groups;
mod levels;
mod light_spines;
mod ports;
mod service_by_place;
mod structure;
mod suspicions;

pub use bisection::Bisection;
pub use distances::{Distances, distance_sums};
pub use joined_groups::JoinedGroups;
pub use levels::{Capacity, Level, level_figures, levels, levels_above};
pub use ports::{PortUse, port_use};
pub use service_by_place::with_service_by_place;
pub use structure::{Structure, structure};
pub use suspicions::{MissingEnd, OtherCable, Suspicion, suspicions};

use crate::{Fabric, Node, SwitchId};
use std::collections::BTreeMap;

/// The distance of a switch that cannot be reached.
pub const UNREACHABLE: u32 = u32::MAX;

/// What one wants to know of a fabric at a glance.
///
/// Distances are given by both conventions of the literature: *links* between switches, over
/// ordered pairs of distinct switches; and *switches on the path* (links and one more), over all
/// ordered pairs of switches, each with itself included. They are `None` where some switch cannot
/// reach another.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricFigures {
    /// Switches.
    pub switches: usize,
    /// Hosts.
    pub hosts: usize,
    /// Links, host links included.
    pub links: usize,
    /// Links with a switch at both ends, cables back to the same switch included.
    pub switch_links: usize,
    /// Links of hosts.
    pub host_links: usize,
    /// Links whose ends are two ports of the same switch.
    pub self_links: usize,
    /// Links beyond the first between the same two switches.
    pub parallel_links: usize,
    /// Parts the switches fall into; 1 when each can reach each.
    pub components: usize,
    /// Largest distance between two switches, in links.
    pub diameter_links: Option<u32>,
    /// Mean distance over ordered pairs of distinct switches, in links; `None` for one switch.
    pub mean_distance_links: Option<f64>,
    /// Mean number of switches on a shortest path, over all ordered pairs of switches.
    pub mean_path_switches: Option<f64>,
    /// Largest number of switches on a shortest path.
    pub max_path_switches: Option<u32>,
    /// Ports of the largest switch, wired or not.
    pub radix_max: u8,
    /// Hosts on the switch with fewest.
    pub hosts_per_switch_min: usize,
    /// Hosts on the switch with most.
    pub hosts_per_switch_max: usize,
    /// Hosts per switch on average.
    pub hosts_per_switch_mean: f64,
    /// Links by rate, written as `4xHDR`; links of unknown rate are left out.
    pub rates: BTreeMap<String, usize>,
}

/// Counts the links between each switch and all others.
///
/// Shapes: one distance per switch; [`UNREACHABLE`] where there is no way.
pub fn distances_from(fabric: &Fabric, source: SwitchId) -> Vec<u32> {
    let mut distances = vec![UNREACHABLE; fabric.switch_count()];
    let mut reached = Vec::with_capacity(fabric.switch_count());
    visit(fabric, source, &mut distances, &mut reached);
    distances
}

/// The sets of switches that reach each other; both the parts and the switches in each
/// are in ascending order.
pub fn connected_parts(fabric: &Fabric) -> Vec<Vec<SwitchId>> {
    let mut distances = vec![UNREACHABLE; fabric.switch_count()];
    let mut parts = Vec::new();
    for switch in fabric.switch_ids() {
        if distances[switch.index()] == UNREACHABLE {
            let mut part = Vec::new();
            visit(fabric, switch, &mut distances, &mut part);
            part.sort_unstable();
            parts.push(part);
        }
    }
    parts
}

/// Gathers all figures of a fabric.
///
/// # Complexity
/// As [`Distances::of`].
pub fn figures(fabric: &Fabric) -> FabricFigures {
    let mut pairs = Vec::new();
    let mut self_links = 0;
    let mut rates = BTreeMap::new();
    for link in fabric.link_ids().map(|id| fabric.link(id)) {
        match link.ends.map(|end| end.node) {
            [Node::Switch(a), Node::Switch(b)] if a == b => self_links += 1,
            [Node::Switch(a), Node::Switch(b)] => pairs.push((a.min(b), a.max(b))),
            _ => {}
        }
        if let Some(rate) = link.cable.rate {
            *rates.entry(rate.to_string()).or_insert(0) += 1;
        }
    }
    let joined_links = pairs.len();
    pairs.sort_unstable();
    pairs.dedup();

    let (switches, hosts) = (fabric.switch_count(), fabric.host_count());
    let components = connected_parts(fabric).len();
    let distances = (components == 1).then(|| Distances::of(fabric));
    let hosts_of = |switch| fabric.hosts_of(switch).len();
    FabricFigures {
        switches,
        hosts,
        links: fabric.link_count(),
        switch_links: joined_links + self_links,
        host_links: hosts,
        self_links,
        parallel_links: joined_links - pairs.len(),
        components,
        diameter_links: distances.as_ref().map(Distances::longest),
        mean_distance_links: distances.as_ref().and_then(Distances::mean_of_switches),
        mean_path_switches: distances
            .as_ref()
            .map(|all| all.total_links() as f64 / (switches as f64).powi(2) + 1.0),
        max_path_switches: distances.as_ref().map(|all| all.longest() + 1),
        radix_max: fabric
            .switch_ids()
            .map(|s| fabric.switch(s).port_count)
            .max()
            .unwrap_or(0),
        hosts_per_switch_min: fabric.switch_ids().map(hosts_of).min().unwrap_or(0),
        hosts_per_switch_max: fabric.switch_ids().map(hosts_of).max().unwrap_or(0),
        hosts_per_switch_mean: hosts as f64 / switches as f64,
        rates,
    }
}

/// Searches breadth first from `source` through switches still [`UNREACHABLE`], sets their
/// distances and appends them to `reached` in the order found.
fn visit(fabric: &Fabric, source: SwitchId, distances: &mut [u32], reached: &mut Vec<SwitchId>) {
    let mut next = reached.len();
    distances[source.index()] = 0;
    reached.push(source);
    while let Some(&switch) = reached.get(next) {
        next += 1;
        let distance = distances[switch.index()] + 1;
        for hop in fabric.hops(switch) {
            if distances[hop.switch.index()] == UNREACHABLE {
                distances[hop.switch.index()] = distance;
                reached.push(hop.switch);
            }
        }
    }
}
