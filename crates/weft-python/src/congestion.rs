//! The stage `routing`: static load of pairs of hosts, and the channels that most routes take.

use crate::errors::{Exception, IntoException};
use crate::fabric::PyFabric;
use crate::interrupt::{Stop, run};
use crate::linear::Highs;
use crate::numbers::whole;
use crate::routing::PyRouting;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use std::sync::Arc;
use weft_fabric::{Fabric, HostId};
use weft_routing::{
    LinearSolver, NoSolver, RoundFigures, Rounds, congestion as congestion_of,
    hottest_channels as hottest, load_bound as bound_of, load_bound_for_weights,
};

/// Hosts by their numbers, all in order where none are given.
///
/// # Errors
/// `RoutingError` for a number that no host has, and for one given twice.
fn chosen(
    py: Python<'_>,
    fabric: &Fabric,
    hosts: Option<PyReadonlyArray1<'_, i64>>,
) -> PyResult<Vec<HostId>> {
    let Some(numbers) = hosts else {
        return Ok(fabric.host_ids().collect());
    };
    let mut is_chosen = vec![false; fabric.host_count()];
    let mut chosen = Vec::new();
    for &number in numbers.as_array() {
        let place = usize::try_from(number).ok();
        let Some((place, entry)) = place.and_then(|p| is_chosen.get_mut(p).map(|e| (p, e))) else {
            let last = fabric.host_count().saturating_sub(1);
            let text = format!("host {number} does not exist; the fabric has hosts 0 to {last}");
            return Err(Exception::Routing.with_text(py, text));
        };
        if std::mem::replace(entry, true) {
            let text = format!("host {number} is given twice; give each host once");
            return Err(Exception::Routing.with_text(py, text));
        }
        chosen.push(HostId::from_index(place));
    }
    Ok(chosen)
}

/// A number of routes, or a sum of weights, that no routing keeps every channel between switches below;
/// by a linear program where that is small, if asked for.
#[pyfunction]
pub(crate) fn load_bound(
    py: Python<'_>,
    fabric: &PyFabric,
    weights: Option<PyReadonlyArray2<'_, u16>>,
    is_by_program: bool,
) -> PyResult<u64> {
    let weights = weights.map(|weights| weights.as_array().to_owned());
    let fabric = Arc::clone(&fabric.inner);
    let stop = Stop::default();
    let highs = Highs::new(stop.clone());
    run(py, &stop, move || {
        let solver: &dyn LinearSolver = if is_by_program { &highs } else { &NoSolver };
        let Some(weights) = weights else {
            return bound_of(&fabric, solver);
        };
        let weight = |from: HostId, to: HostId| {
            let entry = weights.get((from.index(), to.index()));
            entry.copied().unwrap_or(0)
        };
        load_bound_for_weights(&fabric, weight, solver)
    })?
    .map_err(|error| error.into_exception(py))
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
    hosts: Option<PyReadonlyArray1<'py, i64>>,
) -> PyResult<Bound<'py, PyDict>> {
    routing.check_made_for(py, fabric)?;
    let seed = whole(Exception::Routing, "seed", seed)?;
    let rounds = match rounds {
        "shifts" => Rounds::Shifts,
        "permutations" => Rounds::Permutations { count, seed },
        "bisections" => Rounds::Bisections { count, seed },
        found => {
            let text =
                format!("found rounds “{found}”, expected one of bisections, permutations, shifts");
            return Err(Exception::Routing.with_text(py, text));
        }
    };
    let hosts = chosen(py, &fabric.inner, hosts)?;
    let fabric = Arc::clone(&fabric.inner);
    let routing = routing.fixed(py, "the load of channels")?;
    let figures = run(py, &Stop::default(), move || {
        congestion_of(&fabric, &routing.routes, &hosts, rounds)
    })?;
    let dict = PyDict::new(py);
    let whole = |of: fn(&RoundFigures) -> u32| PyArray1::from_iter(py, figures.iter().map(of));
    let shares = |of: fn(&RoundFigures) -> f64| PyArray1::from_iter(py, figures.iter().map(of));
    dict.set_item("pairs", whole(|round| round.pairs))?;
    dict.set_item("unreached_pairs", whole(|round| round.unreached_pairs))?;
    dict.set_item("max_load", whole(|round| round.max_load))?;
    dict.set_item("mean_share", shares(|round| round.mean_share))?;
    dict.set_item("least_share", shares(|round| round.least_share))?;
    Ok(dict)
}

/// A channel, routes over it, and pairs of hosts: source and destination.
type Hot<'py> = (usize, u64, Bound<'py, PyArray2<i64>>);

/// The channels that most routes take: number, routes over it, and its first pairs of hosts.
#[pyfunction]
pub(crate) fn hottest_channels<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    count: usize,
    most_pairs: usize,
    hosts: Option<PyReadonlyArray1<'py, i64>>,
) -> PyResult<Vec<Hot<'py>>> {
    routing.check_made_for(py, fabric)?;
    let hosts = chosen(py, &fabric.inner, hosts)?;
    let fabric = Arc::clone(&fabric.inner);
    let routing = routing.fixed(py, "the load of channels")?;
    let found = run(py, &Stop::default(), move || {
        hottest(&fabric, &routing.routes, &hosts, count, most_pairs)
    })?;
    found
        .into_iter()
        .map(|hot| {
            let numbers = hot
                .first_pairs
                .iter()
                .flatten()
                .map(|host| i64::from(host.number()));
            let pairs = PyArray1::from_iter(py, numbers).reshape([hot.first_pairs.len(), 2])?;
            Ok((hot.channel.index(), hot.pairs, pairs))
        })
        .collect()
}
