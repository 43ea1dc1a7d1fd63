//! The stage `proof`: certificates and cycles.

use crate::arrays::array;
use crate::errors::Outcome;
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::routing::PyRouting;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_proof::{Certificate, Dependency, Proof, RestsOn, Verdict};
use weft_routing::AnyRoutes;

/// An order of the channels, each of their lanes by itself, that every route ascends between
/// in-transit stops.
///
/// Parameters
/// ----------
/// ranks : ndarray of uint32, shape (channel_count, lane_count), or rows of numbers
///     Place of each lane of each channel in the order.
#[pyclass(name = "Certificate", module = "weft._core", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct PyCertificate {
    pub(crate) inner: Arc<Certificate>,
}

impl From<Certificate> for PyCertificate {
    fn from(certificate: Certificate) -> Self {
        Self {
            inner: Arc::new(certificate),
        }
    }
}

#[pymethods]
impl PyCertificate {
    #[new]
    fn new(ranks: Vec<Vec<u32>>) -> PyResult<Self> {
        let lanes = ranks.first().map_or(1, Vec::len);
        if let Some(other) = ranks.iter().find(|of_lanes| of_lanes.len() != lanes) {
            let text = format!(
                "found channels of {lanes} and of {} lanes; expected as many of each",
                other.len()
            );
            return Err(PyValueError::new_err(text));
        }
        let lane_count = u8::try_from(lanes).ok().filter(|&count| count > 0);
        let lane_count = lane_count.ok_or_else(|| {
            let text = format!("found {lanes} lanes of each channel; expected 1 to 255");
            PyValueError::new_err(text)
        })?;
        let rank = ranks.concat();
        Ok(Certificate { lane_count, rank }.into())
    }

    /// Place of each lane of each channel in the order: ndarray of uint32, shape (channel_count,
    /// lane_count).
    #[getter]
    fn ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lanes = usize::from(self.inner.lane_count);
        let channels = self.inner.rank.len() / lanes;
        array(py, self.inner.rank.clone(), &[channels, lanes])
    }

    fn __repr__(&self) -> String {
        format!(
            "<Certificate: an order of {} channels of {} lanes>",
            self.inner.rank.len() / usize::from(self.inner.lane_count),
            self.inner.lane_count
        )
    }
}

pub(crate) fn cycle_step<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    dependency: &Dependency,
) -> PyResult<Bound<'py, PyDict>> {
    let step = PyDict::new(py);
    step.set_item("held", fabric.describe_channel(dependency.held))?;
    step.set_item("wanted", fabric.describe_channel(dependency.wanted))?;
    step.set_item("source", &fabric.host(dependency.source).name)?;
    step.set_item("destination", &fabric.host(dependency.destination).name)?;
    step.set_item("lid", dependency.lid)?;
    step.set_item("held_channel", dependency.held.number())?;
    step.set_item("held_lane", dependency.held_lane.number())?;
    step.set_item("wanted_channel", dependency.wanted.number())?;
    step.set_item("wanted_lane", dependency.wanted_lane.number())?;
    Ok(step)
}

/// Proves routes deadlock-free, or tells why they are not; members of `weft.Proof` by name.
#[pyfunction]
pub(crate) fn prove<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
) -> Outcome<Bound<'py, PyDict>> {
    let (fabric, made) = routing.on(fabric)?;
    let verified = Arc::clone(&fabric);
    let proof = run(py, move || weft::prove(&verified, &made))??;
    Ok(members_of(py, &fabric, proof)?)
}

/// A proof as members of `weft.Proof` by name.
pub(crate) fn members_of<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    proof: Proof,
) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("deadlock_free", proof.is_deadlock_free())?;
    found.set_item("verdict", proof.verdict.word())?;
    found.set_item("text", proof.describe(fabric))?;
    let rests_on = match (&proof.verdict, proof.is_adaptive, proof.rests_on) {
        (Verdict::DeadlockFree(_), true, RestsOn::EveryWay) => Some("every way"),
        (Verdict::DeadlockFree(_), true, RestsOn::OneWay) => Some("one way"),
        _ => None,
    };
    found.set_item("rests_on", rests_on)?;
    let (certificate, cycle) = match proof.verdict {
        Verdict::DeadlockFree(certificate) => (Some(PyCertificate::from(certificate)), Vec::new()),
        Verdict::Deadlock(cycle) => (None, cycle.dependencies),
        Verdict::Unreachable(_) | Verdict::Loop(_) => (None, Vec::new()),
    };
    found.set_item("certificate", certificate)?;
    let steps = cycle
        .iter()
        .map(|dependency| cycle_step(py, fabric, dependency));
    found.set_item("cycle", steps.collect::<PyResult<Vec<_>>>()?)?;
    Ok(found)
}

/// Whether the routes between compute ends alone all arrive and no packets on them can deadlock.
#[pyfunction]
pub(crate) fn free_between_compute_ends(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
) -> Outcome<bool> {
    let (fabric, routing) = routing.fixed_on(fabric, "a proof of the routes of some hosts")?;
    let judge = move || weft_proof::is_free_between_compute_ends(&fabric, &routing.routes);
    Ok(run(py, judge)??)
}

/// Everything that is wrong with routes; members of `weft.RouteFindings` by name. At most
/// `most_named` of the pairs that are not reached are named.
#[pyfunction]
pub(crate) fn route_findings<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    most_named: usize,
) -> Outcome<Bound<'py, PyDict>> {
    let (fabric, routing) =
        routing.fixed_on(fabric, "a search for all that is wrong with routes")?;
    let judged = Arc::clone(&fabric);
    let found = run(py, move || weft_proof::findings(&judged, &routing.routes))??;
    let dict = PyDict::new(py);
    dict.set_item("host_pairs", found.host_pairs)?;
    dict.set_item("unreached_pairs", found.unreached_pairs)?;
    dict.set_item("circling_pairs", found.circling_pairs)?;
    dict.set_item("lane_count", found.lane_count)?;
    let named = found.unreached.iter().take(most_named);
    let named: Vec<String> = named.map(|pair| pair.describe(&fabric)).collect();
    dict.set_item("unreached", named)?;
    let route_loop = found.route_loop.map(|found| found.describe(&fabric));
    dict.set_item("route_loop", route_loop)?;
    let steps = found.cycle.into_iter().flat_map(|cycle| cycle.dependencies);
    let steps = steps.map(|step| cycle_step(py, &fabric, &step));
    dict.set_item("cycle", steps.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

/// Checks in one pass that every route ascends a certificate's order of the channels.
#[pyfunction]
pub(crate) fn check_certificate(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    certificate: &PyCertificate,
) -> Outcome<()> {
    let (fabric, made) = routing.on(fabric)?;
    let certificate = Arc::clone(&certificate.inner);
    let checked = run(py, move || match made.routes() {
        AnyRoutes::Fixed(routes) => weft_proof::check_certificate(&fabric, routes, &certificate),
        AnyRoutes::Adaptive(routes) => {
            weft_proof::check_adaptive_certificate(&fabric, routes, &certificate).map(drop)
        }
    })?;
    Ok(checked?)
}
