//! `transition`: how switches get from the tables there are to those without a part.

use crate::error::ExploreError;
use crate::kept::Kept;
use crate::left::Left;
use crate::mended::{Mended, mended};
use crate::routed::Routed;
use crate::state::{Part, State};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use weft_proof::check_transition;
use weft_routing::{ForwardingTables, LevelChange, Routes, Step, plan_direct_transition};

const NEEDS: &str = "a transition";

pub(crate) fn transition(kept: &Kept, state: &State, part: Part) -> Result<Value, ExploreError> {
    let before = kept.routed(state)?;
    let Mended { after, how } = mended(kept, state, &before, part)?;
    let why_anew = how.err();
    let fabrics = [&*before.left.fabric, &*after.left.fabric];
    let tables = [tables_of(&before)?, tables_of(&after)?];
    let plan = plan_direct_transition(fabrics, tables)?;
    let checked = check_transition(fabrics, tables, &plan)?;
    let mut steps = Vec::new();
    for (number, phase) in plan.phases.iter().enumerate() {
        if number > 0 {
            let most_switches = plan.phases[number - 1].most_switches;
            steps.push(json!({"kind": "wait", "most_switches": most_switches}));
        }
        steps.extend(phase.steps.iter().map(|step| told(&after.left, step)));
    }
    let destination = |&address: &u32| plan.addresses[address as usize].destination.clone();
    let drained = plan.addresses.iter().filter(|address| address.is_drained);
    let drained: Vec<_> = drained.map(|address| address.destination.clone()).collect();
    Ok(json!({
        "way": if why_anew.is_none() { "repaired" } else { "anew" },
        "why_anew": why_anew,
        "free": plan.is_free_throughout(),
        "changed_entries": plan.write_count(),
        "levels": match plan.levels {
            LevelChange::None => "none",
            LevelChange::AtAnyTime => "at_any_time",
            LevelChange::Last => "last",
            LevelChange::First => "first",
            LevelChange::InTurn => "in_turn",
        },
        "drained": once(drained),
        "dropped": once(checked.dropped.iter().map(destination).collect()),
        "steps": steps,
    }))
}

fn tables_of(routed: &Routed) -> Result<&ForwardingTables, ExploreError> {
    match &routed.fixed(NEEDS)?.routes {
        Routes::Tables(tables) => Ok(tables),
        Routes::Source(_) => Err(ExploreError::NoTables),
    }
}

/// Names in their order, each once.
fn once(mut names: Vec<String>) -> Vec<String> {
    names.dedup();
    names
}

/// A step; of what is written how many entries each switch gets.
fn told(left: &Left, step: &Step) -> Value {
    let kind = step.kind();
    match step {
        Step::Write(writes) => {
            let mut entries: BTreeMap<u32, usize> = BTreeMap::new();
            for write in writes {
                *entries.entry(left.switch(write.switch)).or_default() += 1;
            }
            let (switches, entries): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
            json!({"kind": kind, "switches": switches, "entries": entries})
        }
        Step::WriteLanes(switches) => {
            let switches: Vec<_> = switches.iter().map(|&one| left.switch(one)).collect();
            json!({"kind": kind, "switches": switches})
        }
        Step::Answer(addresses) | Step::Renew(addresses) => {
            json!({"kind": kind, "addresses": addresses.len()})
        }
        Step::RenewEach(renewals) | Step::RenewForTrees(renewals) => {
            let addresses: BTreeSet<u32> = renewals.iter().map(|one| one.address).collect();
            let switches: BTreeSet<u32> =
                renewals.iter().map(|one| left.switch(one.switch)).collect();
            json!({"kind": kind, "addresses": addresses.len(), "switches": switches})
        }
    }
}
