//! An order of single changes, found by what dead ends teach, or shown to be none.

use super::OrderEnd;
use super::changes_done::ChangesDone;
use super::joint::Joint;
use super::one_change::SingleChange;
use super::reasons::{Reason, Waiting};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Dead ends after which a search begins anew, with what it has learned.
const DEAD_ENDS_OF_A_TRY: usize = 50;

/// About how many steps of packets are followed for each switch to tell why one change cannot be the next.
const STEPS_OF_A_REASON: usize = 32;

/// Changes that can never be done: once some are met and these are not, none of these is ever the next.
#[derive(Clone, Debug)]
pub(super) struct DeadEnd {
    /// Those that are met.
    pub(super) met: BTreeSet<usize>,
    /// Those of which none can be the next, each with what stands in its way.
    pub(super) left: BTreeMap<usize, Obstacle>,
}

/// What keeps a change from being the next.
#[derive(Clone, Debug)]
pub(super) enum Obstacle {
    /// Packets wait in a circle.
    Circle(Vec<Waiting>),
    /// Packets are lost.
    Loses,
    /// It leads to a dead end, by its number.
    DeadEnd(usize),
}

/// Changes that cannot be the next: what that takes to be met and to be left, and what stands in the way.
pub(super) type Stuck = BTreeMap<usize, (BTreeSet<usize>, Obstacle)>;

/// A search from one end of the order.
pub(super) struct OrderSearch<'j> {
    pub(super) done: ChangesDone<'j>,
    /// The changes that are met, in their order.
    pub(super) trail: Vec<usize>,
    pub(super) all: Vec<usize>,
    pub(super) dead_ends: Vec<DeadEnd>,
    /// Per change: the dead ends that it is one of those met of.
    of_met: Vec<Vec<usize>>,
    /// Per change: how early it is tried, the highest first, by dead ends that left it over and else as drawn.
    urgency: Vec<u64>,
    drawn: Vec<u32>,
    random: Pcg64Mcg,
}

/// What a search has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The trail is an order of all changes.
    Order,
    /// The last dead end has nothing met: there is no order.
    Impossible,
    /// It was given up.
    Unknown,
}

impl<'j> OrderSearch<'j> {
    /// `None` where packets can deadlock at that end.
    pub(super) fn new(
        joint: &'j Joint,
        changes: &'j [SingleChange],
        end: OrderEnd,
        counts: Vec<bool>,
    ) -> Option<Self> {
        let done = ChangesDone::new(joint, changes, end, counts)?;
        Some(Self {
            trail: Vec::new(),
            all: done.places(),
            done,
            dead_ends: Vec::new(),
            of_met: vec![Vec::new(); changes.len()],
            urgency: vec![0; changes.len()],
            drawn: vec![0; changes.len()],
            random: Pcg64Mcg::seed_from_u64(0),
        })
    }

    /// Goes on until all changes are met, or none can be the first, or so many steps of packets have been followed.
    pub(super) fn go_on(&mut self, most_steps: usize) -> Outcome {
        loop {
            self.meet_all();
            if self.trail.len() == self.all.len() {
                return Outcome::Order;
            }
            let follows = (self.all.len() - self.trail.len())
                * self.done.joint.left_count
                * STEPS_OF_A_REASON;
            if self.done.steps + follows > most_steps {
                return Outcome::Unknown;
            }
            let dead_end = self.dead_end();
            let last = self
                .trail
                .iter()
                .rposition(|place| dead_end.met.contains(place));
            self.learn(dead_end);
            let Some(last) = last else {
                return Outcome::Impossible;
            };
            let begins_anew = self.dead_ends.len().is_multiple_of(DEAD_ENDS_OF_A_TRY);
            if begins_anew {
                self.draw();
            }
            let kept = if begins_anew { 0 } else { last };
            while self.trail.len() > kept {
                self.take_back();
            }
        }
    }

    /// Draws an order in which changes are tried that no dead end has left over.
    fn draw(&mut self) {
        for drawn in &mut self.drawn {
            *drawn = self.random.random();
        }
    }

