//! The check of a certificate over tables, address by address: from a switch packets to an address go one
//! way, whoever sent them.

use crate::certificate::Certificate;
use crate::check_ways::{Rank, Ways};
use rayon::prelude::*;
use weft_fabric::{Fabric, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, HostGroup, Lane, PairGranularity, Routes, SharedRoutes};

/// Addresses that are gathered at once, a bit each.
const AT_ONCE: usize = 64;

/// Tells whether all ways by tables without lane tables arrive and ascend; where one does not, nobody is
/// told which.
pub(crate) fn all_ascend(
    fabric: &Fabric,
    certificate: &Certificate,
    routes: &Routes,
    tables: &ForwardingTables,
) -> bool {
    let ways = Ways::new(fabric, certificate);
    let shared = routes.by_groups(fabric);
    let mut all = Vec::new();
    for (to, group) in shared.destinations().iter().enumerate() {
        let own = tables.addresses(group.endpoint);
        if own.is_empty() && shared.to(to).next().is_some() {
            return false;
        }
        all.extend(own.map(|address| [to, address]));
    }
    let ascent = Ascent {
        fabric,
        ways: &ways,
        routes,
        tables,
        shared: &shared,
    };
    all.par_chunks(AT_ONCE).all(|some| {
        let endpoints = some
            .iter()
            .map(|&[to, _]| shared.destinations()[to].endpoint);
        let gathered = tables.addresses_of(endpoints);
        let mut ports = Vec::new();
        tables.gather(gathered.clone(), &mut ports);
        let entries = Entries {
            ports: &ports,
            width: gathered.len(),
            first: gathered.start,
        };
        ascent.holds_for(some, &entries)
    })
}

/// The entries of all switches for some addresses.
struct Entries<'a> {
    ports: &'a [PortNumber],
    width: usize,
    first: usize,
}

impl Entries<'_> {
    #[inline]
    fn port(&self, at: SwitchId, address: usize) -> PortNumber {
        self.ports[at.index() * self.width + address - self.first]
    }
}

/// What it takes to follow ways.
struct Ascent<'a> {
    fabric: &'a Fabric,
    ways: &'a Ways<'a>,
    routes: &'a Routes,
    tables: &'a ForwardingTables,
    shared: &'a SharedRoutes<'a>,
}

impl Ascent<'_> {
    /// Follows the ways to some addresses, each given after its group of destinations.
    fn holds_for(&self, some: &[[usize; 2]], entries: &Entries<'_>) -> bool {
        let switches = self.fabric.switch_count();
        // Per lane and switch, a bit for each address: packets were there.
        let mut seen = vec![0_u64; switches * usize::from(self.routes.lane_count())];
        let is_plain = self.tables.sends_to_first_addresses() && self.routes.lane_count() == 1;
        for (from, source) in self.shared.sources().iter().enumerate() {
            for (&[to, address], bit) in some.iter().zip(0..) {
                let destination = &self.shared.destinations()[to];
                let own = self.tables.addresses(destination.endpoint);
                let port = |at| entries.port(at, address);
                if is_plain && source.switch != destination.switch {
                    let seen = (seen.as_mut_slice(), 1 << bit);
                    let is_sent_to = own.start == address;
                    let groups = [source, destination];
                    if is_sent_to && !self.follow(groups, Lane::ZERO, port, seen) {
                        return false;
                    }
                    continue;
                }
                for route in self.shared.between(from, to) {
                    let (sent_to, lane) = self.routes.start_of(&route);
                    if sent_to == Some(address) {
                        let seen = &mut seen[lane.index() * switches..][..switches];
                        if !self.follow([source, destination], lane, port, (seen, 1 << bit)) {
                            return false;
                        }
                    } else if sent_to.is_none_or(|sent_to| !own.contains(&sent_to)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Follows a way up to where it was followed before. It cannot lead in a circle: ranks ascend.
    #[inline]
    fn follow(
        &self,
        [source, destination]: [&HostGroup<'_>; 2],
        lane: Lane,
        port: impl Fn(SwitchId) -> PortNumber,
        (seen, bit): (&mut [u64], u64),
    ) -> bool {
        let end = destination.switch;
        if self.routes.granularity() == PairGranularity::Host
            && port(end) != self.fabric.host_port(destination.hosts[0])
        {
            return false;
        }
        let mut at = source.switch;
        if at == end {
            return self.ways.join([source.hosts, destination.hosts], lane);
        }
        let mut held: Rank = self.ways.injection(source.hosts, lane);
        while at != end {
            let Some(way) = self.ways.behind(at, port(at)) else {
                return false;
            };
            let Node::Switch(next) = way.to else {
                return false;
            };
            let rank = self.ways.rank(way.channel, lane);
            if rank <= held {
                return false;
            }
            if seen[at.index()] & bit != 0 {
                return true;
            }
            seen[at.index()] |= bit;
            held = rank;
            at = next;
        }
        held < self.ways.ejection(destination.hosts, lane)
    }
}
