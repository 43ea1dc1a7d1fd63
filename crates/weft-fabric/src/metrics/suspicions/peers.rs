//! Switches of one kind: on the same level, leaves or not, with as many ports, in a like place of a grid.

use crate::{Fabric, Hop, Layout, PortNumber, SwitchId};
use std::collections::BTreeMap;

/// Of a kind of fewer switches nobody can tell which is the odd one.
const FEWEST: usize = 3;
/// Of a switch that lacks as many links the ports tell whether it was made so.
pub(super) const MADE_SO: usize = 4;

/// Switches of one kind.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub(super) switches: Vec<SwitchId>,
    /// Links to switches that most have, and how many have them; `None` where they do not agree.
    pub(super) links: Option<(usize, usize)>,
    /// Links to switches that one should have, by what most have or by the ports that most use.
    whole: Option<usize>,
    /// The most links to switches that one has.
    pub(super) most_links: usize,
    /// The compute ends that most have.
    pub(super) usual_hosts: usize,
    /// By port number: whether most have a link to a switch there, and whether it lies between two in which any has.
    is_wired: Vec<bool>,
    is_used: Vec<bool>,
}

/// All switches by kind.
#[derive(Clone, Debug)]
pub(super) struct Peers {
    pub(super) kinds: Vec<Kind>,
    kind_of: Vec<usize>,
}

/// Tells whether `part` of `whole` is most of it: two thirds or more.
pub(super) fn is_most(part: usize, whole: usize) -> bool {
    3 * part >= 2 * whole
}

/// Tells whether a switch has nothing below but its own ends; outside of trees, whether it has ends.
fn is_leaf(fabric: &Fabric, levels: &[Option<u32>], switch: SwitchId) -> bool {
    match levels[switch.index()] {
        Some(level) => {
            let below = |hop: &Hop| levels[hop.switch.index()].is_some_and(|there| there < level);
            let has_ends = level == 0 || !fabric.hosts_of(switch).is_empty();
            has_ends && !fabric.hops(switch).iter().any(below)
        }
        None => fabric.compute_hosts_of(switch) > 0,
    }
}

impl Peers {
    /// Sorts the switches by level, whether they are leaves, ports and place in the grid.
    pub(super) fn of(fabric: &Fabric, levels: &[Option<u32>]) -> Self {
        let grid = Grid::of(fabric);
        let mut by_kind: BTreeMap<_, Vec<SwitchId>> = BTreeMap::new();
        for switch in fabric.switch_ids() {
            let ports = fabric.switch(switch).port_count;
            let is_leaf = is_leaf(fabric, levels, switch);
            let key = (levels[switch.index()], is_leaf, ports, grid.rims(switch));
            by_kind.entry(key).or_default().push(switch);
        }
        let mut kind_of = vec![0; fabric.switch_count()];
        let mut kinds = Vec::with_capacity(by_kind.len());
        for switches in by_kind.into_iter().flat_map(|((level, ..), switches)| {
            if level.is_some() {
                of_unlike_sizes(fabric, switches)
            } else {
                vec![switches]
            }
        }) {
            for switch in &switches {
                kind_of[switch.index()] = kinds.len();
            }
            kinds.push(Kind::of(fabric, switches));
        }
        Self { kinds, kind_of }
    }

    /// The number of the kind of a switch.
    pub(super) fn kind_of(&self, switch: SwitchId) -> usize {
        self.kind_of[switch.index()]
    }

    /// How many links fewer than its kind a switch has; `None` where the kind does not agree.
    pub(super) fn lack(&self, fabric: &Fabric, switch: SwitchId) -> Option<usize> {
        let (expected, _) = self.kinds[self.kind_of(switch)].links?;
        Some(expected.saturating_sub(fabric.hops(switch).len()))
    }

    /// Tells whether the switches of a kind mostly use the same ports for links to switches.
    pub(super) fn has_ports_alike(&self, switch: SwitchId) -> bool {
        let kind = &self.kinds[self.kind_of[switch.index()]];
        let alike = kind.is_wired.iter().filter(|&&is_wired| is_wired).count();
        2 * alike >= kind.most_links
    }

    /// Links to switches that a switch should have: as most of its kind, or, where these do not agree, as many as there are
    /// ports in which most have one, if any has them all.
    pub(super) fn whole(&self, switch: SwitchId) -> Option<usize> {
        self.kinds[self.kind_of[switch.index()]].whole
    }

    /// Tells whether any of a switch's kind has a link to a switch in a port, or in one before it and in one after it.
    pub(super) fn is_used(&self, switch: SwitchId, port: PortNumber) -> bool {
        self.kinds[self.kind_of[switch.index()]].is_used[port.index()]
    }

    /// Tells whether a switch itself has most of its links in ports that most of its kind use for such.
    pub(super) fn uses_ports_of_kind(&self, fabric: &Fabric, switch: SwitchId) -> bool {
        let kind = &self.kinds[self.kind_of[switch.index()]];
        let hops = fabric.hops(switch);
        let alike = hops
            .iter()
            .filter(|hop| kind.is_wired[hop.port.index()])
            .count();
        2 * alike >= hops.len()
    }

    /// The ports of a switch without a cable on which most of its kind have a link to a switch.
    pub(super) fn dark_ports(&self, fabric: &Fabric, switch: SwitchId) -> Vec<PortNumber> {
        let kind = &self.kinds[self.kind_of[switch.index()]];
        (1..=fabric.switch(switch).port_count)
            .map(PortNumber::new)
            .filter(|port| kind.is_wired[port.index()])
            .filter(|&port| fabric.outgoing_at(switch, port).is_none())
            .collect()
    }
}

