//! Even routes by the source, cut by as few in-transit stops as their price asks for.

mod all_routes;
mod carried_loads;
mod cheapest_way;
mod shortest_way;
mod stopping_order;
mod stopping_rows;
mod way_with_stops;

use crate::algorithms::{Algorithm, DefaultSet, Lanes, Needs, Offer, RouteFunction};
use crate::error::RoutingError;
use crate::form::{Endpoints, Routes, SourceRoutes};
use crate::orient::routed_part;
use crate::parameters::{PER, Parameters, SEED};
use carried_loads::Weights;
use stopping_rows::{Effort, stopping_rows};
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// Routes whose fullest channel carries as little as can be found, and stops where they are cheapest.
///
/// Ways are evened out first, as if no packets could deadlock. A total order of the channels then tells
/// where they have to stop, and is bettered until that is seldom; ways and stops are taken anew by the
/// order, the cheapest for each route, without loading any channel more than the fullest.
///
/// # Source
/// Our own. In-transit buffers are from Flich, López, Malumbres, Duato, “In-transit buffers: a mechanism
/// to improve performance of networks with source routing”.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "best_itb",
    title: "best with in-transit buffers",
    summary: "Evens out shortest routes so that the fullest channel carries as little as can be, then cuts \
              them by in-transit stops where an order of the channels asks for it, which is bettered until \
              that is seldom, and where packets that wait would hold many channels.",
    needs: Needs::lanes(Lanes::One).stops(),
    further: "Routes have at most so many links more than the shortest as slack says, but for \
              those of cycles that meet at switches without hosts alone.",
    improves: true,
    offers: &[Offer::new(DefaultSet::Compared, 40, "")],
    source: "our own; in-transit buffers after Flich, López, Malumbres, Duato, “In-transit buffers: a \
             mechanism to improve performance of networks with source routing”",
    parameters: &[SLACK, STOP_COST, ROUNDS, PER, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

const SLACK: Spec = Spec::of("slack", Kind::count(0, 4), "0").says(
    "Links that a route may be longer than the shortest one; more make loads more even, mostly to \
              the bound with 2, and channels carry more on average.",
);

const STOP_COST: Spec = Spec::of("stop_cost", Kind::count(0, u8::MAX as u64), "1").says("What a stop costs, in channels that a packet holds while it waits for a full one: the less, \
              the more routes are cut though no cycle asks for it, and the more traffic is carried, at the \
              price of latency and of the hosts' memory; 255 means as few stops as can be found.");

const ROUNDS: Spec = Spec::of("rounds", Kind::count(1, u8::MAX as u64), "8").says(
    "How often the order of the channels is bettered for the routes, and the routes for the order.",
);

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let effort = Effort {
        slack: parameters.parsed("slack"),
        stop_cost: parameters.parsed("stop_cost"),
        rounds: parameters.parsed("rounds"),
        seed: parameters.seed(),
    };
    let weights = alike(fabric, &endpoints);
    let progress = &parameters.progress;
    let rows = stopping_rows(fabric, &part, &endpoints, weights, effort, progress);
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}

/// The traffic of hosts that send all others alike.
fn alike(fabric: &Fabric, endpoints: &Endpoints) -> Weights {
    let ends = 0..endpoints.count();
    let pairs = ends
        .clone()
        .flat_map(|from| ends.clone().map(move |to| (from, to)));
    let others = (fabric.host_count() as u64).saturating_sub(1);
    Weights {
        pairs: pairs
            .map(|(from, to)| endpoints.host_pairs(from, to))
            .collect(),
        hosts: vec![others; fabric.host_count()],
    }
}
