//! Repairs where some way holds beside the old ones by no means: the ways that stand against it are let go of, and
//! led anew.

use super::broken_ways::{BrokenWays, MendedWays};
use super::change::Change;
use super::failed_parts::Left;
use super::legal_turns::LegalTurns;
use super::mending::{Apart, Mending};
use super::packets::Packets;
use super::plan::{Coming, Plan};
use super::standing_tables::StandingTables;
use super::{FailedParts, Leading, RepairError};
use crate::form::numbers;
use crate::joining::{LaneStep, grow};
use crate::paths::NO_EDGE;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Ways to each destination are let go of so often, in the mean over destinations, before the search is given up.
const MOST_LET_GO: usize = 8;

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
    /// The turns that new ways keep to.
    legal: Option<LegalTurns>,
    /// Destinations to which all ways are led anew, down first, so that each switch finds one.
    renewed: BTreeSet<usize>,
    /// How often ways were let go of that made a turn.
    rivals: BTreeMap<[LaneStep; 2], u32>,
    let_go: usize,
    change: Change,
    broken: BrokenWays,
    before: Packets,
    now: Packets,
}

/// What stands against a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rival {
    /// Some way holds.
    None,
    /// Ways that make this turn.
    Turn([LaneStep; 2]),
    /// There is none: no neighbour has a way that may be gone on.
    NoWay,
}

impl StandingTables {
    /// The tables after more parts failed, where routes that are whole give way to others which nothing holds beside
    /// them, and how these give way to them. New ways keep to turns where some are given.
    ///
    /// # Errors
    /// [`RepairError::NoWay`]: a pair that is not joined even so, as far as is searched.
    pub(super) fn drained(
        &self,
        failed: &FailedParts,
        legal: Option<LegalTurns>,
    ) -> Result<(Self, Leading), RepairError> {
        let plan = Arc::clone(&self.plan);
        let left = Arc::new(self.left_after(failed));
        let switches = plan.space.switch_count();
        let mut draining = Draining {
            tables: Self {
                left: Arc::clone(&left),
                ..self.clone()
            },
            apart: BTreeMap::new(),
            legal,
            renewed: BTreeSet::new(),
            rivals: BTreeMap::new(),
            let_go: 0,
            change: Change::none(Arc::clone(&left), self.busiest()),
            broken: BrokenWays::new(switches),
            before: Packets::new(switches),
            now: Packets::new(switches),
            plan,
            left,
        };
        draining.lose(&self.left);
        draining.lead_all().map_err(|apart| self.no_way(apart))?;
        let drained = draining.tables;
        let led = drained.led_beside(self, &drained.left, true);
        Ok((drained, led))
    }
}

impl Draining {
    /// Lets go of what failed, and of the ways that lead there.
    fn lose(&mut self, before: &Left) {
        let left = Arc::clone(&self.left);
        for &edge in &left.gone {
            self.tables.held.cut(edge);
        }
        let gone = left.gone.iter();
        let gone: Vec<(u32, u32)> = gone.map(|&at| (self.plan.space.tail(at), at)).collect();
        let all_send = left.all_send(before);
        for destination in 0..self.plan.to.len() {
            let entries = self.plan.entries(&self.tables.exits, destination);
            self.broken.find(entries, &gone, &left);
            if !all_send || !self.broken.switches.is_empty() {
                self.let_go(destination, before);
            }
        }
    }

    /// Lets go of the ways of switches to a destination, which all that send over them are among, as packets of what
    /// was left before make them.
    fn let_go(&mut self, destination: usize, before: &Left) {
        let (plan, tables) = (&self.plan, &mut self.tables);
        let row = tables.lane_row(destination);
        tables.edges(destination, &mut self.before.next);
        let row_now = &tables.lanes[row.clone()];
        self.before.gather(plan, row_now, destination, before);
        let apart = self.apart.entry(destination).or_default();
        for of in &self.broken.switches {
            tables.set_edge(destination, of.at, NO_EDGE);
            if self.left.switches[of.at as usize] {
                apart.push((of.at, of.old));
            }
        }
        tables.edges(destination, &mut self.now.next);
        let row_now = &tables.lanes[row];
        self.now.gather(plan, row_now, destination, &self.left);
        self.now
            .replace(&self.before, plan, &mut tables.held, &self.left);
        self.before.count(&mut tables.loads, u64::wrapping_sub);
        self.now.count(&mut tables.loads, u64::wrapping_add);
        if apart.is_empty() || !plan.is_left(destination, &self.left) {
            self.apart.remove(&destination);
        }
    }

