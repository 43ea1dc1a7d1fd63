//! The check of a transition: every packet that may be on its way at any moment, followed by itself.
//!
//! It uses nothing of the planner but the plan. A packet may be as slow as it likes: what it meets at a switch
//! is any entry that stands there from when it came on.

mod ends;
mod entries;
mod lanes;
mod obstructions;
mod packets;
mod shape;
mod told;

pub use obstructions::{ObstructionError, check_obstructions};

use ends::{Ends, Sent};
use entries::{PhaseWrites, Timeline};
use lanes::{LaneRows, LaneTimeline};
use packets::{Followed, Ground, Start};
use rayon::prelude::*;
use shape::{check_shape, check_trees};
use std::collections::BTreeSet;
use told::Told;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, TransitionPlan};

/// A plan does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum TransitionCheckError {
    /// The plan is not of these tables.
    #[error("the plan does not tell of address {alias} of “{destination}” once")]
    Addresses { destination: String, alias: u8 },
    /// An order ranks other channels or lanes than there are.
    #[error("phase {phase} ranks {found} lanes of channels; expected {expected}")]
    Order {
        phase: usize,
        found: usize,
        expected: usize,
    },
    /// The tables have lanes that the plan does not rank.
    #[error("the plan ranks {found} lanes of each channel, but the tables use {expected}")]
    Lanes { found: u8, expected: u8 },
    /// Hosts are told a service level for spanning trees that is none.
    #[error(
        "hosts are told {} for spanning trees; expected one that is below the {lanes} lanes",
        found.map_or_else(|| "no service level".to_owned(), |level| format!("service level {level}"))
    )]
    TreeLevel { found: Option<u8>, lanes: u8 },
    /// Hosts are told to go back to a tree.
    #[error(
        "hosts are told the service level of spanning trees for “{destination}” after new ones; expected before"
    )]
    TreesLate { destination: String },
    /// Something changes without a proof.
    #[error(
        "phase {phase} has no order of the channels, though it does more than clear entries at the beginning"
    )]
    Unproved { phase: usize },
    /// An entry is written twice at once, or is none of the fabric's.
    #[error(
        "phase {phase} writes an entry of switch {switch} that is none, or writes it twice in a step"
    )]
    Write { phase: usize, switch: usize },
    /// A packet may wait against the order.
    #[error(
        "in phase {phase} a packet to address {alias} of “{destination}” may hold lane {held_lane} of {held}, of \
         rank {held_rank}, and want lane {wanted_lane} of {wanted}, of rank {wanted_rank}"
    )]
    NotAscending {
        phase: usize,
        destination: String,
        alias: u8,
        held: String,
        held_lane: Lane,
        held_rank: u32,
        wanted: String,
        wanted_lane: Lane,
        wanted_rank: u32,
    },
    /// The new tables are not there at the end.
    #[error(
        "at the end switch “{switch}” does not have its new entry for address {alias} of “{destination}”"
    )]
    Unfinished {
        switch: String,
        destination: String,
        alias: u8,
    },
    /// The new lane tables are not there at the end.
    #[error("at the end switch “{switch}” does not have its new lane tables")]
    LanesUnfinished { switch: String },
    /// Hosts are not told new service levels.
    #[error("at the end hosts are not told the new service levels for “{destination}”")]
    Untold { destination: String },
}

/// What the check of a transition finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedTransition {
    /// Phases in which packets ascend an order of the channels, from the last one backwards.
    pub proved_phases: usize,
    /// Addresses that are not drained, but packets to which may be dropped by entries that the plan writes:
    /// by their places in the plan.
    pub dropped: Vec<u32>,
    /// Dependencies looked at, those of a phase each once for each address.
    pub dependencies: u64,
}

