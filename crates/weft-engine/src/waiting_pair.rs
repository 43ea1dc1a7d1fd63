//! A queue pair, in little room.

use crate::far_pairs::FarPair;
use crate::ids::{Maybe, PairId};
use crate::linked_queue::Linked;
use crate::memory::fetch;
use crate::pair_names::{Name, Named};
use std::collections::{BTreeMap, VecDeque};
use weft_fabric::HostId;
use weft_model::workload::{Packet, Train, Workload};

/// How queue pairs take turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    /// Bytes that a queue pair sends in its turn.
    pub(crate) quantum_bytes: u64,
    /// Payload of each packet of a train but the last.
    pub(crate) payload_bytes: u32,
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

/// A queue pair in which something waits. A host has one for each other host, all of which have something in an
/// exchange of all with all, and where its turn ends with each packet the next is in no cache: it is small.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct QueuePair {
    /// Cycle in which the packets in front were generated, which are those of a train, or as many of them as are counted.
    pub(crate) generation_cycle: u64,
    /// The number of the first among the packets of the host.
    pub(crate) sequence: u64,
    /// How many are left.
    pub(crate) count: u32,
    /// Payload in bytes of the last of them.
    pub(crate) last_payload_bytes: u32,
    pub(crate) destination: HostId,
    /// The one behind it in its line.
    pub(crate) next: Maybe<PairId>,
    /// Which of those to the destination it is.
    pub(crate) number: u8,
    pub(crate) is_urgent: bool,
    pub(crate) is_control: bool,
    /// The last of those in front is the last of its train.
    pub(crate) ends_train: bool,
    /// Something is behind those in front, or was.
    pub(crate) has_others: bool,
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

impl QueuePair {
    /// One in front of which is a train, the first packet of which has a number, and what of that is more than is
    /// counted.
    pub(crate) fn new(sequence: u64, train: &Train) -> (Self, Option<(u64, Train)>) {
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

    /// What is kept of it far behind in its line.
    pub(crate) fn far(&self) -> FarPair {
        FarPair {
            destination: self.destination,
            sequence: self.sequence,
            generation_cycle: self.generation_cycle,
            count: self.count,
            last_payload_bytes: self.last_payload_bytes,
            number: self.number,
            is_control: self.is_control,
            ends_train: self.ends_train,
        }
    }

    /// One that was far behind in its line, of which something may be behind what it holds.
    pub(crate) fn near(pair: FarPair) -> Self {
        let FarPair {
            destination,
            sequence,
            generation_cycle,
            count,
            last_payload_bytes,
            number,
            is_control,
            ends_train,
        } = pair;
        Self {
            generation_cycle,
            sequence,
            count,
            last_payload_bytes,
            destination,
            next: Maybe::NONE,
            number,
            is_urgent: false,
            is_control,
            ends_train,
            has_others: false,
        }
    }

    /// A train is in front now; what of it is more than is counted is told.
    pub(crate) fn put_in_front(&mut self, sequence: u64, train: &Train) -> Option<(u64, Train)> {
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
    pub(crate) fn packet(&self, turns: Turns) -> Packet {
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
    pub(crate) fn go_on(&mut self, others: &mut BTreeMap<Name, VecDeque<(u64, Train)>>) -> bool {
        if !self.has_others {
            return false;
        }
        let others = others.entry(self.name()).or_default();
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
    pub(crate) fn fetch(&self) {
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
        let mut others = BTreeMap::from([(pair.name(), VecDeque::from_iter(rest))]);
        assert!(pair.go_on(&mut others));
        assert_eq!(
            (pair.count, pair.sequence, pair.ends_train),
            (2, 10 + most, true)
        );
        pair.count = 1;
        assert_eq!(pair.packet(turns).payload_bytes, 5);
        assert!(!pair.go_on(&mut others));
    }
}
