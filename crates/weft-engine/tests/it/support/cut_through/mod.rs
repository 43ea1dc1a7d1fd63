//! The same for the cut-through model.

pub(crate) mod adaptive;
pub(crate) mod case;
pub(crate) mod compare;
mod models;
mod routes;
