//! From old tables to new: plans of their writes, checked, and the known methods beside them.

use crate::arrays::{array, row};
use crate::errors::Outcome;
use crate::fabric::PyFabric;
use crate::interrupt::{Stop, run, run_told};
use crate::routing::PyRouting;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::{Fabric, LidRange, SwitchId};
use weft_proof::{CheckedTransition, check_obstructions, check_transition};
use weft_routing::{
    BlockedChange, BlockedWrite, Classic, Lane, LevelChange, Obstruction, OrderEnd, Phase,
    PlannedAddress, Routes, Step, TransitionPlan, Write,
};

/// Destination, alias, LID, and whether it is drained.
type Address = (String, u8, Option<u16>, bool);

/// The kind of a step, its writes, its addresses, and the switches whose lane tables are written or whose hosts are told.
type ToldStep<'py> = (
    &'static str,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
);

/// Steps, the most switches that a packet meets, and whether there is an order of the channels.
type ToldPhase<'py> = (Vec<ToldStep<'py>>, u32, bool);

/// Method, rounds, waits, destinations drained, lanes, whether it is free of deadlock, and destinations lost.
type ToldClassic = (&'static str, usize, usize, usize, usize, bool, usize);

/// Addresses, when hosts are told new levels, phases, addresses of which packets may be lost, dependencies
/// looked at, whether a host must let go of what it was told, and spanning trees with the most pairs over a channel and
/// their service level.
type Told<'py> = (
    Vec<Address>,
    &'static str,
    Vec<ToldPhase<'py>>,
    Vec<u32>,
    u64,
    bool,
    Option<(usize, u64, u8)>,
);

/// Channel, lane, address, the switch where it was sent, and whether it meets the other entry of the write or is sent by
/// the other service level.
type ToldWait = (u32, u8, u32, u32, bool);

/// Switch, address, who waits for whom, what changes, and the dead end that it leads to.
type ToldBlocked = (u32, u32, Vec<ToldWait>, &'static str, Option<usize>);

/// Switch, address, and what changes.
type ToldMet = (u32, u32, &'static str);

/// What is met, and the writes of which none can be the next.
type ToldDeadEnd = (Vec<ToldMet>, Vec<ToldBlocked>);

/// Which end of an order, destinations of which one is drained at least, the writes, and dead ends.
type ToldObstruction = (
    &'static str,
    Vec<String>,
    Vec<ToldBlocked>,
    Vec<ToldDeadEnd>,
);

/// A transition between tables, planned and checked; `progress` is told of it as of a [route](crate::routing::route).
#[pyfunction]
pub(crate) fn plan_transition<'py>(
    py: Python<'py>,
    before: &PyFabric,
    old: &PyRouting,
    after: &PyFabric,
    new: &PyRouting,
    direct: bool,
    progress: Option<Py<PyAny>>,
) -> Outcome<Told<'py>> {
    let (before, old) = old.tables_on(before, NEEDS)?;
    let (after, new) = new.tables_on(after, NEEDS)?;
    let stop = Stop::default();
    let planned = run_told(&stop, py, progress.as_ref(), move |told| -> Outcome<_> {
        let (fabrics, tables) = ([&*before, &*after], [&old, &new]);
        let plan = if direct {
            weft_routing::plan_direct_transition(fabrics, tables)?
        } else {
            weft_routing::plan_transition(fabrics, tables, told)?
        };
        let checked = check_transition(fabrics, tables, &plan)?;
        let lids: Vec<_> = plan.addresses.iter().map(lid_in(&after)).collect();
        Ok((plan, checked, lids))
    })?;
    let (plan, checked, lids): (TransitionPlan, CheckedTransition, _) = planned?;
    let renews = plan.renews();
    let by_trees = plan.by_trees.map(|of| (of.count, of.most_pairs, of.level));
    let addresses = plan.addresses.into_iter().zip(lids);
    let addresses = addresses.map(|(of, lid)| (of.destination, of.alias, lid, of.is_drained));
    let phases = plan.phases.iter().map(|phase| told_phase(py, phase));
    Ok((
        addresses.collect(),
        match plan.levels {
            LevelChange::None => "none",
            LevelChange::AtAnyTime => "at_any_time",
            LevelChange::Last => "last",
            LevelChange::First => "first",
            LevelChange::InTurn => "in_turn",
        },
        phases.collect::<PyResult<_>>()?,
        checked.dropped,
        checked.dependencies,
        renews,
        by_trees,
    ))
}

/// Tables by which all hosts send by one service level, on the lane of that number.
#[pyfunction]
pub(crate) fn sent_by_level(
    fabric: &PyFabric,
    routing: &PyRouting,
    level: u8,
) -> Outcome<PyRouting> {
    let (_, mut tables) = routing.tables_on(fabric, NEEDS)?;
    let (_, made) = routing.fixed_on(fabric, NEEDS)?;
    let pairs = tables.endpoint_count() * tables.endpoint_count();
    tables.set_lanes(vec![Lane::new(level); pairs]);
    Ok(routing.with_routes(made.with_routes(Routes::Tables(tables))))
}

/// Tells the LIDs of addresses, where a fabric has them.
fn lid_in(fabric: &Fabric) -> impl Fn(&PlannedAddress) -> Option<u16> {
    let hosts = fabric.host_ids().map(|id| fabric.host(id));
    let lids: BTreeMap<String, LidRange> = hosts
        .filter_map(|host| Some((host.name.clone(), host.lids?)))
        .collect();
    move |address| {
        let lids = lids.get(&address.destination)?;
        lids.lids().nth(address.alias.into())
    }
}

