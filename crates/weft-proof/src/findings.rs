//! Everything that is wrong with routes, side by side: what a judge of running routes asks.

use crate::certificate::Certificate;
use crate::error::ProofError;
use crate::shortest_cycle::cycle_of;
use crate::sweep::sweep;
use crate::verdict::{DependencyCycle, RouteLoop, UnreachedPair};
use crate::verify::{first_routes, name_loop};
use crate::walk::walk_all;
use crate::wiring::Wiring;
use weft_fabric::{Fabric, HostId};
use weft_routing::{Routes, SharedRoute};

/// What is wrong with routes. A proof names the first kind of trouble that there is, this all kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// Ordered pairs of distinct hosts.
    pub host_pairs: u64,
    /// Of them, pairs of which a route ends before the destination.
    pub unreached_pairs: u64,
    /// Of them, further pairs of which a route leads in a circle.
    pub circling_pairs: u64,
    /// Routes that end before the destination, in ascending order of source and destination; where
    /// hosts share routes, the first hosts of the two switches stand for all.
    pub unreached: Vec<UnreachedPair>,
    /// A route that meets a switch twice, after the fewest steps of all.
    pub route_loop: Option<RouteLoop>,
    /// A shortest cycle of dependencies between channels, by all routes as far as they lead.
    pub cycle: Option<DependencyCycle>,
    /// Lanes of each channel, as many as the routes use.
    pub lane_count: u8,
}

impl Findings {
    /// Tells whether nothing is wrong.
    pub fn are_none(&self) -> bool {
        self.unreached_pairs == 0
            && self.unreached.is_empty()
            && self.route_loop.is_none()
            && self.cycle.is_none()
    }
}

/// Finds all that is wrong with the routes of all pairs of distinct hosts.
///
/// Where sources may send to any address of a host, a pair counts as soon as one of its routes does not
/// arrive, and once.
///
/// # Errors
/// [`ProofError`] when the routes are not of this fabric.
///
/// # Complexity
/// Time in proportion to the steps of all routes, and that of the search for a cycle where there is
/// one.
pub fn findings(fabric: &Fabric, routes: &Routes) -> Result<Findings, ProofError> {
    ProofError::unless_routes_of(fabric, routes)?;
    let wiring = Wiring::new(fabric);
    let walked = sweep(fabric, &wiring, routes);
    let walked = walked.unwrap_or_else(|| walk_all(fabric, &wiring, routes));
    let mut found = Findings {
        host_pairs: walked.host_pairs,
        unreached_pairs: 0,
        circling_pairs: 0,
        route_loop: walked
            .shortest_loop
            .map(|found| name_loop(fabric, routes, found)),
        cycle: Certificate::of(&walked.graph, routes.lane_count())
            .is_none()
            .then(|| DependencyCycle {
                dependencies: first_routes(fabric, routes, &cycle_of(&walked.graph)),
            }),
        unreached: walked.unreached,
        lane_count: routes.lane_count(),
    };
    if found.unreached.is_empty() && found.route_loop.is_none() {
        return Ok(found);
    }
    // The routes of a pair, one to each address where sources may choose, come one after the other.
    let mut worst = End::Destination;
    for shared in routes.shared(fabric).filter(|route| route.turn == 0) {
        if !shared.is_further() {
            worst = End::Destination;
        }
        worst = worst.max(end(fabric, routes, &shared));
        if shared.alias.is_some_and(|alias| alias + 1 < shared.choices) {
            continue;
        }
        match worst {
            End::Destination => {}
            End::Before => found.unreached_pairs += shared.host_pairs,
            End::Nowhere => found.circling_pairs += shared.host_pairs,
        }
    }
    Ok(found)
}

/// Where a route leads, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Destination,
    /// In a circle.
    Nowhere,
    /// A step leads nowhere, or the route ends at another switch.
    Before,
}

fn end(fabric: &Fabric, routes: &Routes, shared: &SharedRoute<'_>) -> End {
    let mut walk = routes.walk_shared(fabric, shared);
    if walk.by_ref().any(|step| step.hop.is_err()) {
        return End::Before;
    }
    let of = |hosts: &[HostId]| fabric.host_switch(hosts[0]);
    if walk.is_in_a_circle() {
        End::Nowhere
    } else if walk.switch() == of(shared.destinations) {
        End::Destination
    } else {
        End::Before
    }
}
