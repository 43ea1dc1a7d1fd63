//! Whether what happens to a network can happen to it.

use crate::rehearsal_error::RehearsalError;
use crate::rehearsal_events::{Event, TimedEvent, in_time};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::degrade::{FailingPart, switch_named};
use weft_fabric::{Fabric, SwitchId};
use weft_registry::Suggestion;

/// Refuses events of parts that a fabric does not have, returns of what has not failed by then, failures of what has and did
/// not return, tables for switches that are none, and entries of ports or for destinations that are none. Whether tables go with it is told when they are given to switches.
///
/// # Errors
/// [`RehearsalError::Event`].
pub fn check_events(events: &[TimedEvent], fabric: &Fabric) -> Result<(), RehearsalError> {
    let mut failed = BTreeSet::new();
    let ends = Ends::of(fabric);
    for (place, TimedEvent { event, .. }) in in_time(events) {
        let checked = match event {
            Event::Fails(part) => named(fabric, part).and_then(|found| {
                let part = part.clone();
                let fails_now = failed.insert(found);
                fails_now
                    .then_some(())
                    .ok_or(RehearsalError::FailedAlready { part })
            }),
            Event::Returns(part) => named(fabric, part).and_then(|found| {
                let part = part.clone();
                let has_failed = failed.remove(&found);
                has_failed
                    .then_some(())
                    .ok_or(RehearsalError::NotFailed { part })
            }),
            Event::Entries { writes, .. } => writes.iter().try_for_each(|write| ends.check(write)),
            Event::Answers {
                pairs: Some(pairs), ..
            } => pairs
                .iter()
                .try_for_each(|(switch, to)| ends.named(switch, to).map(drop)),
            Event::Tables {
                switches: Some(names),
                ..
            } => names
                .iter()
                .try_for_each(|name| Ok(switch_named(fabric, name).map(drop)?)),
            Event::Tables { .. } | Event::Answers { .. } => Ok(()),
        };
        checked.map_err(|error| error.of_event(place))?;
    }
    Ok(())
}

fn named(fabric: &Fabric, part: &str) -> Result<FailingPart, RehearsalError> {
    Ok(FailingPart::named(fabric, part)?)
}

/// Where entries stand, and what they are for.
struct Ends<'a> {
    fabric: &'a Fabric,
    switches: BTreeMap<&'a str, SwitchId>,
    hosts: BTreeSet<&'a str>,
}

impl<'a> Ends<'a> {
    fn of(fabric: &'a Fabric) -> Self {
        let switch = |id| (fabric.switch(id).name.as_str(), id);
        let host = |id| fabric.host(id).name.as_str();
        Self {
            fabric,
            switches: fabric.switch_ids().map(switch).collect(),
            hosts: fabric.host_ids().map(host).collect(),
        }
    }

    fn check(
        &self,
        (switch, destination, _, port): &(String, String, usize, u8),
    ) -> Result<(), RehearsalError> {
        let id = self.named(switch, destination)?;
        let port_count = self.fabric.switch(id).port_count;
        if *port > port_count {
            return Err(RehearsalError::UnknownPort {
                switch: switch.clone(),
                port: *port,
                port_count,
            });
        }
        Ok(())
    }

    /// The switch of a pair of one and a destination.
    fn named(&self, switch: &str, destination: &str) -> Result<SwitchId, RehearsalError> {
        let id = match self.switches.get(switch) {
            Some(&id) => id,
            None => switch_named(self.fabric, switch)?,
        };
        if self.hosts.contains(destination) || self.switches.contains_key(destination) {
            return Ok(id);
        }
        let known = self.hosts.iter().chain(self.switches.keys());
        Err(RehearsalError::UnknownDestination {
            destination: destination.to_owned(),
            suggestion: Suggestion::nearest(destination, known.copied()),
        })
    }
}
