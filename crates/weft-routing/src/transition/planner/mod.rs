//! Which addresses change in which phase.

mod draining;
mod entry_by_entry;
mod finishing;
mod lane_writes;
mod level_changes;
mod manner;
mod one_by_one;
mod removing;

pub(super) use manner::{Manner, Renewing};

use super::addresses::{Address, Sent};
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::{Mixture, Order, Senders, rounds_outwards};
use super::phase::{OpenPhase, Wanted, write_of};
use super::senders::{Levels, NOBODY};
use super::side::HERE;
use super::{Phase, Write};
use crate::cycles::AcyclicDependencies;
use std::collections::BTreeMap;
use weft_fabric::Fabric;

/// What the entries of an address are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entries {
    Old,
    /// Some are old and some are new: by number, which in [`Planner::between`].
    Between(usize),
    Cleared,
    /// The new ones are written, and old ones are there still that are to be removed.
    Kept,
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
    manner: Manner,
    /// Addresses in the order that they are tried in.
    order: &'j [usize],
    /// Per switch the edge that it goes on by, of addresses of which some entries are old and some new.
    between: Vec<Vec<u32>>,
    /// By switch what its hosts send, of addresses for which those of some were told new levels and others not.
    told: Vec<Vec<Sent>>,
    pub(super) is_drained: Vec<bool>,
    pub(super) phases: Vec<Phase>,
}

impl<'j> Planner<'j> {
    pub(super) fn new(
        joint: &'j Joint,
        after: &'j Fabric,
        manner: Manner,
        order: &'j [usize],
    ) -> Self {
        let left = after.switch_count();
        let entries = joint.addresses.iter().map(|address| {
            let is_same = address.changing(left).next().is_none();
            if is_same {
                written(address)
            } else {
                Entries::Old
            }
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
            manner,
            order,
            between: Vec::new(),
            told: Vec::new(),
            is_drained: vec![false; joint.addresses.len()],
            phases: Vec::new(),
        }
    }

    fn left(&self) -> usize {
        self.after.switch_count()
    }

    fn senders(&self, number: usize, levels: Levels) -> Senders<'_> {
        self.senders_in(
            number,
            State {
                levels,
                ..self.state(number)
            },
        )
    }

