//! Random tasks: graphs of messages and computing, schedules in files, recorded traces, collective
//! operations by all their algorithms.

use super::programs::overhead_cycles;
use super::random::Draws;
use weft_model::workload::program::{
    Algorithms, COLLECTIVES, Collective, Computing, Dependency, Region, Task, TaskGraph, Tasks,
    TimeIndependentReader, Trace, Work, read_goal, write_goal,
};
use weft_registry::Spec;

/// Ranks that act together at most: some milliseconds of exchanges of all with all.
const MOST_TOGETHER: usize = 9;

/// Lengths of most messages.
const BYTES: [u64; 5] = [0, 1, 8, 64, 150];

/// What bounds tasks.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) cycle_ns: f64,
    /// Length of the longest message but for those of the usual lengths.
    pub(super) most_bytes: u64,
    /// Ranks may compute for long.
    pub(super) is_long: bool,
}

impl Limits {
    /// The time of computing.
    fn computing_ns(self, draws: &mut Draws) -> f64 {
        let cycles = if self.is_long && draws.once_in(3) {
            draws.unit() * 33_f64.exp2()
        } else {
            overhead_cycles(draws)
        };
        cycles * self.cycle_ns
    }

    /// The length of a message.
    fn length(self, draws: &mut Draws) -> u64 {
        if draws.once_in(6) {
            return draws.between(0, self.most_bytes);
        }
        *draws.choose(&BYTES)
    }
}

/// Tasks and what they are.
pub(super) struct DrawnTasks {
    pub(super) tasks: Tasks,
    pub(super) description: String,
    /// What is counted of them.
    pub(super) kinds: Vec<String>,
}

/// Tasks of a random kind, for one rank or as many as there are hosts.
pub(super) fn draw(draws: &mut Draws, host_count: usize, limits: Limits) -> DrawnTasks {
    let kind = draws.between(0, 9);
    let most_ranks = match kind {
        0..=3 => host_count.min(MOST_TOGETHER),
        _ => host_count,
    };
    let ranks = 1 + draws.index(most_ranks);
    match kind {
        0..=2 => collectives(draws, ranks, limits),
        3 => recorded(draws, ranks, limits),
        4 => {
            let graph = graph(draws, ranks, limits);
            let mut kinds = named(&graph);
            kinds.push("a schedule".to_owned());
            let text = schedule(&graph);
            DrawnTasks {
                tasks: read_goal(text.as_bytes(), "run.goal").unwrap().into(),
                kinds,
                description: text,
            }
        }
        _ => {
            let graph = graph(draws, ranks, limits);
            DrawnTasks {
                description: format!("{} tasks", graph.task_count()),
                kinds: named(&graph),
                tasks: graph.into(),
            }
        }
    }
}

/// What is counted of the processors and queue pairs that tasks name.
fn named(graph: &TaskGraph) -> Vec<String> {
    let ranks = (0..).take(graph.rank_count());
    let tasks: Vec<Task> = ranks
        .flat_map(|rank| graph.tasks(rank).map(|(task, ..)| task))
        .collect();
    let is_send = |task: &&Task| matches!(task.work, Work::Send { .. });
    let has_several_cpus = tasks.iter().any(|task| task.cpu > 0);
    let has_several_nics = tasks.iter().filter(is_send).any(|task| task.nic > 0);
    let mut kinds = Vec::new();
    if has_several_cpus {
        kinds.push("several processors".to_owned());
    }
    if has_several_nics {
        kinds.push("several queue pairs to a host".to_owned());
    }
    kinds
}

/// An algorithm for every operation that so many ranks can do.
fn algorithms(draws: &mut Draws, ranks: usize) -> (Algorithms, Vec<(&'static str, &'static str)>) {
    let mut algorithms = Algorithms::default();
    let mut chosen = Vec::new();
    for entry in COLLECTIVES {
        let mut name = *draws.choose(entry.algorithms);
        let text = with_parameters(draws, name, entry.parameters(name), ranks);
        let mut tried = algorithms;
        let can = tried.choose(entry.name, &text);
        if can
            .and_then(|()| tried.check(u32::try_from(ranks).unwrap()))
            .is_err()
        {
            name = "automatic";
            tried = algorithms;
            tried.choose(entry.name, name).unwrap();
        }
        algorithms = tried;
        chosen.push((entry.name, name));
    }
    (algorithms, chosen)
}

