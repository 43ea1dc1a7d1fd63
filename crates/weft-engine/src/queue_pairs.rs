//! Queue pairs: the packets of a program that wait at a host, for each destination by themselves. Those that
//! begin on the same lane take turns.

use crate::far_pairs::FarPairs;
use crate::ids::{Id, PairId};
use crate::linked_queue::LinkedQueue;
use crate::pair_names::{Name, Named, PairNames};
use crate::slab::Slab;
use crate::waiting_pair::{QueuePair, Turns};
use std::collections::{BTreeMap, VecDeque};
use weft_model::workload::{Packet, Train};
use weft_routing::Lane;

/// The queue pairs of a host in which something waits; `W` is what a packet is told of its way once it is the first
/// of its queue pair. What is asked for at every packet comes first and fills one cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct QueuePairs<W> {
    /// Of the first lane: the queue pairs whose first packet begins on it; urgent ones, then others.
    first_lane: [Line; 2],
    turns: Turns,
    /// Packets that wait.
    waiting: u64,
    /// A bit for each lane that the first packet of a queue pair begins on.
    lanes: u16,
    /// Of the first lane, those in the second line that are not far behind.
    near: u32,
    /// The same as of the first lane, of those after it.
    other_lanes: Vec<[Line; 2]>,
    pairs: Slab<QueuePair, PairId>,
    names: PairNames,
    /// Those that are far behind in the second line of the first lane, where all packets to a destination are told alike.
    far: Option<Box<FarPairs>>,
    /// What is behind the packets in front, each with the number of its first, of queue pairs where anything was.
    others: BTreeMap<Name, VecDeque<(u64, Train)>>,
    /// By queue pair what its first packet was told of its way, where not all packets to a destination are told alike.
    ways: Vec<W>,
    /// The queue pair that was alone in its line, and what the packets in front of it are told, where all are told alike:
    /// it is likely to be next.
    told: Option<(PairId, W)>,
    /// Packets generated so far.
    generated: u64,
}

/// Of a line so many at most are not far behind, once there are more.
const NEAR: u32 = 32;

/// So many at least: the first and the next are fetched ahead of time.
const LEAST_NEAR: u32 = 2;

/// The line of those that are not urgent.
const NOT_URGENT: usize = 1;

/// Queue pairs that take turns.
#[derive(Clone, Debug)]
struct Line {
    /// In turn: the first is served.
    pairs: LinkedQueue<PairId>,
    /// Bytes that the first has sent in its turn.
    bytes: u64,
}

impl Line {
    const EMPTY: Self = Self {
        pairs: LinkedQueue::EMPTY,
        bytes: 0,
    };
}

/// A packet that was the first of its queue pair.
#[derive(Debug)]
pub(crate) struct First<W> {
    pub(crate) packet: Packet,
    /// Its number among the packets of its host.
    pub(crate) sequence: u64,
    /// It is the last of those it was generated with.
    pub(crate) is_last: bool,
    pub(crate) way: W,
}

/// The place of a lane among those after the first.
#[inline]
fn other_lane(lane: Lane) -> Option<usize> {
    lane.index().checked_sub(1)
}

/// The queue pair that a packet takes, among those of its host.
fn name(packet: &Packet) -> Name {
    (!packet.is_urgent, packet.destination, packet.queue_pair)
}

impl<W: Copy> QueuePairs<W> {
    /// Nothing waits.
    pub(crate) fn new(turns: Turns) -> Self {
        Self {
            first_lane: [Line::EMPTY, Line::EMPTY],
            turns,
            waiting: 0,
            lanes: 0,
            near: 0,
            other_lanes: Vec::new(),
            pairs: Slab::new(),
            names: PairNames::default(),
            far: None,
            others: BTreeMap::new(),
            ways: Vec::new(),
            told: None,
            generated: 0,
        }
    }

    /// The packets that wait.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Whether a packet waits that begins on a lane.
    #[inline]
    pub(crate) fn has_any_on(&self, lane: Lane) -> bool {
        self.lanes >> lane.number() & 1 != 0
    }

