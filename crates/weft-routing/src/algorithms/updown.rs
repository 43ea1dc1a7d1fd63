//! up*/down*: shortest routes that never turn from down to up.

use super::{Algorithm, DefaultSet, Length, Offer, PermittedTurns, RouteFunction};
use crate::choose::{Selection, select_routes};
use crate::form::{Endpoints, Routes};
use crate::orient::{Orientation, routed_part};
use crate::parameters::{DEPTH_FIRST_ROOT, PER_OF_DRAWN_LATER, Parameters, ROOT, SEED, selection};
use crate::paths::{PathSpace, TurnRule};
use weft_fabric::Fabric;

pub(super) const BY_LEVELS: Algorithm = Algorithm {
    name: "updown",
    title: "up*/down*",
    summary: "Orients every link toward a root and takes a shortest route that never turns from a \
              down channel to an up channel.",
    length: Length::ShortestLegal,
    turns: PermittedTurns::ByRoot,
    offers: &[Offer::new(DefaultSet::Compared, 10, "")],
    source: "Schroeder et al., “Autonet”, IEEE JSAC 9(8), 1991; choice among paths: Koibuchi, \
             Watanabe, Otsuka, Amano, “Performance evaluation of deterministic routings, \
             multicasts, and topologies on RHiNET-2 cluster”, §II.A",
    parameters: &[ROOT, selection("random"), PER_OF_DRAWN_LATER, SEED],
    route: RouteFunction::Plain(|fabric, parameters| {
        let orientation = parameters.orientation(fabric, &routed_part(fabric)?)?;
        Ok(route(fabric, parameters, &orientation))
    }),
    ..Algorithm::DEFAULT
};

pub(super) const DEPTH_FIRST: Algorithm = Algorithm {
    name: "dfs",
    title: "up*/down* depth first",
    summary: "Orients every link toward the end that a depth-first search visits earlier and takes a \
              shortest route that never turns from a down channel to an up channel.",
    turns: PermittedTurns::ByDepthFirstSearch,
    further: "Routes are mostly shorter than those of updown on irregular fabrics. Time O(S·(S + \
              E)) for S switches and E links.",
    offers: &[],
    source: "Sancho, Robles, Duato, “A new methodology to compute deadlock-free routing tables for \
             irregular networks”, CANPC 2000; the order of visits is reconstructed from published \
             distances",
    parameters: &[
        DEPTH_FIRST_ROOT,
        selection("random"),
        PER_OF_DRAWN_LATER,
        SEED,
    ],
    route: RouteFunction::Plain(|fabric, parameters| {
        let orientation = parameters.depth_first_orientation(fabric, &routed_part(fabric)?)?;
        Ok(route(fabric, parameters, &orientation))
    }),
    ..BY_LEVELS
};

/// Takes shortest legal routes by any orientation.
fn route(fabric: &Fabric, parameters: &mut Parameters, orientation: &Orientation) -> Routes {
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let granularity = parameters.granularity_of_later(chosen, fabric);
    let endpoints = Endpoints::new(fabric, granularity);
    let space = PathSpace::new(fabric, Some(orientation), TurnRule::Forbidden);
    select_routes(space, endpoints, chosen, parameters.seed()).into()
}
