//! A process: the tasks that its actions come down to, one action after another.

use super::pending::PendingTasks;
use super::task::{Dependency, Task, Work};
use std::collections::VecDeque;

/// Tag of the messages of collective operations, apart from those of applications, which have tags below
/// 2^31; several flows of one operation have this and those before.
const COLLECTIVE_TAG: u32 = u32::MAX;

/// So many tags are one collective operation's, so that what goes on beside others has some of its own.
const TAGS: u32 = 1 << 16;

/// The tags of collective operations begin again after so many.
const OPERATIONS: u32 = 1 << 15;

/// Processor that sees to what a rank does beside the rest.
const BESIDE_CPU: u8 = 1;

/// Requests of collective operations have tags from here on, apart from those of messages.
pub(super) const COLLECTIVE_REQUESTS: u32 = 1 << 31;

/// What a process started and has not waited for.
#[derive(Clone, Copy, Debug)]
struct Request {
    from: u32,
    to: u32,
    tag: u32,
    task: u64,
}

/// The tag of the messages of a flow of an operation of a group, by its number among those of all groups.
pub(super) fn group_tag(operation: u32, flow: u32) -> u32 {
    COLLECTIVE_TAG - operation % OPERATIONS * TAGS - flow % TAGS
}

/// The flow of a collective operation that a message of this tag is of; none of an application's.
pub(super) fn flow_of(tag: u32) -> Option<u32> {
    (tag >= COLLECTIVE_REQUESTS).then(|| (COLLECTIVE_TAG - tag) % TAGS)
}

/// The tasks of a process so far.
///
/// Each waits for the moment the process is *at*: the end of what it did last, or the start of what
/// it only started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Process {
    at: Option<Dependency>,
    pub(super) pending: PendingTasks,
    requests: VecDeque<Request>,
    /// Whether what it does now goes on beside what comes after.
    is_beside: bool,
    /// Collective operations that went on beside the rest, with the present one.
    besides: u32,
    /// Line of the action being turned into tasks.
    pub(super) line: u32,
}

impl Process {
    /// The moment that it goes on at; `None` where it has done nothing.
    pub(super) fn at(&self) -> Option<Dependency> {
        self.at
    }

    fn push(&mut self, work: Work, more: &[u64]) -> u64 {
        let task = self.task(work);
        let more = more.iter().copied().map(Dependency::end);
        let waits_for = self.at.into_iter().chain(more);
        self.pending.push(&task, waits_for, self.is_beside)
    }

    fn task(&self, work: Work) -> Task {
        let cpu = if self.is_beside { BESIDE_CPU } else { 0 };
        Task {
            cpu,
            ..Task::new(work, self.line)
        }
    }

    /// It does something when some moments have come, or from where it is on if there is none, and
    /// goes on meanwhile.
    pub(super) fn beside(&mut self, work: Work, more: Vec<Dependency>) -> u64 {
        let task = self.task(work);
        let at = if more.is_empty() { self.at } else { None };
        let waits_for = at.into_iter().chain(more);
        self.pending.push(&task, waits_for, true)
    }

    /// It does something and goes on when that is over.
    fn finish(&mut self, work: Work, more: &[u64]) {
        let task = self.push(work, more);
        self.at = Some(Dependency::end(task));
    }

    /// It starts something and goes on.
    fn start(&mut self, work: Work) -> u64 {
        let task = self.push(work, &[]);
        self.at = Some(Dependency::start(task));
        task
    }

    pub(crate) fn compute(&mut self, ns: f64) {
        self.finish(Work::Compute { ns }, &[]);
    }

    pub(super) fn send_tagged(&mut self, to: u32, tag: u32, bytes: u64) {
        self.finish(Work::Send { to, tag, bytes }, &[]);
    }

    pub(super) fn receive_tagged(&mut self, from: u32, tag: u32) {
        let (from, tag) = (Some(from), Some(tag));
        self.finish(Work::Receive { from, tag }, &[]);
    }

