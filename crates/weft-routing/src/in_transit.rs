//! Where routes stop in transit, and at which host.

use crate::endpoints::Endpoints;
use crate::path_space::PathSpace;
use crate::random::stream;
use crate::source_routes::RouteRow;
use rand::RngExt;
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

/// This cuts every route, where it makes a turn that needs a stop, by one at a host of the switch
/// there.
///
/// Shapes: `rows` holds routes without stops, a row per source; `needs_stop` takes two edges and is
/// true at switches with hosts only.
///
/// # Source
/// Flich, López, Malumbres, Duato, "Boosting the performance of Myrinet networks", IEEE TPDS, 2002,
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
    let mut turn_of_switch = vec![0_usize; fabric.switch_count()];
    let mut taken = vec![0_u64; fabric.host_count()];
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
                    let here = space.edge(space.edge(edge).reverse).to;
                    let hosts = fabric.hosts_of(SwitchId::new(here));
                    let host: HostId = match stop_host {
                        StopHost::Random => hosts[random.random_range(0..hosts.len())],
                        StopHost::RoundRobin => {
                            let turn = &mut turn_of_switch[here as usize];
                            let host = hosts[*turn % hosts.len()];
                            *turn += 1;
                            host
                        }
                        StopHost::LeastLoaded => {
                            let load = |host: &HostId| taken[host.index()];
                            let place = (0..hosts.len()).min_by_key(|&i| (load(&hosts[i]), i));
                            hosts[place.unwrap_or(0)]
                        }
                    };
                    taken[host.index()] += endpoints.host_pairs(source, destination);
                    route.push(fabric.host_port(host));
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
