//! The stage `routing`: loads by how packets use what there is to choose from, groups of ports and addresses.
//!
//! What is told begins with the extreme: where all choose the same of their groups, or send to first addresses alone.
//! Each draw of hashes follows.

use crate::arrays::row;
use crate::congestion::{chosen, rounds_of};
use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::interrupt::run;
use crate::loaded::Loaded;
use crate::numbers::whole;
use crate::routing::PyRouting;
use crate::workload::lay;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};
use std::collections::BTreeSet;
use weft_fabric::{Fabric, HostId};
use weft_routing::{
    AddressUse, GroupUse, RoundFigures, congestion_by_address, demand_by_address, group_congestion,
    group_demand_figures,
};

/// The mean share of pairs in each round, by use: an array with an entry per round.
#[pyfunction]
pub(crate) fn shares_of_rounds_by_use<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    rounds: (Bound<'py, PyString>, u32, Bound<'py, PyInt>),
    hosts: Option<Vec<i64>>,
    flows_and_draws: [u32; 2],
    seed: &Bound<'py, PyInt>,
) -> Outcome<Vec<Bound<'py, PyAny>>> {
    let (kind, count, seed_of_rounds) = rounds;
    let rounds = rounds_of(&kind.to_cow()?, count, &seed_of_rounds)?;
    let seed = whole(Exception::Routing, "seed", seed)?;
    let (fabric, loaded) = routing.loaded_on(fabric)?;
    let hosts = chosen(&fabric, hosts)?;
    let figures = run(py, move || match &loaded {
        Loaded::Groups(groups) => {
            let (tables, level) = (groups.tables(), groups.tables().service_level());
            let uses = uses_of_groups(flows_and_draws, seed);
            group_congestion(&fabric, tables, level, &hosts, rounds, &uses)
        }
        Loaded::Fixed(routing) => {
            let uses = uses_of_addresses(flows_and_draws, seed).into_iter();
            uses.map(|how| congestion_by_address(&fabric, &routing.routes, &hosts, rounds, how))
                .collect()
        }
    })?;
    let shares = |of_use: Vec<RoundFigures>| row(py, of_use.iter().map(|one| one.mean_share));
    let rows: PyResult<_> = figures.into_iter().map(shares).collect();
    Ok(rows?)
}

/// What channels carry if some hosts, or all compute ends, send to one another alike, by use: routes over every channel.
#[pyfunction]
pub(crate) fn loads_by_use<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    hosts: Option<Vec<i64>>,
    flows_and_draws: [u32; 2],
    seed: &Bound<'py, PyInt>,
) -> Outcome<Vec<Bound<'py, PyAny>>> {
    let seed = whole(Exception::Routing, "seed", seed)?;
    let (fabric, loaded) = routing.loaded_on(fabric)?;
    let hosts = chosen(&fabric, hosts)?;
    let loads = run(py, move || {
        let sending: BTreeSet<HostId> = hosts.iter().copied().collect();
        let to_all = |source: HostId| {
            let others = hosts.iter().filter(|&&other| other != source);
            if sending.contains(&source) {
                others.map(|&other| (other, 1.0)).collect()
            } else {
                Vec::new()
            }
        };
        by_use(&fabric, &loaded, flows_and_draws, seed, to_all)
    })?;
    let rows: PyResult<_> = loads.into_iter().map(|of_use| row(py, of_use)).collect();
    Ok(rows?)
}

/// The load of a host that sends, the one that sends most, which no channel forbids under a pattern, by use.
#[pyfunction]
pub(crate) fn bounds_of_pattern_by_use(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    traffic: &Bound<'_, PyAny>,
    flows_and_draws: [u32; 2],
    seed: &Bound<'_, PyInt>,
) -> Outcome<Vec<f64>> {
    let seed = whole(Exception::Routing, "seed", seed)?;
    let (fabric, loaded) = routing.loaded_on(fabric)?;
    let laid = lay(traffic, &fabric)?;
    let loads = run(py, move || {
        let to = |host| laid.amounts(host);
        by_use(&fabric, &loaded, flows_and_draws, seed, to)
    })?;
    let bound = |of_use: Vec<f64>| 1.0 / of_use.into_iter().fold(1.0, f64::max);
    Ok(loads.into_iter().map(bound).collect())
}

/// What channels carry, use by use.
fn by_use(
    fabric: &Fabric,
    loaded: &Loaded,
    flows_and_draws: [u32; 2],
    seed: u64,
    to: impl Fn(HostId) -> Vec<(HostId, f64)>,
) -> Vec<Vec<f64>> {
    match loaded {
        Loaded::Groups(groups) => {
            let (tables, level) = (groups.tables(), groups.tables().service_level());
            let uses = uses_of_groups(flows_and_draws, seed).into_iter();
            uses.map(|how| group_demand_figures(fabric, tables, level, how, &to).load_per_channel)
                .collect()
        }
        Loaded::Fixed(routing) => {
            let uses = uses_of_addresses(flows_and_draws, seed).into_iter();
            uses.map(|how| demand_by_address(fabric, &routing.routes, how, &to))
                .collect()
        }
    }
}

/// All alike, and each draw of hashes.
fn uses_of_groups([flows, draws]: [u32; 2], seed: u64) -> Vec<GroupUse> {
    let hashed = |draw| GroupUse::Hashed { flows, seed, draw };
    let alike = std::iter::once(GroupUse::Alike);
    alike.chain((0..draws).map(hashed)).collect()
}

/// First addresses alone, and each draw of hashes.
fn uses_of_addresses([flows, draws]: [u32; 2], seed: u64) -> Vec<AddressUse> {
    let hashed = |draw| AddressUse::Hashed { flows, seed, draw };
    let first = std::iter::once(AddressUse::First);
    first.chain((0..draws).map(hashed)).collect()
}
