//! What a host, and each of its ranks, does in one cycle.

use super::messages::{Message, NO_RECEIVE, Stage};
use super::processors::{Job, Turn};
use super::spans::{Activity, RankState};
use super::{Execution, MessageSpan, Rank};
use crate::workload::Train;
use crate::workload::program::{Program, Work};
use weft_fabric::HostId;

/// One host in one cycle.
pub(super) struct Step<'a> {
    pub(super) program: &'a Program,
    pub(super) execution: &'a mut Execution,
    /// Its number among the hosts with ranks.
    pub(super) place: usize,
    /// The rank that does something.
    pub(super) rank: u32,
    pub(super) now: u64,
    pub(super) packets: &'a mut Vec<Train>,
    /// Other hosts of the node that have to act earlier than planned.
    pub(super) wakes: &'a mut Vec<(HostId, u64)>,
}

impl<'a> Step<'a> {
    pub(super) fn new(
        program: &'a Program,
        execution: &'a mut Execution,
        place: usize,
        now: u64,
        packets: &'a mut Vec<Train>,
        wakes: &'a mut Vec<(HostId, u64)>,
    ) -> Self {
        Self {
            program,
            execution,
            place,
            // Whose turn it is says each step; a host that is only an adapter has none of its own.
            rank: program
                .placement
                .ranks(place)
                .first()
                .map_or(0, |&rank| rank),
            now,
            packets,
            wakes,
        }
    }

    pub(super) fn own(&mut self) -> &mut Rank {
        &mut self.execution.ranks[self.rank as usize]
    }

    /// Each rank in turn does something.
    fn each(&mut self, does: impl Fn(&mut Self)) {
        for &rank in self.program.placement.ranks(self.place) {
            self.rank = rank;
            does(self);
        }
    }

    pub(super) fn run(mut self) {
        let now = self.now;
        self.notice_delivered();
        self.each(Self::notice_inside);
        self.leave_bus();
        self.reply();
        self.resend();
        self.take_handed();
        self.each(|step| {
            let rank = step.own();
            rank.has_begun |= rank.begin_cycle <= now;
        });
        loop {
            self.each(Self::process);
            if !self.transmit() {
                break;
            }
        }
        self.begin_crossing();
        self.each(Self::close);
    }

    /// Keeps the book, takes what no receive asks for and notes the end.
    fn close(&mut self) {
        let (number, now) = (self.rank, self.now);
        let is_unacknowledged = self.nic().is_unacknowledged();
        let rank = self.own();
        if !rank.has_begun {
            return;
        }
        let is_over = rank.is_exhausted && rank.window.is_empty();
        let does = rank.does();
        let activity = match does {
            _ if is_over => Activity::Finished,
            Some((activity, _)) => activity,
            None if is_unacknowledged => Activity::WaitingAcknowledgement,
            None => Activity::WaitingPacket,
        };
        rank.book.turn(now, activity);
        if rank.processors.is_first_idle() {
            // With nothing to do it takes what no receive asks for, too.
            if let Some(besides) = rank.besides_if_any() {
                besides.untaken.clear();
            }
        }
        if is_over && rank.finish_cycle.is_none() {
            rank.finish_cycle = Some(now);
            self.execution.unfinished -= usize::from(!self.program.is_background(number));
        }
        self.record(activity, does.map(|(_, job)| job));
    }

    /// Notes what the rank does from now on, and for which task, where a timeline is kept.
    fn record(&mut self, activity: Activity, running: Option<Job>) {
        let (number, now) = (self.rank, self.now);
        if self.execution.recorder.is_none() || self.program.is_background(number) {
            return;
        }
        let Execution {
            ranks,
            messages,
            recorder: Some(recorder),
            ..
        } = &mut *self.execution
        else {
            return;
        };
        let rank = &mut ranks[number as usize];
        let task = match (activity, running) {
            (Activity::Finished, _) | (_, Some(Job::Take)) => None,
            (_, Some(Job::Task(task))) => Some(task),
            (_, Some(Job::Answer(index, Stage::Called) | Job::Packet(index, _))) => {
                Some(messages.get(index).send)
            }
            (_, Some(Job::Receive(index) | Job::Answer(index, _))) => {
                Some(messages.get(index).receive)
            }
            (_, None) => rank.window.awaited(self.program.tasks.is_graph(number)),
        };
        let state = RankState {
            activity,
            task: task.map(|task| rank.window.task(task)),
        };
        recorder.turn(number, now, state, task);
    }

