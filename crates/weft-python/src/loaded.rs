//! Routes whose loads are known before anything is simulated: fixed ones, and groups that switches choose among.

use crate::errors::{Exception, Outcome};
use crate::fabric::PyFabric;
use crate::routing::{LOAD, PyRouting};
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_routing::{AnyRouting, GroupTables, Routing};

/// Routes that load channels by themselves.
pub(crate) enum Loaded {
    /// One for every pair.
    Fixed(Arc<Routing>),
    /// Any port of a group, evenly.
    Groups(Groups),
}

/// A routing whose switches choose among groups.
pub(crate) struct Groups(AnyRouting);

impl Groups {
    fn of(made: &AnyRouting) -> Option<Self> {
        made.groups().is_some().then(|| Self(made.clone()))
    }

    /// The tables of the switches.
    pub(crate) fn tables(&self) -> &GroupTables {
        match self.0.groups() {
            Some(tables) => tables,
            None => unreachable!("other routes were refused"),
        }
    }
}

impl PyRouting {
    /// Routes that load channels by themselves, on their fabric.
    ///
    /// # Errors
    /// `RoutingError` for another fabric, and where packets choose otherwise on their way.
    pub(crate) fn loaded_on(&self, fabric: &PyFabric) -> Outcome<(Arc<Fabric>, Loaded)> {
        let (fabric, made) = self.on(fabric)?;
        let loaded = match Groups::of(&made) {
            Some(groups) => Loaded::Groups(groups),
            None => Loaded::Fixed(Arc::clone(made.fixed(LOAD)?)),
        };
        Ok((fabric, loaded))
    }

    /// The routing on its fabric, if its switches choose among groups.
    ///
    /// # Errors
    /// `RoutingError` for any other routing, and for another fabric.
    pub(crate) fn groups_on(&self, fabric: &PyFabric) -> Outcome<(Arc<Fabric>, Groups)> {
        let (fabric, made) = self.on(fabric)?;
        let groups = Groups::of(&made).ok_or_else(|| {
            let text = format!(
                "found routing {}, whose switches do not choose among groups of ports; give one that does, such \
                 as ar_updn, or tables as ibdiagnet writes them",
                made.algorithm()
            );
            Exception::Routing.told(text)
        })?;
        Ok((fabric, groups))
    }
}
