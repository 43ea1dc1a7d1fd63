//! A fabric that is left, matched with the one that there was.

use super::{FailedParts, RepairError, StandingTables};
use crate::form::{ForwardingTables, Lane, PairGranularity};
use crate::paths::NO_EDGE;
use std::collections::BTreeMap;
use weft_fabric::{Endpoint, Fabric, HostId, Node, SwitchId};

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
        let not_before = |what, name: &str| RepairError::NotBefore {
            what,
            name: name.to_owned(),
        };
        let names = before
            .switch_ids()
            .map(|id| (before.switch(id).name.as_str(), id));
        let known: BTreeMap<&str, SwitchId> = names.collect();
        let switch = |id: SwitchId| {
            let name = after.switch(id).name.as_str();
            known
                .get(name)
                .copied()
                .ok_or_else(|| not_before("switch", name))
        };
        let names = before
            .host_ids()
            .map(|id| (before.host(id).name.as_str(), id));
        let known: BTreeMap<&str, HostId> = names.collect();
        let host = |id: HostId| {
            let name = after.host(id).name.as_str();
            known
                .get(name)
                .copied()
                .ok_or_else(|| not_before("host", name))
        };
        let mut matched = Self {
            switches: after.switch_ids().map(switch).collect::<Result<_, _>>()?,
            hosts: after.host_ids().map(host).collect::<Result<_, _>>()?,
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
            let name = || after.describe_link(link);
            let was = was.ok_or_else(|| not_before("link", &name()))?;
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
        for destination in 0..count {
            for address in tables.addresses(destination) {
                for (at, before) in after.switch_ids().zip(&self.switches) {
                    let edge = standing.edge(was(destination), before.number());
                    if edge != NO_EDGE {
                        tables.set_next_port(at, address, plan.space.edge(edge).port);
                    }
                }
            }
        }
        // Who is no source has the first lane.
        let mut place_of = vec![None; plan.granularity.endpoint_count(&plan.fabric)];
        for (place, &source) in plan.sources.iter().enumerate() {
            place_of[source] = Some(place);
        }
        let row = |place: Option<usize>| {
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
        tables
    }
}
