//! Service ends joined to forwarding tables.

use super::Ends;
use super::ways::{LanedWays, Ways};
use crate::error::RoutingError;
use crate::form::{ForwardingTables, Lane, PairGranularity};
use crate::joining::WaysToOne;
use crate::paths::NO_EDGE;
use std::num::NonZeroU8;
use weft_fabric::SwitchId;

/// Makes tables for all ends: the entries of the compute part, and ways for all others.
pub(super) fn join(
    ends: &Ends<'_>,
    tables: &ForwardingTables,
    mut ways: Ways<'_>,
) -> Result<ForwardingTables, RoutingError> {
    let mut joined = ForwardingTables::with_one_address(ends.fabric, ends.granularity);
    let rows = ends.fabric.switch_count();
    // Per switch and destination: the lane of what service ends alone send from there.
    let mut lanes = vec![Lane::ZERO; rows * ends.count()];
    let alone = ends.serves_alone();
    let sources: Vec<u32> = (0..)
        .zip(&alone)
        .filter_map(|(switch, &is_alone)| is_alone.then_some(switch))
        .collect();
    let used: Vec<usize> = (0..ends.count()).filter(|&end| ends.is_used(end)).collect();
    // Ways to switches with service ends alone come first: those between two of them are the hardest.
    let (known, hard): (Vec<usize>, Vec<usize>) =
        used.into_iter().partition(|&end| ends.like[end].is_some());
    let mut last: Option<(u32, LanedWays)> = None;
    for destination in hard {
        let to = ends.switch(destination);
        let tree = match last.take() {
            Some((switch, tree)) if switch == to => tree,
            _ => ways.lead_to(to),
        };
        let Some(address) = joined.addresses(destination).next() else {
            continue;
        };
        for at in ends.fabric.switch_ids() {
            if let Some(port) = tree.ways.port(ways.space, at.number()) {
                joined.set_next_port(at, address, port);
            }
            lanes[at.index() * ends.count() + destination] = tree.lane(at.number());
        }
        for switch in ends.fabric.switches_with_hosts() {
            if !tree.ways.is_joined(switch.number()) {
                return Err(apart(ends, switch.number(), destination));
            }
        }
        last = Some((to, tree));
    }
    for destination in known {
        let to = ends.switch(destination);
        let (Some(like), Some(address)) =
            (ends.like[destination], joined.addresses(destination).next())
        else {
            continue;
        };
        let Some(before) = tables.address(like, like) else {
            continue;
        };
        for at in ends.fabric.switch_ids().filter(|at| at.number() != to) {
            if let Some(port) = tables.next_port(at, before) {
                joined.set_next_port(at, address, port);
            }
        }
        let edge = |at: SwitchId| {
            let port = joined.next_port(at, address)?;
            ways.space.edge_by_port(at.number(), port)
        };
        let switches = ends.fabric.switch_ids();
        let next = switches.map(|at| edge(at).unwrap_or(NO_EDGE)).collect();
        let mut there = WaysToOne::new(ways.space, SwitchId::new(to), next);
        for &from in &sources {
            let lane = lead_on(&mut there, &mut ways, from);
            lanes[from as usize * ends.count() + destination] =
                lane.ok_or_else(|| apart(ends, from, destination))?;
            if let Some(port) = there.port(ways.space, from) {
                joined.set_next_port(SwitchId::new(from), address, port);
            }
        }
    }
    set_lanes(ends, tables, &mut joined, &lanes, &alone);
    if let Some(turns) = NonZeroU8::new(tables.turns()) {
        joined.alternate(turns)?;
    }
    Ok(joined)
}

/// Leads a switch with service ends alone on by the entry there is, or by another where there is none or that
/// closes a cycle; and tells the lane.
fn lead_on(there: &mut WaysToOne, ways: &mut Ways<'_>, from: u32) -> Option<Lane> {
    let space = ways.space;
    let path = there.path(space, from);
    if let Some(lane) = path.and_then(|path| ways.hold_on_any(&path)) {
        return Some(lane);
    }
    let without = there.with_entry(space, from, NO_EDGE);
    let links = |edge: u32| without.links(space.edge(edge).to);
    let mut edges: Vec<u32> = space.edge_ids(from).collect();
    edges.retain(|&edge| links(edge).is_some());
    edges.sort_by_key(|&edge| (links(edge), edge));
    edges.into_iter().find_map(|edge| {
        let changed = without.with_entry(space, from, edge);
        let lane = ways.hold_on_any(&changed.path(space, from)?)?;
        *there = changed;
        Some(lane)
    })
}

/// The lanes of the compute part's pairs, and those found for all others.
fn set_lanes(
    ends: &Ends<'_>,
    tables: &ForwardingTables,
    joined: &mut ForwardingTables,
    lanes: &[Lane],
    alone: &[bool],
) {
    let count = ends.count();
    let lane = |source: usize, destination: usize| {
        let from = ends.switch(source) as usize;
        match (ends.like[source], ends.like[destination]) {
            (Some(one), Some(other)) => tables.lane(one, other),
            _ => lanes[from * count + destination],
        }
    };
    if tables.sources_of_a_switch_agree() && ends.granularity == PairGranularity::Host {
        let mut by_switch = vec![Lane::ZERO; alone.len() * count];
        for switch in ends.fabric.switches_with_hosts() {
            let Some(&first) = ends.fabric.hosts_of(switch).first() else {
                continue;
            };
            for destination in 0..count {
                by_switch[switch.index() * count + destination] = lane(first.index(), destination);
            }
        }
        let switches = (0..count).map(|end| ends.switch(end)).collect();
        joined.set_lanes_by_switch(switches, by_switch);
    } else {
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        joined.set_lanes(pairs.map(|(from, to)| lane(from, to)).collect());
    }
}

fn apart(ends: &Ends<'_>, from: u32, destination: usize) -> RoutingError {
    RoutingError::ServiceApart {
        source_end: ends.switch_name(from),
        destination: ends.name(destination),
    }
}
