//! That no order of changes will do: sets of them of which none can be the first, or none the last.

use super::certain_ways::{CertainWait, CertainWays, Place, Witness};
use super::joint::{Joint, LeadsTo};
use super::management;
use super::no_order::NoOrder;
use super::phase::check_new;
use super::{BlockedChange, OrderEnd, TransitionError};
use crate::form::{ForwardingTables, Lane};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{ChannelId, Fabric, SwitchId};

/// Changes that have no order in which packets cannot deadlock, unless packets to some destination are dropped.
///
/// Every entry holds what the old tables say until it is written, and then what the new ones say, and so it is with the
/// service level by which hosts send; nothing is told of when that is, of how long is waited in between, or of anything
/// else that changes. One of these changes has to be the first of them, or the last: at that moment all others of them
/// stand as they did, or as they will, and packets of before and after the change are about. For each of them those close
/// a cycle, or lead to a dead end: a set of changes of which, once some others are done, none can be the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstruction {
    /// Which of them none can be.
    pub end: OrderEnd,
    /// The changes.
    pub writes: Vec<BlockedWrite>,
    /// The dead ends that they lead to, each by those before it alone.
    pub dead_ends: Vec<OrderDeadEnd>,
}

/// Changes of which none can be the next, from one end of the order on, once others are done: so those others are never
/// all done without one of these, as these have to be done, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderDeadEnd {
    /// What is done before any of these; from the last end of the order on, what is not done before they all are.
    pub met: Vec<MetChange>,
    /// Those that cannot be the next.
    pub writes: Vec<BlockedWrite>,
}

/// A change that is met on the way to a dead end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetChange {
    /// What it is.
    pub change: BlockedChange,
    /// The switch, as of [`BlockedWrite`].
    pub switch: SwitchId,
    /// The address.
    pub address: u32,
}

/// A change, and who waits for whom when it is done before the others, or after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedWrite {
    /// What it is.
    pub change: BlockedChange,
    /// The switch; of service levels of all hosts that of the destination.
    pub switch: SwitchId,
    /// The address, by its place in [`TransitionPlan::addresses`](super::TransitionPlan::addresses).
    pub address: u32,
    /// Packets that each wait for the next, the last one for the first; none where a dead end stands in the way.
    pub cycle: Vec<Wait>,
    /// The dead end that the change leads to, by its place in [`Obstruction::dead_ends`].
    pub dead_end: Option<usize>,
}

/// A packet that holds a channel and wants that of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The channel it holds, of the fabric that is left.
    pub channel: ChannelId,
    /// Its lane.
    pub lane: Lane,
    /// The address it goes to.
    pub address: u32,
    /// The switch where it was sent.
    pub from: SwitchId,
    /// Whether it meets the other entry of a write, or is sent by the other service level.
    pub is_by_write: bool,
}

/// Obstructions that have no destination in common, so that each takes one more to be drained.
///
/// There are none where an order was found, and there may be none where there is no order either: an obstruction
/// is a proof, and none is not. Where switches choose lanes, what is certain of a packet is a lane that old rows and
/// new ones give it.
///
/// # Errors
/// [`TransitionError`].
///
/// # Complexity
/// For each destination of an obstruction, time in proportion to the entries that differ, times how far each leads.
pub fn obstructions(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
) -> Result<Vec<Obstruction>, TransitionError> {
    let joint = management::joint([before, after], [old, new])?;
    check_new(&joint, after)?;
    let into = joint.leads_to();
    let search = Search::new(&joint, &into);
    let mut counted = search.all();
    let mut found = Vec::new();
    while let Some((destinations, obstruction)) = search.smallest(&counted) {
        counted.retain(|of| !destinations.contains(of));
        found.push(obstruction);
    }
    let no_order = NoOrder::new(&joint, &search.destinations);
    while let Some((destinations, obstruction)) =
        no_order.as_ref().and_then(|of| of.shown(&counted))
    {
        counted.retain(|of| !destinations.contains(of));
        found.push(obstruction);
    }
    Ok(found)
}

/// Tells whether it is shown that some destination has to be drained.
pub(super) fn is_impossible(joint: &Joint) -> bool {
    let into = joint.leads_to();
    let search = Search::new(joint, &into);
    let all = search.all();
    let mut ends = ENDS.into_iter();
    ends.any(|end| search.within(&all, end).is_some())
}

struct Search<'j> {
    joint: &'j Joint,
    into: &'j [Vec<LeadsTo>],
    /// Per address: its destination.
    destinations: Vec<u32>,
}

