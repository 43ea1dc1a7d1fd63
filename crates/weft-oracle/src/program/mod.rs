//! What the ranks of a program do, cycle by cycle, by the rules of [`weft_model::workload::program`].
//!
//! Nothing is forgotten: every task, message and packet keeps its number from beginning to end.

mod adapters;
mod inside;
mod messages;
mod packets;
mod pauses;
mod processor;

use adapters::Handed;
use inside::Inside;
use messages::{Mailbox, Message};
use packets::{Cargo, Interface, Load, News, Part};
use processor::{Asking, Processor};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::HostId;
use weft_model::workload::Packet;
use weft_model::workload::program::{Account, Acknowledged, Blocked, Messaging, Program, Work};

/// Tasks that are taken of a rank whose tasks have no end: more than any case comes to, also where messages that are
/// announced take a cycle or two each.
const MOST_ENDLESS: usize = 12_000;

/// A rank.
#[derive(Debug)]
struct Rank {
    number: u32,
    /// Its host, by number among all hosts.
    site: usize,
    begin_cycle: u64,
    /// The program is not over before its end.
    is_awaited: bool,
    processor: Processor,
    inside: Inside,
    /// What its other adapters told it in the present cycle or before: when, which of them, and what.
    told: Vec<(u64, HostId, News)>,
    mailbox: Mailbox,
    account: Account,
    finish_cycle: Option<u64>,
}

/// A host.
#[derive(Debug)]
struct Site {
    host: HostId,
    ranks: Vec<usize>,
    /// Packets delivered since it acted last.
    delivered: Vec<Cargo>,
    /// Packets that left queue pairs since.
    left: Vec<Load>,
    interface: Interface,
    /// What ranks on other hosts handed its NIC.
    from_others: Vec<Handed>,
    /// What it generates in the present cycle.
    generated: Vec<Packet>,
    /// Packets generated before.
    sequence: u64,
}

/// The ranks of a program at work.
#[derive(Debug)]
pub struct Ranks<'a> {
    program: &'a Program,
    messaging: &'a Messaging,
    now: u64,
    all: Vec<Rank>,
    sites: Vec<Site>,
    /// All messages sent so far.
    messages: Vec<Message>,
    received_messages: u64,
    /// Of each message that was announced and called for: cycles in between.
    waits: Vec<u64>,
    /// What the packets on their way carry, by the host that generated them and their number there.
    on_their_way: BTreeMap<(HostId, u64), Cargo>,
}

impl<'a> Ranks<'a> {
    pub(crate) fn new(program: &'a Program, hosts: impl Iterator<Item = HostId>) -> Self {
        let tasks = |number| {
            let is_endless = program.is_background(number);
            program.tasks(number, if is_endless { MOST_ENDLESS } else { usize::MAX })
        };
        let rank = |number| Rank {
            number,
            is_awaited: !program.is_background(number),
            site: program.host(number).index(),
            begin_cycle: program.begin_cycle(number),
            processor: Processor::new(tasks(number)),
            inside: Inside::default(),
            told: Vec::new(),
            mailbox: Mailbox::default(),
            account: Account::default(),
            finish_cycle: None,
        };
        let all: Vec<Rank> = (0..).take(program.rank_count()).map(rank).collect();
        let site = |host: HostId| Site {
            host,
            ranks: (0..all.len())
                .filter(|&rank| all[rank].site == host.index())
                .collect(),
            delivered: Vec::new(),
            left: Vec::new(),
            interface: Interface::new(program.messaging().quantum_bytes),
            from_others: Vec::new(),
            generated: Vec::new(),
            sequence: 0,
        };
        Self {
            program,
            messaging: program.messaging(),
            now: 0,
            sites: hosts.map(site).collect(),
            all,
            messages: Vec::new(),
            received_messages: 0,
            waits: Vec::new(),
            on_their_way: BTreeMap::new(),
        }
    }

    /// A packet is delivered, after all hosts acted in this cycle.
    pub(crate) fn deliver(&mut self, host: HostId, packet: (HostId, u64)) {
        let Some(cargo) = self.on_their_way.remove(&packet) else {
            unreachable!("ranks alone generate packets")
        };
        self.sites[host.index()].delivered.push(cargo);
    }

    /// A host takes a packet to send it, from a queue pair if it has such, after all hosts acted in this
    /// cycle.
    pub(crate) fn leave(&mut self, packet: (HostId, u64)) {
        if self.messaging.quantum_bytes.is_some()
            && let Some(&Cargo::Data(load)) = self.on_their_way.get(&packet)
        {
            self.sites[packet.0.index()].left.push(load);
        }
    }

    /// What a host does in a cycle: the packets it generates, in order.
    pub(crate) fn act(&mut self, cycle: u64, host: HostId) -> Vec<Packet> {
        self.now = cycle;
        let site = host.index();
        let ranks = self.sites[site].ranks.clone();
        self.notice(site);
        self.notice_left(site);
        for &rank in &ranks {
            self.notice_told(rank);
            self.notice_inside(rank);
        }
        self.leave_bus(site);
        self.reply(site);
        self.send_again(site);
        self.take_from_others(site);
        loop {
            for &rank in &ranks {
                if self.has_begun(rank) {
                    self.process(rank);
                }
            }
            if !self.take_packets(site) {
                break;
            }
        }
        self.enter_bus(site);
        for rank in ranks {
            if self.has_begun(rank) {
                self.take_unasked(rank);
                self.count_cycle(rank);
            }
        }
        std::mem::take(&mut self.sites[site].generated)
    }

