//! Queue pairs: the packets of a program that wait at a host, for each destination by themselves. Those that
//! begin on the same lane take turns.

use crate::ids::{Id, Maybe, PairId};
use crate::linked_queue::{Linked, LinkedQueue};
use crate::memory::fetch;
use crate::pair_names::{Name, Named, PairNames};
use crate::slab::Slab;
use std::collections::{BTreeMap, VecDeque};
use weft_fabric::HostId;
use weft_model::workload::{Packet, Train, Workload};
use weft_routing::Lane;

/// How queue pairs take turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    /// Bytes that a queue pair sends in its turn.
    quantum_bytes: u64,
    /// Payload of each packet of a train but the last.
    payload_bytes: u32,
}

impl Turns {
    /// Those of a workload, if it is a program that has queue pairs.
    pub(crate) fn of(workload: &Workload) -> Option<Self> {
        let messaging = workload.program()?.messaging();
        Some(Self {
            quantum_bytes: messaging.quantum_bytes?,
            payload_bytes: messaging.packet_bytes,
        })
    }
}

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
    /// The same as of the first lane, of those after it.
    other_lanes: Vec<[Line; 2]>,
    pairs: Slab<QueuePair, PairId>,
    names: PairNames,
    /// What is behind the packets in front, each with the number of its first, of queue pairs where anything was.
    others: BTreeMap<PairId, VecDeque<(u64, Train)>>,
    /// By queue pair what its first packet was told of its way, where not all packets to a destination are told alike.
    ways: Vec<W>,
    /// The queue pair that was alone in its line, and what the packets in front of it are told, where all are told alike:
    /// it is likely to be next.
    told: Option<(PairId, W)>,
    /// Packets generated so far.
    generated: u64,
}

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

/// A queue pair in which something waits. A host has one for each other host, all of which have something in an
/// exchange of all with all, and where its turn ends with each packet the next is in no cache: it is small.
#[derive(Debug)]
#[repr(C)]
struct QueuePair {
    /// Cycle in which the packets in front were generated, which are those of a train, or as many of them as are counted.
    generation_cycle: u64,
    /// The number of the first among the packets of the host.
    sequence: u64,
    /// How many are left.
    count: u32,
    /// Payload in bytes of the last of them.
    last_payload_bytes: u32,
    destination: HostId,
    /// The one behind it in its line.
    next: Maybe<PairId>,
    /// Which of those to the destination it is.
    number: u8,
    is_urgent: bool,
    is_control: bool,
    /// The last of those in front is the last of its train.
    ends_train: bool,
    /// Something is behind those in front, or was.
    has_others: bool,
}

const _: () = assert!(size_of::<QueuePair>() == 40);

impl Linked<PairId> for QueuePair {
    #[inline]
    fn next(&self) -> Maybe<PairId> {
        self.next
    }

    #[inline]
    fn set_next(&mut self, next: Maybe<PairId>) {
        self.next = next;
    }
}

impl Named for QueuePair {
    #[inline]
    fn name(&self) -> Name {
        (!self.is_urgent, self.destination, self.number)
    }
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
            other_lanes: Vec::new(),
            pairs: Slab::new(),
            names: PairNames::default(),
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
                let others = self.others.entry(pair).or_default();
                others.push_back((sequence, train));
                continue;
            }
            let (lane, way) = tell(&train.packet);
            let (pair, rest) = QueuePair::new(sequence, &train);
            let pair = self.pairs.insert(pair);
            if let Some(rest) = rest {
                self.pairs[pair].has_others = true;
                self.others.insert(pair, VecDeque::from([rest]));
            }
            if !are_alike {
                match self.ways.get_mut(pair.offset()) {
                    Some(place) => *place = way,
                    None => self.ways.push(way),
                }
            }
            self.names.insert(pair, &self.pairs);
            self.go_last(pair, lane);
        }
    }

    /// Takes the packet whose turn it is among those that begin on a lane. Where `are_alike`, all packets for a
    /// destination on the same lanes are told the same way.
    pub(crate) fn take(
        &mut self,
        lane: Lane,
        are_alike: bool,
        mut tell: impl FnMut(&Packet) -> (Lane, W),
    ) -> Option<First<W>> {
        let (lines, pairs) = match other_lane(lane) {
            None => (&mut self.first_lane, &mut self.pairs),
            Some(place) => (self.other_lanes.get_mut(place)?, &mut self.pairs),
        };
        let line = lines.iter_mut().find(|line| !line.pairs.is_empty())?;
        if line.bytes >= self.turns.quantum_bytes {
            // Its turn is over, and others may have come since.
            line.bytes = 0;
            if let Some(first) = line.pairs.pop(pairs) {
                line.pairs.push(first, pairs);
            }
        }
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
        let is_over = is_empty && !pair.go_on(number, &mut self.others);
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
            if let Some(next) = next {
                self.go_last(number, next);
            } else {
                if self.pairs[number].has_others {
                    self.others.remove(&number);
                }
                self.names.remove(number, name(&packet));
                self.pairs.remove(number);
            }
        }
        Some(taken)
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
    fn go_last(&mut self, number: PairId, lane: Lane) {
        self.lanes |= 1 << lane.number();
        let lines = match other_lane(lane) {
            None => &mut self.first_lane,
            Some(place) => {
                if self.other_lanes.len() <= place {
                    let none = || [Line::EMPTY, Line::EMPTY];
                    self.other_lanes.resize_with(place + 1, none);
                }
                &mut self.other_lanes[place]
            }
        };
        let place = usize::from(!self.pairs[number].is_urgent);
        lines[place].pairs.push(number, &mut self.pairs);
    }
}

