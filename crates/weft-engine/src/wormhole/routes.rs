//! The routes an engine is handed: checked, with their stops counted.

use super::error::EngineError;
use std::borrow::Borrow;
use weft_fabric::Fabric;
use weft_routing::{FabricSizes, ForwardingError, SourceRoutes, StopCounts};

/// Source routes that lead where they should, with their in-transit stops counted, once for any number
/// of engines on any number of threads: walking all routes may take longer than a simulation.
///
/// `R` holds the routes: by value, by reference, or shared.
#[derive(Clone, Debug)]
pub struct ListedRoutes<R> {
    routes: R,
    stops: StopCounts,
    checked_on: FabricSizes,
}

impl<R: Borrow<SourceRoutes>> ListedRoutes<R> {
    /// Walks every route.
    ///
    /// # Errors
    /// [`EngineError::Lanes`] where they use virtual lanes, [`EngineError::Routes`] where one does not
    /// lead where it should.
    pub fn new(fabric: &Fabric, routes: R) -> Result<Self, EngineError> {
        let lane_count = routes.borrow().lane_count();
        if lane_count > 1 {
            return Err(EngineError::Lanes { lane_count });
        }
        Ok(Self {
            stops: StopCounts::of(fabric, routes.borrow())?,
            routes,
            checked_on: FabricSizes::of(fabric),
        })
    }

    /// The routes.
    pub fn routes(&self) -> &SourceRoutes {
        self.routes.borrow()
    }

    /// For an engine on the fabric they were checked on.
    pub(super) fn on(&self, fabric: &Fabric) -> Result<Ways<'_>, ForwardingError> {
        self.checked_on.expect(fabric)?;
        Ok(Ways {
            routes: self.routes(),
            stops: &self.stops,
        })
    }
}

/// Checked routes as an engine reads them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ways<'a> {
    pub(super) routes: &'a SourceRoutes,
    pub(super) stops: &'a StopCounts,
}
