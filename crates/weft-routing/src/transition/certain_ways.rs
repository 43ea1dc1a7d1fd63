//! Changes of which none can be the first, whatever else changes before: what packets certainly do until then.

use super::joint::{Joint, LeadsTo};
use super::lane_choice::Rows;
use super::side::NOWHERE;
use super::{BlockedChange, OrderEnd};
use crate::cycles::{AcyclicDependencies, Dependencies, LaneSet};
use crate::form::{LanedSet, numbers};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What changes, for an address at a switch, by their numbers.
pub(super) type Place = (u32, u32, BlockedChange);

/// A dependency, between lanes of edges.
pub(super) type Use = [u32; 2];

/// Why a change is not the first: who wants what, the last one the first.
#[derive(Clone, Debug)]
pub(super) struct Witness {
    pub(super) waits: Vec<CertainWait>,
    /// What has to stand as it does for that.
    pub(super) needs: BTreeSet<Place>,
}

/// A packet that holds one lane of an edge and wants another.
#[derive(Clone, Copy, Debug)]
pub(super) struct CertainWait {
    pub(super) held: u32,
    pub(super) lane: u8,
    pub(super) address: u32,
    pub(super) from: u32,
    pub(super) is_by_change: bool,
}

/// What packets to an address do as long as no entry of those that are left over is written.
#[derive(Clone, Debug, Default)]
struct Ways {
    /// Per switch that is left: the entry, where it is certain.
    exits: Vec<u32>,
    /// Per switch that is left: the entry on the other side of the write, where it is one of those left over.
    others: Vec<u32>,
    /// Who sends there, whatever else hosts have been told.
    sent: Vec<(u32, LaneSet)>,
    /// The level on the other side of the change, of switches whose hosts send by one and then by another, where that is one
    /// of those left over.
    other_levels: BTreeMap<u32, LaneSet>,
    /// Per switch: levels and lanes of packets that go on by its entry.
    on: Vec<LanedSet>,
    uses: Vec<Use>,
}

/// Changes left over, of which each closes a cycle when it is the first of them.
pub(super) struct CertainWays<'j> {
    joint: &'j Joint,
    into: &'j [Vec<LeadsTo>],
    ways: Vec<Ways>,
    graph: AcyclicDependencies,
}

impl<'j> CertainWays<'j> {
    /// The largest set of such changes, of the addresses counted; `None` where packets can deadlock without any.
    ///
    /// A change that may be the first of a set may be the first of any part of it, so each that is taken away leaves
    /// the others no worse.
    pub(super) fn new(
        joint: &'j Joint,
        into: &'j [Vec<LeadsTo>],
        end: OrderEnd,
        is_counted: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        let count = joint.addresses.len();
        let mut ways: Vec<Ways> = (0..count)
            .map(|number| {
                if is_counted(number) {
                    ways_of(joint, number, end)
                } else {
                    Ways::default()
                }
            })
            .collect();
        let mut graph = Dependencies::new(joint.vertex_count());
        for of in &mut ways {
            of.follow(joint);
            for &[held, wanted] in &of.uses {
                graph.add(held, wanted);
            }
        }
        let mut found = Self {
            joint,
            into,
            ways,
            graph: AcyclicDependencies::of(graph)?,
        };
        while found.take_away() {}
        Some(found)
    }

    /// Takes away the changes that may be first, and tells whether there were any.
    fn take_away(&mut self) -> bool {
        let mut is_less = false;
        for number in 0..self.ways.len() {
            let mut free = Vec::new();
            for change in self.ways[number].changes() {
                let added = self.added(number, change);
                if self.closing(&added).is_none() {
                    free.push(change);
                }
            }
            if free.is_empty() {
                continue;
            }
            is_less = true;
            let ways = &mut self.ways[number];
            for [held, wanted] in ways.uses.drain(..) {
                self.graph.remove_route(&[held, wanted]);
            }
            for (at, change) in free {
                ways.let_go(at, change);
            }
            ways.follow(self.joint);
            for &[held, wanted] in &ways.uses {
                let is_part = self.graph.add(held, wanted);
                debug_assert!(is_part, "a part of what closes no cycle closes none");
            }
        }
        is_less
    }

