//! Whether the processes of a trace fit together: every message is received, every receive gets a
//! message, all call the same collective operations.

use super::super::Collective;
use super::{Action, Replayed, TraceError};
use std::collections::BTreeMap;
use weft_fabric::narrow;

/// Sends and receives of one (sender, receiver, tag).
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent: u64,
    received: u64,
}

/// The ends and the tag of the message an action of a rank sends (true) or receives.
fn message(rank: u32, action: &Action) -> Option<((u32, u32, u32), bool)> {
    match *action {
        Action::Send { to, tag, .. } | Action::StartSend { to, tag, .. } => {
            Some(((rank, to, tag), true))
        }
        Action::Receive { from, tag } | Action::StartReceive { from, tag } => {
            Some(((from, rank, tag), false))
        }
        _ => None,
    }
}

impl Replayed {
    pub(super) fn check(&self) -> Result<(), TraceError> {
        self.check_ranks()?;
        self.check_messages()?;
        self.check_collectives()
    }

    fn ranks(&self) -> impl Iterator<Item = u32> {
        (0..).take(self.rank_count())
    }

    fn check_ranks(&self) -> Result<(), TraceError> {
        let last = self.rank_count().saturating_sub(1);
        for rank in self.ranks() {
            for (line, action) in self.actions(rank) {
                let named = match &action {
                    Action::Collective(collective) => collective.root(),
                    Action::Send { to, .. } | Action::StartSend { to, .. } => Some(*to),
                    Action::Receive { from, .. } | Action::StartReceive { from, .. } => Some(*from),
                    _ => None,
                };
                if let Some(named) = named
                    && named as usize > last
                {
                    let problem = format!(
                        "{} names rank {named}; the trace has ranks 0 to {last}",
                        action.name()
                    );
                    return Err(self.trace.error(rank, line, problem));
                }
                if let Action::Collective(collective) = &action
                    && let Some(parts) = collective.parts(rank)
                    && parts.len() != self.rank_count()
                {
                    let problem = format!(
                        "{} lists {} ranks; the trace has {}",
                        collective.name(),
                        parts.len(),
                        self.rank_count()
                    );
                    return Err(self.trace.error(rank, line, problem));
                }
            }
        }
        Ok(())
    }

    fn check_messages(&self) -> Result<(), TraceError> {
        let mut counts: BTreeMap<(u32, u32, u32), Counts> = BTreeMap::new();
        for rank in self.ranks() {
            for (_, action) in self.actions(rank) {
                if let Some((ends, is_sent)) = message(rank, &action) {
                    let entry = counts.entry(ends).or_default();
                    entry.sent += u64::from(is_sent);
                    entry.received += u64::from(!is_sent);
                }
            }
        }
        let Some((&ends, counts)) = counts.iter().find(|(_, c)| c.sent != c.received) else {
            return Ok(());
        };
        let (from, to, tag) = ends;
        let (is_sent, rank, matched) = if counts.sent > counts.received {
            (true, from, counts.received)
        } else {
            (false, to, counts.sent)
        };
        let of_kind = |(_, action): &(u32, Action)| message(rank, action) == Some((ends, is_sent));
        let skipped = narrow(matched, "no more messages than actions in memory");
        let line = self.actions(rank).filter(of_kind).nth(skipped);
        let (lacking, number) = if is_sent {
            ("receives", counts.received)
        } else {
            ("sends", counts.sent)
        };
        let what = if is_sent { "sends" } else { "receives" };
        let problem = format!(
            "message {} of rank {from} to rank {to} with tag {tag} {}: rank {} {lacking} only \
             {number} of them, rank {rank} {what} {}; the trace is cut short, or another one's",
            matched + 1,
            if is_sent {
                "is never received"
            } else {
                "is never sent"
            },
            if is_sent { to } else { from },
            counts.sent.max(counts.received),
        );
        Err(self
            .trace
            .error(rank, line.map_or(0, |entry| entry.0), problem))
    }

    /// The collective operations of a rank.
    fn collectives(&self, rank: u32) -> impl Iterator<Item = (u32, Collective)> {
        self.actions(rank)
            .filter_map(|(line, action)| match action {
                Action::Collective(collective) => Some((line, collective)),
                _ => None,
            })
    }

    fn check_collectives(&self) -> Result<(), TraceError> {
        for rank in self.ranks().skip(1) {
            let (mut first, mut own) = (self.collectives(0), self.collectives(rank));
            for number in 1.. {
                let (problem, line) = match (first.next(), own.next()) {
                    (None, None) => break,
                    (Some((_, first)), Some((_, own))) if first.agrees_with(&own) => continue,
                    (Some((at, first)), Some((line, own))) => {
                        let problem = format!(
                            "collective operation {number} of rank {rank} is {own}, that of rank 0 \
                             (line {at}) {first}; expected the same of all ranks"
                        );
                        (problem, line)
                    }
                    (Some((at, first)), None) => {
                        let problem = format!(
                            "rank {rank} ends before collective operation {number}, {first} (rank \
                             0, line {at}); the trace is cut short"
                        );
                        (problem, self.trace.ranks[rank as usize].last_line())
                    }
                    (None, Some((line, own))) => {
                        let problem = format!(
                            "collective operation {number} of rank {rank} is {own}, but rank 0 ends \
                             before; the trace is cut short"
                        );
                        (problem, line)
                    }
                };
                return Err(self.trace.error(rank, line, problem));
            }
        }
        Ok(())
    }
}
