//! Two fabrics as one: the channels that are left, and those that packets may have come over before.

use super::addresses::{Address, Sent, gather_addresses, without_hosts};
use super::edge::Edge;
use super::lane_choice::LaneChoice;
use super::side::{HERE, NOWHERE, Side};
use super::{LevelChange, TransitionError};
use crate::form::ForwardingTables;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{Fabric, SwitchId, narrow};

/// Most lanes that tables may have.
const MOST_LANES: u8 = 16;

/// An edge, from where it leads somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeadsTo {
    pub(super) from: u32,
    pub(super) edge: u32,
}

/// Both fabrics, and what both tables say of every address.
///
/// Switches are those that are left, by their numbers, then those that are gone. So are channels.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) edges: Vec<Edge>,
    pub(super) switch_count: usize,
    /// Switches that are left.
    pub(super) left_count: usize,
    pub(super) lane_count: usize,
    pub(super) lanes: LaneChoice,
    pub(super) addresses: Vec<Address>,
    /// What switches without hosts send to each address by whatever entries there are: those that there were, which may
    /// be gone, and those that are left.
    pub(super) management: [Vec<Sent>; 2],
}

impl Joint {
    pub(super) fn new(
        [before, after]: [&Fabric; 2],
        [old, new]: [&ForwardingTables; 2],
    ) -> Result<Self, TransitionError> {
        for tables in [old, new] {
            check_form(tables)?;
        }
        check_names(before, after)?;
        check_ports(before, after)?;
        let number = |place: usize| narrow(place, "switches have numbers of 32 bits");
        let left: BTreeMap<&str, u32> = after
            .switch_ids()
            .map(|id| (after.switch(id).name.as_str(), id.number()))
            .collect();
        let mut switch_count = after.switch_count();
        let switches = before.switch_ids().map(|id| {
            let known = left.get(before.switch(id).name.as_str()).copied();
            known.unwrap_or_else(|| {
                switch_count += 1;
                number(switch_count - 1)
            })
        });
        let mut was = Side::new(before, old, switches.collect());
        let all = after.switch_ids().map(SwitchId::number);
        let mut is = Side::new(after, new, all.collect());
        let mut edges = Vec::new();
        let mut found = BTreeMap::new();
        for (channel, ends) in is.ends().collect::<Vec<_>>() {
            let edge = number(edges.len());
            edges.push(Edge {
                from: ends[0].0,
                to: ends[1].0,
                port: ends[0].1,
                input: ends[1].1,
                channel: Some(channel),
            });
            found.insert(ends, edge);
            is.set_edge(channel, edge);
        }
        for (channel, ends) in was.ends().collect::<Vec<_>>() {
            let edge = *found.entry(ends).or_insert_with(|| {
                edges.push(Edge {
                    from: ends[0].0,
                    to: ends[1].0,
                    port: ends[0].1,
                    input: ends[1].1,
                    channel: None,
                });
                number(edges.len() - 1)
            });
            was.set_edge(channel, edge);
        }
        let lane_count = old.lane_count().max(new.lane_count());
        let lanes = LaneChoice::new([&was, &is], (switch_count, lane_count))?;
        let addresses = gather_addresses(&was, &is, (&edges, switch_count));
        let joint = Self {
            edges,
            switch_count,
            left_count: after.switch_count(),
            lane_count: lane_count.into(),
            lanes,
            addresses,
            management: [&was, &is].map(without_hosts),
        };
        joint.check_new(after)?;
        Ok(joint)
    }

    /// Makes sure that the new tables lead everybody to where they send.
    fn check_new(&self, after: &Fabric) -> Result<(), TransitionError> {
        for address in &self.addresses {
            let mut arrives = vec![false; self.switch_count];
            for sent in &address.new.sent {
                let (mut at, mut way) = (sent.from, Vec::new());
                loop {
                    if arrives[at as usize] {
                        break;
                    }
                    way.push(at);
                    match address.new.exits[at as usize] {
                        HERE => break,
                        NOWHERE => return Err(address.not_reached(after, *sent)),
                        _ if way.len() > self.switch_count => {
                            return Err(address.not_reached(after, *sent));
                        }
                        edge => at = self.edges[edge as usize].to,
                    }
                }
                for at in way {
                    arrives[at as usize] = true;
                }
            }
        }
        Ok(())
    }

    /// Per switch: the edges that are left which lead there.
    pub(super) fn leads_to(&self) -> Vec<Vec<LeadsTo>> {
        let mut into: Vec<Vec<LeadsTo>> = vec![Vec::new(); self.switch_count];
        for (number, edge) in (0..).zip(&self.edges) {
            if edge.channel.is_some() {
                into[edge.to as usize].push(LeadsTo {
                    from: edge.from,
                    edge: number,
                });
            }
        }
        into
    }