const NEEDS: &str = "a transition";

fn told_phase<'py>(py: Python<'py>, phase: &Phase) -> PyResult<ToldPhase<'py>> {
    let steps = phase.steps.iter().map(|step| told_step(py, step));
    Ok((
        steps.collect::<PyResult<_>>()?,
        phase.most_switches,
        phase.order.is_some(),
    ))
}

fn told_step<'py>(py: Python<'py>, step: &Step) -> PyResult<ToldStep<'py>> {
    const NO_WRITES: &[Write] = &[];
    let switches: Vec<SwitchId> = match step {
        Step::WriteLanes(switches) => switches.clone(),
        Step::RenewEach(renewals) | Step::RenewForTrees(renewals) => {
            renewals.iter().map(|one| one.switch).collect()
        }
        Step::Write(_) | Step::Answer(_) | Step::Renew(_) => Vec::new(),
    };
    let (writes, addresses) = match step {
        Step::Write(writes) => (writes.as_slice(), Vec::new()),
        Step::WriteLanes(_) => (NO_WRITES, Vec::new()),
        Step::Answer(addresses) | Step::Renew(addresses) => (NO_WRITES, addresses.clone()),
        Step::RenewEach(renewals) | Step::RenewForTrees(renewals) => {
            let addresses = renewals.iter().map(|one| one.address);
            (NO_WRITES, addresses.collect())
        }
    };
    let entry = |write: &Write| {
        let port = write.port.map_or(0, |port| port.number().into());
        [write.switch.number(), write.address, port]
    };
    let entries = writes.iter().flat_map(entry).collect();
    let entries = array(py, entries, &[writes.len(), 3])?;
    let switches = switches.into_iter().map(SwitchId::number);
    let addresses = row(py, addresses)?;
    Ok((step.kind(), entries, addresses, row(py, switches)?))
}

/// What the known methods come to between two tables.
#[pyfunction]
pub(crate) fn transition_methods(
    py: Python<'_>,
    before: &PyFabric,
    old: &PyRouting,
    after: &PyFabric,
    new: &PyRouting,
) -> Outcome<Vec<ToldClassic>> {
    let (before, old) = old.tables_on(before, NEEDS)?;
    let (after, new): (Arc<_>, _) = new.tables_on(after, NEEDS)?;
    let found = run(py, move || {
        weft_routing::classics([&before, &after], [&old, &new])
    })??;
    let told = |one: Classic| {
        (
            one.method.name(),
            one.rounds,
            one.waits,
            one.drained,
            one.lanes,
            one.is_free,
            one.lost,
        )
    };
    Ok(found.into_iter().map(told).collect())
}

/// What shows that no order of writes does without draining, checked; addresses are those of a plan, by
/// destination and alias.
#[pyfunction]
pub(crate) fn transition_obstructions(
    py: Python<'_>,
    before: &PyFabric,
    old: &PyRouting,
    after: &PyFabric,
    new: &PyRouting,
    addresses: Vec<(String, u8)>,
) -> Outcome<Vec<ToldObstruction>> {
    let (before, old) = old.tables_on(before, NEEDS)?;
    let (after, new): (Arc<_>, _) = new.tables_on(after, NEEDS)?;
    let addresses = addresses
        .into_iter()
        .map(|(destination, alias)| PlannedAddress {
            destination,
            alias,
            is_drained: false,
        });
    let plan = TransitionPlan {
        addresses: addresses.collect(),
        lane_count: old.lane_count().max(new.lane_count()),
        levels: LevelChange::None,
        phases: Vec::new(),
        by_trees: None,
    };
    let shown = run(py, move || -> Outcome<_> {
        let (fabrics, tables) = ([&*before, &*after], [&old, &new]);
        let found = weft_routing::obstructions(fabrics, tables)?;
        let destinations = check_obstructions(fabrics, tables, &plan, &found)?;
        Ok((found, destinations))
    })?;
    let (found, destinations): (Vec<Obstruction>, Vec<Vec<String>>) = shown?;
    let all = found.into_iter().zip(destinations);
    let told = all.map(|(one, destinations)| {
        let end = match one.end {
            OrderEnd::First => "first",
            OrderEnd::Last => "last",
        };
        let writes = one.writes.iter().map(told_blocked);
        let dead_ends = one.dead_ends.iter().map(|of| {
            let met = of
                .met
                .iter()
                .map(|of| (of.switch.number(), of.address, told_change(of.change)));
            (met.collect(), of.writes.iter().map(told_blocked).collect())
        });
        (end, destinations, writes.collect(), dead_ends.collect())
    });
    Ok(told.collect())
}

fn told_blocked(write: &BlockedWrite) -> ToldBlocked {
    let waits = write.cycle.iter().map(|wait| {
        (
            wait.channel.number(),
            wait.lane.number(),
            wait.address,
            wait.from.number(),
            wait.is_by_write,
        )
    });
    (
        write.switch.number(),
        write.address,
        waits.collect(),
        told_change(write.change),
        write.dead_end,
    )
}

fn told_change(change: BlockedChange) -> &'static str {
    match change {
        BlockedChange::Entry => "entry",
        BlockedChange::Level => "level",
        BlockedChange::Levels => "levels",
    }
}
