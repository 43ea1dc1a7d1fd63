//! What packets are that a host sent one after another, and how many of them are delivered.

use super::messages::{Arrived, Messages, Parcel, Stage};
use weft_fabric::narrow;

/// How many of the packets that a host sent one after another are delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    /// Number of the first behind them among the host's packets.
    pub(super) end: u64,
    /// Those not delivered.
    pub(super) left: u64,
    /// The latest cycle in which one was: after failures one is told of later that was delivered sooner.
    pub(super) latest_cycle: u64,
}

impl Count {
    /// Of packets that are all delivered, which nobody asks for any more.
    pub(super) fn delivered(end: u64) -> Self {
        let (left, latest_cycle) = (0, 0);
        Self {
            end,
            left,
            latest_cycle,
        }
    }
}

/// What packets are that a host sent one after another, parts of one message or alone, in little room: millions are
/// under way in an exchange of all with all.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sent {
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
    /// In place of what was delivered, which nobody asks for any more.
    pub(super) const NOTHING: Self = Self::Acknowledgement {
        from: 0,
        to: 0,
        nic: 0,
    };

    /// Packets of which the others have this payload.
    pub(super) fn new(payload_bytes: u32, last: &Arrived) -> Self {
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
    pub(super) fn arrived(self, is_last: bool, messages: &Messages) -> Arrived {
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
