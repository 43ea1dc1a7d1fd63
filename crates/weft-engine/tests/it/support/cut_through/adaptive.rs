//! Random routes that leave packets a choice, all of them free of deadlock: those of the project's
//! algorithms; some of the ports that bring packets nearer, with tables as an escape; two phases of
//! legal routes.

use super::super::case::DrawnRouting;
use super::super::random::Draws;
use super::routes::DrawnRoutes;
use std::num::NonZeroU8;
use weft_fabric::{Fabric, PortNumber, SwitchId, metrics};
use weft_routing::{AdaptiveRoutes, AdaptiveTables, Detour, Routes, TwoPhaseRoutes, algorithms};

/// What is drawn from.
pub(crate) const KINDS: &[&str] = &[
    "minimal_adaptive",
    "valiant",
    "ugal",
    "some nearer ports",
    "two legal phases",
];

/// The routes of one random kind; those of `minimal_adaptive` where another needs too many lanes.
pub(crate) fn draw(draws: &mut Draws, fabric: &Fabric) -> DrawnRouting<DrawnRoutes> {
    let kind = *draws.choose(KINDS);
    let seed = draws.between(0, 1_000);
    let lanes = draws.between(2, 5);
    let threshold = *draws.choose(&[0, 0, 20, 200]);
    let by_spec = |spec: &str| algorithms::route_adaptive_spec(fabric, spec).ok();
    let minimal_adaptive = format!("minimal_adaptive:seed={seed},lanes={lanes}");
    let routes = match kind {
        "valiant" => by_spec(&format!("valiant:seed={seed}")).map(|routing| routing.routes),
        "ugal" => {
            let spec = format!("ugal:seed={seed},threshold={threshold}");
            by_spec(&spec).map(|routing| routing.routes)
        }
        "some nearer ports" => Some(some_nearer_ports(draws, fabric)),
        "two legal phases" => Some(two_legal_phases(draws, fabric, threshold)),
        _ => None,
    };
    let (kind, routes) = match routes {
        Some(routes) => (kind, routes),
        None => (KINDS[0], by_spec(&minimal_adaptive).unwrap().routes),
    };
    DrawnRouting {
        description: format!(
            "{kind} by choice, seed {seed}, {} lanes",
            routes.lane_count()
        ),
        routes: DrawnRoutes::Adaptive(routes),
        kind: kind.to_owned(),
        is_deadlock_free: true,
    }
}

/// One to all of the ports that bring packets nearer, and tables of any root.
fn some_nearer_ports(draws: &mut Draws, fabric: &Fabric) -> AdaptiveRoutes {
    let root = draws.index(fabric.switch_count());
    let spec = format!("down_preferred:per=switch,root={root}");
    let Routes::Tables(escape) = algorithms::route_spec(fabric, &spec).unwrap().routes else {
        unreachable!("its routes are tables")
    };
    let distances: Vec<Vec<u32>> = fabric
        .switch_ids()
        .map(|to| metrics::distances_from(fabric, to))
        .collect();
    let lanes = NonZeroU8::new(u8::try_from(draws.between(1, 3)).unwrap()).unwrap();
    let tables = AdaptiveTables::new(fabric.switch_count(), lanes, |here: SwitchId, to| {
        let links = &distances[to.index()];
        let hops = fabric.hops(here).iter();
        let nearer = hops.filter(|hop| links[hop.switch.index()] < links[here.index()]);
        let mut ports: Vec<PortNumber> = nearer.map(|hop| hop.port).collect();
        if draws.once_in(3) && !ports.is_empty() {
            draws.shuffle(&mut ports);
            ports.truncate(1 + draws.index(ports.len()));
        }
        ports.sort_unstable();
        ports
    });
    AdaptiveRoutes::Tables(tables.with_escape(escape))
}

fn two_legal_phases(draws: &mut Draws, fabric: &Fabric, threshold: u64) -> AdaptiveRoutes {
    let seed = draws.between(0, 1_000);
    let spec = format!("updown:per=switch,seed={seed}");
    let Routes::Source(routes) = algorithms::route_spec(fabric, &spec).unwrap().routes else {
        unreachable!("its routes are lists of ports")
    };
    let detour = if draws.once_in(2) {
        Detour::Always
    } else {
        Detour::Congestion { threshold }
    };
    AdaptiveRoutes::TwoPhase(TwoPhaseRoutes::new(fabric, routes, detour, seed).unwrap())
}
