//! Minimal routes cut by in-transit stops where up*/down* forbids their turns.

use super::{Algorithm, DefaultSet, Lanes, Length, Needs, Offer, PermittedTurns, RouteFunction};
use crate::choose::{Selection, select};
use crate::cycles::{StopHost, insert_stops};
use crate::error::RoutingError;
use crate::form::{Endpoints, PairNames, Routes, SourceRoutes};
use crate::orient::{Orientation, routed_part};
use crate::parameters::{DEPTH_FIRST_ROOT, PER_OF_DRAWN, Parameters, ROOT, SEED, selection};
use crate::paths::{PathSpace, ShortestPaths, TurnRule, minimal_links};
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// The parameters of in-transit routing with the given root rule.
const fn parameters_from(root: Spec) -> [Spec; 6] {
    [
        root,
        selection("random"),
        STOP_HOST,
        HOSTLESS,
        PER_OF_DRAWN,
        SEED,
    ]
}

pub(super) const STOP_HOST: Spec = Spec::of(
    "stop_host",
    Kind::Choice(&["random", "round_robin", "least_loaded"]),
    "random",
)
.says(
    "Which host of the switch takes an in-transit stop: any, drawn for each pair; the \
                  hosts in turn; or the one that takes fewest so far.",
);

pub(super) const HOSTLESS: Spec = Spec::of("hostless", Kind::Choice(&["detour", "refuse"]), "detour").says("What happens to a pair whose shortest routes all need a stop at a switch without \
                  a host: it takes the shortest route with stops at switches with hosts alone, or the \
                  fabric is refused.");

pub(super) const ANY_MINIMAL: Algorithm = Algorithm {
    name: "ud_itb",
    title: "up*/down* with in-transit buffers",
    summary: "Takes any minimal route and cuts each of its down→up turns by an in-transit stop at a \
              host of the switch where it lies.",
    length: Length::UpToLegal,
    turns: PermittedTurns::ByRoot,
    needs: Needs::lanes(Lanes::One).stops(),
    further: "Routes are minimal where the turns that need a stop can be made at switches with hosts, \
              which holds on every fabric whose switches all have one.",
    offers: &[Offer::new(DefaultSet::Compared, 30, "")],
    source: "Flich, López, Malumbres, Duato, “Boosting the performance of Myrinet networks”, IEEE \
             TPDS, 2002, §4; the two placements: the same, “In-transit buffers: a mechanism to improve \
             performance of networks with source routing”, §III",
    parameters: &parameters_from(ROOT),
    route: RouteFunction::Plain(|fabric, parameters| {
        let orientation = parameters.orientation(fabric, &routed_part(fabric)?)?;
        route(fabric, parameters, &orientation, false)
    }),
    ..Algorithm::DEFAULT
};

/// Of the minimal routes of a pair, one with fewest stops: a legal one wherever there is one.
pub(super) const FEWEST_STOPS: Algorithm = Algorithm {
    name: "ud_mitb",
    title: "up*/down* with fewest in-transit buffers",
    summary: "Takes a minimal route with as few down→up turns as possible and cuts each by an \
              in-transit stop at a host of the switch where it lies.",
    offers: &[],
    route: RouteFunction::Plain(|fabric, parameters| {
        let orientation = parameters.orientation(fabric, &routed_part(fabric)?)?;
        route(fabric, parameters, &orientation, true)
    }),
    ..ANY_MINIMAL
};

pub(super) const DEPTH_FIRST: Algorithm = Algorithm {
    name: "dfs_itb",
    title: "up*/down* depth first with in-transit buffers",
    summary: "Takes any minimal route and cuts each of its down→up turns, by the order of a \
              depth-first search, by an in-transit stop at a host of the switch where it lies.",
    turns: PermittedTurns::ByDepthFirstSearch,
    offers: &[],
    source: "Flich, López, Malumbres, Duato, “In-transit buffers: a mechanism to improve performance \
             of networks with source routing”, §III; orientation as of dfs",
    parameters: &parameters_from(DEPTH_FIRST_ROOT),
    route: RouteFunction::Plain(|fabric, parameters| {
        let orientation = parameters.depth_first_orientation(fabric, &routed_part(fabric)?)?;
        route(fabric, parameters, &orientation, false)
    }),
    ..ANY_MINIMAL
};

/// Takes minimal routes, any or those with fewest stops, and cuts them by any orientation.
fn route(
    fabric: &Fabric,
    parameters: &mut Parameters,
    orientation: &Orientation,
    fewest: bool,
) -> Result<Routes, RoutingError> {
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let granularity = parameters.granularity_of(chosen, fabric);
    let endpoints = Endpoints::new(fabric, granularity);
    let stop_host = parameters.choice("stop_host", &StopHost::CHOICES);
    let refuse = parameters.choice("hostless", &[("detour", false), ("refuse", true)]);
    let seed = parameters.seed();
    let space = PathSpace::new(fabric, Some(orientation), TurnRule::Stop { fewest });
    if refuse {
        refuse_detours(fabric, &space, &endpoints)?;
    }
    let rows = select(&space, &endpoints, chosen, seed);
    // One stop per turn from down to up is both enough and needed.
    let turns_up =
        |held: u32, wanted: u32| !space.edge(held).is_up(0) && space.edge(wanted).is_up(0);
    let rows = insert_stops(fabric, &space, &endpoints, &rows, turns_up, stop_host, seed);
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}

/// Makes sure that every pair has a minimal route whose stops lie at switches with hosts.
fn refuse_detours(
    fabric: &Fabric,
    space: &PathSpace,
    endpoints: &Endpoints,
) -> Result<(), RoutingError> {
    let minimal = minimal_links(fabric);
    let switches = endpoints.source_switches();
    for &source in &switches {
        let paths = ShortestPaths::from(space, source.number());
        for &destination in &switches {
            let links = paths.distances().links_to(space, destination.number());
            if links != minimal[source.index()][destination.index()] {
                let pair = PairNames::of_switches(fabric, [source, destination]);
                return Err(RoutingError::NoHostForStop { pair });
            }
        }
    }
    Ok(())
}
