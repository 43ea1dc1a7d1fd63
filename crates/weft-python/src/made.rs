//! What a routing algorithm made: a route for every pair, or a choice on the way.

use std::collections::BTreeMap;
use std::sync::Arc;
use weft_routing::{AdaptiveRoutes, AnyRoutes, AnyRouting, Routing, RoutingError};

/// Routes with the record of how they were made, shared.
#[derive(Clone, Debug)]
pub(crate) enum Made {
    /// One route for every pair.
    Fixed(Arc<Routing>),
    /// Routes that leave packets a choice.
    Adaptive(Arc<Routing<AdaptiveRoutes>>),
}

impl From<Routing> for Made {
    fn from(routing: Routing) -> Self {
        Self::Fixed(Arc::new(routing))
    }
}

impl From<AnyRouting> for Made {
    fn from(routing: AnyRouting) -> Self {
        match routing {
            AnyRouting::Fixed(routing) => Self::Fixed(Arc::new(routing)),
            AnyRouting::Adaptive(routing) => Self::Adaptive(Arc::new(routing)),
        }
    }
}

impl Made {
    pub(crate) fn algorithm(&self) -> &str {
        match self {
            Self::Fixed(routing) => &routing.algorithm,
            Self::Adaptive(routing) => &routing.algorithm,
        }
    }

    pub(crate) fn parameters(&self) -> &BTreeMap<String, String> {
        match self {
            Self::Fixed(routing) => &routing.parameters,
            Self::Adaptive(routing) => &routing.parameters,
        }
    }

    pub(crate) fn routes(&self) -> AnyRoutes<'_> {
        match self {
            Self::Fixed(routing) => (&routing.routes).into(),
            Self::Adaptive(routing) => (&routing.routes).into(),
        }
    }

    /// The routing, where each pair has one route, which is what `needs` does.
    pub(crate) fn fixed(&self, needs: &'static str) -> Result<&Arc<Routing>, RoutingError> {
        match self {
            Self::Fixed(routing) => Ok(routing),
            Self::Adaptive(routing) => Err(RoutingError::NotFixed {
                algorithm: routing.algorithm.clone(),
                needs,
            }),
        }
    }
}
