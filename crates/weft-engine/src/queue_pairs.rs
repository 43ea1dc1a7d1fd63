//! Queue pairs: the packets of a program that wait at a host, for each destination by themselves. Those that
//! begin on the same lane take turns.

use crate::memory::fetch;
use std::collections::{BTreeMap, VecDeque};
use weft_fabric::HostId;
use weft_model::workload::{Packet, Train, Workload};
use weft_routing::Lane;

/// The queue pairs of a host; `W` is what a packet is told of its way once it is the first of its queue pair.
#[derive(Debug)]
pub(crate) struct QueuePairs<W> {
    quantum_bytes: u64,
    /// By whether what they hold has to wait for what is urgent, where they lead, and their number among those
    /// that lead there.
    numbers: BTreeMap<(bool, HostId, u8), usize>,
    pairs: Vec<QueuePair<W>>,
    /// Per lane: the queue pairs whose first packet begins on it, in turn; urgent ones, then others.
    lines: Vec<[VecDeque<usize>; 2]>,
    /// Packets generated so far.
    generated: u64,
    /// Packets that wait.
    waiting: u64,
}

/// A host has one for each other host, and where its turn ends with each packet the next is in no cache: what a
/// turn asks for is kept together.
#[derive(Debug)]
#[repr(C, align(64))]
struct QueuePair<W> {
    /// Bytes sent in this turn.
    bytes: u64,
    first: Option<First<W>>,
    /// What is behind the first, with its number among the packets of the host.
    next: Option<(u64, Train)>,
    /// What is behind that; empty while nothing is.
    others: VecDeque<(u64, Train)>,
    is_urgent: bool,
}

/// A packet that is the first of its queue pair.
#[derive(Debug)]
pub(crate) struct First<W> {
    pub(crate) packet: Packet,
    /// Its number among the packets of its host.
    pub(crate) sequence: u64,
    /// It is the last of those it was generated with.
    pub(crate) is_last: bool,
    pub(crate) way: W,
}

/// Bytes that a queue pair sends in its turn, if the workload is a program that has queue pairs.
pub(crate) fn quantum_bytes(workload: &Workload) -> Option<u64> {
    workload.program()?.messaging().quantum_bytes
}

impl<W> QueuePairs<W> {
    /// Nothing waits.
    pub(crate) fn new(quantum_bytes: u64) -> Self {
        Self {
            quantum_bytes,
            numbers: BTreeMap::new(),
            pairs: Vec::new(),
            lines: Vec::new(),
            generated: 0,
            waiting: 0,
        }
    }

    /// The packets that wait.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Whether a packet waits that begins on a lane.
    #[inline]
    pub(crate) fn has_any_on(&self, lane: Lane) -> bool {
        let lines = self.lines.get(lane.index());
        lines.is_some_and(|lines| lines.iter().any(|line| !line.is_empty()))
    }

    /// These packets are generated; `tell` tells the way of one that is the first of its queue pair.
    pub(crate) fn join(&mut self, trains: Vec<Train>, mut tell: impl FnMut(&Packet) -> (Lane, W)) {
        for train in trains {
            let Packet {
                destination,
                is_urgent,
                queue_pair,
                ..
            } = train.packet;
            let pairs = &mut self.pairs;
            let number = *self
                .numbers
                .entry((!is_urgent, destination, queue_pair))
                .or_insert_with(|| {
                    pairs.push(QueuePair {
                        bytes: 0,
                        first: None,
                        next: None,
                        others: VecDeque::new(),
                        is_urgent,
                    });
                    pairs.len() - 1
                });
            let count = train.count;
            let pair = &mut self.pairs[number];
            let behind = (self.generated, train);
            match pair.next {
                Some(_) => pair.others.push_back(behind),
                None => pair.next = Some(behind),
            }
            self.generated += count;
            self.waiting += count;
            if pair.first.is_none()
                && let Some(lane) = pair.look_ahead(&mut tell)
            {
                self.go_last(number, lane);
            }
        }
    }

    /// Takes the packet whose turn it is among those that begin on a lane.
    pub(crate) fn take(
        &mut self,
        lane: Lane,
        mut tell: impl FnMut(&Packet) -> (Lane, W),
    ) -> Option<First<W>> {
        let lines = self.lines.get_mut(lane.index())?;
        let line = lines.iter_mut().find(|line| !line.is_empty())?;
        let mut number = *line.front()?;
        if self.pairs[number].bytes >= self.quantum_bytes {
            // Its turn is over, and others may have come since.
            self.pairs[number].bytes = 0;
            line.rotate_left(1);
            number = *line.front()?;
        }
        let pair = &mut self.pairs[number];
        let taken = pair.first.take()?;
        self.waiting -= 1;
        pair.bytes += u64::from(taken.packet.payload_bytes).max(1);
        let next = pair.look_ahead(&mut tell);
        if next != Some(lane) {
            line.pop_front();
            pair.bytes = 0;
            if let Some(next) = next {
                self.go_last(number, next);
            }
        }
        self.fetch_next(lane);
        Some(taken)
    }

    /// Has the memory bring the queue pairs whose turns on a lane are next.
    #[inline]
    fn fetch_next(&self, lane: Lane) {
        let lines = self.lines.get(lane.index());
        let line = lines.and_then(|lines| lines.iter().find(|line| !line.is_empty()));
        if let Some(line) = line {
            for &number in line.iter().take(2) {
                let pair = &self.pairs[number];
                fetch(pair);
                fetch(&pair.next);
                fetch(&pair.others);
            }
        }
    }

    /// A queue pair is the last of those whose first packet begins on a lane.
    fn go_last(&mut self, number: usize, lane: Lane) {
        if self.lines.len() <= lane.index() {
            self.lines.resize_with(lane.index() + 1, Default::default);
        }
        let place = usize::from(!self.pairs[number].is_urgent);
        self.lines[lane.index()][place].push_back(number);
    }
}

impl<W> QueuePair<W> {
    /// The next packet, if there is one, is the first: the lane it begins on.
    fn look_ahead(&mut self, tell: &mut impl FnMut(&Packet) -> (Lane, W)) -> Option<Lane> {
        let (number, train) = self.next.as_mut()?;
        let sequence = *number;
        let packet = train.next()?;
        *number += 1;
        let is_last = train.count == 0;
        if is_last {
            self.next = self.others.pop_front();
        }
        let (lane, way) = tell(&packet);
        self.first = Some(First {
            packet,
            sequence,
            is_last,
            way,
        });
        Some(lane)
    }
}
