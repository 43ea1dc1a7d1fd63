//! What packets to one address may meet while its entries change.

use super::addresses::{Address, Sent};
use super::joint::Joint;
use super::side::{HERE, NOWHERE};
use crate::cycles::LaneSet;
use weft_fabric::narrow;

/// In which order the entries of an address change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// From the destination outwards, so that who has met a new entry meets no other.
    Outwards,
    /// Each switch when it will.
    Any,
}

/// A way on for packets that hold a channel: the channel held, the one wanted, and their lanes.
pub(super) type Turn = (u32, u32, LaneSet);

/// Who is on the way.
#[derive(Clone, Copy)]
pub(super) struct Senders<'a> {
    /// Each kind: before, after.
    pub(super) sent: [&'a [Sent]; 2],
    /// Those whose packets may have passed what failed.
    pub(super) past: &'a [Sent],
}

/// An entry of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Old,
    New,
    /// It does not change.
    Same,
}

/// The switches that packets pass, by the lanes they are on there.
pub(super) struct Mixture<'a> {
    joint: &'a Joint,
    first: &'a [u32],
    second: Option<(&'a [u32], Order)>,
    /// Per switch: lanes of packets that have met no new entry.
    untouched: Vec<LaneSet>,
    /// Per switch: lanes of packets that have met one.
    turned: Vec<LaneSet>,
}

impl<'a> Mixture<'a> {
    /// Follows packets by entries that do not change.
    pub(super) fn of_one(joint: &'a Joint, exits: &'a [u32], senders: Senders<'_>) -> Self {
        Self::new(joint, exits, None, senders)
    }

    /// Follows packets by old entries and new ones.
    pub(super) fn of_both(
        joint: &'a Joint,
        address: &'a Address,
        order: Order,
        senders: Senders<'_>,
    ) -> Self {
        let second = Some((address.new.exits.as_slice(), order));
        Self::new(joint, &address.old.exits, second, senders)
    }

