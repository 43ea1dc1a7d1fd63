//! GUIDs for every node of a fabric, known or made, and which hosts are one adapter.

use super::super::WriteError;
use crate::{Fabric, HostId, PortNumber};
use std::collections::{BTreeMap, BTreeSet};

/// Made GUIDs begin here: a locally administered address, then “WE” for Weft, then the node's
/// number. A node has 256 of them: its own, then one for each of an adapter's ports.
const MADE: u64 = 0x0257_4500_0000_0000;
const MADE_PER_NODE: u64 = 256;

/// Which hosts are listed as one adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adapters {
    /// Those of which it is known, where their names allow it.
    Joined,
    /// Each for itself, as in formats that know ports only.
    Apart,
}

/// The GUIDs of a fabric's nodes.
pub(super) struct Identities {
    /// Per switch.
    pub(super) switches: Vec<u64>,
    /// In the order of their hosts.
    pub(super) adapters: Vec<Adapter>,
}

/// An adapter and the hosts that are its ports.
pub(super) struct Adapter {
    pub(super) name: String,
    pub(super) guid: u64,
    /// Hosts by ascending port, with the port's GUID.
    pub(super) ports: Vec<(HostId, u64)>,
}

impl Identities {
    /// Gives every node the GUIDs the fabric knows, and makes others from its number: the same
    /// fabric always gets the same ones.
    pub(super) fn new(fabric: &Fabric, adapters: Adapters) -> Result<Self, WriteError> {
        let mut making = Making {
            taken: known_guids(fabric)?,
            node_count: (fabric.switch_count() + fabric.host_count()) as u64,
        };
        let switches: Vec<u64> = fabric
            .switch_ids()
            .map(|id| {
                let known = fabric.switch(id).guid;
                known.unwrap_or_else(|| making.make(id.index()))
            })
            .collect();
        let mut nodes: BTreeSet<u64> = switches.iter().copied().collect();
        let groups = match adapters {
            Adapters::Joined => adapters_of(fabric),
            Adapters::Apart => alone(fabric),
        };
        // No node takes for its own what another is known by.
        let reserved: BTreeSet<u64> = groups
            .iter()
            .filter_map(|(_, hosts)| fabric.host(hosts[0]).adapter_guid)
            .collect();
        let adapters = groups
            .into_iter()
            .map(|(name, hosts)| {
                let (first, number) = (fabric.host(hosts[0]), hosts[0].index());
                let stand_in = port_guid(fabric, hosts[0]).filter(|guid| !reserved.contains(guid));
                let guid = [first.adapter_guid, stand_in]
                    .into_iter()
                    .flatten()
                    .find(|guid| !nodes.contains(guid))
                    .unwrap_or_else(|| making.make(fabric.switch_count() + number));
                nodes.insert(guid);
                let ports = hosts.into_iter().map(|host| {
                    let known = port_guid(fabric, host);
                    (
                        host,
                        known.unwrap_or_else(|| making.make_port(fabric, host, guid)),
                    )
                });
                Adapter {
                    name,
                    guid,
                    ports: ports.collect(),
                }
            })
            .collect();
        Ok(Self { switches, adapters })
    }
}

/// GUIDs that are spoken for.
struct Making {
    taken: BTreeSet<u64>,
    node_count: u64,
}

impl Making {
    /// The first of the GUIDs made for the node with this number: switches first, then
    /// hosts. Where others have taken one of them, the next ones no node has are used.
    fn make(&mut self, number: usize) -> u64 {
        let mut guid = MADE + MADE_PER_NODE * number as u64;
        while self
            .taken
            .range(guid..guid + MADE_PER_NODE)
            .next()
            .is_some()
        {
            guid += MADE_PER_NODE * self.node_count;
        }
        self.taken.insert(guid);
        guid
    }

    /// The GUID of an adapter's port: that of the adapter plus the port's number, as
    /// simulators of subnets have it, where that is free.
    fn make_port(&mut self, fabric: &Fabric, host: HostId, adapter: u64) -> u64 {
        let port = u64::from(port_of(fabric, host).number());
        let mut guid = adapter.wrapping_add(port);
        // Readers take a GUID as small as a port's number for that number.
        if guid <= u64::from(PortNumber::MAX) || !self.taken.insert(guid) {
            guid = self.make(fabric.switch_count() + host.index()) + port;
            self.taken.insert(guid);
        }
        guid
    }
}

/// The GUIDs the fabric knows.
fn known_guids(fabric: &Fabric) -> Result<BTreeSet<u64>, WriteError> {
    let mut names: BTreeMap<u64, &str> = BTreeMap::new();
    let switches = fabric
        .switch_ids()
        .map(|id| (fabric.switch(id).guid, &fabric.switch(id).name));
    let hosts = fabric
        .host_ids()
        .map(|id| (port_guid(fabric, id), &fabric.host(id).name));
    for (guid, name) in switches.chain(hosts) {
        let Some(guid) = guid else { continue };
        if let Some(first) = names.insert(guid, name) {
            return Err(WriteError::SharedGuid {
                guid,
                first: first.to_owned(),
                second: name.clone(),
            });
        }
    }
    let adapters = fabric
        .host_ids()
        .filter_map(|id| fabric.host(id).adapter_guid);
    Ok(names.keys().copied().chain(adapters).collect())
}

/// A host's GUID. Numbers as small as a port's are none: some tools write the one for the
/// other, and readers pass them over.
fn port_guid(fabric: &Fabric, host: HostId) -> Option<u64> {
    let guid = fabric.host(host).guid;
    guid.filter(|&guid| guid > u64::from(PortNumber::MAX))
}

fn port_of(fabric: &Fabric, host: HostId) -> PortNumber {
    fabric.source(fabric.injection_channel(host)).port
}

/// Each host as an adapter of its own.
fn alone(fabric: &Fabric) -> Vec<(String, Vec<HostId>)> {
    let one = |host| (fabric.host(host).name.clone(), vec![host]);
    fabric.host_ids().map(one).collect()
}

/// Hosts that are ports of one adapter: they follow one another, by ascending port, have the same
/// adapter's GUID and names that differ only in `… port <number>`, as readers name such hosts.
fn adapters_of(fabric: &Fabric) -> Vec<(String, Vec<HostId>)> {
    let mut adapters: Vec<(String, Vec<HostId>)> = Vec::new();
    for host in fabric.host_ids() {
        let here = fabric.host(host);
        let joined = adapters.last_mut().and_then(|(name, hosts)| {
            let last = *hosts.last()?;
            let shared = shared_name(fabric, last, host)?;
            let is_one = here.adapter_guid.is_some()
                && here.adapter_guid == fabric.host(last).adapter_guid
                && port_of(fabric, last) < port_of(fabric, host);
            is_one.then(|| {
                shared.clone_into(name);
                hosts.push(host);
            })
        });
        if joined.is_none() {
            adapters.push((here.name.clone(), vec![host]));
        }
    }
    adapters
}

/// What two hosts' names share if they end in the hosts' ports and are equal before.
fn shared_name(fabric: &Fabric, one: HostId, other: HostId) -> Option<&str> {
    let stem = |host| {
        let suffix = format!(" port {}", port_of(fabric, host));
        let stem = fabric.host(host).name.strip_suffix(&suffix)?;
        (!stem.is_empty() && stem.trim() == stem).then_some(stem)
    };
    stem(one).filter(|&shared| stem(other) == Some(shared))
}
