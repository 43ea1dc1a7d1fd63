//! The state of a program that runs: what ranks have done, and what is on its way.

mod account;
mod adapters;
mod block;
mod bus;
mod by_packet;
mod counts;
mod handed;
mod inner;
mod mailbox;
mod messages;
mod nic;
mod peers;
mod posted;
mod processors;
mod sent;
mod sent_block;
mod slot;
mod spans;
mod step;
mod timeline;
mod under_way;
mod waiters;
mod window;

pub use account::{Account, Announcements};
pub use spans::{Activity, Place, RankState, StateSpan, States};
pub use timeline::{MessageSpan, Timeline, TimelineLimits};

use super::{Acknowledged, Dependency, Program, Task, TaskStream, Work};
use crate::workload::Train;
use account::Book;
use adapters::{FromOthers, News};
use inner::Inner;
use mailbox::Mailbox;
use messages::{Arrived, Messages};
use nic::Nic;
use peers::Peers;
use processors::Processors;
use std::collections::BTreeSet;
use step::Step;
use timeline::Recorder;
use under_way::UnderWay;
use weft_fabric::HostId;
use window::Window;

#[derive(Clone, Debug, Default)]
struct Rank {
    stream: TaskStream,
    /// The program has no more tasks for it.
    is_exhausted: bool,
    begin_cycle: u64,
    has_begun: bool,
    window: Window,
    processors: Processors,
    mailbox: Mailbox,
    peers: Peers,
    book: Book,
    finish_cycle: Option<u64>,
    /// Has room of its own, and that once there is something: a rank is looked through whenever it acts.
    besides: Option<Box<Besides>>,
}

/// What some ranks have to do with besides.
#[derive(Clone, Debug, Default)]
struct Besides {
    inner: Inner,
    /// What other adapters told it.
    told: FromOthers<News>,
    /// Where room is limited: messages that have come and that the processor has not taken.
    untaken: BTreeSet<usize>,
}

impl Rank {
    fn new(begin_cycle: u64) -> Self {
        Self {
            begin_cycle,
            book: Book::from(begin_cycle),
            ..Self::default()
        }
    }

    fn next_cycle(&self) -> Option<u64> {
        let begins = (!self.has_begun).then_some(self.begin_cycle);
        let ends = self.processors.next_cycle();
        let besides = self.besides.as_deref();
        let inside = besides.and_then(|besides| besides.inner.next_cycle());
        let told = besides.and_then(|besides| besides.told.next_cycle());
        [begins, ends, inside, told].into_iter().flatten().min()
    }

    /// What only some have to do with, as this one has from now on.
    fn besides(&mut self) -> &mut Besides {
        self.besides.get_or_insert_default()
    }

    /// The same, if it has.
    fn besides_if_any(&mut self) -> Option<&mut Besides> {
        self.besides.as_deref_mut()
    }

    /// The processor has taken a message.
    fn take(&mut self, message: usize) {
        if let Some(besides) = self.besides_if_any() {
            besides.untaken.remove(&message);
        }
    }
}

/// The next cycle in which a host with ranks, told by its number among these, has to act, or [`NEVER`].
fn next_cycle(program: &Program, nics: &[Nic], ranks: &[Rank], place: usize) -> u64 {
    let own = program.placement.ranks(place).iter();
    let of_ranks = own.filter_map(|&rank| ranks[rank as usize].next_cycle());
    let of_nic = nics[place].next_cycle(program.messaging.acknowledged);
    of_ranks.chain(of_nic).min().unwrap_or(NEVER)
}

/// The numbers of hosts among those with ranks.
fn places(program: &Program, hosts: [HostId; 2]) -> [usize; 2] {
    hosts.map(|host| match program.placement.place_on(host) {
        Some(place) => place,
        None => unreachable!("hosts of ranks send to hosts of ranks"),
    })
}

/// A task that is not over though nothing happens any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blocked {
    /// Whose task it is.
    pub rank: u32,
    /// The task.
    pub task: Task,
}

/// A message that no receive has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unmatched {
    /// Rank that sent it.
    pub from: u32,
    /// The task that sent it.
    pub send: u64,
    /// Rank it went to.
    pub to: u32,
    /// Its tag.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
}

/// No cycle: a host with nothing to do.
const NEVER: u64 = u64::MAX;

