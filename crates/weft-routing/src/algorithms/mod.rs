//! The routing algorithms, one file each. A new one is its file and one line in [`ALGORITHMS`], or in
//! [`ADAPTIVE`] where packets choose on their way.

mod adaptive_around;
mod ar_ftree;
mod ar_updn;
mod balanced;
mod best;
mod best_in_transit;
mod cut_in_transit;
mod d_mod_k;
mod definition;
mod descending_layers;
mod dfp;
mod dfsssp;
mod dimension_order;
mod down_preferred;
mod ftree;
mod in_transit;
mod lash;
mod lash_tor;
mod min_hop;
mod minimal;
mod minimal_adaptive;
mod multi_tree;
mod nue;
mod offers;
mod omniwar;
mod orientation_asked_for;
mod prefix;
mod segment_based;
mod simple_routes;
mod smart;
mod sssp;
mod structured_pools;
mod torus_2qos;
mod two_phase;
mod updn;
mod updown;

pub use definition::{
    Algorithm, Deadlock, Lanes, Length, Needs, Patience, PermittedTurns, RouteFunction,
    SearchFunction, Weight,
};
pub use offers::{DefaultSet, Offer};

use crate::error::{Refusal, RoutingError};
use crate::form::{AdaptiveRoutes, AlikeCost, AnyRouting, Routes, Routing, ServiceEnds, WhyAlike};
use crate::linear_solver::{LinearSolver, NoSolver};
use crate::load::figures;
use crate::orient::routed_part;
use crate::parameters::Parameters;
use crate::progress::Progress;
use crate::service;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::{Fabric, HostId};
use weft_registry::Choice;

/// All algorithms that make one route for every pair, in the order in which they are listed.
pub const ALGORITHMS: &[Algorithm] = &[
    updown::BY_LEVELS,
    updown::DEPTH_FIRST,
    simple_routes::ALGORITHM,
    segment_based::ALGORITHM,
    down_preferred::ALGORITHM,
    prefix::ALGORITHM,
    ftree::ALGORITHM,
    d_mod_k::ALGORITHM,
    in_transit::FEWEST_STOPS,
    in_transit::ANY_MINIMAL,
    in_transit::DEPTH_FIRST,
    multi_tree::ALGORITHM,
    descending_layers::ALGORITHM,
    structured_pools::ALGORITHM,
    lash::ALGORITHM,
    lash_tor::ALGORITHM,
    dimension_order::ALGORITHM,
    torus_2qos::ALGORITHM,
    best::ALGORITHM,
    best_in_transit::ALGORITHM,
    nue::ALGORITHM,
    dfsssp::ALGORITHM,
    sssp::ALGORITHM,
    min_hop::ALGORITHM,
    updn::ALGORITHM,
    minimal::ALGORITHM,
    cut_in_transit::MINIMAL,
    balanced::ALGORITHM,
    cut_in_transit::BALANCED,
    smart::ALGORITHM,
];

/// All algorithms whose packets choose on their way, in the order in which they are listed.
pub const ADAPTIVE: &[Algorithm] = &[
    minimal_adaptive::ALGORITHM,
    ar_updn::ALGORITHM,
    ar_ftree::ALGORITHM,
    adaptive_around::ALGORITHM,
    omniwar::ALGORITHM,
    dfp::ALGORITHM,
    two_phase::VALIANT,
    two_phase::UGAL,
];

/// The algorithm with a name.
///
/// # Errors
/// [`RoutingError::Parameters`], with the name most like it.
pub fn find(name: &str) -> Result<&'static Algorithm, RoutingError> {
    let all = ALGORITHMS.iter().chain(ADAPTIVE);
    Ok(weft_registry::find(
        Algorithm::WHAT,
        all,
        |algorithm| algorithm.name,
        name,
    )?)
}

/// Refuses a name or parameters that no fabric could be routed by.
///
/// # Errors
/// [`RoutingError::Parameters`].
pub fn check(name: &str, parameters: &BTreeMap<String, String>) -> Result<(), RoutingError> {
    let algorithm = find(name)?;
    let complete = Parameters::complete(algorithm.name, algorithm.parameters, parameters)?;
    if algorithm.name == adaptive_around::ALGORITHM.name {
        let of = parse_spec(complete.text(adaptive_around::OF.name))?;
        check(&of.name, &of.parameters)?;
    }
    Ok(())
}

/// Routes a fabric by the algorithm named, with the parameters given and defaults for the
/// others.
///
/// # Errors
/// [`RoutingError`]: an unknown name, a value that cannot be, a fabric the algorithm cannot route, or
/// an algorithm that needs linear programs solved or lets packets choose; see [`route_with`] and
/// [`route_any`].
///
/// # Determinism
/// Equal fabrics, names and parameters give equal routes, on any number of cores.
pub fn route(
    fabric: &Fabric,
    name: &str,
    parameters: &BTreeMap<String, String>,
) -> Result<Routing, RoutingError> {
    route_with(fabric, name, parameters, &NoSolver)
}

