//! Routes that were found to lead where they should, once for all who follow them.

use crate::form::route_check::{check_adaptive_routes, check_routes};
use crate::form::{
    AdaptiveForwarding, AdaptiveRoutes, AnyRoutes, AnyRouting, Forwarding, ForwardingError, Routes,
};
use weft_fabric::Fabric;

/// Who holds routes: the routes themselves, a reference to them, or a routing that shares them.
pub trait HoldsRoutes {
    /// The routes.
    fn held(&self) -> AnyRoutes<'_>;
}

impl HoldsRoutes for Routes {
    fn held(&self) -> AnyRoutes<'_> {
        self.into()
    }
}

impl HoldsRoutes for AdaptiveRoutes {
    fn held(&self) -> AnyRoutes<'_> {
        self.into()
    }
}

impl HoldsRoutes for AnyRoutes<'_> {
    fn held(&self) -> AnyRoutes<'_> {
        *self
    }
}

impl HoldsRoutes for AnyRouting {
    fn held(&self) -> AnyRoutes<'_> {
        self.routes()
    }
}

impl<T: HoldsRoutes> HoldsRoutes for &T {
    fn held(&self) -> AnyRoutes<'_> {
        (*self).held()
    }
}

/// Routes by which every packet arrives, whatever it takes: what simulators of switches that forward
/// packets whole are given. Walking all routes may take longer than a simulation, so it is done once,
/// and any number of simulations on any number of threads go by what is checked.
#[derive(Clone, Debug)]
pub struct CheckedRoutes<R> {
    routes: R,
    checked_on: FabricSizes,
}

/// How large a fabric is that routes were checked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabricSizes([usize; 3]);

impl FabricSizes {
    /// Those of a fabric.
    pub fn of(fabric: &Fabric) -> Self {
        Self([
            fabric.switch_count(),
            fabric.host_count(),
            fabric.channel_count(),
        ])
    }

    /// Makes sure that a fabric is as large.
    ///
    /// # Errors
    /// [`ForwardingError::OtherFabric`].
    pub fn expect(self, fabric: &Fabric) -> Result<(), ForwardingError> {
        let counts = self.0.into_iter().zip(Self::of(fabric).0);
        let mut all = ["switches", "hosts", "channels"].into_iter().zip(counts);
        all.try_for_each(|(word, (found, expected))| {
            ForwardingError::unless_made_for(word, found, expected)
        })
    }
}

/// Tells packets their way, or what they may choose from.
#[derive(Clone, Debug)]
pub enum AnyForwarding<'a> {
    /// One way for every pair.
    Fixed(Forwarding<'a>),
    /// A choice.
    Adaptive(AdaptiveForwarding<'a>),
}

impl<R: HoldsRoutes> CheckedRoutes<R> {
    /// Checks every way that packets may take.
    ///
    /// # Errors
    /// [`ForwardingError`] names the first pair some of whose packets would not arrive, or stop on the
    /// way.
    ///
    /// # Complexity
    /// In proportion to the entries of tables, or to the steps of all routes where they are listed or
    /// lane tables choose lanes; to S·C for S switches and C channels where packets choose ports.
    pub fn new(fabric: &Fabric, routes: R) -> Result<Self, ForwardingError> {
        match routes.held() {
            AnyRoutes::Fixed(routes) => check_routes(fabric, routes)?,
            AnyRoutes::Adaptive(routes) => check_adaptive_routes(fabric, routes)?,
        }
        Ok(Self {
            routes,
            checked_on: FabricSizes::of(fabric),
        })
    }

    /// The routes.
    pub fn routes(&self) -> AnyRoutes<'_> {
        self.routes.held()
    }

    /// Makes sure that a fabric is as large as that which the routes were checked on.
    ///
    /// # Errors
    /// [`ForwardingError::OtherFabric`].
    pub fn expect(&self, fabric: &Fabric) -> Result<(), ForwardingError> {
        self.checked_on.expect(fabric)
    }

    /// Prepares to tell packets their way.
    ///
    /// # Errors
    /// As [`expect`](Self::expect).
    pub fn forwarding(&self, fabric: &Fabric) -> Result<AnyForwarding<'_>, ForwardingError> {
        self.expect(fabric)?;
        Ok(match self.routes() {
            AnyRoutes::Fixed(routes) => {
                AnyForwarding::Fixed(Forwarding::of_checked(fabric, routes))
            }
            AnyRoutes::Adaptive(routes) => {
                AnyForwarding::Adaptive(AdaptiveForwarding::of_checked(fabric, routes))
            }
        })
    }
}
