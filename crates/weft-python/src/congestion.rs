//! The stage `routing`: static load of pairs of hosts, and the channels that most routes take.

use crate::arrays::{array, row};
use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::loaded::Loaded;
use crate::numbers::whole;
use crate::routing::{LOAD, PyRouting};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use std::sync::Arc;
use weft_fabric::{Fabric, HostId};
use weft_routing::{
    GroupUse, RoundFigures, Rounds, congestion as congestion_of, group_congestion,
    hottest_channels as hottest, load,
};

/// Hosts by their numbers, all compute ends in order where none are given.
///
/// # Errors
/// `RoutingError` for a number that no host has, and for one given twice.
pub(crate) fn chosen(fabric: &Fabric, hosts: Option<Vec<i64>>) -> Outcome<Vec<HostId>> {
    let Some(numbers) = hosts else {
        return Ok(fabric.compute_hosts().collect());
    };
    let mut is_chosen = vec![false; fabric.host_count()];
    let mut chosen = Vec::new();
    for number in numbers {
        let place = usize::try_from(number).ok();
        let Some((place, entry)) = place.and_then(|p| is_chosen.get_mut(p).map(|e| (p, e))) else {
            let last = fabric.host_count().saturating_sub(1);
            let text = format!("host {number} does not exist; the fabric has hosts 0 to {last}");
            return Err(Exception::Routing.told(text));
        };
        if std::mem::replace(entry, true) {
            let text = format!("host {number} is given twice; give each host once");
            return Err(Exception::Routing.told(text));
        }
        chosen.push(HostId::from_index(place));
    }
    Ok(chosen)
}

/// How the routes of all compute ends, or of some hosts, load the channels, by name of the figure.
#[pyfunction]
#[pyo3(signature = (fabric, routing, hosts))]
pub(crate) fn load_figures<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hosts: Option<Vec<i64>>,
) -> Outcome<Bound<'py, PyDict>> {
    let (mut fabric, routing) = routing.fixed_on(fabric, LOAD)?;
    if hosts.is_some() {
        let chosen = chosen(&fabric, hosts)?;
        fabric = Arc::new(Fabric::clone(&fabric).with_compute(&chosen));
    }
    let figures = run(py, move || load::figures(&fabric, &routing))?;
    let dict = PyDict::new(py);
    let routes = row(py, figures.routes_per_channel)?;
    dict.set_item("routes_per_channel", routes)?;
    dict.set_item("max_routes_per_channel", figures.max_routes_per_channel)?;
    dict.set_item("mean_routes_per_channel", figures.mean_routes_per_channel)?;
    dict.set_item("mean_distance_links", figures.mean_distance_links)?;
    dict.set_item("mean_hops_links", figures.mean_hops_links)?;
    dict.set_item("max_hops_links", figures.max_hops_links)?;
    dict.set_item("minimal_share", figures.minimal_share)?;
    dict.set_item("mean_in_transit_stops", figures.mean_in_transit_stops)?;
    dict.set_item("max_in_transit_stops", figures.max_in_transit_stops)?;
    dict.set_item("saturation_bound", figures.saturation_bound)?;
    Ok(dict)
}

/// Rounds of a kind, so many and drawn by a seed where they are drawn.
pub(crate) fn rounds_of(kind: &str, count: u32, seed: &Bound<'_, PyInt>) -> Outcome<Rounds> {
    let seed = whole(Exception::Routing, "seed", seed)?;
    match kind {
        "shifts" => Ok(Rounds::Shifts),
        "permutations" => Ok(Rounds::Permutations { count, seed }),
        "bisections" => Ok(Rounds::Bisections { count, seed }),
        found => {
            let text =
                format!("found rounds “{found}”, expected one of bisections, permutations, shifts");
            Err(Exception::Routing.told(text))
        }
    }
}

/// Static load of rounds of traffic, by name of the figure: an array with an entry per round.
#[pyfunction]
pub(crate) fn congestion<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    rounds: &str,
    count: u32,
    seed: &Bound<'py, PyInt>,
    hosts: Option<Vec<i64>>,
) -> Outcome<Bound<'py, PyDict>> {
    let rounds = rounds_of(rounds, count, seed)?;
    let (fabric, loaded) = routing.loaded_on(fabric)?;
    let hosts = chosen(&fabric, hosts)?;
    let figures = run(py, move || match &loaded {
        Loaded::Fixed(routing) => congestion_of(&fabric, &routing.routes, &hosts, rounds),
        Loaded::Groups(groups) => {
            let tables = groups.tables();
            let level = tables.service_level();
            group_congestion(&fabric, tables, level, &hosts, rounds, &[GroupUse::Even]).remove(0)
        }
    })?;
    let dict = PyDict::new(py);
    let whole = |of: fn(&RoundFigures) -> u32| row(py, figures.iter().map(of));
    let shares = |of: fn(&RoundFigures) -> f64| row(py, figures.iter().map(of));
    dict.set_item("pairs", whole(|round| round.pairs)?)?;
    dict.set_item("unreached_pairs", whole(|round| round.unreached_pairs)?)?;
    dict.set_item("max_load", whole(|round| round.max_load)?)?;
    dict.set_item("mean_share", shares(|round| round.mean_share)?)?;
    dict.set_item("least_share", shares(|round| round.least_share)?)?;
    Ok(dict)
}

/// A channel, routes over it, and pairs of hosts: source and destination.
type Hot<'py> = (usize, u64, Bound<'py, PyAny>);

/// The channels that most routes take: number, routes over it, and its first pairs of hosts.
#[pyfunction]
pub(crate) fn hottest_channels<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    count: usize,
    most_pairs: usize,
    hosts: Option<Vec<i64>>,
) -> Outcome<Vec<Hot<'py>>> {
    let (fabric, routing) = routing.fixed_on(fabric, LOAD)?;
    let hosts = chosen(&fabric, hosts)?;
    let found = run(py, move || {
        hottest(&fabric, &routing.routes, &hosts, count, most_pairs)
    })?;
    found
        .into_iter()
        .map(|hot| {
            let numbers = hot
                .first_pairs
                .iter()
                .flatten()
                .map(|host| i64::from(host.number()))
                .collect();
            let pairs = array(py, numbers, &[hot.first_pairs.len(), 2])?;
            Ok((hot.channel.index(), hot.pairs, pairs))
        })
        .collect()
}
