//! d-mod-k: on fat trees, up by the digits of the destination's number, then down.

use super::{Algorithm, Lanes, Needs, Refusal, RouteFunction};
use crate::error::RoutingError;
use crate::form::{ForwardingTables, PairGranularity, Routes, check_routes};
use crate::orient::routed_part;
use crate::parameters::Parameters;
use crate::paths::{PathSpace, TurnRule};
use crate::shape::{FatTree, no_tree};
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, narrow};

/// Up by the digits of the destination's number.
///
/// Hosts are numbered leaf by leaf, as if every leaf had as many as the one with most. With w parents
/// for every switch of level 1, v for every switch of level 2 and so on, a leaf sends to host d over the
/// (d mod w)-th channel up, the switch there over the (d/w mod v)-th, …, up to a switch above d's leaf;
/// from there on the way down is the only one. Of parallel links down that is taken which the switch
/// below would take up.
///
/// A host's packets come down one way, whoever sent them, and those of hosts with consecutive numbers by
/// different ones: where all hosts send to the one a fixed number further on, no channel of a whole
/// tree with as many channels up as down carries two of them.
///
/// The number of parents has to be the same for all switches of a level; damaged trees are for `ftree`.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "d_mod_k",
    title: "d-mod-k",
    summary: "Goes up a whole fat tree by the digits of the destination's number, one for each level, \
              and down from the first switch above it.",
    needs: Needs::lanes(Lanes::One).tables(),
    further: "Routes go up and then down.",
    refuses: &[Refusal::Tree],
    source: "Zahavi, “D-Mod-K routing providing non-blocking traffic for shift permutations on real \
             life fat trees”, CCIT report 776, Technion, 2010",
    parameters: &[],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, _: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = FatTree::of(fabric, &space, &part)?;
    if let Some(&higher) = tree.higher().first() {
        let name = &fabric.switch(SwitchId::new(higher)).name;
        let reason =
            format!("“{name}” has hosts above the lowest switches; ftree routes such trees");
        return Err(no_tree(fabric, reason));
    }
    let widths = widths(fabric, &tree)?;
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    let digits = Digits::new(fabric, &space, &tree, &widths);
    let rows: Vec<(u32, &mut [PortNumber])> = (0..).zip(tables.rows_mut()).collect();
    rows.into_par_iter()
        .for_each(|(at, row)| digits.fill(at, row));
    let routes = Routes::from(tables);
    if check_routes(fabric, &routes).is_ok() {
        return Ok(routes);
    }
    digits.astray(&routes).map_or(Ok(routes), Err)
}

/// Counts the channels up of every switch, level by level.
fn widths(fabric: &Fabric, tree: &FatTree) -> Result<Vec<usize>, RoutingError> {
    let mut widths = Vec::new();
    for level in 0..tree.height() {
        let switches = tree.level(level);
        let width = tree.ups(switches[0]).len();
        if let Some(&other) = switches.iter().find(|&&at| tree.ups(at).len() != width) {
            let name = |switch: u32| &fabric.switch(SwitchId::new(switch)).name;
            return Err(no_tree(
                fabric,
                format!(
                    "“{}” has {width} links up and “{}” of the same level {}; ftree routes damaged \
                     trees",
                    name(switches[0]),
                    name(other),
                    tree.ups(other).len()
                ),
            ));
        }
        widths.push(width);
    }
    Ok(widths)
}

/// The ways to all hosts.
struct Digits<'a> {
    fabric: &'a Fabric,
    space: &'a PathSpace,
    tree: &'a FatTree,
    /// Per level and host: the number of the channel up.
    exits: Vec<Vec<u8>>,
    /// Per switch: the numbers of the leaves below it.
    leaves_below: Vec<Vec<u32>>,
}

/// A leaf that no channel down leads to.
const NOT_BELOW: u32 = u32::MAX;

