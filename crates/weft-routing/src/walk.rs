//! Routes step by step, whatever form they are held in.

use crate::lane::Lane;
use crate::routes::{PairGranularity, Routes};
use crate::tables::ForwardingTables;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteHop {
    /// The packet takes this switch-to-switch channel.
    Channel(ChannelId),
    /// The packet is ejected to this host and injected again (an in-transit buffer); the next hop
    /// leaves from the same switch.
    InTransit(HostId),
}

/// Why a step leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadEnd {
    /// No cable is plugged into the port, or there is no such port.
    NoCable,
    /// The switch's table has no entry for the destination.
    NoEntry,
    /// The switch's table leads to this host, which is not the destination.
    OtherHost(HostId),
}

/// One step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteStep {
    /// The switch it leaves.
    pub switch: SwitchId,
    /// The port it leaves by; 0 where a table has no entry.
    pub port: PortNumber,
    /// The lane of the channel it takes.
    pub lane: Lane,
    /// Where it leads.
    pub hop: Result<RouteHop, DeadEnd>,
}

/// The steps of one route; see [`Routes::walk`].
#[derive(Clone, Debug)]
pub struct RouteWalk<'a> {
    fabric: &'a Fabric,
    here: SwitchId,
    first_lane: Lane,
    ended: bool,
    ways: Ways<'a>,
}

#[derive(Clone, Debug)]
enum Ways<'a> {
    Listed {
        routes: &'a crate::SourceRoutes,
        pair: [usize; 2],
        steps: &'a [PortNumber],
        /// The step that comes next.
        place: usize,
    },
    Looked {
        tables: &'a ForwardingTables,
        address: Option<usize>,
        lane: Lane,
        to: SwitchId,
        /// The host at the end where entries lead to hosts.
        to_host: Option<HostId>,
        /// Switches that may still be met.
        left: usize,
    },
}

impl<'a> RouteWalk<'a> {
    /// This stands at the source, with the destination's address given or that which the source sends
    /// to.
    pub(crate) fn new(
        routes: &'a Routes,
        fabric: &'a Fabric,
        [from, to]: [usize; 2],
        alias: Option<u8>,
    ) -> Self {
        let switch = |index| routes.granularity().endpoint_switch(fabric, index);
        let ways = match routes {
            Routes::Source(source_routes) => Ways::Listed {
                routes: source_routes,
                pair: [from, to],
                steps: source_routes.steps_between(from, to),
                place: 0,
            },
            Routes::Tables(tables) => Ways::Looked {
                tables,
                address: match alias {
                    None => tables.address(from, to),
                    Some(alias) => tables.addresses(to).nth(alias.into()),
                },
                lane: tables.lane(from, to),
                to: switch(to),
                to_host: (tables.granularity() == PairGranularity::Host)
                    .then(|| HostId::from_index(to)),
                left: fabric.switch_count(),
            },
        };
        let first_lane = match &ways {
            Ways::Listed { steps: [], .. } => Lane::ZERO,
            Ways::Listed { routes, .. } => routes.lane(from, to, 0),
            Ways::Looked { lane, .. } => *lane,
        };
        Self {
            fabric,
            here: switch(from),
            first_lane,
            ended: false,
            ways,
        }
    }

    /// This is where the walk stands: the switch of the source before the first step, that of the
    /// destination after the last.
    pub fn switch(&self) -> SwitchId {
        self.here
    }

    /// This is the address that packets carry; `None` of source routes, and where the destination has
    /// none.
    pub fn address(&self) -> Option<usize> {
        match &self.ways {
            Ways::Listed { .. } => None,
            Ways::Looked { address, .. } => *address,
        }
    }

    /// This is the lane of the source host's channel: that of the first step, or of a route without
    /// any the lane of its pair.
    pub fn first_lane(&self) -> Lane {
        self.first_lane
    }

    /// This is the next port with its lane; `None` at the end.
    #[inline]
    fn next_way(&mut self) -> Option<(Option<PortNumber>, Lane)> {
        match &mut self.ways {
            Ways::Listed {
                routes,
                pair,
                steps,
                place,
            } => {
                let port = *steps.get(*place)?;
                let lane = routes.lane(pair[0], pair[1], *place);
                *place += 1;
                Some((Some(port), lane))
            }
            Ways::Looked {
                tables,
                address,
                lane,
                to,
                to_host,
                left,
            } => {
                let port = address.and_then(|address| tables.next_port(self.here, address));
                if self.here == *to {
                    // Entries per switch do not lead beyond it; entries per host lead to the host.
                    let host = (*to_host)?;
                    if port == Some(self.fabric.host_port(host)) {
                        return None;
                    }
                }
                *left = left.checked_sub(1)?;
                Some((port, *lane))
            }
        }
    }
}

impl Iterator for RouteWalk<'_> {
    type Item = RouteStep;

    fn next(&mut self) -> Option<RouteStep> {
        if self.ended {
            return None;
        }
        let (port, lane) = self.next_way()?;
        let switch = self.here;
        let is_looked = matches!(self.ways, Ways::Looked { .. });
        let hop = match port {
            None => Err(DeadEnd::NoEntry),
            Some(port) => match self.fabric.outgoing_at(switch, port) {
                None => Err(DeadEnd::NoCable),
                Some(channel) => match self.fabric.target(channel).node {
                    Node::Host(host) if is_looked => Err(DeadEnd::OtherHost(host)),
                    Node::Host(host) => Ok(RouteHop::InTransit(host)),
                    Node::Switch(next) => {
                        self.here = next;
                        Ok(RouteHop::Channel(channel))
                    }
                },
            },
        };
        self.ended = hop.is_err();
        Some(RouteStep {
            switch,
            port: port.unwrap_or(PortNumber::new(0)),
            lane,
            hop,
        })
    }
}