/// An algorithm with some of its parameters: what must be given, and of the others every second.
fn with_parameters(draws: &mut Draws, name: &str, specs: &[Spec], ranks: usize) -> String {
    let mut given = Vec::new();
    for spec in specs {
        let must = spec.default.is_none();
        if !must && draws.once_in(2) {
            continue;
        }
        let value = match spec.name {
            "chunk_bytes" => *draws.choose(&[0, 60, 700]),
            "in_flight" => draws.between(1, 4),
            "per_node" => {
                let divides = |&width: &usize| ranks.is_multiple_of(width) && (!must || width > 1);
                let widths: Vec<usize> = (1..=ranks.max(2)).filter(divides).collect();
                widths
                    .get(draws.index(widths.len().max(1)))
                    .map_or(2, |&width| width as u64)
            }
            "aggregate" => *draws.choose(&[0, 1, 2, 4]),
            "pxn" => draws.between(0, 1),
            _ => *draws.choose(&[1, 2, 2, 3]),
        };
        given.push(format!("{}={value}", spec.name));
    }
    if given.is_empty() {
        return name.to_owned();
    }
    format!("{name}:{}", given.join(","))
}

/// Names of what is counted: each operation by its algorithm.
pub(crate) fn collective_kinds() -> impl Iterator<Item = String> {
    COLLECTIVES.iter().flat_map(|entry| {
        let names = entry.algorithms.iter();
        names.map(|name| format!("{} by {name}", entry.name))
    })
}

fn collectives(draws: &mut Draws, ranks: usize, limits: Limits) -> DrawnTasks {
    let (algorithms, chosen) = algorithms(draws, ranks);
    let mut kinds = vec!["collectives".to_owned()];
    let mut operations = Vec::new();
    for _ in 0..draws.between(1, 4) {
        let (operation, algorithm) = *draws.choose(&chosen);
        kinds.push(format!("{operation} by {algorithm}"));
        operations.push(collective(draws, operation, ranks, limits));
    }
    kinds.sort_unstable();
    kinds.dedup();
    let description = format!("{operations:?} by {algorithms:?}");
    let trace = Trace::of_collectives(u32::try_from(ranks).unwrap(), &operations);
    DrawnTasks {
        tasks: Tasks::of_trace(trace, &Region::default(), algorithms).unwrap(),
        description,
        kinds,
    }
}

fn collective(draws: &mut Draws, name: &str, ranks: usize, limits: Limits) -> Collective {
    let root = u32::try_from(draws.index(ranks)).unwrap();
    let bytes = limits.length(draws);
    let even = Collective::even(name, u32::try_from(ranks).unwrap(), root, bytes);
    let mut collective = even.unwrap();
    // All ranks list the same lengths, and none says what it expects.
    match &mut collective {
        Collective::AllGatherV { own, .. } => *own = None,
        Collective::AllToAllV { from, .. } => from.fill(Collective::UNTOLD_BYTES),
        Collective::ScatterV { bytes, .. } => *bytes = None,
        _ => {}
    }
    match &mut collective {
        Collective::AllGatherV { parts, .. }
        | Collective::ScatterV { parts, .. }
        | Collective::ReduceScatter { parts, .. } => {
            parts.fill_with(|| limits.length(draws));
        }
        // What nobody has for another is not sent, and all are told to expect something.
        Collective::AllToAllV { to, .. } => to.fill_with(|| limits.length(draws).max(1)),
        Collective::Reduce { ns, .. } | Collective::AllReduce { ns, .. } => {
            *ns = limits.computing_ns(draws);
        }
        _ => {}
    }
    collective
}

