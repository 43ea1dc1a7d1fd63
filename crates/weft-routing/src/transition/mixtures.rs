//! What packets to one address may meet while its entries change.

use super::addresses::{Address, Sent};
use super::joint::Joint;
use super::lane_choice::Rows;
use super::side::{HERE, NOWHERE};
use crate::form::{LanedSet, numbers};
use weft_fabric::narrow;

/// In which order the entries of an address change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// From the destination outwards, so that who has met a new entry meets no other.
    Outwards,
    /// Each switch when it will.
    Any,
}

/// A way on for packets: the lane of a channel that they hold, and that of another that they want.
pub(super) type Turn = [u32; 2];

/// Who is on the way, and what switches make of service levels.
#[derive(Clone, Copy)]
pub(super) struct Senders<'a> {
    /// Each kind: before, after.
    pub(super) sent: [&'a [Sent]; 2],
    /// Those whose packets may have passed what failed.
    pub(super) past: &'a [Sent],
    /// Switches without hosts: those whose packets may have passed what failed, and those that send.
    pub(super) management: [&'a [Sent]; 2],
    pub(super) rows: Rows,
}

/// Service levels on lanes, of packets that have met no new entry and of those that have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Packets {
    untouched: LanedSet,
    turned: LanedSet,
}

/// An entry of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Old,
    New,
    /// It does not change.
    Same,
}

/// The switches that packets pass, and what they are on there.
pub(super) struct Mixture<'a> {
    joint: &'a Joint,
    first: &'a [u32],
    second: Option<(&'a [u32], Order)>,
    rows: Rows,
    /// Per switch: what leaves it by its first entry, and by a second one.
    on: Vec<[Packets; 2]>,
    /// Per switch: whether packets come there that have met no new entry, and such that have.
    comes: Vec<[bool; 2]>,
    /// Per switch: whether it has no hosts, and sends.
    manages: Vec<bool>,
    /// Whether a switch has no lane for some.
    drops: bool,
}

impl<'a> Mixture<'a> {
    /// Follows packets by entries that do not change.
    pub(super) fn of_one(joint: &'a Joint, exits: &'a [u32], senders: Senders<'_>) -> Self {
        Self::new(joint, exits, None, senders)
    }

    /// Follows packets by the entries that there are and those that follow.
    pub(super) fn of_both(
        joint: &'a Joint,
        [first, second]: [&'a [u32]; 2],
        order: Order,
        senders: Senders<'_>,
    ) -> Self {
        Self::new(joint, first, Some((second, order)), senders)
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
            rows: senders.rows,
            on: vec![[Packets::default(); 2]; joint.switch_count],
            comes: vec![[false; 2]; joint.switch_count],
            manages: vec![false; joint.switch_count],
            drops: false,
        };
        let mut open = Vec::new();
        let [past_management, management] = senders.management;
        walk.spread_past([senders.past, past_management], &mut open);
        for sent in senders
            .past
            .iter()
            .chain(senders.sent.into_iter().flatten())
        {
            walk.comes[sent.from as usize][0] = true;
            walk.begin(*sent, &mut open);
        }
        for sent in management {
            walk.manages[sent.from as usize] = true;
            walk.begin(*sent, &mut open);
        }
        while let Some((at, place)) = open.pop() {
            let edge = if place == 0 {
                first[at as usize]
            } else {
                second.map_or(NOWHERE, |(second, _)| second[at as usize])
            };
            walk.arrive(edge, walk.on[at as usize][place], &mut open);
        }
        walk
    }

    /// Lets packets go on by the first entries over channels that failed too: what has passed one before that is
    /// behind it.
    fn spread_past(&mut self, past: [&[Sent]; 2], open: &mut Vec<(u32, usize)>) {
        let joint = self.joint;
        let fails = |edge: u32| edge < HERE && !joint.stands(edge);
        if !self.first.iter().any(|&edge| fails(edge)) {
            return;
        }
        let mut on: Vec<LanedSet> = vec![0; joint.switch_count];
        for sent in past.into_iter().flatten() {
            let (mut edge, mut at) = (self.first[sent.from as usize], sent.from);
            if edge >= HERE {
                continue;
            }
            let given = joint
                .lanes
                .begun(&joint.edges[edge as usize], sent.levels, Rows::Old);
            let mut levels = given.levels;
            while edge < HERE && levels & !on[at as usize] != 0 {
                on[at as usize] |= levels;
                let of = &joint.edges[edge as usize];
                if !joint.stands(edge) {
                    let packets = Packets {
                        untouched: levels,
                        turned: 0,
                    };
                    self.arrive(edge, packets, open);
                }
                at = of.to;
                let next = self.first[at as usize];
                if next < HERE {
                    let turn = [of, &joint.edges[next as usize]];
                    levels = joint.lanes.turned(turn, levels, Rows::Old).levels;
                }
                edge = next;
            }
        }
    }

    /// Lets a switch send, or its hosts.
    fn begin(&mut self, sent: Sent, open: &mut Vec<(u32, usize)>) {
        for (place, (edge, entry)) in self.exits(sent.from) {
            let edge = &self.joint.edges[edge as usize];
            let given = self.joint.lanes.begun(edge, sent.levels, self.rows);
            self.drops |= given.drops;
            let packets = Packets {
                untouched: given.levels,
                turned: 0,
            };
            self.add((sent.from, place), packets.by(entry), open);
        }
    }

