//! Service ends joined to forwarding tables.

use super::ways::Ways;
use super::{Apart, Ends};
use crate::form::{ForwardingTables, Lane, PairGranularity};
use crate::joining::{Leads, WaysToOne};
use crate::paths::NO_EDGE;
use weft_fabric::{HostId, SwitchId};

/// Makes tables for all ends: the entries of the compute part, and ways for all others, to the switches
/// given in that order.
pub(super) fn join(
    ends: &Ends<'_>,
    tables: &ForwardingTables,
    ways: Ways<'_>,
    order: &[u32],
) -> Result<ForwardingTables, Apart> {
    let alone = ends.serves_alone();
    let sources = (0..).zip(&alone);
    let mut sources: Vec<u32> = sources
        .filter_map(|(from, &alone)| alone.then_some(from))
        .collect();
    sources.sort_by_key(|&from| ways.places[from as usize]);
    let mut joining = Joining {
        ends,
        tables,
        ways,
        joined: ForwardingTables::with_one_address(ends.fabric, ends.granularity),
        lanes: vec![Lane::ZERO; alone.len() * ends.count()],
        sources,
    };
    let mut of_switch: Vec<Vec<usize>> = vec![Vec::new(); alone.len()];
    for destination in (0..ends.count()).filter(|&end| ends.is_used(end)) {
        of_switch[ends.switch(destination) as usize].push(destination);
    }
    if ends.granularity == PairGranularity::Host {
        let port = |&end: &usize| ends.fabric.host_port(HostId::from_index(end));
        for destinations in &mut of_switch {
            destinations.sort_by_key(port);
        }
    }
    for &to in order {
        let destinations = &of_switch[to as usize];
        if alone[to as usize] {
            joining.lead_all(to, destinations)?;
        } else {
            for &destination in destinations {
                joining.lead_service(to, destination)?;
            }
        }
    }
    let Joining {
        mut joined, lanes, ..
    } = joining;
    set_lanes(ends, tables, &mut joined, &lanes, &alone);
    Ok(joined)
}

/// Tables as they come to lead all ends to all.
struct Joining<'j, 'a> {
    ends: &'j Ends<'a>,
    /// Those of the compute part.
    tables: &'j ForwardingTables,
    ways: Ways<'j>,
    joined: ForwardingTables,
    /// Per switch and destination: the lane of what service ends alone send from there.
    lanes: Vec<Lane>,
    /// Switches with service ends alone, in the manager's order.
    sources: Vec<u32>,
}

impl Joining<'_, '_> {
    /// Leads everybody to the ends of a switch with service ends alone.
    fn lead_all(&mut self, to: u32, destinations: &[usize]) -> Result<(), Apart> {
        let tree = self.ways.lead_to(to);
        let mut others = self.ends.fabric.switches_with_hosts();
        if let Some(from) = others.find(|from| !tree.ways.is_joined(from.number())) {
            let from = from.number();
            return Err(Apart { from, to });
        }
        for &destination in destinations {
            let Some(address) = self.joined.addresses(destination).next() else {
                continue;
            };
            for at in self.ends.fabric.switch_ids() {
                if let Some(port) = tree.ways.port(self.ways.space, at.number()) {
                    self.joined.set_next_port(at, address, port);
                }
                let place = at.index() * self.ends.count() + destination;
                self.lanes[place] = tree.lane(at.number());
            }
        }
        Ok(())
    }

    /// Leads service ends to one on a switch with compute ends, whose ways are those of the compute part.
    fn lead_service(&mut self, to: u32, destination: usize) -> Result<(), Apart> {
        let (fabric, space) = (self.ends.fabric, self.ways.space);
        let like = self.ends.like[destination];
        let before = like.and_then(|like| self.tables.address(like, like));
        let (Some(before), Some(address)) = (before, self.joined.addresses(destination).next())
        else {
            return Ok(());
        };
        for at in fabric.switch_ids().filter(|at| at.number() != to) {
            if let Some(port) = self.tables.next_port(at, before) {
                self.joined.set_next_port(at, address, port);
            }
        }
        let edge = |at: SwitchId| {
            let port = self.joined.next_port(at, address)?;
            space.edge_by_port(at.number(), port)
        };
        let next = fabric.switch_ids().map(|at| edge(at).unwrap_or(NO_EDGE));
        let mut there = WaysToOne::new(space, SwitchId::new(to), next.collect());
        let count = self.ends.count();
        let place = |from: u32| from as usize * count + destination;
        let (led, others): (Vec<u32>, Vec<u32>) =
            (self.sources.iter()).partition(|&&from| there.is_joined(from));
        for from in led {
            let lane = lead_on(&mut there, &mut self.ways, from);
            self.lanes[place(from)] = lane.ok_or(Apart { from, to })?;
            if let Some(port) = there.port(space, from) {
                self.joined
                    .set_next_port(SwitchId::new(from), address, port);
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        // Above a missing cable whole groups of switches have no way down: the neighbours of some have none either.
        let before = there.clone();
        let tree = self.ways.lead_others(there);
        for from in others {
            if !tree.ways.is_joined(from) {
                return Err(Apart { from, to });
            }
            self.lanes[place(from)] = tree.lane(from);
        }
        let is_new = |at: &SwitchId| !before.is_joined(at.number());
        for at in fabric.switch_ids().filter(is_new) {
            if let Some(port) = tree.ways.port(space, at.number()) {
                self.joined.set_next_port(at, address, port);
            }
        }
        Ok(())
    }
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
