//! What a routing algorithm returns: routes, and the record of how they were made.

use crate::form::adaptive::AdaptiveRoutes;
use crate::form::routes::Routes;
use std::collections::BTreeMap;

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
