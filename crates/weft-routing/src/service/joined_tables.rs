//! Service ends joined to forwarding tables.

use super::Ends;
use super::ways::{Tree, Ways};
use crate::error::RoutingError;
use crate::form::{ForwardingTables, Lane, PairGranularity};
use std::num::NonZeroU8;
use weft_fabric::{PortNumber, SwitchId};

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
    let mut last: Option<(u32, Tree)> = None;
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
            if let Some(port) = tree.port(ways.space, at) {
                joined.set_next_port(at, address, port);
            }
            lanes[at.index() * ends.count() + destination] = tree.lane(at.number());
        }
        for switch in ends.fabric.switches_with_hosts() {
            if !tree.joins(switch.number()) {
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
        for &from in &sources {
            let lane = lead_on(&mut joined, &mut ways, from, to, address);
            let lane = lane.ok_or_else(|| apart(ends, from, destination))?;
            lanes[from as usize * ends.count() + destination] = lane;
        }
    }
    set_lanes(ends, tables, &mut joined, &lanes, &alone);
    if let Some(turns) = NonZeroU8::new(tables.turns()) {
        joined.alternate(turns)?;
    }
    Ok(joined)
}

/// Leads a switch with service ends alone to a destination by the entries there are, or by one of its own
/// where there are none or they close a cycle; and tells on which lane.
fn lead_on(
    joined: &mut ForwardingTables,
    ways: &mut Ways<'_>,
    from: u32,
    to: u32,
    address: usize,
) -> Option<Lane> {
    let at = SwitchId::new(from);
    let had = joined.next_port(at, address);
    let mut ports: Vec<PortNumber> = had.into_iter().collect();
    let mut nearest: Vec<(usize, PortNumber)> = Vec::new();
    for edge in ways.space.edge_ids(from) {
        let edge = *ways.space.edge(edge);
        if let Some(way) = follow(joined, ways, edge.to, to, address, from) {
            nearest.push((way.len(), edge.port));
        }
    }
    nearest.sort_unstable();
    ports.extend(nearest.into_iter().map(|(_, port)| port));
    for port in ports {
        joined.set_next_port(at, address, port);
        let Some(way) = follow(joined, ways, from, to, address, u32::MAX) else {
            continue;
        };
        if let Some(lane) = ways.hold_on_any(&way) {
            return Some(Lane::new(lane));
        }
    }
    None
}

/// The edges that entries lead over from one switch to another; `None` where they do not lead there, or by
/// way of a switch that they should not.
fn follow(
    joined: &ForwardingTables,
    ways: &Ways<'_>,
    from: u32,
    to: u32,
    address: usize,
    not_by: u32,
) -> Option<Vec<u32>> {
    let mut at = from;
    let mut way = Vec::new();
    while at != to {
        if at == not_by || way.len() > ways.space.switch_count() {
            return None;
        }
        let port = joined.next_port(SwitchId::new(at), address)?;
        let edge = ways.space.edge_by_port(at, port)?;
        way.push(edge);
        at = ways.space.edge(edge).to;
    }
    Some(way)
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
