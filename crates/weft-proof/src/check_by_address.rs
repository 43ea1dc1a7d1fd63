//! The check of a certificate over tables, address by address: from a switch packets to an address go one
//! way, whoever sent them.

use crate::certificate::Certificate;
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, PairGranularity, Routes, SharedRoute};

/// Destinations whose addresses are gathered at once.
const AT_ONCE: usize = 64;

/// Tells whether all ways by tables without lane tables arrive and ascend; where one does not, nobody is
/// told which.
pub(crate) fn all_ascend(
    fabric: &Fabric,
    certificate: &Certificate,
    routes: &Routes,
    tables: &ForwardingTables,
) -> bool {
    let ascent = Ascent {
        fabric,
        certificate,
        granularity: routes.granularity(),
    };
    let shared = routes.by_groups(fabric);
    let destinations: Vec<usize> = (0..shared.destination_count()).collect();
    destinations.par_chunks(AT_ONCE).all(|part| {
        let endpoints = part.iter().map(|&to| shared.destination_endpoint(to));
        let gathered = tables.addresses_of(endpoints);
        let mut ports = Vec::new();
        tables.gather(gathered.clone(), &mut ports);
        let mut seen = Seen::new(fabric, routes.lane_count());
        part.iter().all(|&to| {
            let own = tables.addresses(shared.destination_endpoint(to));
            let mut all = own.clone().map(|address| {
                seen.forget();
                let port =
                    |at: SwitchId| ports[at.index() * gathered.len() + address - gathered.start];
                shared.to(to).all(|route| {
                    let (sent_to, lane) = routes.start_of(&route);
                    if sent_to == Some(address) {
                        ascent.holds_for(&route, lane, port, &mut seen)
                    } else {
                        sent_to.is_some_and(|sent_to| own.contains(&sent_to))
                    }
                })
            });
            all.all(|good| good) && (!own.is_empty() || shared.to(to).next().is_none())
        })
    })
}

/// From where the way to an address was followed already.
struct Seen {
    /// Per lane and switch: in which round.
    rounds: Vec<u32>,
    round: u32,
    switches: usize,
}

impl Seen {
    fn new(fabric: &Fabric, lanes: u8) -> Self {
        Self {
            rounds: vec![0; fabric.switch_count() * usize::from(lanes)],
            round: 0,
            switches: fabric.switch_count(),
        }
    }

    fn forget(&mut self) {
        self.round += 1;
    }

    /// Notes a switch, and tells whether it was noted before.
    fn is_old(&mut self, at: SwitchId, lane: Lane) -> bool {
        let round = &mut self.rounds[lane.index() * self.switches + at.index()];
        std::mem::replace(round, self.round) == self.round
    }
}

/// What it takes to follow ways.
struct Ascent<'a> {
    fabric: &'a Fabric,
    certificate: &'a Certificate,
    granularity: PairGranularity,
}

impl Ascent<'_> {
    /// Follows a way up to where it was followed before. It cannot lead in a circle: ranks ascend.
    fn holds_for(
        &self,
        route: &SharedRoute<'_>,
        lane: Lane,
        port: impl Fn(SwitchId) -> PortNumber,
        seen: &mut Seen,
    ) -> bool {
        let fabric = self.fabric;
        let rank = |channel: ChannelId| self.certificate.rank(channel, lane);
        let injection = |&host: &HostId| rank(fabric.injection_channel(host));
        let ejection = |&host: &HostId| rank(fabric.ejection_channel(host));
        let end = fabric.host_switch(route.destinations[0]);
        let mut at = fabric.host_switch(route.sources[0]);
        if self.granularity == PairGranularity::Host {
            let host = route.destinations[0];
            if port(end) != fabric.host_port(host) {
                return false;
            }
        }
        if at == end {
            return route.sources.iter().all(|from| {
                let mut others = route.destinations.iter().filter(|&to| to != from);
                others.all(|to| injection(from) < ejection(to))
            });
        }
        let mut held = route.sources.iter().map(injection).max().flatten();
        while at != end {
            let Some(channel) = fabric.outgoing_at(at, port(at)) else {
                return false;
            };
            let Node::Switch(next) = fabric.target(channel).node else {
                return false;
            };
            if rank(channel) <= held {
                return false;
            }
            if seen.is_old(at, lane) {
                return true;
            }
            held = rank(channel);
            at = next;
        }
        route.destinations.iter().all(|to| held < ejection(to))
    }
}
