//! Load figures of routes, and the fullest channel between switches.

use crate::route_spec;
use weft_fabric::Fabric;
use weft_routing::load::figures;
use weft_routing::{LoadFigures, Routing};

/// The load figures of routes by a text such as `smart:slack=1`.
pub fn figures_of(fabric: &Fabric, spec: &str) -> LoadFigures {
    figures(fabric, &route_spec(fabric, spec).unwrap())
}

/// The load figures, and the routes over the fullest channel between switches.
pub fn loads(fabric: &Fabric, routing: &Routing) -> (LoadFigures, u64) {
    let figures = figures(fabric, routing);
    let loads = fabric
        .switch_channels()
        .map(|c| figures.routes_per_channel[c.index()]);
    let largest = loads.max().unwrap_or(0);
    (figures, largest)
}

/// The routes over the fullest channel between switches, by a text such as `smart:slack=1`.
pub fn largest(fabric: &Fabric, spec: &str) -> u64 {
    loads(fabric, &route_spec(fabric, spec).unwrap()).1
}
