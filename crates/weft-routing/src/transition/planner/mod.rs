//! Which addresses change in which phase.

mod lane_writes;

use super::addresses::{Address, Sent};
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::{Mixture, Order, Senders, rounds_outwards};
use super::phase::{OpenPhase, Wanted, write_of};
use super::side::{HERE, NOWHERE};
use super::{Phase, Write};
use crate::cycles::AcyclicDependencies;
use std::collections::BTreeMap;
use weft_fabric::Fabric;

/// What the entries of an address are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entries {
    Old,
    Cleared,
    New,
}

/// Which service levels hosts send to an address by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Levels {
    Old,
    Either,
    New,
}

/// What packets to an address meet, and who sends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    entries: Entries,
    levels: Levels,
    rows: Rows,
    /// Whether packets may be about that passed what failed.
    is_beginning: bool,
}

/// A transition as far as it is planned.
pub(super) struct Planner<'j> {
    joint: &'j Joint,
    after: &'j Fabric,
    entries: Vec<Entries>,
    levels: Vec<Levels>,
    /// By which lane tables switches choose lanes.
    rows: Rows,
    /// What packets may wait for by what stands, once that is known to close no cycle.
    graph: Option<AcyclicDependencies>,
    /// Per address: the most switches that a packet meets by what stands.
    most_switches: Vec<u32>,
    /// What stood when the phase began, of addresses to which that is another since.
    stood: BTreeMap<usize, State>,
    /// Whether packets may be about that passed what failed.
    is_beginning: bool,
    /// What part of those that no order helps is drained at once.
    parts: usize,
    pub(super) is_drained: Vec<bool>,
    pub(super) phases: Vec<Phase>,
}

impl<'j> Planner<'j> {
    pub(super) fn new(joint: &'j Joint, after: &'j Fabric, parts: usize) -> Self {
        let left = after.switch_count();
        let entries = joint.addresses.iter().map(|address| {
            let is_same = address.changing(left).next().is_none();
            if is_same { Entries::New } else { Entries::Old }
        });
        let levels = joint.addresses.iter().map(|address| {
            if address.changes_levels() {
                Levels::Old
            } else {
                Levels::New
            }
        });
        Self {
            joint,
            after,
            entries: entries.collect(),
            levels: levels.collect(),
            rows: Rows::Old,
            graph: None,
            most_switches: vec![0; joint.addresses.len()],
            stood: BTreeMap::new(),
            is_beginning: true,
            parts,
            is_drained: vec![false; joint.addresses.len()],
            phases: Vec::new(),
        }
    }

    fn left(&self) -> usize {
        self.after.switch_count()
    }

