//! Programs: messages that depend on one another and on the time hosts compute.
//!
//! A program has *ranks*, each on a host, and each rank has *tasks*: to compute, to send
//! a message, to receive one, or nothing ([`Work`]). A task waits for others of its rank
//! ([`Dependency`]) and may begin when all those moments have come. What the network does decides
//! when messages arrive; what ranks do then is said here, to the cycle. Each engine owns an
//! [`Execution`], which does it, and keeps to the two rules of *Time*; the oracle has one of its own.
//!
//! # Time
//! * Hosts act at the beginning of a cycle, in the phase in which packets are generated. A packet
//!   they generate in `t` has generation cycle `t` and may leave in `t`.
//! * A packet delivered in cycle `t` is noticed by its host in `t + 1`, so that what it causes is
//!   generated after the cycle it was delivered in.
//!
//! Hosts touch one another through packets, and what is [sent inside a node](#nodes), alone: the order in
//! which those of one cycle act does not matter. One host, in one cycle, in this order, each rank in the order
//! of their numbers where it says so:
//!
//! 1. notices the packet delivered in the cycle before, then those that left its queue pairs, then, rank by
//!    rank, what [other adapters](#adapters) told it in the cycle before, by their numbers among all hosts, what is
//!    there from inside the node, and what has left for it;
//! 2. lets what is across the bus leave it: a packet that came is stored, one to be sent generated;
//! 3. generates the acknowledgements and refusals that are due, and hands its NIC what is to be sent again, and what
//!    ranks of other hosts handed it in the cycle before, by the numbers of these;
//! 4. runs the processors of each rank: what may begin now begins, else the first processor that can goes on: what
//!    it does ends if that is now, or it takes what asks for it; until nothing changes;
//! 5. lets its NIC take packets; if that ends a task, it goes on at 4;
//! 6. lets the next packet onto the bus;
//! 7. takes, rank by rank, what no receive asks for, if the first processor has nothing to do.
//!
//! A rank begins in a cycle of its own, by default the first; before that its processors do nothing, and none of
//! its time is counted.
//!
//! # The processors
//! A rank has as many processors as its tasks name, by numbers from 0; most name one. Each does one thing at a
//! time: computing, the overhead of sending, or that of receiving, none of which is interrupted; several work side
//! by side. What asks for a processor waits in a queue of its own, first come, first served; what comes at the same
//! time, in the order in which it became possible, where tasks that wait for the same moment follow each other by
//! number. A message is received, and called for, by the processor of its receive, and sent, once it was called
//! for, by that of its send.
//!
//! A moment of a rank's time counts once: as computing if any of its processors computes, otherwise as sending if
//! any sends, otherwise as receiving if any receives, and as waiting if none does anything.
//!
//! | task | asks for the processor | starts | ends |
//! |---|---|---|---|
//! | compute | when it may begin | with it | with it |
//! | send, eager | when it may begin | with its overhead | with its overhead |
//! | send, longer or `blocking` | when it may begin | with its overhead | when its last packet is acknowledged; without acknowledgements, generated or, [with queue pairs](#queue-pairs), taken for the link |
//! | receive | when its message is there | when it may begin: it is *posted* | with its overhead |
//! | join | never | when it may begin | when it may begin |
//!
//! # Messages
//! After the overhead of sending, a message up to `eager_bytes` is handed to the host's NIC as it
//! is. For a longer one an announcement of `control_bytes` is; it is sent when the call for it, as
//! long, has come back, which its receiver hands to its NIC when announcement and receive have found
//! each other, without the processor. A message to the own rank is there, and its send over, at once.
//!
//! # Nodes
//! Several ranks may be on one host: they share its NIC, its bus and its queue pairs, in whatever order they hand
//! things over. A host is a *node*, or several are one: a machine with several adapters. A message to another
//! rank of the node does not use the network, is not announced, acknowledged or refused: after the overhead of
//! sending it leaves the rank, behind those it sent before inside the node, at `inner_bytes_per_cycle`, in the
//! nearest whole number of cycles, and the send is over when it has left. It is there `inner` later, but not
//! before the next cycle. Of those that are there in one cycle, the order is that of their senders, then that of
//! sending.
//!
//! # Adapters
//! A rank may send and receive by several hosts, the adapters of its machine, of which the first is its own. All that
//! is sent because of a message, from announcement to acknowledgement, goes from the adapter of its sender that the
//! number of the send (`nic`) tells, round the end where there are fewer, to that of its receiver that it tells. In a
//! collective operation the number is that of the channel or, in an exchange without channels, that of the ranks from
//! sender to receiver. What a rank hands an adapter on another host than its own, that one takes in the cycle after,
//! and what happens there the rank is told in the cycle after: that a message, its announcement or the call for it is
//! stored, or some packets of it are, and that a send is over. Ranks that share an adapter share all.
//!
//! # The NIC
//! The NIC sends what it is handed one after another, or [in turn](#queue-pairs), each in packets of `packet_bytes`, the last
//! of them with the rest; nothing at all is one packet without payload. With *ack-wait*
//! (`acknowledged=1`) it *takes* a packet when all it took before, be it of other messages to other
//! hosts, were acknowledged, `next_packet` after the last acknowledgement was noticed; without
//! acknowledgements (0) and with *no-ack-wait* (2) at once. A packet counts as not acknowledged from the
//! cycle it was taken in.
//!
//! A packet of a message of up to `pio_bytes` was written to the NIC by the processor, as part of the
//! overhead of sending (*PIO*): it is generated in the cycle it is taken in. One of a longer message
//! is fetched from the host's memory (*PUSH*): `push_packet` after it was taken it asks for the host's
//! *bus*, and it is generated when it is across; until then the NIC takes no other. A packet that is
//! noticed crosses the bus, too, acknowledgements excepted, and is *stored* then. The bus carries one
//! packet at a time, in the nearest whole number of cycles that its payload takes, at least one;
//! those that came, in the order in which they did; where one is to leave and another has come, one of
//! the other kind than that which crossed last, at the beginning the one that has come. Without a bus,
//! all cross in no time. Whether announcement and call are fetched is decided by their own length.
//!
//! The acknowledgement of a packet, a packet of `acknowledgement_bytes` that needs none itself, is
//! generated `acknowledge` after the packet was stored. It is a packet of *control*: hardware with lanes
//! for such sends it there.
//!
//! # Queue pairs
//! Without `quantum_bytes` a host has one queue for all that it sends. With it, it has a *queue pair* for each
//! host that it sends to, and another one for what is *urgent* where control goes first (`control_first`):
//! announcements, calls, acknowledgements, refusals, and messages without bytes. Where sends name several (`nic`), each
//! of these to a host is several, by that number: a message, its announcement, the call for it and all
//! acknowledgements of them take those with the number of its send. Messages that take one queue pair keep
//! their order.
//!
//! Queue pairs that hold something stand in a *line*, urgent ones in one of their own. Where something can be
//! taken, it is from the first in the line of urgent ones or, where that is empty, in the other. A *turn* is over
//! when `quantum_bytes` or more were taken in it, in whole packets (of payload; a packet without any counts as a
//! byte); a queue pair whose turn is over goes to the end of its line just before something is taken from
//! that line again. One that holds nothing leaves the line, and joins it at the end when it gets something: it is
//! passed over in no time.
//!
//! There are such lines in two places. One is before the NIC: it takes a packet of the queue pair that is first
//! or, where packets are neither fetched nor wait for acknowledgements, all that is left of its message; so turns
//! count there where there is a bus, or ack-wait. The other is behind it: packets that were generated, those of
//! acknowledgements too, wait in queue pairs for the link. When one is taken there, the hardware says:
//! [cut-through](crate::cut_through) hardware when a lane has none in front, wormhole hardware when a NIC takes
//! its next local packet. Without acknowledgements
//! a send that waits for its last packet is over in the cycle after that packet is taken there. Packets sent again after a loss, and those in transit, are in no queue pair.
//!
//! What traffic generates, and what is listed, has no messages: it is one queue, as that of datagrams to any host.
//!
//! # Room
//! With `receive_messages` a rank has room for so many messages and announcements that are stored whole and
//! that its processors have not taken. They take one with the overhead of receiving it, an announcement when
//! the call is handed to the NIC; those that no receive asks for the first takes as soon as it has nothing else to do.
//! One that finds no room is *refused* as a whole: a packet like the acknowledgement, in place of that of its
//! last packet if there is one, goes back, and `resend` after it was noticed the message is handed to the NIC
//! again. One is refused, too, while another that the same rank sent before it was not stored, so that
//! messages between two ranks find room in the order in which they were sent, and what has room never waits
//! for what has none. As the first processor is done with what it does at some time, each finds room in the end.
//! Calls, and messages that were called for, need none.
//!
//! # Who receives what
//! Messages of one rank to another are *seen*, when all their packets (or those of the announcement)
//! are stored, in the order in which they were handed to the NIC: one that overtakes another waits
//! for it. A message seen goes to the first receive posted, in the order of posting, that asks for
//! its rank and tag; without one it waits, and a receive that is posted takes the first in the order
//! of being seen that it asks for. This is the rule of MPI. Lengths do not have to agree.

