//! What a person wants to know of a fabric beyond its counts.

use super::PyFabric;
use crate::interrupt::run;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use weft_fabric::metrics::{self, Bisection, Capacity, Distances, Level, Suspicion};
use weft_fabric::{Fabric, Node, PortNumber};

/// Level of each switch, 0 for the leaves; -1 where the fabric is not tree-like.
#[pyfunction]
pub(crate) fn fabric_levels<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let fabric = Arc::clone(&fabric.inner);
    let levels = run(py, move || metrics::levels(&fabric))?;
    let numbers = levels.into_iter().map(|level| level.map_or(-1, i64::from));
    Ok(PyArray1::from_iter(py, numbers))
}

/// Ports, distances, bisection, levels and suspicions of a fabric, by name.
#[pyfunction]
pub(crate) fn inspect_fabric<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
) -> PyResult<Bound<'py, PyDict>> {
    let whole = Arc::clone(&fabric.inner);
    let (distances, bisection, levels, suspicions) = run(py, move || {
        let levels = metrics::levels(&whole);
        (
            Distances::of(&whole),
            Bisection::of(&whole),
            metrics::level_figures(&whole, &levels),
            metrics::suspicions(&whole, &levels),
        )
    })?;
    let fabric = &*fabric.inner;
    let dict = PyDict::new(py);
    let port_use = metrics::port_use(fabric);
    let ports = port_use.iter().map(|port_use| {
        let entry = PyDict::new(py);
        entry.set_item("ports", port_use.ports)?;
        entry.set_item("wired", port_use.wired)?;
        entry.set_item("switches", port_use.switches)?;
        Ok(entry)
    });
    dict.set_item("port_use", ports.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("mean_host_distance_links", distances.mean_of_hosts())?;
    dict.set_item("switch_pairs_by_distance", distances.switch_pairs)?;
    dict.set_item("host_pairs_by_distance", distances.host_pairs)?;
    dict.set_item("bisection", bisection_entry(py, &bisection)?)?;
    let levels = levels.iter().map(|level| level_entry(py, fabric, level));
    dict.set_item("levels", levels.collect::<PyResult<Vec<_>>>()?)?;
    let suspicions = suspicions
        .iter()
        .map(|found| suspicion_entry(py, fabric, found));
    dict.set_item("suspicions", suspicions.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn bisection_entry<'py>(py: Python<'py>, found: &Bisection) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("at_most_links", found.at_most_links)?;
    dict.set_item("at_least_links", found.at_least_links)?;
    dict.set_item("found_gbit_per_s", found.found_gbit_per_s)?;
    dict.set_item("oversubscription", found.oversubscription)?;
    dict.set_item("sizes", (found.sizes[0], found.sizes[1]))?;
    Ok(dict)
}

fn level_entry<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    level: &Level,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("switches", level.switches)?;
    dict.set_item("hosts", level.hosts)?;
    for (name, Capacity { links, gbit_per_s }) in [
        ("injection", level.injection),
        ("down", level.down),
        ("up", level.up),
    ] {
        dict.set_item(format!("{name}_links"), links)?;
        dict.set_item(format!("{name}_gbit_per_s"), gbit_per_s)?;
    }
    dict.set_item("oversubscription", level.oversubscription)?;
    let narrowest = level
        .narrowest
        .map(|(switch, _)| fabric.switch(switch).name.as_str());
    dict.set_item("narrowest_switch", narrowest)?;
    dict.set_item(
        "narrowest_oversubscription",
        level.narrowest.map(|(_, over)| over),
    )?;
    Ok(dict)
}

/// A suspicion: its kind, the nodes it is about, ports of each, and what is specific to the kind.
fn suspicion_entry<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    suspicion: &Suspicion,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let about = |kind: &str, nodes: &[Node], ports: &[&[PortNumber]]| -> PyResult<()> {
        let names: Vec<&str> = nodes.iter().map(|&node| fabric.node_name(node)).collect();
        let numbers: Vec<Vec<u32>> = ports
            .iter()
            .map(|ports| ports.iter().map(|port| u32::from(port.number())).collect())
            .collect();
        dict.set_item("kind", kind)?;
        dict.set_item("nodes", names)?;
        dict.set_item("ports", numbers)
    };
    match suspicion {
        Suspicion::IsolatedPart { switches, hosts } => {
            let nodes: Vec<Node> = switches.iter().map(|&id| Node::Switch(id)).collect();
            about("isolated_part", &nodes, &vec![&[][..]; nodes.len()])?;
            dict.set_item("hosts", *hosts)?;
        }
        Suspicion::FewerLinks {
            switch,
            found,
            expected,
            agreeing,
            peers,
            dark_ports,
        } => {
            about("fewer_links", &[Node::Switch(*switch)], &[dark_ports])?;
            dict.set_item("found", *found)?;
            dict.set_item("expected", *expected)?;
            dict.set_item("agreeing", *agreeing)?;
            dict.set_item("peers", *peers)?;
        }
        Suspicion::MissingLinks {
            switch,
            neighbour,
            found,
            expected,
            ports,
            neighbour_ports,
        } => {
            let nodes = [Node::Switch(*switch), Node::Switch(*neighbour)];
            about("missing_links", &nodes, &[ports, neighbour_ports])?;
            dict.set_item("found", *found)?;
            dict.set_item("expected", *expected)?;
        }
        Suspicion::SlowLink {
            link,
            found,
            expected,
        } => {
            let [a, b] = fabric.link(*link).ends;
            about("slow_link", &[a.node, b.node], &[&[a.port], &[b.port]])?;
            dict.set_item("found", found.to_string())?;
            dict.set_item("expected", expected.to_string())?;
        }
        Suspicion::SelfLink { link } => {
            let [a, b] = fabric.link(*link).ends;
            about("self_link", &[a.node, b.node], &[&[a.port], &[b.port]])?;
        }
    }
    Ok(dict)
}
