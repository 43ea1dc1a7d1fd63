//! `simple_routes`: one legal route after another, each avoiding the channels taken before.

use super::{Algorithm, DefaultSet, Offer, PermittedTurns, RouteFunction};
use crate::cycles::remove_deadlocks;
use crate::error::RoutingError;
use crate::form::{Endpoints, RouteRow, Routes, SourceRoutes};
use crate::load::largest_expected_load;
use crate::orient::routed_part;
use crate::parameters::{PER, Parameters, ROOT, SEED};
use crate::paths::{PathSpace, TurnRule, Turns, WeightedSearch, minimal_links};
use crate::progress::Progress;
use crate::random::stream;
use rand::seq::SliceRandom;
use weft_fabric::{Fabric, HostId, PortNumber};
use weft_registry::{Kind, Spec};

/// Balanced legal routes.
///
/// Every channel weighs 1 at first, and `alpha` more for each route of a pair of hosts that has been
/// put on it; a route is the legal path of least weight. What is published of the program is that
/// it balances legal routes by weighted links, prefers at times a route that is not the shortest,
/// yet gives the mean length of the shortest ones on an 8×8 torus. This bounds `alpha`: the weights
/// must decide between routes of equal length and hardly ever lengthen one.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "simple_routes",
    title: "up*/down* by simple_routes",
    summary: "Gives every pair, in random order, the legal route of least weight, where channels \
              grow heavier with each route put on them.",
    turns: PermittedTurns::ByRoot,
    further: "A route may be longer than the shortest legal one where that is much more loaded. \
              With shortest_path=yes routes are minimal and packets may deadlock; with \
              remove_deadlocks=yes as well, they cannot, but routes may be longer, and the search \
              for them may fail.",
    offers: &[Offer::new(DefaultSet::Compared, 20, "")],
    source: "Flich, López, Malumbres, Duato, “Boosting the performance of Myrinet networks”, IEEE \
             TPDS, 2002, §5.3, which describes what GM's program does; weights and order are \
             reconstructed",
    parameters: &[
        ROOT,
        Spec::of("alpha", Kind::Or("auto", &Kind::number(0.0, 1.0)), "auto").says(
            "Weight a channel gains with each route, in links; auto is small enough that \
                      weights choose among shortest legal routes and hardly ever lengthen one.",
        ),
        Spec::of("shortest_path", Kind::Choice(&["no", "yes"]), "no").says(
            "Whether routes are the shortest of all, whatever their turns; weights then only \
                      choose among these.",
        ),
        Spec::of("remove_deadlocks", Kind::Choice(&["no", "yes"]), "no").says(
            "Whether routes are led around turns afterwards until their channels form no \
                      cycle.",
        ),
        Spec::of("turns", Kind::SEED, "1000")
            .says("Turns that remove_deadlocks leads around before it fails."),
        PER,
        SEED,
    ],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

/// Times during the placing of all routes that the search takes stock of the weights.
const STOCKTAKINGS: usize = 32;

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let orientation = parameters.orientation(fabric, &part)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let given: Option<f64> = parameters.or_auto("alpha");
    let seed = parameters.seed();
    let yes = [("no", false), ("yes", true)];
    let is_shortest = parameters.choice("shortest_path", &yes);
    let space = if is_shortest {
        PathSpace::new(fabric, None, TurnRule::Free)
    } else {
        PathSpace::new(fabric, Some(&orientation), TurnRule::Forbidden)
    };
    let most = if is_shortest {
        largest_tie_break(fabric, &endpoints)
    } else {
        1.0
    };
    let auto = || 1.0 / largest_expected_load(&space, &endpoints).max(1.0);
    let alpha = given.unwrap_or_else(auto).min(most);
    parameters.settle("alpha", &alpha);

    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for source in 0..endpoints.count() {
        let needed = (0..endpoints.count()).filter(|&d| endpoints.need_route(source, d));
        pairs.extend(needed.map(|destination| (id(source), id(destination))));
    }
    pairs.shuffle(&mut stream(seed, "order of pairs", 0));
    let mut rows = place_all(&space, &endpoints, alpha, &pairs, &parameters.progress);
    // Legal routes have no cycle to remove.
    if is_shortest && parameters.choice("remove_deadlocks", &yes) {
        let most_turns = parameters.parsed("turns");
        rows = remove_deadlocks(fabric, Turns::all(&space), &endpoints, &rows, most_turns)?;
    }
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows).into())
}

/// A weight per route so small that all routes together never outweigh one link.
fn largest_tie_break(fabric: &Fabric, endpoints: &Endpoints) -> f64 {
    let lengths = minimal_links(fabric);
    let longest = lengths.iter().flatten().flatten().max().copied();
    let hosts: u64 = (0..endpoints.count()).map(|end| endpoints.hosts(end)).sum();
    1.0 / ((hosts * hosts) as f64 * f64::from(longest.unwrap_or(0) + 1))
}

/// Places one route after the other.
///
/// Shapes: a row per source; pairs that are not listed have no step.
fn place_all(
    space: &PathSpace,
    endpoints: &Endpoints,
    alpha: f64,
    pairs: &[(u32, u32)],
    progress: &Progress,
) -> Vec<RouteRow> {
    let weight_of = |&(source, destination): &(u32, u32)| {
        endpoints.host_pairs(source as usize, destination as usize)
    };
    let units = units_per_link(space, alpha, pairs.iter().map(weight_of).sum());
    let mut search = WeightedSearch::new(space, endpoints.source_switches(), whole(units));
    let count = endpoints.count();
    let mut steps: Vec<PortNumber> = Vec::new();
    let mut places = vec![(0, 0); count * count];
    let mut path = Vec::new();
    let stride = pairs.len().div_ceil(STOCKTAKINGS).max(1);
    progress.begin(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        progress.advance();
        if number > 0 && number.is_multiple_of(stride) {
            search.refresh_bounds();
        }
        let (source, destination) = (pair.0 as usize, pair.1 as usize);
        search.cheapest(
            endpoints.switch(source),
            endpoints.switch(destination),
            &mut path,
        );
        let gain = whole(units * alpha * weight_of(pair) as f64);
        let start = steps.len();
        for &edge in &path {
            search.add(edge, gain);
            steps.push(space.edge(edge).port);
        }
        places[source * count + destination] = (start, path.len());
    }
    let route = |&(start, length): &(usize, usize)| steps[start..][..length].iter().copied();
    let rows = places.chunks(count);
    rows.map(|row| row.iter().map(route).collect()).collect()
}

/// How many whole units stand for one link of weight 1: as many as leave room for the
/// heaviest path there could be, with every route on every channel of it.
fn units_per_link(space: &PathSpace, alpha: f64, host_pairs: u64) -> f64 {
    const MOST: f64 = (1_u64 << 32) as f64;
    const ROOM: f64 = (1_u64 << 62) as f64;
    let states = 2.0 * space.switch_count() as f64 + 1.0;
    (ROOM / ((1.0 + alpha * host_pairs as f64) * states * states))
        .floor()
        .clamp(1.0, MOST)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "weights are neither negative nor, by the choice of units, near 64 bits"
)]
fn whole(weight: f64) -> u64 {
    weight.round() as u64
}

fn id(index: usize) -> u32 {
    HostId::from_index(index).number()
}