    /// These packets are generated; `tell` tells the way of one that is the first of its queue pair, where `are_alike`
    /// that of all for the same destination on the same lanes.
    pub(crate) fn join(
        &mut self,
        trains: impl IntoIterator<Item = Train>,
        are_alike: bool,
        mut tell: impl FnMut(&Packet) -> (Lane, W),
    ) {
        for train in trains {
            let sequence = self.generated;
            self.generated += train.count;
            self.waiting += train.count;
            let name = name(&train.packet);
            if let Some(pair) = self.names.find(name, &self.pairs) {
                self.pairs[pair].has_others = true;
                self.line_up_behind(name, (sequence, train));
                continue;
            }
            if self.far.as_ref().is_some_and(|far| far.has(name)) {
                self.line_up_behind(name, (sequence, train));
                continue;
            }
            let (lane, way) = tell(&train.packet);
            let (mut pair, rest) = QueuePair::new(sequence, &train);
            if let Some(rest) = rest {
                pair.has_others = true;
                self.others.insert(name, VecDeque::from([rest]));
            }
            if self.goes_far(&pair, lane, are_alike) {
                // It has had no number, for which there would be room then.
                self.far.get_or_insert_default().push(pair.far());
                self.lanes |= 1 << lane.number();
                continue;
            }
            let pair = self.pairs.insert(pair);
            if !are_alike {
                match self.ways.get_mut(pair.offset()) {
                    Some(place) => *place = way,
                    None => self.ways.push(way),
                }
            }
            self.names.insert(pair, &self.pairs);
            self.go_last(pair, lane, are_alike);
        }
    }

    /// Something is behind what a queue pair holds.
    fn line_up_behind(&mut self, name: Name, train: (u64, Train)) {
        self.others.entry(name).or_default().push_back(train);
    }

    /// Takes the packet whose turn it is among those that begin on a lane. Where `are_alike`, all packets for a
    /// destination on the same lanes are told the same way.
    pub(crate) fn take(
        &mut self,
        lane: Lane,
        are_alike: bool,
        mut tell: impl FnMut(&Packet) -> (Lane, W),
    ) -> Option<First<W>> {
        let quantum_bytes = self.turns.quantum_bytes;
        let (place, line) = self.served(lane)?;
        if line.bytes >= quantum_bytes {
            // Its turn is over, and others may have come since.
            line.bytes = 0;
            if let Some(first) = self.pop(lane, place) {
                self.go_last(first, lane, are_alike);
                self.bring_near();
            }
        }
        let (lines, pairs) = match other_lane(lane) {
            None => (&mut self.first_lane, &mut self.pairs),
            Some(place) => (self.other_lanes.get_mut(place)?, &mut self.pairs),
        };
        let line = &mut lines[place];
        let number = line.pairs.front()?;
        let pair = &mut pairs[number];
        let packet = pair.packet(self.turns);
        pair.count -= 1;
        let is_empty = pair.count == 0;
        let way = match self.told {
            Some((told, way)) if told == number => way,
            _ if are_alike => {
                let way = tell(&packet).1;
                if pair.next.is_none() {
                    self.told = Some((number, way));
                }
                way
            }
            _ => self.ways[number.offset()],
        };
        if is_empty {
            self.told = None;
        }
        let taken = First {
            packet,
            sequence: pair.sequence,
            is_last: is_empty && pair.ends_train,
            way,
        };
        self.waiting -= 1;
        line.bytes += u64::from(packet.payload_bytes).max(1);
        pair.sequence += 1;
        if !is_empty && are_alike {
            return Some(taken);
        }
        let is_over = is_empty && !pair.go_on(&mut self.others);
        let next = if is_over {
            None
        } else {
            let (next, way) = tell(&pair.packet(self.turns));
            if !are_alike {
                self.ways[number.offset()] = way;
            }
            Some(next)
        };
        if next != Some(lane) {
            line.pairs.pop(pairs);
            line.bytes = 0;
            if lines.iter().all(|line| line.pairs.is_empty()) {
                self.lanes &= !(1 << lane.number());
            }
            if place == NOT_URGENT && lane == Lane::ZERO {
                self.near -= 1;
                self.bring_near();
            }
            if let Some(next) = next {
                self.go_last(number, next, are_alike);
            } else {
                let name = name(&packet);
                if self.pairs[number].has_others {
                    self.others.remove(&name);
                }
                self.names.remove(number, name);
                self.pairs.remove(number);
            }
        }
        Some(taken)
    }

