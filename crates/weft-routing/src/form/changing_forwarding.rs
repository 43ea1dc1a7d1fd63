//! How packets find their way where tables change on the way, switch by switch.

use crate::form::port_targets::{PortTarget, PortTargets};
use crate::form::{
    AnyRoutes, CheckedRoutes, Entry, Forwarding, ForwardingError, Header, HoldsRoutes, Lane,
    PacketAddresses, Routes,
};
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};

/// Tables that take each other's place.
#[derive(Clone, Debug)]
pub struct ChangingForwarding<'a> {
    /// The first tables, then the others.
    tables: Vec<Forwarding<'a>>,
    /// Per switch: those it has.
    of_switches: Vec<usize>,
    /// Per switch: entries written since it was given these, by address; port 0 where there is none.
    written: Vec<BTreeMap<u32, PortNumber>>,
    /// Per host: those it has had, each from a cycle on, by cycle.
    of_hosts: Vec<Vec<(u64, usize)>>,
    targets: PortTargets,
}

impl<'a> ChangingForwarding<'a> {
    /// Every switch and host has the first tables, by which every packet arrives; by the others they need not.
    ///
    /// # Errors
    /// [`ForwardingError`] where tables are of another fabric, no tables, or have other addresses than the
    /// first: what a packet carries must mean the same to all switches.
    pub fn new<R: HoldsRoutes>(
        fabric: &Fabric,
        first: &'a CheckedRoutes<R>,
        others: &'a [Routes],
    ) -> Result<Self, ForwardingError> {
        first.expect(fabric)?;
        let AnyRoutes::Fixed(routes) = first.routes() else {
            return Err(ForwardingError::NoTables);
        };
        let Routes::Tables(known) = routes else {
            return Err(ForwardingError::NoTables);
        };
        for (place, other) in others.iter().enumerate() {
            let Routes::Tables(tables) = other else {
                return Err(ForwardingError::NoTables);
            };
            if !tables.has_addresses_of(known) {
                return Err(ForwardingError::OtherAddresses { place: place + 1 });
            }
        }
        let all = std::iter::once(routes).chain(others);
        Ok(Self {
            tables: all
                .map(|routes| Forwarding::of_checked(fabric, routes))
                .collect(),
            of_switches: vec![0; fabric.switch_count()],
            written: vec![BTreeMap::new(); fabric.switch_count()],
            of_hosts: vec![vec![(0, 0)]; fabric.host_count()],
            targets: PortTargets::new(fabric),
        })
    }

    /// As [`Forwarding::send_to`], whichever tables a source has; each of them counts the packets in turn by itself.
    pub fn send_to(&mut self, addresses: PacketAddresses) {
        for tables in &mut self.tables {
            tables.send_to(addresses);
        }
    }

    /// From now on a switch has the tables at a place of the list.
    pub fn set_switch(&mut self, switch: SwitchId, tables: usize) {
        self.of_switches[switch.index()] = tables;
        self.written[switch.index()].clear();
    }

    /// From now on a switch has another entry for an address; port 0 for none.
    pub fn set_entry(&mut self, switch: SwitchId, address: u32, port: PortNumber) {
        self.written[switch.index()].insert(address, port);
    }

    /// From a cycle on a host writes headers by the tables at a place of the list.
    pub fn set_host(&mut self, host: HostId, since_cycle: u64, tables: usize) {
        self.of_hosts[host.index()].push((since_cycle, tables));
    }

    /// As [`Forwarding::header`], of a packet that joins its host's queue in a cycle.
    pub fn header(
        &mut self,
        source: HostId,
        destination: HostId,
        joins_cycle: u64,
    ) -> (Header, Lane) {
        let had = &self.of_hosts[source.index()];
        let since = had.iter().rev().find(|&&(since, _)| since <= joins_cycle);
        let tables = since.map_or(0, |&(_, tables)| tables);
        let (header, _, lane) = self.tables[tables].header(source, destination);
        (header, lane)
    }

    /// The output port and lane of a packet at a switch; none where the switch's tables have no entry or no lane
    /// for it, or lead to no switch before its destination's.
    pub fn next(&self, header: &Header, entry: Entry) -> Option<(PortNumber, Lane)> {
        let tables = &self.tables[self.of_switches[entry.switch.index()]];
        let written = &self.written[entry.switch.index()];
        let is_wired =
            |port: PortNumber| self.targets.of(entry.switch.index(), port) != PortTarget::Nothing;
        let (port, lane) = tables.next_if_any(header, entry, |address| {
            let address = u32::try_from(address).ok()?;
            let port = written.get(&address).copied()?;
            Some(Some(port).filter(|&port| is_wired(port)))
        })?;
        let leads_on = match self.targets.of(entry.switch.index(), port) {
            PortTarget::Nothing => false,
            PortTarget::Host => tables.is_there(header, entry.switch),
            PortTarget::Switch(_) => true,
        };
        leads_on.then_some((port, lane))
    }
}
