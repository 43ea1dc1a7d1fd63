//! What ranks did and which messages went when, in ns and by the names of the trace's actions.

use std::collections::BTreeMap;
use weft_model::workload::Execution;
use weft_model::workload::program::{
    self, Activity, COLLECTIVES, Place, Program, States, TimelineLimits, Work,
};

/// How much of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineDetail {
    /// States shorter than this are merged, in ns; not negative.
    pub resolution_ns: f64,
    /// Spans of states, of all ranks; where there would be more, the resolution grows.
    pub most_states: usize,
    /// Only messages so long are kept.
    pub least_message_bytes: u64,
    /// Messages; where there would be more, one in so many is kept.
    pub most_messages: usize,
}

impl TimelineDetail {
    pub(crate) fn limits(&self, cycle_ns: f64) -> TimelineLimits {
        let cycles = (self.resolution_ns / cycle_ns).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the nearest there is"
        )]
        TimelineLimits {
            resolution_cycles: cycles as u64,
            most_states: self.most_states,
            least_message_bytes: self.least_message_bytes,
            most_messages: self.most_messages,
        }
    }
}

/// What was kept of a run. Times are ns.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// States of ranks shorter than this were merged.
    pub resolution_ns: f64,
    /// What ranks did.
    pub states: StateSpans,
    /// Messages, by the time they were sent.
    pub messages: Vec<MessageSpan>,
    /// Messages that were long enough.
    pub message_count: u64,
    /// One in so many of these was kept.
    pub one_in: u64,
}

/// The states of all ranks, by rank and of each from the beginning to the end of the run without a
/// gap. They are held in few bytes, and told one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpans {
    states: States,
    /// Per span, what its task is a part of: a place among `names`, from 1; 0 of none.
    actions: Vec<u16>,
    names: Vec<&'static str>,
    cycle_ns: f64,
    /// The states that the spans hold.
    pub state_count: u64,
    /// End of the last, in ns.
    pub end_ns: f64,
}

/// Where a reader of [`StateSpans`] is.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpanPlace {
    place: Place,
    number: usize,
}

impl StateSpans {
    #[expect(clippy::expect_used, reason = "there is no way to make more names")]
    fn new(program: &Program, states: States, cycle_ns: f64, names: &mut Names) -> Self {
        let mut found = Self {
            actions: Vec::with_capacity(states.len()),
            names: Vec::new(),
            cycle_ns,
            state_count: 0,
            end_ns: 0.0,
            states,
        };
        for span in found.states.iter() {
            let action = span
                .longest
                .task
                .and_then(|task| names.action(program, span.rank, task.line));
            let place = action.map_or(0, |action| {
                let known = found.names.iter().position(|&name| name == action);
                known.unwrap_or_else(|| {
                    found.names.push(action);
                    found.names.len() - 1
                }) + 1
            });
            let place = u16::try_from(place).expect("actions have a few dozen names");
            found.actions.push(place);
            found.state_count += span.state_count;
            found.end_ns = found.end_ns.max(span.end_cycle as f64 * cycle_ns);
        }
        found
    }

    /// How many spans there are.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The span at a place, which moves on to the next; none at the end.
    pub fn next(&self, at: &mut SpanPlace) -> Option<StateSpan> {
        let span = self.states.next(&mut at.place)?;
        let action = self.actions.get(at.number).map_or(0, |&place| place);
        at.number += 1;
        let action = usize::from(action)
            .checked_sub(1)
            .and_then(|place| self.names.get(place).copied());
        let ns = |cycles: u64| cycles as f64 * self.cycle_ns;
        Some(StateSpan {
            rank: span.rank,
            begin_ns: ns(span.begin_cycle),
            end_ns: ns(span.end_cycle),
            activity_ns: span.cycles.map(ns),
            state_count: span.state_count,
            longest: span.longest.activity,
            longest_ns: ns(span.longest_cycles),
            task: span.longest.task.map(|task| NamedTask::new(task, action)),
        })
    }
}

/// A stretch of a rank's time: one state, or several that are too short to be told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpan {
    /// Whose.
    pub rank: u32,
    /// When it begins.
    pub begin_ns: f64,
    /// When it ends.
    pub end_ns: f64,
    /// Time of each of [`Activity::ALL`] in it.
    pub activity_ns: [f64; 6],
    /// The states in it.
    pub state_count: u64,
    /// What the longest of them is.
    pub longest: Activity,
    /// How long that is.
    pub longest_ns: f64,
    /// The task that this is for.
    pub task: Option<NamedTask>,
}

