//! What a host sent one after another, in little room: so many together, and those that wait for long as bytes, their
//! messages with them.

use super::messages::{Message, Messages, NO_RECEIVE, Stage};
use super::sent::{Count, Sent};
use crate::rows::{Rows, decoded};
use weft_fabric::narrow;

/// So many stand together.
pub(super) const TOGETHER: usize = 16;

/// What was sent one after another.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Each(Vec<(Count, Sent)>),
    /// As many as stand together, all parts of messages or delivered, as rows of [`COLUMNS`].
    Coded {
        /// Number of the first packet behind them.
        end: u64,
        rows: Box<[u8]>,
    },
}

/// Receiver, length, cycle, task, sender, tag, number, packets, how many are left, the latest cycle in which one was
/// delivered, payload of the last and of the others, its receive, packets to be stored, and the rest as one.
const COLUMNS: usize = 15;

/// Of the column for the rest: delivered, and nothing else is told.
const DELIVERED: u64 = u64::MAX;

const STAGES: [Stage; 4] = [
    Stage::Eager,
    Stage::Announcement,
    Stage::Call,
    Stage::Called,
];

/// Parts of a message, and the message, as a row.
fn row(count: Count, sent: Sent, messages: &Messages) -> Option<[u64; COLUMNS]> {
    let Sent::Parts {
        message,
        last_payload_bytes,
        payload_bytes,
        ends,
    } = sent
    else {
        return None;
    };
    let &Message {
        from,
        to,
        tag,
        bytes,
        number,
        sent_cycle,
        stage,
        nic,
        packets_left,
        send,
        receive,
    } = messages.look_at(message as usize);
    let rest = stage as u64 | u64::from(ends) << 2 | u64::from(nic) << 3;
    Some([
        to.into(),
        bytes,
        sent_cycle,
        send,
        from.into(),
        tag.into(),
        number.into(),
        count.end,
        count.left,
        count.latest_cycle,
        last_payload_bytes.into(),
        payload_bytes.into(),
        receive,
        packets_left,
        rest,
    ])
}

/// The message of a row that is not of what is delivered, how many of its packets are, and their payloads with whether the
/// send is over with them.
fn told(row: [u64; COLUMNS]) -> (Message, Count, (u32, u32, bool)) {
    let [
        to,
        bytes,
        sent_cycle,
        send,
        from,
        tag,
        number,
        end,
        left,
        latest_cycle,
        last_payload_bytes,
        payload_bytes,
        receive,
        packets_left,
        rest,
    ] = row;
    let short = |number: u64| -> u32 { narrow(number, "it was coded from 32 bits") };
    let message = Message {
        from: short(from),
        to: short(to),
        tag: short(tag),
        bytes,
        number: short(number),
        sent_cycle,
        stage: STAGES[(rest & 3) as usize],
        nic: narrow(rest >> 3, "it was coded from 8 bits"),
        packets_left,
        send,
        receive,
    };
    let count = Count {
        end,
        left,
        latest_cycle,
    };
    let ends = rest >> 2 & 1 != 0;
    let payloads = (short(last_payload_bytes), short(payload_bytes), ends);
    (message, count, payloads)
}

