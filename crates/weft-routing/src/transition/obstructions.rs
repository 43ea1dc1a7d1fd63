//! That no order of changes will do: sets of them of which none can be the first, or none the last.

use super::certain_ways::{CertainWays, Place};
use super::joint::{Joint, LeadsTo};
use super::management;
use super::no_order::NoOrder;
use super::witnesses::{CertainWait, Witness};
use super::{BlockedWrite, Obstruction, OrderEnd, TransitionError, Wait};
use crate::form::{ForwardingTables, Lane};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{Fabric, SwitchId};

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
