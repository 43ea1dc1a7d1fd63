//! The check of the routes an engine is handed.

use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingError, PairGranularity, SourceRoutes};

/// The in-transit stops of every route.
#[derive(Debug)]
pub(super) struct Stops {
    /// By pair of endpoints; empty when no route has any.
    counts: Vec<u8>,
    endpoint_count: usize,
}

impl Stops {
    /// Counts the stops of routes, each of which must lead where it should.
    ///
    /// # Errors
    /// [`ForwardingError`] when the routes are for another fabric or one leads astray.
    pub(super) fn of(fabric: &Fabric, routes: &SourceRoutes) -> Result<Self, ForwardingError> {
        Ok(Self {
            counts: check_routes(fabric, routes)?,
            endpoint_count: routes.endpoint_count(),
        })
    }

    /// Whether any route has one.
    pub(super) fn are_any(&self) -> bool {
        !self.counts.is_empty()
    }

    /// The stops between two endpoints.
    #[inline]
    pub(super) fn between(&self, (source, destination): (usize, usize)) -> u32 {
        let pair = source * self.endpoint_count + destination;
        self.counts.get(pair).map_or(0, |&count| count.into())
    }
}

/// Checks that every route leads where it should, and counts the in-transit stops of each
/// pair; the counts are empty when no route has any.
fn check_routes(fabric: &Fabric, routes: &SourceRoutes) -> Result<Vec<u8>, ForwardingError> {
    let granularity = routes.granularity();
    let expected = granularity.endpoint_count(fabric);
    let endpoint_count = routes.endpoint_count();
    if endpoint_count != expected {
        return Err(ForwardingError::OtherFabric {
            what: granularity.endpoints_word(),
            found: endpoint_count,
            expected,
        });
    }
    let walk = RouteWalk::new(fabric);
    let mut stop_counts = vec![0_u8; endpoint_count * endpoint_count];
    let mut any_stop = false;
    for row in 0..endpoint_count {
        let from = granularity.endpoint_switch(fabric, row).index();
        for column in 0..endpoint_count {
            let to = granularity.endpoint_switch(fabric, column).index();
            let stops = walk.stops(from, to, routes.steps_between(row, column));
            let Some(stops) = stops else {
                if row == column || !has_hosts(fabric, routes, row, column) {
                    continue;
                }
                let name = |index| match routes.granularity() {
                    PairGranularity::Switch => {
                        fabric.switch(SwitchId::from_index(index)).name.clone()
                    }
                    PairGranularity::Host => fabric.host(HostId::from_index(index)).name.clone(),
                };
                return Err(ForwardingError::BrokenRoute {
                    source_name: name(row),
                    destination_name: name(column),
                });
            };
            any_stop |= stops > 0;
            stop_counts[row * endpoint_count + column] = stops;
        }
    }
    Ok(if any_stop { stop_counts } else { Vec::new() })
}

/// Whether packets can travel between two endpoints of the routes at all.
fn has_hosts(fabric: &Fabric, routes: &SourceRoutes, row: usize, column: usize) -> bool {
    [row, column].iter().all(|&index| {
        !fabric
            .hosts_of(routes.granularity().endpoint_switch(fabric, index))
            .is_empty()
    })
}

/// What a port leads to.
#[derive(Clone, Copy)]
enum Way {
    Nowhere,
    Host,
    Switch(usize),
}

/// Switches and ports as one flat table, to walk millions of routes.
struct RouteWalk {
    ways: Vec<Way>,
}

const ROW: usize = 256;

impl RouteWalk {
    fn new(fabric: &Fabric) -> Self {
        let mut ways = vec![Way::Nowhere; fabric.switch_count() * ROW];
        for switch in fabric.switch_ids() {
            for &channel in fabric.outgoing(switch) {
                let port = fabric.source(channel).port.index();
                ways[switch.index() * ROW + port] = match fabric.target(channel).node {
                    Node::Host(_) => Way::Host,
                    Node::Switch(next) => Way::Switch(next.index()),
                };
            }
        }
        Self { ways }
    }

    /// In-transit stops on the way, or `None` when the steps do not lead from one switch to the
    /// other.
    fn stops(&self, from: usize, to: usize, steps: &[PortNumber]) -> Option<u8> {
        let (mut here, mut stops) = (from, 0_u8);
        for port in steps {
            match self.ways[here * ROW + port.index()] {
                Way::Nowhere => return None,
                Way::Host => stops = stops.checked_add(1)?,
                Way::Switch(next) => here = next,
            }
        }
        (here == to && steps.len() < usize::from(u16::MAX)).then_some(stops)
    }
}
