//! Ways for service ends, joined to the routes of compute ends.
//!
//! Adapters inside switches, management and gateways hang where no compute end does. Were they routed
//! as all others, a tree whose every spine has an end would have no top, and balance would count packets
//! that nobody sends. So the compute ends are routed alone, and service ends are joined to their routes:
//! on a switch with compute ends they take the ways of these; elsewhere each gets ways of its own, the
//! shortest that close no cycle with the routes there are. Between two spines of a tree that is a way
//! down and up again, which no compute end takes.

mod joined_rows;
mod joined_tables;
mod ways;

use crate::error::RoutingError;
use crate::form::{PairGranularity, Routes};
use crate::paths::{PathSpace, TurnRule};
use ways::Ways;
use weft_fabric::{Fabric, HostId};

/// Joins the service ends of a fabric to the routes of its compute part. `None` where routes are of a form
/// that cannot take further ends in: with several addresses for a destination, or lane tables.
///
/// # Errors
/// [`RoutingError::ServiceApart`] where every way of a service end closes a cycle.
pub(crate) fn join(
    fabric: &Fabric,
    compute: &Fabric,
    routes: &Routes,
) -> Result<Option<Routes>, RoutingError> {
    let ends = Ends::of(fabric, compute, routes.granularity());
    match routes {
        Routes::Source(listed) => {
            joined_rows::join(&ends, routes, listed).map(|joined| Some(joined.into()))
        }
        Routes::Tables(tables) => {
            let is_plain = tables.most_addresses() <= 1 && tables.lane_tables().is_none();
            if !is_plain {
                return Ok(None);
            }
            let space = PathSpace::new(fabric, None, TurnRule::Free);
            let ways = Ways::beside(&ends, &space, routes);
            joined_tables::join(&ends, tables, ways).map(|joined| Some(joined.into()))
        }
    }
}

/// The ends of a fabric and of its compute part, as routes number them.
struct Ends<'a> {
    fabric: &'a Fabric,
    compute: &'a Fabric,
    granularity: PairGranularity,
    /// Per endpoint of the fabric: that of the compute part whose ways it takes, which is itself or one
    /// on the same switch; `None` on switches without compute ends.
    like: Vec<Option<usize>>,
}

impl<'a> Ends<'a> {
    fn of(fabric: &'a Fabric, compute: &'a Fabric, granularity: PairGranularity) -> Self {
        let like = match granularity {
            PairGranularity::Switch => fabric
                .switch_ids()
                .map(|switch| (fabric.compute_hosts_of(switch) > 0).then_some(switch.index()))
                .collect(),
            PairGranularity::Host => {
                let mut next = 0_usize;
                let own: Vec<Option<usize>> = fabric
                    .host_ids()
                    .map(|host| {
                        let number = (!fabric.is_service(host)).then_some(next);
                        next += usize::from(number.is_some());
                        number
                    })
                    .collect();
                let first = |host: HostId| {
                    let beside = compute.hosts_of(fabric.host_switch(host));
                    beside.first().map(|&other| other.index())
                };
                fabric
                    .host_ids()
                    .map(|host| own[host.index()].or_else(|| first(host)))
                    .collect()
            }
        };
        Self {
            fabric,
            compute,
            granularity,
            like,
        }
    }

    fn count(&self) -> usize {
        self.like.len()
    }

    fn switch(&self, endpoint: usize) -> u32 {
        self.granularity
            .endpoint_switch(self.fabric, endpoint)
            .number()
    }

    /// Whether an endpoint is a host or has some.
    fn is_used(&self, endpoint: usize) -> bool {
        let switch = self.granularity.endpoint_switch(self.fabric, endpoint);
        !self.fabric.hosts_of(switch).is_empty()
    }

    /// Per switch: whether it has ends, all of them service ends.
    fn serves_alone(&self) -> Vec<bool> {
        let switches = self.fabric.switch_ids();
        switches
            .map(|switch| {
                !self.fabric.hosts_of(switch).is_empty()
                    && self.fabric.compute_hosts_of(switch) == 0
            })
            .collect()
    }

    fn name(&self, endpoint: usize) -> String {
        self.granularity
            .endpoint_name(self.fabric, endpoint)
            .to_owned()
    }

    fn switch_name(&self, switch: u32) -> String {
        let id = weft_fabric::SwitchId::new(switch);
        self.fabric.switch(id).name.clone()
    }
}