    /// Per address: the number of its destination.
    pub(super) fn destinations(&self) -> Vec<u32> {
        let mut known: BTreeMap<&str, u32> = BTreeMap::new();
        let numbers = self.addresses.iter().map(|address| {
            let next = narrow(known.len(), "destinations have numbers of 32 bits");
            *known.entry(&address.destination).or_insert(next)
        });
        numbers.collect()
    }

    /// Tells whether packets to some address are sent by other service levels, or from elsewhere.
    pub(super) fn changes_levels(&self) -> bool {
        self.addresses.iter().any(Address::changes_levels)
    }

    /// When hosts are told new levels where that is between the writes.
    pub(super) fn levels_in_turn(&self) -> LevelChange {
        if self.changes_levels() {
            LevelChange::InTurn
        } else {
            LevelChange::None
        }
    }

    /// Tells whether packets get over an edge.
    pub(super) fn stands(&self, edge: u32) -> bool {
        edge < HERE && self.edges[edge as usize].channel.is_some()
    }

    pub(super) fn vertex_count(&self) -> usize {
        let left = self.edges.iter().filter(|edge| edge.channel.is_some());
        left.count() * self.lane_count
    }

    /// The edge and the lane of a number.
    pub(super) fn edge_of(&self, vertex: u32) -> (u32, u8) {
        let (vertex, lanes) = (vertex as usize, self.lane_count);
        (
            narrow(vertex / lanes, "edges have numbers of 32 bits"),
            narrow(vertex % lanes, "tables have at most 16 lanes"),
        )
    }

    /// The number of a lane of an edge that is left.
    pub(super) fn vertex(&self, edge: u32, lane: u8) -> u32 {
        let vertex = edge as usize * self.lane_count + usize::from(lane);
        narrow(vertex, "lanes of channels have numbers of 32 bits")
    }
}

/// Makes sure that a packet's service level is told by who sends it.
fn check_form(tables: &ForwardingTables) -> Result<(), TransitionError> {
    if tables.lane_count() > MOST_LANES {
        return Err(TransitionError::Lanes {
            found: tables.lane_count(),
        });
    }
    if tables.turns() != 1 {
        return Err(TransitionError::Turns);
    }
    Ok(())
}

/// Makes sure that the fabrics are one network at two times: they have a switch in common, and a host where both have
/// any. Of two that have none every old entry would count as gone, and the plan would say nothing of what there is.
fn check_names(before: &Fabric, after: &Fabric) -> Result<(), TransitionError> {
    let switches = |fabric: &Fabric| -> Vec<String> {
        let name = |id| fabric.switch(id).name.clone();
        fabric.switch_ids().map(name).collect()
    };
    let hosts = |fabric: &Fabric| -> Vec<String> {
        let name = |id| fabric.host(id).name.clone();
        fabric.host_ids().map(name).collect()
    };
    for (what, was, is) in [
        ("switch", switches(before), switches(after)),
        ("host", hosts(before), hosts(after)),
    ] {
        let known: BTreeSet<&String> = was.iter().collect();
        if let ([was, ..], [first, ..]) = (&*was, &*is)
            && !is.iter().any(|name| known.contains(name))
        {
            return Err(TransitionError::Unrelated {
                before: before.name().to_owned(),
                after: after.name().to_owned(),
                what,
                was: was.clone(),
                is: first.clone(),
            });
        }
    }
    Ok(())
}

/// Makes sure that cables that are left are at the ports where they were: by an old entry packets leave by a
/// port, whatever is behind it.
fn check_ports(before: &Fabric, after: &Fabric) -> Result<(), TransitionError> {
    let was: BTreeMap<&str, SwitchId> = before
        .switch_ids()
        .map(|id| (before.switch(id).name.as_str(), id))
        .collect();
    for at in after.switch_ids() {
        let name = after.switch(at).name.as_str();
        let Some(&was) = was.get(name) else { continue };
        for &channel in after.outgoing(at) {
            let port = after.source(channel).port;
            let behind = |fabric: &Fabric, channel| {
                let end = fabric.target(channel);
                let port = end.node.switch().map(|_| end.port);
                (fabric.node_name(end.node).to_owned(), port)
            };
            let Some(other) = before.outgoing_at(was, port) else {
                continue;
            };
            if behind(before, other) != behind(after, channel) {
                return Err(TransitionError::OtherCable {
                    switch: name.to_owned(),
                    port,
                });
            }
        }
    }
    Ok(())
}

impl Address {
    pub(super) fn not_reached(&self, after: &Fabric, sent: Sent) -> TransitionError {
        TransitionError::NotReached {
            from: after.switch(SwitchId::new(sent.from)).name.clone(),
            to: self.destination.clone(),
        }
    }
}
