//! The part of a trace that is replayed: what the application itself timed, say.

use super::action::{Actions, Position};
use super::{Trace, TraceError};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Which occurrence of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// The so-manieth, from 1.
    Number(u32),
    Last,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    action: String,
    which: Which,
}

/// From after one action of each rank to before another, such as `barrier:last..reduce`.
///
/// Begin and end are marks, each an action's name with the number of its occurrence, the first if
/// none is said. Marks joined by `+` are looked for one after the other; those of the end after
/// those of the beginning. Without a beginning or an end the region has that of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    begin: Vec<Mark>,
    end: Vec<Mark>,
}

/// A text is no region.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "region “{found}”: {problem}; expected BEGIN..END, each an action with the number of its \
     occurrence, such as barrier:last..reduce or alltoallv:1+compute:1..reduce:1"
)]
pub struct RegionError {
    found: String,
    problem: String,
}

impl FromStr for Mark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (action, which) = text.split_once(':').unwrap_or((text, "1"));
        let which = match which {
            "last" => Which::Last,
            number => match number.parse() {
                Ok(number) if number > 0 => Which::Number(number),
                _ => return Err(format!("found “{number}” for the number of an occurrence")),
            },
        };
        if action.is_empty() || !action.chars().all(char::is_alphanumeric) {
            return Err(format!("found “{action}” for an action"));
        }
        let action = action.to_owned();
        Ok(Self { action, which })
    }
}

impl FromStr for Region {
    type Err = RegionError;

    fn from_str(text: &str) -> Result<Self, RegionError> {
        let refuse = |problem: String| RegionError {
            found: text.to_owned(),
            problem,
        };
        let (begin, end) = text
            .split_once("..")
            .ok_or_else(|| refuse("found no “..”".to_owned()))?;
        let marks = |text: &str| {
            let parts = text.split('+').filter(|_| !text.is_empty());
            parts.map(str::parse).collect::<Result<_, _>>()
        };
        Ok(Self {
            begin: marks(begin).map_err(refuse)?,
            end: marks(end).map_err(refuse)?,
        })
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.which {
            Which::Last => write!(f, "the last {}", self.action),
            Which::Number(number) => write!(f, "{} number {number}", self.action),
        }
    }
}

impl Region {
    /// The positions of each rank's first action in the region and of the first after it.
    ///
    /// # Errors
    /// [`TraceError`] where a rank has no such part, or none has anything in it.
    pub(super) fn spans(&self, trace: &Trace) -> Result<Vec<(Position, Position)>, TraceError> {
        let spans = (0..)
            .take(trace.rank_count())
            .map(|rank| self.span(trace, rank))
            .collect::<Result<Vec<_>, _>>()?;
        if *self != Self::default() && spans.iter().all(|(begin, end)| begin == end) {
            let problem = "the region holds no action of any rank; expected an end further on than the beginning";
            return Err(TraceError::Whole(problem.to_owned()));
        }
        Ok(spans)
    }

    /// The positions of a rank's first action in the region and of the first after it.
    fn span(&self, trace: &Trace, rank: u32) -> Result<(Position, Position), TraceError> {
        let mut after = Position::default();
        for mark in &self.begin {
            after = find(trace, rank, mark, after)?.1;
        }
        let mut end = None;
        let mut at = after;
        for mark in &self.end {
            let (before, past) = find(trace, rank, mark, at)?;
            end = Some(before);
            at = past;
        }
        let end = end.unwrap_or_else(|| {
            let mut at = after;
            while trace.ranks[rank as usize].next(&mut at).is_some() {}
            at
        });
        Ok((after, end))
    }
}

/// The actions that some rank of a trace has.
fn actions_of(trace: &Trace) -> BTreeSet<&'static str> {
    let all = trace.ranks.iter().flat_map(Actions::all);
    all.map(|(_, action)| action.name()).collect()
}

/// The positions before and after the action of a mark, looked for from a position on.
fn find(
    trace: &Trace,
    rank: u32,
    mark: &Mark,
    from: Position,
) -> Result<(Position, Position), TraceError> {
    let actions = &trace.ranks[rank as usize];
    let (mut at, mut count, mut found) = (from, 0, None);
    loop {
        let before = at;
        let Some((_, action)) = actions.next(&mut at) else {
            break;
        };
        if action.name() == mark.action {
            count += 1;
            found = Some((before, at));
            if mark.which == Which::Number(count) {
                break;
            }
        }
    }
    let is_it = mark.which == Which::Last || mark.which == Which::Number(count);
    found.filter(|_| is_it).ok_or_else(|| {
        let names = actions_of(trace);
        if !names.contains(mark.action.as_str()) {
            let has = names.into_iter().collect::<Vec<_>>().join(", ");
            let name = &mark.action;
            return TraceError::Whole(format!(
                "the region begins or ends at “{name}”, which no rank of the trace has; it has {has}"
            ));
        }
        let problem = format!("rank {rank} ends before {mark}, where the region begins or ends");
        trace.error(rank, actions.last_line(), problem)
    })
}
