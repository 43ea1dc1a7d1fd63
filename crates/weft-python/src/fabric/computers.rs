//! Computers with several ends, rails, and the networks that a file holds.

use super::PyFabric;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft_fabric::computers::{Rail, Rails, computers};
use weft_fabric::{Fabric, HostId, SwitchId};

/// The networks that a fabric consists of, each as one of its own; the fabric itself where it is one.
#[pyfunction]
pub(crate) fn subnets(fabric: &PyFabric) -> Vec<PyFabric> {
    let each = Fabric::clone(&fabric.inner).into_subnets();
    each.into_iter().map(PyFabric::from).collect()
}

/// The computers whose names the ends of a fabric give, and the rails they make, by name.
#[pyfunction]
pub(crate) fn fabric_computers<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
) -> PyResult<Bound<'py, PyDict>> {
    let fabric = &*fabric.inner;
    let found = computers(fabric);
    let rails = Rails::of(fabric, &found);
    let dict = PyDict::new(py);
    let entries = found.iter().map(|computer| {
        let adapters = (0..computer.hosts.len()).map(|end| computer.describe_adapter(end));
        let adapters: Vec<String> = adapters.collect();
        (
            computer.name.as_str(),
            host_numbers(&computer.hosts),
            adapters,
        )
    });
    dict.set_item("computers", entries.collect::<Vec<_>>())?;
    let (of_rails, off, without) = match &rails {
        Some(rails) => (
            &rails.rails[..],
            &rails.off_rail[..],
            &rails.without_end[..],
        ),
        None => (&[][..], &[][..], &[][..]),
    };
    let entries = of_rails.iter().map(|rail| rail_entry(py, rail));
    dict.set_item("rails", entries.collect::<PyResult<Vec<_>>>()?)?;
    let off = off
        .iter()
        .map(|off| (off.host.number(), off.found, off.expected));
    dict.set_item("off_rail", off.collect::<Vec<_>>())?;
    let without = without
        .iter()
        .map(|end| (end.computer.as_str(), end.rail, end.switch.number()));
    dict.set_item("without_end", without.collect::<Vec<_>>())?;
    Ok(dict)
}

fn rail_entry<'py>(py: Python<'py>, rail: &Rail) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let switches = rail.switches.iter().map(|id| SwitchId::number(*id));
    dict.set_item("adapters", &rail.adapters)?;
    dict.set_item("switches", switches.collect::<Vec<_>>())?;
    dict.set_item("hosts", host_numbers(&rail.hosts))?;
    dict.set_item("unnamed", rail.unnamed)?;
    dict.set_item("is_apart", rail.is_apart)?;
    Ok(dict)
}

fn host_numbers(hosts: &[HostId]) -> Vec<u32> {
    hosts.iter().map(|host| host.number()).collect()
}