    /// The changes left over.
    pub(super) fn places(&self) -> Vec<Place> {
        let all = (0..).zip(&self.ways);
        all.flat_map(|(number, ways)| {
            let changes = ways.changes().into_iter();
            changes.map(move |(at, change)| (number, at, change))
        })
        .collect()
    }

    /// What packets do more once something has changed.
    fn added(&self, number: usize, (at, change): (u32, BlockedChange)) -> Vec<Use> {
        let ways = &self.ways[number];
        let first = match change {
            BlockedChange::Entry => ways.others[at as usize],
            BlockedChange::Level | BlockedChange::Levels => ways.exit(at),
        };
        let mut added = Vec::new();
        if !self.joint.stands(first) {
            return added;
        }
        let mut on = match change {
            BlockedChange::Entry => ways.begun(self.joint, at, first),
            BlockedChange::Level | BlockedChange::Levels => {
                begun(self.joint, ways.other_levels[&at], first)
            }
        };
        let into = self.into[at as usize].iter();
        for before in into.filter(|_| change == BlockedChange::Entry) {
            if ways.exits.get(before.from as usize) == Some(&before.edge) {
                let come = ways.on[before.from as usize];
                on |= self
                    .joint
                    .certain_uses([before.edge, first], come, &mut added);
            }
        }
        let mut held = first;
        // Who comes round again is on a cycle by then.
        for _ in 0..self.joint.switch_count {
            let to = self.joint.edges[held as usize].to;
            let wanted = if to == at { first } else { ways.exit(to) };
            if !self.joint.stands(wanted) {
                break;
            }
            on = self.joint.certain_uses([held, wanted], on, &mut added);
            if to == at || on == 0 {
                break;
            }
            held = wanted;
        }
        added
    }

    /// The first of some further dependencies that closes a cycle with those before it; leaves all as it was.
    fn closing(&mut self, added: &[Use]) -> Option<usize> {
        let is_refused = |&[held, wanted]: &Use| !self.graph.add(held, wanted);
        let found = added.iter().position(is_refused);
        for [held, wanted] in &added[..found.unwrap_or(added.len())] {
            self.graph.remove_route(&[*held, *wanted]);
        }
        found
    }

    /// Why none of the changes left over is the first.
    pub(super) fn witnesses(&mut self) -> BTreeMap<Place, Witness> {
        let mut users: BTreeMap<Use, u32> = BTreeMap::new();
        for (number, ways) in (0..).zip(&self.ways) {
            for &used in &ways.uses {
                users.entry(used).or_insert(number);
            }
        }
        let places = self.places();
        let all = places.into_iter().map(|place| {
            let added = self.added(place.0 as usize, (place.1, place.2));
            let Some(last) = self.closing(&added) else {
                unreachable!("what is left over closes a cycle");
            };
            let cycle = self.cycle(&added[..=last]);
            (place, self.witness(place, &cycle, (&added, &users)))
        });
        all.collect()
    }

    /// The cycle that further dependencies close, the last of them first.
    fn cycle(&self, added: &[Use]) -> Vec<u32> {
        let [held, wanted] = added[added.len() - 1];
        let mut from: BTreeMap<u32, u32> = BTreeMap::from([(wanted, held)]);
        let mut open = VecDeque::from([wanted]);
        while let Some(at) = open.pop_front() {
            if at == held {
                break;
            }
            let there = self.graph.wanted(at).iter().map(|&(next, _)| next);
            let more = added
                .iter()
                .filter(|used| used[0] == at)
                .map(|used| used[1]);
            for next in there.chain(more) {
                from.entry(next).or_insert_with(|| {
                    open.push_back(next);
                    at
                });
            }
        }
        let mut cycle = vec![held];
        let mut at = held;
        while at != wanted {
            at = from[&at];
            cycle.push(at);
        }
        cycle.reverse();
        cycle
    }

