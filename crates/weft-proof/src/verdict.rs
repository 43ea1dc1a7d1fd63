//! What the verifier finds.

use crate::certificate::Certificate;
use crate::dependency_graph::DependencyGraph;
use crate::shortest_cycle::{Arc, cycle_of};
use weft_fabric::{ChannelId, HostId, Node, PortNumber, SwitchId};
use weft_routing::{DeadEnd, Lane};

/// What the verifier found, and how much it looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What holds.
    pub verdict: Verdict,
    /// Ordered pairs of distinct hosts whose routes were walked.
    pub host_pairs: u64,
    /// Routes walked; fewer than host pairs where hosts share them.
    pub routes: u64,
    /// In-transit stops of these routes.
    pub in_transit_stops: u64,
    /// Dependencies between channels that the routes create, injection and ejection included.
    pub dependencies: u64,
    /// Lanes of each channel, as many as the routes use.
    pub lane_count: u8,
    /// Whether packets choose on their way.
    pub is_adaptive: bool,
    /// What of all that packets may want ascends the certificate's order, where there is one.
    pub rests_on: RestsOn,
}

/// What ascends the order of a certificate, so that the proof rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestsOn {
    /// All that packets may want: so they may also stay with what they chose, and ways may be taken from a choice as
    /// long as one is left.
    EveryWay,
    /// Wherever packets wait, one way that they may choose until they have one.
    OneWay,
}

impl Proof {
    /// Tells whether every pair is reached, no route loops and no packets can wait for one
    /// another in a cycle.
    pub fn is_deadlock_free(&self) -> bool {
        matches!(self.verdict, Verdict::DeadlockFree(_))
    }
}

/// What holds for the routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every pair is reached, no route loops, and packets cannot deadlock: here is an order of the
    /// channels that every route ascends between its in-transit stops.
    DeadlockFree(Certificate),
    /// Packets can wait for one another: here is a shortest cycle.
    Deadlock(DependencyCycle),
    /// Some routes do not lead to their destination, in ascending order of source and destination.
    Unreachable(Vec<UnreachedPair>),
    /// Some routes meet a switch twice without a stop in between: here is one that returns after
    /// the fewest steps.
    Loop(RouteLoop),
}

impl Verdict {
    /// What holds, by what was walked; `witnesses` tells who creates the dependencies of a cycle.
    pub(crate) fn of(
        unreached: Vec<UnreachedPair>,
        route_loop: Option<RouteLoop>,
        graph: &DependencyGraph<'_>,
        lane_count: u8,
        witnesses: impl FnOnce(&[Arc]) -> Vec<Dependency>,
    ) -> Self {
        if !unreached.is_empty() {
            return Self::Unreachable(unreached);
        }
        if let Some(found) = route_loop {
            return Self::Loop(found);
        }
        if let Some(certificate) = Certificate::of(graph, lane_count) {
            return Self::DeadlockFree(certificate);
        }
        Self::Deadlock(DependencyCycle {
            dependencies: witnesses(&cycle_of(graph)),
        })
    }

    /// The verdict in a word: `deadlock-free`, `deadlock`, `unreachable` or `loop`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::DeadlockFree(_) => "deadlock-free",
            Self::Deadlock(_) => "deadlock",
            Self::Unreachable(_) => "unreachable",
            Self::Loop(_) => "loop",
        }
    }
}

/// A route that does not lead to its destination. Where hosts share routes, the first hosts of the
/// two switches stand for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreachedPair {
    /// Where the route starts.
    pub source: HostId,
    /// Where it should lead.
    pub destination: HostId,
    /// What is wrong.
    pub reason: UnreachedReason,
}

impl UnreachedPair {
    /// A pair whose route takes a step that leads nowhere.
    pub(crate) fn by_dead_end(
        [source, destination]: [HostId; 2],
        (switch, port): (SwitchId, PortNumber),
        dead_end: DeadEnd,
    ) -> Self {
        let reason = UnreachedReason::DeadEnd {
            switch,
            port,
            dead_end,
        };
        Self {
            source,
            destination,
            reason,
        }
    }

    /// A pair whose route ends at another switch.
    pub(crate) fn ending_at([source, destination]: [HostId; 2], switch: SwitchId) -> Self {
        Self {
            source,
            destination,
            reason: UnreachedReason::EndsAt(switch),
        }
    }
}

/// Why a route does not lead to its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreachedReason {
    /// A step leads nowhere.
    DeadEnd {
        /// The switch.
        switch: SwitchId,
        /// The port; 0 where a table has no entry.
        port: PortNumber,
        /// What is wrong with it.
        dead_end: DeadEnd,
    },
    /// The route ends at another switch.
    EndsAt(SwitchId),
}

/// A route that meets a switch twice without an in-transit stop in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteLoop {
    /// Where the route starts.
    pub source: HostId,
    /// Where it leads.
    pub destination: HostId,
    /// The switch it meets twice.
    pub switch: SwitchId,
    /// The route up to where it meets the switch again: switches and hosts of in-transit stops.
    pub nodes: Vec<Node>,
}

/// A shortest cycle of dependencies: each channel wanted is the one held next, the last is the
/// first held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyCycle {
    /// The dependencies in order, starting with the lowest channel held.
    pub dependencies: Vec<Dependency>,
}

/// A packet may hold one channel while it wants another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Channel held.
    pub held: ChannelId,
    /// Its lane.
    pub held_lane: Lane,
    /// Channel wanted next.
    pub wanted: ChannelId,
    /// Its lane.
    pub wanted_lane: Lane,
    /// Source of a route that goes from one to the other.
    pub source: HostId,
    /// Destination of that route.
    pub destination: HostId,
    /// Where switches choose among groups and LIDs are known: that of the destination which its packets go to.
    pub lid: Option<u16>,
    /// That route: switches and hosts of in-transit stops.
    pub nodes: Vec<Node>,
}

impl Dependency {
    /// The dependency that a route of a pair creates.
    pub(crate) fn of(
        (held, wanted): Arc,
        [source, destination]: [HostId; 2],
        nodes: Vec<Node>,
    ) -> Self {
        Self {
            held: held.0,
            held_lane: held.1,
            wanted: wanted.0,
            wanted_lane: wanted.1,
            source,
            destination,
            lid: None,
            nodes,
        }
    }
}
