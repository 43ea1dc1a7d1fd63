//! Tasks, and the processors, each of which works on one after another.

use super::packets::Part;
use super::{Ranks, nearest};
use crate::pauses::{Digest, Due};
use std::collections::VecDeque;
use weft_model::workload::program::{Dependency, Moment, Overhead, Task, Work};

/// A task and how far it is.
#[derive(Debug)]
struct TaskState {
    task: Task,
    dependencies: Vec<Dependency>,
    /// Moments that it waits for.
    missing: usize,
    has_begun: bool,
    is_over: bool,
    /// The length of the message that a receive was given.
    received_bytes: u64,
}

/// What a processor works on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asking {
    /// A task.
    Task(usize),
    /// A message, and the part of it that the NIC is to be handed.
    Answer(usize, Part),
}

/// One of a rank's processors.
#[derive(Debug, Default)]
pub(super) struct Core {
    /// What asks for it.
    pub(super) asking: VecDeque<Asking>,
    /// What it works on, and the cycle that ends in.
    pub(super) current: Option<(Asking, u64)>,
}

/// A rank's tasks and its processors.
#[derive(Debug)]
pub(super) struct Processor {
    tasks: Vec<TaskState>,
    /// Tasks that are not over.
    pub(super) unfinished: usize,
    /// Tasks that wait for nothing any more and have not begun, in the order in which that came.
    possible: VecDeque<usize>,
    pub(super) cores: Vec<Core>,
}

impl Processor {
    pub(super) fn new(tasks: Vec<(Task, Vec<Dependency>)>) -> Self {
        let state = |(task, dependencies): (Task, Vec<Dependency>)| TaskState {
            task,
            missing: dependencies.len(),
            dependencies,
            has_begun: false,
            is_over: false,
            received_bytes: 0,
        };
        let tasks: Vec<TaskState> = tasks.into_iter().map(state).collect();
        let named = tasks.iter().map(|state| state.task.cpu);
        let highest = named.max().unwrap_or(0);
        Self {
            unfinished: tasks.len(),
            possible: (0..tasks.len())
                .filter(|&number| tasks[number].missing == 0)
                .collect(),
            cores: (0..=highest).map(|_| Core::default()).collect(),
            tasks,
        }
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.add([self.unfinished, self.possible.len()]);
        for core in &self.cores {
            digest.add((core.asking.len(), core.current.map(|(_, end)| end)));
        }
    }

    /// What the passing of time alone brings about.
    pub(super) fn find_due(&self, due: &mut Due) {
        for core in &self.cores {
            due.any(&core.current, |(_, end)| *end);
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.cores.iter().any(|core| core.current.is_some())
    }

    pub(super) fn task(&self, number: usize) -> Task {
        self.tasks[number].task
    }

    pub(super) fn work(&self, number: usize) -> Work {
        self.task(number).work
    }

    /// A task asks for its processor.
    fn ask(&mut self, number: usize) {
        let cpu = usize::from(self.task(number).cpu);
        self.cores[cpu].asking.push_back(Asking::Task(number));
    }

    /// The tasks that have begun and are not over.
    pub(super) fn begun(&self) -> impl Iterator<Item = (usize, Task)> {
        let numbered = self.tasks.iter().enumerate();
        let begun = numbered.filter(|(_, state)| state.has_begun && !state.is_over);
        begun.map(|(number, state)| (number, state.task))
    }

    /// A receive is given a message that is here, and asks for the processor.
    pub(super) fn give(&mut self, receive: usize, bytes: u64) {
        self.tasks[receive].received_bytes = bytes;
        self.ask(receive);
    }

    pub(super) fn start(&mut self, number: usize) {
        self.tasks[number].has_begun = true;
        self.free_waiting(number, Moment::Start);
    }

    pub(super) fn end(&mut self, number: usize) {
        self.tasks[number].is_over = true;
        self.unfinished -= 1;
        self.free_waiting(number, Moment::End);
    }

    /// A moment of a task has come, for which later ones may wait.
    fn free_waiting(&mut self, awaited: usize, moment: Moment) {
        for (number, waiting) in self.tasks.iter_mut().enumerate().skip(awaited + 1) {
            let dependencies = waiting.dependencies.iter();
            let is_it = |on: &&Dependency| on.task == awaited as u64 && on.moment == moment;
            let freed = dependencies.filter(is_it).count();
            waiting.missing -= freed;
            if freed > 0 && waiting.missing == 0 {
                self.possible.push_back(number);
            }
        }
    }
}

impl Ranks<'_> {
    /// Step 4: tasks that may begin do, what ends now ends, and processors take what asks for them,
    /// until nothing changes.
    pub(super) fn process(&mut self, rank: usize) {
        loop {
            let now = self.now;
            let processor = &mut self.all[rank].processor;
            if let Some(number) = processor.possible.pop_front() {
                self.begin(rank, number);
                continue;
            }
            let can_go_on = |core: &Core| {
                core.current
                    .map_or(!core.asking.is_empty(), |(_, end)| end <= now)
            };
            let Some(cpu) = processor.cores.iter().position(can_go_on) else {
                return;
            };
            self.go_on(rank, cpu);
        }
    }