/// A task of a rank and the action of the trace that it is a part of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedTask {
    /// What it does.
    pub work: Work,
    /// Name of the action; none of a schedule.
    pub action: Option<&'static str>,
    /// Whether that is a collective operation.
    pub is_collective: bool,
    /// Its line; 0 where there is none.
    pub line: u32,
}

impl NamedTask {
    fn new(task: program::Task, action: Option<&'static str>) -> Self {
        Self {
            work: task.work,
            action,
            is_collective: action.is_some_and(is_collective),
            line: task.line,
        }
    }
}

/// A message and its time under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageSpan {
    /// When its sender gave it to the messaging layer.
    pub sent_ns: f64,
    /// When it was there whole, and its receive too.
    pub there_ns: f64,
    /// Rank that sent it.
    pub from: u32,
    /// Rank it went to.
    pub to: u32,
    /// Its tag; none in a collective operation.
    pub tag: Option<u32>,
    /// The collective operation it is a part of, if any.
    pub collective: Option<&'static str>,
    /// Its length.
    pub bytes: u64,
}

impl Timeline {
    /// The timeline that an execution kept until cycle `now`, if it did.
    pub(crate) fn of(
        program: &Program,
        execution: &Execution,
        now: u64,
        cycle_ns: f64,
    ) -> Option<Self> {
        let ranks = (0..).take(program.rank_count());
        let finishes = ranks.filter(|&rank| !program.is_background(rank));
        let finishes: Option<Vec<u64>> =
            finishes.map(|rank| execution.finish_cycle(rank)).collect();
        let end = finishes.map_or(now, |cycles| cycles.into_iter().max().unwrap_or(0));
        let kept = execution.timeline(end)?;
        let ns = |cycles: u64| cycles as f64 * cycle_ns;
        let mut names = Names::default();
        let states = StateSpans::new(program, kept.states, cycle_ns, &mut names);
        let messages = kept.messages.iter().map(|span| {
            let action = names.action(program, span.to, span.line);
            let collective = action.filter(|action| is_collective(action));
            MessageSpan {
                sent_ns: ns(span.sent_cycle),
                there_ns: ns(span.there_cycle),
                from: span.from,
                to: span.to,
                tag: collective.is_none().then_some(span.tag),
                collective,
                bytes: span.bytes,
            }
        });
        Some(Self {
            resolution_ns: ns(kept.resolution_cycles),
            states,
            messages: messages.collect(),
            message_count: kept.message_count,
            one_in: kept.one_in,
        })
    }
}

fn is_collective(action: &str) -> bool {
    COLLECTIVES.iter().any(|entry| entry.name == action)
}

/// Names of actions by rank and line, looked up once a rank.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<u32, Vec<(u32, &'static str)>>);

impl Names {
    fn action(&mut self, program: &Program, rank: u32, line: u32) -> Option<&'static str> {
        let actions = self.0.entry(rank).or_insert_with(|| program.actions(rank));
        let at = actions.partition_point(|&(before, _)| before < line);
        let &(found, name) = actions.get(at)?;
        (found == line).then_some(name)
    }

    fn task(&mut self, program: &Program, rank: u32, task: program::Task) -> NamedTask {
        NamedTask::new(task, self.action(program, rank, task.line))
    }

    /// What a task of a rank does, in words, in which other ranks have their numbers in its job.
    pub(crate) fn work(&mut self, program: &Program, rank: u32, mut task: program::Task) -> String {
        let first = program.first_rank_of_job(rank);
        match &mut task.work {
            Work::Send { to: other, .. }
            | Work::Receive {
                from: Some(other), ..
            } => *other -= first,
            Work::Receive { from: None, .. }
            | Work::Compute { .. }
            | Work::Until { .. }
            | Work::Join => {}
        }
        let named = self.task(program, rank, task);
        let operation = named.action.filter(|_| named.is_collective);
        match (task.work, operation) {
            (Work::Send { to, bytes, .. }, Some(operation)) => {
                format!("sending {bytes} bytes to rank {to} ({operation})")
            }
            (
                Work::Receive {
                    from: Some(from), ..
                },
                Some(operation),
            ) => {
                format!("receiving from rank {from} ({operation})")
            }
            (work, _) => work.to_string(),
        }
    }
}