/// A recorded trace, as text that is read: messages in an order in which ranks can wait for each, some
/// of them started first and waited for later, and operations of all ranks.
fn recorded(draws: &mut Draws, ranks: usize, limits: Limits) -> DrawnTasks {
    let (algorithms, _) = algorithms(draws, ranks);
    let mut lines: Vec<String> = (0..ranks).map(|rank| format!("{rank} init")).collect();
    for _ in 0..draws.between(1, 30) {
        let rank = draws.index(ranks);
        let bytes = limits.length(draws);
        match draws.between(0, 7) {
            0 => {
                let flops = limits.computing_ns(draws);
                lines.push(format!("{rank} compute {flops}"));
            }
            1 => {
                let operation = match draws.between(0, 6) {
                    0 => "barrier".to_owned(),
                    1 => format!("bcast {bytes} {rank}"),
                    2 => format!("reduce {bytes} 5.5 {rank}"),
                    3 => format!("allreduce {bytes} 0"),
                    4 => format!("alltoall {bytes} {bytes}"),
                    5 => format!("allgather {bytes} {bytes}"),
                    _ => format!("reducescatter{} 3", format!(" {bytes}").repeat(ranks)),
                };
                // Every second is started only, and waited for soon or at the end.
                let started = if draws.once_in(2) { "i" } else { "" };
                lines.extend((0..ranks).map(|rank| format!("{rank} {started}{operation}")));
                if !started.is_empty() && draws.once_in(2) {
                    lines.push(format!("{rank} compute {}", limits.computing_ns(draws)));
                    lines.push(format!("{rank} wait {rank} {rank} 0"));
                }
            }
            2 => lines.push(format!("{rank} waitall")),
            _ if ranks < 2 => {}
            _ => {
                let to = (rank + 1 + draws.index(ranks - 1)) % ranks;
                let (tag, datatype) = (draws.between(0, 2), draws.choose(&["", " 2", " 6"]));
                let datatype = if bytes.is_multiple_of(2) {
                    datatype
                } else {
                    ""
                };
                let [send, receive] = [draws.once_in(2), draws.once_in(2)];
                let send = if send { "isend" } else { "send" };
                let receive = if receive { "irecv" } else { "recv" };
                lines.push(format!("{rank} {send} {to} {tag} {bytes}{datatype}"));
                lines.push(format!("{to} {receive} {rank} {tag} {bytes}{datatype}"));
                if receive == "irecv" && draws.once_in(3) {
                    lines.push(format!("{to} wait {rank} {to} {tag}"));
                }
            }
        }
    }
    for rank in 0..ranks {
        lines.push(format!("{rank} waitall"));
        lines.push(format!("{rank} finalize"));
    }
    let text = lines.join("\n");
    let mut reader = TimeIndependentReader::new(Computing::default());
    reader.read(text.as_bytes(), "run.ti").unwrap();
    let trace = reader.finish().unwrap();
    DrawnTasks {
        tasks: Tasks::of_trace(trace, &Region::default(), algorithms).unwrap(),
        description: format!("{text} by {algorithms:?}"),
        kinds: vec!["a recorded trace".to_owned()],
    }
}

/// A graph as a schedule in GOAL's text form, which counts whole nanoseconds and knows no joins.
fn schedule(graph: &TaskGraph) -> String {
    let mut text = Vec::new();
    write_goal(graph, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Messages one after another, each with its send and its receive; both wait for random tasks before
/// them, so that most programs come to their end. Some messages have no receive, some receives no
/// message, and receives may ask for any rank or tag, so that some do not.
fn graph(draws: &mut Draws, rank_count: usize, limits: Limits) -> TaskGraph {
    let mut graph = TaskGraph::new(rank_count);
    let mut counts = vec![0_u64; rank_count];
    let loss = if draws.once_in(5) { 12 } else { u64::MAX };
    let is_chain = draws.once_in(3);
    let wildcards = if draws.once_in(4) { 6 } else { u64::MAX };
    let [cpus, nics] = [draws.once_in(2), draws.once_in(2)];
    let [cpus, nics] = [if cpus { 3 } else { 1 }, if nics { 3 } else { 1 }];
    let mut add = |draws: &mut Draws, rank: usize, work: Work| {
        let count = &mut counts[rank];
        let waits_for = match *count {
            0 => 0,
            _ if is_chain => 1,
            _ => draws.index(3),
        };
        let dependencies: Vec<Dependency> = (0..waits_for)
            .map(|_| {
                let back = if is_chain { 1 } else { draws.between(1, 4) };
                let task = count.saturating_sub(back);
                if draws.once_in(3) {
                    Dependency::start(task)
                } else {
                    Dependency::end(task)
                }
            })
            .collect();
        let mut number = |of: usize| u8::try_from(draws.index(of)).unwrap();
        let task = Task {
            cpu: number(cpus),
            nic: number(nics),
            ..Task::new(work, 0)
        };
        graph
            .add(u32::try_from(rank).unwrap(), task, &dependencies)
            .unwrap();
        *count += 1;
    };
    for _ in 0..draws.between(1, 60) {
        let (from, to) = (draws.index(rank_count), draws.index(rank_count));
        let tag = draws.between_u32(0, 1);
        let bytes = limits.length(draws);
        let number = |rank| u32::try_from(rank).unwrap();
        if draws.once_in(2) {
            let ns = limits.computing_ns(draws);
            add(draws, from, Work::Compute { ns });
        }
        if !draws.once_in(loss) {
            let to = number(to);
            add(draws, from, Work::Send { to, tag, bytes });
        }
        if draws.once_in(8) {
            add(draws, to, Work::Join);
        }
        if !draws.once_in(loss) {
            let work = Work::Receive {
                from: (!draws.once_in(wildcards)).then_some(number(from)),
                tag: (!draws.once_in(wildcards)).then_some(tag),
            };
            add(draws, to, work);
        }
    }
    graph
}
