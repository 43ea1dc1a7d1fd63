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
//! counts ns. `recv … from -1` takes messages of any rank, `tag -1` of any tag; without a tag it is 0.
//! Ranks have one processor and one NIC, so `cpu` and `nic` can only be 0.

use super::super::{Dependency, Moment, Task, TaskGraph, Work};
use super::goal_rooms::Rooms;
use super::{Mistake, TraceError, read_lines};
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

/// One rank's statements, in the order of the file.
#[derive(Debug, Default)]
struct Statements {
    rank: u32,
    tasks: Vec<Task>,
    labels: BTreeMap<String, usize>,
    /// Task, what it waits for, the moment, the line.
    waits: Vec<(String, String, Moment, u32)>,
}

/// Most ranks a schedule may have.
const MOST_RANKS: u32 = 1 << 20;

#[derive(Debug)]
enum State {
    Start,
    Between,
    Within(Statements),
}

/// Reads a schedule, line by line. `file` names it in errors.
///
/// # Errors
/// [`TraceError`] with the line of the first mistake.
pub fn read_goal(input: impl BufRead, file: &str) -> Result<TaskGraph, TraceError> {
    let mut graph = TaskGraph::default();
    let mut state = State::Start;
    let mut seen = BTreeSet::new();
    let mut rooms = Rooms::default();
    let mut is_comment = false;
    let last_line = read_lines(input, file, "found bytes that are no text", |line, text| {
        let text = without_comments(text, &mut is_comment);
        let text = text.trim();
        if !text.is_empty() {
            let before = std::mem::replace(&mut state, State::Between);
            state = take(before, text, line, &mut graph, &mut seen, &mut rooms)?;
        }
        Ok(())
    })?;
    let problem = match state {
        State::Start => "the schedule is empty; expected num_ranks".to_owned(),
        State::Within(statements) => {
            format!(
                "rank {} is not closed by }}; the schedule is cut short",
                statements.rank
            )
        }
        State::Between => {
            rooms.check(&graph, file)?;
            return Ok(graph.read_from(file));
        }
    };
    Err(TraceError::file(file, last_line, problem))
}

fn without_comments(text: &str, is_comment: &mut bool) -> String {
    let mut kept = String::new();
    let mut rest = text;
    loop {
        if *is_comment {
            let Some(end) = rest.find("*/") else {
                return kept;
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
                return kept;
            }
            (_, None) => {
                kept.push_str(rest);
                return kept;
            }
        }
    }
}

/// Takes one line that is not empty.
fn take(
    state: State,
    text: &str,
    line: u32,
    graph: &mut TaskGraph,
    seen: &mut BTreeSet<u32>,
    rooms: &mut Rooms,
) -> Result<State, Mistake> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let wrong = |expected: &str| (line, format!("found “{text}”, expected {expected}"));
    match state {
        State::Start => match *words.as_slice() {
            ["num_ranks", count] => {
                let count = count.parse().ok();
                let count = count.filter(|count: &u32| (1..=MOST_RANKS).contains(count));
                let count = count.ok_or_else(|| wrong("num_ranks with 1 to 1048576"))?;
                *graph = TaskGraph::new(count as usize);
                Ok(State::Between)
            }
            _ => Err(wrong("num_ranks and the number of ranks")),
        },
        State::Between => match *words.as_slice() {
            ["rank", number, "{"] => {
                let rank = number.parse().ok();
                let rank: u32 = rank.ok_or_else(|| wrong("rank with its number and {"))?;
                if rank as usize >= graph.rank_count() {
                    let last = graph.rank_count() - 1;
                    return Err(wrong(&format!("a rank from 0 to {last}")));
                }
                if !seen.insert(rank) {
                    return Err(wrong("each rank once"));
                }
                Ok(State::Within(Statements {
                    rank,
                    ..Statements::default()
                }))
            }
            _ => Err(wrong("rank with its number and {")),
        },
        State::Within(statements) if words == ["}"] => {
            add(statements, graph)?;
            Ok(State::Between)
        }
        State::Within(mut statements) => {
            match *words.as_slice() {
                [task, how @ ("requires" | "irequires"), other] => {
                    let moment = if how == "requires" {
                        Moment::End
                    } else {
                        Moment::Start
                    };
                    let entry = (task.to_owned(), other.to_owned(), moment, line);
                    statements.waits.push(entry);
                }
                [label, ref rest @ ..] if label.ends_with(':') => {
                    let label = label.trim_end_matches(':').to_owned();
                    let (work, bytes) = work(rest).map_err(|problem| (line, problem))?;
                    rooms.add(statements.rank, work, bytes, line);
                    statements.tasks.push(Task { work, line });
                    let place = statements.tasks.len() - 1;
                    if statements.labels.insert(label, place).is_some() {
                        return Err(wrong("each label once"));
                    }
                }
                _ => {
                    return Err(wrong(
                        "LABEL: send, recv or calc, LABEL requires LABEL, LABEL irequires LABEL, or }",
                    ));
                }
            }
            Ok(State::Within(statements))
        }
    }
}