const ENDS: [OrderEnd; 2] = [OrderEnd::First, OrderEnd::Last];

type Witnesses = BTreeMap<Place, Witness>;

/// Most destinations of an obstruction that each is tried without.
const MOST_TRIED: usize = 64;

impl<'j> Search<'j> {
    fn new(joint: &'j Joint, into: &'j [Vec<LeadsTo>]) -> Self {
        Self {
            joint,
            into,
            destinations: joint.destinations(),
        }
    }

    fn all(&self) -> BTreeSet<u32> {
        self.destinations.iter().copied().collect()
    }

    fn within(&self, counted: &BTreeSet<u32>, end: OrderEnd) -> Option<Witnesses> {
        let is_counted = |number: usize| counted.contains(&self.destinations[number]);
        let mut ways = CertainWays::new(self.joint, self.into, end, is_counted)?;
        let witnesses = ways.witnesses();
        (!witnesses.is_empty()).then(|| closed_part(&witnesses))
    }

    /// An obstruction of which no destination can be left out, and its destinations.
    fn smallest(&self, counted: &BTreeSet<u32>) -> Option<(BTreeSet<u32>, Obstruction)> {
        let each = ENDS.into_iter();
        let each = each.filter_map(|end| Some((end, self.within(counted, end)?)));
        let shrunk = each.map(|(end, witnesses)| (end, self.shrunk(witnesses, end)));
        let (end, witnesses) =
            shrunk.min_by_key(|(_, witnesses)| self.destinations_of(witnesses).len())?;
        let destinations = self.destinations_of(&witnesses);
        Some((destinations, self.obstruction(end, &witnesses)))
    }

    fn shrunk(&self, mut witnesses: Witnesses, end: OrderEnd) -> Witnesses {
        let mut destinations = self.destinations_of(&witnesses);
        if destinations.len() > MOST_TRIED {
            return witnesses;
        }
        for out in destinations.clone() {
            if !destinations.contains(&out) {
                continue;
            }
            let mut fewer = destinations.clone();
            fewer.remove(&out);
            if let Some(smaller) = self.within(&fewer, end) {
                destinations = self.destinations_of(&smaller);
                witnesses = smaller;
            }
        }
        witnesses
    }

    fn destinations_of(&self, witnesses: &Witnesses) -> BTreeSet<u32> {
        let waits = witnesses.values().flat_map(|witness| &witness.waits);
        let waiting = waits.map(|wait| wait.address);
        let all = waiting.chain(witnesses.keys().map(|place| place.0));
        all.map(|address| self.destinations[address as usize])
            .collect()
    }

    fn obstruction(&self, end: OrderEnd, witnesses: &Witnesses) -> Obstruction {
        let writes = witnesses.iter().map(|(&(address, at, change), witness)| {
            let waits = witness.waits.iter().map(|wait| self.wait(wait));
            BlockedWrite {
                change,
                switch: SwitchId::new(at),
                address,
                cycle: waits.collect(),
                dead_end: None,
            }
        });
        Obstruction {
            end,
            writes: writes.collect(),
            dead_ends: Vec::new(),
        }
    }

    fn wait(&self, wait: &CertainWait) -> Wait {
        let Some(channel) = self.joint.edges[wait.held as usize].channel else {
            unreachable!("packets hold no channel that failed");
        };
        Wait {
            channel,
            lane: Lane::new(wait.lane),
            address: wait.address,
            from: SwitchId::new(wait.from),
            is_by_write: wait.is_by_change,
        }
    }
}

/// A part of the writes that needs none but itself, and no part of it less.
fn closed_part(all: &Witnesses) -> Witnesses {
    let mut best: Option<BTreeSet<Place>> = None;
    let mut open: Vec<Place> = all.keys().next().copied().into_iter().collect();
    while let Some(start) = open.pop() {
        let part = needed(all, start);
        if best.as_ref().is_none_or(|best| part.len() < best.len()) {
            open = part.iter().copied().collect();
            best = Some(part);
        }
    }
    let best = best.unwrap_or_default();
    let kept = all.iter().filter(|(place, _)| best.contains(place));
    kept.map(|(&place, witness)| (place, witness.clone()))
        .collect()
}

/// What the proof of a write leads to.
fn needed(all: &Witnesses, start: Place) -> BTreeSet<Place> {
    let mut found = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(place) = open.pop() {
        for &needs in &all[&place].needs {
            if found.insert(needs) {
                open.push(needs);
            }
        }
    }
    found
}
