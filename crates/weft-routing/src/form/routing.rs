//! What a routing algorithm returns: routes, and the record of how they were made.

use crate::error::RoutingError;
use crate::form::{AdaptiveRoutes, AnyRoutes, GroupTables, Routes, ServiceEnds};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Routes with the record of how they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routing<R = Routes> {
    /// Name of the algorithm, as on the command line.
    pub algorithm: String,
    /// Every parameter of the algorithm with the value used, defaults included.
    pub parameters: BTreeMap<String, String>,
    /// How service ends came to their routes.
    pub service: ServiceEnds,
    /// The routes.
    pub routes: R,
}

impl Routing {
    /// Other routes with the same record: the same in another form, mended or completed.
    #[must_use]
    pub fn with_routes(&self, routes: impl Into<Routes>) -> Self {
        Self {
            algorithm: self.algorithm.clone(),
            parameters: self.parameters.clone(),
            service: self.service.clone(),
            routes: routes.into(),
        }
    }
}

/// What a routing algorithm makes: a route for every pair, or a choice; shared by its clones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyRouting {
    /// One route for every pair.
    Fixed(Arc<Routing>),
    /// Routes that leave packets a choice.
    Adaptive(Arc<Routing<AdaptiveRoutes>>),
}

impl From<Routing> for AnyRouting {
    fn from(routing: Routing) -> Self {
        Self::Fixed(Arc::new(routing))
    }
}

impl AnyRouting {
    /// The name of the algorithm that made the routes.
    pub fn algorithm(&self) -> &str {
        match self {
            Self::Fixed(routing) => &routing.algorithm,
            Self::Adaptive(routing) => &routing.algorithm,
        }
    }

    /// Every parameter of the algorithm with the value used.
    pub fn parameters(&self) -> &BTreeMap<String, String> {
        match self {
            Self::Fixed(routing) => &routing.parameters,
            Self::Adaptive(routing) => &routing.parameters,
        }
    }

    /// How service ends came to their routes.
    pub fn service(&self) -> &ServiceEnds {
        match self {
            Self::Fixed(routing) => &routing.service,
            Self::Adaptive(routing) => &routing.service,
        }
    }

    /// The routes.
    pub fn routes(&self) -> AnyRoutes<'_> {
        match self {
            Self::Fixed(routing) => (&routing.routes).into(),
            Self::Adaptive(routing) => (&routing.routes).into(),
        }
    }

    /// The tables, where switches choose among groups of ports.
    pub fn groups(&self) -> Option<&GroupTables> {
        match self {
            Self::Adaptive(routing) => match &routing.routes {
                AdaptiveRoutes::Groups(tables) => Some(tables),
                AdaptiveRoutes::Tables(_) | AdaptiveRoutes::TwoPhase(_) => None,
            },
            Self::Fixed(_) => None,
        }
    }

    /// The routing, where each pair has one route, which is what `needs` does.
    ///
    /// # Errors
    /// [`RoutingError::NotFixed`] where packets choose on their way.
    pub fn fixed(&self, needs: &'static str) -> Result<&Arc<Routing>, RoutingError> {
        match self {
            Self::Fixed(routing) => Ok(routing),
            Self::Adaptive(routing) => Err(RoutingError::NotFixed {
                algorithm: routing.algorithm.clone(),
                needs,
            }),
        }
    }
}
