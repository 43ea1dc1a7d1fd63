//! Repairs where some way holds beside the old ones by no means: the ways that stand against it are let go of, and
//! led anew.

mod letting_go;
mod others;
mod rivals;
mod spare_tree;

use super::broken_ways::{BrokenWays, MendedWays};
use super::change::Change;
use super::failed_parts::Left;
use super::holding::Mending;
use super::legal_turns::LegalTurns;
use super::mending::Apart;
use super::packets::Packets;
use super::plan::Plan;
use super::standing_tables::StandingTables;
use super::turns_nearby::TurnsNearby;
use super::{FailedParts, Leading, RepairError};
use crate::joining::LaneStep;
use rivals::Rival;
use spare_tree::{MOST_ANEW, SpareTree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Ways to each destination are let go of so often, in the mean over destinations, before the search is given up.
const MOST_LET_GO: usize = 8;

/// The same where something else makes sure that all are led.
const FEW_LET_GO: usize = 1;

/// Entries of all switches beyond which it would take too long.
const MOST_BESIDE_TREE: usize = 1 << 18;

/// Tables with ways that were let go of, and are led anew one after the other.
///
/// # Source
/// That ways in the way of others are ripped up and led anew, dearer where that happened before, is as in McMurchie,
/// Ebeling, "`PathFinder`: a negotiation-based performance-driven router for FPGAs", International Symposium on
/// Field-Programmable Gate Arrays, 1995.
struct Draining {
    plan: Arc<Plan>,
    tables: StandingTables,
    left: Arc<Left>,
    /// Per destination: the switches that have no way now, each with the edge that it went on by.
    apart: BTreeMap<usize, Vec<(u32, u32)>>,
    /// What makes sure that each switch finds a way.
    sure: Sure,
    /// Destinations to which all ways are led anew, so that each switch finds one; and how often that was begun.
    renewed: BTreeMap<usize, u8>,
    /// How often ways were let go of that made a turn.
    rivals: BTreeMap<[LaneStep; 2], u32>,
    let_go: usize,
    most_let_go: usize,
    change: Change,
    /// The switches that lose compute ends, and how many, as long as loads count these.
    lost: Vec<(u32, u64)>,
    broken: BrokenWays,
    before: Packets,
    now: Packets,
}

/// What makes sure that each switch finds a way.
#[derive(Clone, Debug)]
enum Sure {
    /// Nothing: ways give way to one another until all are led or the search is given up.
    Nothing,
    /// New ways keep to these turns, and in the end all ways do.
    Legal(LegalTurns),
    /// What new ways depend on closes no cycle with the turns of a tree, by which in the end all ways to a destination
    /// lead. On one lane alone.
    Tree(SpareTree),
}

impl Sure {
    fn legal(&self) -> Option<&LegalTurns> {
        match self {
            Self::Legal(legal) => Some(legal),
            Self::Nothing | Self::Tree(_) => None,
        }
    }
}

impl StandingTables {
    /// What [`drained`](Self::drained) tells: by legal turns where ways keep to these anyway. Else by the first that leads
    /// all: ways that give way to one another for a while, ways beside a tree, and legal turns at last, which change most
    /// but are soon found in large networks.
    ///
    /// # Errors
    /// [`RepairError::NoWay`].
    pub(super) fn drained_somehow(
        &self,
        failed: &FailedParts,
        legal: Option<LegalTurns>,
    ) -> Result<(Self, Leading), RepairError> {
        let Some(legal) = legal else {
            return self.drained(failed, MOST_LET_GO, Draining::lead_all);
        };
        let entries = self.plan.to.len() * self.plan.space.switch_count();
        let goes_by_legal = legal.are_kept || entries > MOST_BESIDE_TREE;
        let by_legal = |draining: &mut Draining| {
            draining.sure = Sure::Legal(legal);
            draining.lead_all()
        };
        if goes_by_legal {
            return self.drained(failed, MOST_LET_GO, by_legal);
        }
        self.drained(failed, FEW_LET_GO, Draining::lead_all)
            .or_else(|_| self.drained(failed, MOST_LET_GO, Draining::lead_all_beside_tree))
            .or_else(|_| self.drained(failed, MOST_LET_GO, by_legal))
    }

    /// The tables after more parts failed, where routes that are whole give way to others which nothing holds beside
    /// them, and how these give way to them.
    ///
    /// # Errors
    /// [`RepairError::NoWay`]: a pair that is not joined even so, as far as is searched.
    fn drained(
        &self,
        failed: &FailedParts,
        most_let_go: usize,
        lead_all: impl FnOnce(&mut Draining) -> Result<(), Apart>,
    ) -> Result<(Self, Leading), RepairError> {
        let plan = Arc::clone(&self.plan);
        let left = Arc::new(self.left_after(failed));
        let switches = plan.space.switch_count();
        let destinations = (0..plan.to.len()).filter(|&to| plan.is_left(to, &left));
        let most_let_go = most_let_go * destinations.count();
        let mut draining = Draining {
            tables: Self {
                left: Arc::clone(&left),
                ..self.clone()
            },
            apart: BTreeMap::new(),
            sure: Sure::Nothing,
            renewed: BTreeMap::new(),
            rivals: BTreeMap::new(),
            let_go: 0,
            most_let_go,
            change: Change::none(Arc::clone(&left), self.busiest()),
            lost: Vec::new(),
            broken: BrokenWays::new(switches),
            before: Packets::new(switches),
            now: Packets::new(switches),
            plan,
            left,
        };
        draining.lose(&self.left);
        lead_all(&mut draining).map_err(|apart| self.no_way(apart))?;
        let drained = draining.tables;
        let led = drained.led_beside(self, &drained.left, true);
        Ok((drained, led))
    }
}

impl Draining {
    /// Leads all switches that send, letting go of further ways as long as some find none.
    fn lead_all(&mut self) -> Result<(), Apart> {
        let most = self.most_let_go;
        let mut open: BTreeSet<usize> = self.apart.keys().copied().collect();
        loop {
            while let Some(destination) = open.pop_first() {
                self.lead(destination);
            }
            let Some(apart) = self.first_apart() else {
                return Ok(());
            };
            // Those that make way are led once it is taken, lest they come back to where they were.
            loop {
                self.let_go += 1;
                match self.rival(apart.destination) {
                    Rival::Turn(turn) if self.let_go <= most => open.extend(self.let_go_of(turn)),
                    Rival::None if self.let_go <= most => break,
                    Rival::NoWay if self.ask_others(apart.destination) => break,
                    _ => {
                        open.extend(self.renew(apart.destination).ok_or(apart)?);
                        break;
                    }
                }
            }
            self.lead(apart.destination);
        }
    }

    /// The first pair of a switch that sends and a destination that it has no way to.
    fn first_apart(&self) -> Option<Apart> {
        let mut apart = self.apart.iter();
        apart.find_map(|(&destination, switches)| {
            let mut sends = switches.iter().map(|of| of.0);
            let from = sends.find(|&at| self.left.sends[at as usize])?;
            Some(Apart { from, destination })
        })
    }

    /// Counts that all ways to a destination are led anew.
    fn begin_anew(&mut self, destination: usize) -> u8 {
        let begun = self.renewed.entry(destination).or_default();
        *begun = begun.saturating_add(1);
        *begun
    }

    /// Leads switches to a destination that have no way, as far as lanes hold ways beside all others.
    fn lead(&mut self, destination: usize) {
        let Some(apart) = self.apart.remove(&destination) else {
            return;
        };
        let (plan, tables) = (&*self.plan, &mut self.tables);
        self.broken.take(&apart);
        let apart: Vec<u32> = apart.iter().map(|of| of.0).collect();
        let row = tables.lane_row(destination);
        let mut ways = MendedWays {
            entries: plan.entries(&tables.exits, destination),
            broken: &mut self.broken,
            left: &self.left,
        };
        let anew = self.renewed.get(&destination).copied().unwrap_or(0);
        let legal = self.sure.legal();
        let leads_down = |edge| legal.is_some_and(|legal| !legal.is_up(&plan.space, edge));
        let is_spare = |edge| matches!(&self.sure, Sure::Tree(tree) if tree.has(edge));
        let permits: Option<&dyn Fn(u32) -> bool> = match &self.sure {
            Sure::Legal(_) if anew > 0 => Some(&leads_down),
            Sure::Tree(_) if anew == MOST_ANEW => Some(&is_spare),
            _ => None,
        };
        let weight = plan.weight(destination, &self.left);
        let mut mending = Mending {
            plan,
            held: &mut tables.held,
            loads: &mut tables.loads,
            weight,
            own: weight * ways.broken.most_ends(&self.left),
            most: self.change.most,
            lanes: &mut tables.lanes[row.clone()],
            first_lane: row.start,
            left: &self.left,
            change: &mut self.change,
            legal,
            permits,
        };
        ways.lead(&apart, &mut mending);
        if mending.permits.take().is_some() && legal.is_some() {
            ways.lead(&apart, &mut mending);
        }
        self.change.ways.release(0, &mut tables.held);
        let broken = &self.broken;
        let led = || broken.switches.iter().filter(|of| of.is_led());
        if plan.alike_where_ways_stay(&self.left, &self.left) {
            let entries = plan.entries(&tables.exits, destination);
            let next = |at: u32| {
                let of = broken.place(at).map(|place| &broken.switches[place]);
                of.filter(|of| of.is_led()).map(|of| of.next)
            };
            let nearby = TurnsNearby {
                plan,
                left: [&*self.left; 2],
                was: |at| entries.edge(at),
                is: |at| next(at).unwrap_or_else(|| entries.edge(at)),
            };
            nearby.replace(&mut tables.held, led().map(|of| of.at));
        } else {
            tables.edges(destination, &mut self.before.next);
            let row = &tables.lanes[row];
            self.before.gather(plan, row, destination, &self.left);
            self.now.next.clone_from(&self.before.next);
            for of in led() {
                self.now.next[of.at as usize] = of.next;
            }
            self.now.gather(plan, row, destination, &self.left);
            self.now
                .replace(&self.before, plan, &mut tables.held, &self.left);
        }
        for of in led() {
            tables.set_edge(destination, of.at, of.next);
        }
        let still = broken.switches.iter().filter(|of| !of.is_led());
        let still: Vec<(u32, u32)> = still.map(|of| (of.at, of.old)).collect();
        if !still.is_empty() {
            self.apart.insert(destination, still);
        }
    }

    /// Lets go of all turns that are not legal, and of all ways to a destination, and tells those whose ways were let
    /// go of; `None` where that was done before or there are no legal turns.
    fn renew(&mut self, destination: usize) -> Option<Vec<usize>> {
        if self.begin_anew(destination) > 1 {
            return None;
        }
        let legal = self.sure.legal()?;
        let space = &self.plan.space;
        let turns = self.tables.held.turns().map(|(turn, _)| turn);
        let others = turns.filter(|turn| !legal.allow(space, turn.map(|step| step.0)));
        let others: Vec<[LaneStep; 2]> = others.collect();
        let mut open: Vec<usize> = others
            .into_iter()
            .flat_map(|turn| self.let_go_of(turn))
            .collect();
        self.let_go_of_all(destination);
        open.push(destination);
        Some(open)
    }
}
