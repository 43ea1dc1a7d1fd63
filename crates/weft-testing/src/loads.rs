//! Load figures of routes, and the fullest channel between switches.

use crate::route_spec;
use weft_fabric::{ChannelId, Fabric};
use weft_routing::load::figures;
use weft_routing::{BoundEffort, BoundedRoutes, LoadFigures, Routing, load_bound};

/// The load figures of routes by a text such as `smart:slack=1`.
pub fn figures_of(fabric: &Fabric, spec: &str) -> LoadFigures {
    figures(fabric, &route_spec(fabric, spec).unwrap())
}

/// The routes over each channel between switches, ascending.
pub fn channel_loads(fabric: &Fabric, figures: &LoadFigures) -> Vec<u64> {
    let of_channel = |c: ChannelId| figures.routes_per_channel[c.index()];
    let mut loads: Vec<u64> = fabric.switch_channels().map(of_channel).collect();
    loads.sort_unstable();
    loads
}

/// The load figures, and the routes over the fullest channel between switches.
pub fn loads(fabric: &Fabric, routing: &Routing) -> (LoadFigures, u64) {
    let figures = figures(fabric, routing);
    let largest = channel_loads(fabric, &figures).last().copied();
    (figures, largest.unwrap_or(0))
}

/// The routes over the fullest channel between switches, by a text such as `smart:slack=1`.
pub fn largest(fabric: &Fabric, spec: &str) -> u64 {
    loads(fabric, &route_spec(fabric, spec).unwrap()).1
}

/// The routes that the fullest channel between switches carries at least under any routing, by a search of a second or
/// two.
pub fn least_load(fabric: &Fabric) -> u64 {
    let found = load_bound(fabric, BoundedRoutes::Any, BoundEffort::Quick);
    found.unwrap().least_load
}

/// Mean and largest number of switches on a route, over all pairs of switches, a switch with itself
/// among them; for fabrics with a host on every switch.
pub fn switches_on_routes(fabric: &Fabric, spec: &str) -> (f64, u32) {
    let figures = figures_of(fabric, spec);
    let switches = fabric.switch_count() as f64;
    let mean_links = figures.mean_distance_links * (switches - 1.0) / switches;
    (1.0 + mean_links, 1 + figures.max_hops_links)
}