mod aggregated;
mod background;
mod collective;
mod error;
mod execution;
mod graph;
mod group_operation;
mod messaging;
mod messaging_parameters;
mod pending;
mod placement;
mod process;
mod task;
mod task_source;
mod trace;
mod transfers;
mod unicast;

pub use aggregated::aggregated;
pub use background::Background;
pub use collective::{Algorithms, COLLECTIVES, Collective, CollectiveEntry};
pub use error::ProgramError;
pub use execution::{
    Account, Activity, Announcements, Blocked, Execution, MessageSpan, Place, RankState, StateSpan,
    States, Timeline, TimelineLimits, Unmatched,
};
pub use graph::TaskGraph;
pub use messaging::{Messaging, Overhead};
pub use messaging_parameters::{Acknowledged, MESSAGING, MessagingParameters};
pub use task::{Dependency, Moment, Task, Work};
pub use task_source::Tasks;
pub use trace::{
    Action, Computing, ExecutionTrace, Region, RegionError, TimeIndependentReader, Trace,
    TraceError, TraceFile, open_trace, read_binary_goal, read_goal, write_goal,
};
pub use transfers::transfers;
pub use unicast::{Multicast, MulticastError, Tree, Unicasts, unicasts};

use placement::Placement;
use std::collections::BTreeMap;
use std::sync::Arc;
use task_source::TaskStream;
use weft_fabric::HostId;

