//! Identifiers that no port can have, or that several have: a note for each kind.

use super::super::ReadNote;
use super::Lids;
use crate::{Fabric, LidRange};
use std::collections::BTreeMap;

/// How many of a kind are named.
const NAMED: usize = 3;

/// Notes ports whose LIDs no port can have, which are left out.
pub(super) fn note_impossible_lids(found: &[(&str, Lids)], notes: &mut Vec<ReadNote>) {
    let named: Vec<String> = found
        .iter()
        .map(|(name, lids)| format!("“{name}” ({lids})"))
        .collect();
    let reason = format!(
        "LIDs of ports run from 1 to {} and are multiples of 2^LMC; left out",
        LidRange::MAX
    );
    add("ports with LIDs that none can have", &named, &reason, notes);
}

/// Notes GUIDs and LIDs that several ports have.
pub(super) fn note_shared(fabric: &Fabric, notes: &mut Vec<ReadNote>) {
    let switches = fabric.switch_ids().map(|id| {
        let switch = fabric.switch(id);
        (switch.name.as_str(), switch.guid, switch.lids)
    });
    let hosts = fabric.host_ids().map(|id| {
        let host = fabric.host(id);
        (host.name.as_str(), host.guid, host.lids)
    });
    let mut guids: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    let mut lids: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for (name, guid, range) in switches.chain(hosts) {
        if let Some(guid) = guid {
            guids.entry(guid).or_default().push(name);
        }
        for lid in range.into_iter().flat_map(LidRange::lids) {
            lids.entry(lid).or_default().push(name);
        }
    }
    add(
        "GUIDs that several ports have",
        &shared(guids, |guid| format!("0x{guid:016x}")),
        "a GUID is one port's; what goes by GUIDs cannot tell these ports apart",
        notes,
    );
    add(
        "LIDs that several ports have",
        &shared(lids, |lid| lid.to_string()),
        "a LID is one port's; what goes by LIDs cannot tell these ports apart",
        notes,
    );
}

/// Identifiers of several ports, with the ports' names.
fn shared<K>(owners: BTreeMap<K, Vec<&str>>, shown: impl Fn(K) -> String) -> Vec<String> {
    owners
        .into_iter()
        .filter(|(_, names)| names.len() > 1)
        .map(|(key, names)| {
            let (first, rest) = names.split_at(names.len().min(2));
            let first: Vec<String> = first.iter().map(|name| format!("“{name}”")).collect();
            let more = match rest.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            format!("{} ({}{more})", shown(key), first.join(", "))
        })
        .collect()
}

/// Adds one note for all of a kind, if there are any.
fn add(kind: &str, all: &[String], reason: &str, notes: &mut Vec<ReadNote>) {
    if all.is_empty() {
        return;
    }
    let named = all[..all.len().min(NAMED)].join(", ");
    let more = if all.len() > NAMED { ", …" } else { "" };
    notes.push(ReadNote {
        line: None,
        text: format!("{kind} ({}): {named}{more}", all.len()),
        reason: reason.to_owned(),
    });
}