    pub(super) fn left(&self) -> Vec<usize> {
        let all = self.all.iter().copied();
        all.filter(|&place| !self.done.is_met[place]).collect()
    }

    /// Meets changes as long as any can be the next, those first that dead ends left over last.
    pub(super) fn meet_all(&mut self) {
        loop {
            let mut left = self.left();
            left.sort_by_key(|&place| Reverse((self.urgency[place], self.drawn[place])));
            let before = self.trail.len();
            for place in left {
                if self.ahead(place).is_none() && self.done.may(place) {
                    self.done.turn_over(place);
                    self.trail.push(place);
                }
            }
            if self.trail.len() == before {
                return;
            }
        }
    }

    fn take_back(&mut self) {
        if let Some(place) = self.trail.pop() {
            self.done.turn_over(place);
        }
    }

    /// A dead end that a change leads to.
    fn ahead(&self, place: usize) -> Option<usize> {
        let is_met = |&of: &usize| of == place || self.done.is_met[of];
        let mut known = self.of_met[place].iter().copied();
        known.find(|&number| {
            let of = &self.dead_ends[number];
            of.met.iter().all(is_met) && of.left.keys().all(|&left| !self.done.is_met[left])
        })
    }

    /// What leaves over some of the changes that are left.
    fn dead_end(&mut self) -> DeadEnd {
        let left = self.left();
        let start = left[self.random.random_range(0..left.len())];
        let found = self.stuck(start);
        let met = found.values().flat_map(|(needs, _)| needs).copied();
        let met = met.filter(|&of| self.done.is_met[of]).collect();
        let left = found.into_iter();
        let left = left.map(|(place, (_, obstacle))| (place, obstacle));
        DeadEnd {
            met,
            left: left.collect(),
        }
    }

    /// Changes that are left none of which can be the next as long as none of the others of them is, each with what stands
    /// in its way and what that needs: the first such that what one of them needs leads to.
    pub(super) fn stuck(&mut self, start: usize) -> Stuck {
        let mut obstacles = BTreeMap::new();
        // Components of what needs what, as Gabow finds them: the first that is complete needs no other.
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut open, mut bounds): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut way: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut next = start;
        loop {
            let (needs, obstacle) = self.obstacle(next);
            let left = needs.iter().filter(|&&of| !self.done.is_met[of]);
            way.push((next, left.copied().collect()));
            obstacles.insert(next, (needs, obstacle));
            places.insert(next, open.len());
            bounds.push(open.len());
            open.push(next);
            next = loop {
                let Some((of, needs)) = way.last_mut() else {
                    unreachable!("the first component is complete before its start is left");
                };
                if let Some(needed) = needs.pop() {
                    let Some(&known) = places.get(&needed) else {
                        break needed;
                    };
                    while bounds.last().is_some_and(|&bound| bound > known) {
                        bounds.pop();
                    }
                    continue;
                }
                let place = places[of];
                if bounds.last() == Some(&place) {
                    let part: BTreeSet<usize> = open.split_off(place).into_iter().collect();
                    obstacles.retain(|of, _| part.contains(of));
                    return obstacles;
                }
                way.pop();
            };
        }
    }

    /// What stands in the way of a change that cannot be the next, and what that needs.
    fn obstacle(&mut self, place: usize) -> (BTreeSet<usize>, Obstacle) {
        if let Some(number) = self.ahead(place) {
            let of = &self.dead_ends[number];
            let mut needs: BTreeSet<usize> = of.met.iter().chain(of.left.keys()).copied().collect();
            needs.remove(&place);
            return (needs, Obstacle::DeadEnd(number));
        }
        let Reason { needs, waits } = self.done.reason(place);
        let obstacle = if waits.is_empty() {
            Obstacle::Loses
        } else {
            Obstacle::Circle(waits)
        };
        (needs, obstacle)
    }

    fn learn(&mut self, dead_end: DeadEnd) {
        let number = self.dead_ends.len();
        for &place in &dead_end.met {
            self.of_met[place].push(number);
        }
        for &place in dead_end.left.keys() {
            self.urgency[place] += 1 + number as u64;
        }
        self.dead_ends.push(dead_end);
    }
}
