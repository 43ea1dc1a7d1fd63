//! From the file to a fabric.

use super::super::placed::{PlacedBuilder, PlacedEnd};
use super::super::{FormatError, Found, ReadNote, Source, fabric_name};
use super::lists::{Lists, check_numbers, gather};
use crate::{FabricError, Host, PortNumber, Switch};
use std::collections::BTreeMap;

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let lists = gather(source)?;
    check_numbers(
        source,
        "router",
        lists.routers.iter().map(|(&n, &at)| (n, at)),
    )?;
    check_numbers(
        source,
        "node",
        lists.nodes.iter().map(|(&n, &(_, at))| (n, at)),
    )?;
    let mut notes = notes(source, &lists);
    notes.sort_by_key(|note| note.line);

    let mut neighbours: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for (&(a, b), &offset) in &lists.listed {
        for (here, there) in [(a, b), (b, a)] {
            let place = neighbours.entry(here).or_default();
            place.entry(there).or_insert(offset);
        }
    }
    let mut hosts_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&node, &(router, _)) in &lists.nodes {
        hosts_of.entry(router).or_default().push(node);
    }

    let mut builder = PlacedBuilder::new(source, fabric_name(source.name));
    let mut switches = Vec::new();
    for (router, &offset) in &lists.routers {
        let host_count = hosts_of.get(router).map_or(0, Vec::len);
        let count = host_count + neighbours.get(router).map_or(0, BTreeMap::len);
        let Some(port_count) = u8::try_from(count)
            .ok()
            .filter(|&count| count <= PortNumber::MAX)
        else {
            let error = FabricError::TooManyPorts {
                needed: count as u64,
                limit: PortNumber::MAX,
            };
            return Err(builder.clash(offset, error, None));
        };
        let switch = Switch::new(format!("sw{router}"), port_count.max(1));
        switches.push(builder.add_switch(switch, offset)?);
    }
    let mut next_port = vec![0_u8; switches.len()];
    // Invariant: no router has more than 254 neighbours and hosts, so that no port overflows.
    let mut end = |router: u32, offset: usize| {
        let router = router as usize;
        next_port[router] += 1;
        PlacedEnd::new(switches[router], PortNumber::new(next_port[router]), offset)
    };
    for (node, &(router, offset)) in &lists.nodes {
        let host = Host::new(format!("host{node}"));
        let host = builder.add_host(host, offset)?;
        let host = PlacedEnd::new(host, PortNumber::new(1), offset);
        builder.add_link([host, end(router, offset)], None)?;
    }
    // Ports follow the numbers of the neighbours at both ends, so they are given out per router
    // before the links are laid.
    let mut ends: BTreeMap<(u32, u32), PlacedEnd> = BTreeMap::new();
    for (&router, its_neighbours) in &neighbours {
        for (&neighbour, &offset) in its_neighbours {
            ends.insert((router, neighbour), end(router, offset));
        }
    }
    for (&(router, neighbour), &here) in ends.range(..) {
        if let Some(&there) = ends.get(&(neighbour, router))
            && router < neighbour
        {
            builder.add_link([here, there], None)?;
        }
    }
    Ok((builder.build(source.content())?, notes))
}

/// Tells what the fabric does not show.
fn notes(source: Source<'_>, lists: &Lists) -> Vec<ReadNote> {
    let mut notes = Vec::new();
    let mut note = |places: &[usize], text: String, reason: &str| {
        if let Some(&first) = places.iter().min() {
            notes.push(ReadNote {
                line: Some(source.line_of(first)),
                text,
                reason: reason.to_owned(),
            });
        }
    };
    note(
        &lists.latencies,
        format!("latencies of {} channels", lists.latencies.len()),
        "a fabric has no place for them; delays are parameters of the hardware",
    );
    note(
        &lists.repeated,
        format!("{} links listed twice by one router", lists.repeated.len()),
        "BookSim takes them for one link each",
    );
    let is_mutual = |&&(a, b): &&(u32, u32)| lists.listed.contains_key(&(b, a));
    let mutual = lists.listed.keys().filter(is_mutual).count();
    let lone: Vec<usize> = (lists.listed.iter())
        .filter(|(key, _)| !is_mutual(key))
        .map(|(_, &offset)| offset)
        .collect();
    if mutual > 0 {
        note(
            &lone,
            format!("{} links listed at one end only", lone.len()),
            "the others are listed at both ends; perhaps a line is missing",
        );
    }
    let silent: Vec<usize> = (lists.routers.iter())
        .filter(|(router, _)| !lists.headed.contains(router))
        .map(|(_, &offset)| offset)
        .collect();
    note(
        &silent,
        format!("{} routers without a line of their own", silent.len()),
        "they have the links that others list; perhaps the file is cut short",
    );
    if !source.text.ends_with('\n') {
        let last = "the last line does not end";
        note(
            &[source.text.len()],
            last.to_owned(),
            "perhaps the file is cut short",
        );
    }
    notes
}