    /// All packets of a message's stage were stored.
    pub(super) fn stage_is_here(&mut self, index: usize) {
        let message = *self.execution.messages.get(index);
        match message.stage {
            Stage::Eager | Stage::Announcement => {
                let Rank { mailbox, peers, .. } = self.own();
                if mailbox.arrive(index, &message, peers) {
                    self.see(index);
                }
                while let Some(next) = self.next_in_order(message.from) {
                    self.see(next);
                }
            }
            Stage::Call => self.answer(index, Stage::Called),
            // It was called for by its receive.
            Stage::Called => self.is_there(index),
        }
    }

    /// The next message of a rank, if it overtook one that was seen now.
    fn next_in_order(&mut self, from: u32) -> Option<usize> {
        let Rank { mailbox, peers, .. } = self.own();
        mailbox.next_in_order(from, peers)
    }

    /// A message is seen.
    fn see(&mut self, index: usize) {
        let message = *self.execution.messages.get(index);
        let Rank {
            mailbox,
            peers,
            window,
            ..
        } = self.own();
        if let Some(receive) = mailbox.see(index, &message, peers, window) {
            self.find(index, receive);
        }
    }

    /// A message and its receive have found each other.
    fn find(&mut self, index: usize, receive: u64) {
        let message = self.execution.messages.get(index);
        message.receive = receive;
        if message.stage == Stage::Announcement {
            self.answer(index, Stage::Call);
        } else {
            self.is_there(index);
        }
    }

    /// The next stage of a longer message asks for the processor of its task, unless that takes no time.
    fn answer(&mut self, index: usize, stage: Stage) {
        if self.program.messaging.control_cycles == 0 {
            self.begin_stage(index, stage);
        } else {
            let message = *self.execution.messages.get(index);
            let task = match stage {
                Stage::Call => message.receive,
                _ => message.send,
            };
            self.own().ask(task, Job::Answer(index, stage));
        }
    }

    /// A message is here whole, and so is its receive, which asks for the processor.
    fn is_there(&mut self, index: usize) {
        let message = *self.execution.messages.get(index);
        self.execution.received_messages += 1;
        if message.from != self.rank {
            let packets = self.program.messaging.packets(message.bytes);
            self.execution.received_packets[self.rank as usize] += packets;
        }
        let now = self.now;
        let Execution {
            ranks, recorder, ..
        } = &mut *self.execution;
        let rank = &mut ranks[self.rank as usize];
        if let Some(recorder) = recorder
            && !self.program.is_background(self.rank)
        {
            recorder.message(MessageSpan {
                sent_cycle: message.sent_cycle,
                there_cycle: now,
                from: message.from,
                to: message.to,
                number: message.number.into(),
                tag: message.tag,
                bytes: message.bytes,
                line: rank.window.task(message.receive).line,
            });
        }
        rank.ask(message.receive, Job::Receive(index));
    }

    /// Runs the processors until nothing changes in this cycle.
    fn process(&mut self) {
        if !self.own().has_begun {
            return;
        }
        loop {
            self.take_tasks();
            if let Some(task) = self.own().window.take_possible() {
                self.begin(task);
                continue;
            }
            let now = self.now;
            match self.own().processors.turn(now) {
                None => return,
                Some((_, Turn::Ended(Job::Task(task)))) => self.processed(task),
                Some((_, Turn::Ended(Job::Receive(index)))) => self.received(index),
                Some((_, Turn::Ended(Job::Answer(index, stage)))) => {
                    self.begin_stage(index, stage);
                }
                Some((_, Turn::Ended(Job::Packet(index, number)))) => {
                    self.prepared(index, number);
                }
                Some((_, Turn::Ended(Job::Take))) => {}
                Some((cpu, Turn::Asked(job))) => {
                    let end = now.saturating_add(self.job_cycles(job));
                    self.own().processors.run(cpu, job, end);
                }
            }
        }
    }

    /// How long a processor takes for something that it begins now.
    fn job_cycles(&mut self, job: Job) -> u64 {
        let messaging = &self.program.messaging;
        let task = match job {
            Job::Task(task) => task,
            Job::Receive(index) => {
                let &mut Message {
                    from, to, bytes, ..
                } = self.execution.messages.get(index);
                return self.program.receive_cycles(from, to, bytes);
            }
            Job::Answer(..) => return messaging.control_cycles,
            Job::Packet(index, number) => {
                let bytes = self.execution.messages.get(index).bytes;
                return messaging.prepare_cycles(bytes, number);
            }
            Job::Take => return messaging.take_cycles(),
        };
        match self.own().window.task(task).work {
            Work::Compute { ns } => {
                self.own().window.start(task);
                messaging.compute_cycles(ns)
            }
            Work::Until { cycle } => {
                let now = self.now;
                let rank = self.own();
                rank.window.start(task);
                cycle.saturating_sub(now - rank.begin_cycle)
            }
            Work::Send { to, bytes, .. } => {
                self.own().window.start(task);
                self.program.send_cycles(self.rank, to, bytes)
            }
            Work::Receive { .. } | Work::Join => {
                unreachable!("receives and joins do not ask for the processor")
            }
        }
    }

