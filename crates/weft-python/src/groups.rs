//! The stages `routing` and `proof` where switches choose among groups of ports: verdicts, loads, what is of note.

use crate::arrays::row;
use crate::congestion::chosen;
use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::numbers::whole;
use crate::proof::members_of;
use crate::routing::PyRouting;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_proof::{EntryOf, GroupOf, Told, Verdict, verify_levels};

/// The service levels that switches treat alike, together; the levels of hosts' packets alone.
#[pyfunction]
pub(crate) fn service_level_classes(
    fabric: &PyFabric,
    routing: &PyRouting,
) -> Outcome<Vec<Vec<u8>>> {
    Ok(routing.groups_on(fabric)?.1.tables().levels())
}

/// The service levels whose packets may choose all at once, none where packets can deadlock if none choose.
#[pyfunction]
pub(crate) fn levels_that_may_choose(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
) -> Outcome<Option<Vec<u8>>> {
    let (fabric, groups) = routing.groups_on(fabric)?;
    Ok(run(py, move || {
        weft_proof::levels_that_may_choose(&fabric, groups.tables())
    })??)
}

/// The verdict on packets of one service level: members of `weft.Proof` by name, and of pairs that are not reached.
#[pyfunction]
pub(crate) fn group_verdict<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    level: u8,
    most_named: usize,
) -> Outcome<(Bound<'py, PyDict>, Vec<String>, Option<String>)> {
    let (fabric, groups) = routing.groups_on(fabric)?;
    let on = Arc::clone(&fabric);
    let proof = run(py, move || verify_levels(&on, groups.tables(), &[level]))??;
    let (unreached, route_loop) = match &proof.verdict {
        Verdict::Unreachable(pairs) => {
            let named = pairs.iter().take(most_named);
            (named.map(|pair| pair.describe(&fabric)).collect(), None)
        }
        Verdict::Loop(found) => (Vec::new(), Some(found.describe(&fabric))),
        Verdict::DeadlockFree(_) | Verdict::Deadlock(_) => (Vec::new(), None),
    };
    Ok((members_of(py, &fabric, proof)?, unreached, route_loop))
}

/// What channels carry of packets of a service level, in the mean and at most, by name; of some hosts or all compute
/// ends.
#[pyfunction]
pub(crate) fn group_loads<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    level: u8,
    hosts: Option<Vec<i64>>,
) -> Outcome<Bound<'py, PyDict>> {
    let (mut fabric, groups) = routing.groups_on(fabric)?;
    if hosts.is_some() {
        let chosen = chosen(&fabric, hosts)?;
        fabric = Arc::new(Fabric::clone(&fabric).with_compute(&chosen));
    }
    let loads = run(py, move || {
        weft_routing::group_loads(&fabric, groups.tables(), level)
    })?;
    let dict = PyDict::new(py);
    dict.set_item("mean", row(py, loads.mean)?)?;
    dict.set_item("most", row(py, loads.most)?)?;
    dict.set_item("unreached_pairs", loads.unreached_pairs)?;
    Ok(dict)
}

/// Flows over every channel, draw by draw, where a hash decides for each; of some hosts or all compute ends.
#[pyfunction]
pub(crate) fn hashed_loads<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    level: u8,
    hosts: Option<Vec<i64>>,
    flows_and_draws: [u32; 2],
    seed: &Bound<'py, PyInt>,
) -> Outcome<Vec<Bound<'py, PyAny>>> {
    let seed = whole(Exception::Routing, "seed", seed)?;
    let (fabric, groups) = routing.groups_on(fabric)?;
    let hosts = chosen(&fabric, hosts)?;
    let loads = run(py, move || {
        weft_routing::hashed_loads(
            &fabric,
            groups.tables(),
            level,
            &hosts,
            flows_and_draws,
            seed,
        )
    })?;
    let rows: PyResult<_> = loads.into_iter().map(|of_draw| row(py, of_draw)).collect();
    Ok(rows?)
}

/// What is of note of groups and entries for packets of a service level, by name: counts, and the first by its names.
#[pyfunction]
pub(crate) fn group_findings<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    level: u8,
) -> Outcome<Bound<'py, PyDict>> {
    let (fabric, groups) = routing.groups_on(fabric)?;
    let on = Arc::clone(&fabric);
    let found = run(py, move || {
        weft_proof::group_findings(&on, groups.tables(), level)
    })??;
    let dict = PyDict::new(py);
    dict.set_item("free_entries", found.free_entries)?;
    dict.set_item("hashed_entries", found.hashed_entries)?;
    dict.set_item("static_entries", found.static_entries)?;
    dict.set_item("switches_without_choice", found.switches_without_choice)?;
    let entry = |told: Told<EntryOf>| {
        let first = told.first.map(|first| {
            format!(
                "{} to {} by port {}",
                fabric.switch(first.switch).name,
                fabric.host(first.destination).name,
                first.port.number()
            )
        });
        (told.count, first)
    };
    let group = |told: Told<GroupOf>| {
        let name = |first: GroupOf| {
            format!(
                "group {} of {}",
                first.group,
                fabric.switch(first.switch).name
            )
        };
        (told.count, told.first.map(name))
    };
    dict.set_item("without_group", entry(found.without_group))?;
    dict.set_item("farther", entry(found.farther))?;
    dict.set_item("lone", entry(found.lone))?;
    dict.set_item("mixed", group(found.mixed))?;
    dict.set_item("unequal", group(found.unequal))?;
    Ok(dict)
}
