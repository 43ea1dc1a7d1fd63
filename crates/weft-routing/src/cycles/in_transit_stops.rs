//! Where routes stop in transit, and at which host.

use crate::form::{Endpoints, RouteRow};
use crate::paths::PathSpace;
use crate::random::stream;
use rand::{Rng, RngExt};
use weft_fabric::{Fabric, HostId, SwitchId};

/// Which host of a switch takes an in-transit stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopHost {
    /// Any host of the switch, drawn for each pair.
    Random,
    /// The hosts of the switch in turn.
    RoundRobin,
    /// The host of the switch that takes stops of fewest host pairs so far, then the lowest port.
    LeastLoaded,
}

impl StopHost {
    /// All values by name.
    pub(crate) const CHOICES: [(&str, Self); 3] = [
        ("random", Self::Random),
        ("round_robin", Self::RoundRobin),
        ("least_loaded", Self::LeastLoaded),
    ];
}

/// The hosts that have taken stops, and which one takes the next.
#[derive(Clone, Debug)]
pub(crate) struct StopHosts<'a> {
    fabric: &'a Fabric,
    rule: StopHost,
    /// Per switch: stops there so far.
    turns: Vec<usize>,
    /// Per host: pairs of hosts that stop there, or what they send one another.
    taken: Vec<u64>,
}

impl<'a> StopHosts<'a> {
    pub(crate) fn new(fabric: &'a Fabric, rule: StopHost) -> Self {
        Self {
            fabric,
            rule,
            turns: vec![0; fabric.switch_count()],
            taken: vec![0; fabric.host_count()],
        }
    }

    /// Hosts of which the least loaded takes each stop; `taken` tells per host what it takes in
    /// besides.
    pub(crate) fn least_loaded(fabric: &'a Fabric, taken: Vec<u64>) -> Self {
        Self {
            taken,
            ..Self::new(fabric, StopHost::LeastLoaded)
        }
    }

    /// The host of a switch with hosts that takes a stop of so many pairs.
    pub(crate) fn take(&mut self, switch: SwitchId, pairs: u64, random: &mut impl Rng) -> HostId {
        let hosts = self.fabric.hosts_of(switch);
        let host = match self.rule {
            StopHost::Random => hosts[random.random_range(0..hosts.len())],
            StopHost::RoundRobin => hosts[self.turns[switch.index()] % hosts.len()],
            StopHost::LeastLoaded => {
                let load = |place: &usize| (self.taken[hosts[*place].index()], *place);
                let Some(place) = (0..hosts.len()).min_by_key(load) else {
                    unreachable!("routes stop at switches with hosts alone");
                };
                hosts[place]
            }
        };
        self.turns[switch.index()] += 1;
        self.taken[host.index()] += pairs;
        host
    }
}

/// Cuts every route, where it makes a turn that needs a stop, by one at a host of the switch
/// there.
///
/// Shapes: `rows` holds routes without stops, a row per source; `needs_stop` takes two edges and is
/// true at switches with hosts only.
/// Source: Flich, López, Malumbres, Duato, "Boosting the performance of Myrinet networks", IEEE TPDS, 2002,
/// §4; the paper leaves the choice of the host open.
pub(crate) fn insert_stops(
    fabric: &Fabric,
    space: &PathSpace,
    endpoints: &Endpoints,
    rows: &[RouteRow],
    needs_stop: impl Fn(u32, u32) -> bool,
    stop_host: StopHost,
    seed: u64,
) -> Vec<RouteRow> {
    let mut hosts = StopHosts::new(fabric, stop_host);
    let mut cut_rows = Vec::with_capacity(rows.len());
    for (source, row) in rows.iter().enumerate() {
        let mut random = stream(seed, "in-transit hosts", source as u64);
        let mut cut = RouteRow::default();
        let mut route = Vec::new();
        for (destination, path) in row.routes().enumerate() {
            route.clear();
            let mut held = None;
            for edge in space.edges_along(endpoints.switch(source), path) {
                if held.is_some_and(|held| needs_stop(held, edge)) {
                    let here = SwitchId::new(space.tail(edge));
                    let pairs = endpoints.host_pairs(source, destination);
                    route.push(fabric.host_port(hosts.take(here, pairs, &mut random)));
                }
                route.push(space.edge(edge).port);
                held = Some(edge);
            }
            cut.push(route.iter().copied());
        }
        cut_rows.push(cut);
    }
    cut_rows
}
