//! The stage `routing`: what hosts send, for routings that are made for it.

use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::replay::{ToldJob, tasks};
use crate::routing::{LOAD, PyRouting};
use crate::workload::lay;
use pyo3::prelude::*;
use std::sync::Arc;
use weft::HostDemand;
use weft_fabric::{Fabric, HostId};
use weft_model::workload::matrix_amounts;

/// What hosts send one another, in whole parts; see `weft.traffic_gaps`.
#[pyclass(name = "HostDemand", module = "weft._core", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct PyHostDemand {
    pub(crate) inner: Arc<HostDemand>,
    fabric: Arc<Fabric>,
}

impl PyHostDemand {
    /// Refuses a demand without any amount.
    fn of(fabric: &PyFabric, demand: Option<HostDemand>, what: &str) -> Outcome<Self> {
        let fabric = Arc::clone(&fabric.inner);
        let inner = Arc::new(demand.ok_or_else(|| {
            Exception::Traffic.told(format!("{what}: no host sends anything to another"))
        })?);
        Ok(Self { inner, fabric })
    }
}

#[pymethods]
impl PyHostDemand {
    /// The demand of a traffic pattern, that of a `weft.Traffic`.
    #[staticmethod]
    fn of_pattern(fabric: &PyFabric, traffic: &Bound<'_, PyAny>) -> Outcome<Self> {
        let destinations = lay(traffic, &fabric.inner)?;
        let demand = HostDemand::of_destinations(&fabric.inner, &destinations);
        Self::of(fabric, demand, "the pattern")
    }

    /// The demand of the file of a traffic matrix, whose text is given.
    #[staticmethod]
    fn of_matrix(fabric: &PyFabric, file: &str, text: &str) -> Outcome<Self> {
        let amounts = matrix_amounts(&fabric.inner, file, text)?;
        Self::of(fabric, HostDemand::of_amounts(&fabric.inner, amounts), file)
    }

    /// The demand of the messages of jobs, each on its hosts; `what` is where they stand.
    #[staticmethod]
    fn of_jobs(
        fabric: &PyFabric,
        jobs: Vec<(ToldJob<'_>, Vec<usize>)>,
        what: &str,
    ) -> Outcome<Self> {
        let told = jobs
            .iter()
            .map(|((trace, region, algorithms, times, adapters), hosts)| {
                let hosts = hosts.iter().copied().map(HostId::from_index);
                let tasks = tasks(trace, region, algorithms)?;
                Ok((
                    tasks,
                    (hosts.collect::<Vec<_>>(), (*adapters).max(1)),
                    *times,
                ))
            });
        let told = told.collect::<Outcome<Vec<_>>>()?;
        let programs = told
            .iter()
            .map(|(tasks, (hosts, adapters), times)| (tasks, (&hosts[..], *adapters), *times));
        Self::of(
            fabric,
            HostDemand::of_programs(&fabric.inner, programs),
            what,
        )
    }

    /// The largest load of the routes, and what no routing is below, in what the host sends that sends most.
    fn gap(&self, py: Python<'_>, routing: &PyRouting) -> Outcome<(f64, f64)> {
        let made_for = PyFabric {
            inner: Arc::clone(&self.fabric),
        };
        let (fabric, routing) = routing.fixed_on(&made_for, LOAD)?;
        let demand = Arc::clone(&self.inner);
        let gap = run(py, move || demand.gap(&fabric, &routing))??;
        Ok((gap.largest_load, gap.bound))
    }
}