/// Parts switches of a level that were made with different numbers of links: in two sizes of three or more switches each,
/// further from each other than those of either are, the smaller mostly without holes among their ports.
fn of_unlike_sizes(fabric: &Fabric, mut switches: Vec<SwitchId>) -> Vec<Vec<SwitchId>> {
    let links = |switch: &SwitchId| fabric.hops(*switch).len();
    switches.sort_by_key(|switch| (links(switch), *switch));
    let most = switches.last().map_or(0, links);
    let is_whole = |switch: &&SwitchId| 2 * holes(fabric, **switch).count() <= most - links(switch);
    let start = (FEWEST..switches.len()).find(|&at| {
        let (smaller, larger) = switches.split_at(at);
        let [from, to, then] = [smaller[0], smaller[at - 1], larger[0]].map(|at| links(&at));
        let apart = then - to;
        let are_apart = apart >= MADE_SO && apart > to - from && apart > most - then;
        let whole = smaller.iter().filter(is_whole).count();
        larger.len() >= FEWEST && are_apart && is_most(whole, at)
    });
    let larger = switches.split_off(start.unwrap_or(switches.len()));
    let mut parts = vec![switches, larger];
    parts.retain(|part| !part.is_empty());
    for part in &mut parts {
        part.sort_unstable();
    }
    parts
}

/// The ports of a switch without a cable between such with links to switches.
pub(super) fn holes(fabric: &Fabric, switch: SwitchId) -> impl Iterator<Item = PortNumber> {
    let ports = || fabric.hops(switch).iter().map(|hop| hop.port.number());
    let between = ports().min().unwrap_or(1)..=ports().max().unwrap_or(0);
    let between = between.map(PortNumber::new);
    between.filter(move |&port| fabric.outgoing_at(switch, port).is_none())
}

impl Kind {
    fn of(fabric: &Fabric, switches: Vec<SwitchId>) -> Self {
        let mut by_links: BTreeMap<usize, usize> = BTreeMap::new();
        let mut by_hosts: BTreeMap<usize, usize> = BTreeMap::new();
        let mut by_port = vec![0; usize::from(PortNumber::MAX) + 1];
        for &switch in &switches {
            let hops = fabric.hops(switch);
            *by_links.entry(hops.len()).or_default() += 1;
            let hosts = fabric.compute_hosts_of(switch);
            *by_hosts.entry(hosts).or_default() += 1;
            for hop in hops {
                by_port[hop.port.index()] += 1;
            }
        }
        let most_links = by_links.keys().last().copied().unwrap_or(0);
        let most = by_links.into_iter().max_by_key(|&(_, count)| count);
        let links =
            most.filter(|&(_, count)| switches.len() >= FEWEST && is_most(count, switches.len()));
        let usual_hosts = by_hosts.into_iter().max_by_key(|&(_, count)| count);
        // Where many cables are missing, a port between others may be free in all of a small kind.
        let first = by_port.iter().position(|&count| count > 0);
        let last = by_port.iter().rposition(|&count| count > 0);
        let is_used = (0..by_port.len()).map(|port| Some(port) >= first && Some(port) <= last);
        let is_used: Vec<bool> = is_used.collect();
        let is_wired: Vec<bool> = by_port
            .into_iter()
            .map(|count| count > 0 && is_most(count, switches.len()))
            .collect();
        let wired = is_wired.iter().filter(|&&is_wired| is_wired).count();
        let is_told = switches.len() >= FEWEST && wired == most_links;
        let whole = links.map(|(links, _)| links).or(is_told.then_some(wired));
        Self {
            switches,
            links,
            whole,
            most_links,
            usual_hosts: usual_hosts.map_or(0, |(hosts, _)| hosts),
            is_wired,
            is_used,
        }
    }
}

/// Extents of a grid, and along which dimensions its lines are open; empty for other fabrics.
#[derive(Clone, Debug, Default)]
struct Grid {
    extents: Vec<u32>,
    is_open: Vec<bool>,
}

impl Grid {
    fn of(fabric: &Fabric) -> Self {
        let Layout::Grid { extents } = fabric.layout() else {
            return Self::default();
        };
        let mut grid = Self {
            extents: extents.clone(),
            is_open: vec![true; extents.len()],
        };
        for switch in fabric.switch_ids() {
            let here = grid.position(switch);
            for hop in fabric.hops(switch) {
                let there = grid.position(hop.switch);
                for (dimension, &extent) in extents.iter().enumerate() {
                    // From the first of a line to the last and more than a step: a ring.
                    let is_closing = here[dimension] == 0 && there[dimension] + 1 == extent;
                    grid.is_open[dimension] &= !(is_closing && extent > 2);
                }
            }
        }
        grid
    }

    fn position(&self, switch: SwitchId) -> Vec<u32> {
        let mut rest = switch.number();
        let along = |&extent: &u32| {
            let position = rest % extent;
            rest /= extent;
            position
        };
        self.extents.iter().map(along).collect()
    }

    /// Tells for each dimension whether a switch lies at an end of its line, if that is open:
    /// there a mesh has fewer links.
    fn rims(&self, switch: SwitchId) -> Vec<bool> {
        let position = self.position(switch);
        (0..self.extents.len())
            .map(|d| self.is_open[d] && (position[d] == 0 || position[d] + 1 == self.extents[d]))
            .collect()
    }
}
