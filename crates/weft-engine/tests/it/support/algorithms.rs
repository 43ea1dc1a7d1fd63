//! The algorithms of the registry, every one of them, with random parameters.

use super::random::Draws;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_registry::Spec;
use weft_routing::algorithms::{Algorithm, Lanes, RouteFunction};
use weft_routing::{AnyRouting, algorithms};
use weft_testing::Microlp;

/// Switches of the largest fabric for which linear programs are solved: some milliseconds.
const MOST_SWITCHES_OF_PROGRAMS: usize = 8;

/// A fabric routed by an algorithm, and the parameters it was given; `None` when it cannot route it.
/// Without lanes it is told to take one wherever it can be.
pub(crate) fn route(
    draws: &mut Draws,
    fabric: &Fabric,
    algorithm: &Algorithm,
    has_lanes: bool,
) -> Option<(AnyRouting, String)> {
    let solves = matches!(algorithm.route, RouteFunction::Linear(_));
    if solves && fabric.switch_count() > MOST_SWITCHES_OF_PROGRAMS {
        return None;
    }
    let mut parameters = BTreeMap::new();
    for spec in algorithm.parameters {
        let value = value(draws, algorithm, spec, has_lanes);
        parameters.extend(value.map(|value| (spec.name.to_owned(), value)));
    }
    let (name, no_one) = (algorithm.name, Arc::default());
    let routing = algorithms::route_any(fabric, name, &parameters, &Microlp, &no_one).ok()?;
    Some((routing, format!("{name}, {parameters:?}")))
}

/// The value of a parameter, where it is not the default.
fn value(draws: &mut Draws, algorithm: &Algorithm, spec: &Spec, has_lanes: bool) -> Option<String> {
    let value = match spec.name {
        "seed" => draws.between(0, 1_000).to_string(),
        "per" => (*draws.choose(&["switch", "host"])).to_owned(),
        "starts" => "1".to_owned(),
        "threshold" => draws.choose(&[0, 0, 20, 200]).to_string(),
        "trees" | "lanes" if !has_lanes => "1".to_owned(),
        "trees" => draws.between(1, 3).to_string(),
        "lanes" if algorithm.needs.lanes == Lanes::AsAsked => draws.between(1, 5).to_string(),
        _ => return None,
    };
    spec.kind.accepts(&value).then_some(value)
}
