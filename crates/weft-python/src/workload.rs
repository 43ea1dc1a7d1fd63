//! The stage `workload`: what the hosts send.

use crate::arrays::row;
use crate::errors::{Exception, Outcome};
use crate::fabric::{PyFabric, host_of};
use crate::interrupt::run;
use crate::loaded::Loaded;
use crate::numbers::whole;
use crate::registry;
use crate::routing::PyRouting;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weft::OfferedTraffic;
use weft_fabric::Fabric;
use weft_model::workload::{
    ARRIVALS, ChosenPattern, Destinations, PATTERNS, Pattern, ShareOf, SizeShare,
};
use weft_routing::{GroupUse, demand_figures, group_demand_figures};

const SHARES_OF: &[(&str, ShareOf)] = &[("packets", ShareOf::Packets), ("bytes", ShareOf::Bytes)];

/// Reads what a text member of a `weft.Traffic` holds.
fn text(traffic: &Bound<'_, PyAny>, name: &str) -> Outcome<String> {
    let value = traffic.getattr(name)?;
    value.extract().map_err(|_| {
        let text = format!("{name}: found {value}, expected a text");
        Exception::Traffic.told(text)
    })
}

fn share_of(traffic: &Bound<'_, PyAny>) -> Outcome<ShareOf> {
    let found = text(traffic, "share_of")?;
    let entry = SHARES_OF.iter().find(|entry| entry.0 == found);
    entry.map(|entry| entry.1).ok_or_else(|| {
        let text = format!("share_of: found “{found}”, expected one of packets, bytes");
        Exception::Traffic.told(text)
    })
}

/// Reads a `weft.Traffic`.
pub(crate) fn offered(traffic: &Bound<'_, PyAny>) -> Outcome<OfferedTraffic> {
    let size = |bytes: &Bound<'_, PyAny>, share: f64| {
        let payload_bytes = whole(Exception::Traffic, "payload_bytes", bytes)?;
        Outcome::Ok(SizeShare {
            payload_bytes,
            share,
        })
    };
    let sizes = traffic.getattr("payload_bytes")?;
    let sizes = match sizes.cast::<PyDict>() {
        Ok(shares) => shares
            .iter()
            .map(|(bytes, share)| size(&bytes, share.extract()?))
            .collect::<Outcome<Vec<_>>>()?,
        Err(_) => vec![size(&sizes, 1.0)?],
    };
    Ok(OfferedTraffic {
        pattern: text(traffic, "pattern")?,
        pattern_text: traffic.getattr("pattern_text")?.extract()?,
        arrivals: text(traffic, "arrivals")?,
        sizes,
        share_of: share_of(traffic)?,
        load: traffic.getattr("load")?.extract()?,
        seed: whole(Exception::Traffic, "seed", &traffic.getattr("seed")?)?,
    })
}

/// Lays the pattern of a `weft.Traffic` over a fabric.
pub(crate) fn lay(traffic: &Bound<'_, PyAny>, fabric: &Fabric) -> Outcome<Destinations> {
    Ok(offered(traffic)?.destinations(fabric)?)
}

/// Refuses traffic that no fabric could carry; `traffic` is a `weft.Traffic`.
#[pyfunction]
pub(crate) fn check_traffic(traffic: &Bound<'_, PyAny>) -> Outcome<()> {
    Ok(offered(traffic)?.check()?)
}

/// The file that a pattern names, if its parameters have one.
#[pyfunction]
pub(crate) fn pattern_file(pattern: &str) -> Outcome<Option<String>> {
    let pattern: ChosenPattern = pattern.parse()?;
    Ok(pattern.file().map(str::to_owned))
}

/// The traffic patterns, each with what is known of it by name of the fact.
#[pyfunction(name = "patterns")]
pub(crate) fn list_patterns(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |pattern: &Pattern| {
        let dict = registry::entry(py, &pattern.entry())?;
        dict.set_item("defined_on", pattern.defined_on)?;
        Ok(dict)
    };
    PATTERNS.iter().map(entry).collect()
}

/// The arrival processes, each with what is known of it by name of the fact.
#[pyfunction]
pub(crate) fn arrival_processes(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let processes = ARRIVALS.iter();
    processes
        .map(|process| registry::entry(py, process))
        .collect()
}

/// The exact distribution of a host's destinations: (number of a host, probability).
#[pyfunction]
pub(crate) fn destinations(
    fabric: &PyFabric,
    traffic: &Bound<'_, PyAny>,
    host: usize,
) -> Outcome<Vec<(u32, f64)>> {
    let host = host_of(&fabric.inner, host)?;
    let found = lay(traffic, &fabric.inner)?.probabilities(host);
    Ok(found
        .into_iter()
        .map(|(to, share)| (to.number(), share))
        .collect())
}

/// The number of hosts that send under a pattern.
#[pyfunction]
pub(crate) fn sending_hosts(fabric: &PyFabric, traffic: &Bound<'_, PyAny>) -> Outcome<usize> {
    Ok(lay(traffic, &fabric.inner)?.sending_hosts())
}

/// The load of the channels expected under a pattern, by name of the figure.
#[pyfunction]
pub(crate) fn expected_load<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    traffic: &Bound<'py, PyAny>,
) -> Outcome<Bound<'py, PyDict>> {
    let (fabric, loaded) = routing.loaded_on(fabric)?;
    let laid = lay(traffic, &fabric)?;
    let figures = run(py, move || {
        let to = |host| laid.amounts(host);
        match &loaded {
            Loaded::Fixed(routing) => demand_figures(&fabric, routing, to),
            Loaded::Groups(groups) => {
                let tables = groups.tables();
                group_demand_figures(&fabric, tables, tables.service_level(), GroupUse::Even, to)
            }
        }
    })?;
    let dict = PyDict::new(py);
    let loads = row(py, figures.load_per_channel)?;
    dict.set_item("load_per_channel", loads)?;
    dict.set_item("max_load", figures.max_load)?;
    dict.set_item("sending_hosts", figures.sending_hosts)?;
    dict.set_item("mean_hops_links", figures.mean_hops_links)?;
    dict.set_item("mean_in_transit_stops", figures.mean_in_transit_stops)?;
    dict.set_item("saturation_bound", figures.saturation_bound)?;
    Ok(dict)
}
