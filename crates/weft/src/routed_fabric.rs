//! A fabric with routes, which are checked once.

use crate::Error;
use std::borrow::Borrow;
use std::sync::{Arc, OnceLock};
use weft_engine::wormhole::{EngineError, ListedRoutes};
use weft_fabric::Fabric;
use weft_routing::{AnyRouting, CheckedRoutes, ForwardingError, Routes, Routing, SourceRoutes};

/// A fabric with routes.
///
/// Before routes are simulated it is made sure that they lead where they should, which for large
/// fabrics takes longer than a simulation. That is done when it is first needed; all simulations of
/// these routes, whatever the hardware and the traffic and on any number of threads, share what was
/// found.
#[derive(Debug)]
pub struct RoutedFabric {
    fabric: Arc<Fabric>,
    routing: AnyRouting,
    checked: OnceLock<Result<CheckedRoutes<AnyRouting>, ForwardingError>>,
    listed: OnceLock<Result<ListedRoutes<Listed>, EngineError>>,
}

impl RoutedFabric {
    /// Puts routes on a fabric.
    pub fn new(fabric: impl Into<Arc<Fabric>>, routing: impl Into<AnyRouting>) -> Self {
        Self {
            fabric: fabric.into(),
            routing: routing.into(),
            checked: OnceLock::new(),
            listed: OnceLock::new(),
        }
    }

    /// The fabric.
    pub fn fabric(&self) -> &Arc<Fabric> {
        &self.fabric
    }

    /// The routes, with the record of how they were made.
    pub fn routing(&self) -> &AnyRouting {
        &self.routing
    }

    /// Whether packets are led alike, whatever the names of the routings: what is proved and measured of
    /// the one holds for the other to the last bit.
    pub fn leads_as(&self, other: &Self) -> bool {
        let same_fabric = Arc::ptr_eq(&self.fabric, &other.fabric) || self.fabric == other.fabric;
        same_fabric && self.routing.routes() == other.routing.routes()
    }

    /// The routes as switches that hold whole packets follow them.
    pub(crate) fn checked(&self) -> Result<&CheckedRoutes<AnyRouting>, Error> {
        let check = || CheckedRoutes::new(&self.fabric, self.routing.clone());
        let checked = self.checked.get_or_init(check);
        let refused = |error: &ForwardingError| Error::CutThrough(error.clone().into());
        checked.as_ref().map_err(refused)
    }

    /// The routes as packets carry them, where each pair has one, which is what `needs` does.
    pub(crate) fn listed(&self, needs: &'static str) -> Result<&ListedRoutes<Listed>, Error> {
        let routing = self.routing.fixed(needs)?;
        let check = || ListedRoutes::new(&self.fabric, Listed::of(&self.fabric, routing));
        let listed = self.listed.get_or_init(check).as_ref();
        listed.map_err(|error| error.clone().into())
    }
}

/// Source routes that are a routing's own, or were written out from its tables.
#[derive(Clone, Debug)]
pub(crate) enum Listed {
    Own(Arc<Routing>),
    Written(SourceRoutes),
}

impl Listed {
    fn of(fabric: &Fabric, routing: &Arc<Routing>) -> Self {
        match &routing.routes {
            Routes::Source(_) => Self::Own(Arc::clone(routing)),
            tables @ Routes::Tables(_) => {
                Self::Written(tables.to_source_routes(fabric).into_owned())
            }
        }
    }
}

impl Borrow<SourceRoutes> for Listed {
    fn borrow(&self) -> &SourceRoutes {
        match self {
            Self::Written(routes) => routes,
            Self::Own(routing) => match &routing.routes {
                Routes::Source(routes) => routes,
                Routes::Tables(_) => unreachable!("tables are written out"),
            },
        }
    }
}