    fn witness(
        &self,
        place: Place,
        cycle: &[u32],
        (added, users): (&[Use], &BTreeMap<Use, u32>),
    ) -> Witness {
        let mut found = Witness {
            waits: Vec::new(),
            needs: BTreeSet::new(),
        };
        let pairs = cycle.iter().zip(cycle.iter().cycle().skip(1));
        for (&held, &wanted) in pairs {
            let used = [held, wanted];
            let is_by_change = !users.contains_key(&used);
            debug_assert!(!is_by_change || added.contains(&used));
            let address = if is_by_change { place.0 } else { users[&used] };
            let instead = is_by_change.then_some((place.1, place.2));
            let [(held, lane), (wanted, wanted_lane)] =
                used.map(|vertex| self.joint.edge_of(vertex));
            let way = self.way(address, instead, ([held, wanted], [lane, wanted_lane]));
            let Some((from, passed)) = way else {
                unreachable!("somebody waits there");
            };
            let ways = &self.ways[address as usize];
            let is_needed = |at: &u32| ways.others[*at as usize] != NOWHERE;
            let needs = passed.into_iter().filter(is_needed);
            let entries = needs.map(|at| (address, at, BlockedChange::Entry));
            found.needs.extend(entries);
            if ways.other_levels.contains_key(&from) {
                found.needs.insert((address, from, BlockedChange::Level));
            }
            found.waits.push(CertainWait {
                held,
                lane,
                address,
                from,
                is_by_change,
            });
        }
        found
    }

    /// Who comes to hold a lane of one edge and want one of another, and the switches on its way.
    fn way(
        &self,
        address: u32,
        instead: Option<(u32, BlockedChange)>,
        (edges, lanes): ([u32; 2], [u8; 2]),
    ) -> Option<(u32, Vec<u32>)> {
        let ways = &self.ways[address as usize];
        let (joint, laned) = (self.joint, &self.joint.lanes.laned);
        let exit = |at: u32| {
            if instead == Some((at, BlockedChange::Entry)) {
                ways.others[at as usize]
            } else {
                ways.exit(at)
            }
        };
        let by_level = instead.filter(|of| of.1 == BlockedChange::Level);
        let senders = ways.sent.iter().map(|&(from, levels)| match by_level {
            Some((at, _)) if at == from => (from, ways.other_levels[&at]),
            _ => (from, levels),
        });
        for (from, levels) in senders {
            let mut held = exit(from);
            for mut on in numbers(begun(joint, levels, held)).map(|number| 1 << number) {
                let mut passed = vec![from];
                // Round a circle once more, if need be.
                for _ in 0..=2 * joint.switch_count {
                    let at = joint.edges[held as usize].to;
                    let wanted = exit(at);
                    if !joint.stands(wanted) {
                        break;
                    }
                    passed.push(at);
                    let next = joint.certain_turn([held, wanted], on);
                    let both = numbers(on).zip(numbers(next));
                    let mut both =
                        both.map(|both| [both.0, both.1].map(|of| laned.lane(of).number()));
                    if [held, wanted] == edges && both.any(|both| both == lanes) {
                        return Some((from, passed));
                    }
                    if next == 0 {
                        break;
                    }
                    (held, on) = (wanted, next);
                }
                held = exit(from);
            }
        }
        None
    }
}

