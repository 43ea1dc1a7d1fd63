//! Programs, from their beginning to their end, in ns and bytes.

use crate::machine::Task;
use crate::timeline::{Names, Timeline, TimelineDetail};
use crate::{Error, Network, OfferedTraffic};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use weft_engine::run::{self, ReplayEnd, ReplayLimits, ReplayProgress, RunError};
use weft_engine::{Simulator, WaitingPacket};
use weft_fabric::{Fabric, HostId};
use weft_model::hardware::Hardware;
use weft_model::workload::program::{
    Account, Background, Messaging, MessagingParameters, Program, ProgramError, Tasks,
};
use weft_model::workload::{Execution, Workload};

/// What a program did on a network. Times are ns.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// How it ended.
    pub end: ReplayEnd,
    /// Lanes of a channel that are told one by one in [`waiting_cycle`](Self::waiting_cycle).
    pub lane_count: usize,
    /// Simulated time.
    pub simulated_ns: f64,
    /// Work of the engine, which is as its processor time: events, and 20 for each message received.
    pub work: u64,
    /// Per rank: the packets of messages that it received from others.
    pub received_packets: Vec<u64>,
    /// When half of the most work was done; NaN where it did not come to that.
    pub halfway_ns: f64,
    /// Per rank: the packets received until then; empty where it did not come to that.
    pub halfway_packets: Vec<u64>,
    /// What each rank did with its time.
    pub ranks: Vec<RankTimes>,
    /// Messages that were sent.
    pub sent_messages: u64,
    /// Messages that were received.
    pub received_messages: u64,
    /// Packets delivered, acknowledgements included.
    pub delivered_packets: u64,
    /// Payload of these.
    pub payload_bytes: u64,
    /// Mean of their latency from generation; NaN without packets.
    pub mean_latency_ns: f64,
    /// The largest.
    pub max_latency_ns: f64,
    /// Switches they traversed on average; NaN without packets.
    pub mean_switches: f64,
    /// Attempts that failed.
    pub lost_packets: u64,
    /// Share of the packets delivered that others of their source and destination overtook; NaN where packets do not
    /// choose on their way, and without packets.
    pub out_of_order_share: f64,
    /// By how many one was overtaken at most.
    pub out_of_order_distance: u32,
    /// Messages that were announced, longer than is sent at once.
    pub announced_messages: u64,
    /// Mean time that those of them that were called for waited for that; NaN without any.
    pub mean_announced_wait_ns: f64,
    /// What the ranks that are not finished wait in.
    pub blocked: Vec<WaitingTask>,
    /// The collective operations, by name and algorithm, each with how often all ranks called it.
    pub collectives: BTreeMap<(&'static str, String), u64>,
    /// Messages that nobody received, nor ever will; not told where the network deadlocked.
    pub unclaimed: Vec<UnclaimedMessage>,
    /// What ranks did and which messages went when, where that was asked for.
    pub timeline: Option<Timeline>,
    /// Per channel: time in which it carried flits.
    pub channel_busy_ns: Vec<f64>,
    /// Per channel: time in which what it was given to could not go on.
    pub channel_blocked_ns: Vec<f64>,
}

/// What of a program, and what beside it, is simulated.
#[derive(Clone, Debug, Default)]
pub struct Replaying {
    /// Per host: the number of its node, whose ranks do not use the network among themselves; each is one by
    /// itself if none.
    pub nodes: Option<Vec<u32>>,
    /// Per rank: the hosts that it sends and receives by, first its own; each has its own alone if empty.
    pub adapters: Vec<Vec<HostId>>,
    /// Per rank: when it begins, in ns; all at once at 0 if empty.
    pub begin_ns: Vec<f64>,
    /// Traffic beside the ranks, each of its packets a message.
    pub background: Option<OfferedTraffic>,
    /// When it is ended at the latest, in ns.
    pub most_ns: Option<f64>,
    /// It is ended after so much work, see [`Replayed::work`], or a moment later.
    pub most_work: Option<u64>,
    /// Keep a timeline.
    pub timeline: Option<TimelineDetail>,
}

/// What a rank did with its time, in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankTimes {
    /// When it finished; NaN where it did not.
    pub finish_ns: f64,
    /// Computing.
    pub computing_ns: f64,
    /// Overhead of sending.
    pub sending_ns: f64,
    /// Overhead of receiving.
    pub receiving_ns: f64,
    /// Idle, with a packet not acknowledged.
    pub waiting_acknowledgement_ns: f64,
    /// Idle otherwise.
    pub waiting_packet_ns: f64,
}

/// A task that a rank waits in for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingTask {
    /// The rank.
    pub rank: u32,
    /// What it does, in words; other ranks have their numbers in its job.
    pub work: String,
    /// File it was read from; empty of a program that was made.
    pub file: String,
    /// Line there.
    pub line: u32,
}

