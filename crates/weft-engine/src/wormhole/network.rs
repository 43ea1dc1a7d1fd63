//! Building an engine: the network as flat arrays, and the check of what it is handed.

use super::Core;
use super::event::{Event, MAX_PARTS};
use super::firmware::Control;
use super::nic::Nic;
use super::run::{Run, Timing};
use super::state::{Blocked, Channel, Ends, Input, NONE, Output};
use super::stores::Rings;
use crate::queue::{EventQueue, NEVER};
use crate::reports::Reports;
use crate::script::Script;
use crate::slab::Slab;
use weft_fabric::{Fabric, HostId, Node, PortNumber};
use weft_model::workload::Workload;
use weft_model::{Arbitration, NicModel, WormholeError, WormholeModel};
use weft_routing::{ForwardingError, PairGranularity, SourceRoutes};

/// An engine cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The hardware's parameters contradict one another.
    #[error(transparent)]
    Model(#[from] WormholeError),
    /// The routes cannot carry packets over the fabric.
    #[error(transparent)]
    Routes(#[from] ForwardingError),
    /// The routes use virtual lanes.
    #[error(
        "the routes use {lane_count} virtual lanes, but channels of wormhole hardware have one; \
         choose a routing with one lane"
    )]
    Lanes {
        /// Lanes the routes use.
        lane_count: u8,
    },
    /// The routes stop in transit, which the firmware of NICs does not know.
    #[error(
        "the routes stop in transit, which the original firmware of NICs does not handle; choose the \
         firmware with in-transit support, or routes without such stops"
    )]
    NoInTransit,
    /// More channels or hosts than events can number.
    #[error("the fabric has {found} channels; at most {limit} can be simulated")]
    TooLarge {
        /// Channels of the fabric.
        found: usize,
        /// The most there can be.
        limit: usize,
    },
}

/// Channels, with sinks if there are any.
pub(super) fn part_count(fabric: &Fabric, model: &WormholeModel) -> usize {
    fabric.channel_count() << u32::from(model.timeout_cycles.is_some())
}

/// The length of a route between two hosts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Route {
    pub(super) step_count: u16,
    stop_count: u8,
}

