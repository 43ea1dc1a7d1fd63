//! Schedules in GOAL's text form, as `LogGOPSim` and ATLAHS read them.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//!   a: calc 1000
//!   b: send 8b to 1 tag 7
//!   b requires a
//! }
//! rank 1 {
//!   a: recv 8b from 0 tag 7
//! }
//! ```
//!
//! `L1 requires L2` lets L1 start when L2 is over, `L1 irequires L2` when L2 has started. `calc`
//! counts ns. `recv … from -1` takes messages of any rank, `tag -1` of any tag; without a tag it is 0. `cpu C` names
//! the processor that works on it and `nic N` the queue pair of a message, both 0 unless named. A statement that
//! nothing names needs no label.

use super::super::{MOST_MESSAGE_BYTES, Moment, Task, TaskGraph, Work};
use super::schedule::{Schedule, Wait};
use super::{Mistake, TraceError, read_lines};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use weft_fabric::narrow;
use weft_registry::Suggestion;

/// Most ranks a schedule may have.
pub(super) const MOST_RANKS: u32 = 1 << 20;

/// What of a schedule was read so far.
#[derive(Debug)]
enum State {
    Start,
    Between,
    Within(u32, Statements),
}

/// One rank's statements.
#[derive(Debug, Default)]
struct Statements {
    schedule: Schedule,
    /// The places of tasks by their labels.
    labels: BTreeMap<String, u32>,
    /// Waits for labels that were not there yet: the two and the line.
    later: Vec<(String, String, Moment, u32)>,
}

/// Reads a schedule, line by line. `file` names it in errors.
///
/// # Errors
/// [`TraceError`] with the line of the first mistake.
pub fn read_goal(input: impl BufRead, file: &str) -> Result<TaskGraph, TraceError> {
    let mut graph = TaskGraph::default();
    let mut state = State::Start;
    let mut seen = BTreeSet::new();
    let (mut is_comment, mut comment_line) = (false, 0);
    let last_line = read_lines(input, file, "found bytes that are no text", |line, text| {
        let was_comment = is_comment;
        let text = without_comments(text, &mut is_comment);
        if is_comment && (!was_comment || !text.is_empty()) {
            comment_line = line;
        }
        let mut text = text.trim();
        while !text.is_empty() {
            let before = std::mem::replace(&mut state, State::Between);
            let (after, rest) = take(before, text, line, &mut graph, &mut seen)?;
            (state, text) = (after, rest.trim_start());
        }
        Ok(())
    })?;
    if is_comment {
        let problem = "a comment begins here with /* and does not end; expected */".to_owned();
        return Err(TraceError::file(file, comment_line, problem));
    }
    let problem = match state {
        State::Start => "the schedule is empty; expected num_ranks".to_owned(),
        State::Within(rank, _) => {
            format!("rank {rank} is not closed by }}; the schedule is cut short")
        }
        State::Between if seen.len() < graph.rank_count() => {
            let mut ranks = (0..).take(graph.rank_count());
            let missing = ranks.find(|rank| !seen.contains(rank)).unwrap_or(0);
            let last = graph.rank_count() - 1;
            format!(
                "the schedule ends without rank {missing}; expected all of ranks 0 to {last}, those that do nothing as \
                 rank {missing} {{ }}"
            )
        }
        State::Between => {
            let graph = graph.read_from(vec![file.to_owned()]);
            graph.check_rooms()?;
            return Ok(graph);
        }
    };
    Err(TraceError::file(file, last_line, problem))
}

fn without_comments<'a>(text: &'a str, is_comment: &mut bool) -> Cow<'a, str> {
    if !*is_comment && !text.contains('/') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut rest = text;
    loop {
        if *is_comment {
            let Some(end) = rest.find("*/") else {
                return Cow::Owned(kept);
            };
            rest = &rest[end + 2..];
            *is_comment = false;
        }
        match (rest.find("/*"), rest.find("//")) {
            (Some(block), line) if line.is_none_or(|line| block < line) => {
                kept.push_str(&rest[..block]);
                kept.push(' ');
                rest = &rest[block + 2..];
                *is_comment = true;
            }
            (_, Some(line)) => {
                kept.push_str(&rest[..line]);
                return Cow::Owned(kept);
            }
            (_, None) => {
                kept.push_str(rest);
                return Cow::Owned(kept);
            }
        }
    }
}

