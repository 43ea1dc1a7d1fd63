//! Where tasks come from: a graph, a trace, jobs beside one another, traffic beside them.

use super::background::{Background, BackgroundStream};
use super::graph::Cursor;
use super::process::flow_of;
use super::trace::{Replayed, TraceStream};
use super::{Algorithms, Dependency, Region, Task, TaskGraph, Trace, TraceError, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::narrow;

/// The tasks of all ranks, gone through once or several times.
#[derive(Clone, Debug)]
pub struct Tasks {
    source: Source,
    /// How often each rank goes through its own, one time after another.
    passes: u32,
}

#[derive(Clone, Debug)]
enum Source {
    Graph(Arc<TaskGraph>),
    Trace(Replayed),
    Jobs(Arc<Jobs>),
    Background(Arc<Background>),
}

/// The queue pair of a task of a rank with so many adapters: of a collective operation that of the channel, or of how
/// many ranks sender and receiver are apart, where there are several.
pub(super) fn nic_among(task: &Task, adapters: usize) -> u8 {
    match task.work {
        Work::Send { tag, .. } if adapters > 1 => flow_of(tag).map_or(task.nic, |flow| {
            narrow(
                flow as usize % adapters.min(256),
                "a remainder of at most 256 has 8 bits",
            )
        }),
        _ => task.nic,
    }
}

impl From<Source> for Tasks {
    fn from(source: Source) -> Self {
        let passes = 1;
        Self { source, passes }
    }
}

impl From<TaskGraph> for Tasks {
    fn from(graph: TaskGraph) -> Self {
        Self::from(Arc::new(graph))
    }
}

impl From<Arc<TaskGraph>> for Tasks {
    fn from(graph: Arc<TaskGraph>) -> Self {
        Self::from(Source::Graph(graph))
    }
}

/// Traffic, which has no end.
impl From<Background> for Tasks {
    fn from(background: Background) -> Self {
        Self::from(Source::Background(Arc::new(background)))
    }
}

/// How far one rank's tasks were taken.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskStream {
    /// Of a graph: where this pass is.
    cursor: Cursor,
    /// The number of this pass.
    pass: u32,
    /// Of a graph: the number of this pass's first task.
    first: u64,
    trace: TraceStream,
    background: BackgroundStream,
}

impl Tasks {
    /// The tasks of a trace, or of a region of it, with algorithms for its collective operations.
    ///
    /// # Errors
    /// [`TraceError`] when the region is not there, a message has no receive or a receive no
    /// message, ranks call different collective operations, or cannot do an algorithm chosen.
    pub fn of_trace(
        trace: impl Into<Arc<Trace>>,
        region: &Region,
        algorithms: Algorithms,
    ) -> Result<Self, TraceError> {
        let replayed = Replayed::new(trace.into(), region, Box::new(algorithms))?;
        Ok(Self::from(Source::Trace(replayed)))
    }

    /// Jobs beside one another, which send each other nothing: the ranks of the first, then those of the next.
    pub fn of_jobs(jobs: Vec<Tasks>) -> Self {
        Self::from(Source::Jobs(Arc::new(Jobs::new(jobs))))
    }

    /// The same so many times, at least once: each rank begins the next when all its tasks are over.
    #[must_use]
    pub fn repeated(mut self, times: u32) -> Self {
        self.passes = self.passes.saturating_mul(times.max(1));
        self
    }

    /// The same where combining a byte in a reduction takes so many ns of computing.
    pub(super) fn combining(mut self, byte_ns: f64) -> Self {
        match &mut self.source {
            Source::Graph(_) | Source::Background(_) => {}
            Source::Trace(trace) => trace.reduce_byte_ns = byte_ns,
            Source::Jobs(jobs) => {
                for job in &mut Arc::make_mut(jobs).jobs {
                    *job = job.clone().combining(byte_ns);
                }
            }
        }
        self
    }

    /// The number of ranks.
    pub fn rank_count(&self) -> usize {
        match &self.source {
            Source::Graph(graph) => graph.rank_count(),
            Source::Trace(trace) => trace.rank_count(),
            Source::Jobs(jobs) => jobs.rank_count(),
            Source::Background(background) => background.rank_count(),
        }
    }

