//! What the tests of several crates share: fabrics, plain walks over routes, damage to files, networks
//! worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::missing_errors_doc,
    reason = "a test may stop at what cannot happen"
)]

pub mod by_hand;
mod changes;
mod fabrics;
mod groups;
mod linear;
mod loads;
pub mod machines;
mod routes;
mod settings;
mod table;
mod walks;

pub use changes::{Change, any_changes, changed};
pub use fabrics::{
    fabric_of, fabrics, irregular_fabrics, irregular_of, port_to, ring_of, with_links_cut,
    with_rates, with_service_on_every_switch, with_switches_reversed,
};
pub use groups::{groups_of, random_groups, two_addresses};
pub use linear::Microlp;
pub use loads::{channel_loads, figures_of, largest, least_load, loads, switches_on_routes};
pub use routes::{route, route_or_refusal, route_spec, tables_of};
pub use settings::{assert_has, assert_near, cases, first_line};
pub use table::table;
pub use walks::{
    Walk, all_paths, host_pairs, legal_links, plain_end_lanes, plain_steps, turns_up, walk,
};
