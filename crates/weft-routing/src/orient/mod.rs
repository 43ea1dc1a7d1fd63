//! Which way is up: orientations, their roots, and the turns that routes may take.

pub(crate) mod depth_first_order;
pub(crate) mod orientation;
pub(crate) mod root_rule;
pub(crate) mod roots;
pub(crate) mod several_roots;
pub(crate) mod turns;