/// Routes a fabric by any algorithm that makes one route for every pair, also by those that need
/// linear programs solved.
///
/// # Errors
/// As [`route`], and [`RoutingError::Linear`] when the solver finds no solution.
///
/// # Determinism
/// As [`route`], as long as the solver gives equal programs equal solutions.
pub fn route_with(
    fabric: &Fabric,
    name: &str,
    parameters: &BTreeMap<String, String>,
    solver: &dyn LinearSolver,
) -> Result<Routing, RoutingError> {
    let routing = route_any(fabric, name, parameters, solver, &Arc::default())?;
    let fixed = Arc::clone(routing.fixed("what was asked for")?);
    drop(routing);
    Ok(Arc::unwrap_or_clone(fixed))
}

/// Routes a fabric by any algorithm, which tells how far it is.
///
/// # Errors
/// As [`route_with`], but no algorithm is refused for its kind.
///
/// # Determinism
/// As [`route_with`].
pub fn route_any(
    fabric: &Fabric,
    name: &str,
    parameters: &BTreeMap<String, String>,
    solver: &dyn LinearSolver,
    progress: &Arc<Progress>,
) -> Result<AnyRouting, RoutingError> {
    let algorithm = find(name)?;
    let mut parameters = Parameters::complete(algorithm.name, algorithm.parameters, parameters)?;
    parameters.progress = Arc::clone(progress);
    if let RouteFunction::Adaptive(route) = algorithm.route {
        let routes = route(fabric, &mut parameters)?;
        let has_compute = fabric.compute_hosts().next().is_some();
        let service = if fabric.has_service() && has_compute {
            alike(WhyAlike::Choice)
        } else {
            ServiceEnds::Joined
        };
        return Ok(AnyRouting::Adaptive(Arc::new(Routing {
            algorithm: algorithm.name.to_owned(),
            parameters: parameters.into_texts(),
            service,
            routes,
        })));
    }
    let routing =
        joining_service(
            fabric,
            algorithm,
            parameters,
            |fabric, parameters| match algorithm.route {
                RouteFunction::Plain(route) => route(fabric, parameters),
                RouteFunction::Search(route) => route(fabric, parameters, &[], None),
                RouteFunction::Linear(route) => route(fabric, parameters, solver),
                RouteFunction::Adaptive(_) => unreachable!("those are routed above"),
            },
        )?;
    Ok(AnyRouting::from(routing))
}

/// Routes a fabric by its compute part, to whose routes service ends are joined; the whole of it where it has
/// no service ends, the algorithm is blind to them, or its routes can take no further ends in.
fn joining_service(
    fabric: &Fabric,
    algorithm: &Algorithm,
    mut parameters: Parameters,
    mut route: impl FnMut(&Fabric, &mut Parameters) -> Result<Routes, RoutingError>,
) -> Result<Routing, RoutingError> {
    let made = |routes, parameters: Parameters, service| Routing {
        algorithm: algorithm.name.to_owned(),
        parameters: parameters.into_texts(),
        service,
        routes,
    };
    let has_compute = fabric.compute_hosts().next().is_some();
    if algorithm.is_blind_to_service || !fabric.has_service() || !has_compute {
        let routes = route(fabric, &mut parameters)?;
        let service = if fabric.has_service() && has_compute {
            alike(WhyAlike::Model)
        } else {
            ServiceEnds::Joined
        };
        return Ok(made(routes, parameters, service));
    }
    routed_part(fabric)?;
    let compute = fabric.compute_part();
    let mut of_compute = parameters.clone();
    let routes = route(&compute, &mut of_compute)?;
    let has_lanes = algorithm.parameters.iter().any(|spec| spec.name == "lanes");
    let lanes = has_lanes
        .then(|| of_compute.or_auto::<u8>("lanes"))
        .flatten();
    let room = service::Room {
        lanes: lanes.unwrap_or(0),
        stops: algorithm.needs.stops,
    };
    let (why, refused) = match service::join(fabric, &compute, &routes, room) {
        Ok(Some(routes)) => return Ok(made(routes, of_compute, ServiceEnds::Joined)),
        Ok(None) => (WhyAlike::Form, None),
        // Routings of any fabric make room for service ends if they count like others.
        Err(RoutingError::ServiceApart {
            source_end,
            destination,
        }) => (
            WhyAlike::Cycle {
                source_end: source_end.clone(),
                destination: destination.clone(),
            },
            Some(RoutingError::ServiceApart {
                source_end,
                destination,
            }),
        ),
        Err(error) => return Err(error),
    };
    let whole = route(fabric, &mut parameters);
    let whole = whole.map_err(|error| refused.unwrap_or(error))?;
    let without = made(routes, of_compute, ServiceEnds::Joined);
    let mut with = made(whole, parameters, alike(why.clone()));
    let [one, other] = [(&*compute, &without), (fabric, &with)].map(|(fabric, routing)| {
        let found = figures(fabric, routing);
        let between = fabric.channel_ids().filter(|&channel| {
            let ends = [fabric.source(channel).node, fabric.target(channel).node];
            ends.iter().all(|node| node.switch().is_some())
        });
        let loads = between.map(|channel| found.routes_per_channel[channel.index()]);
        let lanes = routing.routes.lane_count();
        (loads.max().unwrap_or(0), found.max_hops_links, lanes)
    });
    with.service = ServiceEnds::Alike {
        why,
        cost: Some(AlikeCost {
            most_routes: [one.0, other.0],
            most_links: [one.1, other.1],
            lanes: [one.2, other.2],
        }),
    };
    Ok(with)
}