    fn senders_in(&self, number: usize, state: State) -> Senders<'_> {
        let sent = self.sent(number, state.levels);
        let meeting = (state.rows, state.is_beginning);
        self.joint.senders(number, sent, meeting)
    }

    /// Who sends to an address by so many levels: by old ones, and by new ones.
    fn sent(&self, number: usize, levels: Levels) -> [&[Sent]; 2] {
        let address = &self.joint.addresses[number];
        let (old, new) = (address.old.sent.as_slice(), address.new.sent.as_slice());
        match levels {
            Levels::Old => [old, NOBODY],
            Levels::Between(place) => [&self.told[place], NOBODY],
            Levels::New if address.is_left => [NOBODY, new],
            Levels::Either | Levels::New => [old, new],
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
    fn standing(&self, number: usize, levels: Levels) -> Option<Mixture<'_>> {
        let state = State {
            levels,
            ..self.state(number)
        };
        self.standing_in(number, state)
    }

    fn standing_in(&self, number: usize, state: State) -> Option<Mixture<'_>> {
        let exits = self.exits(number, state.entries)?;
        let senders = self.senders_in(number, state);
        Some(Mixture::of_one(self.joint, exits, senders))
    }

    /// Per switch: the edge that it goes on by to an address that is not cleared.
    fn exits(&self, number: usize, entries: Entries) -> Option<&[u32]> {
        let address = &self.joint.addresses[number];
        match entries {
            Entries::Old => Some(&address.old.exits),
            Entries::Between(place) => Some(&self.between[place]),
            Entries::Kept => Some(address.written()),
            Entries::New => Some(&address.new.exits),
            Entries::Cleared => None,
        }
    }

    /// Those that wait for some of their new entries, and are not cleared.
    fn waiting(&self) -> Vec<usize> {
        let all = self.order.iter().copied();
        all.filter(|&number| matches!(self.entries[number], Entries::Old | Entries::Between(_)))
            .collect()
    }

    /// The switches that are left whose entry is not the new one, of an address that is not cleared.
    fn unwritten(&self, number: usize, entries: Entries) -> Vec<u32> {
        let exits = self.exits(number, entries).unwrap_or_default();
        let new = self.joint.addresses[number].written();
        let both = (0..).zip(exits.iter().zip(new)).take(self.left());
        both.filter(|(_, (is, new))| is != new)
            .map(|(at, _)| at)
            .collect()
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
            let most = standing.as_ref().map_or(0, Mixture::most_switches);
            if let Some(mixture) = standing {
                wanted.add(&mixture);
            }
            self.most_switches[number] = most;
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
        let most = stands
            .iter()
            .map(|mixture| mixture.as_ref().map_or(0, Mixture::most_switches));
        let most: Vec<u32> = most.collect();
        let before = stood.iter();
        let before = before.filter_map(|(&number, &state)| self.standing_in(number, state));
        let graph = phase.ended(stands.into_iter().flatten(), before);
        for (&number, most) in stood.keys().zip(most) {
            self.most_switches[number] = most;
        }
        self.graph = Some(graph);
    }

    /// Leaves a phase in which nothing is done.
    fn put_back(&mut self, mut phase: OpenPhase<'_>) {
        self.graph = Some(phase.ended(std::iter::empty(), std::iter::empty()));
    }

    /// Tells whether packets to an address may have passed what failed, or been sent by what is gone.
    fn has_past(&self, number: usize) -> bool {
        let address = &self.joint.addresses[number];
        let fails = |&exit: &u32| exit < HERE && !self.joint.stands(exit);
        let is_old = |sent| address.old.sent.contains(sent);
        let [before, now] = &self.joint.management;
        !address.past.iter().all(is_old) || before != now || address.old.exits.iter().any(fails)
    }

    /// Tells whether all addresses have their new entries.
    pub(super) fn is_done(&self) -> bool {
        let mut all = self.entries.iter();
        all.all(|of| matches!(of, Entries::Kept | Entries::New))
    }

    /// Changes all entries, in as many phases as it takes, from one that is open.
    pub(super) fn change(&mut self, mut phase: OpenPhase<'j>) {
        loop {
            let was_done = self.is_done();
            let renewing = self.manner.renewing;
            let is_careful = renewing == Renewing::Carefully;
            let has_moved = self.set_cleared(&mut phase) | self.change_some(&mut phase)
                || renewing != Renewing::Together && self.renew_some(&mut phase, is_careful)
                || self.manner.is_by_entry && self.write_some(&mut phase)
                || is_careful && self.renew_some(&mut phase, false);
            if !was_done || phase.has_something() {
                self.remove_kept(&mut phase);
            }
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

    /// Changes addresses whose mixtures close no cycle.
    fn change_some(&mut self, phase: &mut OpenPhase<'j>) -> bool {
        let mut changed: Vec<(usize, Option<Vec<u32>>, Entries)> = Vec::new();
        let has_moved = self.clear_gone(phase);
        for number in self.waiting() {
            let address = &self.joint.addresses[number];
            let rounds = rounds_outwards(self.joint, address, self.left());
            let before = self.entries[number];
            let is_outwards = rounds.is_some() && !self.manner.is_reversible;
            if is_outwards && self.holds(phase, number, Order::Outwards) {
                changed.push((number, rounds, before));
            } else if self.holds(phase, number, Order::Any) {
                changed.push((number, None, before));
            } else {
                continue;
            }
            self.set_entries(number, written(address));
        }
        // One round will do where no mixture closes a cycle.
        let ordered = changed.iter().filter(|(_, rounds, _)| rounds.is_some());
        let mixtures = ordered.map(|&(number, _, before)| self.mixture(number, before, Order::Any));
        let is_one_round = phase.hold_all(mixtures);
        for (number, rounds, before) in &changed {
            let address = &self.joint.addresses[*number];
            for at in self.unwritten(*number, *before) {
                let round = match rounds {
                    Some(rounds) if !is_one_round => rounds[at as usize] as usize - 1,
                    _ => 0,
                };
                let exit = address.written()[at as usize];
                phase.write(round, self.write(*number, at, Some(exit)));
            }
        }
        has_moved | !changed.is_empty()
    }

    /// Clears the entries for destinations that are gone, and tells whether there were any.
    fn clear_gone(&mut self, phase: &mut OpenPhase<'j>) -> bool {
        let mut gone = self.waiting();
        gone.retain(|&number| !self.joint.addresses[number].is_left);
        for &number in &gone {
            for write in self.clears(number) {
                phase.write(0, write);
            }
            self.set_entries(number, Entries::New);
        }
        !gone.is_empty()
    }

    /// What packets to an address meet while its entries change from what they are to new ones.
    fn mixture(&self, number: usize, from: Entries, order: Order) -> Mixture<'_> {
        let senders = self.senders(number, self.levels[number]);
        self.mixture_of(number, from, order, senders)
    }

    fn mixture_of(
        &self,
        number: usize,
        from: Entries,
        order: Order,
        senders: Senders<'_>,
    ) -> Mixture<'_> {
        let both = [from, Entries::Kept].map(|of| self.exits(number, of).unwrap_or_default());
        Mixture::of_both(self.joint, both, order, senders)
    }

    fn holds(&self, phase: &mut OpenPhase<'j>, number: usize, order: Order) -> bool {
        let mixture = self.mixture(number, self.entries[number], order);
        mixture.goes_on() && phase.hold(&mixture)
    }

    fn write(&self, number: usize, at: u32, exit: Option<u32>) -> Write {
        let address: &Address = &self.joint.addresses[number];
        write_of(self.joint, (index(number), address), at, exit)
    }
}

/// What the entries of an address are once all new ones are written.
fn written(address: &Address) -> Entries {
    if address.kept.is_some() {
        Entries::Kept
    } else {
        Entries::New
    }
}

fn index(number: usize) -> u32 {
    weft_fabric::narrow(number, "addresses have numbers of 32 bits")
}
