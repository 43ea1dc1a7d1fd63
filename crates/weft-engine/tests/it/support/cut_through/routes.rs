//! Random routes with lanes: those of the project's algorithms, as they are, in tables, alternating
//! over further lanes, with tables from service level to lane or from lane to lane; shortest ways and
//! random walks on random lanes, which can deadlock; and routes that leave packets a choice.

use super::super::case::DrawnRouting;
use super::super::fabrics;
use super::super::random::Draws;
use super::super::routes::{Kind, Planner, algorithms_where};
use super::adaptive;
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_model::cut_through::MOST_LANES;
use weft_routing::algorithms::{Algorithm, Deadlock};
use weft_routing::{
    AdaptiveRoutes, AnyRoutes, HoldsRoutes, Lane, LaneKey, LaneRow, LaneTables, PairGranularity,
    RouteRow, Routes, SourceRoutes, algorithms, to_tables,
};

/// The algorithms that are drawn from: those that hosts forward nothing for.
pub(crate) fn drawn_algorithms() -> Vec<&'static Algorithm> {
    algorithms_where(|algorithm| !algorithm.needs.stops)
}

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

/// The routes of one random kind that need no more lanes than there can be, with their fabric and what
/// that is.
pub(crate) fn draw(draws: &mut Draws) -> (Fabric, String, Drawn) {
    let fits = |drawn: &Drawn| drawn.routes.held().lane_count() <= MOST_LANES;
    loop {
        let by_kind: fn(&mut Draws, &Fabric) -> Drawn = match draws.between(0, 15) {
            0..=3 => on_random_lanes,
            4..=6 => adaptive::draw,
            _ => {
                let algorithm = *draws.choose(&drawn_algorithms());
                let route = |draws: &mut Draws, fabric: &Fabric| {
                    by_algorithm(draws, fabric, algorithm).filter(fits)
                };
                match fabrics::draw_for(draws, algorithm, route) {
                    Some(drawn) => return drawn,
                    None => continue,
                }
            }
        };
        let (fabric, text) = fabrics::draw(draws);
        let drawn = by_kind(draws, &fabric);
        if fits(&drawn) {
            return (fabric, text, drawn);
        }
    }
}

/// The routes of one of the project's algorithms; `None` when it cannot route the fabric.
fn by_algorithm(draws: &mut Draws, fabric: &Fabric, algorithm: &Algorithm) -> Option<Drawn> {
    let name = algorithm.name;
    let seed = draws.between(0, 1_000).to_string();
    let per = *draws.choose(&["switch", "host"]);
    let mut parameters = BTreeMap::from([
        ("seed".to_owned(), seed.clone()),
        ("per".to_owned(), per.to_owned()),
        ("starts".to_owned(), "1".to_owned()),
    ]);
    parameters.retain(|name, _| algorithm.parameters.iter().any(|spec| spec.name == name));
    if name == "multi_tree" {
        parameters.insert("trees".to_owned(), draws.between(1, 3).to_string());
    }
    let mut routes = algorithms::route(fabric, name, &parameters).ok()?.routes;
    let mut is_deadlock_free = algorithm.deadlock == Deadlock::Free;
    let mut description = format!("routes of {name}, {parameters:?}");
    if draws.once_in(3)
        && let Ok(tables) = to_tables(fabric, &routes, 7)
    {
        routes = Routes::Tables(tables);
        description = format!("{description}, in tables");
    }
    // Tables of routes that change lanes have lane tables for their own service levels alone.
    let has_own_levels =
        matches!(&routes, Routes::Tables(tables) if tables.lane_tables().is_some());
    if draws.once_in(3) && !has_own_levels {
        let turns = NonZeroU8::new(u8::try_from(draws.between(1, 3)).unwrap()).unwrap();
        routes.alternate(turns).ok()?;
        description = format!("{description}, in {turns} turns");
    }
    if draws.once_in(2)
        && routes.lane_count() <= MOST_LANES
        && let Routes::Tables(tables) = &mut routes
        && tables.lane_tables().is_none()
    {
        let (lanes, is_one_to_one) = lane_tables(draws, fabric);
        description = format!("{description}, lanes by {:?}", lanes.key());
        tables.set_lane_tables(lanes);
        is_deadlock_free &= is_one_to_one;
    }
    Some(DrawnRouting {
        routes: DrawnRoutes::Fixed(routes),
        kind: name.to_owned(),
        description,
        is_deadlock_free,
    })
}

/// Random tables of lanes, and whether they only name the lanes anew.
fn lane_tables(draws: &mut Draws, fabric: &Fabric) -> (LaneTables, bool) {
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
    }
}
