//! The stages `routing` and `proof`: loads that no routing is below, and whether they hold.

use crate::arrays::row;
use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::numbers::{Weights, weight_of};
use pyo3::prelude::*;
use std::sync::Arc;
use weft_fabric::ChannelId;
use weft_routing::{
    BoundEffort, BoundedRoutes, LoadBound, OneLane, PricedCircle, load_bound_for_weights,
    one_lane_bound,
};

const ANY: &str = "any";
const SHORTEST: &str = "shortest";
const TABLES: &str = "tables";

fn routes_by_name(name: &str) -> Outcome<BoundedRoutes> {
    match name {
        ANY => Ok(BoundedRoutes::Any),
        SHORTEST => Ok(BoundedRoutes::Shortest),
        TABLES => Ok(BoundedRoutes::Tables),
        found => {
            let text = format!("found routes “{found}”, expected {ANY}, {SHORTEST} or {TABLES}");
            Err(Exception::Routing.told(text))
        }
    }
}

/// What a stop counts as, and circles of channels, each with its price.
type OneLaneParts = (Option<u32>, Vec<(Vec<u32>, u64)>);

/// A load that the fullest channel between switches of no routing is below, with the weights of channels that show it.
///
/// Parameters
/// ----------
/// routes : str
///     The routes it is for: ``any``, ``shortest`` for those with as few links as can be, or ``tables`` for tables by
///     destination.
/// load : int
///     What the fullest channel carries at least, in routes of pairs of hosts or in sums of their weights.
/// weights : sequence of int
///     A weight for each channel; 0 for those of hosts.
/// one_lane : tuple, optional
///     Of a bound for routes that never deadlock on one lane: what an in-transit stop counts as, in channels passed, None where
///     none is made; and circles of channels, each a list of channels with its price in weights.
#[pyclass(name = "LoadBound", module = "weft._core", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct PyLoadBound {
    inner: Arc<LoadBound>,
}

#[pymethods]
impl PyLoadBound {
    #[new]
    #[pyo3(signature = (routes, load, weights, one_lane=None))]
    fn new(
        routes: &str,
        load: u64,
        weights: Vec<u32>,
        one_lane: Option<OneLaneParts>,
    ) -> Outcome<Self> {
        let circle = |(channels, price): (Vec<u32>, u64)| PricedCircle {
            channels: channels.into_iter().map(ChannelId::new).collect(),
            price,
        };
        let inner = Arc::new(LoadBound {
            routes: routes_by_name(routes)?,
            weights,
            least_load: load,
            mean_load: f64::NAN,
            split_load: f64::NAN,
            one_lane: one_lane.map(|(stop_cost, circles)| OneLane {
                stop_cost,
                circles: circles.into_iter().map(circle).collect(),
            }),
        });
        Ok(Self { inner })
    }

    /// The routes it is for: ``any``, ``shortest`` or ``tables``.
    #[getter]
    fn routes(&self) -> &'static str {
        match self.inner.routes {
            BoundedRoutes::Any => ANY,
            BoundedRoutes::Shortest => SHORTEST,
            BoundedRoutes::Tables => TABLES,
        }
    }

    /// What the fullest channel between switches carries at least.
    #[getter]
    fn load(&self) -> u64 {
        self.inner.least_load
    }

    /// What channels carry in the mean by the weights, which `load` is rounded up from: what the fullest carries at least
    /// where pairs spread over several routes; NaN of a bound that was read.
    #[getter]
    fn mean_load(&self) -> f64 {
        self.inner.mean_load
    }

    /// What it carries where traffic splits over paths in the best way that was found, so that no weights
    /// show more; NaN of a bound that was read.
    #[getter]
    fn split_load(&self) -> f64 {
        self.inner.split_load
    }

    /// Weight of each channel: ndarray of uint32, shape (channel_count,).
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        row(py, self.inner.weights.clone())
    }

    /// The same where pairs have several routes, among which they spread.
    fn of_several_routes(&self) -> Self {
        let inner = Arc::new(self.inner.of_several_routes());
        Self { inner }
    }

    /// What an in-transit stop counts as, and circles of channels, each with its price; None of any number of lanes.
    #[getter]
    fn one_lane(&self) -> Option<OneLaneParts> {
        let one_lane = self.inner.one_lane.as_ref()?;
        let channels = |circle: &PricedCircle| {
            let numbers = circle.channels.iter().map(|channel| channel.number());
            (numbers.collect(), circle.price)
        };
        let circles = one_lane.circles.iter().map(channels).collect();
        Some((one_lane.stop_cost, circles))
    }

    fn __repr__(&self) -> String {
        format!(
            "<LoadBound: {} routes are never below {}>",
            self.routes(),
            self.inner.least_load
        )
    }
}

/// Finds a load that no routing is below.
#[pyfunction]
pub(crate) fn load_bound(
    py: Python<'_>,
    fabric: &PyFabric,
    weights: Option<Weights<'_>>,
    routes: &str,
    is_tight: bool,
    one_lane: bool,
    stop_cost: Option<u32>,
) -> Outcome<PyLoadBound> {
    let routes = routes_by_name(routes)?;
    let effort = if is_tight {
        BoundEffort::Tight
    } else {
        BoundEffort::Quick
    };
    let weight = weights.map(weight_of);
    let fabric = Arc::clone(&fabric.inner);
    let found = run(py, move || match weight {
        None if one_lane => one_lane_bound(&fabric, routes, stop_cost, effort),
        None => weft_routing::load_bound(&fabric, routes, effort),
        Some(weight) => load_bound_for_weights(&fabric, weight, routes, effort),
    })?;
    Ok(PyLoadBound {
        inner: Arc::new(found?),
    })
}

/// Checks by a program of its own that the weights of a bound show its load, when each compute end has one route to every
/// other.
#[pyfunction]
pub(crate) fn check_load_bound(
    py: Python<'_>,
    fabric: &PyFabric,
    bound: &PyLoadBound,
) -> Outcome<()> {
    let (fabric, bound) = (Arc::clone(&fabric.inner), Arc::clone(&bound.inner));
    let checked = run(py, move || weft_proof::check_load_bound(&fabric, &bound))?;
    Ok(checked?)
}