    /// Leads all switches that send, letting go of further ways as long as some find none.
    fn lead_all(&mut self) -> Result<(), Apart> {
        let destinations = 0..self.plan.to.len();
        let most = MOST_LET_GO
            * destinations
                .filter(|&to| self.plan.is_left(to, &self.left))
                .count();
        let mut open: BTreeSet<usize> = self.apart.keys().copied().collect();
        loop {
            while let Some(destination) = open.pop_first() {
                self.lead(destination);
            }
            let mut apart = self.apart.iter();
            let Some(apart) = apart.find_map(|(&destination, switches)| {
                let mut sends = switches.iter().map(|of| of.0);
                let from = sends.find(|&at| self.left.sends[at as usize])?;
                Some(Apart { from, destination })
            }) else {
                return Ok(());
            };
            // Those that make way are led once it is taken, lest they come back to where they were.
            loop {
                self.let_go += 1;
                match self.rival(apart.destination) {
                    Rival::Turn(turn) if self.let_go <= most => open.extend(self.let_go_of(turn)),
                    Rival::None if self.let_go <= most => break,
                    _ => {
                        open.extend(self.renew(apart.destination).ok_or(apart)?);
                        break;
                    }
                }
            }
            self.lead(apart.destination);
        }
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
        let is_renewed = self.renewed.contains(&destination);
        let mut mending = Mending {
            plan,
            held: &mut tables.held,
            loads: &mut tables.loads,
            weight: plan.weight(destination, &self.left),
            most: self.change.most,
            lanes: &mut tables.lanes[row.clone()],
            first_lane: row.start,
            change: &mut self.change,
            legal: self.legal.as_ref(),
            only_down: is_renewed,
        };
        grow(&mut ways, &plan.space, &apart, &mut mending);
        if std::mem::take(&mut mending.only_down) {
            grow(&mut ways, &plan.space, &apart, &mut mending);
        }
        tables.edges(destination, &mut self.before.next);
        let row = &tables.lanes[row];
        self.before.gather(plan, row, destination, &self.left);
        self.now.next.clone_from(&self.before.next);
        let mut still = Vec::new();
        for of in &self.broken.switches {
            if of.is_led() {
                self.now.next[of.at as usize] = of.next;
            } else {
                still.push((of.at, of.old));
            }
        }
        self.now.gather(plan, row, destination, &self.left);
        for way in self.change.ways.drain(..) {
            tables.held.release(&way);
        }
        self.now
            .replace(&self.before, plan, &mut tables.held, &self.left);
        for of in self.broken.switches.iter().filter(|of| of.is_led()) {
            tables.set_edge(destination, of.at, of.next);
        }
        if !still.is_empty() {
            self.apart.insert(destination, still);
        }
    }

    /// Lets go of all turns that are not legal, and of all ways to a destination, and tells those whose ways were let
    /// go of; `None` where that was done before or there are no legal turns.
    fn renew(&mut self, destination: usize) -> Option<Vec<usize>> {
        let legal = self.legal.as_ref()?;
        if !self.renewed.insert(destination) {
            return None;
        }
        let (space, left) = (&self.plan.space, Arc::clone(&self.left));
        let turns = self.tables.held.turns().map(|(turn, _)| turn);
        let others = turns.filter(|turn| !legal.allow(space, turn.map(|step| step.0)));
        let others: Vec<[LaneStep; 2]> = others.collect();
        let mut open: Vec<usize> = others
            .into_iter()
            .flat_map(|turn| self.let_go_of(turn))
            .collect();
        let entries = self.plan.entries(&self.tables.exits, destination);
        let switches = (0..).take(entries.exits.len());
        let led = switches.map(|at| (at, entries.edge(at)));
        let led: Vec<(u32, u32)> = led.filter(|&(_, edge)| edge != NO_EDGE).collect();
        self.broken.take(&led);
        self.let_go(destination, &left);
        open.push(destination);
        Some(open)
    }

