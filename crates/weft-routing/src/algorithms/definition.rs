//! An algorithm as the registry has it: what it is called, what holds for its routes, how it routes.

use super::offers::Offer;
use crate::error::{Refusal, RoutingError};
use crate::form::{AdaptiveRoutes, Routes};
use crate::linear_solver::LinearSolver;
use crate::parameters::Parameters;
use weft_fabric::{Fabric, HostId};
use weft_registry::{Entry, Spec};

/// A routing algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Name, as on the command line.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// How it routes, in one sentence.
    pub summary: &'static str,
    /// Whether its routes can deadlock.
    pub deadlock: Deadlock,
    /// How long its routes are.
    pub length: Length,
    /// Which turns its routes make.
    pub turns: PermittedTurns,
    /// What its routes need of the hardware.
    pub needs: Needs,
    /// What else holds for its routes on every fabric, in sentences; see [`Algorithm::guarantees`].
    pub further: &'static str,
    /// Whether more time makes its routes better.
    pub improves: bool,
    /// Whether service ends are routed as all others are, as a subnet manager that knows none does, or
    /// joined to the routes of compute ends.
    pub is_blind_to_service: bool,
    /// Sets of routings that it is in where none are named.
    pub offers: &'static [Offer],
    /// Why it may refuse a fabric that has hosts, all of them joined, and roots as asked for.
    pub refuses: &'static [Refusal],
    /// Paper and section it comes from.
    pub source: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Spec],
    /// Routes a fabric.
    pub route: RouteFunction,
}

impl std::fmt::Debug for Patience<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patience").finish_non_exhaustive()
    }
}

impl Algorithm {
    /// What one is called in errors.
    pub(super) const WHAT: &str = "routing";

    /// What holds for most of them, for a definition to say the rest: no deadlock on one lane, routes of any
    /// length and turns by a rule of its own, in no default set and refused for no fabric.
    pub(super) const DEFAULT: Self = Self {
        name: "",
        title: "",
        summary: "",
        deadlock: Deadlock::Free,
        length: Length::Any,
        turns: PermittedTurns::Other,
        needs: Needs::lanes(Lanes::One),
        further: "",
        improves: false,
        is_blind_to_service: false,
        offers: &[],
        refuses: &[],
        source: "",
        parameters: &[],
        route: RouteFunction::Plain(|_, _| unreachable!("every definition says how it routes")),
    };

    /// Its parameters, some given and defaults for the others.
    pub(super) fn with<const N: usize>(
        &self,
        given: [(&str, String); N],
    ) -> Result<Parameters, RoutingError> {
        let given = given.map(|(name, value)| (name.to_owned(), value));
        Parameters::complete(self.name, self.parameters, &given.into())
    }

    /// What is known of it as of anything with parameters.
    pub fn entry(&self) -> Entry {
        Entry {
            name: self.name,
            title: self.title,
            summary: self.summary,
            source: self.source,
            parameters: self.parameters,
            make: (),
        }
    }
}

/// Whether packets can deadlock on the routes of an algorithm, with its default parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// On no fabric.
    Free,
    /// On some fabrics, which the proof decides.
    PerFabric,
}

/// How many links between switches the routes of an algorithm have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// As few as the fabric allows.
    Shortest,
    /// As few as the fabric allows where nothing of its grid has failed.
    ShortestWhereWhole,
    /// As few as the turns of an orientation allow.
    ShortestLegal,
    /// No more than the shortest that make only turns of an orientation.
    UpToLegal,
    /// As many as the algorithm finds good.
    Any,
}

/// Which turns the routes of an algorithm make between two in-transit stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermittedTurns {
    /// None from a down channel to an up channel, by the distance from the root of its parameters, or
    /// by a depth-first search from it if a parameter says so.
    ByRoot,
    /// None from a down channel to an up channel, by a depth-first search from the root of its
    /// parameters.
    ByDepthFirstSearch,
    /// Those that the algorithm permits by a rule of its own.
    Other,
}

