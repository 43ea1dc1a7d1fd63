//! New tables after links failed: as few entries as possible change, and on the way from the old to the
//! new no packets can deadlock.

mod standing_tables;

use crate::cycles::LaneGrowth;
use crate::error::RoutingError;
use crate::form::{ForwardingTables, Lane};
use crate::orient::routed_part;
use crate::paths::{PathSpace, TurnRule};
use standing_tables::Old;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weft_fabric::{Fabric, SwitchId, narrow};

/// Tables cannot be repaired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum RepairError {
    /// The fabric that is left cannot be routed.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// There is something that was not there before.
    #[error("{what} “{name}” is not part of the fabric that the tables were made for; route anew")]
    NotBefore { what: &'static str, name: String },
    /// Tables with several addresses, more than 16 lanes, or lanes that switches choose.
    #[error(
        "tables with several addresses for a destination, with more than 16 lanes, or where switches \
         choose lanes, are not repaired; route anew"
    )]
    Form,
    /// The old tables can deadlock.
    #[error(
        "packets can deadlock with the tables there are; prove them to see how, and route anew"
    )]
    Deadlock,
    /// A pair cannot be joined beside the old routes.
    #[error(
        "no way from switch “{from}” to “{to}” keeps clear of deadlock beside the old routes; stop the \
         traffic and route anew"
    )]
    NoWay { from: String, to: String },
}

/// How the entries that change may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// In any order, each switch when it will: whatever old and new entries packets meet one after
    /// the other, their dependencies close no cycle.
    AnyOrder,
    /// Those that change are first cleared everywhere, which drops packets to these destinations, and
    /// then set: old routes and new ones together close no cycle, but mixed ones may.
    ClearFirst,
}

/// Repaired tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The new tables, for the fabric that is left.
    pub tables: ForwardingTables,
    /// Entries that differ, of switches and destinations that are left.
    pub changed_entries: usize,
    /// Pairs of a switch and a destination that change their lane.
    pub changed_lanes: usize,
    /// How to set them.
    pub transition: Transition,
}

/// Repairs tables after parts of their fabric failed.
///
/// Routes that are whole stay as they are. Others go on by an old entry where that still leads there,
/// and elsewhere take a new one, in such a way that the dependencies of old and new routes together
/// have no cycle on any lane; where a pair's lane permits none, the pair gets another. Old routes count
/// on either side of what failed, those from and to what is gone too: packets may be there.
///
/// Switches and hosts are matched by name, links by switch and port; `after` has none that `before`
/// had not.
///
/// # Errors
/// [`RepairError`].
///
/// # Complexity
/// Time in proportion to the steps of all routes, and for each broken one the search for another.
pub fn repair(
    before: &Fabric,
    tables: &ForwardingTables,
    after: &Fabric,
) -> Result<Repair, RepairError> {
    routed_part(after)?;
    let lanes_are_plain = tables.lane_tables().is_none() && tables.turns() == 1;
    if tables.most_addresses() > 1 || tables.lane_count() > 16 || !lanes_are_plain {
        return Err(RepairError::Form);
    }
    let space = PathSpace::new(after, None, TurnRule::Free);
    let old = Old::new(before, tables, after, &space)?;
    let growth = old.growth()?;
    let mut work = Work {
        new: old.entries.clone(),
        lanes: old.lanes.clone(),
        old: &old,
        growth,
        transition: Transition::AnyOrder,
    };
    for destination in 0..old.count {
        work.mend(destination)?;
    }
    let entries = work.new.iter().zip(&old.entries);
    let lanes = work.lanes.iter().zip(&old.lanes);
    Ok(Repair {
        changed_entries: entries.filter(|(new, old)| new != old).count(),
        changed_lanes: lanes.filter(|(new, old)| new != old).count(),
        tables: old.tables(&work.new, &work.lanes),
        transition: work.transition,
    })
}

struct Work<'a> {
    old: &'a Old<'a>,
    growth: LaneGrowth<'a>,
    new: Vec<Option<u32>>,
    lanes: Vec<Lane>,
    transition: Transition,
}