/// A message that nobody received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclaimedMessage {
    /// Rank that sent it.
    pub from: u32,
    /// Rank it went to.
    pub to: u32,
    /// Its tag.
    pub tag: u32,
    /// Its length.
    pub bytes: u64,
    /// File of its send; empty of a program that was made.
    pub file: String,
    /// Line there; 0 where there is none.
    pub line: u32,
}

impl Replayed {
    /// How the program ended, in a word.
    pub fn end_name(&self) -> &'static str {
        match self.end {
            ReplayEnd::Finished => "finished",
            ReplayEnd::Blocked => "blocked",
            ReplayEnd::Deadlocked(_) => "deadlocked",
            ReplayEnd::Stopped => "stopped",
        }
    }

    /// Packets that wait for one another; none unless the network deadlocked.
    pub fn waiting_cycle(&self) -> &[WaitingPacket] {
        match &self.end {
            ReplayEnd::Deadlocked(packets) => packets,
            ReplayEnd::Finished | ReplayEnd::Blocked | ReplayEnd::Stopped => &[],
        }
    }
}

/// The messaging layer of a hardware's hosts, with changes by name.
///
/// # Errors
/// [`ProgramError`] for a name that is none, or a value out of range.
pub fn messaging(
    hardware: &Hardware,
    changes: &BTreeMap<String, f64>,
) -> Result<MessagingParameters, ProgramError> {
    let mut parameters = hardware.messaging();
    for (name, &value) in changes {
        parameters.set(name, &value.to_string())?;
    }
    Ok(parameters)
}

struct Running<'a> {
    fabric: &'a Fabric,
    cycle_ns: f64,
    program: &'a Program,
    limits: ReplayLimits,
    on_progress: &'a mut dyn FnMut(ReplayProgress) -> ControlFlow<()>,
}

impl Task for Running<'_> {
    type Outcome = Replayed;

    fn run(self, simulator: &mut impl Simulator) -> Result<Replayed, RunError> {
        let found = run::replay(simulator, self.limits, self.on_progress)?;
        let now = simulator.now();
        let execution = simulator.execution().ok_or(RunError::NoProgram)?;
        let ns = |cycles: u64| cycles as f64 * self.cycle_ns;
        let busy = |channel| ns(simulator.channel_use(channel).busy_cycles);
        let blocked = |channel| ns(simulator.channel_use(channel).blocked_cycles);
        let (sent_messages, received_messages) = execution.message_counts();
        let announcements = execution.announcements();
        let ranks = (0..).take(self.program.rank_count());
        let ranks = ranks.filter(|&rank| !self.program.is_background(rank));
        let own = |packets: &[u64]| -> Vec<u64> {
            let ranks = ranks.clone();
            ranks.map(|rank| packets[rank as usize]).collect()
        };
        let halfway = found.halfway.as_ref();
        let halfway_packets = halfway.map(|progress| own(&progress.received_packets));
        let unclaimed = match found.end {
            // What is under way may have its receive.
            ReplayEnd::Deadlocked(_) | ReplayEnd::Stopped => Vec::new(),
            ReplayEnd::Finished | ReplayEnd::Blocked => self.unclaimed(execution),
        };
        Ok(Replayed {
            end: found.end,
            collectives: self.program.collectives(),
            lane_count: usize::from(simulator.lane_count()),
            simulated_ns: ns(now),
            work: found.work,
            received_packets: own(execution.received_packets()),
            halfway_ns: halfway.map_or(f64::NAN, |progress| ns(progress.cycle)),
            halfway_packets: halfway_packets.unwrap_or_default(),
            ranks: ranks
                .clone()
                .map(|rank| rank_times(execution, rank, now, ns))
                .collect(),
            sent_messages,
            received_messages,
            delivered_packets: found.delivered_packets,
            payload_bytes: found.payload_bytes,
            mean_latency_ns: found.mean_latency_cycles * self.cycle_ns,
            max_latency_ns: ns(found.max_latency_cycles),
            mean_switches: found.mean_switches,
            lost_packets: found.lost_packets,
            out_of_order_share: found.out_of_order_share,
            out_of_order_distance: found.out_of_order_distance,
            announced_messages: announcements.announced_messages,
            mean_announced_wait_ns: ns(announcements.waiting_cycles)
                / announcements.called_messages as f64,
            blocked: self.blocked(execution),
            unclaimed,
            timeline: Timeline::of(self.program, execution, now, self.cycle_ns),
            channel_busy_ns: self.fabric.channel_ids().map(busy).collect(),
            channel_blocked_ns: self.fabric.channel_ids().map(blocked).collect(),
        })
    }
}

