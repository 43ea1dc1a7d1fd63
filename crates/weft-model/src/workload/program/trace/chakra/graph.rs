//! Nodes as tasks: collective operations come down to messages among the ranks of their groups.

use super::super::super::collective::Collective;
use super::super::super::group_operation::GroupOperation;
use super::super::super::{Algorithms, Dependency, Task, TaskGraph, Work};
use super::super::schedule::waits_for_itself;
use super::super::{Mistake, TraceError};
use super::ExecutionTrace;
use super::node::{Does, Group, Node};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use weft_fabric::narrow;

/// Processors of a rank: what is of the processor, other computing, communication.
const CPU: u8 = 0;
const COMPUTING: u8 = 1;
const COMMUNICATION: u8 = 2;

/// What the schema's numbers for collective operations are called in traces of MPI.
pub(super) fn collective_name(kind: u64) -> Option<&'static str> {
    Some(match kind {
        0 => "allreduce",
        1 => "reduce",
        2 => "allgather",
        3 => "gather",
        4 => "scatter",
        5 => "bcast",
        6 => "alltoall",
        7 | 8 => "reducescatter",
        9 => "barrier",
        _ => return None,
    })
}

/// The operation of a group of so many.
fn collective(kind: u64, bytes: u64, root: u32, ranks: u32) -> Option<Collective> {
    let each = u64::from(ranks);
    Some(match collective_name(kind)? {
        "alltoall" => Collective::AllToAll {
            bytes: bytes.div_ceil(each),
        },
        "reducescatter" => Collective::ReduceScatter {
            parts: (0..each)
                .map(|part| bytes / each + u64::from(part < bytes % each))
                .collect(),
            ns: 0.0,
        },
        name => Collective::even(name, ranks, root, bytes)?,
    })
}

/// A collective operation: the ranks of its group, and its number among theirs.
type Key = (Vec<u32>, u64);

/// One operation that all ranks of a group take part in.
struct Shared {
    collective: Collective,
    /// The rank and record that were there first.
    first: (u32, u32),
    /// Ranks that take part.
    count: usize,
    /// Its number among the operations of all groups.
    number: u32,
}

#[derive(Default)]
struct Operations {
    shared: BTreeMap<Key, Shared>,
    /// How many a group has had at the present rank.
    counts: BTreeMap<Vec<u32>, u64>,
    taken: BTreeMap<(&'static str, String), u64>,
}

pub(super) fn graph(
    trace: &ExecutionTrace,
    algorithms: &Algorithms,
) -> Result<TaskGraph, TraceError> {
    let rank_count = trace.rank_count();
    let mut graph = TaskGraph::new(rank_count).read_from(trace.files.clone());
    let mut operations = Operations::default();
    let ranks: u32 = narrow(rank_count, "ranks are numbers of 32 bits");
    for ((rank, nodes), file) in (0..ranks).zip(&trace.ranks).zip(&trace.files) {
        operations.counts.clear();
        let mut builder = Builder {
            trace,
            algorithms,
            rank,
            graph: &mut graph,
            operations: &mut operations,
            groups: groups(nodes, ranks),
        };
        let added = builder.add(nodes);
        added.map_err(|(record, problem)| TraceError::file(file, record, problem))?;
    }
    for ((group, _), shared) in &operations.shared {
        if shared.count < group.len() {
            let (rank, record) = shared.first;
            let problem = format!(
                "{} of {} of the {} ranks of its group; expected all to take part",
                shared.collective,
                shared.count,
                group.len()
            );
            return Err(TraceError::file(
                &trace.files[rank as usize],
                record,
                problem,
            ));
        }
    }
    graph.check_rooms()?;
    Ok(graph.with_collectives(operations.taken))
}

/// The groups that a rank's trace tells: one without ranks is of all.
fn groups(nodes: &[Node], ranks: u32) -> BTreeMap<&str, Vec<u32>> {
    let mut groups = BTreeMap::new();
    for node in nodes {
        for (name, members) in &node.groups {
            let all = || (0..ranks).collect();
            let members = if members.is_empty() {
                all()
            } else {
                members.clone()
            };
            groups.insert(name.as_str(), members);
        }
    }
    groups
}

/// Adds the tasks of one rank.
struct Builder<'a> {
    trace: &'a ExecutionTrace,
    algorithms: &'a Algorithms,
    rank: u32,
    graph: &'a mut TaskGraph,
    operations: &'a mut Operations,
    groups: BTreeMap<&'a str, Vec<u32>>,
}