impl Work<'_> {
    fn mend(&mut self, destination: usize) -> Result<(), RepairError> {
        let (old, switches) = (self.old, self.old.space.switch_count());
        let mut is_joined: Vec<bool> = (0..)
            .take(switches)
            .map(|at| old.path(&old.entries, at, destination).1)
            .collect();
        let needs = |&(_, at): &(usize, u32), is_joined: &[bool]| !is_joined[at as usize];
        if !old.sources.iter().any(|source| needs(source, &is_joined)) {
            return Ok(());
        }
        for keeps in [true, false] {
            self.join(destination, &mut is_joined, keeps);
        }
        if let Some(&(_, from)) = old.sources.iter().find(|source| needs(source, &is_joined)) {
            return Err(RepairError::NoWay {
                from: old.after.switch(SwitchId::new(from)).name.clone(),
                to: old
                    .granularity
                    .endpoint_name(old.after, destination)
                    .to_owned(),
            });
        }
        self.mix(destination);
        Ok(())
    }

    /// Joins switches over neighbours that are joined, the nearest first and by an old entry before
    /// any other; if old entries are to be kept, only those whose entry failed get another.
    fn join(&mut self, destination: usize, is_joined: &mut [bool], keeps: bool) {
        let (old, switches) = (self.old, self.old.space.switch_count());
        let was = |at: u32| old.entries[destination * switches + at as usize];
        let before = |at: u32, links: usize, is_joined: &[bool]| -> Vec<Reverse<_>> {
            let edges = old.space.edges_of(at).iter();
            let open = edges
                .filter(|back| !is_joined[back.to as usize])
                .filter(|back| {
                    let was = was(back.to);
                    !keeps || was.is_none_or(|was| was == back.reverse)
                });
            let open =
                open.map(|back| (links + 1, was(back.to) != Some(back.reverse), back.reverse));
            open.map(Reverse).collect()
        };
        let mut open = BinaryHeap::new();
        for at in (0..).take(switches).filter(|&at| is_joined[at as usize]) {
            let links = old.path(&self.new, at, destination).0.len();
            open.extend(before(at, links, is_joined));
        }
        while let Some(Reverse((links, _, edge))) = open.pop() {
            let at = old.space.tail(edge);
            if is_joined[at as usize] {
                continue;
            }
            let place = destination * switches + at as usize;
            let entry = self.new[place].replace(edge);
            if self.lay(at, destination) {
                is_joined[at as usize] = true;
                open.extend(before(at, links, is_joined));
            } else {
                self.new[place] = entry;
            }
        }
    }

    /// Puts the route of a switch on a lane, that which it had if that can hold it, and tells
    /// whether any can. A switch without hosts is tried on the first lane that holds it.
    fn lay(&mut self, from: u32, destination: usize) -> bool {
        let old = self.old;
        let (path, _) = old.path(&self.new, from, destination);
        let senders = old
            .sources
            .iter()
            .enumerate()
            .filter(|(_, source)| source.1 == from);
        let places: Vec<usize> = senders
            .map(|(place, _)| place * old.count + destination)
            .collect();
        let had = places.first().map_or(0, |&place| self.lanes[place].index());
        let lanes = (0..old.lane_count).map(|lane| (had + lane) % old.lane_count);
        for lane in lanes {
            if self.growth.hold(lane, &path) {
                for place in places {
                    self.lanes[place] = Lane::new(narrow(lane, "tables have 255 lanes at most"));
                }
                return true;
            }
        }
        false
    }

    /// Makes lanes hold what packets to a destination may meet while some entries are old and some
    /// new, or finds that entries must be cleared first.
    fn mix(&mut self, destination: usize) {
        let old = self.old;
        for (place, &(_, from)) in old.sources.iter().enumerate() {
            let pair = place * old.count + destination;
            let mut lanes = vec![old.lanes[pair].index(), self.lanes[pair].index()];
            lanes.dedup();
            self.mix_from(destination, from, &lanes);
        }
        // Packets that have passed what failed have the lane they had.
        for &(_, lane, at) in old.behind(destination) {
            self.mix_from(destination, at, &[lane]);
        }
    }

    /// Does so for packets that begin at a switch on some lanes.
    fn mix_from(&mut self, destination: usize, from: u32, lanes: &[usize]) {
        let (old, switches) = (self.old, self.old.space.switch_count());
        let to = old.to(destination);
        let mut is_met = vec![false; switches];
        let mut queue = vec![from];
        while let Some(at) = queue.pop() {
            for held in self.ways(destination, at).into_iter().flatten() {
                let next = old.space.edge(held).to;
                if next == to {
                    continue;
                }
                for wanted in self.ways(destination, next).into_iter().flatten() {
                    // Packets that go to and fro want what they held.
                    let holds = |&lane: &usize| self.growth.hold(lane, &[held, wanted]);
                    if !lanes.iter().all(holds) {
                        self.transition = Transition::ClearFirst;
                    }
                }
                if !std::mem::replace(&mut is_met[next as usize], true) {
                    queue.push(next);
                }
            }
        }
    }

    /// The edges of the old entry and the new one.
    fn ways(&self, destination: usize, at: u32) -> [Option<u32>; 2] {
        let place = destination * self.old.space.switch_count() + at as usize;
        let [was, is] = [self.old.entries[place], self.new[place]];
        [was, is.filter(|_| is != was)]
    }
}