/// The longest message, or one rank's data in a collective operation: 2^31 numbers of 8 bytes, as
/// many as a call of MPI can count. Beyond, a unit was mistaken.
pub const MOST_MESSAGE_BYTES: u64 = 1 << 34;

/// The longest time to compute at once: 10,000 s. Beyond, a unit was mistaken.
pub const MOST_COMPUTE_NS: f64 = 1e13;

/// Ranks, their tasks, their hosts, and the messaging layer between them and the network.
#[derive(Clone, Debug)]
pub struct Program {
    tasks: Tasks,
    messaging: Messaging,
    placement: Arc<Placement>,
    /// Per rank: the cycle it begins in.
    begin_cycles: Vec<u64>,
    timeline: Option<TimelineLimits>,
}

impl Program {
    /// Places ranks on hosts: rank `i` on the `i`-th of `hosts`. Several may be on one.
    ///
    /// # Errors
    /// [`ProgramError::PlaceCount`] and [`ProgramError::UnknownHost`].
    pub fn new(
        tasks: impl Into<Tasks>,
        messaging: Messaging,
        hosts: &[HostId],
        host_count: usize,
    ) -> Result<Self, ProgramError> {
        let tasks = tasks.into().combining(messaging.reduce_byte_ns);
        let rank_count = tasks.rank_count();
        Ok(Self {
            placement: Arc::new(Placement::new(rank_count, hosts, host_count)?),
            begin_cycles: vec![0; rank_count],
            tasks,
            messaging,
            timeline: None,
        })
    }

    /// Puts hosts into nodes, the number of each one's by its own; by default each is one by itself.
    ///
    /// # Errors
    /// [`ProgramError::NodeCount`].
    pub fn with_nodes(mut self, nodes: &[u32]) -> Result<Self, ProgramError> {
        Arc::make_mut(&mut self.placement).in_nodes(nodes)?;
        Ok(self)
    }

    /// Lets ranks send and receive by several [adapters](self#adapters): the hosts of each, of which the first is its
    /// own. By default each has its own alone.
    ///
    /// # Errors
    /// [`ProgramError::AdapterCount`], [`ProgramError::OtherFirstAdapter`], [`ProgramError::UnknownHost`],
    /// [`ProgramError::SharedAdapter`] and [`ProgramError::RoomByAdapters`].
    pub fn with_adapters(mut self, adapters: &[Vec<HostId>]) -> Result<Self, ProgramError> {
        if let Some(found) = self.messaging.receive_messages {
            return Err(ProgramError::RoomByAdapters { found });
        }
        let is_apart = |rank| self.tasks.is_background(rank);
        Arc::make_mut(&mut self.placement).by_adapters(adapters, is_apart)?;
        Ok(self)
    }

