//! From old tables to new while hosts go on sending: an order of writes by which packets of old entries, of
//! new ones and of any mixture never wait for one another in a circle.

mod addresses;
mod by_trees;
mod candidates;
mod certain_turns;
mod certain_ways;
mod changes_done;
mod classics;
mod dead_ends;
mod draining_order;
mod edge;
mod joint;
mod lane_choice;
mod management;
mod mixtures;
mod no_order;
mod obstructions;
mod one_change;
mod phase;
mod planner;
mod reasons;
mod removal;
mod searched_order;
mod senders;
mod side;
mod single_changes;
mod spanning_trees;
mod standing_ways;
mod undrained;
mod witnesses;

pub use classics::{Classic, ClassicMethod, classics};
pub use obstructions::obstructions;

use crate::form::{ForwardingTables, Lane};
use crate::progress::Progress;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};

/// A transition cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum TransitionError {
    /// More lanes than service levels.
    #[error(
        "tables have {found} lanes; a transition is planned between tables of at most 16, as many as there are service levels"
    )]
    Lanes { found: u8 },
    /// Service levels on more lanes than are kept.
    #[error(
        "switches give packets more than 64 pairs of a service level and a lane, by old tables and new together, which \
         no plan is made for; route with fewer lanes"
    )]
    Levels,
    /// Packets of a pair take several service levels in turn.
    #[error(
        "tables have packets of a pair take several service levels in turn, which no plan is made for; route with \
         one level to a pair"
    )]
    Turns,
    /// The new tables can deadlock.
    #[error("packets can deadlock with the new tables; prove them to see how")]
    Deadlock,
    /// The new tables do not lead somewhere.
    #[error("the new tables do not lead from switch “{from}” to “{to}”")]
    NotReached { from: String, to: String },
    /// A port has another cable.
    #[error(
        "port {port} of switch “{switch}” has another cable than before; take it out of the fabric first, \
         and put it in afterwards"
    )]
    OtherCable { switch: String, port: PortNumber },
    /// The fabrics are two networks.
    #[error(
        "“{before}” and “{after}” have no {what} of one name (“{was}” is in the one, “{is}” in the other), by which a \
         plan knows what they have in common; give what the network was before, or leave it out if it was the same"
    )]
    Unrelated {
        before: String,
        after: String,
        what: &'static str,
        was: String,
        is: String,
    },
}

/// How to get from old tables to new.
///
/// Phases follow one another, each once all packets have left the network that were on their way when the
/// last step of the one before was done: [`Phase::most_switches`] tells what that takes. Entries are named
/// by switches of the fabric that is left, and by [`addresses`](Self::addresses).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitionPlan {
    /// The addresses of both tables.
    pub addresses: Vec<PlannedAddress>,
    /// Lanes of each channel.
    pub lane_count: u8,
    /// When hosts are told new service levels.
    pub levels: LevelChange,
    /// What is done.
    pub phases: Vec<Phase>,
    /// The spanning trees that packets go by in between; `None` where each entry is what the old tables say until it is what
    /// the new ones say.
    pub by_trees: Option<ByTrees>,
}

/// Spanning trees that packets go by for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByTrees {
    /// How many, one after the other.
    pub count: usize,
    /// The most ordered pairs of hosts of different switches whose way is over one channel of a tree.
    pub most_pairs: u64,
    /// The service level by which hosts send while packets go by them, on the lane of that number.
    pub level: u8,
}

/// An address that entries are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedAddress {
    /// The name of its switch, or of its host.
    pub destination: String,
    /// Which of the addresses of that it is.
    pub alias: u8,
    /// Whether it is cleared on the way: between [`Change::Clear`] and [`Change::Set`] packets to it are
    /// dropped.
    pub is_drained: bool,
}

/// When the subnet administration tells hosts new service levels and addresses, where any change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelChange {
    /// There are none.
    None,
    /// At any time from the beginning, and hosts may keep old ones for ever.
    AtAnyTime,
    /// When all entries are written; hosts may keep old ones for ever.
    Last,
    /// Before the first entry is written, and no host keeps an old one.
    First,
    /// Address by address, or the hosts of switch by switch, between the writes, and no host keeps an old one.
    InTurn,
}

