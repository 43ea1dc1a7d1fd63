//! New tables after links failed: as few entries as possible change, and on the way from the old to the
//! new no packets can deadlock.

mod after;
mod answering;
mod barred_first;
mod bisections;
mod broken_ways;
mod change;
mod draining;
mod failed_parts;
mod gathered;
mod holding;
mod leading;
mod legal_turns;
mod level_rules;
mod longest_mixture;
mod management;
mod mending;
mod mixing;
mod packets;
mod plan;
mod standing_tables;
mod survival;
mod turns_nearby;

pub use bisections::Bisections;
pub use failed_parts::FailedParts;
pub use leading::Leading;
pub use management::Managed;
pub use standing_tables::StandingTables;
pub use survival::{Repaired, StandingFigures, Survey, Survival};

use crate::error::RoutingError;
use crate::form::ForwardingTables;
use crate::orient::routed_part;
use crate::paths::NO_EDGE;
use after::After;
use change::Change;
use legal_turns::LegalTurns;
use mending::Apart;
use plan::Plan;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::{Fabric, PortNumber, SwitchId};

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
    /// Tables with several addresses or service levels for a pair, or with more levels or lanes than are kept.
    #[error(
        "tables with several addresses for a destination, with packets of a pair on several service levels in turn, \
         with more than 16 lanes, or with more than 64 pairs of a service level and a lane that switches give it, are \
         not repaired; route anew"
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
    /// Some are set after all others, in rounds: those of the next in any order, once switches have those of the one
    /// before.
    InRounds,
    /// Those that change are first cleared everywhere, which drops packets to these destinations, and set last. No
    /// other is set before packets of before are gone: old routes and new ones together may close a cycle.
    ClearFirst,
}

/// Repaired tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The new tables, for the fabric that is left.
    pub tables: ForwardingTables,
    /// Entries that differ, of switches and destinations that are left.
    pub changed_entries: usize,
    /// Pairs of a switch and a destination that change their service level: without lane tables, their lane.
    pub changed_lanes: usize,
    /// How to set them.
    pub transition: Transition,
    /// Names of destinations whose entries that change are cleared before they are set.
    pub cleared: Vec<String>,
    /// What is set in each round, where there are several, by all entries that change. With
    /// [`Transition::ClearFirst`] the first round clears entries and does nothing else, and the next begins when
    /// packets of before are gone; the last sets them.
    pub rounds: Vec<Vec<RoundEntry>>,
    /// Packets of before that are waited for met at most so many switches.
    pub cleared_switches: usize,
    /// Packets to destinations whose routes were broken meet at most so many switches, by old entries or new.
    pub most_switches: usize,
    /// Whether all that is true of what switches without hosts send, too, as far as it
    /// [counts](StandingTables::counts_management).
    pub counts_management: bool,
}

/// An entry that is set in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundEntry {
    /// Name of the switch.
    pub switch: String,
    /// Name of the destination.
    pub destination: String,
    /// The port that the switch goes on by then.
    pub port: Option<PortNumber>,
}

/// Repairs tables after parts of their fabric failed.
///
/// Routes that are whole stay as they are. Others take the shortest way there is, by an old entry where
/// that is one and else the least loaded, in such a way that the dependencies of old and new routes
/// together have no cycle on any lane; where a pair's lane permits none, the pair gets another. Where switches choose
/// lanes, pairs get another service level, and what switches choose stays as it is. Old routes
/// count on either side of what failed, those from and to what is gone too: packets may be there.
///
/// Switches and hosts are matched by name, links by switch and port.
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
    let mut standing = StandingTables::new(Arc::new(before.clone()), tables)?;
    let mended = standing.with_management_if_it_can(|tables| tables.mended(after));
    mended.map(|(repair, _)| repair)
}

impl StandingTables {
    /// Repairs the tables for what is left of their fabric, as [`repair`] does, and hands over what stands
    /// then beside the repair. Where no way holds beside the old ones, as few of these as may be make way and are led anew,
    /// once packets of before are gone: [`Transition::ClearFirst`]. Where on several lanes not even that leads all hosts
    /// beside what switches send, this [does not count](Self::counts_management) any more.
    ///
    /// # Errors
    /// [`RepairError`]; something that had failed before and is back is [`RepairError::NotBefore`].
    ///
    /// # Complexity
    /// Time in proportion to switches and the destinations whose routes are broken, and a copy of the tables.
    pub fn repaired_for(&self, after: &Fabric) -> Result<(Self, Repair), RepairError> {
        let mut repaired = self.clone();
        let repair =
            repaired.with_management_if_it_can(|tables| tables.repair_beside_or_around(after))?;
        Ok((repaired, repair))
    }

    /// Repairs the tables beside the old ways, and where no way holds beside these around them.
    fn repair_beside_or_around(&mut self, after: &Fabric) -> Result<Repair, RepairError> {
        match self.mended(after) {
            Ok((repair, change)) => {
                self.keep(change);
                Ok(repair)
            }
            Err(RepairError::NoWay { .. }) => self.repair_around(after),
            Err(other) => Err(other),
        }
    }

