//! Routes that leave packets a choice on their way: what each may take where, as data.
//!
//! ```text
//! AdaptiveTables   at every switch any of some ports, and an escape that is always open
//! GroupTables      at every switch any port of a group, by address: as InfiniBand switches hold it
//! TwoPhaseRoutes   at the source an intermediate switch; fixed routes to it and on from it
//!        └─► AdaptiveForwarding: what a packet is offered at a switch
//! ```

mod alike_addresses;
mod group_maker;
mod group_numbers;
mod group_states;
mod group_tables;
mod intermediate_switch;
mod lane_groups;
mod packet_choices;
mod packet_levels;
mod pair_levels;
mod port_choices;
mod port_group;

pub(crate) use group_maker::GroupMaker;
pub(crate) use group_numbers::GroupNumbers;
pub use group_states::GroupStates;
pub use group_tables::{GroupChoice, GroupEntry, GroupTables, SwitchGroups};
pub use intermediate_switch::{Detour, TwoPhaseRoutes};
pub(crate) use lane_groups::LaneGroups;
pub use packet_choices::{AdaptiveForwarding, Branch, Offers};
pub use port_choices::AdaptiveTables;
pub use port_group::{LidState, PortGroup, Subgroup, flow_hash};

use crate::form::Routes;

/// Routes that leave packets a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdaptiveRoutes {
    /// Any of several ports at each switch.
    Tables(AdaptiveTables),
    /// Any port of a group at each switch.
    Groups(GroupTables),
    /// By way of an intermediate switch.
    TwoPhase(TwoPhaseRoutes),
}

impl AdaptiveRoutes {
    /// Counts the lanes the hardware must have.
    pub fn lane_count(&self) -> u8 {
        match self {
            Self::Tables(tables) => tables.lane_count(),
            Self::Groups(tables) => tables.lane_count(),
            Self::TwoPhase(routes) => routes.lane_count(),
        }
    }

    /// Counts the switches the routes are for.
    pub fn switch_count(&self) -> usize {
        match self {
            Self::Tables(tables) => tables.switch_count(),
            Self::Groups(tables) => tables.switch_count(),
            Self::TwoPhase(routes) => routes.routes().endpoint_count(),
        }
    }
}

/// What leads packets through a network, by fixed routes or by choice: what is proved and simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyRoutes<'a> {
    /// One route for every pair.
    Fixed(&'a Routes),
    /// Routes that leave packets a choice.
    Adaptive(&'a AdaptiveRoutes),
}

impl AnyRoutes<'_> {
    /// Counts the lanes the hardware must have.
    pub fn lane_count(self) -> u8 {
        match self {
            Self::Fixed(routes) => routes.lane_count(),
            Self::Adaptive(routes) => routes.lane_count(),
        }
    }
}

impl<'a> From<&'a Routes> for AnyRoutes<'a> {
    fn from(routes: &'a Routes) -> Self {
        Self::Fixed(routes)
    }
}

impl<'a> From<&'a AdaptiveRoutes> for AnyRoutes<'a> {
    fn from(routes: &'a AdaptiveRoutes) -> Self {
        Self::Adaptive(routes)
    }
}
