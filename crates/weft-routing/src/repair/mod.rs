//! New tables after links failed: as few entries as possible change, and on the way from the old to the
//! new no packets can deadlock.

mod standing_tables;

use crate::error::RoutingError;
use crate::form::{ForwardingTables, Lane};
use crate::joining::{HeldLanes, Joins, WaysToOne};
use crate::orient::routed_part;
use crate::paths::{NO_EDGE, PathSpace, TurnRule};
use standing_tables::Old;
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
    let mut work = Work {
        lanes: old.lanes.clone(),
        held: old.held()?,
        old: &old,
        transition: Transition::AnyOrder,
    };
    let mended: Vec<WaysToOne> = (0..old.count)
        .map(|destination| work.mend(destination))
        .collect::<Result<_, _>>()?;
    let entries = mended.iter().zip(&old.ways);
    let differing = |(new, old): (&WaysToOne, &WaysToOne)| {
        let entries = new.entries().iter().zip(old.entries());
        entries.filter(|(new, old)| new != old).count()
    };
    let lanes = work.lanes.iter().zip(&old.lanes);
    Ok(Repair {
        changed_entries: entries.map(differing).sum(),
        changed_lanes: lanes.filter(|(new, old)| new != old).count(),
        tables: old.tables(&mended, &work.lanes),
        transition: work.transition,
    })
}

struct Work<'a> {
    old: &'a Old<'a>,
    held: HeldLanes,
    lanes: Vec<Lane>,
    transition: Transition,
}

/// Joins switches to the ways to a destination.
struct Mending<'w, 'a> {
    work: &'w mut Work<'a>,
    destination: usize,
    /// Whether old entries are kept: only switches whose entry failed get another.
    keeps: bool,
}

impl Joins for Mending<'_, '_> {
    /// The nearest switches first, and by an old entry before any other.
    type Order = (u32, bool);

    fn order(&self, _: &WaysToOne, at: u32, edge: u32, links: u32) -> Option<Self::Order> {
        let was = self.work.old.ways[self.destination].next(at);
        let may = !self.keeps || was == NO_EDGE || was == edge;
        may.then_some((links, was != edge))
    }

    fn join(&mut self, at: u32, path: &[u32]) -> bool {
        self.work.lay(at, self.destination, path)
    }
}

impl Work<'_> {
    fn mend(&mut self, destination: usize) -> Result<WaysToOne, RepairError> {
        let old = self.old;
        let mut ways = old.ways[destination].clone();
        let apart = |ways: &WaysToOne| {
            let mut sources = old.sources.iter().map(|&(_, from)| from);
            sources.find(|&from| !ways.is_joined(from))
        };
        if apart(&ways).is_none() {
            return Ok(ways);
        }
        for keeps in [true, false] {
            let mut mending = Mending {
                work: self,
                destination,
                keeps,
            };
            ways.grow(old.space, &mut mending);
        }
        if let Some(from) = apart(&ways) {
            return Err(RepairError::NoWay {
                from: old.after.switch(SwitchId::new(from)).name.clone(),
                to: old
                    .granularity
                    .endpoint_name(old.after, destination)
                    .to_owned(),
            });
        }
        self.mix(destination, &ways);
        Ok(ways)
    }

    /// Puts the route of a switch on a lane, that which it had if that can hold it, and tells
    /// whether any can. A switch without hosts is tried on the first lane that holds it.
    fn lay(&mut self, from: u32, destination: usize, path: &[u32]) -> bool {
        let old = self.old;
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
            let lane = Lane::new(narrow(lane, "tables have 255 lanes at most"));
            if self.held.hold_on(lane, path) {
                for place in places {
                    self.lanes[place] = lane;
                }
                return true;
            }
        }
        false
    }

    /// Makes lanes hold what packets to a destination may meet while some entries are old and some
    /// new, or finds that entries must be cleared first.
    fn mix(&mut self, destination: usize, new: &WaysToOne) {
        let old = self.old;
        for (place, &(_, from)) in old.sources.iter().enumerate() {
            let pair = place * old.count + destination;
            let mut lanes = vec![old.lanes[pair], self.lanes[pair]];
            lanes.dedup();
            self.mix_from([&old.ways[destination], new], from, &lanes);
        }
        // Packets that have passed what failed have the lane they had.
        for &(_, lane, at) in old.behind(destination) {
            self.mix_from([&old.ways[destination], new], at, &[lane]);
        }
    }

    /// Does so for packets that begin at a switch on some lanes, and meet entries of either ways.
    fn mix_from(&mut self, either: [&WaysToOne; 2], from: u32, lanes: &[Lane]) {
        let space = self.old.space;
        let mut is_met = vec![false; space.switch_count()];
        let mut queue = vec![from];
        while let Some(at) = queue.pop() {
            for held in edges(either, at) {
                let next = space.edge(held).to;
                if next == either[0].to() {
                    continue;
                }
                for wanted in edges(either, next) {
                    // Packets that go to and fro want what they held.
                    let holds = |&lane: &Lane| self.held.hold_on(lane, &[held, wanted]);
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
}

/// The edges of the old entry and the new one.
fn edges(either: [&WaysToOne; 2], at: u32) -> impl Iterator<Item = u32> {
    let [was, is] = either.map(|ways| ways.next(at));
    let new = Some(is).filter(|_| is != was);
    let edges = [Some(was), new].into_iter().flatten();
    edges.filter(|&edge| edge != NO_EDGE)
}
