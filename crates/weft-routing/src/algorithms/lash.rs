//! LASH: shortest paths dealt to layers so that no layer's channels form a cycle.

use super::{Algorithm, DefaultSet, Lanes, Length, Needs, Offer, Refusal, RouteFunction};
use crate::choose::{Selection, select};
use crate::cycles::Layers;
use crate::error::RoutingError;
use crate::form::{
    Endpoints, ForwardingTables, Lane, PairGranularity, RouteRow, Routes, SourceRoutes,
};
use crate::orient::routed_part;
use crate::parameters::{LANES, Parameters, SEED};
use crate::paths::{DestinationTrees, PathSpace, TurnRule};
use crate::random::stream;
use rand::seq::SliceRandom;
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// Layered shortest paths.
///
/// Every pair of switches with hosts has one shortest path each way. Pair after pair goes, both ways
/// together, to the first layer where it closes no cycle of channels; a packet stays on the lane of
/// its layer, so each layer by itself is free of deadlock, and with it all. Which pairs fit together
/// depends on the paths and on the order, hence so does the number of layers; then pairs are moved
/// from full to empty layers.
///
/// LASH routes by destination: the paths to a switch form a tree, which tables hold, and the layer
/// is the service level of a pair. So it is with `selection=tree`. Paths chosen one by one form no
/// trees, and are source routes. Hosts of two switches share a path and its layer.
///
/// # Complexity
/// Time O(S²·P·L·D) for S switches, paths of P links and L layers, where D is what of the channels'
/// order lies between the ends of a new dependency, at most all of it and hardly ever much.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "lash",
    title: "LASH",
    summary: "Gives every pair of switches one shortest path and puts pair after pair on the first \
              lane where its paths close no cycle of channels.",
    length: Length::Shortest,
    needs: Needs::lanes(Lanes::PerFabric),
    further: "How many lanes that takes, only trying shows.",
    offers: &[
        Offer::new(DefaultSet::Audited, 60, "lanes=8"),
        Offer::new(DefaultSet::Advised, 60, "lanes={lanes}"),
    ],
    refuses: &[Refusal::Lanes],
    source: "Skeie, Lysne, Theiss, “Layered shortest path (LASH) routing in irregular system area \
             networks”, IPDPS 2002; order and balance as OpenSM has them",
    parameters: &[LANES, PATHS, ORDER, BALANCE, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

const PATHS: Spec = Spec::of("selection", Kind::Choice(&["tree", "first", "random", "least_loaded", "balanced"]), "tree").says("Which of the shortest paths a pair takes: that of the destination's breadth-first \
              tree, which tables can hold, the first by port numbers, any with the same probability, \
              the one over the least loaded channels, or the one left when paths over the busiest \
              channels are taken away one by one.");

const ORDER: Spec = Spec::of("order", Kind::Choice(&["id", "random"]), "id")
    .says("Whether pairs are put on lanes by ascending switch numbers or in random order.");

const BALANCE: Spec = Spec::of("balance", Kind::Choice(&["yes", "no"]), "yes").says(
    "Whether pairs, drawn one by one, are then moved from the fullest lane to the emptiest \
              where they close no cycle.",
);

pub(super) fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    routed_part(fabric)?;
    let choices: [(&str, Option<Selection>); 5] = [
        ("tree", None),
        ("first", Some(Selection::First)),
        ("random", Some(Selection::Random)),
        ("least_loaded", Some(Selection::LeastLoaded)),
        ("balanced", Some(Selection::Balanced)),
    ];
    let chosen = parameters.choice("selection", &choices);
    let shuffled = parameters.choice("order", &[("id", false), ("random", true)]);
    let balanced = parameters.choice("balance", &[("yes", true), ("no", false)]);
    let seed = parameters.seed();
    let endpoints = Endpoints::new(fabric, PairGranularity::Switch);
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let (ways, paths) = match chosen {
        None => {
            let trees = DestinationTrees::new(&space, &endpoints);
            let path = |from, to| trees.path(&space, endpoints.switch(from), to);
            let paths = paths_of_pairs(&endpoints, path);
            (Ways::Trees(trees), paths)
        }
        Some(selection) => {
            let rows = select(&space, &endpoints, selection, seed);
            let edges = |(source, row)| paths_of_row(&space, endpoints.switch(source), row);
            let mut edges: Vec<Vec<Vec<u32>>> = (0..).zip(&rows).map(edges).collect();
            let paths = paths_of_pairs(&endpoints, |from, to| std::mem::take(&mut edges[from][to]));
            (Ways::Listed(rows), paths)
        }
    };
    let (pairs, paths): (Vec<[usize; 2]>, Vec<[Vec<u32>; 2]>) = paths.into_iter().unzip();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    if shuffled {
        order.shuffle(&mut stream(seed, "order of pairs", 0));
    }
    let progress = &parameters.progress;
    let mut layers = Layers::dealt(space.edge_count(), &paths, order, progress);
    parameters.refuse_more_lanes(fabric, layers.count())?;
    if balanced {
        parameters.progress.begin(0);
        layers.balance(seed);
    }
    let count = endpoints.count();
    let mut lanes = vec![Lane::ZERO; count * count];
    for (lane, members) in (0..=u8::MAX).map(Lane::new).zip(layers.pairs()) {
        for &member in members {
            let [one, other] = pairs[member];
            lanes[one * count + other] = lane;
            lanes[other * count + one] = lane;
        }
    }
    match ways {
        Ways::Trees(trees) => Ok(tables(fabric, &space, &trees, lanes).into()),
        Ways::Listed(rows) => {
            let laned = rows.iter().zip(lanes.chunks_exact(count.max(1)));
            let rows = laned.map(|(row, lanes)| {
                let routes = row.routes().zip(lanes);
                RouteRow::on_lanes(
                    routes.map(|(path, &lane)| path.iter().map(move |&port| (port, lane))),
                )
            });
            Ok(SourceRoutes::from_rows(PairGranularity::Switch, rows.collect()).into())
        }
    }
}

/// The paths in the form in which they are emitted.
enum Ways {
    Trees(DestinationTrees),
    Listed(Vec<RouteRow>),
}

/// The routes from a switch as edges.
pub(super) fn paths_of_row(space: &PathSpace, from: u32, row: &RouteRow) -> Vec<Vec<u32>> {
    let edges = |ports| space.edges_along(from, ports).collect();
    row.routes().map(edges).collect()
}

/// The pairs of distinct switches with hosts by ascending ids, each with its paths there
/// and back.
fn paths_of_pairs(
    endpoints: &Endpoints,
    mut path: impl FnMut(usize, usize) -> Vec<u32>,
) -> Vec<([usize; 2], [Vec<u32>; 2])> {
    let mut pairs = Vec::new();
    for one in 0..endpoints.count() {
        for other in one + 1..endpoints.count() {
            if endpoints.need_route(one, other) {
                pairs.push(([one, other], [path(one, other), path(other, one)]));
            }
        }
    }
    pairs
}

/// The trees as tables, with the lane of each pair.
fn tables(
    fabric: &Fabric,
    space: &PathSpace,
    trees: &DestinationTrees,
    lanes: Vec<Lane>,
) -> ForwardingTables {
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Switch);
    for destination in fabric.switch_ids() {
        for address in tables.addresses(destination.index()) {
            for switch in fabric.switch_ids() {
                if let Some(edge) = trees.next(switch.number(), destination.index()) {
                    tables.set_next_port(switch, address, space.edge(edge).port);
                }
            }
        }
    }
    tables.set_lanes(lanes);
    tables
}