    /// The line that is served among those of a lane, and its place among them.
    #[inline]
    fn served(&mut self, lane: Lane) -> Option<(usize, &mut Line)> {
        let lines = match other_lane(lane) {
            None => &mut self.first_lane,
            Some(place) => self.other_lanes.get_mut(place)?,
        };
        let mut lines = lines.iter_mut().enumerate();
        lines.find(|(_, line)| !line.pairs.is_empty())
    }

    /// Takes the first out of a line of a lane.
    #[inline]
    fn pop(&mut self, lane: Lane, place: usize) -> Option<PairId> {
        let line = match other_lane(lane) {
            None => &mut self.first_lane[place],
            Some(of) => self.other_lanes.get_mut(of)?.get_mut(place)?,
        };
        if place == NOT_URGENT && lane == Lane::ZERO {
            self.near -= 1;
        }
        line.pairs.pop(&self.pairs)
    }

    /// With few left that are not far behind, those next in line become some of these.
    #[inline]
    fn bring_near(&mut self) {
        if self.near < LEAST_NEAR
            && let Some(mut far) = self.far.take()
        {
            self.bring(&mut far);
            self.far = Some(far).filter(|far| !far.is_empty());
        }
    }

    #[cold]
    fn bring(&mut self, far: &mut FarPairs) {
        for pair in far.take_first() {
            let mut pair = QueuePair::near(pair);
            pair.has_others = self.others.contains_key(&pair.name());
            let number = self.pairs.insert(pair);
            self.names.insert(number, &self.pairs);
            self.first_lane[NOT_URGENT]
                .pairs
                .push(number, &mut self.pairs);
            self.near += 1;
        }
    }

    /// Has the memory bring the queue pair whose turn on the first lane is next, and the one after it, as the turn of
    /// the first may be over.
    #[inline]
    pub(crate) fn fetch_next(&self) {
        let mut lines = self.first_lane.iter();
        let line = lines.find(|line| !line.pairs.is_empty());
        if let Some(first) = line.and_then(|line| line.pairs.front()) {
            let pair = &self.pairs[first];
            pair.fetch();
            if let Some(next) = pair.next.get() {
                self.pairs[next].fetch();
            }
        }
    }

    /// A queue pair is the last of those whose first packet begins on a lane.
    fn go_last(&mut self, number: PairId, lane: Lane, are_alike: bool) {
        self.lanes |= 1 << lane.number();
        if self.goes_far(&self.pairs[number], lane, are_alike) {
            self.go_far(number);
            return;
        }
        let place = usize::from(!self.pairs[number].is_urgent);
        let lines = match other_lane(lane) {
            None => {
                self.near += u32::from(place == NOT_URGENT);
                &mut self.first_lane
            }
            Some(place) => {
                if self.other_lanes.len() <= place {
                    let none = || [Line::EMPTY, Line::EMPTY];
                    self.other_lanes.resize_with(place + 1, none);
                }
                &mut self.other_lanes[place]
            }
        };
        lines[place].pairs.push(number, &mut self.pairs);
    }

    /// Whether a queue pair would be far behind as the last of those whose first packet begins on a lane.
    fn goes_far(&self, pair: &QueuePair, lane: Lane, are_alike: bool) -> bool {
        let is_on_first_lane = other_lane(lane).is_none();
        let are_enough = self.near >= NEAR || self.far.is_some();
        are_alike && is_on_first_lane && !pair.is_urgent && are_enough
    }

    /// A queue pair is the last of those far behind.
    fn go_far(&mut self, number: PairId) {
        let pair = &self.pairs[number];
        self.names.remove(number, pair.name());
        let far = self.far.get_or_insert_default();
        far.push(pair.far());
        self.pairs.remove(number);
        // Another will have its number.
        self.told = self.told.filter(|&(told, _)| told != number);
    }
}
