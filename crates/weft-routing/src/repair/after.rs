//! A fabric that is left, matched with the one that there was.

use super::plan::NO_EXIT;
use super::{FailedParts, RepairError, StandingTables};
use crate::form::{ForwardingTables, Lane, PairGranularity};
use std::collections::BTreeMap;
use weft_fabric::{Endpoint, Fabric, HostId, Node, SwitchId};

/// Entries of so many switches and destinations lie in memory that is near.
const SQUARE: usize = 64;

/// Which switch and host of the fabric that there was each of those is that are left.
pub(super) struct After {
    switches: Vec<SwitchId>,
    hosts: Vec<HostId>,
    /// Per link of before: whether it is left.
    links: Vec<bool>,
}

impl After {
    /// # Errors
    /// [`RepairError::NotBefore`].
    pub(super) fn of(before: &Fabric, after: &Fabric) -> Result<Self, RepairError> {
        let switch = |fabric: &Fabric, id| fabric.switch(id).name.clone();
        let host = |fabric: &Fabric, id| fabric.host(id).name.clone();
        let mut matched = Self {
            switches: by_name(
                "switch",
                before.switch_ids().map(|id| (switch(before, id), id)),
                after.switch_ids().map(|id| switch(after, id)),
            )?,
            hosts: by_name(
                "host",
                before.host_ids().map(|id| (host(before, id), id)),
                after.host_ids().map(|id| host(after, id)),
            )?,
            links: vec![false; before.link_count()],
        };
        for link in after.link_ids() {
            let ends = after.link(link).ends.map(|end| match end.node {
                Node::Switch(switch) => Endpoint {
                    node: Node::Switch(matched.switches[switch.index()]),
                    port: end.port,
                },
                Node::Host(host) => Endpoint {
                    node: Node::Host(matched.hosts[host.index()]),
                    port: end.port,
                },
            });
            let was = Self::link(before, ends);
            let was = was.ok_or_else(|| not_before("link", after.describe_link(link)))?;
            matched.links[was] = true;
        }
        Ok(matched)
    }

    /// The link of before between two ends, whichever comes first; of a host, whichever of its ports.
    fn link(before: &Fabric, ends: [Endpoint; 2]) -> Option<usize> {
        let [one, other] = ends;
        let (at, beside) = match one.node {
            Node::Switch(switch) => ((switch, one.port), other),
            Node::Host(_) => ((other.node.switch()?, other.port), one),
        };
        let channel = before.outgoing_at(at.0, at.1)?;
        let target = before.target(channel);
        let is_same = match beside.node {
            Node::Switch(_) => target == beside,
            Node::Host(_) => target.node == beside.node,
        };
        is_same.then(|| channel.link().index())
    }

    /// Refuses what had failed before and is back.
    ///
    /// # Errors
    /// [`RepairError::NotBefore`].
    pub(super) fn check_left(
        &self,
        before: &Fabric,
        standing: &StandingTables,
    ) -> Result<(), RepairError> {
        let (left, space) = (&standing.left, &standing.plan.space);
        if let Some(back) = (self.switches.iter()).find(|switch| !left.switches[switch.index()]) {
            return Err(not_before("switch", before.switch(*back).name.clone()));
        }
        if let Some(back) = self.hosts.iter().find(|host| !left.hosts[host.index()]) {
            return Err(not_before("host", before.host(*back).name.clone()));
        }
        for link in before.link_ids().filter(|link| self.links[link.index()]) {
            let [one, _] = before.link(link).ends;
            let edge = (one.node.switch())
                .and_then(|switch| space.edge_by_port(switch.number(), one.port));
            if edge.is_some_and(|edge| !left.has(edge)) {
                return Err(not_before("link", before.describe_link(link)));
            }
        }
        Ok(())
    }

