//! Routes step by step, whatever form they are held in.

use crate::form::{
    ForwardingTables, Lane, PackedRow, PairGranularity, RouteRow, Routes, SourceRoutes, Steps,
};
use rayon::prelude::*;
use std::borrow::Cow;
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
    /// The switch's lane table has no lane for the packet.
    NoLane {
        /// The packet's service level.
        service_level: u8,
    },
}

/// One step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteStep {
    /// The switch it leaves.
    pub switch: SwitchId,
    /// The port it leaves by; 0 where a table has no entry.
    pub port: PortNumber,
    /// The lane of the channel it takes; 0 where a table has no entry.
    pub lane: Lane,
    /// Where it leads.
    pub hop: Result<RouteHop, DeadEnd>,
}

/// The steps of one route; see [`Routes::walk`].
#[derive(Clone, Debug)]
pub struct RouteWalk<'a> {
    fabric: &'a Fabric,
    here: SwitchId,
    /// The port the packet came in by.
    entered_by: PortNumber,
    /// What its turn adds to the lanes of its steps.
    lane_shift: u8,
    /// The lane of the pair and turn.
    service_level: u8,
    /// The lane the packet is on, if it has one.
    lane: Option<Lane>,
    ended: bool,
    circles: bool,
    ways: Ways<'a>,
}

/// Which of the packets of a pair a walk follows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    /// The source; without, the first host of its switch.
    pub(crate) source: Option<HostId>,
    /// The destination's address; without, that which the source sends to.
    pub(crate) alias: Option<u8>,
    /// The turn among the packets of the pair.
    pub(crate) turn: u8,
}

#[derive(Clone, Debug)]
enum Ways<'a> {
    Listed {
        steps: Steps<'a>,
    },
    Looked {
        tables: &'a ForwardingTables,
        address: Option<usize>,
        to: SwitchId,
        /// The host at the end where entries lead to hosts.
        to_host: Option<HostId>,
        /// Switches that may still be met.
        left: usize,
    },
}

impl<'a> RouteWalk<'a> {
    /// Stands at the source, the first of its switch's hosts unless another is given, with the
    /// destination's address given or that which the source sends to.
    pub(crate) fn new(
        routes: &'a Routes,
        fabric: &'a Fabric,
        [from, to]: [usize; 2],
        start: Start,
    ) -> Self {
        let granularity = routes.granularity();
        let here = granularity.endpoint_switch(fabric, from);
        let host = start.source.or_else(|| match granularity {
            PairGranularity::Host => Some(HostId::from_index(from)),
            PairGranularity::Switch => fabric.hosts_of(here).first().copied(),
        });
        let ways = match routes {
            Routes::Source(source_routes) => Ways::Listed {
                steps: source_routes.steps_between(from, to),
            },
            Routes::Tables(tables) => Ways::Looked {
                tables,
                address: match start.alias {
                    None => tables.address(from, to),
                    Some(alias) => tables.addresses(to).nth(alias.into()),
                },
                to: granularity.endpoint_switch(fabric, to),
                to_host: (granularity == PairGranularity::Host).then(|| HostId::from_index(to)),
                left: fabric.switch_count(),
            },
        };
        let lane_shift = routes.lane_shift(start.turn);
        let service_level = routes.first_lane(from, to).number() + lane_shift;
        Self {
            fabric,
            here,
            entered_by: host.map_or(PortNumber::new(0), |host| fabric.host_port(host)),
            lane_shift,
            service_level,
            lane: match routes.lane_tables() {
                None => Some(Lane::new(service_level)),
                Some(tables) => tables.host_lane(service_level),
            },
            ended: false,
            circles: false,
            ways,
        }
    }

    /// Where the walk stands: the switch of the source before the first step, that of the
    /// destination after the last.
    pub fn switch(&self) -> SwitchId {
        self.here
    }

    /// Whether the walk ended because the tables lead in a circle, wherever on it that was.
    pub fn is_in_a_circle(&self) -> bool {
        self.circles
    }

    /// The address that packets carry; `None` of source routes, and where the destination has
    /// none.
    pub fn address(&self) -> Option<usize> {
        match &self.ways {
            Ways::Listed { .. } => None,
            Ways::Looked { address, .. } => *address,
        }
    }

    /// The service level of the packets: the lane of their pair and turn.
    pub fn service_level(&self) -> u8 {
        self.service_level
    }

    /// The lane of the channel that leads to where the walk stands: before the first step that
    /// of the source host. `None` where a lane table has none.
    pub fn lane(&self) -> Option<Lane> {
        self.lane
    }

    /// The lane of the channel from where the walk stands to the host at a port, for the last
    /// step of all. `None` where a lane table has none.
    pub fn ejection_lane(&self, port: PortNumber) -> Option<Lane> {
        self.next_lane(port)
    }

    /// The lane of the next channel by the switch's rule.
    #[inline]
    fn next_lane(&self, port: PortNumber) -> Option<Lane> {
        let Ways::Looked { tables, .. } = &self.ways else {
            return self.lane;
        };
        let Some(lanes) = tables.lane_tables() else {
            return self.lane;
        };
        lanes.lane(
            self.here,
            [self.entered_by, port],
            self.service_level,
            self.lane?,
        )
    }