/// Takes what a line begins with, up to a brace where it has one, and what is left: `txt2bin` ends lines behind
/// statements alone, so that `rank 1 { }` is one.
fn take<'a>(
    state: State,
    text: &'a str,
    line: u32,
    graph: &mut TaskGraph,
    seen: &mut BTreeSet<u32>,
) -> Result<(State, &'a str), Mistake> {
    let wrong = |expected: &str| (line, format!("found “{text}”, expected {expected}"));
    match state {
        State::Start => {
            let counted = text
                .strip_prefix("num_ranks")
                .filter(|rest| rest.starts_with(char::is_whitespace));
            let Some(counted) = counted.map(str::trim_start) else {
                return Err(wrong("num_ranks and the number of ranks"));
            };
            let (count, rest) = counted
                .split_once(char::is_whitespace)
                .unwrap_or((counted, ""));
            match count.parse() {
                Ok(count) if (1..=MOST_RANKS).contains(&count) => {
                    *graph = TaskGraph::new(count as usize);
                    Ok((State::Between, rest))
                }
                _ => Err(wrong(&format!("num_ranks with 1 to {MOST_RANKS}"))),
            }
        }
        State::Between => {
            let named = text
                .strip_prefix("rank")
                .filter(|rest| rest.starts_with(char::is_whitespace));
            let opened = named.and_then(|rest| rest.split_once('{'));
            let opened = opened.and_then(|(rank, rest)| Some((rank.trim().parse().ok()?, rest)));
            let Some((rank, rest)) = opened else {
                return Err(wrong("rank with its number and {"));
            };
            let rank: u32 = rank;
            if rank as usize >= graph.rank_count() {
                let last = graph.rank_count() - 1;
                return Err(wrong(&format!("a rank from 0 to {last}")));
            }
            if !seen.insert(rank) {
                return Err(wrong("each rank once"));
            }
            Ok((State::Within(rank, Statements::default()), rest))
        }
        State::Within(rank, mut statements) => {
            if let Some(rest) = text.strip_prefix('}') {
                statements.name_later(rank)?;
                statements.schedule.add_to(rank, graph)?;
                return Ok((State::Between, rest));
            }
            let (statement, rest) = text.split_at(text.find('}').unwrap_or(text.len()));
            statements.take(statement.trim_end(), line)?;
            Ok((State::Within(rank, statements), rest))
        }
    }
}

impl Statements {
    fn take(&mut self, text: &str, line: u32) -> Result<(), Mistake> {
        let wrong = |expected: &str| (line, format!("found “{text}”, expected {expected}"));
        let (label, statement) = match text.split_once(':') {
            Some((label, statement)) => (Some(label.trim()), statement),
            None => (None, text),
        };
        let mut words = statement.split_whitespace();
        let first = words.next().unwrap_or_default();
        if label.is_some() || matches!(first, "send" | "recv" | "calc") {
            let words: Vec<&str> = statement.split_whitespace().collect();
            let (task, room) = task(&words, line).map_err(|problem| (line, problem))?;
            let place = narrow(self.schedule.tasks.len(), "lines are numbers of 32 bits");
            self.schedule.tasks.push((task, room));
            let named = label.filter(|label| !label.is_empty());
            if named.is_some_and(|label| label.contains(char::is_whitespace)) {
                return Err(wrong("a label of one word"));
            }
            if let Some(label) = named
                && self.labels.insert(label.to_owned(), place).is_some()
            {
                return Err(wrong("each label once"));
            }
            return Ok(());
        }
        let moment = match words.next() {
            Some("requires") => Moment::End,
            Some("irequires") => Moment::Start,
            _ => {
                return Err(wrong(
                    "LABEL: send, recv or calc, LABEL requires LABEL, LABEL irequires LABEL, or }",
                ));
            }
        };
        let (Some(other), None) = (words.next(), words.next()) else {
            return Err(wrong("LABEL requires LABEL or LABEL irequires LABEL"));
        };
        let places = (self.labels.get(first), self.labels.get(other));
        if let (Some(&task), Some(&other)) = places {
            let wait = Wait {
                task,
                other,
                moment,
            };
            self.schedule.waits.push(wait);
        } else {
            let wait = (first.to_owned(), other.to_owned(), moment, line);
            self.later.push(wait);
        }
        Ok(())
    }

