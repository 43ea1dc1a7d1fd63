//! The processors of a rank: what each does, and what asks for it.

use super::messages::Stage;
use super::window::give_back;
use std::collections::VecDeque;

/// What a processor is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Job {
    /// A task that computes or sends.
    Task(u64),
    /// A message that has come whole, and that its receive takes.
    Receive(usize),
    /// A message that was announced and has its receive is called for, or one that was called for is
    /// sent: its next stage is handed to the NIC.
    Answer(usize, Stage),
    /// A packet of a message that is sent packet by packet, by its number among these: it is handed to the
    /// NIC.
    Packet(usize, u64),
    /// A packet of a message that has come before the last of it.
    Take,
}

/// A processor.
#[derive(Clone, Debug, Default)]
struct Processor {
    /// What it is asked for, in that order.
    queue: VecDeque<Job>,
    /// What it does, and the cycle that ends in.
    running: Option<(Job, u64)>,
}

/// What a processor turns to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// What it did is over.
    Ended(Job),
    /// It is free, and was asked for this.
    Asked(Job),
}

/// The processors of a rank; most ranks have one.
#[derive(Clone, Debug, Default)]
pub(super) struct Processors {
    first: Processor,
    /// Those after the first, as far as they were asked for anything.
    others: Vec<Processor>,
}

impl Processors {
    fn all(&self) -> impl Iterator<Item = &Processor> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn get(&mut self, cpu: u8) -> &mut Processor {
        let Some(place) = usize::from(cpu).checked_sub(1) else {
            return &mut self.first;
        };
        if self.others.len() <= place {
            self.others.resize_with(place + 1, Processor::default);
        }
        &mut self.others[place]
    }

    /// Something asks for a processor.
    pub(super) fn ask(&mut self, cpu: u8, job: Job) {
        self.get(cpu).queue.push_back(job);
    }

    /// Something asks for a processor that goes before tasks.
    pub(super) fn ask_before_tasks(&mut self, cpu: u8, job: Job) {
        let queue = &mut self.get(cpu).queue;
        let is_task = |job: &Job| matches!(job, Job::Task(_));
        let place = queue.iter().position(is_task).unwrap_or(queue.len());
        queue.insert(place, job);
    }

    /// A processor does something until some cycle.
    pub(super) fn run(&mut self, cpu: u8, job: Job, end: u64) {
        self.get(cpu).running = Some((job, end));
    }

    /// The first processor that can go on, and what it turns to, which it forgets.
    pub(super) fn turn(&mut self, now: u64) -> Option<(u8, Turn)> {
        let all = std::iter::once(&mut self.first).chain(&mut self.others);
        (0..=u8::MAX).zip(all).find_map(|(cpu, processor)| {
            let turn = if processor.running.is_some() {
                let (job, _) = processor.running.take_if(|(_, end)| *end <= now)?;
                Turn::Ended(job)
            } else {
                let asked = processor.queue.pop_front()?;
                give_back(&mut processor.queue);
                Turn::Asked(asked)
            };
            Some((cpu, turn))
        })
    }

    /// The first cycle in which what one of them does is over.
    pub(super) fn next_cycle(&self) -> Option<u64> {
        let ends = self.all().filter_map(|processor| processor.running);
        ends.map(|(_, end)| end).min()
    }

    /// What they do, in their order.
    pub(super) fn running(&self) -> impl Iterator<Item = Job> {
        let running = self.all().filter_map(|processor| processor.running);
        running.map(|(job, _)| job)
    }

    /// Whether the first does nothing.
    pub(super) fn is_first_idle(&self) -> bool {
        self.first.running.is_none()
    }
}
