//! What can be wrong with a routing or its parameters.

use crate::form::{PairNames, TooManyLanes};
use crate::linear_solver::LinearError;
use std::fmt;
use weft_registry::RegistryError;

/// A fabric could not be routed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum RoutingError {
    /// There is no such algorithm, or it cannot have such parameters.
    #[error(transparent)]
    Parameters(#[from] RegistryError),
    /// There is no host to route for.
    #[error("fabric “{fabric}” has no host; routes lead from host to host, so attach at least one")]
    NoHost { fabric: String },
    /// Hosts hang on switches that no route can join.
    #[error(
        "fabric “{fabric}” is disconnected: its switches with hosts are in {parts} parts that no \
         link joins, “{first}” is in one, “{second}” in another; join them, or route each part as a \
         fabric of its own"
    )]
    Disconnected {
        fabric: String,
        parts: usize,
        first: String,
        second: String,
    },
    /// A service end cannot be joined to the routes of compute ends.
    #[error(
        "no way from “{source_end}” to the service end “{destination}”, or the other way round, keeps the \
         routes of compute ends free of deadlock on their lanes; give the routing more lanes, or count all \
         ends as compute ends, with --compute '*'"
    )]
    ServiceApart {
        source_end: String,
        destination: String,
    },
    /// The root cannot reach the hosts.
    #[error(
        "the root “{root}” is not joined to “{other}” and the other switches with hosts; choose a \
         root among their part of the fabric"
    )]
    RootApart { root: String, other: String },
    /// No switch can be a root by the rule asked for.
    #[error(
        "no switch of fabric “{fabric}” is a root by the rule {rule}, which finds the top of a tree; \
         use root=min_average, or name the roots, such as root=id:16+id:17"
    )]
    NoRootFound { rule: String, fabric: String },
    /// The roots named leave two switches with hosts without a legal route.
    #[error(
        "with the roots {roots} no route leads {pair} \
         without a turn from down to up; name fewer roots, such as none with hosts, or let \
         root=tops find them"
    )]
    RootsUnjoined { roots: String, pair: PairNames },
    /// A minimal route would have to stop at a switch that has no host.
    #[error(
        "every shortest route {pair} needs an in-transit \
         stop at a switch without a host; attach a host there, choose another root, or let such \
         pairs take longer routes with hostless=detour"
    )]
    NoHostForStop { pair: PairNames },
    /// Routes were led around as many turns as may be, and still their channels form a cycle.
    #[error(
        "the routes were led around turns, {most_turns} in all, and their channels still form a cycle; \
         give remove_deadlocks more, such as turns={}, or take a routing without cycles, such as \
         smart",
        most_turns.saturating_mul(10)
    )]
    TurnsSpent { most_turns: u64 },
    /// Each turn of a cycle of channels is the only way that some pair has left.
    #[error(
        "the channels form a cycle, through “{switch}” among others, whose every turn is the only way \
         left for some pair; take a routing that keeps ways open, such as smart"
    )]
    NoWayAround { switch: String },
    /// Routes that may not be changed form a cycle that no in-transit stop can cut.
    #[error(
        "the routes form a cycle of channels that meet at switches without a host alone, “{switch}” \
         is one; attach a host there, or let some pairs take other routes with hostless=detour"
    )]
    NoHostForCut { switch: String },
    /// A linear program that the routes come from was not solved.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// More lanes are needed than there may be.
    #[error(
        "routing {algorithm} needs {needed} lanes on fabric “{fabric}”, found lanes={lanes}; give \
         lanes={needed} where the hardware has them, or choose another routing"
    )]
    TooFewLanes {
        algorithm: &'static str,
        fabric: String,
        lanes: usize,
        needed: usize,
    },
    /// There are more trees than switches to be their roots.
    #[error(
        "found trees={trees}, but fabric “{fabric}” has {switches} switches that can be roots, and \
         each tree needs one of its own; give trees={switches} or fewer"
    )]
    TooFewSwitches {
        fabric: String,
        trees: usize,
        switches: usize,
    },
    /// The switches form no mesh or torus.
    #[error(
        "fabric “{fabric}” is no full mesh or torus: {reason}; dimension-order routes exist on these \
         alone, so choose another routing"
    )]
    NoGrid { fabric: String, reason: String },
    /// What is missing from a mesh or torus leaves no way around it.
    #[error(
        "routing {algorithm} cannot lead around what is missing from fabric “{fabric}”: {reason}; \
         choose a routing for any fabric, such as best or nue"
    )]
    NoWayAroundGap {
        algorithm: &'static str,
        fabric: String,
        reason: String,
    },
    /// The switches form no fat tree.
    #[error(
        "fabric “{fabric}” is no fat tree that can be routed so: {reason}; choose a routing for any \
         fabric, such as best or down_preferred"
    )]
    NoFatTree { fabric: String, reason: String },
    /// The switches form no HyperX.
    #[error(
        "fabric “{fabric}” is no whole HyperX: {reason}; omniwar routes these alone, so choose a routing for any fabric, \
         such as best or adaptive"
    )]
    NoJoinedLines { fabric: String, reason: String },
    /// The switches form no groups of leaves and spines that are joined with one another.
    #[error(
        "fabric “{fabric}” is no dragonfly+ that can be routed so: {reason}; choose a routing for any fabric, such as \
         best or adaptive"
    )]
    NoJoinedGroups { fabric: String, reason: String },
    /// No minimal route ends by a legal part on the last lane.
    #[error(
        "no minimal route looked at {pair} fits the \
         {lanes} lanes, on the last of which its turns must be legal; give more lanes, or choose \
         another routing"
    )]
    NoLegalFinish { pair: PairNames, lanes: usize },
    /// Packets choose their way, where a route for every pair is needed.
    #[error(
        "{needs} needs a fixed route for every pair, but with routing {algorithm} packets choose on \
         their way; take another routing, such as updown"
    )]
    NotFixed {
        algorithm: String,
        needs: &'static str,
    },
    /// One route for every pair was made, where packets are to choose.
    #[error(
        "routing {algorithm} gives every pair one route, but packets are to choose here; choose one \
         that lets them, such as minimal_adaptive"
    )]
    NotAdaptive { algorithm: String },
    /// Groups were wanted around routes that cannot have any.
    #[error(
        "groups of ports are made around forwarding tables whose packets keep one lane and cannot deadlock, but {why} \
         with routing {algorithm}; take another for of=, such as best, dfsssp or down_preferred"
    )]
    NoGroupsAround {
        algorithm: String,
        why: &'static str,
    },
    /// More was asked of a search than its parameters, of an algorithm that does not search.
    #[error(
        "found a time budget for routing “{found}”; only {} goes on improving",
        searching.join(", ")
    )]
    NoSearch {
        found: String,
        searching: Vec<&'static str>,
    },
    /// What hosts send was not read before routing.
    #[error(
        "the traffic “{traffic}” of routing best is read by `weft route` and other commands, and by weft.route; \
         expected traffic=alltoall here"
    )]
    TrafficNotRead { traffic: String },
    /// What each channel carries in each shift is too much to count.
    #[error(
        "“{fabric}” has {work} hosts times channels, and routes are laid for shifts up to {most}; expected \
         lmc=0 and other traffic than shifts"
    )]
    TooLargeForShifts {
        fabric: String,
        work: u64,
        most: u64,
    },
    /// The lanes of both phases are more than can be numbered.
    #[error(transparent)]
    TooManyLanes(#[from] TooManyLanes),
    /// The paths are more than can be numbered.
    #[error(
        "{found} paths are to be put on lanes, more than 2^32 can be numbered; choose a routing that \
         grows its trees on lanes, such as nue"
    )]
    TooManyPaths { found: u64 },
}

