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

use crate::choose::sort_as_manager;
use crate::error::RoutingError;
use crate::form::{PairGranularity, Routes};
use crate::paths::{PathSpace, TurnRule};
use std::num::NonZeroU8;
use ways::Ways;
use weft_fabric::{Fabric, HostId, SwitchId};

/// How often ways are sought anew where one closes a cycle, each time those first that could not be had.
const ATTEMPTS: usize = 8;

/// What ways of service ends may take beside the lanes of the routes there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Lanes there may be.
    pub(crate) lanes: u8,
    /// Whether ways may stop in transit, at compute ends.
    pub(crate) stops: bool,
}

/// Switches between which no way was found.
#[derive(Clone, Copy, Debug)]
struct Apart {
    from: u32,
    to: u32,
}

/// Joins the service ends of a fabric to the routes of its compute part. `None` where routes are of a form
/// that cannot take further ends in: with several addresses for a destination, or lane tables.
///
/// Where a way closes a cycle, all are sought anew, those to its end first, and at last on more lanes if
/// there may be more.
///
/// # Errors
/// [`RoutingError::ServiceApart`] where every way of a service end closes a cycle.
pub(crate) fn join(
    fabric: &Fabric,
    compute: &Fabric,
    routes: &Routes,
    room: Room,
) -> Result<Option<Routes>, RoutingError> {
    let ends = Ends::of(fabric, compute, routes.granularity());
    let alone = ends.serves_alone();
    let are_beside = !alone.contains(&true);
    match routes {
        Routes::Source(listed) if are_beside && ends.granularity == PairGranularity::Switch => {
            return Ok(Some(listed.clone().into()));
        }
        Routes::Tables(tables) if tables.most_addresses() > 1 || tables.lane_tables().is_some() => {
            return Ok(None);
        }
        _ => {}
    }
    // Ways to switches with service ends alone come first: those between two of them are the hardest.
    let mut all: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    sort_as_manager(fabric, &mut all);
    let all = all.into_iter().map(SwitchId::number);
    let (mut order, others): (Vec<u32>, Vec<u32>) = all.partition(|&to| alone[to as usize]);
    order.extend(others);
    if are_beside && matches!(routes, Routes::Source(_)) {
        order.clear();
    }
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let ways = Ways::beside(&ends, &space, routes, room);
    let more_lanes = room.lanes / routes.turns().max(1);
    let mut lanes = vec![ways.lane_count(), more_lanes.max(ways.lane_count())];
    lanes.dedup();
    let mut found = Ok(None);
    for attempt in 0..ATTEMPTS * lanes.len() {
        let ways = ways.on_lanes(lanes[attempt / ATTEMPTS]);
        let joined = match routes {
            Routes::Source(listed) => {
                joined_rows::join(&ends, listed, ways, &order).map(Routes::from)
            }
            Routes::Tables(tables) => {
                joined_tables::join(&ends, tables, ways, &order).map(Routes::from)
            }
        };
        match joined {
            Ok(mut joined) => {
                if let Some(turns) = NonZeroU8::new(routes.turns()).filter(|turns| turns.get() > 1)
                {
                    joined.alternate(turns)?;
                }
                return Ok(Some(joined));
            }
            Err(Apart { from, to }) => {
                found = Err(RoutingError::ServiceApart {
                    source_end: ends.first_end(from),
                    destination: ends.first_end(to),
                });
                let place = order.iter().position(|&other| other == to);
                order[..=place.unwrap_or(0)].rotate_right(1);
            }
        }
    }
    found
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

    /// The name of the first end on a switch.
    fn first_end(&self, switch: u32) -> String {
        let hosts = self.fabric.hosts_of(SwitchId::new(switch));
        let name = |&host: &HostId| self.fabric.host(host).name.clone();
        hosts.first().map(name).unwrap_or_default()
    }
}
