//! Queue pairs: the packets of a program that wait at a host, for each destination by themselves. Those that
//! begin on the same lane take turns.

use crate::ids::{Maybe, PairId};
use crate::linked_queue::{Linked, LinkedQueue};
use crate::memory::fetch;
use crate::slab::Slab;
use std::collections::{BTreeMap, VecDeque};
use weft_fabric::HostId;
use weft_model::workload::{Packet, Train, Workload};
use weft_routing::Lane;

/// The queue pairs of a host in which something waits; `W` is what a packet is told of its way once it is the first
/// of its queue pair. What is asked for at every packet comes first and fills one cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct QueuePairs<W> {
    /// Of the first lane: the queue pairs whose first packet begins on it; urgent ones, then others.
    first_lane: [Line; 2],
    quantum_bytes: u64,
    /// Packets generated so far.
    generated: u64,
    /// Packets that wait.
    waiting: u64,
    /// A bit for each lane that the first packet of a queue pair begins on.
    lanes: u16,
    /// The same as of the first lane, of those after it.
    other_lanes: Vec<[Line; 2]>,
    pairs: Slab<QueuePair<W>, PairId>,
    /// By whether what they hold has to wait for what is urgent, where they lead, and their number among those
    /// that lead there.
    numbers: BTreeMap<(bool, HostId, u8), PairId>,
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

/// A queue pair in which something waits. A host has one for each other host, and where its turn ends with each
/// packet the next is in no cache: what a turn asks for is kept together, in two cache lines.
#[derive(Debug)]
#[repr(C, align(32))]
struct QueuePair<W> {
    /// The first of all.
    packet: Packet,
    /// Payload in bytes of the last of those in front.
    last_payload_bytes: u32,
    /// The one behind it in its line.
    next: Maybe<PairId>,
    /// The packets in front, which are those of a train.
    count: u64,
    /// The number of the first among the packets of the host.
    sequence: u64,
    /// What the first is told of its way.
    way: W,
    /// What is behind those, each with the number of its first, where anything was.
    #[expect(
        clippy::box_collection,
        reason = "most have none, which takes a pointer"
    )]
    others: Option<Box<VecDeque<(u64, Train)>>>,
}

const _: () = assert!(size_of::<QueuePair<[u64; 5]>>() == 96);

impl<W> Linked<PairId> for QueuePair<W> {
    #[inline]
    fn next(&self) -> Maybe<PairId> {
        self.next
    }

    #[inline]
    fn set_next(&mut self, next: Maybe<PairId>) {
        self.next = next;
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

/// Bytes that a queue pair sends in its turn, if the workload is a program that has queue pairs.
pub(crate) fn quantum_bytes(workload: &Workload) -> Option<u64> {
    workload.program()?.messaging().quantum_bytes
}

/// The queue pair that a packet takes, among those of its host.
fn name(packet: &Packet) -> (bool, HostId, u8) {
    (!packet.is_urgent, packet.destination, packet.queue_pair)
}

impl<W: Copy> QueuePairs<W> {
    /// Nothing waits.
    pub(crate) fn new(quantum_bytes: u64) -> Self {
        Self {
            first_lane: [Line::EMPTY, Line::EMPTY],
            quantum_bytes,
            generated: 0,
            waiting: 0,
            lanes: 0,
            other_lanes: Vec::new(),
            pairs: Slab::new(),
            numbers: BTreeMap::new(),
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

    /// These packets are generated; `tell` tells the way of one that is the first of its queue pair.
    pub(crate) fn join(&mut self, trains: Vec<Train>, mut tell: impl FnMut(&Packet) -> (Lane, W)) {
        for train in trains {
            let sequence = self.generated;
            self.generated += train.count;
            self.waiting += train.count;
            let name = name(&train.packet);
            if let Some(&pair) = self.numbers.get(&name) {
                let others = self.pairs[pair].others.get_or_insert_default();
                others.push_back((sequence, train));
                continue;
            }
            let (lane, way) = tell(&train.packet);
            let Train {
                packet,
                last_payload_bytes,
                count,
            } = train;
            let pair = self.pairs.insert(QueuePair {
                packet,
                last_payload_bytes,
                next: Maybe::NONE,
                count,
                sequence,
                way,
                others: None,
            });
            self.numbers.insert(name, pair);
            self.go_last(pair, lane);
        }
    }

    /// Takes the packet whose turn it is among those that begin on a lane. Where `are_alike`, all packets for a
    /// destination are told the same way, and are told once.
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
        if line.bytes >= self.quantum_bytes {
            // Its turn is over, and others may have come since.
            line.bytes = 0;
            if let Some(first) = line.pairs.pop(pairs) {
                line.pairs.push(first, pairs);
            }
        }
        let number = line.pairs.front()?;
        let pair = &mut pairs[number];
        let packet = pair.next_packet()?;
        let is_last = pair.count == 0;
        let taken = First {
            packet,
            sequence: pair.sequence,
            is_last,
            way: pair.way,
        };
        self.waiting -= 1;
        line.bytes += u64::from(packet.payload_bytes).max(1);
        pair.sequence += 1;
        if !is_last && are_alike {
            return Some(taken);
        }
        let is_over = is_last && !pair.go_on();
        let next = if is_over {
            None
        } else {
            let (next, way) = tell(&pair.packet);
            pair.way = way;
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
                pairs.remove(number);
                self.numbers.remove(&name(&packet));
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
        let place = usize::from(!self.pairs[number].packet.is_urgent);
        lines[place].pairs.push(number, &mut self.pairs);
    }
}

impl<W> QueuePair<W> {
    /// Takes the first packet.
    #[inline]
    fn next_packet(&mut self) -> Option<Packet> {
        let mut train = Train {
            packet: self.packet,
            last_payload_bytes: self.last_payload_bytes,
            count: self.count,
        };
        let first = train.next();
        self.set_train(&train);
        first
    }

    #[inline]
    fn set_train(&mut self, train: &Train) {
        self.packet = train.packet;
        self.last_payload_bytes = train.last_payload_bytes;
        self.count = train.count;
    }

    /// What is behind the packets in front is in front now, if there is anything.
    fn go_on(&mut self) -> bool {
        let Some((sequence, train)) = self.others.as_mut().and_then(|others| others.pop_front())
        else {
            return false;
        };
        self.sequence = sequence;
        self.set_train(&train);
        true
    }

    /// Has the memory bring it.
    #[inline]
    fn fetch(&self) {
        fetch(self);
        fetch(&self.others);
    }
}
