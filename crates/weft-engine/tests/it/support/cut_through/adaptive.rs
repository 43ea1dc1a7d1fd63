//! Random routes that leave packets a choice, all of them free of deadlock: those of the project's
//! algorithms, and built here some of the ports that bring packets nearer, with tables as an escape, and
//! two phases of legal routes.

use super::super::case::DrawnRouting;
use super::super::random::Draws;
use super::groups;
use super::routes::DrawnRoutes;
use std::num::NonZeroU8;
use weft_fabric::{Fabric, PortNumber, SwitchId, metrics};
use weft_routing::algorithms::{self, ADAPTIVE};
use weft_routing::{AdaptiveRoutes, AdaptiveTables, Detour, Routes, TwoPhaseRoutes};

const BUILT_HERE: [&str; 2] = ["some nearer ports", "two legal phases"];

/// What is drawn from.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    let of_registry = ADAPTIVE.iter().map(|algorithm| algorithm.name);
    of_registry.chain(BUILT_HERE).chain(groups::KINDS)
}

/// The routes of one of the kinds that are built here.
pub(crate) fn built_here(draws: &mut Draws, fabric: &Fabric) -> DrawnRouting<DrawnRoutes> {
    let kind = *draws.choose(&BUILT_HERE);
    let routes = if kind == BUILT_HERE[0] {
        some_nearer_ports(draws, fabric)
    } else {
        two_legal_phases(draws, fabric)
    };
    DrawnRouting {
        description: format!("{kind} by choice, {} lanes", routes.lane_count()),
        routes: DrawnRoutes::Adaptive(routes),
        kind: kind.to_owned(),
        is_deadlock_free: true,
        is_repaired: false,
        are_refused: false,
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

fn two_legal_phases(draws: &mut Draws, fabric: &Fabric) -> AdaptiveRoutes {
    let threshold = *draws.choose(&[0, 0, 20, 200]);
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