    /// Turns labels that came later into places.
    fn name_later(&mut self, rank: u32) -> Result<(), Mistake> {
        for (task, other, moment, line) in std::mem::take(&mut self.later) {
            let place = |label: &String| {
                let found = self.labels.get(label).copied();
                found.ok_or_else(|| {
                    (
                        line,
                        format!(
                            "found label “{label}”, which rank {rank} has not; expected one of its tasks{}",
                            Suggestion::nearest(label, self.labels.keys().map(String::as_str))
                        ),
                    )
                })
            };
            let (task, other) = (place(&task)?, place(&other)?);
            self.schedule.waits.push(Wait {
                task,
                other,
                moment,
            });
        }
        Ok(())
    }
}

const STATEMENTS: &str = "send SIZEb to RANK, recv SIZEb from RANK, or calc NS";

/// What a statement after its label does, and the room in it, if there is one.
fn task(words: &[&str], line: u32) -> Result<(Task, Option<u64>), String> {
    let wrong = |expected: &str| format!("found “{}”, expected {expected}", words.join(" "));
    let (work, room, rest) = match *words {
        ["calc", ns, ref rest @ ..] => {
            let ns = ns
                .parse()
                .map_err(|_| wrong("calc with a whole number of ns"))?;
            let ns: u64 = ns;
            (Work::Compute { ns: ns as f64 }, None, rest)
        }
        [kind @ ("send" | "recv"), size, ref rest @ ..] => {
            // `8 b` is `8b` to `txt2bin`.
            let (size, rest) = match *rest {
                ["b", ref rest @ ..] => (Some(size), rest),
                _ => (size.strip_suffix('b'), rest),
            };
            let way = if kind == "send" { "to" } else { "from" };
            let [direction, peer, ref rest @ ..] = *rest else {
                return Err(wrong(STATEMENTS));
            };
            if direction != way {
                return Err(wrong(STATEMENTS));
            }
            let bytes = size.and_then(|size| size.parse().ok());
            let bytes = bytes
                .ok_or_else(|| wrong(&format!("a size such as 8b, up to {MOST_MESSAGE_BYTES}b")))?;
            let peer = if peer == "-1" && kind == "recv" {
                None
            } else {
                Some(peer.parse().map_err(|_| wrong("the number of a rank"))?)
            };
            match (kind, peer) {
                ("send", Some(to)) => (Work::Send { to, tag: 0, bytes }, None, rest),
                (_, from) => (Work::Receive { from, tag: Some(0) }, Some(bytes), rest),
            }
        }
        _ => return Err(wrong(STATEMENTS)),
    };
    let task = options(Task::new(work, line), rest).ok_or_else(|| {
        wrong("tag with a number (-1 in a recv: any), cpu and nic with 0 to 255, each once")
    })?;
    Ok((task, room))
}

/// Applies `tag T`, `cpu C` and `nic N`.
fn options(mut task: Task, mut words: &[&str]) -> Option<Task> {
    let mut seen = BTreeSet::new();
    loop {
        if words.first().is_some_and(|name| !seen.insert(*name)) {
            return None;
        }
        words = match *words {
            [] => return Some(task),
            ["tag", tag, ref rest @ ..] => {
                match &mut task.work {
                    Work::Send { tag: own, .. } => *own = tag.parse().ok()?,
                    Work::Receive { tag: own, .. } if tag == "-1" => *own = None,
                    Work::Receive { tag: own, .. } => *own = Some(tag.parse().ok()?),
                    _ => return None,
                }
                rest
            }
            ["cpu", cpu, ref rest @ ..] => {
                task.cpu = cpu.parse().ok()?;
                rest
            }
            ["nic", nic, ref rest @ ..] => {
                task.nic = nic.parse().ok()?;
                rest
            }
            _ => return None,
        }
    }
}