/// Steps, of which each begins when the one before is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What is done.
    pub steps: Vec<Step>,
    /// Per channel of the fabric that is left and lane, the lanes of channel 0 first: the rank that packets
    /// ascend as long as it takes until the next phase; `None` where the old tables can deadlock and
    /// entries are cleared to end that.
    pub order: Option<Vec<u32>>,
    /// The most switches that a packet may meet.
    pub most_switches: u32,
}

/// What is done at once, in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Entries are written.
    Write(Vec<Write>),
    /// The new lane tables of these switches are written, and told to the hosts, in any order.
    WriteLanes(Vec<SwitchId>),
    /// Hosts may be told the new service levels of these addresses from now on.
    Answer(Vec<u32>),
    /// When it is done no host sends to these addresses by an old service level.
    Renew(Vec<u32>),
    /// Hosts of some switches are told the new service levels of some addresses, and when it is done none of them sends
    /// there by an old one.
    RenewEach(Vec<Renewal>),
    /// The same, but for the service level of spanning trees ([`ByTrees::level`]) in the place of new ones.
    RenewForTrees(Vec<Renewal>),
}

/// Service levels that are renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Renewal {
    /// The address, by its place in [`TransitionPlan::addresses`].
    pub address: u32,
    /// The switch whose hosts send by them.
    pub switch: SwitchId,
}

/// An entry that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Write {
    /// The switch.
    pub switch: SwitchId,
    /// The address, by its place in [`TransitionPlan::addresses`].
    pub address: u32,
    /// The port; `None` clears the entry.
    pub port: Option<PortNumber>,
}

/// An end of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderEnd {
    /// No write is the first: all the others are still to come.
    First,
    /// No write is the last: all the others are done.
    Last,
}

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockedChange {
    /// An entry is written.
    Entry,
    /// A host of the switch sends by its new service level, where all of them had one and have another.
    Level,
    /// All hosts of the switch are told their new service levels, and let go of the old ones before anything else is done.
    Levels,
}

/// Changes that have no order in which packets cannot deadlock, unless packets to some destination are dropped.
///
/// Every entry holds what the old tables say until it is written, and then what the new ones say, and so it is with the
/// service level by which hosts send; nothing is told of when that is, of how long is waited in between, or of anything
/// else that changes. One of these changes has to be the first of them, or the last: at that moment all others of them
/// stand as they did, or as they will, and packets of before and after the change are about. For each of them those close
/// a cycle, or lead to a dead end: a set of changes of which, once some others are done, none can be the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstruction {
    /// Which of them none can be.
    pub end: OrderEnd,
    /// The changes.
    pub writes: Vec<BlockedWrite>,
    /// The dead ends that they lead to, each by those before it alone.
    pub dead_ends: Vec<OrderDeadEnd>,
}

/// Changes of which none can be the next, from one end of the order on, once others are done: so those others are never
/// all done without one of these, as these have to be done, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderDeadEnd {
    /// What is done before any of these; from the last end of the order on, what is not done before they all are.
    pub met: Vec<MetChange>,
    /// Those that cannot be the next.
    pub writes: Vec<BlockedWrite>,
}

/// A change that is met on the way to a dead end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetChange {
    /// What it is.
    pub change: BlockedChange,
    /// The switch, as of [`BlockedWrite`].
    pub switch: SwitchId,
    /// The address.
    pub address: u32,
}

/// A change, and who waits for whom when it is done before the others, or after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedWrite {
    /// What it is.
    pub change: BlockedChange,
    /// The switch.
    pub switch: SwitchId,
    /// The address, by its place in [`TransitionPlan::addresses`].
    pub address: u32,
    /// Packets that each wait for the next, the last one for the first; none where a dead end stands in the way.
    pub cycle: Vec<Wait>,
    /// The dead end that the change leads to, by its place in [`Obstruction::dead_ends`].
    pub dead_end: Option<usize>,
}