    /// The collective operations, by name and the algorithm taken, each with how often all ranks call
    /// it; none of a graph.
    pub fn collectives(&self) -> BTreeMap<(&'static str, String), u64> {
        let mut taken = match &self.source {
            Source::Background(_) => BTreeMap::new(),
            Source::Graph(graph) => graph.collectives().clone(),
            Source::Trace(trace) => trace.collectives_taken(),
            Source::Jobs(jobs) => jobs.collectives(),
        };
        for calls in taken.values_mut() {
            *calls *= u64::from(self.passes);
        }
        taken
    }

    /// The number of packets that messages from one rank to another make, with so many bytes
    /// in each; calls, announcements and acknowledgements of the messaging layer come on top, and
    /// traffic beside jobs, which has no end, is not counted.
    pub fn packet_count(&self, packet_bytes: u32) -> u64 {
        let packets = |bytes: u64| bytes.div_ceil(u64::from(packet_bytes.max(1))).max(1);
        let messages = self.messages();
        messages.map(|(.., bytes)| packets(bytes)).sum()
    }

    /// The messages from one rank to another, traffic beside jobs left out: both, and the length.
    pub fn messages(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let all = self.messages_by(1);
        all.map(|(from, to, bytes, _)| (from, to, bytes))
    }

    /// The same of ranks with so many adapters each, with the number of that which a message takes.
    pub fn messages_by(&self, adapters: usize) -> impl Iterator<Item = (u32, u32, u64, usize)> {
        let ranks = (0..).take(self.rank_count());
        let ranks = ranks.filter(|&rank| !self.is_background(rank));
        ranks.flat_map(move |rank| {
            let mut stream = TaskStream::default();
            let mut dependencies = Vec::new();
            let tasks = std::iter::from_fn(move || {
                dependencies.clear();
                self.next_task(rank, &mut stream, &mut dependencies)
            });
            tasks.filter_map(move |task| match task.work {
                Work::Send { to, bytes, .. } if to != rank => {
                    let nic = usize::from(nic_among(&task, adapters));
                    Some((rank, to, bytes, nic % adapters.max(1)))
                }
                _ => None,
            })
        })
    }

    /// Takes a rank's next task, and puts what it waits for into `dependencies`.
    pub(super) fn next_task(
        &self,
        rank: u32,
        stream: &mut TaskStream,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        match &self.source {
            Source::Graph(graph) => self.next_of(graph, rank, stream, dependencies),
            Source::Trace(trace) => loop {
                let task = trace.next_task(rank, &mut stream.trace, dependencies);
                if task.is_some() || stream.pass + 1 >= self.passes {
                    return task;
                }
                stream.pass += 1;
                stream.trace.begin_again();
            },
            Source::Jobs(jobs) => jobs.next_task(rank, stream, dependencies),
            Source::Background(background) => {
                background.next_task(rank, &mut stream.background, dependencies)
            }
        }
    }

    /// The next task of a graph. Between one pass and the next all that is not waited for is joined.
    fn next_of(
        &self,
        graph: &TaskGraph,
        rank: u32,
        stream: &mut TaskStream,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        let first = stream.first;
        let before = dependencies.len();
        if let Some(task) = graph.next(rank, &mut stream.cursor, dependencies) {
            let waits_for = &mut dependencies[before..];
            for waits in waits_for.iter_mut() {
                waits.task += first;
            }
            if waits_for.is_empty() {
                // The join before this pass.
                dependencies.extend(first.checked_sub(1).map(Dependency::end));
            }
            return Some(task);
        }
        let count = stream.cursor.number();
        if count == 0 || stream.pass + 1 >= self.passes {
            return None;
        }
        let shifted = |waits: Dependency| Dependency {
            task: first + waits.task,
            ..waits
        };
        dependencies.extend(graph.last_ends(rank).into_iter().map(shifted));
        stream.pass += 1;
        stream.first += count as u64 + 1;
        stream.cursor = Cursor::default();
        let work = Work::Join;
        Some(Task::new(work, 0))
    }

    /// Whether a rank's next task has to be known before the last one taken has started: in a trace each
    /// waits for the one before but where several flows go on beside one another, in a graph one may wait for nothing,
    /// but for what joins two passes.
    pub(super) fn may_begin_early(&self, rank: u32, stream: &TaskStream) -> bool {
        let is_within_graph = self.is_graph(rank) && stream.cursor.number() > 0;
        is_within_graph || stream.trace.goes_on_beside()
    }