impl Running<'_> {
    fn blocked(&self, execution: &Execution) -> Vec<WaitingTask> {
        let blocked = execution.blocked().into_iter();
        let blocked = blocked.filter(|found| !self.program.is_background(found.rank));
        let mut names = Names::default();
        let told = blocked.map(|found| WaitingTask {
            rank: found.rank,
            work: names.work(self.program, found.rank, found.task),
            file: self.program.file(found.rank).to_owned(),
            line: found.task.line,
        });
        told.collect()
    }

    fn unclaimed(&self, execution: &Execution) -> Vec<UnclaimedMessage> {
        let unmatched = execution.unmatched().into_iter();
        let unmatched = unmatched.filter(|found| !self.program.is_background(found.from));
        let told = unmatched.map(|found| UnclaimedMessage {
            from: found.from,
            to: found.to,
            tag: found.tag,
            bytes: found.bytes,
            file: self.program.file(found.from).to_owned(),
            line: self.program.line(found.from, found.send),
        });
        told.collect()
    }
}

fn rank_times(execution: &Execution, rank: u32, now: u64, ns: impl Fn(u64) -> f64) -> RankTimes {
    let account: Account = execution.account(rank, now);
    RankTimes {
        finish_ns: execution.finish_cycle(rank).map_or(f64::NAN, &ns),
        computing_ns: ns(account.computing_cycles),
        sending_ns: ns(account.sending_cycles),
        receiving_ns: ns(account.receiving_cycles),
        waiting_acknowledgement_ns: ns(account.waiting_acknowledgement_cycles),
        waiting_packet_ns: ns(account.waiting_packet_cycles),
    }
}

impl Network<'_> {
    /// Simulates tasks of ranks on hosts until all of them are over or never will be, and keeps a timeline where
    /// that is asked for. `on_progress` is called after every 10 ms or so of work and ends the run with
    /// `ControlFlow::Break`.
    ///
    /// # Errors
    /// [`Error::Program`] when ranks, hosts and messaging layer do not fit; [`Error::Traffic`] when there can be no
    /// such traffic beside them; [`Error::Wormhole`], [`Error::CutThrough`] and [`Error::Routing`] when routes and
    /// hardware do not; [`Error::Run`] when `on_progress` breaks.
    pub fn replay(
        &self,
        tasks: impl Into<Tasks>,
        messaging: &MessagingParameters,
        hosts: &[HostId],
        asked: &Replaying,
        on_progress: &mut dyn FnMut(ReplayProgress) -> ControlFlow<()>,
    ) -> Result<Replayed, Error> {
        let cycle_ns = self.machine.cycle_ns();
        let messaging = Messaging::new(messaging, cycle_ns)?;
        let (mut tasks, mut hosts) = (tasks.into(), hosts.to_vec());
        let cycles = |ns: f64| cycles_of(ns, cycle_ns);
        let mut begins: Vec<u64> = asked.begin_ns.iter().copied().map(cycles).collect();
        if begins.is_empty() {
            begins.resize(tasks.rank_count(), 0);
        }
        let mut adapters = asked.adapters.clone();
        if let Some(offered) = &asked.background {
            let traffic = offered.on(self.fabric(), &self.machine)?;
            let background = Background::new(traffic);
            tasks = Tasks::of_jobs(vec![tasks, background.into()]);
            // A rank on each host that sends, and one that receives.
            let both = || self.fabric().host_ids().chain(self.fabric().host_ids());
            hosts.extend(both());
            if !adapters.is_empty() {
                adapters.extend(both().map(|host| vec![host]));
            }
            begins.resize(hosts.len(), 0);
        }
        let program = Program::new(tasks, messaging, &hosts, self.fabric().host_count())?;
        let mut program = program.with_begins(begins)?;
        if !adapters.is_empty() {
            program = program.with_adapters(&adapters)?;
        }
        if let Some(nodes) = &asked.nodes {
            program = program.with_nodes(nodes)?;
        }
        let limits = asked.timeline.map(|detail| detail.limits(cycle_ns));
        let workload = Workload::Program(program.with_timeline(limits));
        let Workload::Program(program) = &workload else {
            unreachable!("it was made a program in the line above")
        };
        let task = Running {
            fabric: self.fabric(),
            cycle_ns,
            program,
            limits: ReplayLimits {
                most_cycles: asked.most_ns.map_or(u64::MAX, cycles),
                most_work: asked.most_work.unwrap_or(u64::MAX),
            },
            on_progress,
        };
        self.on_engine(&workload, task)
    }
}

/// The nearest whole number of cycles; the highest there is of what is longer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a number out of range is the nearest in range"
)]
fn cycles_of(ns: f64, cycle_ns: f64) -> u64 {
    (ns / cycle_ns).round() as u64
}
