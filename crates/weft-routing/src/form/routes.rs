//! What a routing algorithm returns: source routes or forwarding tables, walked alike.

use crate::form::adaptive::AdaptiveRoutes;
use crate::form::forwarding_tables::ForwardingTables;
use crate::form::route_walk::{RouteWalk, Start};
use crate::form::shared_routes::SharedRoute;
use crate::form::source_routes::{RouteRow, RoutesTooLarge, SourceRoutes};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use weft_fabric::{Fabric, HostId, SwitchId};

/// Whether routes are held per ordered pair of switches (all hosts of a switch share them) or per
/// ordered pair of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairGranularity {
    /// One route per ordered pair of switches.
    Switch,
    /// One route per ordered pair of hosts.
    Host,
}

impl PairGranularity {
    /// Counts the endpoints of a fabric: its switches or its hosts.
    pub fn endpoint_count(self, fabric: &Fabric) -> usize {
        match self {
            Self::Switch => fabric.switch_count(),
            Self::Host => fabric.host_count(),
        }
    }

    /// The plural of what an endpoint is.
    pub fn endpoints_word(self) -> &'static str {
        match self {
            Self::Switch => "switches",
            Self::Host => "hosts",
        }
    }

    /// The switch that routes of endpoint `index` start from (or end at).
    pub fn endpoint_switch(self, fabric: &Fabric, index: usize) -> SwitchId {
        match self {
            Self::Switch => SwitchId::from_index(index),
            Self::Host => fabric.host_switch(HostId::from_index(index)),
        }
    }
}

/// Packets of a pair were to alternate over more lanes than can be numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{lanes} lanes in {turns} turns are {found} lanes; at most 255 can be numbered")]
pub struct TooManyLanes {
    lanes: u8,
    turns: u8,
    found: u16,
}

impl TooManyLanes {
    pub(crate) fn check(lanes: u8, turns: NonZeroU8) -> Result<(), Self> {
        let turns = turns.get();
        let found = u16::from(lanes) * u16::from(turns);
        if found > u16::from(u8::MAX) {
            return Err(Self {
                lanes,
                turns,
                found,
            });
        }
        Ok(())
    }
}

/// The routes of all ordered pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Routes {
    /// A list of output ports per pair.
    Source(SourceRoutes),
    /// A next port per switch and destination.
    Tables(ForwardingTables),
}

impl From<SourceRoutes> for Routes {
    fn from(routes: SourceRoutes) -> Self {
        Self::Source(routes)
    }
}

impl From<ForwardingTables> for Routes {
    fn from(tables: ForwardingTables) -> Self {
        Self::Tables(tables)
    }
}

impl Routes {
    /// Tells whether routes are held per pair of switches or of hosts.
    pub fn granularity(&self) -> PairGranularity {
        match self {
            Self::Source(routes) => routes.granularity(),
            Self::Tables(tables) => tables.granularity(),
        }
    }

    /// Counts the sources (and destinations): switches or hosts, by the granularity.
    pub fn endpoint_count(&self) -> usize {
        match self {
            Self::Source(routes) => routes.endpoint_count(),
            Self::Tables(tables) => tables.endpoint_count(),
        }
    }

    /// Lets the packets of each pair alternate over `turns` times the lanes of the routes, round
    /// robin in the order in which they are generated.
    ///
    /// # Errors
    /// [`TooManyLanes`] beyond 255 lanes.
    pub fn alternate(&mut self, turns: NonZeroU8) -> Result<(), TooManyLanes> {
        match self {
            Self::Source(routes) => routes.alternate(turns),
            Self::Tables(tables) => tables.alternate(turns),
        }
    }

    /// Counts the lanes the hardware must have.
    pub fn lane_count(&self) -> u8 {
        match self {
            Self::Source(routes) => routes.lane_count(),
            Self::Tables(tables) => tables.lane_count(),
        }
    }

    /// The steps of a route, each resolved to where it leads. The walk ends at the
    /// destination's switch, or at the first step that leads nowhere; over tables that lead in a
    /// circle it ends once it has met more switches than there are.
    ///
    /// # Panics
    /// When an endpoint offset is out of range.
    pub fn walk<'a>(
        &'a self,
        fabric: &'a Fabric,
        source_index: usize,
        destination_index: usize,
    ) -> RouteWalk<'a> {
        RouteWalk::new(
            self,
            fabric,
            [source_index, destination_index],
            Start::default(),
        )
    }

    /// The steps of one of the [`shared`](Self::shared) routes.
    pub fn walk_shared<'a>(
        &'a self,
        fabric: &'a Fabric,
        shared: &SharedRoute<'_>,
    ) -> RouteWalk<'a> {
        let start = Start {
            source: shared.sources.first().copied(),
            alias: shared.alias,
            turn: shared.turn,
        };
        RouteWalk::new(self, fabric, shared.endpoints, start)
    }

    /// The steps of the route from one host to another.
    pub fn walk_hosts<'a>(
        &'a self,
        fabric: &'a Fabric,
        source: HostId,
        destination: HostId,
    ) -> RouteWalk<'a> {
        let [from, to] = [source, destination].map(|host| match self.granularity() {
            PairGranularity::Host => host.index(),
            PairGranularity::Switch => fabric.host_switch(host).index(),
        });
        self.walk(fabric, from, to)
    }

    /// All routes, each with the hosts that share it, in ascending order of source and
    /// destination; those that no two hosts use are left out.
    pub fn shared<'a>(&'a self, fabric: &'a Fabric) -> impl Iterator<Item = SharedRoute<'a>> {
        SharedRoute::all(self, fabric)
    }

    /// The same routes as a list of output ports per pair, which is how packets carry
    /// them and how they are simulated.
    ///
    /// Of a pair whose tables lead nowhere or in a circle, the route ends on the way.
    ///
    /// # Errors
    /// [`RoutesTooLarge`] when written out they are.
    pub fn to_source_routes(
        &self,
        fabric: &Fabric,
    ) -> Result<Cow<'_, SourceRoutes>, RoutesTooLarge> {
        let tables = match self {
            Self::Source(routes) => return Ok(Cow::Borrowed(routes)),
            Self::Tables(tables) => tables,
        };
        let has_host = |index: usize| {
            let switch = tables.granularity().endpoint_switch(fabric, index);
            !fabric.hosts_of(switch).is_empty()
        };
        let row = |source: usize| {
            let mut row = RouteRow::default();
            for destination in 0..tables.endpoint_count() {
                let is_used = source != destination && has_host(source) && has_host(destination);
                let walk = is_used.then(|| self.walk(fabric, source, destination));
                let steps = walk.into_iter().flatten().filter(|step| step.hop.is_ok());
                row.push_on_lanes(steps.map(|step| (step.port, step.lane)));
            }
            row
        };
        let rows: Vec<RouteRow> = (0..tables.endpoint_count()).map(row).collect();
        let routes = SourceRoutes::from_rows(tables.granularity(), rows)?;
        Ok(Cow::Owned(routes.in_turns(tables.turns())))
    }
}

/// Routes with the record of how they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routing<R = Routes> {
    /// Name of the algorithm, as on the command line.
    pub algorithm: String,
    /// Every parameter of the algorithm with the value used, defaults included.
    pub parameters: BTreeMap<String, String>,
    /// The routes.
    pub routes: R,
}

/// What a routing algorithm makes: a route for every pair, or a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyRouting {
    /// One route for every pair.
    Fixed(Routing),
    /// Routes that leave packets a choice.
    Adaptive(Routing<AdaptiveRoutes>),
}