/// A program that runs in one simulator.
#[derive(Clone, Debug)]
pub struct Execution {
    ranks: Vec<Rank>,
    /// Per host with ranks, or that is an adapter of some.
    nics: Vec<Nic>,
    /// The same: the packets it has sent, which every delivery asks for.
    under_way: Vec<UnderWay>,
    /// The same: the cycle in which it has to act next, or [`NEVER`]. Every delivery asks for it, and a host and its ranks are
    /// much to look through.
    planned: Vec<u64>,
    /// The same: packets that wait at it and with which a send is over once they leave. Mostly there are none, and packets
    /// that leave need not be looked up.
    leaving: Vec<u32>,
    /// Room to put together what a task waits for.
    dependencies: Vec<Dependency>,
    acknowledged: Acknowledged,
    messages: Messages,
    /// Keeps a timeline, if one is asked for.
    recorder: Option<Box<Recorder>>,
    unfinished: usize,
    sent_messages: u64,
    received_messages: u64,
    /// Per rank: packets of the messages that it received from others.
    received_packets: Vec<u64>,
    announcements: Announcements,
}

impl Execution {
    /// Begins a program in cycle 0.
    pub fn new(program: &Program) -> Self {
        let place_count = program.placement.place_count();
        let begins = program.begin_cycles.iter();
        let ranks: Vec<Rank> = begins.map(|&cycle| Rank::new(cycle)).collect();
        let nics = vec![Nic::default(); place_count];
        let planned = (0..place_count).map(|place| next_cycle(program, &nics, &ranks, place));
        Self {
            planned: planned.collect(),
            leaving: vec![0; place_count],
            dependencies: Vec::new(),
            ranks,
            nics,
            under_way: vec![UnderWay::new(program.messaging.stores_as_one()); place_count],
            acknowledged: program.messaging.acknowledged,
            messages: Messages::default(),
            recorder: program
                .timeline
                .map(|limits| Box::new(Recorder::new(limits, &program.begin_cycles))),
            unfinished: (0..)
                .take(program.rank_count())
                .filter(|&rank| !program.is_background(rank))
                .count(),
            sent_messages: 0,
            received_messages: 0,
            received_packets: vec![0; program.rank_count()],
            announcements: Announcements::default(),
        }
    }

    /// The next cycle in which a host has to act; `None` if only a delivery, or what another host of its node
    /// sends it, can change that.
    pub fn next_cycle(&self, program: &Program, host: HostId) -> Option<u64> {
        let place = program.placement.place_on(host)?;
        Some(self.planned[place]).filter(|&planned| planned != NEVER)
    }

    /// A host, told by its number among those with ranks, has something to do in a cycle, which is returned where it had
    /// nothing to do before.
    fn plan(&mut self, place: usize, cycle: u64) -> Option<u64> {
        let planned = &mut self.planned[place];
        let is_earlier = cycle < *planned;
        *planned = cycle.min(*planned);
        is_earlier.then_some(cycle)
    }

    /// Takes note of a packet whose last flit arrives at `host` in `cycle`; each host's in
    /// ascending order of the cycles, and before it acts in the cycle after. It returns the cycle in
    /// which the host has to act next, where that has changed.
    ///
    /// # Panics
    /// When no rank of the program sent it, a bug of the caller.
    pub fn deliver(
        &mut self,
        program: &Program,
        cycle: u64,
        host: HostId,
        (source, sequence): (HostId, u64),
    ) -> Option<u64> {
        let [place, from] = places(program, [host, source]);
        let under_way = &mut self.under_way[from];
        let all_cycle = under_way.take(sequence, cycle, &mut self.messages);
        let stored_cycle = if program.messaging.stores_as_one() {
            all_cycle?
        } else {
            cycle
        };
        let arrived = under_way.arrived(sequence, &mut self.messages);
        if all_cycle.is_some() {
            under_way.forget();
        }
        self.bring(place, stored_cycle, arrived)
    }

    /// Takes note of packets that were generated together and come in their order, at the last of them, in whose cycle
    /// all are there; of the others [`deliver`](Self::deliver) was not told. It is for messaging layers in which a host
    /// has nothing to do before ([`Messaging::stores_as_one`](super::Messaging::stores_as_one)).
    ///
    /// # Panics
    /// The same.
    pub fn deliver_all(
        &mut self,
        program: &Program,
        cycle: u64,
        host: HostId,
        (source, last): (HostId, u64),
    ) -> Option<u64> {
        let [place, from] = places(program, [host, source]);
        let under_way = &mut self.under_way[from];
        let arrived = under_way.take_all(last, &mut self.messages);
        under_way.forget();
        self.bring(place, cycle, arrived)
    }

    /// A host's NIC is brought what was stored in a cycle.
    fn bring(&mut self, place: usize, stored_cycle: u64, arrived: Arrived) -> Option<u64> {
        let notice_cycle = stored_cycle + 1;
        self.nics[place].bring(notice_cycle, arrived);
        self.plan(place, notice_cycle)
    }

