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
    /// How long the processor works on the message that a receive was given.
    receiving_cycles: u64,
}

/// What a processor works on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asking {
    /// A task.
    Task(usize),
    /// A message, and the part of it that the NIC is to be handed.
    Answer(usize, Part),
    /// A packet of a message, by its number there, that the NIC is handed next.
    Packet(usize, u64),
    /// A packet that is here while others of its message are not.
    Take,
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
            receiving_cycles: 0,
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
    pub(super) fn give(&mut self, receive: usize, cycles: u64) {
        self.tasks[receive].receiving_cycles = cycles;
        self.ask(receive);
    }

    /// A packet that others of its message follow asks for the first processor.
    pub(super) fn ask_to_take(&mut self) {
        self.cores[0].asking.push_back(Asking::Take);
    }

    /// A packet asks for a processor, before whatever computes or sends.
    pub(super) fn ask_for_packet(&mut self, cpu: usize, message: usize, number: u64) {
        let begins = |what: &Asking| match *what {
            Asking::Task(number) => !matches!(self.work(number), Work::Receive { .. }),
            _ => false,
        };
        let asking = &self.cores[cpu].asking;
        let place = asking.iter().position(begins).unwrap_or(asking.len());
        let packet = Asking::Packet(message, number);
        self.cores[cpu].asking.insert(place, packet);
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
                Asking::Answer(message, part) => self.begin_part(message, part),
                Asking::Packet(message, number) => self.prepared(message, number),
                Asking::Take => {}
            }
        } else if let Some(next) = core.asking.pop_front() {
            let cycles = match next {
                Asking::Task(number) => self.work_cycles(rank, number),
                Asking::Answer(..) => self.messaging.control_cycles,
                Asking::Packet(message, number) => self.preparing_cycles(message, number),
                Asking::Take => {
                    let of = self.messaging.receive;
                    nearest(of.packet + of.byte * f64::from(self.messaging.packet_bytes))
                }
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
            Work::Compute { .. } | Work::Until { .. } | Work::Send { .. } => {
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
        let state = &self.all[rank].processor.tasks[number];
        match state.task.work {
            Work::Compute { ns } => nearest(ns * self.messaging.compute_cycles_per_ns),
            Work::Until { cycle } => {
                let end = self.all[rank].begin_cycle + cycle;
                end.saturating_sub(self.now)
            }
            Work::Send { to, bytes, .. } => {
                let first = bytes.min(self.messaging.packet_bytes.into());
                let is_announced = bytes > self.messaging.eager_bytes;
                let begun = if is_announced { 0 } else { first };
                self.message_cycles(self.messaging.send, (rank, to as usize), bytes, begun)
            }
            Work::Receive { .. } => state.receiving_cycles,
            Work::Join => unreachable!("a join needs no processor"),
        }
    }

    /// How long a processor works on a message: at once, or where it goes packet by packet on the one with so
    /// many bytes that begins or ends it.
    pub(super) fn message_cycles(
        &self,
        of: Overhead,
        (from, to): (usize, usize),
        bytes: u64,
        packet_bytes: u64,
    ) -> u64 {
        let whole = of.message + of.byte * bytes as f64;
        let numbers = (self.all[from].number, self.all[to].number);
        if from != to && self.program.are_neighbours(numbers.0, numbers.1) {
            nearest(whole * self.messaging.inner_overhead)
        } else if from == to || of.packet == 0.0 {
            nearest(whole)
        } else {
            nearest(of.message + of.packet + of.byte * packet_bytes as f64)
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
            Work::Compute { .. } | Work::Until { .. } | Work::Join => true,
        };
        if is_over {
            self.all[rank].processor.end(number);
        }
    }
}