impl<'a> Digits<'a> {
    fn new(fabric: &'a Fabric, space: &'a PathSpace, tree: &'a FatTree, widths: &[usize]) -> Self {
        let leaves = tree.leaves();
        let hosts_of = |leaf: u32| fabric.hosts_of(SwitchId::new(leaf));
        let most = leaves.iter().map(|&leaf| hosts_of(leaf).len()).max();
        let mut found = Self {
            fabric,
            space,
            tree,
            exits: vec![vec![0; fabric.host_count()]; widths.len()],
            leaves_below: vec![Vec::new(); space.switch_count()],
        };
        for (nth, &leaf) in (0..).zip(leaves) {
            found.leaves_below[leaf as usize] = vec![narrow(nth, "leaves are switches")];
            for (place, &host) in hosts_of(leaf).iter().enumerate() {
                let mut rest = nth * most.unwrap_or(0) + place;
                for (exits, &width) in found.exits.iter_mut().zip(widths) {
                    exits[host.index()] =
                        narrow(rest % width.max(1), "a switch has at most 255 ports");
                    rest /= width.max(1);
                }
            }
        }
        for level in 1..=tree.height() {
            for &at in tree.level(level) {
                let children = tree.downs(space, at).map(|edge| space.edge(edge).to);
                let below = children.flat_map(|child| &found.leaves_below[child as usize]);
                let mut below: Vec<u32> = below.copied().collect();
                below.sort_unstable();
                below.dedup();
                found.leaves_below[at as usize] = below;
            }
        }
        found
    }

    /// Fills in the entries of a switch. Its leaf's hosts are there, where it has any.
    fn fill(&self, at: u32, row: &mut [PortNumber]) {
        let Some(level) = self.tree.level_of(at) else {
            return;
        };
        let port = |edge: u32| self.space.edge(edge).port;
        let ups: Vec<PortNumber> = self.tree.ups(at).iter().map(|&edge| port(edge)).collect();
        let downs: Vec<u32> = self.tree.downs(self.space, at).collect();
        // Per leaf: the first of the channels down that lead to it.
        let mut first = vec![NOT_BELOW; self.tree.leaves().len()];
        for &edge in downs.iter().rev() {
            for &leaf in &self.leaves_below[self.space.edge(edge).to as usize] {
                first[leaf as usize] = edge;
            }
        }
        for (&leaf, &down) in self.tree.leaves().iter().zip(&first) {
            if leaf == at {
                continue;
            }
            let hosts = self.fabric.hosts_of(SwitchId::new(leaf));
            if down == NOT_BELOW {
                if level == self.tree.height() {
                    continue;
                }
                let exits = &self.exits[level];
                for &host in hosts {
                    if let Some(&up) = ups.get(usize::from(exits[host.index()])) {
                        row[host.index()] = up;
                    }
                }
                continue;
            }
            // Of parallel links the one that leads up by the same digit, if any does.
            let below = self.tree.ups(self.space.edge(down).to);
            let to_here = below.iter().filter(|&&up| self.space.edge(up).to == at);
            let parallel: Vec<u32> = to_here.copied().collect();
            let together = below.len().div_ceil(parallel.len().max(1));
            if let [only] = parallel[..] {
                let down = port(self.space.edge(only).reverse);
                for &host in hosts {
                    row[host.index()] = down;
                }
                continue;
            }
            let exits = &self.exits[level - 1];
            for &host in hosts {
                let round = usize::from(exits[host.index()]) / together;
                if let Some(&up) = parallel.get(round).or(parallel.first()) {
                    row[host.index()] = port(self.space.edge(up).reverse);
                }
            }
        }
    }

    /// Tells of the first way that does not end at its host's leaf.
    fn astray(&self, routes: &Routes) -> Option<RoutingError> {
        let leaves = || self.tree.leaves().iter().map(|&leaf| SwitchId::new(leaf));
        let mut pairs = leaves().flat_map(|leaf| {
            let hosts = self.fabric.hosts_of(leaf).iter();
            hosts.flat_map(move |&host| leaves().map(move |from| (from, host)))
        });
        let ends_elsewhere = |&(from, host): &(SwitchId, HostId)| {
            let mut walk = routes.walk_hosts(self.fabric, self.fabric.hosts_of(from)[0], host);
            let is_stuck = walk.by_ref().any(|step| step.hop.is_err());
            is_stuck || walk.switch() != self.fabric.host_switch(host)
        };
        let (from, host) = pairs.find(ends_elsewhere)?;
        let name = |switch: SwitchId| &self.fabric.switch(switch).name;
        Some(no_tree(
            self.fabric,
            format!(
                "from “{}” the digits of a host of “{}” lead to a switch that is not above it",
                name(from),
                name(self.fabric.host_switch(host))
            ),
        ))
    }
}
