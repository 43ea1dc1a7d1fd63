//! Random routes with lanes: those of the project's algorithms, as they are, in tables, alternating
//! over further lanes, with tables from service level to lane or from lane to lane; shortest ways and
//! random walks on random lanes, which can deadlock; and routes that leave packets a choice, groups of ports among them.

use super::super::algorithms;
use super::super::case::DrawnRouting;
use super::super::fabrics::{self, DrawnFabric};
use super::super::failures;
use super::super::random::Draws;
use super::super::routes::{Kind, Planner};
use super::{adaptive, groups};
use std::fmt::Write;
use std::num::NonZeroU8;
use std::sync::Arc;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_model::cut_through::MOST_LANES;
use weft_routing::algorithms::{ADAPTIVE, ALGORITHMS, Algorithm, Deadlock};
use weft_routing::{
    AdaptiveRoutes, AnyRoutes, AnyRouting, CheckedRoutes, ForwardingError, HoldsRoutes, Lane,
    LaneKey, LaneRow, LaneTables, PairGranularity, RouteRow, Routes, SourceRoutes,
    complete_addresses, to_tables,
};

/// Fixed routes, or some that leave packets a choice.
pub(crate) enum DrawnRoutes {
    Fixed(Routes),
    Adaptive(AdaptiveRoutes),
}

impl HoldsRoutes for DrawnRoutes {
    fn held(&self) -> AnyRoutes<'_> {
        match self {
            Self::Fixed(routes) => routes.into(),
            Self::Adaptive(routes) => routes.into(),
        }
    }
}

/// Routes, with what they are.
type Drawn = DrawnRouting<DrawnRoutes>;

/// The routes of one random kind that need no more lanes than there can be, with their fabric.
pub(crate) fn draw(draws: &mut Draws) -> (DrawnFabric, Drawn) {
    loop {
        let drawn = match draws.between(0, 17) {
            0..=3 => built(draws, on_random_lanes),
            4 => built(draws, adaptive::built_here),
            16 | 17 => built(draws, groups::draw),
            5 | 6 => {
                let algorithm = draws.choose(ADAPTIVE);
                routed(draws, algorithm)
            }
            _ => {
                let algorithm = draws.choose(ALGORITHMS);
                routed(draws, algorithm)
            }
        };
        if let Some(drawn) = drawn {
            return drawn;
        }
    }
}

fn fits(drawn: &Drawn) -> bool {
    drawn.routes.held().lane_count() <= MOST_LANES
}

fn built(
    draws: &mut Draws,
    by_kind: impl Fn(&mut Draws, &Fabric) -> Drawn,
) -> Option<(DrawnFabric, Drawn)> {
    let fabric = fabrics::draw(draws);
    let drawn = by_kind(draws, &fabric.fabric);
    fits(&drawn).then_some((fabric, drawn))
}

fn routed(draws: &mut Draws, algorithm: &Algorithm) -> Option<(DrawnFabric, Drawn)> {
    fabrics::draw_for(draws, algorithm, |draws, fabric| {
        let mut drawn = by_algorithm(draws, &fabric.fabric, algorithm)?;
        if draws.once_in(4)
            && let DrawnRoutes::Fixed(routes) = &mut drawn.routes
            && let Some((after, repaired)) = failures::repaired(draws, &fabric.fabric, routes)
        {
            drawn.description.push_str(", repaired");
            drawn.is_repaired = true;
            // What can deadlock is not repaired.
            drawn.is_deadlock_free = true;
            (fabric.fabric, *routes) = (after, repaired);
        }
        Some(drawn).filter(fits)
    })
}

/// The routes of one of the project's algorithms; `None` when it cannot route the fabric, or only with
/// stops in transit.
fn by_algorithm(draws: &mut Draws, fabric: &Fabric, algorithm: &Algorithm) -> Option<Drawn> {
    let (routing, description) = algorithms::route(draws, fabric, algorithm, true)?;
    let mut drawn = DrawnRouting {
        kind: algorithm.name.to_owned(),
        description: format!("routes of {description}"),
        is_deadlock_free: algorithm.deadlock == Deadlock::Free,
        is_repaired: false,
        are_refused: false,
        routes: match routing {
            AnyRouting::Fixed(routing) => DrawnRoutes::Fixed(Arc::unwrap_or_clone(routing).routes),
            AnyRouting::Adaptive(routing) => {
                DrawnRoutes::Adaptive(Arc::unwrap_or_clone(routing).routes)
            }
        },
    };
    let stops = algorithm.needs.stops
        && matches!(
            CheckedRoutes::new(fabric, &drawn.routes),
            Err(ForwardingError::Stop { .. })
        );
    let DrawnRoutes::Fixed(routes) = &mut drawn.routes else {
        return Some(drawn);
    };
    if stops {
        return None;
    }
    if draws.once_in(8) && routes.lane_tables().is_none() {
        let changed = failures::with_a_change(draws, fabric, routes);
        let found = CheckedRoutes::new(fabric, &changed).map(drop);
        let found = found.map_err(|error| error.to_string());
        drawn.are_refused = failures::refuses(fabric, &changed, false, &found);
    }
    let description = &mut drawn.description;
    if draws.once_in(3)
        && let Ok(tables) = to_tables(fabric, routes, 7)
    {
        *routes = Routes::Tables(tables);
        description.push_str(", in tables");
        if draws.once_in(2)
            && let Some(to_any) = to_any_address(fabric, routes)
        {
            *routes = to_any;
            description.push_str(", to any address");
            // Each way was proved for those that took it alone.
            drawn.is_deadlock_free = false;
        }
    }
    // Tables of routes that change lanes have lane tables for their own service levels alone.
    if draws.once_in(3) && routes.lane_tables().is_none() {
        let turns = NonZeroU8::new(u8::try_from(draws.between(1, 3)).unwrap()).unwrap();
        routes.alternate(turns).ok()?;
        write!(description, ", in {turns} turns").unwrap();
    }
    if draws.once_in(2)
        && routes.lane_count() <= MOST_LANES
        && let Routes::Tables(tables) = routes
        && tables.lane_tables().is_none()
    {
        let (lanes, is_one_to_one) = lane_tables(draws, fabric);
        write!(description, ", lanes by {:?}", lanes.key()).unwrap();
        tables.set_lane_tables(lanes);
        drawn.is_deadlock_free &= is_one_to_one;
    }
    Some(drawn)
}

