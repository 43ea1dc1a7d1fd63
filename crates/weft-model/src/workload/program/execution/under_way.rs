//! What each packet is a part of that is on its way.

use super::messages::{Arrived, Messages, Parcel, Stage};
use super::window::give_back;
use std::collections::VecDeque;
use weft_fabric::narrow;

/// How many of the packets that a host sent one after another are delivered.
#[derive(Clone, Copy, Debug)]
struct Count {
    /// Number of the first behind them among the host's packets.
    end: u64,
    /// Those not delivered.
    left: u64,
    /// The latest cycle in which one was: after failures one is told of later that was delivered sooner.
    latest_cycle: u64,
}

/// What packets are that a host sent one after another, parts of one message or alone, in little room: millions are
/// under way in an exchange of all with all.
#[derive(Clone, Copy, Debug)]
enum Sent {
    /// Parts of a stage of a message, which tells who sends it and to whom.
    Parts {
        message: u32,
        last_payload_bytes: u32,
        /// Of all but the last.
        payload_bytes: u32,
        /// The send is over with the last.
        ends: bool,
    },
    Acknowledgement {
        from: u32,
        to: u32,
        nic: u8,
    },
    /// That of a packet with which a task is over.
    LastAcknowledgement {
        from: u32,
        to: u32,
        nic: u8,
        ends: u64,
    },
    Refusal {
        from: u32,
        to: u32,
        nic: u8,
        message: u32,
    },
}

const _: () = assert!(size_of::<Sent>() == 24);

/// A number of a message, which are fewer than memory holds.
fn short(message: usize) -> u32 {
    narrow(message, "messages under way fit memory")
}

impl Sent {
    /// Packets of which the others have this payload.
    fn new(payload_bytes: u32, last: &Arrived) -> Self {
        let &Arrived {
            from,
            to,
            nic,
            parcel,
        } = last;
        match parcel {
            Parcel::Part {
                message,
                payload_bytes: last_payload_bytes,
                ends,
            } => Self::Parts {
                message: short(message),
                last_payload_bytes,
                payload_bytes,
                ends: ends.is_some(),
            },
            Parcel::Acknowledgement { ends: None } => Self::Acknowledgement { from, to, nic },
            Parcel::Acknowledgement { ends: Some(ends) } => Self::LastAcknowledgement {
                from,
                to,
                nic,
                ends,
            },
            Parcel::Refusal { message } => Self::Refusal {
                from,
                to,
                nic,
                message: short(message),
            },
        }
    }

    /// One of them, the last or another.
    fn arrived(self, is_last: bool, messages: &Messages) -> Arrived {
        let (from, to, nic, parcel) = match self {
            Self::Parts {
                message,
                last_payload_bytes,
                payload_bytes,
                ends,
            } => {
                let index = message as usize;
                let message = messages.look_at(index);
                let (from, to) = match message.stage {
                    Stage::Call => (message.to, message.from),
                    _ => (message.from, message.to),
                };
                let parcel = Parcel::Part {
                    message: index,
                    payload_bytes: if is_last {
                        last_payload_bytes
                    } else {
                        payload_bytes
                    },
                    ends: (is_last && ends).then_some(message.send),
                };
                (from, to, message.nic, parcel)
            }
            Self::Acknowledgement { from, to, nic } => {
                (from, to, nic, Parcel::Acknowledgement { ends: None })
            }
            Self::LastAcknowledgement {
                from,
                to,
                nic,
                ends,
            } => (from, to, nic, Parcel::Acknowledgement { ends: Some(ends) }),
            Self::Refusal {
                from,
                to,
                nic,
                message,
            } => {
                let message = message as usize;
                (from, to, nic, Parcel::Refusal { message })
            }
        };
        Arrived {
            from,
            to,
            nic,
            parcel,
        }
    }
}

/// So many packets of a host share one place in the index of what is under way.
const INDEXED: u64 = 8;

/// The packets a host has sent and that were not delivered yet, by their number among its packets.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    /// What was sent together, with how many of it are delivered: a packet that is delivered asks for both.
    sent: VecDeque<(Count, Sent)>,
    next: u64,
    /// For every so many packets, from those sent first on, the lowest bits of the number of what the first of them
    /// was sent with.
    index: VecDeque<u32>,
    /// The first of these, in so many packets.
    index_begin: u64,
    /// How many were forgotten, as far as the lowest bits go.
    forgotten: u32,
}