    /// Takes note of a packet, the last of those it was generated with, that leaves its queue pair in `cycle`, at
    /// each host in ascending order of the cycles. It returns the cycle in which the host has to act next, where
    /// that has changed.
    pub fn leave(
        &mut self,
        program: &Program,
        cycle: u64,
        host: HostId,
        sequence: u64,
    ) -> Option<u64> {
        let place = program.placement.place_on(host)?;
        if self.leaving[place] == 0 {
            return None;
        }
        let (rank, task) = self.under_way[place].ends(sequence, &mut self.messages)?;
        self.leaving[place] -= 1;
        self.nics[place].left.push_back((cycle + 1, rank, task));
        self.plan(place, cycle + 1)
    }

    /// Lets a host act in `cycle`: `packets` gets those it generates then, in order, and `wakes` other hosts of
    /// its node that have to act earlier than they would, with the cycles. It is to be called for
    /// [`next_cycle`](Self::next_cycle), and may be in other cycles before it.
    pub fn act(
        &mut self,
        program: &Program,
        host: HostId,
        cycle: u64,
        packets: &mut Vec<Train>,
        wakes: &mut Vec<(HostId, u64)>,
    ) {
        if let Some(place) = program.placement.place_on(host) {
            Step::new(program, self, place, cycle, packets, wakes).run();
            self.planned[place] = next_cycle(program, &self.nics, &self.ranks, place);
        }
    }

    /// Tells whether all tasks of all ranks are over, but for traffic beside jobs.
    pub fn is_finished(&self) -> bool {
        self.unfinished == 0
    }

    /// The cycle in which a rank's last task was over.
    pub fn finish_cycle(&self, rank: u32) -> Option<u64> {
        self.ranks[rank as usize].finish_cycle
    }

    /// Where a rank's time before `cycle` went, which is none of those it has acted in but
    /// the last.
    pub fn account(&self, rank: u32, cycle: u64) -> Account {
        self.ranks[rank as usize].book.account_until(cycle)
    }

    /// The numbers of messages sent and received so far, those to the own rank included.
    pub fn message_counts(&self) -> (u64, u64) {
        (self.sent_messages, self.received_messages)
    }

    /// Per rank: the packets of messages received from others so far, how many of
    /// [`packet_count`](super::Tasks::packet_count) are through.
    pub fn received_packets(&self) -> &[u64] {
        &self.received_packets
    }

    /// What was announced so far, and how long it waited to be called for.
    pub fn announcements(&self) -> Announcements {
        self.announcements
    }

    /// Tells whether packets are on their way or hosts have something to do.
    pub fn is_under_way(&self) -> bool {
        let is_busy = |nic: &Nic| nic.next_cycle(self.acknowledged).is_some();
        let is_active = |rank: &Rank| rank.next_cycle().is_some();
        let are_sent = |under_way: &UnderWay| !under_way.is_empty();
        self.under_way.iter().any(are_sent)
            || self.nics.iter().any(is_busy)
            || self.ranks.iter().any(is_active)
    }

    /// Of each rank that is not finished, the first task that has begun and cannot end;
    /// once nothing is under way any more, they are why.
    pub fn blocked(&self) -> Vec<Blocked> {
        let first_of = |(number, rank): (u32, &Rank)| {
            let stuck = rank
                .window
                .unfinished()
                .find(|&(task, Task { work, .. }, started)| {
                    started
                        && match work {
                            Work::Receive { .. } => rank.window.is_posted(task),
                            Work::Send { .. } => true,
                            _ => false,
                        }
                });
            stuck.map(|(_, task, _)| Blocked { rank: number, task })
        };
        (0..).zip(&self.ranks).filter_map(first_of).collect()
    }

    /// The timeline of a run that ended before a cycle, if one was asked for.
    pub fn timeline(&self, end_cycle: u64) -> Option<Timeline> {
        let recorder = self.recorder.as_ref()?;
        Some(recorder.timeline(end_cycle))
    }

    /// The messages that no receive has found, by sender and the order in which it sent them: once
    /// all ranks are at their end, or nothing is under way any more, they never will be.
    pub fn unmatched(&self) -> Vec<Unmatched> {
        let coded = self.under_way.iter().flat_map(UnderWay::unmatched);
        let all = self.messages.unmatched().copied().chain(coded);
        let told = all.map(|message| Unmatched {
            from: message.from,
            send: message.send,
            to: message.to,
            tag: message.tag,
            bytes: message.bytes,
        });
        let mut told: Vec<Unmatched> = told.collect();
        told.sort_unstable();
        told
    }

    /// The messages that were seen and nobody received, as (sender, receiver, tag).
    pub fn unclaimed(&self) -> Vec<(u32, u32, u32)> {
        let of = |(to, rank): (u32, &Rank)| {
            let seen = rank.mailbox.unclaimed();
            seen.map(|(from, tag)| (from, to, tag)).collect::<Vec<_>>()
        };
        (0..).zip(&self.ranks).flat_map(of).collect()
    }
}
