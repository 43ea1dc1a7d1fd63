//! Valiant and UGAL: by way of an intermediate switch, always or where the straight way is congested.

use super::{Algorithm, Lanes, Needs, Refusal, RouteFunction, dimension_order, lash};
use crate::error::RoutingError;
use crate::form::{AdaptiveRoutes, Detour, SourceRoutes, TwoPhaseRoutes};
use crate::parameters::{Parameters, SEED};
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// Valiant's two phases.
///
/// Both phases take the same minimal routes, each on lanes of its own.
pub(super) const VALIANT: Algorithm = Algorithm {
    name: "valiant",
    title: "Valiant",
    summary: "Sends every packet by a shortest route to a switch with hosts drawn at random, and on \
              from there by a shortest route, on further lanes.",
    needs: Needs::lanes(Lanes::PerFabric),
    further: "Whatever the traffic, channels are loaded as under uniform traffic of twice the \
              load. On a mesh it needs two lanes, on a torus four, elsewhere twice those of lash.",
    refuses: &[Refusal::Lanes],
    source: "Valiant, “A scheme for fast parallel communication”, SIAM J. Computing 11(2), 1982; Dally, \
             Towles, “Principles and practices of interconnection networks”, §9.1; one draw a packet",
    parameters: &[MINIMAL, LANES, SEED],
    route: RouteFunction::Adaptive(|fabric, parameters| route(fabric, parameters, Detour::Always)),
    ..Algorithm::DEFAULT
};

/// Universal globally adaptive load-balanced routing, by what the source's switch knows.
///
/// The decision falls once, when the packet asks for an output for the first time. As occupancy counts
/// what is taken of the buffers at both ends of a channel.
pub(super) const UGAL: Algorithm = Algorithm {
    name: "ugal",
    title: "UGAL",
    summary: "Sends a packet straight by a shortest route, or by way of a switch drawn at random as \
              valiant does where buffers that way are so much emptier that it outweighs the links \
              more.",
    further: "It needs as many lanes as valiant.",
    source: "Singh, “Load-balanced routing in interconnection networks”, PhD thesis, Stanford, 2005: \
             its local variant, which knows the source's switch alone",
    parameters: &[MINIMAL, THRESHOLD, LANES, SEED],
    route: RouteFunction::Adaptive(|fabric, parameters| {
        let threshold = parameters.parsed("threshold");
        route(fabric, parameters, Detour::Congestion { threshold })
    }),
    ..VALIANT
};

const MINIMAL_WORDS: [&str; 3] = ["auto", "dimension_order", "lash"];

const MINIMAL: Spec = Spec::of("minimal", Kind::Choice(&MINIMAL_WORDS), "auto").says(
    "The shortest routes of either phase: dimension order or LASH; auto means dimension order \
              on full meshes and tori, else LASH.",
);

const LANES: Spec = Spec::of("lanes", Kind::count(2, 16), "16")
    .says("Virtual lanes that packets may use; a fabric that needs more is refused.");

const THRESHOLD: Spec = Spec::of("threshold", Kind::SEED, "0").says("How much fuller the straight way must be for a detour: straight if its flits in buffers \
              times its links exceed those of the detour by no more than this many flits times links.");

fn route(
    fabric: &Fabric,
    parameters: &mut Parameters,
    detour: Detour,
) -> Result<AdaptiveRoutes, RoutingError> {
    let seed = parameters.seed();
    let words = MINIMAL_WORDS.map(|word| (word, word));
    let routes = match parameters.choice("minimal", &words) {
        "auto" => match minimal_routes(fabric, "dimension_order", seed) {
            Err(RoutingError::NoGrid { .. }) => {
                parameters.settle("minimal", &"lash");
                minimal_routes(fabric, "lash", seed)?
            }
            routes => {
                parameters.settle("minimal", &"dimension_order");
                routes?
            }
        },
        named => minimal_routes(fabric, named, seed)?,
    };
    parameters.refuse_more_lanes(fabric, 2 * usize::from(routes.lane_count()))?;
    let routes = TwoPhaseRoutes::new(fabric, routes, detour, seed)?;
    Ok(AdaptiveRoutes::TwoPhase(routes))
}

/// Minimal routes between switches, on as many lanes as it takes.
fn minimal_routes(fabric: &Fabric, name: &str, seed: u64) -> Result<SourceRoutes, RoutingError> {
    let seed = ("seed", seed.to_string());
    let routes = if name == "lash" {
        let given = [("lanes", "255".to_owned()), seed];
        lash::route(fabric, &mut lash::ALGORITHM.with(given)?)?
    } else {
        let given = [("per", "switch".to_owned()), seed];
        dimension_order::route(fabric, &mut dimension_order::ALGORITHM.with(given)?)?
    };
    Ok(routes.to_source_routes(fabric).into_owned())
}