    /// Repairs the tables where no shortest way holds beside the old ones: by legal turns, and where that is not enough by
    /// letting other ways go.
    fn repair_around(&mut self, after: &Fabric) -> Result<Repair, RepairError> {
        let matched = After::of(self.fabric(), after)?;
        let failed = matched.failed(self.fabric());
        let legal = LegalTurns::of(self, &self.left_after(&failed));
        if legal.is_some()
            && let Ok(change) = self.mend(&failed, legal.as_ref())
        {
            let repair = self.told(&change, matched.tables(after, self));
            self.keep(change);
            return Ok(repair);
        }
        let (drained, led) = self.drained_somehow(&failed, legal)?;
        let repair = Repair {
            tables: matched.tables(after, &drained),
            changed_entries: led.changed_entries,
            changed_lanes: led.changed_lanes,
            transition: Transition::ClearFirst,
            cleared: led.cleared,
            rounds: led.rounds,
            cleared_switches: led.cleared_switches,
            most_switches: led.most_switches,
            counts_management: drained.counts_management(),
        };
        *self = drained;
        self.count_management_anew();
        Ok(repair)
    }

    fn mended(&mut self, after: &Fabric) -> Result<(Repair, Change), RepairError> {
        routed_part(after)?;
        let before = Arc::clone(self.fabric());
        let matched = After::of(&before, after)?;
        matched.check_left(&before, self)?;
        let change = self
            .mend(&matched.failed(&before), None)
            .map_err(|apart| self.no_way(apart))?;
        let repair = self.told(&change, matched.tables(after, self));
        Ok((repair, change))
    }

    fn told(&self, change: &Change, tables: ForwardingTables) -> Repair {
        let name = |to: &usize| self.plan.granularity.endpoint_name(self.fabric(), *to);
        Repair {
            cleared: change.cleared.iter().map(name).map(str::to_owned).collect(),
            cleared_switches: change.cleared_switches,
            most_switches: change.most_switches,
            changed_entries: change.changed_entries,
            changed_lanes: change.changed_lanes,
            tables,
            transition: match (change.later.as_slice(), change.cleared.as_slice()) {
                ([], []) => Transition::AnyOrder,
                (_, []) => Transition::InRounds,
                _ => Transition::ClearFirst,
            },
            rounds: self.rounds(change),
            counts_management: self.counts_management(),
        }
    }

    /// What is set in which round, where there are several.
    fn rounds(&self, change: &Change) -> Vec<Vec<RoundEntry>> {
        let plan = &self.plan;
        if change.later.is_empty() && change.cleared.is_empty() {
            return Vec::new();
        }
        let later = change.later.iter().flat_map(|(to, switches)| {
            let rounds = switches.iter();
            rounds.map(move |&(at, round)| ((*to, at), round as usize))
        });
        let later: BTreeMap<(usize, u32), usize> = later.collect();
        let count = 1 + later.values().max().copied().unwrap_or(0);
        let [mut clears, mut sets] = [const { Vec::new() }; 2];
        let mut rounds = vec![Vec::new(); count];
        let is_left = |at: u32| change.left.switches[at as usize];
        for &(to, at, _) in change.entries.iter().filter(|of| is_left(of.1)) {
            let entry = |edge| named_entry(plan, (to, at), edge);
            if change.cleared.binary_search(&to).is_ok() {
                clears.push(entry(NO_EDGE));
                sets.push(entry(self.edge(to, at)));
                continue;
            }
            let round = later.get(&(to, at)).copied().unwrap_or(0);
            rounds[round].push(entry(self.edge(to, at)));
        }
        if !clears.is_empty() {
            return cleared_first(clears, rounds, sets);
        }
        rounds
    }

    /// The tables as they are, for a fabric of what is left.
    ///
    /// # Errors
    /// [`RepairError::NotBefore`].
    pub fn tables(&self, after: &Fabric) -> Result<ForwardingTables, RepairError> {
        Ok(After::of(self.fabric(), after)?.tables(after, self))
    }

    /// The most switches that a packet meets.
    pub fn most_switches(&self) -> usize {
        let mut links = vec![0_u32; self.plan.space.switch_count()];
        let mut most = 0;
        let mut way = Vec::new();
        let left = (0..self.plan.to.len()).filter(|&to| self.plan.is_left(to, &self.left));
        for destination in left {
            let entries = self.plan.entries(&self.exits, destination);
            links.fill(0);
            for start in (0..).take(links.len()) {
                let mut at = start;
                while links[at as usize] == 0 && entries.edge(at) != NO_EDGE {
                    way.push(at);
                    // Who comes round again goes on no way; that counts as one link.
                    links[at as usize] = 1;
                    at = self.plan.space.edge(entries.edge(at)).to;
                }
                let mut behind = links[at as usize];
                for at in way.drain(..).rev() {
                    behind += 1;
                    links[at as usize] = behind;
                }
                most = most.max(behind);
            }
        }
        most as usize + 1
    }

    fn no_way(&self, apart: Apart) -> RepairError {
        let fabric = self.fabric();
        let granularity = self.plan.granularity;
        RepairError::NoWay {
            from: fabric.switch(SwitchId::new(apart.from)).name.clone(),
            to: granularity
                .endpoint_name(fabric, apart.destination)
                .to_owned(),
        }
    }
}

/// Rounds where entries are cleared in the first, which does nothing else, and set in the last; none between them does
/// nothing.
fn cleared_first(
    clears: Vec<RoundEntry>,
    between: Vec<Vec<RoundEntry>>,
    sets: Vec<RoundEntry>,
) -> Vec<Vec<RoundEntry>> {
    let others = between.into_iter().chain([sets]);
    let others = others.filter(|round| !round.is_empty());
    [clears].into_iter().chain(others).collect()
}

/// An entry of a switch to a destination.
fn named_entry(plan: &Plan, (to, at): (usize, u32), edge: u32) -> RoundEntry {
    RoundEntry {
        switch: plan.fabric.switch(SwitchId::new(at)).name.clone(),
        destination: plan.granularity.endpoint_name(&plan.fabric, to).to_owned(),
        port: (edge != NO_EDGE).then(|| plan.space.edge(edge).port),
    }
}