/// A packet that holds a channel and wants that of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The channel it holds, of the fabric that is left.
    pub channel: ChannelId,
    /// Its lane.
    pub lane: Lane,
    /// The address it goes to.
    pub address: u32,
    /// The switch where it was sent.
    pub from: SwitchId,
    /// Whether it meets the other entry of a write, or is sent by the other service level.
    pub is_by_write: bool,
}

impl Step {
    /// What it is called in files and in Python.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Write(_) => "write",
            Self::WriteLanes(_) => "write_lanes",
            Self::Answer(_) => "answer",
            Self::Renew(_) => "renew",
            Self::RenewEach(_) => "renew_each",
            Self::RenewForTrees(_) => "renew_for_trees",
        }
    }
}

impl TransitionPlan {
    /// Counts the rounds: steps that write.
    pub fn round_count(&self) -> usize {
        let steps = self.phases.iter().flat_map(|phase| &phase.steps);
        steps
            .filter(|step| matches!(step, Step::Write(_) | Step::WriteLanes(_)))
            .count()
    }

    /// Counts the entries written, those cleared on the way twice.
    pub fn write_count(&self) -> usize {
        let steps = self.phases.iter().flat_map(|phase| &phase.steps);
        let writes = steps.map(|step| match step {
            Step::Write(writes) => writes.len(),
            _ => 0,
        });
        writes.sum()
    }

    /// Counts the destinations that are drained.
    pub fn drained_count(&self) -> usize {
        let drained = self.addresses.iter().filter(|address| address.is_drained);
        let mut names: Vec<&str> = drained.map(|address| &*address.destination).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }

    /// Tells whether some host must let go of an old service level while its packets are not held back
    /// otherwise.
    pub fn renews(&self) -> bool {
        let mut steps = self.phases.iter().flat_map(|phase| &phase.steps);
        let is_served = |address: u32| !self.addresses[address as usize].is_drained;
        steps.any(|step| match step {
            Step::Renew(addresses) => addresses.iter().any(|&address| is_served(address)),
            Step::RenewEach(renewals) | Step::RenewForTrees(renewals) => {
                renewals.iter().any(|one| is_served(one.address))
            }
            Step::Write(_) | Step::WriteLanes(_) | Step::Answer(_) => false,
        })
    }

    /// Tells whether no packets can deadlock at any moment.
    pub fn is_free_throughout(&self) -> bool {
        self.phases.iter().all(|phase| phase.order.is_some())
    }
}

/// Plans a transition between any two tables, of a fabric and of what is left of it or what it has become.
///
/// Old entries count on either side of what failed. Each destination's entries change from the destination
/// outwards, as its new routes lead, or in any order where that closes no cycle either: who has met a new
/// entry then meets no old one, so nobody is lost and nobody goes in a circle. Destinations whose mixtures
/// would close a cycle wait for a later phase, when packets of the old entries of others are gone. Those
/// left then would be drained: cleared, and set when there is room. Where there are any, packets go by spanning trees
/// for a while, if that drains nobody: `progress` is told then from which tree to the next the way is known, in a step for
/// each service level that is tried.
///
/// Switches and hosts are matched by name, links by switch and port. Channels from and to hosts are left out,
/// as none is part of a cycle.
///
/// # Errors
/// [`TransitionError`].
///
/// # Complexity
/// For each phase, time in proportion to switches and addresses, and the search for cycles.
pub fn plan_transition(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
    progress: &Progress,
) -> Result<TransitionPlan, TransitionError> {
    let joint = management::joint([before, after], [old, new])?;
    progress.begin(0);
    let plan = candidates::best(&joint, after);
    if plan.drained_count() == 0 {
        return Ok(plan);
    }
    Ok(by_trees::plan(&joint, after, progress).unwrap_or(plan))
}

/// Plans a transition in which each entry is what the old tables say until it is what the new ones say, as
/// [`plan_transition`] does but for trees.
///
/// # Errors
/// [`TransitionError`].
///
/// # Complexity
/// As [`plan_transition`].
pub fn plan_direct_transition(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
) -> Result<TransitionPlan, TransitionError> {
    let joint = management::joint([before, after], [old, new])?;
    Ok(candidates::best(&joint, after))
}
