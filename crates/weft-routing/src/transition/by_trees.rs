//! Plans by way of spanning trees, where packets by old entries and new ones alone would have to be dropped.
//!
//! In a tree no packets wait in a circle, wherever they go. So from tables beside which those of a tree wait in none everybody
//! can change to the tree, from there to other trees, and to tables that the last of them waits in none beside. Hosts send by
//! one service level meanwhile, so that there is one lane where trees and tables meet.

use super::addresses::{Address, Entries, Sent};
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::Mixture;
use super::phase::Wanted;
use super::senders::NOBODY;
use super::side::NOWHERE;
use super::spanning_trees::{Exits, Links, Tree};
use super::{ByTrees, LevelChange, Renewal, Step, TransitionPlan, searched_order, undrained};
use crate::cycles::AcyclicDependencies;
use crate::progress::Progress;
use weft_fabric::{Fabric, SwitchId};

/// Addresses times switches up to which packets go by trees: beyond, to find an order takes many minutes.
const MOST_WORK: usize = 1 << 20;
/// Those up to which another service level is tried where that by which fewest are sent to leads nowhere.
const MOST_WORK_OF_LEVELS: usize = 1 << 17;
/// The part of the links of a tree that may close circles with what stands, where destination after destination may do yet.
const MOST_REFUSED: usize = 4;
/// Service levels that are tried.
const MOST_LEVELS: usize = 3;

/// A plan that drains nobody; `None` where none is found.
pub(super) fn plan(joint: &Joint, after: &Fabric, progress: &Progress) -> Option<TransitionPlan> {
    let is_plain =
        !joint.lanes.is_by_port() && joint.addresses.iter().all(|of| of.removed.is_empty());
    let work = joint.addresses.len() * joint.left_count;
    if !is_plain || work > MOST_WORK {
        return None;
    }
    let graphs = [graph(joint, false)?, graph(joint, true)?];
    let most_levels = if work > MOST_WORK_OF_LEVELS {
        1
    } else {
        MOST_LEVELS
    };
    let mut levels = least_used(joint).into_iter().take(most_levels);
    levels.find_map(|level| on_level(joint, after, (&graphs, level), progress))
}

/// The service levels, those first by which fewest are sent to by old tables and new.
fn least_used(joint: &Joint) -> Vec<u8> {
    let mut levels: Vec<u8> = (0..=u8::MAX).take(joint.lane_count).collect();
    levels.sort_by_cached_key(|level| {
        let all = joint.addresses.iter();
        let sent = all.flat_map(|address| [&address.old.sent, &address.new.sent]);
        sent.flatten()
            .filter(|sent| sent.levels >> level & 1 == 1)
            .count()
    });
    levels
}

/// A plan by which hosts send by one service level while packets go by trees, whatever theirs was before and is afterwards.
/// A tree has to be free beside what old tables have on the lane of that alone: on others it leads to one destination after
/// another for a while, until hosts are told.
fn on_level(
    joint: &Joint,
    after: &Fabric,
    (graphs, level): (&[AcyclicDependencies; 2], u8),
    progress: &Progress,
) -> Option<TransitionPlan> {
    let links = Links::new(joint, level);
    let trees = trees(joint, &links, graphs)?;
    let hosts: Vec<u64> = after
        .switch_ids()
        .map(|at| after.hosts_of(at).len() as u64)
        .collect();
    let most_pairs = trees.iter().map(|tree| links.most_pairs(tree, &hosts));
    let by_trees = ByTrees {
        count: trees.len(),
        most_pairs: most_pairs.max()?,
        level,
    };
    let mut stations = vec![Station::of(joint, |of| &of.old)];
    stations.extend(trees.iter().map(|tree| {
        Station {
            exits: links.exits(tree),
            sent: joint
                .addresses
                .iter()
                .map(|of| by(level, &of.old.sent))
                .collect(),
        }
    }));
    stations.push(Station::of(joint, |of| &of.new));
    progress.begin(stations.len() - 1);
    let mut whole: Option<TransitionPlan> = None;
    let mut levels = LevelChange::None;
    for (number, pair) in stations.windows(2).enumerate() {
        let leg = leg(joint, [&pair[0], &pair[1]], number == 0);
        let is_last = number + 2 == stations.len();
        let plan = planned(&leg, after, is_last)?;
        match &mut whole {
            Some(whole) => whole.phases.extend(plan.phases),
            None => whole = Some(for_trees(plan, &leg)),
        }
        if leg.changes_levels() {
            levels = LevelChange::InTurn;
        }
        progress.advance();
    }
    let mut whole = whole?;
    whole.levels = levels;
    whole.by_trees = Some(by_trees);
    Some(whole)
}