    /// A processor ends what ends now, or takes what asks for it first.
    fn go_on(&mut self, rank: usize, cpu: usize) {
        let core = &mut self.all[rank].processor.cores[cpu];
        if let Some((current, _)) = core.current.take() {
            match current {
                Asking::Task(number) => self.worked(rank, number),
                Asking::Answer(message, part) => self.hand_over(message, part),
            }
        } else if let Some(next) = core.asking.pop_front() {
            let cycles = match next {
                Asking::Task(number) => self.work_cycles(rank, number),
                Asking::Answer(..) => self.messaging.control_cycles,
            };
            let end = self.now.saturating_add(cycles);
            let processor = &mut self.all[rank].processor;
            processor.cores[cpu].current = Some((next, end));
            if let Asking::Task(number) = next
                && !matches!(processor.work(number), Work::Receive { .. })
            {
                processor.start(number);
            }
        }
    }

    /// A task waits for nothing any more.
    fn begin(&mut self, rank: usize, number: usize) {
        let processor = &mut self.all[rank].processor;
        match processor.work(number) {
            Work::Compute { .. } | Work::Send { .. } => {
                processor.ask(number);
            }
            Work::Receive { .. } => {
                processor.start(number);
                self.post(rank, number);
            }
            Work::Join => {
                processor.start(number);
                processor.end(number);
            }
        }
    }

    /// How long the processor works on a task.
    fn work_cycles(&self, rank: usize, number: usize) -> u64 {
        let overhead = |of: Overhead, bytes: u64| nearest(of.message + of.byte * bytes as f64);
        let state = &self.all[rank].processor.tasks[number];
        match state.task.work {
            Work::Compute { ns } => nearest(ns * self.messaging.compute_cycles_per_ns),
            Work::Send { bytes, .. } => overhead(self.messaging.send, bytes),
            Work::Receive { .. } => overhead(self.messaging.receive, state.received_bytes),
            Work::Join => unreachable!("a join needs no processor"),
        }
    }

    /// The processor is done with a task.
    fn worked(&mut self, rank: usize, number: usize) {
        let is_over = match self.all[rank].processor.work(number) {
            Work::Send { to, tag, bytes } => self.send(rank, number, (to, tag, bytes)),
            Work::Receive { .. } => {
                let messages = &self.messages;
                let untaken = &mut self.all[rank].mailbox.untaken;
                untaken.retain(|&message| messages[message].receive != Some(number));
                true
            }
            Work::Compute { .. } | Work::Join => true,
        };
        if is_over {
            self.all[rank].processor.end(number);
        }
    }
}