    fn senders(&self, number: usize, levels: Levels) -> Senders<'j> {
        self.senders_in(
            number,
            State {
                levels,
                ..self.state(number)
            },
        )
    }

    fn senders_in(&self, number: usize, state: State) -> Senders<'j> {
        const NOBODY: &[Sent] = &[];
        let address = &self.joint.addresses[number];
        let old = if state.levels == Levels::New && address.is_left {
            NOBODY
        } else {
            &address.old.sent
        };
        let new = if state.levels == Levels::Old {
            NOBODY
        } else {
            &address.new.sent
        };
        Senders {
            sent: [old, new],
            past: if state.is_beginning {
                &address.past
            } else {
                NOBODY
            },
            rows: state.rows,
        }
    }

    fn state(&self, number: usize) -> State {
        State {
            entries: self.entries[number],
            levels: self.levels[number],
            rows: self.rows,
            is_beginning: self.is_beginning,
        }
    }

    /// What packets to an address meet by its entries, on so many levels.
    fn standing(&self, number: usize, levels: Levels) -> Option<Mixture<'j>> {
        let state = State {
            levels,
            ..self.state(number)
        };
        self.standing_in(number, state)
    }

    fn standing_in(&self, number: usize, state: State) -> Option<Mixture<'j>> {
        let address = &self.joint.addresses[number];
        let exits = match state.entries {
            Entries::Old => &address.old.exits,
            Entries::New => &address.new.exits,
            Entries::Cleared => return None,
        };
        let senders = self.senders_in(number, state);
        Some(Mixture::of_one(self.joint, exits, senders))
    }

    fn set_entries(&mut self, number: usize, entries: Entries) {
        let state = self.state(number);
        self.stood.entry(number).or_insert(state);
        self.entries[number] = entries;
    }

    fn set_levels(&mut self, number: usize, levels: Levels) {
        let state = self.state(number);
        self.stood.entry(number).or_insert(state);
        self.levels[number] = levels;
    }

    fn numbers(&self) -> std::ops::Range<usize> {
        0..self.joint.addresses.len()
    }

    fn those(&self, entries: Entries) -> Vec<usize> {
        let all = self.numbers();
        all.filter(|&number| self.entries[number] == entries)
            .collect()
    }

    /// A phase in which nothing changes yet; `None` where packets can deadlock by what there is.
    pub(super) fn open(&mut self) -> Option<OpenPhase<'j>> {
        self.stood.clear();
        let graph = match self.graph.take() {
            Some(graph) => graph,
            None => self.gathered()?,
        };
        let most = self.most_switches.iter().copied().max().unwrap_or(0);
        Some(OpenPhase::new(self.joint, graph, most.max(1)))
    }

    /// What packets may wait for by what stands; `None` where that closes a cycle.
    fn gathered(&mut self) -> Option<AcyclicDependencies> {
        let mut wanted = Wanted::new(self.joint);
        for number in self.numbers() {
            let standing = self.standing(number, self.levels[number]);
            self.most_switches[number] = standing.as_ref().map_or(0, Mixture::most_switches);
            if let Some(mixture) = standing {
                wanted.add(&mixture);
            }
        }
        wanted.into_graph()
    }

    pub(super) fn close(&mut self, mut phase: OpenPhase<'_>) {
        self.phases.push(phase.close(self.after));
        let mut stood = std::mem::take(&mut self.stood);
        if self.is_beginning {
            for number in self.numbers().filter(|&number| self.has_past(number)) {
                let state = self.state(number);
                stood.entry(number).or_insert(state);
            }
        }
        self.is_beginning = false;
        let stands: Vec<Option<Mixture<'_>>> = stood
            .keys()
            .map(|&number| self.standing_in(number, self.state(number)))
            .collect();
        for (&number, mixture) in stood.keys().zip(&stands) {
            self.most_switches[number] = mixture.as_ref().map_or(0, Mixture::most_switches);
        }
        let before = stood.iter();
        let before = before.filter_map(|(&number, &state)| self.standing_in(number, state));
        self.graph = Some(phase.ended(stands.into_iter().flatten(), before));
    }

    /// Leaves a phase in which nothing is done.
    fn put_back(&mut self, mut phase: OpenPhase<'_>) {
        self.graph = Some(phase.ended(std::iter::empty(), std::iter::empty()));
    }

    /// Tells whether packets to an address may have passed what failed, or been sent by what is gone.
    fn has_past(&self, number: usize) -> bool {
        let address = &self.joint.addresses[number];
        let fails = |&exit: &u32| exit < HERE && !self.joint.stands(exit);
        address.past != address.old.sent || address.old.exits.iter().any(fails)
    }

    /// Clears what keeps old tables from being free of deadlock.
    pub(super) fn clear_until_free(&mut self) {
        let nothing = AcyclicDependencies::new(self.joint.vertex_count());
        let mut free = OpenPhase::new(self.joint, nothing, 1);
        for number in self.numbers() {
            let standing = self.standing(number, self.levels[number]);
            if !standing.is_some_and(|mixture| free.hold(&mixture)) {
                self.clear(&mut free, number);
            }
        }
        let cleared = free.close(self.after);
        self.phases.push(Phase {
            order: None,
            ..cleared
        });
        self.is_beginning = false;
        self.graph = None;
    }

    /// Lets hosts be told new levels beside the old ones, where that closes no cycle; the other addresses
    /// are drained.
    pub(super) fn answer(&mut self, phase: &mut OpenPhase<'j>) {
        for number in self.numbers() {
            if self.levels[number] != Levels::Old || self.entries[number] == Entries::Cleared {
                continue;
            }
            let standing = self.standing(number, Levels::Either);
            if standing.is_some_and(|mixture| mixture.has_lanes() && phase.hold(&mixture)) {
                phase.answered.push(index(number));
                self.set_levels(number, Levels::Either);
            } else {
                self.clear(phase, number);
            }
        }
    }

    /// Tells whether all addresses have their new entries.
    pub(super) fn is_done(&self) -> bool {
        self.entries.iter().all(|&of| of == Entries::New)
    }

    /// Has all hosts let go of old levels by the end of the phase.
    pub(super) fn renew(&mut self, phase: &mut OpenPhase<'j>) {
        for number in self.numbers() {
            if self.levels[number] == Levels::Either {
                phase.renewed.push(index(number));
                self.set_levels(number, Levels::New);
            }
        }
        phase.renewed.sort_unstable();
    }

    /// Changes all entries, in as many phases as it takes, from one that is open.
    pub(super) fn change(&mut self, mut phase: OpenPhase<'j>) {
        loop {
            let has_moved = self.set_cleared(&mut phase) | self.change_some(&mut phase);
            if has_moved || phase.has_something() {
                self.close(phase);
            } else if !self.drain_some(phase) {
                return;
            }
            phase = self.reopen();
        }
    }

    pub(super) fn reopen(&mut self) -> OpenPhase<'j> {
        let Some(phase) = self.open() else {
            unreachable!("what a phase ended with was held in it");
        };
        phase
    }

    /// Sets addresses that were cleared, where there is room.
    fn set_cleared(&mut self, phase: &mut OpenPhase<'j>) -> bool {
        let mut has_moved = false;
        for number in self.those(Entries::Cleared) {
            if phase.cleared.contains(&number) {
                continue;
            }
            let address = &self.joint.addresses[number];
            let senders = self.senders(number, self.levels[number]);
            let mixture = Mixture::of_one(self.joint, &address.new.exits, senders);
            if !(mixture.has_lanes() && phase.hold(&mixture)) {
                continue;
            }
            for (at, &exit) in (0..).zip(&address.new.exits).take(self.left()) {
                let is_there = match exit {
                    HERE => address.changes(at),
                    exit => self.joint.stands(exit),
                };
                if is_there && !address.removed.contains(&at) {
                    phase.write(0, self.write(number, at, Some(exit)));
                }
            }
            self.set_entries(number, Entries::New);
            has_moved = true;
        }
        has_moved
    }

    /// Changes addresses whose mixtures close no cycle.
    fn change_some(&mut self, phase: &mut OpenPhase<'j>) -> bool {
        let mut changed: Vec<(usize, Option<Vec<u32>>)> = Vec::new();
        for number in self.those(Entries::Old) {
            let address = &self.joint.addresses[number];
            if !address.is_left {
                for write in self.clears(number) {
                    phase.write(0, write);
                }
                self.set_entries(number, Entries::New);
                changed.push((number, None));
                continue;
            }
            let rounds = rounds_outwards(self.joint, address, self.left());
            if rounds.is_some() && self.holds(phase, number, Order::Outwards) {
                changed.push((number, rounds));
            } else if self.holds(phase, number, Order::Any) {
                changed.push((number, None));
            } else {
                continue;
            }
            self.set_entries(number, Entries::New);
        }
        // One round will do where no mixture closes a cycle.
        let ordered = changed.iter().filter(|(_, rounds)| rounds.is_some());
        let mixtures = ordered.map(|&(number, _)| self.mixture(number, Order::Any));
        let is_one_round = phase.hold_all(mixtures);
        for (number, rounds) in &changed {
            let address = &self.joint.addresses[*number];
            if !address.is_left {
                continue;
            }
            for at in address.changing(self.left()) {
                let round = match rounds {
                    Some(rounds) if !is_one_round => rounds[at as usize] as usize - 1,
                    _ => 0,
                };
                let exit = address.new.exits[at as usize];
                phase.write(round, self.write(*number, at, Some(exit)));
            }
        }
        !changed.is_empty()
    }

    fn mixture(&self, number: usize, order: Order) -> Mixture<'j> {
        let address = &self.joint.addresses[number];
        let senders = self.senders(number, self.levels[number]);
        Mixture::of_both(self.joint, address, order, senders)
    }

    fn holds(&self, phase: &mut OpenPhase<'j>, number: usize, order: Order) -> bool {
        let mixture = self.mixture(number, order);
        mixture.goes_on() && phase.hold(&mixture)
    }

    /// Clears some addresses that nothing else helps, and tells whether there was any; else hosts let go of
    /// old levels, so that those can be set that were cleared.
    fn drain_some(&mut self, mut phase: OpenPhase<'j>) -> bool {
        if self.is_done() {
            self.put_back(phase);
            return false;
        }
        let mut stuck = self.those(Entries::Old);
        // Those that need little are tried first.
        stuck.sort_by_cached_key(|&number| self.mixture(number, Order::Outwards).turns().len());
        if stuck.is_empty() {
            self.renew(&mut phase);
            let lets_go = phase.has_something();
            if lets_go {
                self.close(phase);
            } else {
                self.put_back(phase);
            }
            return lets_go;
        }
        let stuck_now = stuck.iter();
        let mut rest = phase
            .without(stuck_now.filter_map(|&number| self.standing(number, self.levels[number])));
        let mut drained: Vec<usize> = Vec::new();
        for number in stuck {
            let standing = self.standing(number, self.levels[number]);
            let stands = standing.is_some_and(|mixture| rest.hold(&mixture));
            let rounds = rounds_outwards(self.joint, &self.joint.addresses[number], self.left());
            let changes = stands
                && ((rounds.is_some() && self.holds(&mut rest, number, Order::Outwards))
                    || self.holds(&mut rest, number, Order::Any));
            if !changes {
                drained.push(number);
            }
        }
        drained.truncate(drained.len().div_ceil(self.parts));
        for number in drained {
            self.clear(&mut phase, number);
        }
        self.close(phase);
        true
    }

    /// Clears an address in the first round of a phase.
    fn clear(&mut self, phase: &mut OpenPhase<'j>, number: usize) {
        for write in self.clears(number) {
            phase.write(0, write);
        }
        phase.cleared.push(number);
        self.set_entries(number, Entries::Cleared);
        self.is_drained[number] = true;
        if self.levels[number] == Levels::Old {
            phase.told.push(index(number));
        }
        if self.levels[number] != Levels::New {
            phase.renewed.push(index(number));
        }
        self.set_levels(number, Levels::New);
    }

    /// What clears the entries there are for an address; hosts of one switch go on sending to one another.
    fn clears(&self, number: usize) -> Vec<Write> {
        let address = &self.joint.addresses[number];
        let exits = match self.entries[number] {
            Entries::Old => &address.old.exits,
            Entries::New | Entries::Cleared => &address.new.exits,
        };
        let entries = (0..).zip(exits).take(self.left());
        let there =
            entries.filter(|&(_, &exit)| exit != NOWHERE && !(exit == HERE && address.is_left));
        there.map(|(at, _)| self.write(number, at, None)).collect()
    }

    fn write(&self, number: usize, at: u32, exit: Option<u32>) -> Write {
        let address: &Address = &self.joint.addresses[number];
        write_of(self.joint, (index(number), address), at, exit)
    }

    /// Removes entries that the new tables do not have, where nobody comes to them any more.
    pub(super) fn remove_unused(&mut self) {
        let mut phase = self.reopen();
        for number in self.numbers() {
            let address = &self.joint.addresses[number];
            if address.removed.is_empty() || self.is_drained[number] {
                continue;
            }
            let Some(standing) = self.standing(number, self.levels[number]) else {
                continue;
            };
            for &at in address.removed.iter().filter(|&&at| !standing.passes(at)) {
                phase.write(0, self.write(number, at, None));
            }
        }
        if phase.has_something() {
            self.close(phase);
        }
    }
}

fn index(number: usize) -> u32 {
    weft_fabric::narrow(number, "addresses have numbers of 32 bits")
}