/// Checks that no packets wait for one another in a circle at any moment of a transition, and that it ends
/// with the new tables.
///
/// # Errors
/// [`TransitionCheckError`] names the first thing that does not hold.
///
/// # Complexity
/// Time in proportion to what packets may meet, for each phase and address, on all cores.
pub fn check_transition(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
    plan: &TransitionPlan,
) -> Result<CheckedTransition, TransitionCheckError> {
    let lanes = old.lane_count().max(new.lane_count());
    if plan.lane_count < lanes {
        return Err(TransitionCheckError::Lanes {
            found: plan.lane_count,
            expected: lanes,
        });
    }
    check_trees(plan)?;
    let ends = Ends::new([before, after], [old, new]);
    let addresses = ends.addresses(plan)?;
    let rows = LaneRows::new(&ends, plan.lane_count);
    let mut checked = CheckedTransition {
        proved_phases: 0,
        dropped: Vec::new(),
        dependencies: 0,
    };
    for (number, phase) in plan.phases.iter().enumerate() {
        check_shape(after, plan, (number, phase))?;
        checked.proved_phases += usize::from(phase.order.is_some());
    }
    let management = ends.management(&addresses, plan);
    let writes: Vec<PhaseWrites> = plan
        .phases
        .iter()
        .map(|phase| PhaseWrites::of(phase, addresses.len()))
        .collect();
    let lane_timelines = lane_timelines(plan);
    if let (Some(rows), Some(last)) = (&rows, lane_timelines.last()) {
        let levels = old.lanes_per_turn().max(new.lanes_per_turn());
        if let Some(at) = rows.unwritten(last, levels) {
            let switch = after.switch(at).name.clone();
            return Err(TransitionCheckError::LanesUnfinished { switch });
        }
    }
    let course = Course {
        plan,
        writes: &writes,
        rows: rows.as_ref(),
        lane_timelines: &lane_timelines,
        management: &management,
    };
    let numbers = 0..addresses.len();
    let found: Vec<Result<Followed, _>> = numbers
        .into_par_iter()
        .map(|number| check_address(&ends, course, (number, addresses[number])))
        .collect();
    for (number, followed) in (0..).zip(found) {
        // The first error is told, which is the same on any number of cores.
        let followed = followed?;
        checked.dependencies += followed.dependencies;
        if followed.drops && !plan.addresses[number as usize].is_drained {
            checked.dropped.push(number);
        }
    }
    Ok(checked)
}

/// What happens, phase by phase.
#[derive(Clone, Copy)]
struct Course<'a> {
    plan: &'a TransitionPlan,
    writes: &'a [PhaseWrites],
    /// How switches choose lanes, where they do.
    rows: Option<&'a LaneRows<'a>>,
    /// Per phase, and one more: what becomes of the lane tables, and what became of them.
    lane_timelines: &'a [LaneTimeline],
    /// What switches without hosts send, before and after.
    management: &'a [BTreeSet<Sent>; 2],
}

/// What becomes of the lane tables phase by phase, and what became of them at the end.
fn lane_timelines(plan: &TransitionPlan) -> Vec<LaneTimeline> {
    let mut timelines = vec![LaneTimeline::default()];
    for phase in &plan.phases {
        let Some(before) = timelines.pop() else {
            unreachable!("there is one always");
        };
        let during = before.during(phase);
        let after = during.clone();
        timelines.extend([during, after]);
    }
    timelines
}

