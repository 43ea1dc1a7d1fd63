//! The stage `routing`: routes that are searched for as long as there is time, for what hosts send.

use crate::demand::PyHostDemand;
use crate::errors::Outcome;
use crate::fabric::PyFabric;
use crate::interrupt::{run, run_ended};
use crate::numbers::{Weights, weight_of};
use crate::routing::{PyRouting, label};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use weft_registry::Choice;
use weft_routing::algorithms::{self, Patience, Weight};

/// Routes a fabric by an algorithm that searches: for what each host sends to each, `weights`, source by
/// source, or for several demands; and, until so many seconds are over, by ever more starts. Tells as well whether
/// Ctrl-C ended it, which it does where there is a time.
#[pyfunction(name = "search")]
#[pyo3(signature = (fabric, algorithm, weights, demands, parameters, time_budget_s))]
pub(crate) fn search_routes(
    py: Python<'_>,
    fabric: &PyFabric,
    algorithm: &str,
    weights: Option<Weights<'_>>,
    demands: Vec<PyRef<'_, PyHostDemand>>,
    parameters: BTreeMap<String, String>,
    time_budget_s: Option<f64>,
) -> Outcome<(PyRouting, bool)> {
    let weight = weights.map(weight_of);
    let demands: Vec<_> = demands.iter().map(|one| Arc::clone(&one.inner)).collect();
    let mut choice = Choice {
        name: algorithm.to_owned(),
        parameters: parameters.clone(),
    };
    let fabric = Arc::clone(&fabric.inner);
    let (routed, name) = (Arc::clone(&fabric), algorithm.to_owned());
    let ending = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&ending);
    let search = move || {
        let of_demands: Vec<_> = demands
            .iter()
            .map(|demand| |from, to| demand.weight(from, to))
            .collect();
        let weight = weight.as_ref().map(|weight| weight as Weight<'_>);
        let several = of_demands.iter().map(|one| one as Weight<'_>);
        let weights: Vec<Weight<'_>> = weight.into_iter().chain(several).collect();
        let is_in_time = time_budget_s.map(until_over);
        let is_over = || {
            let is_late = is_in_time.as_ref().is_some_and(|is_in_time| !is_in_time());
            is_late || told.load(Ordering::Relaxed)
        };
        let go_on = || !is_over();
        let patience = time_budget_s.map(|_| Patience {
            go_on: &go_on,
            is_over: &is_over,
        });
        algorithms::search(&routed, &name, &parameters, &weights, patience)
    };
    let routing = match time_budget_s {
        Some(_) => run_ended(&ending, py, search)??,
        None => run(py, search)??,
    };
    if time_budget_s.is_some() {
        let starts = routing.parameters.get("starts").cloned();
        choice
            .parameters
            .extend(starts.map(|starts| ("starts".to_owned(), starts)));
    }
    let made = PyRouting::new(routing, fabric, label(&choice));
    Ok((made, ending.load(Ordering::Relaxed)))
}

/// Tells until so many seconds are over that there is time.
#[expect(
    clippy::disallowed_methods,
    reason = "the clock decides how long a search goes on, and the result tells how far it came"
)]
fn until_over(budget_s: f64) -> impl Fn() -> bool {
    let start = Instant::now();
    move || start.elapsed().as_secs_f64() < budget_s
}