    /// Takes tasks from the program, as far as they can matter.
    fn take_tasks(&mut self) {
        let program = self.program;
        let number = self.rank;
        let Execution {
            ranks,
            dependencies,
            ..
        } = &mut *self.execution;
        let rank = &mut ranks[number as usize];
        while !rank.is_exhausted
            && (rank.window.last_has_started()
                || program.tasks.may_begin_early(number, &rank.stream))
        {
            dependencies.clear();
            if let Some(task) = program.next_task(number, &mut rank.stream, dependencies) {
                rank.window.add(task, dependencies);
            } else {
                rank.is_exhausted = true;
            }
        }
    }

    /// A task waits for nothing any more.
    fn begin(&mut self, task: u64) {
        let rank = self.own();
        match rank.window.task(task).work {
            Work::Compute { .. } | Work::Until { .. } | Work::Send { .. } => {
                rank.ask(task, Job::Task(task));
            }
            Work::Join => {
                rank.window.start(task);
                rank.window.end(task);
            }
            Work::Receive { from, tag } => {
                rank.window.start(task);
                let Rank {
                    mailbox,
                    peers,
                    window,
                    ..
                } = rank;
                if let Some(message) = mailbox.post(task, (from, tag), peers, window) {
                    self.find(message, task);
                }
            }
        }
    }

    /// A processor has taken a message.
    fn received(&mut self, index: usize) {
        let task = self.execution.messages.get(index).receive;
        self.execution.messages.remove(index);
        let rank = self.own();
        rank.take(index);
        rank.window.end(task);
    }

    /// A processor is done with a task.
    fn processed(&mut self, task: u64) {
        let is_over = match self.own().window.task(task).work {
            Work::Send { to, tag, bytes } => self.send(task, (to, tag, bytes)),
            _ => true,
        };
        if is_over {
            self.own().window.end(task);
        }
    }

    /// Sends a message; true if the send is over with that.
    fn send(&mut self, task: u64, (to, tag, bytes): (u32, u32, u64)) -> bool {
        let messaging = &self.program.messaging;
        let is_own = to == self.rank;
        let is_inside = is_own || self.program.is_inside(self.rank, to);
        let is_eager = is_inside || bytes <= messaging.eager_bytes;
        let number = self.own().peers.of(to).send();
        self.execution.sent_messages += 1;
        let stage = if is_eager {
            Stage::Eager
        } else {
            self.execution.announcements.announced_messages += 1;
            Stage::Announcement
        };
        let nic = self.own().window.task(task).nic;
        let index = self.execution.messages.insert(Message {
            from: self.rank,
            to,
            tag,
            bytes,
            number,
            sent_cycle: self.now,
            stage,
            nic,
            packets_left: 0,
            send: task,
            receive: NO_RECEIVE,
        });
        if is_own {
            self.stage_is_here(index);
            true
        } else if is_inside {
            self.send_inside(index, task)
        } else {
            let is_whole = self.begin_stage(index, stage);
            is_eager && is_whole && !messaging.blocking
        }
    }
}

impl Rank {
    /// Something asks for the processor of a task under way.
    fn ask(&mut self, task: u64, job: Job) {
        let cpu = self.window.cpu(task);
        self.processors.ask(cpu, job);
    }

    /// What the processors do, if any does something: of several, the first of what counts first.
    fn does(&mut self) -> Option<(Activity, Job)> {
        let window = &mut self.window;
        let does = self.processors.running().map(|job| {
            let activity = match job {
                Job::Task(task) => match window.task(task).work {
                    Work::Compute { .. } | Work::Until { .. } => Activity::Computing,
                    _ => Activity::Sending,
                },
                Job::Answer(_, Stage::Called) | Job::Packet(..) => Activity::Sending,
                Job::Receive(_) | Job::Answer(..) | Job::Take => Activity::Receiving,
            };
            (activity, job)
        });
        does.min_by_key(|&(activity, _)| activity as usize)
    }
}
