//! A task under way, in little room.

use super::super::task::{Moment, Task, Work};

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Waiting,
    Started,
    /// A receive that has not found its message.
    Posted,
    Over,
}

/// Tasks that wait for moments of another, in few bits: mostly it is one that follows soon.
///
/// The highest two bits tell what the others are: nothing, how far behind it the one is that waits for its start or
/// for its end, or the place of a list of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waiting(pub(super) u32);

pub(super) const NOBODY: u32 = 0;
pub(super) const START: u32 = 1 << 30;
pub(super) const END: u32 = 2 << 30;
pub(super) const SEVERAL: u32 = 3 << 30;
pub(super) const KIND: u32 = 3 << 30;

impl Waiting {
    /// One that is so far behind, if that is near enough.
    pub(super) fn one(distance: u64, moment: Moment) -> Option<Self> {
        let distance = u32::try_from(distance).ok().filter(|it| it & KIND == 0)?;
        Some(Self(distance | coded(moment)))
    }
}

pub(super) fn coded(moment: Moment) -> u32 {
    match moment {
        Moment::Start => START,
        Moment::End => END,
    }
}

/// A task, in little room: millions may be under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    /// Of computing the bits of its time, of a send the length, of a receive that was posted its turn among these.
    pub(super) amount: u64,
    /// Of a message: the other rank, and the tag; of a receive 0 where any will do.
    pub(super) other: u32,
    pub(super) tag: u32,
    pub(super) line: u32,
    /// Moments it still waits for; of a receive that was posted for a rank, how far from it the next is, of those in the
    /// lowest bits of numbers.
    pub(super) missing: u32,
    pub(super) waiting: Waiting,
    pub(super) kind: Kind,
    pub(super) cpu: u8,
    pub(super) nic: u8,
    pub(super) phase: Phase,
}

/// What a task does; of a receive whether it asks for a rank and for a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compute,
    Until,
    Send,
    Receive,
    ReceiveFrom,
    ReceiveTagged,
    ReceiveFromTagged,
    Join,
}

const _: () = assert!(size_of::<Slot>() == 32);

impl Slot {
    pub(super) fn new(task: Task, missing: u32) -> Self {
        let (kind, amount, other, tag) = match task.work {
            Work::Compute { ns } => (Kind::Compute, ns.to_bits(), 0, 0),
            Work::Until { cycle } => (Kind::Until, cycle, 0, 0),
            Work::Send { to, tag, bytes } => (Kind::Send, bytes, to, tag),
            Work::Receive { from, tag } => {
                let kind = match (from, tag) {
                    (None, None) => Kind::Receive,
                    (Some(_), None) => Kind::ReceiveFrom,
                    (None, Some(_)) => Kind::ReceiveTagged,
                    (Some(_), Some(_)) => Kind::ReceiveFromTagged,
                };
                (kind, 0, from.unwrap_or(0), tag.unwrap_or(0))
            }
            Work::Join => (Kind::Join, 0, 0, 0),
        };
        Self {
            amount,
            waiting: Waiting::default(),
            other,
            tag,
            line: task.line,
            missing,
            kind,
            cpu: task.cpu,
            nic: task.nic,
            phase: Phase::Waiting,
        }
    }

    pub(super) fn task(&self) -> Task {
        let (other, tag) = (self.other, self.tag);
        let receive = |from, tag| Work::Receive { from, tag };
        let work = match self.kind {
            Kind::Compute => Work::Compute {
                ns: f64::from_bits(self.amount),
            },
            Kind::Until => Work::Until { cycle: self.amount },
            Kind::Send => Work::Send {
                to: other,
                tag,
                bytes: self.amount,
            },
            Kind::Receive => receive(None, None),
            Kind::ReceiveFrom => receive(Some(other), None),
            Kind::ReceiveTagged => receive(None, Some(tag)),
            Kind::ReceiveFromTagged => receive(Some(other), Some(tag)),
            Kind::Join => Work::Join,
        };
        Task {
            work,
            line: self.line,
            cpu: self.cpu,
            nic: self.nic,
        }
    }

    /// Whether a message with a tag suits it, a receive.
    pub(super) fn suits(&self, tag: u32) -> bool {
        let is_any = matches!(self.kind, Kind::Receive | Kind::ReceiveFrom);
        is_any || self.tag == tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_come_back_as_they_were() {
        let (from, tag) = (Some(7), Some(u32::MAX));
        for work in [
            Work::Compute { ns: 0.1 },
            Work::Until { cycle: u64::MAX },
            Work::Send {
                to: 3,
                tag: 0,
                bytes: u64::MAX,
            },
            Work::Receive { from, tag },
            Work::Receive { from, tag: None },
            Work::Receive { from: None, tag },
            Work::Receive {
                from: None,
                tag: None,
            },
            Work::Join,
        ] {
            let (cpu, nic) = (3, 250);
            let task = Task {
                cpu,
                nic,
                ..Task::new(work, 12)
            };
            assert_eq!(Slot::new(task, 0).task(), task);
        }
    }
}