    /// The turn by whose loss a switch comes nearest to a way to the destination: that which fewest make of those that
    /// close a cycle with some way.
    fn rival(&mut self, destination: usize) -> Rival {
        let (plan, left) = (&*self.plan, &self.left);
        let entries = plan.entries(&self.tables.exits, destination);
        let held = &mut self.tables.held;
        let mut best: Option<(u32, [LaneStep; 2])> = None;
        let switches = self.apart[&destination].iter().map(|of| of.0);
        for from in switches.filter(|&at| left.sends[at as usize]) {
            for edge in plan.space.edge_ids(from).filter(|&edge| left.has(edge)) {
                let mut path = vec![edge];
                path.extend(entries.way(plan.space.edge(edge).to));
                let end = path.last().map(|&edge| plan.space.edge(edge).to);
                let turn = path.get(1).map(|&next| [edge, next]);
                let legal = self.legal.as_ref();
                let allows = |turn| legal.is_none_or(|legal| legal.allow(&plan.space, turn));
                if end != Some(entries.to()) || !turn.is_none_or(allows) {
                    continue;
                }
                for level in 0..plan.rules.level_count() {
                    let (Coming::All(levels) | Coming::Any(levels)) =
                        plan.coming(from, &path, level, left)
                    else {
                        continue;
                    };
                    let ways = numbers(levels)
                        .map(|number| plan.rules.way(&plan.space, &path, 1 << number));
                    let Some(ways) = ways.collect::<Option<Vec<_>>>() else {
                        continue;
                    };
                    let Some((way, chain)) = ways
                        .iter()
                        .find_map(|way| Some((way, held.obstruction(way)?)))
                    else {
                        return Rival::None;
                    };
                    let own = |turn: &[LaneStep]| way.windows(2).any(|of| of == turn);
                    for turn in chain.windows(2).filter(|turn| !own(turn)) {
                        let turn = [turn[0], turn[1]];
                        // Of legal turns alone there is no cycle: others go for ever.
                        if legal.is_some() && allows(turn.map(|step| step.0)) {
                            continue;
                        }
                        let dear = self.rivals.get(&turn).copied().unwrap_or(0);
                        let price = held.uses(turn) * (1 + dear);
                        if best.is_none_or(|(least, _)| price < least) {
                            best = Some((price, turn));
                        }
                    }
                }
            }
        }
        best.map_or(Rival::NoWay, |(_, turn)| Rival::Turn(turn))
    }

    /// Lets go of all ways that make a turn, and tells the destinations of these.
    fn let_go_of(&mut self, turn: [LaneStep; 2]) -> Vec<usize> {
        *self.rivals.entry(turn).or_default() += 1;
        let left = Arc::clone(&self.left);
        let [held, wanted] = turn.map(|step| step.0);
        let plan = Arc::clone(&self.plan);
        let [from, over] = [held, wanted].map(|edge| plan.space.tail(edge));
        let mut found = Vec::new();
        for destination in (0..plan.to.len()).filter(|&to| plan.is_left(to, &left)) {
            let entries = plan.entries(&self.tables.exits, destination);
            if [entries.edge(from), entries.edge(over)] != [held, wanted] {
                continue;
            }
            let row = &self.tables.lanes[self.tables.lane_row(destination)];
            plan.edges(&self.tables.exits, destination, &mut self.before.next);
            self.before.gather(&plan, row, destination, &left);
            let makes = self.before.turn(&plan, from as usize);
            let makes = makes.is_some_and(|(edges, levels)| {
                let mut steps = plan.rules.steps(&plan.space, edges, levels);
                steps.any(|steps| steps == turn)
            });
            if makes {
                self.let_go += 1;
                self.broken.find(entries, &[(from, held)], &left);
                self.let_go(destination, &left);
                found.push(destination);
            }
        }
        found
    }
}