    fn new(
        joint: &'a Joint,
        first: &'a [u32],
        second: Option<(&'a [u32], Order)>,
        senders: Senders<'_>,
    ) -> Self {
        let mut walk = Self {
            joint,
            first,
            second,
            untouched: vec![0; joint.switch_count],
            turned: vec![0; joint.switch_count],
        };
        // What has passed a channel before it failed is behind it.
        for sent in senders.past {
            walk.untouched[sent.from as usize] |= sent.lanes;
        }
        walk.spread_past();
        for sent in senders.sent.into_iter().flatten() {
            walk.untouched[sent.from as usize] |= sent.lanes;
        }
        walk.spread();
        walk
    }

    fn spread_past(&mut self) {
        self.follow_first(|exit| exit < HERE);
    }

    /// Lets packets go on by the first entries as far as they lead over channels that they may take.
    fn follow_first(&mut self, takes: impl Fn(u32) -> bool) {
        for start in 0..self.untouched.len() {
            let (mut at, lanes) = (start, self.untouched[start]);
            if lanes == 0 {
                continue;
            }
            loop {
                let exit = self.first[at];
                if !takes(exit) {
                    break;
                }
                let to = self.joint.edges[exit as usize].to;
                if !join(&mut self.untouched, to, lanes) {
                    break;
                }
                at = to as usize;
            }
        }
    }

    fn occupied(&self) -> Vec<u32> {
        let all = (0..).zip(&self.untouched);
        all.filter(|(_, lanes)| **lanes != 0)
            .map(|(at, _)| at)
            .collect()
    }

    fn spread(&mut self) {
        if self.second.is_none() {
            let joint = self.joint;
            self.follow_first(|exit| joint.stands(exit));
            return;
        }
        let mut open = self.occupied();
        while let Some(at) = open.pop() {
            for (edge, entry) in self.exits(at) {
                let to = self.joint.edges[edge as usize].to;
                let [untouched, turned] = self.carried(at, entry);
                let more = [
                    join(&mut self.untouched, to, untouched),
                    join(&mut self.turned, to, turned),
                ];
                if more != [false; 2] {
                    open.push(to);
                }
            }
        }
    }

    /// Whether packets that have met a new entry meet old ones.
    fn meets_old(&self) -> bool {
        matches!(self.second, Some((_, Order::Any)))
    }

    /// The lanes that an entry of a switch leads packets on: of those that have then met no new one, and of
    /// those that have.
    fn carried(&self, at: u32, entry: Entry) -> [LaneSet; 2] {
        let [untouched, turned] = [self.untouched[at as usize], self.turned[at as usize]];
        match entry {
            Entry::Same => [untouched, turned],
            Entry::Old if self.meets_old() => [untouched, turned],
            Entry::Old => [untouched, 0],
            Entry::New => [0, untouched | turned],
        }
    }

    /// The channels that are left by which a switch goes on.
    fn exits(&self, at: u32) -> impl Iterator<Item = (u32, Entry)> + use<> {
        let first = self.first[at as usize];
        let second = self.second.map_or(first, |(second, _)| second[at as usize]);
        let both = if first == second {
            [(first, Entry::Same), (NOWHERE, Entry::Same)]
        } else {
            [(first, Entry::Old), (second, Entry::New)]
        };
        let standing = both.map(|way| self.joint.stands(way.0).then_some(way));
        standing.into_iter().flatten()
    }

    /// Tells whether packets come to a switch.
    pub(super) fn passes(&self, at: u32) -> bool {
        self.untouched[at as usize] | self.turned[at as usize] != 0
    }

    /// What waits for what.
    pub(super) fn turns(&self) -> Vec<Turn> {
        let mut turns = Vec::with_capacity(self.joint.switch_count);
        for (at, lanes) in (0..).zip(self.untouched.iter().zip(&self.turned)) {
            if lanes.0 | lanes.1 == 0 {
                continue;
            }
            for (held, entry) in self.exits(at) {
                let [untouched, turned] = self.carried(at, entry);
                for (wanted, entry) in self.exits(self.joint.edges[held as usize].to) {
                    let lanes = match entry {
                        Entry::Old if !self.meets_old() => untouched,
                        Entry::Old | Entry::New | Entry::Same => untouched | turned,
                    };
                    if lanes != 0 {
                        turns.push((held, wanted, lanes));
                    }
                }
            }
        }
        turns
    }

    /// Tells whether packets that have met a new entry never end at a switch without one, or before a
    /// channel that failed.
    pub(super) fn goes_on(&self) -> bool {
        let leads = |exit: u32| exit == HERE || self.joint.stands(exit);
        let Some((second, order)) = self.second else {
            return true;
        };
        let mut all = self.turned.iter().zip(self.first.iter().zip(second));
        all.all(|(&lanes, (&old, &new))| {
            lanes == 0 || (leads(new) && (order == Order::Outwards || leads(old)))
        })
    }

    /// Tells whether packets may go in a circle.
    pub(super) fn goes_round(&self) -> bool {
        // Switches are taken away that packets to nobody else come from, until none is left or a circle.
        let switches = || (0..).take(self.joint.switch_count);
        let occupied = |at: u32| self.passes(at);
        let targets = |at: u32| {
            self.exits(at)
                .map(|(edge, _)| self.joint.edges[edge as usize].to)
        };
        let mut waiting = vec![0_u32; self.joint.switch_count];
        for to in switches().filter(|&at| occupied(at)).flat_map(targets) {
            waiting[to as usize] += 1;
        }
        let is_open = |at: &u32| occupied(*at) && waiting[*at as usize] == 0;
        let mut open: Vec<u32> = switches().filter(is_open).collect();
        let mut taken = 0;
        while let Some(at) = open.pop() {
            taken += 1;
            for to in targets(at) {
                waiting[to as usize] -= 1;
                if waiting[to as usize] == 0 {
                    open.push(to);
                }
            }
        }
        taken < switches().filter(|&at| occupied(at)).count()
    }

    /// The most switches that a packet meets; that goes in a circle, as many as there are.
    pub(super) fn most_switches(&self) -> u32 {
        let count = self.joint.switch_count;
        // Per switch, from where a packet has met no new entry and then from where it has.
        let mut longest = vec![UNKNOWN; 2 * count];
        let mut way: Vec<usize> = Vec::new();
        for start in (0..).take(count).filter(|&at| self.passes(at)) {
            way.push(2 * start as usize);
            while let Some(&place) = way.last() {
                let mut found = 1;
                let mut ahead = None;
                for next in self.goes_to(place) {
                    match longest[next] {
                        UNKNOWN => {
                            ahead = Some(next);
                            break;
                        }
                        ON_THE_WAY => return narrow(count, "switches have numbers of 32 bits"),
                        known => found = found.max(1 + known),
                    }
                }
                if let Some(next) = ahead {
                    longest[place] = ON_THE_WAY;
                    way.push(next);
                } else {
                    longest[place] = found;
                    way.pop();
                }
            }
        }
        let starts = longest.iter().step_by(2);
        starts
            .filter(|&&most| most < ON_THE_WAY)
            .copied()
            .max()
            .unwrap_or(0)
    }

    /// Where packets go on to, by switch and whether they have met a new entry.
    fn goes_to(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let (at, has_turned) = (place / 2, place % 2 == 1);
        let at = narrow(at, "switches have numbers of 32 bits");
        self.exits(at).filter_map(move |(edge, entry)| {
            let turns = match entry {
                Entry::New => true,
                Entry::Old if has_turned && !self.meets_old() => return None,
                Entry::Old | Entry::Same => has_turned,
            };
            Some(2 * self.joint.edges[edge as usize].to as usize + usize::from(turns))
        })
    }
}

/// Adds lanes to those of a switch, and tells whether any is new there.
fn join(lanes: &mut [LaneSet], at: u32, more: LaneSet) -> bool {
    let before = lanes[at as usize];
    lanes[at as usize] |= more;
    lanes[at as usize] != before
}

/// What a search of ways has not come to, and what it is on its way from.
const UNKNOWN: u32 = u32::MAX;
const ON_THE_WAY: u32 = u32::MAX - 1;

/// The round of each switch whose entry changes, from the destination outwards; `None` where new entries
/// lead in a circle.
pub(super) fn rounds_outwards(joint: &Joint, address: &Address, left: usize) -> Option<Vec<u32>> {
    let mut rounds = vec![UNKNOWN; joint.switch_count];
    let mut way = Vec::new();
    for start in (0..).take(left) {
        let mut at = start;
        let mut round = loop {
            match rounds[at as usize] {
                ON_THE_WAY => return None,
                UNKNOWN => {}
                known => break known,
            }
            rounds[at as usize] = ON_THE_WAY;
            way.push(at);
            match address.new.exits[at as usize] {
                edge if edge < HERE => at = joint.edges[edge as usize].to,
                _ => break 0,
            }
        };
        for at in way.drain(..).rev() {
            round += u32::from((at as usize) < left && address.changes(at));
            rounds[at as usize] = round;
        }
    }
    rounds.truncate(left);
    Some(rounds)
}
