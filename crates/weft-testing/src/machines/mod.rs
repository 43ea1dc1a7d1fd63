//! Whole machines as their discoveries show them, with what can be done to their cables.

mod dealt;
mod draw;
mod dump;
mod ends_above;
mod groups;
mod rooms;
mod unequal;

pub use dealt::dealt_ports;
pub use draw::{Draw, some};
pub use dump::{Device, Plug, Room};
pub use ends_above::{ends_on_cores, ends_on_two_tops, light_leaves};
pub use groups::{
    Descriptions, dragonfly_plus, dragonfly_plus_as_it_comes, dragonfly_plus_by_place,
    dragonfly_plus_in_any_ports, dragonfly_plus_with_ends_on_spines,
    dragonfly_plus_with_one_cable_a_pair,
};
pub use rooms::{GB200_PULLED, all, gb200};
pub use unequal::{cores_in_turn, pods_on_few_cores, unequal_spines, unequal_uplinks, wide_trunks};
