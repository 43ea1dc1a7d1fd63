//! Failures of a fabric.

use super::PyFabric;
use crate::errors::Outcome;
use crate::interrupt::run;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use weft_fabric::degrade::{self, Chosen, DegradeError, Degraded, Failures, Keep};
use weft_fabric::{Fabric, HostId, LinkId, SwitchId};

/// A fabric without what fails; parts are texts, each a name or a share such as `2%`. The result
/// and the record of what failed, by name of the fact.
#[pyfunction]
pub(crate) fn degrade_fabric<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    links: Vec<String>,
    switches: Vec<String>,
    hosts: Vec<String>,
    seed: u64,
    keep_largest: bool,
) -> Outcome<Bound<'py, PyDict>> {
    let whole = Arc::clone(&fabric.inner);
    let degraded = run(py, move || -> Result<_, DegradeError> {
        let failures = Failures {
            links: Chosen::parse("links", &links)?,
            switches: Chosen::parse("switches", &switches)?,
            hosts: Chosen::parse("hosts", &hosts)?,
            seed,
            keep: if keep_largest {
                Keep::LargestPart
            } else {
                Keep::AllParts
            },
        };
        degrade::degrade(&whole, &failures)
    })??;
    Ok(record(py, &fabric.inner, degraded)?)
}

fn record<'py>(
    py: Python<'py>,
    whole: &Fabric,
    degraded: Degraded,
) -> PyResult<Bound<'py, PyDict>> {
    let link = |&id: &LinkId| -> (String, String) {
        let [a, b] = whole
            .link(id)
            .ends
            .map(|end| format!("{}:{}", whole.node_name(end.node), end.port));
        (a, b)
    };
    let switches = |ids: &[SwitchId]| -> Vec<String> {
        ids.iter()
            .map(|&id| whole.switch(id).name.clone())
            .collect()
    };
    let hosts = |ids: &[HostId]| -> Vec<String> {
        ids.iter().map(|&id| whole.host(id).name.clone()).collect()
    };
    let dict = PyDict::new(py);
    let links: Vec<_> = degraded.failed_links.iter().map(link).collect();
    dict.set_item("failed_links", links)?;
    dict.set_item("failed_switches", switches(&degraded.failed_switches))?;
    dict.set_item("failed_hosts", hosts(&degraded.failed_hosts))?;
    dict.set_item("cut_off_hosts", hosts(&degraded.cut_off_hosts))?;
    dict.set_item("left_out_switches", switches(&degraded.left_out_switches))?;
    dict.set_item("left_out_hosts", hosts(&degraded.left_out_hosts))?;
    dict.set_item("fabric", PyFabric::from(degraded.fabric))?;
    Ok(dict)
}
