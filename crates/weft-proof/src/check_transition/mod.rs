//! The check of a transition: every packet that may be on its way at any moment, followed by itself.
//!
//! It uses nothing of the planner but the plan. A packet may be as slow as it likes: what it meets at a switch
//! is any entry that stands there from when it came on.

mod ends;
mod entries;
mod obstructions;
mod packets;

pub use obstructions::{ObstructionError, check_obstructions};

use ends::Ends;
use entries::{PhaseWrites, Timeline};
use packets::{Followed, Start};
use rayon::prelude::*;
use std::collections::BTreeSet;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, Phase, Step, TransitionPlan};

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
        "in phase {phase} a packet to address {alias} of “{destination}” may hold {held} of rank {held_rank} \
         and want {wanted} of rank {wanted_rank}, on lane {lane}"
    )]
    NotAscending {
        phase: usize,
        destination: String,
        alias: u8,
        lane: Lane,
        held: String,
        held_rank: u32,
        wanted: String,
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
    let ends = Ends::new([before, after], [old, new]);
    let addresses = ends.addresses(plan)?;
    let mut checked = CheckedTransition {
        proved_phases: 0,
        dropped: Vec::new(),
        dependencies: 0,
    };
    for (number, phase) in plan.phases.iter().enumerate() {
        check_shape(after, plan, (number, phase))?;
        checked.proved_phases += usize::from(phase.order.is_some());
    }
    let writes: Vec<PhaseWrites> = plan
        .phases
        .iter()
        .map(|phase| PhaseWrites::of(phase, addresses.len()))
        .collect();
    let numbers = 0..addresses.len();
    let found: Vec<Followed> = numbers
        .into_par_iter()
        .map(|number| check_address(&ends, (plan, &writes), (number, addresses[number])))
        .collect::<Result<_, _>>()?;
    for (number, followed) in (0..).zip(found) {
        checked.dependencies += followed.dependencies;
        if followed.drops && !plan.addresses[number as usize].is_drained {
            checked.dropped.push(number);
        }
    }
    Ok(checked)
}

/// Makes sure that a phase is what it has to be whatever packets there are.
fn check_shape(
    after: &Fabric,
    plan: &TransitionPlan,
    (number, phase): (usize, &Phase),
) -> Result<(), TransitionCheckError> {
    let expected = after.channel_count() * usize::from(plan.lane_count);
    match &phase.order {
        Some(order) if order.len() != expected => {
            return Err(TransitionCheckError::Order {
                phase: number,
                found: order.len(),
                expected,
            });
        }
        Some(_) => {}
        None => {
            let clears = |step: &Step| match step {
                Step::Write(writes) => writes.iter().all(|write| write.port.is_none()),
                Step::Answer(of) | Step::Renew(of) => {
                    let mut all = of.iter().map(|&address| &plan.addresses[address as usize]);
                    all.all(|address| address.is_drained)
                }
            };
            if number > 0 || !phase.steps.iter().all(clears) {
                return Err(TransitionCheckError::Unproved { phase: number });
            }
        }
    }
    for step in &phase.steps {
        let Step::Write(writes) = step else { continue };
        let mut written = BTreeSet::new();
        for write in writes {
            let switch = write.switch.index();
            let is_known = switch < after.switch_count()
                && (write.address as usize) < plan.addresses.len()
                && written.insert((write.switch, write.address));
            if !is_known {
                return Err(TransitionCheckError::Write {
                    phase: number,
                    switch,
                });
            }
        }
    }
    Ok(())
}

/// Follows the packets to one address through all phases.
fn check_address(
    ends: &Ends<'_>,
    (plan, writes): (&TransitionPlan, &[PhaseWrites]),
    (number, address): (usize, ends::Address),
) -> Result<Followed, TransitionCheckError> {
    let after = ends.fabrics[1];
    let mut all = Followed::default();
    let [old_ports, new_ports] = ends.ports(address);
    let [old_sent, new_sent] = ends.sent(address);
    let mut ports = old_ports.clone();
    let is_same = old_sent == new_sent;
    let (mut has_answer, mut is_renewed) = (is_same, false);
    for (phase_number, (phase, writes)) in plan.phases.iter().zip(writes).enumerate() {
        let timeline = Timeline::new(&ports, (phase, writes), number);
        let mut starts: Vec<Start> = Vec::new();
        let [answer, renewal] = timeline.levels;
        if has_answer || answer.is_some() {
            let from = if has_answer { 0 } else { answer.unwrap_or(0) };
            starts.extend(new_sent.iter().map(|&sent| Start::of(sent, from, u32::MAX)));
        }
        if !is_renewed {
            let until = renewal.unwrap_or(u32::MAX);
            starts.extend(old_sent.iter().map(|&sent| Start::of(sent, 0, until)));
        }
        if phase_number == 0 {
            let past = ends.past(address);
            starts.extend(past.into_iter().map(|sent| Start::of(sent, 0, u32::MAX)));
        }
        let followed =
            packets::follow(after, ends.arrival(address), &timeline, &old_ports, &starts);
        if let Some(order) = &phase.order {
            for &(held, wanted, lane) in &followed.turns {
                ascend(after, plan, order, (held, wanted, lane)).map_err(|ranks| {
                    not_ascending(
                        after,
                        plan,
                        (phase_number, number),
                        (held, wanted, lane),
                        ranks,
                    )
                })?;
            }
        }
        all.dependencies += followed.turns.len() as u64;
        all.drops |= followed.drops && address.is_left();
        has_answer |= answer.is_some();
        is_renewed |= renewal.is_some();
        ports = timeline.last();
    }
    finish(ends, plan, number, [&ports, &new_ports])?;
    if !has_answer && address.is_left() {
        return Err(TransitionCheckError::Untold {
            destination: plan.addresses[number].destination.clone(),
        });
    }
    Ok(all)
}

type Turn = (ChannelId, ChannelId, Lane);

fn ascend(
    after: &Fabric,
    plan: &TransitionPlan,
    order: &[u32],
    (held, wanted, lane): Turn,
) -> Result<(), [u32; 2]> {
    debug_assert!(order.len() >= after.channel_count());
    let rank =
        |channel: ChannelId| order[channel.index() * usize::from(plan.lane_count) + lane.index()];
    let ranks = [held, wanted].map(rank);
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
    (held, wanted, lane): Turn,
    [held_rank, wanted_rank]: [u32; 2],
) -> TransitionCheckError {
    TransitionCheckError::NotAscending {
        phase,
        destination: plan.addresses[number].destination.clone(),
        alias: plan.addresses[number].alias,
        lane,
        held: after.describe_channel(held),
        held_rank,
        wanted: after.describe_channel(wanted),
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