/// What the routes of an algorithm need of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Virtual lanes.
    pub lanes: Lanes,
    /// Whether hosts forward packets that stop at them.
    pub stops: bool,
    /// Whether switches forward by the destination alone: a route is where the tables lead.
    pub tables: bool,
}

impl Needs {
    /// Lanes alone.
    pub(super) const fn lanes(lanes: Lanes) -> Self {
        Self {
            lanes,
            stops: false,
            tables: false,
        }
    }

    /// These and in-transit stops.
    pub(super) const fn stops(mut self) -> Self {
        self.stops = true;
        self
    }

    /// These and forwarding tables.
    pub(super) const fn tables(mut self) -> Self {
        self.tables = true;
        self
    }
}

/// How many virtual lanes routes take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// One.
    One,
    /// As many as a parameter says, whatever the fabric.
    AsAsked,
    /// As many as the fabric asks for.
    PerFabric,
}

/// Makes routes and replaces every parameter that is a rule such as `auto` by what it came to.
#[derive(Clone, Copy, Debug)]
pub enum RouteFunction {
    /// From fabric and parameters.
    Plain(fn(&Fabric, &mut Parameters) -> Result<Routes, RoutingError>),
    /// By a search that can go on for as long as is wanted, for any traffic.
    Search(SearchFunction),
    /// By linear programs as well.
    Linear(fn(&Fabric, &mut Parameters, &dyn LinearSolver) -> Result<Routes, RoutingError>),
    /// From fabric and parameters, routes that leave packets a choice.
    Adaptive(fn(&Fabric, &mut Parameters) -> Result<AdaptiveRoutes, RoutingError>),
}

/// Routes a fabric for what hosts send, each demand by itself, the same to all without any, and for as long as is wanted, as long as
/// the parameters say without.
pub type SearchFunction = fn(
    &Fabric,
    &mut Parameters,
    &[Weight<'_>],
    Option<Patience<'_>>,
) -> Result<Routes, RoutingError>;

/// What one host sends to another, in parts of any size.
pub type Weight<'a> = &'a dyn Fn(HostId, HostId) -> u16;

/// How long a search goes on.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// Asked when there is a first answer, after the first start, and after all starts made together, whether to go on.
    pub go_on: &'a dyn Fn() -> bool,
    /// Asked on the way, by any thread, whether to end at once with what there was before.
    pub is_over: &'a (dyn Fn() -> bool + Sync),
}

impl Algorithm {
    /// Whether packets choose on their way.
    #[must_use]
    pub fn is_adaptive(&self) -> bool {
        matches!(self.route, RouteFunction::Adaptive(_))
    }

    /// What holds for its routes on every fabric, in words.
    #[must_use]
    pub fn guarantees(&self) -> String {
        let by = match (self.length, self.turns) {
            (Length::Shortest, _) => " by a shortest route",
            (Length::ShortestLegal, _) => " by a shortest of the routes that up*/down* permits",
            (Length::UpToLegal, _) => {
                " by a route no longer than the shortest that up*/down* permits"
            }
            (_, PermittedTurns::ByRoot | PermittedTurns::ByDepthFirstSearch) => {
                " by a route that up*/down* permits"
            }
            _ => "",
        };
        let (free, decided) = match (self.deadlock, self.needs.stops) {
            (Deadlock::Free, false) => (", and no packets can deadlock", ""),
            (Deadlock::Free, true) => (
                ", and no packets can deadlock as long as hosts take in every packet that stops",
                "",
            ),
            (Deadlock::PerFabric, _) => (
                "",
                "; packets may deadlock wherever links form a cycle, which the proof shows",
            ),
        };
        let on = match (self.needs.lanes, self.needs.tables) {
            (Lanes::One, false) => ", on one lane",
            (Lanes::One, true) => ", on one lane and in tables",
            (_, true) => ", in tables",
            (_, false) => "",
        };
        let further = self.further;
        let space = if further.is_empty() { "" } else { " " };
        format!("Every pair is joined{by}{free}{on}{decided}.{space}{further}")
    }
}
