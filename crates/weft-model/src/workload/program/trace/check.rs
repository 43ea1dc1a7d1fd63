//! Whether the processes of a trace fit together: every message is received, every receive gets a
//! message that it has room for, all call the same collective operations with the same lengths.

use super::lengths::Call;
use super::{Action, Replayed, TraceError};

impl Replayed {
    pub(super) fn check(&self) -> Result<(), TraceError> {
        self.check_ranks()?;
        self.check_messages()?;
        self.check_collectives()
    }

    pub(super) fn ranks(&self) -> impl Iterator<Item = u32> {
        (0..).take(self.rank_count())
    }

    fn check_ranks(&self) -> Result<(), TraceError> {
        let last = self.rank_count().saturating_sub(1);
        for rank in self.ranks() {
            for (line, action) in self.actions(rank) {
                let named = match &action {
                    Action::Collective(collective) | Action::StartCollective { collective, .. } => {
                        collective.root()
                    }
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
                if let Some(collective) = action.collective()
                    && let Some(parts) = collective.parts(rank)
                    && parts.len() != self.rank_count()
                {
                    let problem = format!(
                        "{} lists {} ranks; the trace has {}",
                        action.name(),
                        parts.len(),
                        self.rank_count()
                    );
                    return Err(self.trace.error(rank, line, problem));
                }
            }
        }
        Ok(())
    }

    /// The collective operations of a rank.
    fn collectives(&self, rank: u32) -> impl Iterator<Item = Call> {
        self.actions(rank)
            .filter_map(|(line, action)| Call::new(line, action))
    }

    fn check_collectives(&self) -> Result<(), TraceError> {
        let mut ranks: Vec<_> = self.ranks().map(|rank| self.collectives(rank)).collect();
        for number in 1.. {
            let calls: Vec<_> = ranks.iter_mut().map(Iterator::next).collect();
            if calls.iter().all(Option::is_none) {
                break;
            }
            self.check_same(number, &calls)?;
            let calls: Vec<Call> = calls.into_iter().flatten().collect();
            self.check_counts(&calls)?;
        }
        Ok(())
    }

    /// Refuses calls of all ranks that are not of one operation.
    fn check_same(&self, number: u64, calls: &[Option<Call>]) -> Result<(), TraceError> {
        let Some((first, others)) = calls.split_first() else {
            return Ok(());
        };
        for (rank, own) in (1..).zip(others) {
            let (problem, line) = match (first, own) {
                (None, None) => continue,
                (Some(first), Some(own)) if first.agrees_with(own) => continue,
                (Some(first), Some(own)) => {
                    let problem = format!(
                        "collective operation {number} of rank {rank} is {own}, that of rank 0 \
                         (line {}) {first}; expected the same of all ranks: the format has no \
                         communicators of some",
                        first.line
                    );
                    (problem, own.line)
                }
                (Some(first), None) => {
                    let problem = format!(
                        "rank {rank} ends before collective operation {number}, {first} (rank 0, \
                         line {}); the trace is cut short",
                        first.line
                    );
                    (problem, self.trace.ranks[rank as usize].last_line())
                }
                (None, Some(own)) => {
                    let problem = format!(
                        "collective operation {number} of rank {rank} is {own}, but rank 0 ends \
                         before; the trace is cut short"
                    );
                    (problem, own.line)
                }
            };
            return Err(self.trace.error(rank, line, problem));
        }
        Ok(())
    }
}
