//! Dimension order: along the first dimension of a mesh or torus, then the second, and so on.

use super::{Algorithm, Lanes, Length, Needs, Refusal, RouteFunction};
use crate::error::RoutingError;
use crate::form::{Axis, Endpoints, GridRule, PackedRow, RouteRow, Routes, SourceRoutes};
use crate::orient::routed_part;
use crate::parameters::{PER, Parameters, SEED};
use crate::random::stream;
use crate::shape::{Grid, Way};
use rand::RngExt;
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId};
use weft_registry::{Kind, Spec};

/// Shortest routes along one dimension after the other, with a dateline on every ring.
///
/// Packets finish a dimension before they begin the next, so channels of a later one never wait for
/// those of an earlier. Along an open line they only go one way. On a ring they begin on lane 1 and
/// take lane 0 from the link on that closes it: lane 1 never goes round, and a shortest way passes
/// that link once at most, so neither lane closes a cycle. Lane 1 carries more than lane 0.
///
/// Parallel links are taken in turn by switch and destination. Where both ways round are as short,
/// the paper does not say which is taken. Unless ties are drawn, the switch decides and not the source, so
/// that tables hold the routes with one address for each destination.
///
/// # Complexity
/// Time in proportion to the links: routes are worked out from their ends when they are asked for. Where
/// ties are drawn, in proportion to the steps of all routes; where the links have to tell the grid, O(E²)
/// for E links.
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
    "Which way round a ring where both are as short: towards larger positions from switches whose \
              positions add up to an even number and the other way from odd ones, always towards larger \
              positions, or drawn for each pair.",
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
    let rule = rule(
        fabric,
        &part,
        &grid,
        endpoints,
        matches!(tie, Tie::Alternate),
    );
    if matches!(tie, Tie::Random) {
        return Ok(drawn(&rule, seed).into());
    }
    Ok(SourceRoutes::by_rule(rule).into())
}

/// The rule on a grid, of which dimensions with one switch are left out.
fn rule(
    fabric: &Fabric,
    part: &[SwitchId],
    grid: &Grid,
    endpoints: Endpoints,
    alternates: bool,
) -> GridRule {
    let has_several = |&dimension: &usize| grid.extent(dimension) > 1;
    let dimensions: Vec<usize> = (0..grid.dimensions()).filter(has_several).collect();
    let axes = dimensions.iter().map(|&dimension| Axis {
        extent: grid.extent(dimension),
        is_ring: grid.is_closed(dimension),
    });
    GridRule::new(
        endpoints,
        fabric.switch_count(),
        part,
        axes.collect(),
        |switch, axis| grid.position(switch, dimensions[axis]),
        |switch, axis, is_forth| {
            let way = [Way::Back, Way::Forth][usize::from(is_forth)];
            grid.links(switch, dimensions[axis], way)
        },
        alternates,
    )
}

/// Routes with a way drawn for each pair round each ring where both are as short.
fn drawn(rule: &GridRule, seed: u64) -> SourceRoutes {
    let endpoints = rule.endpoints();
    let row = |source: usize| {
        let mut random = stream(seed, "ties", source as u64);
        let mut row = RouteRow::default();
        for destination in 0..endpoints.count() {
            let mut picks = 0;
            if endpoints.need_route(source, destination) {
                for axis in rule.ties(source, destination) {
                    picks |= u64::from(random.random::<bool>()) << axis;
                }
            }
            let mut walk = rule.walk_by(source, destination, picks);
            row.push_on_lanes(std::iter::from_fn(|| walk.next_on_lane()));
        }
        PackedRow::from(&row)
    };
    let rows = (0..endpoints.count()).into_par_iter().map(row);
    SourceRoutes::from_packed(endpoints.granularity(), rows.collect())
}