    /// What is gone.
    pub(super) fn failed(&self, before: &Fabric) -> FailedParts {
        let mut switches = vec![true; before.switch_count()];
        for switch in &self.switches {
            switches[switch.index()] = false;
        }
        let mut hosts = vec![true; before.host_count()];
        for host in &self.hosts {
            hosts[host.index()] = false;
        }
        FailedParts {
            links: before
                .link_ids()
                .filter(|link| !self.links[link.index()])
                .collect(),
            switches: before
                .switch_ids()
                .filter(|at| switches[at.index()])
                .collect(),
            hosts: before
                .host_ids()
                .filter(|host| hosts[host.index()])
                .collect(),
        }
    }

    /// The tables of what is left.
    pub(super) fn tables(&self, after: &Fabric, standing: &StandingTables) -> ForwardingTables {
        let plan = &standing.plan;
        let was = |endpoint: usize| match plan.granularity {
            PairGranularity::Switch => self.switches[endpoint].index(),
            PairGranularity::Host => self.hosts[endpoint].index(),
        };
        let mut tables = ForwardingTables::with_one_address(after, plan.granularity);
        let count = plan.granularity.endpoint_count(after);
        // Entries lie by destination in the one and by switch in the other: in squares both are near.
        let of_destination = (0..count).map(|destination| {
            let first = was(destination) * plan.space.switch_count();
            (first, tables.addresses(destination).next())
        });
        let of_destination: Vec<(usize, Option<usize>)> = of_destination.collect();
        let squares = (0..count).step_by(SQUARE);
        let squares = squares.flat_map(|to| {
            let rows = (0..self.switches.len()).step_by(SQUARE);
            rows.map(move |at| [to, at])
        });
        for [first_to, first_at] in squares {
            let rows = after.switch_ids().zip(&self.switches);
            for (at, before) in rows.skip(first_at).take(SQUARE) {
                let edges = plan.space.edges_of(before.number());
                for &(first, address) in of_destination[first_to..].iter().take(SQUARE) {
                    let exit = standing.exits[first + before.index()];
                    if let (Some(address), true) = (address, exit != NO_EXIT) {
                        tables.set_next_port(at, address, edges[usize::from(exit)].port);
                    }
                }
            }
        }
        // Who is no source has the first service level.
        let mut place_of = vec![None; plan.granularity.endpoint_count(&plan.fabric)];
        for (place, &source) in plan.sources.iter().enumerate() {
            place_of[source] = Some(place);
        }
        let row = |place: Option<usize>| {
            // Of one lane there is nothing to look up.
            let place = place.filter(|_| !plan.rules.is_one_lane());
            (0..count).map(move |destination| match place {
                Some(place) => {
                    let row = standing.lane_row(was(destination));
                    standing.lanes[row.start + place]
                }
                None => Lane::ZERO,
            })
        };
        if plan.is_shared {
            let of_switch = |(at, before): (SwitchId, &SwitchId)| {
                let sends = !after.hosts_of(at).is_empty();
                plan.sources_of(before.number()).next().filter(|_| sends)
            };
            let switches = after.switch_ids().zip(&self.switches);
            let lanes = switches.flat_map(|at| row(of_switch(at)));
            let switches = (0..count).map(|endpoint| {
                let switch = plan.granularity.endpoint_switch(after, endpoint);
                switch.number()
            });
            tables.set_lanes_by_switch(switches.collect(), lanes.collect());
        } else {
            let lanes = (0..count).flat_map(|endpoint| row(place_of[was(endpoint)]));
            tables.set_lanes(lanes.collect());
        }
        if let Some(lanes) = plan.rules.tables_of(&self.switches) {
            tables.set_lane_tables(lanes);
        }
        tables
    }
}

fn not_before(what: &'static str, name: String) -> RepairError {
    RepairError::NotBefore { what, name }
}

/// Who was known before by each name.
fn by_name<Id: Copy>(
    what: &'static str,
    before: impl Iterator<Item = (String, Id)>,
    after: impl Iterator<Item = String>,
) -> Result<Vec<Id>, RepairError> {
    let known: BTreeMap<String, Id> = before.collect();
    after
        .map(|name| {
            let found = known.get(&name).copied();
            found.ok_or_else(|| not_before(what, name))
        })
        .collect()
}