/// Why an algorithm may refuse a fabric that has hosts, all of them joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// [`RoutingError::TooFewLanes`].
    Lanes,
    /// [`RoutingError::TooFewSwitches`].
    Switches,
    /// [`RoutingError::NoGrid`].
    Grid,
    /// [`RoutingError::NoWayAroundGap`].
    Gaps,
    /// [`RoutingError::NoFatTree`].
    Tree,
    /// [`RoutingError::NoJoinedLines`].
    JoinedLines,
    /// [`RoutingError::NoJoinedGroups`].
    JoinedGroups,
    /// [`RoutingError::NoLegalFinish`].
    Finish,
    /// [`RoutingError::NoRootFound`] and [`RoutingError::RootsUnjoined`].
    Roots,
}

impl Refusal {
    /// Why a fabric was refused; `None` of an error for which no algorithm is the reason.
    pub fn of(error: &RoutingError) -> Option<Self> {
        match error {
            RoutingError::TooFewLanes { .. } => Some(Self::Lanes),
            RoutingError::TooFewSwitches { .. } => Some(Self::Switches),
            RoutingError::NoGrid { .. } => Some(Self::Grid),
            RoutingError::NoWayAroundGap { .. } => Some(Self::Gaps),
            RoutingError::NoFatTree { .. } => Some(Self::Tree),
            RoutingError::NoJoinedLines { .. } => Some(Self::JoinedLines),
            RoutingError::NoJoinedGroups { .. } => Some(Self::JoinedGroups),
            RoutingError::NoLegalFinish { .. } => Some(Self::Finish),
            RoutingError::NoRootFound { .. } | RoutingError::RootsUnjoined { .. } => {
                Some(Self::Roots)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lanes => "it needs more lanes than there may be",
            Self::Switches => "it has fewer switches than trees are asked for",
            Self::Grid => "it is no full mesh or torus",
            Self::Gaps => "no way leads around what is missing from a mesh or torus",
            Self::Tree => "it is no fat tree, or one too damaged",
            Self::JoinedLines => "it is no whole HyperX",
            Self::JoinedGroups => "it is no dragonfly+, or one too damaged",
            Self::Finish => "some pair's minimal routes cannot end legally on the last lane",
            Self::Roots => "it has no top of a tree, or one that does not join all hosts",
        })
    }
}
