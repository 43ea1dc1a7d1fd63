//! The check of the routes an engine is handed.

use weft_fabric::{Fabric, Node, PortNumber};
use weft_routing::{ForwardingError, PairNames, SourceRoutes};

/// The in-transit stops of every route.
#[derive(Debug)]
pub(super) struct Stops {
    /// By pair of endpoints; empty when no route has any.
    counts: Vec<u8>,
    endpoint_count: usize,
}

impl Stops {
    /// Counts the stops of routes, each of which must lead where it should.
    pub(super) fn of(fabric: &Fabric, routes: &SourceRoutes) -> Result<Self, ForwardingError> {
        let granularity = routes.granularity();
        let endpoint_count = routes.endpoint_count();
        let expected = granularity.endpoint_count(fabric);
        ForwardingError::unless_made_for(granularity.endpoints_word(), endpoint_count, expected)?;
        let switch = |index| granularity.endpoint_switch(fabric, index);
        let has_hosts = |index| !fabric.hosts_of(switch(index)).is_empty();
        let ways = Ways::new(fabric);
        let mut counts = Vec::with_capacity(endpoint_count * endpoint_count);
        for row in 0..endpoint_count {
            let from = switch(row).index();
            for column in 0..endpoint_count {
                let to = switch(column).index();
                let stops = ways.stops(from, to, routes.steps_between(row, column));
                // Nothing travels from an endpoint to itself, or without hosts.
                let is_used = || row != column && has_hosts(row) && has_hosts(column);
                if stops.is_none() && is_used() {
                    let pair = PairNames::of(fabric, granularity, [row, column]);
                    return Err(ForwardingError::BrokenRoute(pair));
                }
                counts.push(stops.unwrap_or(0));
            }
        }
        if counts.iter().all(|&stops| stops == 0) {
            counts = Vec::new();
        }
        Ok(Self {
            counts,
            endpoint_count,
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

/// What a port leads to.
#[derive(Clone, Copy)]
enum Way {
    Nowhere,
    Host,
    Switch(usize),
}

/// Switches and ports as one flat table, to walk millions of routes.
struct Ways(Vec<Way>);

const ROW: usize = 256;

impl Ways {
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
        Self(ways)
    }

    /// In-transit stops on the way, or `None` when the steps do not lead from one switch to the
    /// other.
    fn stops(&self, from: usize, to: usize, steps: &[PortNumber]) -> Option<u8> {
        let (mut here, mut stops) = (from, 0_u8);
        for port in steps {
            match self.0[here * ROW + port.index()] {
                Way::Nowhere => return None,
                Way::Host => stops = stops.checked_add(1)?,
                Way::Switch(next) => here = next,
            }
        }
        (here == to && steps.len() < usize::from(u16::MAX)).then_some(stops)
    }
}