    /// Whether a rank's tasks are those of a graph.
    pub(super) fn is_graph(&self, rank: u32) -> bool {
        match &self.source {
            Source::Graph(_) => true,
            Source::Trace(_) | Source::Background(_) => false,
            Source::Jobs(jobs) => {
                let (tasks, rank) = jobs.of(rank);
                tasks.is_graph(rank)
            }
        }
    }

    /// Whether nobody waits for a rank's end.
    pub(super) fn is_background(&self, rank: u32) -> bool {
        match &self.source {
            Source::Graph(_) | Source::Trace(_) => false,
            Source::Background(_) => true,
            Source::Jobs(jobs) => {
                let (tasks, rank) = jobs.of(rank);
                tasks.is_background(rank)
            }
        }
    }

    pub(super) fn file(&self, rank: u32) -> &str {
        match &self.source {
            Source::Graph(graph) => graph.file(rank),
            Source::Trace(trace) => trace.file(rank),
            Source::Background(_) => "",
            Source::Jobs(jobs) => {
                let (tasks, rank) = jobs.of(rank);
                tasks.file(rank)
            }
        }
    }

    pub(super) fn actions(&self, rank: u32) -> Vec<(u32, &'static str)> {
        match &self.source {
            Source::Graph(_) | Source::Background(_) => Vec::new(),
            Source::Trace(trace) => trace.action_names(rank),
            Source::Jobs(jobs) => {
                let (tasks, rank) = jobs.of(rank);
                tasks.actions(rank)
            }
        }
    }

    pub(super) fn first_rank_of_job(&self, rank: u32) -> u32 {
        let Source::Jobs(jobs) = &self.source else {
            return 0;
        };
        let (job, first) = jobs.job(rank);
        first + job.first_rank_of_job(rank - first)
    }

    pub(super) fn line(&self, rank: u32, task: u64) -> u32 {
        match &self.source {
            Source::Graph(graph) => {
                let in_pass = task % (graph.tasks_of(rank) as u64 + 1);
                let number = usize::try_from(in_pass).ok();
                let found = number.and_then(|number| graph.task(rank, number));
                found.map_or(0, |task| task.line)
            }
            Source::Trace(_) | Source::Background(_) => 0,
            Source::Jobs(jobs) => {
                let (tasks, rank) = jobs.of(rank);
                tasks.line(rank, task)
            }
        }
    }
}

/// Jobs beside one another: programs whose ranks send nothing to those of others, and are numbered one after
/// another.
#[derive(Clone, Debug)]
struct Jobs {
    jobs: Vec<Tasks>,
    /// Per job: the number of its first rank; then that of ranks.
    first_ranks: Vec<u32>,
}

impl Jobs {
    fn new(jobs: Vec<Tasks>) -> Self {
        let mut ranks = 0;
        let mut first_ranks = vec![0];
        for job in &jobs {
            ranks += job.rank_count();
            first_ranks.push(narrow(ranks, "ranks are numbers of 32 bits"));
        }
        Self { jobs, first_ranks }
    }

    fn rank_count(&self) -> usize {
        self.first_ranks.last().map_or(0, |&ranks| ranks as usize)
    }

    /// The tasks of the job of a rank, and the rank's number in it.
    fn of(&self, rank: u32) -> (&Tasks, u32) {
        let (job, first) = self.job(rank);
        (job, rank - first)
    }

    fn job(&self, rank: u32) -> (&Tasks, u32) {
        let behind = self.first_ranks.partition_point(|&first| first <= rank);
        // Invariant: the first job begins with rank 0, and only ranks there are are asked for.
        let number = behind - 1;
        (&self.jobs[number], self.first_ranks[number])
    }

    fn collectives(&self) -> BTreeMap<(&'static str, String), u64> {
        let mut taken = BTreeMap::new();
        for (named, calls) in self.jobs.iter().flat_map(Tasks::collectives) {
            *taken.entry(named).or_insert(0) += calls;
        }
        taken
    }

    /// The next task of a rank; other ranks in it are named by their numbers among all.
    fn next_task(
        &self,
        rank: u32,
        stream: &mut TaskStream,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        let (job, first) = self.job(rank);
        let mut task = job.next_task(rank - first, stream, dependencies)?;
        match &mut task.work {
            Work::Send { to, .. } => *to += first,
            Work::Receive { from, .. } => *from = from.map(|from| from + first),
            Work::Compute { .. } | Work::Until { .. } | Work::Join => {}
        }
        Some(task)
    }
}
