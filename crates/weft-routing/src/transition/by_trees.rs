//! Plans by way of spanning trees, where packets by old entries and new ones alone would have to be dropped.
//!
//! In a tree no packets wait in a circle, wherever they go and on whatever lanes. So from tables beside which those of a tree
//! wait in none everybody can change to the tree, from there to other trees, and to tables that the last of them waits in
//! none beside.

use super::addresses::Address;
use super::candidates;
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::Mixture;
use super::phase::Wanted;
use super::planner::{Manner, Planner};
use super::senders::NOBODY;
use super::side::NOWHERE;
use super::spanning_trees::{Exits, Links, Tree};
use super::{ByTrees, LevelChange, TransitionPlan};
use crate::cycles::AcyclicDependencies;
use weft_fabric::Fabric;

/// Addresses times switches up to which packets go by trees: beyond, to find an order takes minutes.
const MOST_WORK: usize = 1 << 17;
/// The part of the links of a tree that may close circles with what stands, where destination after destination may do yet.
const MOST_REFUSED: usize = 4;

/// A plan that drains nobody; `None` where none is found.
pub(super) fn plan(joint: &Joint, after: &Fabric) -> Option<TransitionPlan> {
    let is_plain =
        !joint.lanes.is_by_port() && joint.addresses.iter().all(|of| of.removed.is_empty());
    if !is_plain || joint.addresses.len() * joint.left_count > MOST_WORK {
        return None;
    }
    let links = Links::new(joint);
    let trees = trees(joint, &links)?;
    let hosts: Vec<u64> = after
        .switch_ids()
        .map(|at| after.hosts_of(at).len() as u64)
        .collect();
    let most_pairs = trees.iter().map(|tree| links.most_pairs(tree, &hosts));
    let by_trees = ByTrees {
        count: trees.len(),
        most_pairs: most_pairs.max()?,
    };
    let mut stations = vec![exits_of(joint, |of| &of.old.exits)];
    stations.extend(trees.iter().map(|tree| links.exits(tree)));
    stations.push(exits_of(joint, |of| &of.new.exits));
    let mut whole: Option<TransitionPlan> = None;
    for (number, pair) in stations.windows(2).enumerate() {
        let entries = leg(joint, [&pair[0], &pair[1]], [number > 0; 2]);
        let mut plans = vec![candidates::best(&entries, after)];
        if number == 0 && joint.changes_levels() {
            let levels = leg(joint, [&pair[1]; 2], [false, true]);
            plans.push(told(&levels, after)?);
        }
        for plan in plans {
            if plan.drained_count() > 0 {
                return None;
            }
            match &mut whole {
                Some(whole) => whole.phases.extend(plan.phases),
                None => whole = Some(plan),
            }
        }
    }
    let mut whole = whole?;
    whole.levels = joint.levels_in_turn();
    whole.by_trees = Some(by_trees);
    Some(whole)
}

/// Trees of which each follows the one before: the first beside the old tables, the last beside the new ones.
fn trees(joint: &Joint, links: &Links<'_>) -> Option<Vec<Tree>> {
    let (old, new) = (graph(joint, false)?, graph(joint, true)?);
    let both = links.tree(&[old.clone(), new.clone()], None)?;
    if both.refused == 0 {
        return Some(vec![both.tree]);
    }
    let graphs = [[old], [new]];
    let first = links.tree(&graphs[0], Some(&both.tree))?;
    let last = links.tree(&graphs[1], Some(&first.tree))?;
    let mut ends = [first, last];
    let mut alike = ends[1].alike;
    // Each beside the other by turns: the more alike they are, the fewer trees there are between them.
    for side in [0, 1].into_iter().cycle() {
        let nearer = links.tree(&graphs[side], Some(&ends[1 - side].tree))?;
        if nearer.refused > ends[side].refused || nearer.alike <= alike {
            break;
        }
        alike = nearer.alike;
        ends[side] = nearer;
    }
    let [first, last] = ends;
    let refused = first.refused.max(last.refused);
    (refused * MOST_REFUSED <= joint.left_count).then(|| links.between(&first.tree, &last.tree))
}

/// What packets wait for by the old tables or the new ones; `None` where that closes a circle.
fn graph(joint: &Joint, is_new: bool) -> Option<AcyclicDependencies> {
    let mut wanted = Wanted::new(joint);
    for (number, address) in joint.addresses.iter().enumerate() {
        let (entries, rows) = if is_new {
            (&address.new, Rows::New)
        } else {
            (&address.old, Rows::Old)
        };
        let senders = joint.senders(number, [&entries.sent, NOBODY], (rows, !is_new));
        wanted.add(&Mixture::of_one(joint, &entries.exits, senders));
    }
    wanted.into_graph()
}

fn exits_of(joint: &Joint, of: impl Fn(&Address) -> &Vec<u32>) -> Exits {
    joint
        .addresses
        .iter()
        .map(|address| of(address).clone())
        .collect()
}

/// A part of the way, from tables to others; `told`: whether hosts send by new levels before it, and after it. In the first
/// part alone nobody does at either end.
fn leg(joint: &Joint, [from, to]: [&Exits; 2], told: [bool; 2]) -> Joint {
    let is_first = told == [false; 2];
    let mut leg = joint.clone();
    if !is_first {
        let [before, now] = &mut leg.management;
        before.clone_from(now);
    }
    for (address, exits) in leg.addresses.iter_mut().zip(from.iter().zip(to)) {
        address.old.exits.clone_from(exits.0);
        address.new.exits.clone_from(exits.1);
        let sent = [address.old.sent.clone(), address.new.sent.clone()];
        let [before, after] = told.map(|is_new| sent[usize::from(is_new)].clone());
        if !is_first {
            address.past.clone_from(&before);
            if !address.is_left {
                address.old.exits.fill(NOWHERE);
            }
        }
        address.old.sent = before;
        address.new.sent = after;
    }
    leg
}

/// Hosts are told new levels, and let go of old ones.
fn told(joint: &Joint, after: &Fabric) -> Option<TransitionPlan> {
    let natural: Vec<usize> = (0..joint.addresses.len()).collect();
    let mut planner = Planner::new(joint, after, Manner::ONE_BY_ONE, &natural);
    let mut phase = planner.open()?;
    planner.answer(&mut phase);
    planner.renew(&mut phase);
    planner.close(phase);
    planner.finished(LevelChange::InTurn)
}
