//! Dimension order: along the first dimension of a mesh or torus, then the second, and so on.

use super::{Algorithm, Lanes, Length, Needs, Refusal, RouteFunction};
use crate::error::RoutingError;
use crate::form::{Endpoints, Lane, RouteRow, Routes, SourceRoutes};
use crate::orient::routed_part;
use crate::parameters::{PER, Parameters, SEED};
use crate::random::stream;
use crate::shape::{Grid, Way};
use rand::RngExt;
use rayon::prelude::*;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_registry::{Kind, Spec};

/// Shortest routes along one dimension after the other, with a dateline on every ring.
///
/// Packets finish a dimension before they begin the next, so channels of a later one never wait for
/// those of an earlier. Along an open line they only go one way. On a ring they begin on lane 1 and
/// take lane 0 from the link on that closes it: lane 1 never goes round, and a shortest way passes
/// that link once at most, so neither lane closes a cycle. Lane 1 carries more than lane 0.
///
/// Parallel links are taken in turn by source and destination. Where both ways round are as short,
/// the paper does not say which is taken.
///
/// # Complexity
/// Time in proportion to the steps of all routes; where the links have to tell the grid, O(E²) for E
/// links.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "dimension_order",
    title: "dimension order",
    summary: "Goes along the first dimension of a mesh or torus to the destination's position, then \
              along the next; on a ring, from lane 1 to lane 0 where it closes.",
    length: Length::Shortest,
    needs: Needs::lanes(Lanes::PerFabric),
    further: "A mesh needs one lane, a torus two.",
    refuses: &[Refusal::Grid],
    source: "Dally, Seitz, “Deadlock-free message routing in multiprocessor interconnection \
             networks”, IEEE Trans. Computers, 1987; its lanes as in Koibuchi, Watanabe, Otsuka, \
             Amano, “Performance evaluation of deterministic routings, multicasts, and topologies on \
             RHiNET-2 cluster”, §IV.B",
    parameters: &[TIE, PER, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

const TIE: Spec = Spec::of(
    "tie",
    Kind::Choice(&["alternate", "positive", "random"]),
    "alternate",
)
.says(
    "Which way round a ring where both are as short: one for sources whose positions add up \
              to an even number and the other for odd ones, always towards larger positions, or \
              drawn for each pair.",
);

/// Which way round a ring where both are as short.
#[derive(Clone, Copy)]
enum Tie {
    Alternate,
    Positive,
    Random,
}

pub(super) fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let grid = Grid::of(fabric, &part)?;
    let ties = [
        ("alternate", Tie::Alternate),
        ("positive", Tie::Positive),
        ("random", Tie::Random),
    ];
    let tie = parameters.choice("tie", &ties);
    let seed = parameters.seed();
    let endpoints = Endpoints::new(fabric, parameters.granularity(fabric));
    let row = |source: usize| {
        let mut random = stream(seed, "ties", source as u64);
        let mut row = RouteRow::default();
        for destination in 0..endpoints.count() {
            let mut steps = Vec::new();
            if endpoints.need_route(source, destination) {
                let ends = [source, destination].map(|end| SwitchId::new(endpoints.switch(end)));
                let turn = source + destination;
                let mut pick = || match tie {
                    Tie::Positive => true,
                    Tie::Random => random.random(),
                    Tie::Alternate => {
                        let positions = (0..grid.dimensions()).map(|d| grid.position(ends[0], d));
                        positions.sum::<u32>() % 2 == 0
                    }
                };
                steps = way_between(&grid, ends, turn, &mut pick);
            }
            row.push_on_lanes(steps);
        }
        row
    };
    let rows: Vec<RouteRow> = (0..endpoints.count()).into_par_iter().map(row).collect();
    Ok(SourceRoutes::from_rows(endpoints.granularity(), rows)?.into())
}

/// The steps from one switch to another. Of parallel links, `turn` tells which; where both
/// ways round a ring are as short, `pick` tells whether to go towards larger positions.
fn way_between(
    grid: &Grid,
    [from, to]: [SwitchId; 2],
    turn: usize,
    pick: &mut impl FnMut() -> bool,
) -> Vec<(PortNumber, Lane)> {
    let mut steps = Vec::new();
    let mut here = from;
    for dimension in 0..grid.dimensions() {
        let [start, end] = [from, to].map(|switch| grid.position(switch, dimension));
        if start == end {
            continue;
        }
        let is_ring = grid.is_closed(dimension);
        let forth = (end + grid.extent(dimension) - start) % grid.extent(dimension);
        let back = grid.extent(dimension) - forth;
        let way = if !is_ring {
            [Way::Back, Way::Forth][usize::from(end > start)]
        } else if forth == back {
            [Way::Back, Way::Forth][usize::from(pick())]
        } else {
            [Way::Back, Way::Forth][usize::from(forth < back)]
        };
        let mut lane = Lane::new(u8::from(is_ring));
        while grid.position(here, dimension) != end {
            let links = grid.links(here, dimension, way);
            let hop = links[turn % links.len()];
            let [position, next] = [here, hop.switch].map(|s| grid.position(s, dimension));
            if (next > position) != (way == Way::Forth) {
                lane = Lane::ZERO;
            }
            steps.push((hop.port, lane));
            here = hop.switch;
        }
    }
    steps
}