impl UnderWay {
    /// So many packets are sent, all with this payload but the last.
    pub(super) fn push(&mut self, count: u64, payload_bytes: u32, last: Arrived) {
        let under_way: u32 = narrow(self.sent.len(), "packets under way fit memory");
        let number = self.forgotten.wrapping_add(under_way);
        self.next += count;
        let indexed = self.next.div_ceil(INDEXED) - self.index_begin;
        let places: usize = narrow(indexed, "packets under way fit memory");
        self.index.resize(places.max(self.index.len()), number);
        let count = Count {
            end: self.next,
            left: count,
            latest_cycle: 0,
        };
        self.sent
            .push_back((count, Sent::new(payload_bytes, &last)));
    }

    /// A packet is delivered in a cycle; the latest in which one of those was that it was sent with, if all are.
    #[inline]
    pub(super) fn take(&mut self, sequence: u64, cycle: u64) -> Option<u64> {
        let (count, _) = self.sent_with(sequence);
        count.left -= 1;
        count.latest_cycle = count.latest_cycle.max(cycle);
        (count.left == 0).then_some(count.latest_cycle)
    }

    /// All packets that one was sent with are delivered, this the last.
    #[inline]
    pub(super) fn take_all(&mut self, sequence: u64) {
        let (count, _) = self.sent_with(sequence);
        count.left = 0;
    }

    /// What a packet that was taken is.
    pub(super) fn arrived(&mut self, sequence: u64, messages: &Messages) -> Arrived {
        let (count, sent) = self.sent_with(sequence);
        sent.arrived(sequence + 1 == count.end, messages)
    }

    /// The rank and the task whose end a packet is, if it is one.
    pub(super) fn ends(&mut self, sequence: u64, messages: &Messages) -> Option<(u32, u64)> {
        let Arrived { from, parcel, .. } = self.arrived(sequence, messages);
        match parcel {
            Parcel::Part { ends, .. } => ends.map(|task| (from, task)),
            Parcel::Acknowledgement { .. } | Parcel::Refusal { .. } => None,
        }
    }

    /// What a packet was sent with.
    #[inline]
    fn sent_with(&mut self, sequence: u64) -> &mut (Count, Sent) {
        let place = self.place(sequence);
        match place.and_then(|place| self.sent.get_mut(place)) {
            Some(sent) => sent,
            None => {
                unreachable!(
                    "packet {sequence} is under way: a simulator delivers what it was given"
                )
            }
        }
    }

    /// The place of what a packet was sent with.
    #[inline]
    fn place(&self, sequence: u64) -> Option<usize> {
        let indexed = sequence / INDEXED - self.index_begin;
        let number = *self.index.get(usize::try_from(indexed).ok()?)?;
        let indexed = number.wrapping_sub(self.forgotten) as usize;
        // That of the first of these packets may be forgotten, where others came.
        let first = if indexed < self.sent.len() {
            indexed
        } else {
            0
        };
        let mut places = first..self.sent.len();
        places.find(|&place| sequence < self.sent[place].0.end)
    }

    /// Forgets those sent first, as far as all are delivered.
    pub(super) fn forget(&mut self) {
        while let Some(&(Count { end, .. }, _)) =
            self.sent.front().filter(|(count, _)| count.left == 0)
        {
            self.sent.pop_front();
            self.forgotten = self.forgotten.wrapping_add(1);
            while self.index_begin < end / INDEXED {
                self.index.pop_front();
                self.index_begin += 1;
            }
        }
        give_back(&mut self.sent);
        give_back(&mut self.index);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_found_in_whatever_order_they_are_delivered() {
        let reply = |to| Arrived {
            from: 0,
            to,
            nic: 0,
            parcel: Parcel::Acknowledgement { ends: None },
        };
        let messages = Messages::default();
        let mut under_way = UnderWay::default();
        let (mut sent, mut left) = (0, Vec::new());
        let mut draw = 1_u64;
        for round in 0..2000_u32 {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let count = [1, 1, 2, 8, 40][(draw >> 33) as usize % 5];
            under_way.push(count, 0, reply(round));
            left.extend((sent..sent + count).map(|packet| (packet, round)));
            sent += count;
            // As many are delivered on average as are sent; at times all.
            let delivered = if round % 500 == 499 {
                left.len()
            } else {
                left.len().min((draw >> 40) as usize % 20)
            };
            for _ in 0..delivered {
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (packet, of) = left.swap_remove((draw >> 33) as usize % left.len());
                let is_whole = !left.iter().any(|&(_, other)| other == of);
                assert_eq!(under_way.take(packet, 5).is_some(), is_whole);
                assert_eq!(under_way.arrived(packet, &messages).to, of);
                under_way.forget();
            }
            assert_eq!(under_way.is_empty(), left.is_empty());
        }
        assert!(under_way.index.len() <= 1);
    }
}
