//! The next packets of a host's stream.

use std::collections::VecDeque;
use weft_model::workload::{Packet, Train};

/// The next packets of a host's stream, as many as were looked at, or all that a program has generated.
/// Mostly that is one, which lies where it is asked for; of a message all others are as one.
#[derive(Debug)]
pub(super) struct Upcoming {
    first: Option<Packet>,
    others: VecDeque<Train>,
    /// Packets of the others.
    behind: u64,
}

impl Upcoming {
    pub(super) fn new() -> Self {
        Self {
            first: None,
            others: VecDeque::new(),
            behind: 0,
        }
    }

    #[inline]
    pub(super) fn first(&self) -> Option<&Packet> {
        self.first.as_ref()
    }

    pub(super) fn last(&self) -> Option<&Packet> {
        self.others
            .back()
            .map_or(self.first(), |train| Some(&train.packet))
    }

    /// The cycle in which the packet so many behind the first is generated.
    pub(super) fn generation_cycle(&self, place: u64) -> Option<u64> {
        let mut before = 1;
        let train = self.others.iter().find(|train| {
            before += train.count;
            place < before
        });
        let packet = if place == 0 {
            self.first()
        } else {
            train.map(|train| &train.packet)
        };
        packet.map(|packet| packet.generation_cycle)
    }

    pub(super) fn len(&self) -> u64 {
        u64::from(self.first.is_some()) + self.behind
    }

    #[inline]
    pub(super) fn push(&mut self, mut train: Train) {
        if self.first.is_none() {
            self.first = train.next();
        }
        if train.count > 0 {
            self.behind += train.count;
            self.others.push_back(train);
        }
    }

    /// Takes the first packet.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Packet> {
        let first = self.first.take()?;
        if let Some(train) = self.others.front_mut() {
            self.first = train.next();
            self.behind -= 1;
            if train.count == 0 {
                self.others.pop_front();
            }
        }
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_fabric::HostId;

    fn packet(generation_cycle: u64, payload_bytes: u32) -> Packet {
        Packet {
            generation_cycle,
            destination: HostId::new(1),
            payload_bytes,
            is_control: false,
            is_urgent: false,
            queue_pair: 0,
        }
    }

    /// A message of a gigabyte is one entry, and its packets come one by one, the last with the rest.
    #[test]
    fn packets_of_a_message_take_no_room_each() {
        let train = |packet: Packet, count, last_payload_bytes| Train {
            packet,
            last_payload_bytes,
            count,
        };
        let mut upcoming = Upcoming::new();
        upcoming.push(train(packet(5, 1024), 1 << 20, 7));
        upcoming.push(train(packet(6, 3), 1, 3));
        upcoming.push(train(packet(9, 1024), 2, 8));
        assert_eq!((upcoming.others.len(), upcoming.len()), (3, (1 << 20) + 3));
        let cycles = [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (1 << 20) + 2];
        assert_eq!(
            cycles.map(|place| upcoming.generation_cycle(place)),
            [5, 5, 5, 6, 9, 9].map(Some)
        );
        assert_eq!(upcoming.generation_cycle((1 << 20) + 3), None);
        for left in (4..(1 << 20) + 3).rev() {
            assert_eq!(upcoming.pop(), Some(packet(5, 1024)));
            assert_eq!(upcoming.len(), left);
        }
        let rest: Vec<_> = std::iter::from_fn(|| upcoming.pop()).collect();
        let expected = [(5, 7), (6, 3), (9, 1024), (9, 8)];
        assert_eq!(rest, expected.map(|(cycle, bytes)| packet(cycle, bytes)));
        assert_eq!((upcoming.len(), upcoming.last()), (0, None));
    }
}