/// What a statement after its label does, and the length in it, if there is one.
fn work(words: &[&str]) -> Result<(Work, u64), String> {
    let text = words.join(" ");
    let wrong = |expected: &str| format!("found “{text}”, expected {expected}");
    let (work, bytes, rest) = match *words {
        ["calc", ns, ref rest @ ..] => {
            let ns = ns
                .parse()
                .map_err(|_| wrong("calc with a whole number of ns"))?;
            let ns: u64 = ns;
            (Work::Compute { ns: ns as f64 }, 0, rest)
        }
        [
            kind @ ("send" | "recv"),
            size,
            direction @ ("to" | "from"),
            peer,
            ref rest @ ..,
        ] if (kind == "send") == (direction == "to") => {
            let bytes = size.strip_suffix('b').and_then(|size| size.parse().ok());
            let bytes = bytes.ok_or_else(|| wrong("a size such as 8b"))?;
            let peer = if peer == "-1" && kind == "recv" {
                None
            } else {
                Some(peer.parse().map_err(|_| wrong("the number of a rank"))?)
            };
            let work = match (kind, peer) {
                ("send", Some(to)) => Work::Send { to, tag: 0, bytes },
                (_, from) => Work::Receive { from, tag: Some(0) },
            };
            (work, bytes, rest)
        }
        _ => {
            return Err(wrong(
                "send SIZEb to RANK, recv SIZEb from RANK, or calc NS",
            ));
        }
    };
    let work = options(work, rest).ok_or_else(|| {
        wrong("tag with a number (-1 in a recv: any), and cpu 0 or nic 0: ranks have one of each")
    })?;
    Ok((work, bytes))
}

/// Applies `tag T`, `cpu C` and `nic N`.
fn options(mut work: Work, mut words: &[&str]) -> Option<Work> {
    loop {
        words = match *words {
            [] => return Some(work),
            ["tag", tag, ref rest @ ..] => {
                match &mut work {
                    Work::Send { tag: own, .. } => *own = tag.parse().ok()?,
                    Work::Receive { tag: own, .. } if tag == "-1" => *own = None,
                    Work::Receive { tag: own, .. } => *own = Some(tag.parse().ok()?),
                    _ => return None,
                }
                rest
            }
            ["cpu" | "nic", "0", ref rest @ ..] => rest,
            _ => return None,
        }
    }
}

/// Adds a rank's tasks, each after those it waits for, in the order of the file where that
/// leaves a choice.
fn add(statements: Statements, graph: &mut TaskGraph) -> Result<(), Mistake> {
    let Statements {
        rank,
        tasks,
        labels,
        waits,
    } = statements;
    let mut missing = vec![0_u32; tasks.len()];
    let mut awaited: Vec<Vec<(usize, Moment)>> = vec![Vec::new(); tasks.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    for (task, other, moment, line) in waits {
        let place = |label: &String| {
            let found = labels.get(label).copied();
            found.ok_or_else(|| {
                (
                    line,
                    format!("found label “{label}”, which rank {rank} has not"),
                )
            })
        };
        let (task, other) = (place(&task)?, place(&other)?);
        missing[task] += 1;
        awaited[task].push((other, moment));
        waiting[other].push(task);
    }
    let mut possible: BTreeSet<usize> = (0..tasks.len())
        .filter(|&task| missing[task] == 0)
        .collect();
    let mut numbers: Vec<Option<u64>> = vec![None; tasks.len()];
    while let Some(place) = possible.pop_first() {
        let dependencies: Vec<Dependency> = awaited[place]
            .iter()
            .filter_map(|&(other, moment)| {
                let task = numbers[other]?;
                Some(Dependency { task, moment })
            })
            .collect();
        let number = graph
            .add(rank, tasks[place], &dependencies)
            .map_err(|error| (tasks[place].line, error.to_string()))?;
        numbers[place] = Some(number);
        for &waiter in &waiting[place] {
            missing[waiter] -= 1;
            if missing[waiter] == 0 {
                possible.insert(waiter);
            }
        }
    }
    match numbers.iter().position(Option::is_none) {
        None => Ok(()),
        Some(place) => {
            let problem = format!("a task of rank {rank} waits, through others, for itself");
            Err((tasks[place].line, problem))
        }
    }
}