    pub(super) fn request_send(&mut self, own: u32, to: u32, tag: u32, bytes: u64) {
        let task = self.start(Work::Send { to, tag, bytes });
        let from = own;
        self.requests.push_back(Request {
            from,
            to,
            tag,
            task,
        });
    }

    pub(super) fn request_receive(&mut self, own: u32, from: u32, tag: u32) {
        let task = self.start(Work::Receive {
            from: Some(from),
            tag: Some(tag),
        });
        let to = own;
        self.requests.push_back(Request {
            from,
            to,
            tag,
            task,
        });
    }

    /// It starts what `does` adds, a collective operation, and goes on; a processor of its own sees to it. It can be
    /// waited for by a tag.
    pub(super) fn request_beside(&mut self, own: u32, tag: u32, does: impl FnOnce(&mut Self)) {
        let at = self.at;
        self.is_beside = true;
        self.besides = self.besides % (OPERATIONS - 1) + 1;
        does(self);
        let task = self.push(Work::Join, &[]);
        self.is_beside = false;
        self.at = at;
        self.requests.push_back(Request {
            from: own,
            to: own,
            tag,
            task,
        });
    }

    /// It waits for the first request with these ends and this tag, or for the first collective operation where
    /// both ends are its own and it started no such message; for nothing if there is none.
    pub(super) fn wait(&mut self, from: u32, to: u32, tag: u32) {
        let is_it = |request: &Request| (request.from, request.to, request.tag) == (from, to, tag);
        let is_collective = |request: &Request| {
            from == to && tag < COLLECTIVE_REQUESTS && request.tag >= COLLECTIVE_REQUESTS
        };
        let place = self.requests.iter().position(is_it);
        let place = place.or_else(|| self.requests.iter().position(is_collective));
        if let Some(request) = place.and_then(|place| self.requests.remove(place)) {
            self.finish(Work::Join, &[request.task]);
        }
    }

    pub(super) fn wait_all(&mut self) {
        let tasks: Vec<u64> = self
            .requests
            .drain(..)
            .map(|request| request.task)
            .collect();
        self.join(&tasks);
    }

    // What collective operations are made of.

    /// The tag of the messages of a flow of the present collective operation.
    pub(super) fn collective_tag(&self, flow: u32) -> u32 {
        let operation = if self.is_beside { self.besides } else { 0 };
        COLLECTIVE_TAG - operation * TAGS - flow % TAGS
    }

    /// It waits for several tasks.
    pub(crate) fn join(&mut self, tasks: &[u64]) {
        if !tasks.is_empty() {
            self.finish(Work::Join, tasks);
        }
    }

    pub(crate) fn send(&mut self, to: u32, bytes: u64) {
        self.send_tagged(to, self.collective_tag(0), bytes);
    }

    pub(crate) fn receive(&mut self, from: u32) {
        self.receive_tagged(from, self.collective_tag(0));
    }

    pub(crate) fn start_send(&mut self, to: u32, bytes: u64) -> u64 {
        self.start_send_in(0, to, bytes)
    }

    pub(crate) fn start_receive(&mut self, from: u32) -> u64 {
        self.start_receive_in(0, from)
    }

    /// It starts to send what is of a flow of the operation.
    pub(super) fn start_send_in(&mut self, flow: u32, to: u32, bytes: u64) -> u64 {
        let tag = self.collective_tag(flow);
        self.start(Work::Send { to, tag, bytes })
    }

    pub(super) fn start_receive_in(&mut self, flow: u32, from: u32) -> u64 {
        let (from, tag) = (Some(from), Some(self.collective_tag(flow)));
        self.start(Work::Receive { from, tag })
    }

    /// It sends to one rank and receives from another at the same time.
    pub(crate) fn exchange(&mut self, to: u32, bytes: u64, from: u32) {
        let receive = self.start_receive(from);
        let send = self.start_send(to, bytes);
        self.join(&[receive, send]);
    }
}
