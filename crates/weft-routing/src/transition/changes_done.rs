//! What stands once some of the single changes are done, and what packets wait for by it, kept up as changes are done
//! and taken back.

use super::OrderEnd;
use super::addresses::{Sent, set_levels};
use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::{Mixture, Order, Senders, Turn};
use super::one_change::SingleChange;
use super::senders::NOBODY;
use super::side::HERE;
use crate::cycles::AcyclicDependencies;

/// Changes that are gone through from one end of the order: from the old tables on, where what is met is done; or from the
/// new ones back, where what is met is undone. Packets wait for the same either way, as those of before a change and of
/// after it are about.
pub(super) struct ChangesDone<'j> {
    pub(super) joint: &'j Joint,
    pub(super) changes: &'j [SingleChange],
    end: OrderEnd,
    /// Per change: whether it was met.
    pub(super) is_met: Vec<bool>,
    /// Per address and switch: the edge that it goes on by.
    pub(super) exits: Vec<Vec<u32>>,
    /// Per address: who sends there, by switch.
    pub(super) sent: Vec<Vec<Sent>>,
    pub(super) rows: Rows,
    /// Per address: whether it counts, as somebody sends to it.
    pub(super) counts: Vec<bool>,
    /// Per address: its changes.
    pub(super) own: Vec<Vec<usize>>,
    /// The change of lane tables.
    pub(super) lanes: Option<usize>,
    /// Per address: what its packets wait for, in order and each once.
    pub(super) turns: Vec<Vec<Turn>>,
    graph: AcyclicDependencies,
    /// Per change: what is known of meeting it next.
    known: Vec<Option<Next>>,
    /// Steps of packets that were followed.
    pub(super) steps: usize,
}

/// What comes of a change if it is the next.
#[derive(Clone)]
struct Next {
    /// What packets wait for more, beside those of its address as it stands.
    more: Vec<Turn>,
    /// Whether packets would be given no lane, or come to where nothing leads on.
    loses: bool,
    /// The dependencies that close a circle: a chain of those that stand, or were added before, and what was refused.
    closing: Option<(Vec<u32>, Turn)>,
}

/// Why a change is not the next.
pub(super) enum Refusal {
    /// It closes a circle of these dependencies.
    Circle(Vec<Turn>),
    /// Packets would be lost.
    Loses,
}

impl<'j> ChangesDone<'j> {
    /// Those of addresses that count, from one end on; `None` where packets can deadlock there.
    pub(super) fn new(
        joint: &'j Joint,
        changes: &'j [SingleChange],
        end: OrderEnd,
        counts: Vec<bool>,
    ) -> Option<Self> {
        let mut own = vec![Vec::new(); joint.addresses.len()];
        for (place, change) in changes.iter().enumerate() {
            if let Some(number) = change.address() {
                own[number].push(place);
            }
        }
        let rows = match end {
            OrderEnd::First => Rows::Old,
            OrderEnd::Last => Rows::New,
        };
        let sent = joint.addresses.iter().map(|address| match end {
            OrderEnd::First => address.old.sent.clone(),
            OrderEnd::Last => address.new.sent.clone(),
        });
        let exits = joint.addresses.iter().map(|address| match end {
            OrderEnd::First => address.old.exits.clone(),
            OrderEnd::Last => address.written().to_vec(),
        });
        let mut found = Self {
            joint,
            changes,
            end,
            is_met: vec![false; changes.len()],
            exits: exits.collect(),
            sent: sent.collect(),
            rows,
            counts,
            own,
            lanes: changes
                .iter()
                .position(|&change| change == SingleChange::Lanes),
            turns: vec![Vec::new(); joint.addresses.len()],
            graph: AcyclicDependencies::new(joint.vertex_count()),
            known: vec![None; changes.len()],
            steps: 0,
        };
        let mut all = 0..joint.addresses.len();
        all.all(|number| found.stand(number)).then_some(found)
    }