impl Block {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Each(sent) => sent.len(),
            Self::Coded { .. } => TOGETHER,
        }
    }

    /// What was sent, each by itself: messages that were coded are among the others again.
    pub(super) fn open(&mut self, messages: &mut Messages) -> &mut Vec<(Count, Sent)> {
        if let Self::Coded { rows, .. } = self {
            let mut sent = Vec::with_capacity(TOGETHER);
            sent.extend(decoded(rows).map(|row| {
                if row[COLUMNS - 1] == DELIVERED {
                    return (Count::delivered(row[7]), Sent::NOTHING);
                }
                let (message, count, (last_payload_bytes, payload_bytes, ends)) = told(row);
                let message = messages.insert(message);
                let sent = Sent::Parts {
                    message: narrow(message, "messages under way fit memory"),
                    last_payload_bytes,
                    payload_bytes,
                    ends,
                };
                (count, sent)
            }));
            *self = Self::Each(sent);
        }
        match self {
            Self::Each(sent) => sent,
            Self::Coded { .. } => unreachable!("what was coded is open now"),
        }
    }

    /// Codes what was sent, if there are as many as stand together, all of them parts of messages or delivered, some of which are
    /// not. No other
    /// may ask for the messages before one of their packets is delivered or leaves its queue pair.
    pub(super) fn code(&mut self, messages: &mut Messages) {
        let Self::Each(sent) = self else {
            return;
        };
        // Who asks for the last of them that is not delivered opens them.
        if sent.len() < TOGETHER || sent.iter().all(|(count, _)| count.left == 0) {
            return;
        }
        let mut rows = Rows::<COLUMNS>::with_room(TOGETHER);
        let end = sent.last().map_or(0, |(count, _)| count.end);
        for &(count, sent) in &*sent {
            let row = if count.left == 0 {
                let mut row = rows.expected();
                row[7] = count.end;
                row[COLUMNS - 1] = DELIVERED;
                row
            } else if let Some(row) = row(count, sent, messages) {
                row
            } else {
                return;
            };
            rows.push(row);
        }
        for (count, sent) in sent {
            if let Sent::Parts { message, .. } = sent
                && count.left > 0
            {
                messages.remove(*message as usize);
            }
        }
        let rows = rows.coded();
        *self = Self::Coded { end, rows };
    }

    /// The coded messages that no receive has found.
    pub(super) fn unmatched(&self) -> impl Iterator<Item = Message> {
        let rows: &[u8] = match self {
            Self::Each(_) => &[],
            Self::Coded { rows, .. } => rows,
        };
        let rows = decoded(rows).filter(|row| row[COLUMNS - 1] != DELIVERED);
        rows.map(|row| told(row).0)
            .filter(|message| message.receive == NO_RECEIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_with_their_packets() {
        let mut messages = Messages::default();
        let others: Vec<usize> = (0..3).map(|_| messages.insert(message(99))).collect();
        let mut sent = Vec::new();
        for number in 0..16 {
            let index = messages.insert(message(number));
            let count = Count {
                end: 100 + 3 * u64::from(number),
                left: [3, 0, 1][number as usize % 3],
                latest_cycle: [0, 50, 51][number as usize % 3],
            };
            let parts = Sent::Parts {
                message: narrow(index, "few"),
                last_payload_bytes: 7,
                payload_bytes: 2048,
                ends: number % 2 == 0,
            };
            if count.left == 0 {
                messages.remove(index);
            }
            sent.push((count, parts));
        }
        let mut block = Block::Each(sent.clone());
        block.code(&mut messages);
        assert!(matches!(block, Block::Coded { end: 145, .. }));
        assert_eq!(block.len(), 16);
        let unmatched: Vec<u32> = block.unmatched().map(|message| message.to).collect();
        // Of those with an even number the receive is known, and each third is delivered.
        assert_eq!(unmatched, [3, 5, 9, 11, 15].map(|number| 1018 - number));
        let found = block.open(&mut messages).clone();
        for (number, ((count, parts), before)) in (0..).zip(found.iter().zip(&sent)) {
            assert_eq!((count.end, count.left), (before.0.end, before.0.left));
            if count.left == 0 {
                continue;
            }
            assert_eq!(count.latest_cycle, before.0.latest_cycle);
            let &Sent::Parts {
                message: index,
                last_payload_bytes,
                payload_bytes,
                ends,
            } = parts
            else {
                panic!("{parts:?}");
            };
            assert!(!others.contains(&(index as usize)));
            assert_eq!((last_payload_bytes, payload_bytes), (7, 2048));
            assert_eq!(ends, number % 2 == 0);
            let told = format!("{:?}", messages.look_at(index as usize));
            assert_eq!(told, format!("{:?}", message(number)));
        }
        // What is no part of a message is not coded, unless it is delivered.
        let acknowledgement = Sent::Acknowledgement {
            from: 1,
            to: 2,
            nic: 0,
        };
        for (left, is_coded) in [(1, false), (0, true)] {
            let mut sent = found.clone();
            sent[4] = (Count { left, ..sent[4].0 }, acknowledgement);
            let mut block = Block::Each(sent);
            block.code(&mut messages.clone());
            assert_eq!(matches!(block, Block::Coded { .. }), is_coded);
        }
    }

    fn message(number: u32) -> Message {
        Message {
            from: 3,
            to: 1018 - number,
            tag: u32::MAX,
            bytes: [64, 1 << 40][number as usize % 2],
            number: u32::MAX - 7,
            sent_cycle: 1000 * u64::from(number),
            stage: STAGES[number as usize % 4],
            nic: [0, 255][number as usize / 4 % 2],
            packets_left: 1,
            send: 4000 + u64::from(number),
            receive: [77, NO_RECEIVE][number as usize % 2],
        }
    }
}
