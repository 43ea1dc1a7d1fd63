//! Forwarding tables: the way from a switch to an address is that of all sources behind the switch, so
//! it is followed once, with those to other addresses as far as they run together.

use crate::form::port_targets::PortTargets;
use crate::form::{FollowsWays, ForwardingTables, Lane, PairGranularity, WaysTogether};
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};

/// An address and what it is of.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: usize,
    switch: SwitchId,
    /// The port of the host that it is of, where it is one's.
    host_port: Option<PortNumber>,
}

/// Tells whether every address leads there from all switches with hosts. Where only addresses that
/// nobody sends to do not, or lane tables choose lanes by the way a packet came, that is for others to
/// find out.
pub(super) fn all_arrive(fabric: &Fabric, tables: &ForwardingTables) -> bool {
    if tables.lane_tables().is_some() {
        return false;
    }
    let granularity = tables.granularity();
    let mut places = Vec::new();
    for endpoint in 0..tables.endpoint_count() {
        let switch = granularity.endpoint_switch(fabric, endpoint);
        if fabric.hosts_of(switch).is_empty() {
            continue;
        }
        let addresses = tables.addresses(endpoint);
        if addresses.is_empty() {
            return false;
        }
        let host_port = match granularity {
            PairGranularity::Host => Some(fabric.host_port(HostId::from_index(endpoint))),
            PairGranularity::Switch => None,
        };
        places.extend(addresses.map(|address| Place {
            address,
            switch,
            host_port,
        }));
    }
    let targets = PortTargets::new(fabric);
    let sources: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    let Some(&first) = sources.first() else {
        return true;
    };
    let behind = |at: SwitchId, port| targets.switch_behind(at, port);
    places.par_sort_by_cached_key(|place| tables.first_ports(first, place.address, behind));
    let ways = || WaysTogether::new(tables, fabric.switch_count(), 1);
    let parts = places.par_chunks(WaysTogether::share(places.len()));
    let each = parts.map_init(ways, |ways, part| {
        let known_by = |place: &Place| (place.switch, place.address);
        ways.all_of(part, known_by, |ways, places| {
            let all = u64::MAX >> (u64::BITS as usize - places.len());
            let mut arrivals = Arrivals(&targets);
            places.iter().all(|place| place.is_entered(tables))
                && sources.iter().all(|&source| {
                    let elsewhere = all & !ways.ending_at(source);
                    ways.follow(source, Lane::ZERO, elsewhere, &mut arrivals)
                })
        })
    });
    each.all(|arrive| arrive)
}

impl Place {
    /// Tells whether the switch of a host leads to it.
    fn is_entered(&self, tables: &ForwardingTables) -> bool {
        let entry = || tables.next_port(self.switch, self.address);
        self.host_port.is_none_or(|port| entry() == Some(port))
    }
}

/// Whoever wants to know whether packets arrive, and nothing else.
struct Arrivals<'a>(&'a PortTargets);

impl FollowsWays for Arrivals<'_> {
    type Channel = ();

    #[inline]
    fn behind(&self, at: SwitchId, port: PortNumber) -> Option<((), SwitchId)> {
        Some(((), self.0.switch_behind(at, port)?))
    }

    fn start(&mut self, _: SwitchId, _: PortNumber, _: Lane) {}

    fn pass(&mut self, (): (), _: PortNumber, _: Lane) {}

    fn end(&mut self, (): (), _: usize, _: Lane) {}
}