impl<'a, T: Timing> Core<'a, T> {
    /// Makes an engine at cycle 0 with an empty network; the model has been checked.
    pub(super) fn new(
        fabric: &Fabric,
        routes: &'a SourceRoutes,
        model: &WormholeModel,
        workload: &'a Workload,
        timing: T,
    ) -> Result<Self, EngineError> {
        let channel_count = fabric.channel_count();
        let timeout = model.timeout_cycles.map(|cycles| u64::from(cycles.get()));
        let part_count = part_count(fabric, model);
        if part_count >= MAX_PARTS {
            return Err(EngineError::TooLarge {
                found: channel_count,
                limit: (MAX_PARTS - 1) >> u32::from(timeout.is_some()),
            });
        }
        if routes.lane_count() > 1 {
            return Err(EngineError::Lanes {
                lane_count: routes.lane_count(),
            });
        }
        let stop_counts = check_routes(fabric, routes)?;
        if let NicModel::Firmware(firmware) = model.nic
            && !firmware.handles_in_transit
            && !stop_counts.is_empty()
        {
            return Err(EngineError::NoInTransit);
        }

        let mut ends: Vec<Ends> = fabric
            .channel_ids()
            .map(|channel| {
                let (source, target) = (fabric.source(channel), fabric.target(channel));
                Ends::new(source, target)
            })
            .collect();

        let highest_port = fabric
            .switch_ids()
            .flat_map(|switch| fabric.outgoing(switch))
            .map(|&channel| fabric.source(channel).port.index())
            .max()
            .unwrap_or(0);
        let ports_per_switch = (highest_port + 1).next_power_of_two();
        let words = highest_port / 64 + 1;
        let mut port_channels = vec![NONE; fabric.switch_count() * ports_per_switch];
        let mut last_ports = vec![0_u8; fabric.switch_count()];
        for switch in fabric.switch_ids() {
            for &channel in fabric.outgoing(switch) {
                let port = fabric.source(channel).port;
                port_channels[switch.index() * ports_per_switch + port.index()] = channel.number();
                last_ports[switch.index()] = port.number();
            }
        }
        // Round robin starts at the last port, so that the first one comes first.
        let last_granted = ends
            .iter()
            .map(|end| {
                last_ports
                    .get(end.source_switch() as usize)
                    .copied()
                    .unwrap_or(0)
            })
            .collect();

        if timeout.is_some() {
            ends.extend_from_within(..);
            for sink in &mut ends[channel_count..] {
                *sink = Ends::sink(sink);
            }
        }
        let longest = fabric
            .channel_ids()
            .map(|c| model.channels.of(c).latency_cycles());
        let longest = longest.max().unwrap_or(1);
        let history = 2 * longest + 2;
        let mut engine = Self {
            model: model.clone(),
            timing,
            routing_delay: u64::from(model.routing_delay_cycles),
            is_lossy: model.bit_error_rate > 0.0,
            stop_above: threshold(model.stop_above_flits),
            go_below: threshold(model.go_below_flits),
            in_transit_delay: match model.nic {
                NicModel::Delays { in_transit_cycles } => in_transit_cycles.into(),
                NicModel::Firmware(_) => 0,
            },
            pool_flits: u64::from(model.pool_flits),
            overflow: model.overflow,
            timeout: timeout.unwrap_or(NEVER),
            has_firmware: matches!(model.nic, NicModel::Firmware(_)),
            retransmit_after: u64::from(model.retransmit_after_cycles),
            local_equal_at: model.local_equal_at_packets as usize,
            workload,
            script: Script::new(workload),
            seed: workload.seed(),
            routes,
            stop_counts,
            host_ports: fabric
                .host_ids()
                .map(|host| fabric.host_port(host).number())
                .collect(),
            host_switches: fabric
                .host_ids()
                .map(|host| fabric.host_switch(host).number())
                .collect(),
            port_channels,
            ports_per_switch,
            channel_count,
            channels: ends
                .into_iter()
                .map(|ends| Channel {
                    output: Output::idle(),
                    input: Input::empty(),
                    ends,
                })
                .collect(),
            runs: Rings::new(part_count, history, Run::NONE),
            history_cycles: history,
            symbols: Rings::new(channel_count, longest + 1, 0),
            requests: vec![0; part_count * words],
            words,
            last_granted,
            grants: match model.arbitration {
                Arbitration::Random => vec![0; channel_count],
                _ => Vec::new(),
            },
            blocked: vec![Blocked::NEVER; part_count],
            busy_at_reset: vec![0; channel_count],
            watched: vec![false; part_count - channel_count],
            packets: Slab::new(),
            visits: Slab::new(),
            nics: Vec::with_capacity(fabric.host_count()),
            pool_active: vec![false; fabric.host_count()],
            reports: Reports::new(),
            now: 0,
            queue: EventQueue::new(),
            events: 0,
            packet_hops: 0,
            contested: Vec::new(),
            timed_out: Vec::new(),
            undecided: Vec::new(),
            touched_inputs: Vec::new(),
        };
        for host in fabric.host_ids() {
            let channel = fabric.injection_channel(host).number();
            let control = Control::of(model.nic);
            let nic = Nic::new(channel, workload.stream(host), control);
            engine.nics.push(nic);
            engine.queue.push(0, Event::Nic.on(host.number()));
        }
        for (host, cycle) in engine.script.first_acts(fabric.host_count()) {
            engine.queue.push(cycle, Event::Act.on(host.number()));
        }
        Ok(engine)
    }

    /// The endpoints of the routes that two hosts stand for.
    fn endpoints(&self, source: u32, destination: u32) -> (usize, usize) {
        let (row, column) = match self.routes.granularity() {
            PairGranularity::Host => (source, destination),
            PairGranularity::Switch => (
                self.host_switches[source as usize],
                self.host_switches[destination as usize],
            ),
        };
        (row as usize, column as usize)
    }

    /// The ports on the way between two hosts, the final one left out.
    #[inline]
    pub(super) fn steps(&self, source: u32, destination: u32) -> &'a [PortNumber] {
        let (row, column) = self.endpoints(source, destination);
        self.routes.steps_between(row, column)
    }

    /// The route between two hosts.
    pub(super) fn route(&self, source: u32, destination: u32) -> Route {
        let (row, column) = self.endpoints(source, destination);
        let pair = row * self.routes.endpoint_count() + column;
        let stop_count = self.stop_counts.get(pair).copied().unwrap_or(0);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the check of the routes has refused longer ones"
        )]
        Route {
            step_count: self.routes.steps_between(row, column).len() as u16,
            stop_count,
        }
    }

    /// Flits of a packet on its first channel.
    pub(super) fn packet_flits(&self, route: Route, payload_bytes: u32) -> u32 {
        let ports = u32::from(route.step_count) + 1;
        self.model
            .packet_flits(ports, u32::from(route.stop_count), payload_bytes)
    }
}

/// A threshold as a signed number. Packets have fewer than 2^31 flits, so a higher one is never
/// crossed anyway.
fn threshold(flits: u32) -> i32 {
    i32::try_from(flits)
        .unwrap_or(i32::MAX / 2)
        .min(i32::MAX / 2)
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
                    PairGranularity::Switch => fabric
                        .switch(weft_fabric::SwitchId::from_index(index))
                        .name
                        .clone(),
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