    /// Lets packets come over an edge, and go on by whatever entries there are.
    fn arrive(&mut self, edge: u32, packets: Packets, open: &mut Vec<(u32, usize)>) {
        let joint = self.joint;
        let held = &joint.edges[edge as usize];
        let at = held.to;
        let comes = &mut self.comes[at as usize];
        comes[0] |= packets.untouched != 0;
        comes[1] |= packets.turned != 0;
        for (place, (wanted, entry)) in self.exits(at) {
            let wanted = &joint.edges[wanted as usize];
            let packets = self.meeting(packets, entry);
            let mut given = |levels| {
                let given = joint.lanes.turned([held, wanted], levels, self.rows);
                self.drops |= given.drops;
                given.levels
            };
            let packets = Packets {
                untouched: given(packets.untouched),
                turned: given(packets.turned),
            };
            self.add((at, place), packets.by(entry), open);
        }
    }

    /// Adds what leaves a switch.
    fn add(&mut self, (at, place): (u32, usize), more: Packets, open: &mut Vec<(u32, usize)>) {
        let on = &mut self.on[at as usize][place];
        let all = Packets {
            untouched: on.untouched | more.untouched,
            turned: on.turned | more.turned,
        };
        if *on != all {
            *on = all;
            open.push((at, place));
        }
    }

    /// Those packets that meet an entry.
    fn meeting(&self, packets: Packets, entry: Entry) -> Packets {
        match entry {
            Entry::Old if !self.meets_old() => Packets {
                turned: 0,
                ..packets
            },
            Entry::Old | Entry::New | Entry::Same => packets,
        }
    }

    /// Whether packets that have met a new entry meet old ones.
    fn meets_old(&self) -> bool {
        matches!(self.second, Some((_, Order::Any)))
    }

    /// The channels that are left by which a switch goes on: first entries at place 0, second ones at place 1.
    fn exits(&self, at: u32) -> impl Iterator<Item = (usize, (u32, Entry))> + use<> {
        let first = self.first[at as usize];
        let second = self.second.map_or(first, |(second, _)| second[at as usize]);
        let both = if first == second {
            [(first, Entry::Same), (NOWHERE, Entry::Same)]
        } else {
            [(first, Entry::Old), (second, Entry::New)]
        };
        let standing = both.map(|way| self.joint.stands(way.0).then_some(way));
        let each = standing.into_iter().enumerate();
        each.filter_map(|(place, way)| Some((place, way?)))
    }

    /// Tells whether packets of others come to a switch, or of its hosts.
    pub(super) fn passes(&self, at: u32) -> bool {
        self.comes[at as usize] != [false; 2]
    }

    /// Tells whether packets come to a switch, or begin there.
    fn has_packets(&self, at: u32) -> bool {
        self.passes(at) || self.manages[at as usize]
    }

    /// What waits for what.
    pub(super) fn turns(&self) -> Vec<Turn> {
        let joint = self.joint;
        let mut turns = Vec::with_capacity(joint.switch_count);
        for (at, on) in (0..).zip(&self.on) {
            for (place, (held, _)) in self.exits(at) {
                let packets = on[place];
                let edge = &joint.edges[held as usize];
                for (_, (wanted, entry)) in self.exits(edge.to) {
                    let meeting = self.meeting(packets, entry);
                    let next = &joint.edges[wanted as usize];
                    for number in numbers(meeting.untouched | meeting.turned) {
                        let given = joint.lanes.turned([edge, next], 1 << number, self.rows);
                        let held = joint.vertex(held, joint.lanes.laned.lane(number).number());
                        turns.extend(numbers(given.levels).map(|number| {
                            let lane = joint.lanes.laned.lane(number).number();
                            [held, joint.vertex(wanted, lane)]
                        }));
                    }
                }
            }
        }
        turns
    }

    /// Tells whether switches have lanes for all packets.
    pub(super) fn has_lanes(&self) -> bool {
        !self.drops
    }

    /// Tells whether switches have lanes for all packets, and those that have met a new entry never end at a switch
    /// without one, or before a channel that failed.
    pub(super) fn goes_on(&self) -> bool {
        let leads = |exit: u32| exit == HERE || self.joint.stands(exit);
        let Some((second, order)) = self.second else {
            return self.has_lanes();
        };
        let mut all = self.comes.iter().zip(self.first.iter().zip(second));
        self.has_lanes()
            && all.all(|(&[_, has_turned], (&old, &new))| {
                !has_turned || (leads(new) && (order == Order::Outwards || leads(old)))
            })
    }

    /// Tells whether packets may go in a circle.
    pub(super) fn goes_round(&self) -> bool {
        // Switches are taken away that packets to nobody else come from, until none is left or a circle.
        let switches = || (0..).take(self.joint.switch_count);
        let occupied = |at: u32| self.has_packets(at);
        let targets = |at: u32| {
            self.exits(at)
                .map(|(_, (edge, _))| self.joint.edges[edge as usize].to)
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
        for start in (0..).take(count).filter(|&at| self.has_packets(at)) {
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
        self.exits(at).filter_map(move |(_, (edge, entry))| {
            let turns = match entry {
                Entry::New => true,
                Entry::Old if has_turned && !self.meets_old() => return None,
                Entry::Old | Entry::Same => has_turned,
            };
            Some(2 * self.joint.edges[edge as usize].to as usize + usize::from(turns))
        })
    }
}

impl Packets {
    /// What they are once they have met an entry.
    fn by(self, entry: Entry) -> Self {
        match entry {
            Entry::Old | Entry::Same => self,
            Entry::New => Self {
                untouched: 0,
                turned: self.untouched | self.turned,
            },
        }
    }
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
