//! Descending layers: up*/down* on every lane, and at a forbidden turn down to the next.

use super::{Algorithm, Lanes, Length, Needs, RouteFunction};
use crate::choose::{Selection, select};
use crate::cycles::put_on_lanes;
use crate::error::RoutingError;
use crate::form::{Endpoints, Lane, Routes, SourceRoutes};
use crate::orient::{Orientation, farthest_from, routed_part};
use crate::parameters::{PER_OF_DRAWN, Parameters, ROOT, SEED, selection};
use crate::paths::{PathSpace, TurnRule};
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// Shortest routes over lanes that each are legal and only ever descend.
///
/// Within a lane a packet makes no turn from down to up, so its channels cannot form a cycle; packets
/// change to lower lanes only, so neither can those of several lanes. A packet descends where, and
/// only where, its lane would forbid its turn. Of the lanes that a route may begin on, it takes those
/// least used so far: with the same root on all lanes, a route with t such turns may begin on any
/// lane from t up.
///
/// The paper's switches know the next lane by input and output port alone. That the turn decides
/// here; but which output port a packet takes does not follow from its destination alone, so these
/// are source routes.
///
/// # Complexity
/// That of the choice among shortest paths, times the lanes.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "descending_layers",
    title: "descending layers",
    summary: "Takes a shortest route that makes no more down→up turns than there are lanes below, \
              and goes on a lane lower at each of them.",
    length: Length::UpToLegal,
    needs: Needs::lanes(Lanes::AsAsked),
    further: "Routes are minimal wherever some minimal route makes fewer down→up turns than there \
              are lanes, else the shortest that do.",
    source: "Koibuchi, Jouraku, Watanabe, Amano, “Descending layers routing”, ICPP 2003, as the same \
             authors' “Performance evaluation of deterministic routings, multicasts, and topologies \
             on RHiNET-2 cluster”, §II.A, describes it; where routes begin is reconstructed",
    parameters: &[
        LAYERS,
        ROOT,
        LAYER_ROOTS,
        selection("random"),
        PER_OF_DRAWN,
        SEED,
    ],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

const LAYERS: Spec = Spec::of(
    "lanes",
    Kind::count(1, PathSpace::MOST_ORIENTATIONS as u64),
    "2",
)
.says("Virtual lanes to descend over.");

const LAYER_ROOTS: Spec = Spec::of("layer_roots", Kind::Choice(&["same", "apart"]), "same").says(
    "Whether all lanes have the root of the highest, or each one the switch farthest from \
              the roots of those above it.",
);

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let highest = parameters.orientation(fabric, &part)?;
    let lanes: u8 = parameters.parsed("lanes");
    let apart = parameters.choice("layer_roots", &[("same", false), ("apart", true)]);
    let layers: Vec<Orientation> = if apart {
        let roots = farthest_from(fabric, &part, highest.root(), usize::from(lanes));
        let lower = roots[1..].iter().cycle().take(usize::from(lanes) - 1);
        let lower: Vec<_> = lower.map(|&r| Orientation::from_root(fabric, r)).collect();
        std::iter::once(highest).chain(lower).collect()
    } else {
        vec![highest; usize::from(lanes)]
    };
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let granularity = parameters.granularity_of(chosen, fabric);
    let endpoints = Endpoints::new(fabric, granularity);
    let seed = parameters.seed();
    let space = PathSpace::new(fabric, &layers, TurnRule::Descend);
    let rows = select(&space, &endpoints, chosen, seed);
    let lane_of = |layers_above| Lane::new(lanes - 1 - layers_above);
    let rows = put_on_lanes(&space, &endpoints, &rows, lane_of, seed);
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}
