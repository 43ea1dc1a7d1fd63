//! d-mod-k: on fat trees, up by the digits of the destination's number, then down.

use super::{Algorithm, Lanes, Needs, Refusal, RouteFunction};
use crate::error::RoutingError;
use crate::form::{ForwardingTables, PairGranularity, Routes};
use crate::orient::routed_part;
use crate::parameters::Parameters;
use crate::paths::{PathSpace, TurnRule};
use crate::shape::{FatTree, no_tree};
use weft_fabric::{Fabric, SwitchId};

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
    let widths = widths(fabric, &tree)?;
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    let hosts_of = |leaf: u32| fabric.hosts_of(SwitchId::new(leaf));
    let leaves = tree.leaves();
    let most = leaves.iter().map(|&leaf| hosts_of(leaf).len()).max();
    let mut is_above = vec![false; space.switch_count()];
    let all = (0..).take(space.switch_count());
    for (nth, &leaf) in leaves.iter().enumerate() {
        let climb = climb(&space, &tree, leaf, &mut is_above);
        for (place, &host) in hosts_of(leaf).iter().enumerate() {
            let way = Digits {
                space: &space,
                tree: &tree,
                exits: exits(&widths, nth * most.unwrap_or(0) + place),
                is_above: &is_above,
            };
            let next: Vec<Option<u32>> = all.clone().map(|at| way.next(at)).collect();
            for (at, &edge) in all.clone().zip(&next) {
                if let Some(edge) = edge {
                    tables.set_next_port(SwitchId::new(at), host.index(), space.edge(edge).port);
                }
            }
            if let Some(from) = leaves
                .iter()
                .find(|&&from| end(&space, &next, from) != leaf)
            {
                let name = |switch: u32| &fabric.switch(SwitchId::new(switch)).name;
                return Err(no_tree(
                    fabric,
                    format!(
                        "from “{}” the digits of a host of “{}” lead to a switch that is not above it",
                        name(*from),
                        name(leaf)
                    ),
                ));
            }
        }
        for at in climb {
            is_above[at as usize] = false;
        }
    }
    Ok(tables.into())
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

/// The channels up, by level, towards a host's number.
fn exits(widths: &[usize], number: usize) -> Vec<usize> {
    let mut rest = number;
    let digit = |&width: &usize| {
        let digit = rest % width.max(1);
        rest /= width.max(1);
        digit
    };
    widths.iter().map(digit).collect()
}

/// Marks a leaf and all switches above it, and lists them.
fn climb(space: &PathSpace, tree: &FatTree, leaf: u32, is_above: &mut [bool]) -> Vec<u32> {
    let mut met = vec![leaf];
    is_above[leaf as usize] = true;
    let mut place = 0;
    while let Some(&at) = met.get(place) {
        place += 1;
        for &edge in tree.ups(at) {
            let to = space.edge(edge).to;
            if !is_above[to as usize] {
                is_above[to as usize] = true;
                met.push(to);
            }
        }
    }
    met
}

/// The way to one host.
struct Digits<'a> {
    space: &'a PathSpace,
    tree: &'a FatTree,
    /// Per level: the channel up.
    exits: Vec<usize>,
    /// Per switch: whether it is the host's leaf or above it.
    is_above: &'a [bool],
}

impl Digits<'_> {
    /// The channel that a switch takes; `None` at the leaf, and where there is none.
    fn next(&self, at: u32) -> Option<u32> {
        let level = self.tree.level_of(at)?;
        if !self.is_above[at as usize] {
            let exit = *self.exits.get(level)?;
            return self.tree.ups(at).get(exit).copied();
        }
        let mut downs = self.tree.downs(self.space, at);
        let to = |edge: u32| self.space.edge(edge).to;
        let first = downs.find(|&edge| self.is_above[to(edge) as usize])?;
        // Of parallel links the one that leads up by the same digit, if any does.
        let below = self.tree.ups(to(first));
        let parallel = below.iter().filter(|&&up| to(up) == at);
        let round = self.exits[level - 1] / below.len().div_ceil(parallel.clone().count().max(1));
        let up = parallel.clone().nth(round).or(parallel.clone().next());
        up.map(|&up| self.space.edge(up).reverse)
    }
}

/// Where the way from a leaf ends, which goes up first and then down.
fn end(space: &PathSpace, next: &[Option<u32>], leaf: u32) -> u32 {
    let mut at = leaf;
    while let Some(edge) = next[at as usize] {
        at = space.edge(edge).to;
    }
    at
}