    /// The addresses that count.
    fn counted(&self) -> Vec<usize> {
        let all = self.counts.iter().enumerate();
        all.filter(|(_, counts)| **counts)
            .map(|(number, _)| number)
            .collect()
    }

    /// The changes of addresses that count, and those of lane tables.
    pub(super) fn places(&self) -> Vec<usize> {
        let counts = |place: &usize| {
            let address = self.changes[*place].address();
            address.is_none_or(|number| self.counts[number])
        };
        (0..self.changes.len()).filter(counts).collect()
    }

    /// The edge that a switch goes on by once more is met of its address.
    pub(super) fn other_exit(&self, number: usize, at: u32) -> u32 {
        self.joint.addresses[number].other_exit(&self.exits[number], at)
    }

    /// What the hosts of a switch send to an address once more is met of it.
    pub(super) fn other_levels(&self, number: usize, from: u32) -> Sent {
        self.joint.addresses[number].other_levels(&self.sent[number], from)
    }

    fn senders(&self, number: usize, rows: Rows) -> Senders<'_> {
        let sent = [self.sent[number].as_slice(), NOBODY];
        self.joint.senders(number, sent, (rows, false))
    }

    fn standing(&self, number: usize) -> Vec<Turn> {
        let senders = self.senders(number, self.rows);
        sorted(&Mixture::of_one(self.joint, &self.exits[number], senders))
    }

    /// Has packets to an address go as it stands, and tells whether they may.
    fn stand(&mut self, number: usize) -> bool {
        if !self.counts[number] {
            return true;
        }
        for turn in &self.turns[number] {
            self.graph.remove_route(turn);
        }
        let turns = self.standing(number);
        let may = turns.iter().all(|turn| self.graph.add(turn[0], turn[1]));
        self.steps += turns.len();
        self.turns[number] = turns;
        for &place in self.own[number].iter().chain(&self.lanes) {
            self.known[place] = None;
        }
        may
    }

    /// Leaves out an address: its packets are gone, and its changes no longer count.
    pub(super) fn drain(&mut self, number: usize) {
        for turn in std::mem::take(&mut self.turns[number]) {
            self.graph.remove_route(&turn);
        }
        self.counts[number] = false;
    }

    /// Tells whether a change can be the next.
    pub(super) fn may(&mut self, place: usize) -> bool {
        if let Some(known) = &self.known[place] {
            let stays = |closing: &(Vec<u32>, Turn)| self.graph.is_chain(&closing.0);
            if known.loses || known.closing.as_ref().is_some_and(stays) {
                return false;
            }
        }
        let known = self.known[place].take();
        let mut next = known.unwrap_or_else(|| self.next(place));
        next.closing = None;
        self.steps += 1 + next.more.len();
        let mut added = 0;
        for turn in &next.more {
            if !self.graph.add(turn[0], turn[1]) {
                let chain = self.graph.shortest_chain(turn[1], turn[0]);
                next.closing = Some((chain, *turn));
                break;
            }
            added += 1;
        }
        for turn in &next.more[..added] {
            self.graph.remove_route(turn);
        }
        let may = next.closing.is_none() && !next.loses;
        self.known[place] = Some(next);
        may
    }

    /// Why a change cannot be the next, as [`may`](Self::may) has told.
    pub(super) fn refusal(&self, place: usize) -> Refusal {
        let known = self.known[place].as_ref();
        let Some((chain, last)) = known.and_then(|known| known.closing.as_ref()) else {
            return Refusal::Loses;
        };
        let pairs = chain.windows(2).map(|pair| [pair[0], pair[1]]);
        Refusal::Circle(pairs.chain([*last]).collect())
    }

    /// Meets a change that can be the next, or takes back the last one.
    pub(super) fn turn_over(&mut self, place: usize) {
        match self.changes[place] {
            SingleChange::Entry { number, at } => {
                self.exits[number][at as usize] = self.other_exit(number, at);
            }
            SingleChange::Levels { number, from } => {
                let other = self.other_levels(number, from);
                set_levels(&mut self.sent[number], other);
            }
            SingleChange::Lanes => {
                self.rows = match self.rows {
                    Rows::Old => Rows::New,
                    Rows::Either | Rows::New => Rows::Old,
                };
            }
        }
        self.is_met[place] = !self.is_met[place];
        let changed = match self.changes[place].address() {
            Some(number) => vec![number],
            None => self.counted(),
        };
        // What all of them waited for is gone before any of it is there.
        for &number in &changed {
            for turn in std::mem::take(&mut self.turns[number]) {
                self.graph.remove_route(&turn);
            }
        }
        let mut changed = changed.into_iter();
        let stands = changed.all(|number| self.stand(number));
        assert!(stands, "what stands beside a change closes no circle");
    }

    fn next(&mut self, place: usize) -> Next {
        let joint = self.joint;
        self.steps += joint.left_count;
        match self.changes[place] {
            SingleChange::Entry { number, at } => {
                let mut other = self.exits[number].clone();
                other[at as usize] = self.other_exit(number, at);
                let both = match self.end {
                    OrderEnd::First => [&self.exits[number], &other],
                    OrderEnd::Last => [&other, &self.exits[number]],
                };
                let senders = self.senders(number, self.rows);
                let mixture = Mixture::of_both(joint, both.map(Vec::as_slice), Order::Any, senders);
                let loses = !(mixture.goes_on() && self.leads_on(number, at, both[1]));
                self.known(number, &mixture, loses)
            }
            SingleChange::Levels { number, from } => {
                let other = [self.other_levels(number, from)];
                let senders = Senders {
                    sent: [&other, NOBODY],
                    past: NOBODY,
                    management: [NOBODY; 2],
                    rows: self.rows,
                };
                let mixture = Mixture::of_one(joint, &self.exits[number], senders);
                let loses = !mixture.has_lanes();
                self.known(number, &mixture, loses)
            }
            SingleChange::Lanes => {
                let mut all = Next {
                    more: Vec::new(),
                    loses: false,
                    closing: None,
                };
                for number in self.counted() {
                    let senders = self.senders(number, Rows::Either);
                    let mixture = Mixture::of_one(joint, &self.exits[number], senders);
                    let loses = !mixture.has_lanes();
                    let one = self.known(number, &mixture, loses);
                    all.more.extend(one.more);
                    all.loses |= one.loses;
                }
                all
            }
        }
    }

    fn known(&self, number: usize, mixture: &Mixture<'_>, loses: bool) -> Next {
        let mut more = sorted(mixture);
        more.retain(|turn| self.turns[number].binary_search(turn).is_err());
        Next {
            more,
            loses,
            closing: None,
        }
    }

    /// Whether whoever meets a new entry arrives by these, or that of a switch that is written.
    fn leads_on(&self, number: usize, at: u32, exits: &[u32]) -> bool {
        let address = &self.joint.addresses[number];
        let mut changed = address.changing(self.joint.left_count);
        changed.all(|from| {
            let is_new = from == at || exits[from as usize] != address.old.exits[from as usize];
            !is_new || arrives(self.joint, exits, from)
        })
    }
}

/// What packets wait for, in order and each once.
fn sorted(mixture: &Mixture<'_>) -> Vec<Turn> {
    let mut turns = mixture.turns();
    turns.sort_unstable();
    turns.dedup();
    turns
}

/// Whether entries lead from a switch to where they are for, over channels that are left.
fn arrives(joint: &Joint, exits: &[u32], mut at: u32) -> bool {
    for _ in 0..=joint.left_count {
        match exits[at as usize] {
            HERE => return true,
            exit if joint.stands(exit) => at = joint.edges[exit as usize].to,
            _ => return false,
        }
    }
    false
}