impl QueuePair {
    /// One in front of which is a train, the first packet of which has a number, and what of that is more than is
    /// counted.
    fn new(sequence: u64, train: &Train) -> (Self, Option<(u64, Train)>) {
        let mut pair = Self {
            generation_cycle: 0,
            sequence: 0,
            count: 0,
            last_payload_bytes: 0,
            destination: train.packet.destination,
            next: Maybe::NONE,
            number: train.packet.queue_pair,
            is_urgent: train.packet.is_urgent,
            is_control: false,
            ends_train: false,
            has_others: false,
        };
        let rest = pair.put_in_front(sequence, train);
        (pair, rest)
    }

    /// A train is in front now; what of it is more than is counted is told.
    fn put_in_front(&mut self, sequence: u64, train: &Train) -> Option<(u64, Train)> {
        let &Train {
            packet,
            last_payload_bytes,
            count,
        } = train;
        let counted = u32::try_from(count);
        self.generation_cycle = packet.generation_cycle;
        self.sequence = sequence;
        self.is_control = packet.is_control;
        self.ends_train = counted.is_ok();
        self.count = counted.unwrap_or(u32::MAX);
        if self.ends_train {
            self.last_payload_bytes = last_payload_bytes;
            return None;
        }
        self.last_payload_bytes = packet.payload_bytes;
        let rest = Train {
            packet,
            last_payload_bytes,
            count: count - u64::from(self.count),
        };
        Some((sequence + u64::from(self.count), rest))
    }

    /// The first packet.
    #[inline]
    fn packet(&self, turns: Turns) -> Packet {
        Packet {
            generation_cycle: self.generation_cycle,
            destination: self.destination,
            payload_bytes: if self.count > 1 {
                turns.payload_bytes
            } else {
                self.last_payload_bytes
            },
            is_control: self.is_control,
            is_urgent: self.is_urgent,
            queue_pair: self.number,
        }
    }

    /// What is behind the packets in front is in front now, if there is anything.
    fn go_on(
        &mut self,
        number: PairId,
        others: &mut BTreeMap<PairId, VecDeque<(u64, Train)>>,
    ) -> bool {
        if !self.has_others {
            return false;
        }
        let others = others.entry(number).or_default();
        let Some((sequence, train)) = others.pop_front() else {
            return false;
        };
        if let Some(rest) = self.put_in_front(sequence, &train) {
            others.push_front(rest);
        }
        true
    }

    /// Has the memory bring it.
    #[inline]
    fn fetch(&self) {
        fetch(self);
        fetch(&self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_train_longer_than_is_counted_goes_on() {
        let packet = Packet {
            generation_cycle: 7,
            destination: HostId::new(3),
            payload_bytes: 100,
            is_control: false,
            is_urgent: false,
            queue_pair: 0,
        };
        let most = u64::from(u32::MAX);
        let train = Train {
            packet,
            last_payload_bytes: 5,
            count: most + 2,
        };
        let turns = Turns {
            quantum_bytes: 1,
            payload_bytes: 100,
        };
        let (mut pair, rest) = QueuePair::new(10, &train);
        pair.count = 1;
        assert_eq!((pair.packet(turns), pair.ends_train), (packet, false));
        pair.has_others = true;
        let number = PairId::from_number(0);
        let mut others = BTreeMap::from([(number, VecDeque::from_iter(rest))]);
        assert!(pair.go_on(number, &mut others));
        assert_eq!(
            (pair.count, pair.sequence, pair.ends_train),
            (2, 10 + most, true)
        );
        pair.count = 1;
        assert_eq!(pair.packet(turns).payload_bytes, 5);
        assert!(!pair.go_on(number, &mut others));
    }
}
