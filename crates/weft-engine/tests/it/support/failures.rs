//! Routes after something failed: tables that are repaired, and routes that lack a way for some pairs,
//! which engines must refuse.

use super::fabrics;
use super::random::Draws;
use weft_fabric::degrade::{Keep, degrade};
use weft_fabric::{Fabric, HostId, Node, PortNumber};
use weft_routing::{PairGranularity, RouteRow, Routes, SourceRoutes, repair, to_tables};

/// A fabric after random failures, and the tables for it: those of these routes, repaired. Nothing where
/// they have no tables, or these cannot be repaired.
pub(crate) fn repaired(
    draws: &mut Draws,
    fabric: &Fabric,
    routes: &Routes,
) -> Option<(Fabric, Routes)> {
    let failures = fabrics::failures(draws, Keep::LargestPart);
    let after = degrade(fabric, &failures).ok()?.fabric;
    if after == *fabric || !fabrics::joins_two_hosts(&after) {
        return None;
    }
    let tables = match routes {
        Routes::Tables(tables) => tables.clone(),
        Routes::Source(_) => to_tables(fabric, routes, 0).ok()?,
    };
    let repair = repair(fabric, &tables, &after).ok()?;
    Some((after, repair.tables.into()))
}

/// The routes with one way of them changed at random.
pub(crate) fn with_a_change(draws: &mut Draws, fabric: &Fabric, routes: &Routes) -> Routes {
    let port = PortNumber::new(*draws.choose(&[0, 0, 1, 2, 3, 200]));
    let count = routes.endpoint_count();
    let pair = [draws.index(count), draws.index(count)];
    match routes {
        Routes::Tables(tables) => {
            let mut tables = tables.clone();
            let switches: Vec<_> = fabric.switch_ids().collect();
            if let Some(address) = tables.address(pair[0], pair[1]) {
                tables.set_next_port(*draws.choose(&switches), address, port);
            }
            tables.into()
        }
        Routes::Source(routes) => {
            let is_longer = draws.once_in(2);
            let row = |source: usize| {
                let mut row = RouteRow::default();
                for destination in 0..count {
                    let mut steps: Vec<_> = routes.steps_between(source, destination).collect();
                    if [source, destination] == pair && is_longer {
                        steps.push(port);
                    } else if [source, destination] == pair {
                        steps.pop();
                    }
                    row.push(steps);
                }
                row
            };
            let rows = (0..count).map(row).collect();
            SourceRoutes::from_rows(routes.granularity(), rows).into()
        }
    }
}

/// What an engine finds of routes must be so: it refuses them if some packet would not arrive, and
/// names one that would not. Tells whether it does.
pub(crate) fn refuses(
    fabric: &Fabric,
    routes: &Routes,
    can_stop: bool,
    found: &Result<(), String>,
) -> bool {
    let lost = |source: HostId| {
        let others = fabric.host_ids().filter(move |&host| host != source);
        others.filter(move |&to| !arrives(fabric, routes, [source, to], can_stop))
    };
    let lost: Vec<[HostId; 2]> = fabric
        .host_ids()
        .flat_map(|source| lost(source).map(move |to| [source, to]))
        .collect();
    assert_eq!(found.is_err(), !lost.is_empty(), "{found:?}, {lost:?}");
    !lost.is_empty()
}

/// Whether a packet arrives, by the routes as they are held.
fn arrives(
    fabric: &Fabric,
    routes: &Routes,
    [source, destination]: [HostId; 2],
    can_stop: bool,
) -> bool {
    let [mut here, end] = [source, destination].map(|host| fabric.host_switch(host));
    let [from, to] = [source, destination].map(|host| match routes.granularity() {
        PairGranularity::Host => host.index(),
        PairGranularity::Switch => fabric.host_switch(host).index(),
    });
    let behind = |here, port| {
        let channel = fabric.outgoing_at(here, port)?;
        Some(fabric.target(channel).node)
    };
    match routes {
        Routes::Source(routes) => {
            for port in routes.steps_between(from, to) {
                match behind(here, port) {
                    Some(Node::Switch(next)) => here = next,
                    Some(Node::Host(_)) if can_stop => {}
                    _ => return false,
                }
            }
            here == end
        }
        Routes::Tables(tables) => {
            let mut switches = 0;
            while here != end && switches < fabric.switch_count() {
                let address = tables.address(from, to);
                let port = address.and_then(|address| tables.next_port(here, address));
                match port.and_then(|port| behind(here, port)) {
                    Some(Node::Switch(next)) => here = next,
                    _ => return false,
                }
                switches += 1;
            }
            // A switch would send a packet elsewhere whose entry there is not its host's, though it is
            // delivered here.
            let is_host = tables.granularity() == PairGranularity::Host;
            let address = tables.address(from, to);
            let entry = address.and_then(|address| tables.next_port(end, address));
            here == end && (!is_host || entry == Some(fabric.host_port(destination)))
        }
    }
}