/// What is certain of an address as long as none of its entries is written.
fn ways_of(joint: &Joint, number: usize, end: OrderEnd) -> Ways {
    let address = &joint.addresses[number];
    if !address.is_left {
        return Ways::default();
    }
    let left = joint.left_count;
    let sides = [
        (address.old.exits.as_slice(), &address.old.sent),
        (address.written(), &address.new.sent),
    ];
    let [stands, other] = match end {
        OrderEnd::First => sides,
        OrderEnd::Last => [sides[1], sides[0]],
    };
    let mut exits = stands.0[..left].to_vec();
    for &at in &address.removed {
        exits[at as usize] = NOWHERE;
    }
    let mut others = vec![NOWHERE; left];
    for at in address.changing(left) {
        others[at as usize] = other.0[at as usize];
        if others[at as usize] == NOWHERE {
            // It closes no cycle by itself, so it may be the first.
            exits[at as usize] = NOWHERE;
        }
    }
    let (mut sent, mut other_levels) = (Vec::new(), BTreeMap::new());
    for one in stands.1.iter().filter(|one| (one.from as usize) < left) {
        let Some(two) = other.1.iter().find(|two| two.from == one.from) else {
            continue;
        };
        let same = one.levels & two.levels;
        if same != 0 {
            sent.push((one.from, same));
        } else if [one, two].iter().all(|of| of.levels.is_power_of_two()) {
            sent.push((one.from, one.levels));
            other_levels.insert(one.from, two.levels);
        }
    }
    Ways {
        exits,
        others,
        sent,
        other_levels,
        ..Ways::default()
    }
}

impl Ways {
    fn exit(&self, at: u32) -> u32 {
        self.exits.get(at as usize).copied().unwrap_or(NOWHERE)
    }

    /// What changes, and where.
    fn changes(&self) -> Vec<(u32, BlockedChange)> {
        let entries = (0..).zip(&self.others);
        let entries = entries.filter(|&(_, &other)| other != NOWHERE);
        let entries = entries.map(|(at, _)| (at, BlockedChange::Entry));
        let levels = self.other_levels.keys();
        entries
            .chain(levels.map(|&at| (at, BlockedChange::Level)))
            .collect()
    }

    /// Takes something for uncertain from now on.
    fn let_go(&mut self, at: u32, change: BlockedChange) {
        match change {
            BlockedChange::Entry => {
                self.exits[at as usize] = NOWHERE;
                self.others[at as usize] = NOWHERE;
            }
            BlockedChange::Level | BlockedChange::Levels => {
                self.other_levels.remove(&at);
                self.sent.retain(|&(from, _)| from != at);
            }
        }
    }

    /// What hosts of a switch certainly send over an edge.
    fn begun(&self, joint: &Joint, at: u32, edge: u32) -> LanedSet {
        let mut own = self.sent.iter().filter(|(from, _)| *from == at);
        own.next()
            .map_or(0, |&(_, levels)| begun(joint, levels, edge))
    }

    /// Follows all packets by what is certain.
    fn follow(&mut self, joint: &Joint) {
        self.on = vec![0; joint.switch_count];
        let mut uses = Vec::new();
        let mut open = Vec::new();
        for &(from, _) in &self.sent {
            self.on[from as usize] |= self.begun(joint, from, self.exit(from));
            open.push(from);
        }
        while let Some(at) = open.pop() {
            let exit = self.exit(at);
            if !joint.stands(exit) {
                continue;
            }
            let to = joint.edges[exit as usize].to;
            let wanted = self.exit(to);
            if !joint.stands(wanted) {
                continue;
            }
            let come = joint.certain_uses([exit, wanted], self.on[at as usize], &mut uses);
            let more = self.on[to as usize] | come;
            if more != self.on[to as usize] {
                self.on[to as usize] = more;
                open.push(to);
            }
        }
        uses.sort_unstable();
        uses.dedup();
        self.uses = uses;
    }
}

/// What is certainly sent over an edge by some service levels.
fn begun(joint: &Joint, levels: LaneSet, edge: u32) -> LanedSet {
    if !joint.stands(edge) {
        return 0;
    }
    let edge = &joint.edges[edge as usize];
    let each = (0..16).filter(|level| levels >> level & 1 == 1);
    let begun = each.map(|level| joint.lanes.begun(edge, 1 << level, Rows::Either).certain());
    begun.fold(0, |all, one| all | one)
}