/// The same tables, with several addresses, all of which lead there from everywhere, for sources that send to any.
fn to_any_address(fabric: &Fabric, routes: &Routes) -> Option<Routes> {
    let Routes::Tables(tables) = routes else {
        return None;
    };
    let mut tables = complete_addresses(fabric, tables.clone());
    tables.send_to_any_address();
    let routes = Routes::Tables(tables);
    let arrive = CheckedRoutes::new(fabric, &routes).is_ok();
    let is_any = matches!(&routes, Routes::Tables(tables) if tables.sends_to_any_address());
    (arrive && is_any).then_some(routes)
}

/// Random tables of lanes, and whether they only name the lanes anew.
pub(super) fn lane_tables(draws: &mut Draws, fabric: &Fabric) -> (LaneTables, bool) {
    let key = *draws.choose(&[LaneKey::ServiceLevel, LaneKey::IncomingLane]);
    let mut tables = LaneTables::new(fabric, key);
    if key == LaneKey::ServiceLevel && draws.once_in(3) {
        let mut order: Vec<usize> = (0..LaneTables::KEYS).collect();
        draws.shuffle(&mut order);
        let row = row_of(&order);
        tables.set_host(row);
        for switch in fabric.switch_ids() {
            tables.set_switch(switch, row);
        }
        return (tables, true);
    }
    let lanes = 1 + draws.index(4);
    let mut random = || {
        let row: Vec<usize> = (0..LaneTables::KEYS).map(|_| draws.index(lanes)).collect();
        row_of(&row)
    };
    tables.set_host(random());
    for switch in fabric.switch_ids() {
        tables.set_switch(switch, random());
        for &input in fabric.outgoing(switch) {
            for &output in fabric.outgoing(switch) {
                let ports = [input, output].map(|channel| fabric.source(channel).port);
                tables.set(fabric, switch, ports, random());
            }
        }
    }
    (tables, false)
}

fn row_of(lanes: &[usize]) -> LaneRow {
    let mut row = [None; LaneTables::KEYS];
    for (entry, &lane) in row.iter_mut().zip(lanes) {
        *entry = Some(Lane::new(u8::try_from(lane).unwrap()));
    }
    row
}

/// Shortest ways or walks on random lanes, one a route or one a step.
fn on_random_lanes(draws: &mut Draws, fabric: &Fabric) -> Drawn {
    let kind = *draws.choose(&[Kind::Legal, Kind::Minimal, Kind::Minimal, Kind::Walk]);
    let granularity = *draws.choose(&[PairGranularity::Switch, PairGranularity::Host]);
    let per_step = draws.once_in(2);
    let lanes = *draws.choose(&[1, 1, 2, 4]);
    let planner = Planner::new(fabric, draws);
    let count = granularity.endpoint_count(fabric);
    let endpoints: Vec<SwitchId> = (0..count)
        .map(|index| granularity.endpoint_switch(fabric, index))
        .collect();
    let mut rows = Vec::new();
    for &source in &endpoints {
        let mut row = RouteRow::default();
        for &destination in &endpoints {
            let channels = planner.channels(draws, kind, source, destination);
            let mut lane = Lane::new(u8::try_from(draws.index(lanes)).unwrap());
            let mut steps: Vec<(PortNumber, Lane)> = Vec::new();
            for channel in channels {
                if per_step {
                    lane = Lane::new(u8::try_from(draws.index(lanes)).unwrap());
                }
                steps.push((fabric.source(channel).port, lane));
            }
            row.push_on_lanes(steps);
        }
        rows.push(row);
    }
    let routes = SourceRoutes::from_rows(granularity, rows);
    DrawnRouting {
        routes: DrawnRoutes::Fixed(routes.into()),
        kind: format!("{kind:?}"),
        description: format!(
            "{kind:?} routes per {granularity:?} pair on {lanes} random lanes, per step: {per_step}"
        ),
        is_deadlock_free: kind == Kind::Legal && !per_step,
        is_repaired: false,
        are_refused: false,
    }
}