/// A part of the way, the last one from its end back where it takes that.
fn planned(leg: &Joint, after: &Fabric, is_last: bool) -> Option<TransitionPlan> {
    let backwards = || is_last.then(|| undrained::backwards(leg, after)).flatten();
    undrained::forwards(leg, after)
        .or_else(backwards)
        .or_else(|| searched_order::undrained(leg, after))
}

/// The plan of the first part, whose new service levels are those of trees.
fn for_trees(mut plan: TransitionPlan, leg: &Joint) -> TransitionPlan {
    for phase in &mut plan.phases {
        let steps = std::mem::take(&mut phase.steps).into_iter();
        let of_trees = steps.filter_map(|step| match step {
            // They are told when the others let go of old ones.
            Step::Answer(_) => None,
            Step::Renew(addresses) => {
                let each = addresses.into_iter().flat_map(|address| {
                    let all = leg.addresses[address as usize].changing_levels();
                    all.map(move |from| Renewal {
                        address,
                        switch: SwitchId::new(from),
                    })
                });
                Some(Step::RenewForTrees(each.collect()))
            }
            Step::RenewEach(renewals) => Some(Step::RenewForTrees(renewals)),
            step => Some(step),
        });
        phase.steps = of_trees.collect();
    }
    plan
}

/// Trees of which each follows the one before: the first beside the old tables, the last beside the new ones, by what
/// packets wait for by these.
fn trees(joint: &Joint, links: &Links<'_>, graphs: &[AcyclicDependencies; 2]) -> Option<Vec<Tree>> {
    let both = links.tree(graphs, None)?;
    if both.refused == 0 {
        return Some(vec![both.tree]);
    }
    let of = |side: usize| &graphs[side..=side];
    let first = links.tree(of(0), Some(&both.tree))?;
    let last = links.tree(of(1), Some(&first.tree))?;
    let mut ends = [first, last];
    let mut alike = ends[1].alike;
    // Each beside the other by turns: the more alike they are, the fewer trees there are between them.
    for side in [0, 1].into_iter().cycle() {
        let nearer = links.tree(of(side), Some(&ends[1 - side].tree))?;
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

/// What there is at some time of the way.
struct Station {
    exits: Exits,
    /// Per address: who sends there.
    sent: Vec<Vec<Sent>>,
}

impl Station {
    fn of(joint: &Joint, side: impl Fn(&Address) -> &Entries) -> Self {
        let all = || joint.addresses.iter().map(&side);
        Self {
            exits: all().map(|of| of.exits.clone()).collect(),
            sent: all().map(|of| of.sent.clone()).collect(),
        }
    }
}

/// The same senders by one level.
fn by(level: u8, sent: &[Sent]) -> Vec<Sent> {
    let on_level = |of: &Sent| Sent {
        levels: 1 << level,
        ..*of
    };
    sent.iter().map(on_level).collect()
}

/// A part of the way.
fn leg(joint: &Joint, [from, to]: [&Station; 2], is_first: bool) -> Joint {
    let mut leg = joint.clone();
    if !is_first {
        let [before, now] = &mut leg.management;
        before.clone_from(now);
    }
    for (number, address) in leg.addresses.iter_mut().enumerate() {
        for (side, of) in [(&mut address.old, from), (&mut address.new, to)] {
            side.exits.clone_from(&of.exits[number]);
            side.sent.clone_from(&of.sent[number]);
        }
        if !is_first {
            address.past.clone_from(&address.old.sent);
            if !address.is_left {
                address.old.exits.fill(NOWHERE);
            }
        }
    }
    leg
}