/// Service ends that count like compute ends, when nobody knows what it costs.
fn alike(why: WhyAlike) -> ServiceEnds {
    ServiceEnds::Alike { why, cost: None }
}

/// Routes a fabric by an algorithm that searches, for traffic that is not the same between all hosts, or
/// for as long as is wanted.
///
/// With weights, the largest sum of them over a channel is what is kept low, and with several the worst ratio of one
/// to what no routing is below; pairs of weight 0 have routes as well. With patience there is a first answer at once,
/// and then as many starts as it permits, those of the parameter `starts` first; the parameter `starts` of the result
/// tells how many, 0 for the first answer, and with it the same routes are made again.
///
/// # Errors
/// As [`route`]; [`RoutingError::NoSearch`] for an algorithm that does not search.
///
/// # Determinism
/// As [`route`], but for when the search is told to end.
pub fn search(
    fabric: &Fabric,
    name: &str,
    parameters: &BTreeMap<String, String>,
    weights: &[Weight<'_>],
    patience: Option<Patience<'_>>,
) -> Result<Routing, RoutingError> {
    let searching = ALGORITHMS
        .iter()
        .filter_map(|algorithm| match algorithm.route {
            RouteFunction::Search(route) => Some((algorithm, route)),
            _ => None,
        });
    let Some((algorithm, route)) = searching.clone().find(|(known, _)| known.name == name) else {
        return Err(RoutingError::NoSearch {
            found: name.to_owned(),
            searching: searching.map(|(algorithm, _)| algorithm.name).collect(),
        });
    };
    let parameters = Parameters::complete(algorithm.name, algorithm.parameters, parameters)?;
    let compute: Vec<HostId> = fabric.compute_hosts().collect();
    joining_service(fabric, algorithm, parameters, |part, parameters| {
        let is_whole = part.host_count() == fabric.host_count();
        if is_whole {
            return route(part, parameters, weights, patience);
        }
        let compute = &compute;
        let of_part = weights.iter().map(|weight| {
            move |from: HostId, to: HostId| weight(compute[from.index()], compute[to.index()])
        });
        let of_part: Vec<_> = of_part.collect();
        let weights: Vec<Weight<'_>> = of_part.iter().map(|one| one as Weight<'_>).collect();
        route(part, parameters, &weights, patience)
    })
}

/// Routes a fabric by a text such as `valiant:seed=3`, packets choosing on their way.
///
/// # Errors
/// As [`parse_spec`] and [`route`]; [`RoutingError::NotAdaptive`] for an algorithm that makes one route
/// for every pair.
pub fn route_adaptive_spec(
    fabric: &Fabric,
    spec: &str,
) -> Result<Routing<AdaptiveRoutes>, RoutingError> {
    let choice = parse_spec(spec)?;
    let no_one = Arc::default();
    match route_any(fabric, &choice.name, &choice.parameters, &NoSolver, &no_one)? {
        AnyRouting::Adaptive(routing) => Ok(Arc::unwrap_or_clone(routing)),
        AnyRouting::Fixed(routing) => Err(RoutingError::NotAdaptive {
            algorithm: routing.algorithm.clone(),
        }),
    }
}

/// Routes a fabric by a text such as `updown:root=min_average,selection=random,seed=3`.
///
/// # Errors
/// As [`parse_spec`] and [`route`].
///
/// # Examples
/// ```
/// let fabric = weft_fabric::generate::mesh(3, 2, 1)?;
/// let routing = weft_routing::algorithms::route_spec(&fabric, "updown:root=0,per=switch")?;
/// assert_eq!(routing.parameters["per"], "switch");
/// assert_eq!(routing.parameters["selection"], "random");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn route_spec(fabric: &Fabric, spec: &str) -> Result<Routing, RoutingError> {
    let choice = parse_spec(spec)?;
    route(fabric, &choice.name, &choice.parameters)
}

/// Takes a text such as `updown:root=0,seed=3` apart into name and parameters; neither need
/// exist.
///
/// # Errors
/// [`RoutingError::Parameters`] for a text that is none.
pub fn parse_spec(spec: &str) -> Result<Choice, RoutingError> {
    Ok(Choice::parse(spec, "updown:root=0,selection=random")?)
}
