//! The check that every packet arrives: by table or list where that tells it of many pairs at once, and
//! pair by pair where it does not, which names the first that fails.

mod adaptive;
mod grouped;
mod listed;
mod looked_up;

pub(crate) use adaptive::check_adaptive_routes;

use crate::form::{
    DeadEnd, ForwardingError, PairGranularity, PairNames, RouteHop, Routes, SharedRoute,
};
use weft_fabric::{Fabric, HostId};

/// Makes sure that every packet arrives without leaving the network on its way, on a lane everywhere.
pub(crate) fn check_routes(fabric: &Fabric, routes: &Routes) -> Result<(), ForwardingError> {
    let (granularity, found) = (routes.granularity(), routes.endpoint_count());
    let expected = granularity.endpoint_count(fabric);
    ForwardingError::unless_made_for(granularity.endpoints_word(), found, expected)?;
    if let Some(tables) = routes.lane_tables() {
        let (found, expected) = (tables.switch_count(), fabric.switch_count());
        ForwardingError::unless_made_for("switches", found, expected)?;
    }
    let all_arrive = match routes {
        Routes::Source(routes) => listed::all_arrive(fabric, routes),
        Routes::Tables(tables) => looked_up::all_arrive(fabric, tables),
    };
    if all_arrive {
        return Ok(());
    }
    let mut shared = routes.shared(fabric);
    shared.try_for_each(|shared| check_route(fabric, routes, &shared))
}

/// Walks a route once.
fn check_route(
    fabric: &Fabric,
    routes: &Routes,
    shared: &SharedRoute<'_>,
) -> Result<(), ForwardingError> {
    // The first source may be the only destination, to which others send.
    let to_each = |&source: &HostId| shared.destinations.iter().map(move |&to| (source, to));
    let mut pairs = shared.sources.iter().flat_map(to_each);
    let Some((source, destination)) = pairs.find(|(source, to)| source != to) else {
        return Ok(());
    };
    let pair = || {
        let pair = [source, destination].map(HostId::index);
        PairNames::of(fabric, PairGranularity::Host, pair)
    };
    let broken = || ForwardingError::BrokenRoute(pair());
    let no_lane = |service_level, at: &str| ForwardingError::NoLane {
        service_level,
        at: at.to_owned(),
        pair: pair(),
    };
    let mut walk = routes.walk_shared(fabric, shared);
    if walk.lane().is_none() {
        return Err(no_lane(walk.service_level(), &pair().source));
    }
    for step in walk.by_ref() {
        match step.hop {
            Ok(RouteHop::Channel(_)) => {}
            Ok(RouteHop::InTransit(host)) => {
                return Err(ForwardingError::Stop {
                    pair: pair(),
                    host: fabric.host(host).name.clone(),
                });
            }
            Err(DeadEnd::NoLane { service_level }) => {
                return Err(no_lane(service_level, &fabric.switch(step.switch).name));
            }
            Err(_) => return Err(broken()),
        }
    }
    if walk.is_in_a_circle() || walk.switch() != fabric.host_switch(destination) {
        return Err(broken());
    }
    if walk.ejection_lane(fabric.host_port(destination)).is_none() {
        let at = &fabric.switch(walk.switch()).name;
        return Err(no_lane(walk.service_level(), at));
    }
    Ok(())
}