impl Builder<'_> {
    fn add(&mut self, nodes: &[Node]) -> Result<(), Mistake> {
        let record = |place: usize| -> u32 { narrow(place + 1, "records are numbers of 32 bits") };
        let mut places = BTreeMap::new();
        for (place, node) in nodes.iter().enumerate() {
            if places.insert(node.id, place).is_some() {
                let problem = format!("found node {} a second time, expected each once", node.id);
                return Err((record(place), problem));
            }
        }
        let mut missing = vec![0_usize; nodes.len()];
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (place, node) in nodes.iter().enumerate() {
            for id in &node.waits_for {
                let Some(&other) = places.get(id) else {
                    let problem = format!(
                        "it waits for node {id}, which is not there; expected one of the file's"
                    );
                    return Err((record(place), problem));
                };
                missing[place] += 1;
                waiting[other].push(place);
            }
        }
        let free = (0..nodes.len()).filter(|&place| missing[place] == 0);
        let mut possible: BinaryHeap<Reverse<usize>> = free.map(Reverse).collect();
        // The last task of each node.
        let mut lasts = vec![0; nodes.len()];
        let groups = self.of_collectives(nodes, record)?;
        while let Some(Reverse(place)) = possible.pop() {
            let node = &nodes[place];
            let waits_for: Vec<Dependency> = node
                .waits_for
                .iter()
                .filter_map(|id| places.get(id))
                .map(|&other| Dependency::end(lasts[other]))
                .collect();
            let shared = groups[place].as_ref();
            let added = self.add_node(node, record(place), &waits_for, shared);
            lasts[place] = added.map_err(|problem| (record(place), problem))?;
            for &waiter in &waiting[place] {
                missing[waiter] -= 1;
                if missing[waiter] == 0 {
                    possible.push(Reverse(waiter));
                }
            }
        }
        let waits_for = |place: usize| {
            let ids = nodes[place].waits_for.iter();
            ids.filter_map(|id| places.get(id).copied())
        };
        if let Some(place) = waits_for_itself(&missing, waits_for) {
            let problem = format!(
                "node {} waits, through others, for itself; expected none that does: one of its ctrl_deps and \
                 data_deps, or of theirs, is too many",
                nodes[place].id
            );
            return Err((record(place), problem));
        }
        self.graph.close(self.rank);
        Ok(())
    }

    /// The group and the number there of each node that is a collective operation, by their order in the file.
    fn of_collectives(
        &mut self,
        nodes: &[Node],
        record: impl Fn(usize) -> u32,
    ) -> Result<Vec<Option<Key>>, Mistake> {
        let mut found = Vec::with_capacity(nodes.len());
        for (place, node) in nodes.iter().enumerate() {
            let Does::Collective {
                kind,
                bytes,
                root,
                group,
            } = &node.does
            else {
                found.push(None);
                continue;
            };
            let group = self
                .ranks_of(group)
                .map_err(|problem| (record(place), problem))?;
            let number = self.operations.counts.entry(group.clone()).or_insert(0);
            let key = (group, *number);
            *number += 1;
            self.join(&key, (*kind, *bytes, *root), record(place))
                .map_err(|problem| (record(place), problem))?;
            found.push(Some(key));
        }
        Ok(found)
    }

    fn ranks_of(&self, group: &Group) -> Result<Vec<u32>, String> {
        let ranks: u32 = narrow(self.trace.rank_count(), "ranks are numbers of 32 bits");
        let found = match group {
            Group::All => (0..ranks).collect(),
            Group::Ranks(ranks) => ranks.clone(),
            Group::Named(name) => match self.groups.get(name.as_str()) {
                Some(ranks) => ranks.clone(),
                None => {
                    return Err(format!(
                        "its group “{name}” is told nowhere; expected it in a node process_group:init, or an \
                         attribute ranks"
                    ));
                }
            },
        };
        if let Some(beyond) = found.iter().find(|&&rank| rank >= ranks) {
            return Err(format!(
                "its group has rank {beyond}, the trace has ranks 0 to {}; expected the files of all ranks in one \
                 folder, or a group of these",
                ranks - 1
            ));
        }
        let mut sorted = found.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < found.len() || !found.contains(&self.rank) {
            return Err(format!(
                "its group has ranks {found:?}; expected each once, and rank {}",
                self.rank
            ));
        }
        Ok(found)
    }

    /// Notes that the rank takes part in an operation, which has to be that of others of the group.
    fn join(
        &mut self,
        key: &Key,
        (kind, bytes, root): (u64, u64, u32),
        record: u32,
    ) -> Result<(), String> {
        let ranks: u32 = narrow(key.0.len(), "ranks are numbers of 32 bits");
        let collective = collective(kind, bytes, root, ranks)
            .ok_or_else(|| format!("found comm_type {kind}, expected 0 to 9"))?;
        if root >= ranks {
            return Err(format!(
                "found root {root}, its group has 0 to {}",
                ranks - 1
            ));
        }
        self.algorithms
            .check(ranks)
            .map_err(|error| error.to_string())?;
        let number = u32::try_from(self.operations.shared.len());
        let number = number.map_err(|_| "found too many collective operations")?;
        let first = (self.rank, record);
        let shared = self
            .operations
            .shared
            .entry(key.clone())
            .or_insert_with(|| Shared {
                collective: collective.clone(),
                first,
                count: 0,
                number,
            });
        if shared.count == 0 && ranks > 1 {
            let algorithm = collective.algorithm(self.algorithms, ranks);
            let taken = self.operations.taken.entry((collective.name(), algorithm));
            *taken.or_default() += 1;
        }
        shared.count += 1;
        if shared.collective != collective {
            let (rank, record) = shared.first;
            return Err(format!(
                "{collective}; rank {rank} of its group has {} ({}:{record}); expected the same of all its ranks, in \
                 the same order",
                shared.collective, self.trace.files[rank as usize]
            ));
        }
        Ok(())
    }

    /// Adds the tasks of a node; the last of them.
    fn add_node(
        &mut self,
        node: &Node,
        record: u32,
        waits_for: &[Dependency],
        shared: Option<&Key>,
    ) -> Result<u64, String> {
        let mut add = |work: Work, cpu: u8, room: Option<u64>, waits_for: &[Dependency]| {
            let task = Task {
                cpu,
                ..Task::new(work, record)
            };
            let added = self.graph.add_with_room(self.rank, task, room, waits_for);
            added.map_err(|error| error.to_string())
        };
        match node.does {
            Does::Compute { ns, operations } if ns > 0 || operations > 0 => {
                let ns = if ns > 0 {
                    ns as f64
                } else {
                    operations as f64 / self.trace.flops_per_s * 1e9
                };
                let cpu = if node.is_of_cpu { CPU } else { COMPUTING };
                add(Work::Compute { ns }, cpu, None, waits_for)
            }
            Does::Send { to, tag, bytes } => add(
                Work::Send { to, tag, bytes },
                COMMUNICATION,
                None,
                waits_for,
            ),
            Does::Receive { from, tag, bytes } => {
                let (from, tag) = (Some(from), Some(tag));
                add(
                    Work::Receive { from, tag },
                    COMMUNICATION,
                    Some(bytes),
                    waits_for,
                )
            }
            _ => {
                let Some(key) = shared else {
                    return add(Work::Join, CPU, None, waits_for);
                };
                // Invariant: it was noted before.
                let Some(Shared {
                    collective, number, ..
                }) = self.operations.shared.get(key)
                else {
                    return add(Work::Join, CPU, None, waits_for);
                };
                // Invariant: the rank is in its group.
                let place = key.0.iter().position(|&rank| rank == self.rank);
                let operation = GroupOperation {
                    collective,
                    algorithms: self.algorithms,
                    group: &key.0,
                    number: *number,
                };
                let place = place.unwrap_or(0);
                let added = operation.add_to(self.graph, place, (COMMUNICATION, record), waits_for);
                added.map_err(|error| error.to_string())
            }
        }
    }
}
