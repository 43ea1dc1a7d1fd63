//! The routes of all pairs: source routes or forwarding tables.

use crate::form::{
    ForwardingTables, Lane, LaneTables, PairGranularity, SourceRoutes, TooManyLanes,
};
use std::num::NonZeroU8;

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

    /// The tables by which switches choose lanes, where there are any; without, packets keep
    /// the lane of their service level, or that of each step.
    pub fn lane_tables(&self) -> Option<&LaneTables> {
        match self {
            Self::Source(_) => None,
            Self::Tables(tables) => tables.lane_tables(),
        }
    }

    /// Most addresses of a destination, 1 of routes that are lists of ports: with more, pairs may have several routes.
    pub fn most_addresses(&self) -> usize {
        match self {
            Self::Source(_) => 1,
            Self::Tables(tables) => tables.most_addresses(),
        }
    }

    /// Counts the service levels that the packets of a pair take in turn, 1 where they all have
    /// the same.
    pub fn turns(&self) -> u8 {
        match self {
            Self::Source(routes) => routes.turns(),
            Self::Tables(tables) => tables.turns(),
        }
    }

    /// What a turn adds to a pair's lane, or service level.
    pub fn lane_shift(&self, turn: u8) -> u8 {
        match self {
            Self::Source(routes) => turn * routes.lanes_per_turn(),
            Self::Tables(tables) => turn * tables.lanes_per_turn(),
        }
    }

    /// The lane, or service level, of a pair's packets in their first turn.
    pub(crate) fn first_lane(&self, from: usize, to: usize) -> Lane {
        match self {
            Self::Source(routes) => routes
                .step(from, to, 0)
                .map_or(Lane::ZERO, |(_, lane)| lane),
            Self::Tables(tables) => tables.lane(from, to),
        }
    }
}