    /// The next port, with its lane where the route itself says it; `None` at the end.
    #[inline]
    fn next_way(&mut self) -> Option<(Option<PortNumber>, Option<Lane>)> {
        match &mut self.ways {
            Ways::Listed { steps } => {
                let (port, lane) = steps.next_on_lane()?;
                let lane = Lane::new(lane.number() + self.lane_shift);
                Some((Some(port), Some(lane)))
            }
            Ways::Looked {
                tables,
                address,
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
                let Some(fewer) = left.checked_sub(1) else {
                    self.circles = true;
                    return None;
                };
                *left = fewer;
                Some((port, None))
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
        let (port, own_lane) = self.next_way()?;
        let switch = self.here;
        let lane = own_lane.or_else(|| self.next_lane(port?));
        let hop = self.hop(port, lane);
        self.ended = hop.is_err();
        if let Ok(RouteHop::Channel(channel)) = hop {
            let end = self.fabric.target(channel);
            if let Node::Switch(next) = end.node {
                self.here = next;
            }
            self.entered_by = end.port;
        }
        self.lane = lane;
        Some(RouteStep {
            switch,
            port: port.unwrap_or(PortNumber::new(0)),
            lane: lane.unwrap_or_default(),
            hop,
        })
    }
}

impl RouteWalk<'_> {
    /// Where a port leads.
    #[inline]
    fn hop(&self, port: Option<PortNumber>, lane: Option<Lane>) -> Result<RouteHop, DeadEnd> {
        let port = port.ok_or(DeadEnd::NoEntry)?;
        let channel = self.fabric.outgoing_at(self.here, port);
        let channel = channel.ok_or(DeadEnd::NoCable)?;
        match self.fabric.target(channel).node {
            Node::Host(host) if matches!(self.ways, Ways::Looked { .. }) => {
                Err(DeadEnd::OtherHost(host))
            }
            Node::Host(host) => Ok(RouteHop::InTransit(host)),
            Node::Switch(_) if lane.is_none() => Err(DeadEnd::NoLane {
                service_level: self.service_level,
            }),
            Node::Switch(_) => Ok(RouteHop::Channel(channel)),
        }
    }
}

impl Routes {
    /// The steps of a route, each resolved to where it leads. The walk ends at the
    /// destination's switch, or at the first step that leads nowhere; over tables that lead in a
    /// circle it ends once it has met more switches than there are.
    ///
    /// # Panics
    /// When an endpoint offset is out of range.
    pub fn walk<'a>(
        &'a self,
        fabric: &'a Fabric,
        source_index: usize,
        destination_index: usize,
    ) -> RouteWalk<'a> {
        RouteWalk::new(
            self,
            fabric,
            [source_index, destination_index],
            Start::default(),
        )
    }

    /// The steps of the route from one host to another.
    pub fn walk_hosts<'a>(
        &'a self,
        fabric: &'a Fabric,
        source: HostId,
        destination: HostId,
    ) -> RouteWalk<'a> {
        let granularity = self.granularity();
        let [from, to] = [source, destination].map(|host| granularity.endpoint(fabric, host));
        self.walk(fabric, from, to)
    }

    /// The steps of the routes from one endpoint to another: one, or where sources may choose from the
    /// destination's addresses one to each, over which packets spread evenly.
    pub fn walks<'a>(
        &'a self,
        fabric: &'a Fabric,
        source_index: usize,
        destination_index: usize,
    ) -> impl ExactSizeIterator<Item = RouteWalk<'a>> {
        let choices = self.choices(destination_index);
        (0..choices.unwrap_or(1)).map(move |alias| {
            let start = Start {
                alias: choices.map(|_| alias),
                ..Start::default()
            };
            RouteWalk::new(self, fabric, [source_index, destination_index], start)
        })
    }

    /// The same of hosts.
    pub fn walks_of_hosts<'a>(
        &'a self,
        fabric: &'a Fabric,
        pair: [HostId; 2],
    ) -> impl ExactSizeIterator<Item = RouteWalk<'a>> {
        let [from, to] = pair.map(|host| self.granularity().endpoint(fabric, host));
        self.walks(fabric, from, to)
    }

    /// The same routes as a list of output ports per pair, which is how packets carry
    /// them and how they are simulated.
    ///
    /// Of a pair whose tables lead nowhere or in a circle, the route ends on the way.
    pub fn to_source_routes(&self, fabric: &Fabric) -> Cow<'_, SourceRoutes> {
        let tables = match self {
            Self::Source(routes) => return Cow::Borrowed(routes),
            Self::Tables(tables) => tables,
        };
        let has_host = |index: usize| {
            let switch = tables.granularity().endpoint_switch(fabric, index);
            !fabric.hosts_of(switch).is_empty()
        };
        let route = |source: usize, destination: usize| {
            let is_used = source != destination && has_host(source) && has_host(destination);
            let walk = is_used.then(|| self.walk(fabric, source, destination));
            let steps = walk.into_iter().flatten().filter(|step| step.hop.is_ok());
            steps.map(|step| (step.port, step.lane))
        };
        let ends = 0..tables.endpoint_count();
        let row = |source| {
            let row = RouteRow::on_lanes(ends.clone().map(|to| route(source, to)));
            PackedRow::from(&row)
        };
        let rows = ends.clone().into_par_iter().map(row).collect();
        let routes = SourceRoutes::from_packed(tables.granularity(), rows);
        Cow::Owned(routes.in_turns(tables.turns()))
    }
}