    /// Lets each rank begin in some cycle; by default all begin in cycle 0.
    ///
    /// # Errors
    /// [`ProgramError::BeginCount`].
    pub fn with_begins(mut self, cycles: Vec<u64>) -> Result<Self, ProgramError> {
        let ranks = self.rank_count();
        if cycles.len() != ranks {
            return Err(ProgramError::BeginCount {
                found: cycles.len(),
                ranks,
            });
        }
        self.begin_cycles = cycles;
        Ok(self)
    }

    /// Lets executions keep a timeline; by default they keep none.
    #[must_use]
    pub fn with_timeline(mut self, limits: Option<TimelineLimits>) -> Self {
        self.timeline = limits;
        self
    }

    /// The number of ranks.
    pub fn rank_count(&self) -> usize {
        self.placement.rank_count()
    }

    /// The host of a rank.
    pub fn host(&self, rank: u32) -> HostId {
        self.placement.host(rank)
    }

    /// The host by which a rank sends and receives what has the number of this queue pair.
    pub fn adapter(&self, rank: u32, nic: u8) -> HostId {
        self.placement.adapter(rank, nic)
    }

    /// The hosts that a rank sends and receives by, first its own.
    pub fn adapters(&self, rank: u32) -> &[HostId] {
        self.placement.adapters(rank)
    }

    /// The ranks on a host, in ascending order.
    pub fn ranks_on(&self, host: HostId) -> &[u32] {
        let place = self.placement.place_on(host);
        place.map_or(&[], |place| self.placement.ranks(place))
    }

    /// Whether two ranks are on one host, or on hosts of one node.
    pub fn are_neighbours(&self, one: u32, other: u32) -> bool {
        self.placement.are_neighbours(one, other)
    }

    /// The cycle in which a rank begins.
    pub fn begin_cycle(&self, rank: u32) -> u64 {
        self.begin_cycles[rank as usize]
    }

    /// Its collective operations; see [`Tasks::collectives`].
    pub fn collectives(&self) -> BTreeMap<(&'static str, String), u64> {
        self.tasks.collectives()
    }

    /// The messaging layer between ranks and network.
    pub fn messaging(&self) -> &Messaging {
        &self.messaging
    }

    /// The first tasks of a rank, each with what it waits for: all, or as many as one asks for.
    pub fn tasks(&self, rank: u32, most: usize) -> Vec<(Task, Vec<Dependency>)> {
        let mut stream = TaskStream::default();
        let next = || {
            let mut dependencies = Vec::new();
            let task = self.next_task(rank, &mut stream, &mut dependencies)?;
            Some((task, dependencies))
        };
        std::iter::from_fn(next).take(most).collect()
    }

    /// Whether nobody waits for a rank's end: that of traffic beside jobs.
    pub fn is_background(&self, rank: u32) -> bool {
        self.tasks.is_background(rank)
    }

    pub(super) fn most_payload_bytes(&self) -> u32 {
        self.messaging.most_payload_bytes()
    }

    /// Takes a rank's next task, and puts what it waits for into `dependencies`.
    fn next_task(
        &self,
        rank: u32,
        stream: &mut TaskStream,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        let mut task = self.tasks.next_task(rank, stream, dependencies)?;
        task.nic = task_source::nic_among(&task, self.placement.adapters(rank).len());
        Some(task)
    }

    /// The first rank of the job that a rank is of: 0 where there is one program alone.
    pub fn first_rank_of_job(&self, rank: u32) -> u32 {
        self.tasks.first_rank_of_job(rank)
    }

    /// The file that a rank's tasks come from; empty where there is none.
    pub fn file(&self, rank: u32) -> &str {
        self.tasks.file(rank)
    }

    /// The names of a rank's actions by their lines, in ascending order; none of a graph. Actions that
    /// come from no file have line 0 all.
    pub fn actions(&self, rank: u32) -> Vec<(u32, &'static str)> {
        self.tasks.actions(rank)
    }

    /// The line of a task of a graph; 0 where there is none, and of a trace, in which every message has
    /// its receive.
    pub fn line(&self, rank: u32, task: u64) -> u32 {
        self.tasks.line(rank, task)
    }
}