/// Follows the packets to one address through all phases.
fn check_address(
    ends: &Ends<'_>,
    course: Course<'_>,
    (number, address): (usize, ends::Address),
) -> Result<Followed, TransitionCheckError> {
    let (after, plan, rows) = (ends.fabrics[1], course.plan, course.rows);
    let mut all = Followed::default();
    let [old_ports, new_ports] = ends.ports(address);
    let [old_sent, new_sent] = ends.sent(address);
    let [managed_before, managed] = course.management;
    let mut ports = old_ports.clone();
    // Who sends from another port by a level that others of its switch send by is told nothing that they were not: its
    // packets count from the beginning.
    let of_trees = plan.by_trees.map(|by| Lane::new(by.level));
    let mut told = Told::new([&old_sent, &new_sent], of_trees);
    for (phase_number, (phase, writes)) in plan.phases.iter().zip(course.writes).enumerate() {
        let timeline = Timeline::new(&ports, (phase, writes), number);
        let mut starts: Vec<Start> = Vec::new();
        for &sent in &new_sent {
            if let Some(from) = told.begins(sent.at, &timeline) {
                starts.extend(Start::of(sent, rows, (from, u32::MAX)));
            }
        }
        for &sent in &old_sent {
            if let Some(until) = told.ends(sent.at, &timeline) {
                starts.extend(Start::of(sent, rows, (0, until)));
            }
            if let (Some(level), Some(steps)) = (of_trees, told.by_trees(sent.at, &timeline)) {
                starts.extend(Start::of(Sent { level, ..sent }, rows, steps));
            }
        }
        let of = |&sent| Start::of(sent, rows, (0, u32::MAX));
        let mut of_management: Vec<Start> = managed.iter().flat_map(of).collect();
        if phase_number == 0 {
            let sent = ends.sent_before(address);
            for (starts, sent) in [(&mut starts, &sent), (&mut of_management, managed_before)] {
                let past = ends.past(address, sent).into_iter();
                starts.extend(past.flat_map(|passed| Start::passed(passed, rows)));
            }
        }
        let ground = Ground {
            fabric: after,
            arrival: ends.arrival(address),
            old: &old_ports,
            lanes: rows.map(|rows| (rows, &course.lane_timelines[phase_number])),
        };
        let followed = packets::follow(ground, &timeline, &starts);
        // Whether switches' packets are lost is not asked.
        let beside = packets::follow(ground, &timeline, &of_management);
        if let Some(order) = &phase.order {
            for &turn in followed.turns.iter().chain(&beside.turns) {
                ascend(after, plan, order, turn).map_err(|ranks| {
                    not_ascending(after, plan, (phase_number, number), turn, ranks)
                })?;
            }
        }
        all.dependencies += followed.turns.len() as u64;
        all.drops |= followed.drops && address.is_left();
        told.pass(&timeline);
        ports = timeline.last();
    }
    finish(ends, plan, number, [&ports, &new_ports])?;
    let is_told = new_sent.iter().all(|sent| told.knows(sent.at));
    if !is_told && address.is_left() {
        return Err(TransitionCheckError::Untold {
            destination: plan.addresses[number].destination.clone(),
        });
    }
    Ok(all)
}

type Turn = [(ChannelId, Lane); 2];

fn ascend(
    after: &Fabric,
    plan: &TransitionPlan,
    order: &[u32],
    turn: Turn,
) -> Result<(), [u32; 2]> {
    debug_assert!(order.len() >= after.channel_count());
    let rank = |(channel, lane): (ChannelId, Lane)| {
        order[channel.index() * usize::from(plan.lane_count) + lane.index()]
    };
    let ranks = turn.map(rank);
    if ranks[0] < ranks[1] {
        Ok(())
    } else {
        Err(ranks)
    }
}

fn not_ascending(
    after: &Fabric,
    plan: &TransitionPlan,
    (phase, number): (usize, usize),
    [(held, held_lane), (wanted, wanted_lane)]: Turn,
    [held_rank, wanted_rank]: [u32; 2],
) -> TransitionCheckError {
    TransitionCheckError::NotAscending {
        phase,
        destination: plan.addresses[number].destination.clone(),
        alias: plan.addresses[number].alias,
        held: after.describe_channel(held),
        held_lane,
        held_rank,
        wanted: after.describe_channel(wanted),
        wanted_lane,
        wanted_rank,
    }
}

/// Makes sure that every new entry is there; where the new tables have none an old one may stay.
fn finish(
    ends: &Ends<'_>,
    plan: &TransitionPlan,
    number: usize,
    [found, new]: [&[Option<PortNumber>]; 2],
) -> Result<(), TransitionCheckError> {
    let wrong = (0..)
        .zip(found.iter().zip(new))
        .find(|(_, (found, new))| new.is_some() && found != new);
    wrong.map_or(Ok(()), |(switch, _)| {
        Err(TransitionCheckError::Unfinished {
            switch: ends.fabrics[1].switch(SwitchId::new(switch)).name.clone(),
            destination: plan.addresses[number].destination.clone(),
            alias: plan.addresses[number].alias,
        })
    })
}
