//! Whole machines as their discoveries show them, with what can be done to their cables.

mod draw;
mod dump;
mod rooms;

pub use draw::{Draw, some};
pub use dump::{Device, Plug, Room};
pub use rooms::{GB200_PULLED, all, gb200};