    fn has_begun(&self, rank: usize) -> bool {
        self.all[rank].begin_cycle <= self.now
    }

    /// Step 1: what was delivered is noticed.
    fn notice(&mut self, site: usize) {
        for cargo in std::mem::take(&mut self.sites[site].delivered) {
            match cargo {
                Cargo::Acknowledgement(of) => self.is_acknowledged(site, of),
                Cargo::Refusal(of) => self.is_refused(site, of),
                Cargo::Data(load) if self.messaging.bus_bytes_per_cycle.is_some() => {
                    self.sites[site].interface.came.push_back(load);
                }
                Cargo::Data(load) => self.store(site, load),
            }
        }
    }

    /// And so is what left, if nobody acknowledges it.
    fn notice_left(&mut self, site: usize) {
        for load in std::mem::take(&mut self.sites[site].left) {
            if self.messaging.acknowledged == Acknowledged::No {
                self.ends_send(site, load);
            }
        }
    }

    /// A cycle counts as what the processors do from it on: several, as the first of these that any does.
    fn count_cycle(&mut self, rank: usize) {
        let own = &mut self.all[rank];
        let interface = &self.sites[own.site].interface;
        let account = &mut own.account;
        if own.processor.unfinished == 0 {
            own.finish_cycle.get_or_insert(self.now);
            return;
        }
        let is_unacknowledged = interface.unacknowledged > 0 || !interface.refused.is_empty();
        let processor = &own.processor;
        let work_on = |what: Asking| match what {
            Asking::Task(number) => match processor.work(number) {
                Work::Compute { .. } | Work::Until { .. } => "computing",
                Work::Send { .. } => "sending",
                Work::Receive { .. } | Work::Join => "receiving",
            },
            Asking::Answer(_, Part::Whole) | Asking::Packet(..) => "sending",
            Asking::Answer(..) | Asking::Take => "receiving",
        };
        let current = processor.cores.iter().filter_map(|core| core.current);
        let done: BTreeSet<&str> = current.map(|(what, _)| work_on(what)).collect();
        *if done.contains("computing") {
            &mut account.computing_cycles
        } else if done.contains("sending") {
            &mut account.sending_cycles
        } else if done.contains("receiving") {
            &mut account.receiving_cycles
        } else if is_unacknowledged {
            &mut account.waiting_acknowledgement_cycles
        } else {
            &mut account.waiting_packet_cycles
        } += 1;
    }

    /// Counts the ranks.
    pub fn rank_count(&self) -> usize {
        self.all.len()
    }

    /// Tells whether all tasks of all ranks that anybody waits for are over.
    pub fn is_finished(&self) -> bool {
        let mut awaited = self.all.iter().filter(|rank| rank.is_awaited);
        awaited.all(|rank| rank.finish_cycle.is_some())
    }

    /// The cycle in which a rank's last task was over.
    pub fn finish_cycle(&self, rank: u32) -> Option<u64> {
        self.all[rank as usize].finish_cycle
    }

    /// Where a rank's time went so far.
    pub fn account(&self, rank: u32) -> Account {
        self.all[rank as usize].account
    }

    /// The numbers of messages sent and received so far, those to the own rank included.
    pub fn message_counts(&self) -> (u64, u64) {
        (self.messages.len() as u64, self.received_messages)
    }

    /// Tells whether packets are on their way or hosts have something to do.
    pub fn is_under_way(&self) -> bool {
        let is_waiting = |rank: &Rank| {
            let is_to_begin = rank.begin_cycle > self.now;
            let is_told = !rank.told.is_empty();
            is_to_begin || is_told || rank.processor.is_active() || rank.inside.is_active()
        };
        let is_active = |site: &Site| {
            let is_noticing = !site.delivered.is_empty() || !site.left.is_empty();
            is_noticing || !site.from_others.is_empty() || site.interface.is_active()
        };
        !self.on_their_way.is_empty()
            || self.all.iter().any(is_waiting)
            || self.sites.iter().any(is_active)
    }

    /// Of each rank, the first task that has begun and waits for others to end.
    pub fn blocked(&self) -> Vec<Blocked> {
        let first_of = |own: &Rank| {
            let rank = own.number;
            let is_blocked = |number: usize, work| match work {
                Work::Receive { .. } => own.mailbox.posted.contains(&number),
                Work::Send { .. } => true,
                Work::Compute { .. } | Work::Until { .. } | Work::Join => false,
            };
            let begun = own.processor.begun();
            let mut blocked = begun.filter(|&(number, task)| is_blocked(number, task.work));
            blocked.next().map(|(_, task)| Blocked { rank, task })
        };
        self.all.iter().filter_map(first_of).collect()
    }

    /// The messages that were seen and nobody received, as (sender, receiver, tag).
    pub fn unclaimed(&self) -> Vec<(u32, u32, u32)> {
        let seen = self.all.iter().flat_map(|rank| &rank.mailbox.waiting);
        let named = seen.map(|&message| {
            let Message { from, to, tag, .. } = self.messages[message];
            (self.all[from].number, self.all[to].number, tag)
        });
        named.collect()
    }
}

/// The nearest whole number of cycles, halves up, of a time that is not negative.
fn nearest(cycles: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are not negative; one that is too long never ends"
    )]
    {
        (cycles + 0.5).floor() as u64
    }
}
