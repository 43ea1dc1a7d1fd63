//! Cases of the wormhole model, and what is compared in them.

use super::case::{Case, DrawnRouting};
use super::compare::{Horizon, Network, Oracle, Pair, expect_equal};
use super::coverage::Coverage;
use super::fabrics::DrawnFabric;
use super::mapping::Mapping;
use super::random::Draws;
use super::{models, routes};
use std::fmt;
use weft_engine::wormhole::{Engine, ListedRoutes};
use weft_engine::{Division, Simulator, WaitingPacket};
use weft_fabric::{ChannelId, Fabric, Node};
use weft_model::workload::{PATTERNS, Workload};
use weft_model::{ChannelTimings, LossRecord, NicModel, Overflow, PacketRecord, WormholeModel};
use weft_oracle::{Front, Ranks};
use weft_routing::SourceRoutes;

/// A network of the wormhole model, to which things happen where it is `CHANGING`.
pub(crate) struct Wormhole<const CHANGING: bool = false> {
    routes: ListedRoutes<SourceRoutes>,
    mapping: Mapping,
    model: WormholeModel,
}

impl Wormhole {
    /// The engine of a fabric in parts.
    pub(crate) fn divided(
        case: &Case<Self>,
        division: Division,
        thread_count: usize,
    ) -> Result<Engine<'_>, String> {
        let Self { routes, model, .. } = &case.network;
        let (fabric, workload) = (&case.fabric, &case.workload);
        Engine::divided(fabric, routes, model, workload, division, thread_count)
            .map_err(|error| error.to_string())
    }

    pub(crate) fn latency_cycles(&self, channel: ChannelId) -> u64 {
        self.model.channels.of(channel).latency_cycles()
    }
}

impl<const CHANGING: bool> fmt::Debug for Wormhole<CHANGING> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.model.fmt(f)?;
        if CHANGING {
            write!(f, "\n{}", self.mapping)?;
        }
        Ok(())
    }
}

impl Oracle for weft_oracle::Oracle<'_> {
    fn advance(&mut self, end: u64, delivered: &mut Vec<PacketRecord>, lost: &mut Vec<LossRecord>) {
        self.advance(end, delivered);
        *lost = self.take_losses();
    }

    fn reset_use(&mut self) {
        self.reset_use();
    }

    fn counts(&self) -> [u64; 3] {
        [self.now(), self.flit_hops(), self.packet_hops()]
    }

    fn ranks(&self) -> Option<&Ranks<'_>> {
        self.ranks()
    }
}

impl<const CHANGING: bool> Network for Wormhole<CHANGING> {
    type Routes = SourceRoutes;
    type Engine<'a> = Engine<'a>;
    type Oracle<'a> = weft_oracle::Oracle<'a>;

    fn routes(draws: &mut Draws) -> (DrawnFabric, DrawnRouting<SourceRoutes>) {
        routes::draw(draws)
    }

    fn lanes_of(_: &SourceRoutes) -> u64 {
        1
    }

    fn draw(
        draws: &mut Draws,
        fabric: &Fabric,
        routes: SourceRoutes,
        workload: Workload,
        horizon: Horizon,
    ) -> (Self, Workload) {
        let mut mapping = Mapping::default();
        let mut stops = stops(fabric, &routes);
        if CHANGING {
            stops |= draws.once_in(2);
            mapping = Mapping::draw(draws, fabric, &routes, stops, horizon);
        }
        let model = models::draw(draws, fabric, stops, horizon.is_long);
        let workload = match workload {
            // Now and then every host offers what it would over the fastest link.
            Workload::Traffic(traffic) if !draws.once_in(4) => {
                Workload::Traffic(traffic.on_links(fabric, &model.channels).unwrap())
            }
            workload => workload,
        };
        let routes = ListedRoutes::new(fabric, routes).unwrap();
        let network = Self {
            routes,
            mapping,
            model,
        };
        (network, workload)
    }

    fn engine(case: &Case<Self>) -> Result<Engine<'_>, String> {
        let Self { routes, model, .. } = &case.network;
        let (fabric, workload) = (&case.fabric, &case.workload);
        let engine = if CHANGING {
            let Mapping {
                others, changes, ..
            } = &case.network.mapping;
            Engine::with_changes(fabric, routes, others, changes, model, workload)
        } else {
            Engine::new(fabric, routes, model, workload)
        };
        engine.map_err(|error| error.to_string())
    }

    fn oracle(case: &Case<Self>) -> Result<Self::Oracle<'_>, String> {
        let Self {
            routes,
            mapping,
            model,
        } = &case.network;
        let Mapping {
            others, changes, ..
        } = mapping;
        let (fabric, routes) = (&case.fabric, routes.routes());
        let workload = &case.workload;
        let mut oracle =
            weft_oracle::Oracle::with_changes(fabric, routes, others, changes, model, workload)
                .map_err(|error| error.to_string())?;
        if case.passes_pauses || models::are_far_apart(&model.channels) {
            oracle.pass_over_pauses();
        }
        Ok(oracle)
    }

    fn settles(&self) -> (u64, bool) {
        let last = self.mapping.changes.by_cycle().last();
        let last = last.map_or(0, |&(cycle, _)| cycle);
        (last, !self.mapping.others.is_empty())
    }

    fn longest_pause_cycles(case: &Case<Self>) -> u64 {
        let model = &case.network.model;
        let overflow_cycles = match model.overflow {
            Overflow::HostMemory { delay_cycles } => delay_cycles,
            Overflow::Drop => 0,
        };
        let in_transit_cycles = match model.nic {
            NicModel::Delays { in_transit_cycles } => in_transit_cycles,
            NicModel::Firmware(_) => 2_000,
        };
        let timings = models::timings(&model.channels).iter();
        let latency_cycles = timings.map(|timing| timing.latency_cycles()).max().unwrap();
        let pauses = [
            model.routing_delay_cycles,
            in_transit_cycles,
            overflow_cycles,
            model.retransmit_after_cycles,
        ];
        let pauses = pauses.iter().map(|&cycles| u64::from(cycles) + 1);
        let retries = case.network.mapping.changes.retries();
        let again = retries.map_or(0, |retries| retries.timeout_cycles);
        2 * latency_cycles + 1 + again + pauses.sum::<u64>()
    }

    /// Whoever waits too long is discarded in the end.
    fn can_wait_for_ever(&self) -> bool {
        self.model.timeout_cycles.is_none()
    }

    fn compare_use(pair: &Pair<'_, Self>, end: u64) -> Result<(), String> {
        let fabric = &pair.case.fabric;
        for channel in fabric.channel_ids() {
            let found = pair.engine.channel_use(channel);
            expect_equal(&found, &pair.oracle.channel_use(channel), || {
                let name = fabric.describe_channel(channel);
                format!("use of {channel} ({name}) at {end}")
            })?;
        }
        for host in fabric.host_ids() {
            let expected = pair.oracle.pool_use(host);
            expect_equal(&pair.engine.pool_use(host), &expected, || {
                format!("pool of {host} at {end}")
            })?;
            if expected.max_flits > pair.case.network.model.pool_flits {
                return Err(format!(
                    "the oracle overfills the pool of {host}: {expected:?}"
                ));
            }
        }
        Ok(())
    }

    /// Following the packets in front of the buffers from the channel that each holds leads to the
    /// channel it wants, and it is the one that asks for that.
    fn check_waiting(pair: &Pair<'_, Self>, cycle: &[WaitingPacket]) -> Result<(), String> {
        for packet in cycle {
            let mut at = packet.holds;
            let mut front = None;
            for _ in pair.case.fabric.channel_ids() {
                front = pair.oracle.front_at(at);
                match front {
                    Some(Front { output, .. }) if output != packet.wants => at = output,
                    _ => break,
                }
            }
            let found = front.map(|f| (f.source, f.destination, f.sequence, f.output));
            let expected = (
                packet.source,
                packet.destination,
                packet.sequence,
                packet.wants,
            );
            if found != Some(expected) {
                let now = pair.oracle.now();
                return Err(format!(
                    "at {now} the oracle has {front:?} instead of {packet:?}"
                ));
            }
        }
        Ok(())
    }

    fn holds_flits(pair: &Pair<'_, Self>, channel: ChannelId) -> bool {
        pair.oracle.front_at(channel).is_some()
    }

    fn count_packet(coverage: &mut Coverage, record: &PacketRecord) {
        coverage.count_if("packets with stops", record.in_transit_stops > 0);
        coverage.count_if("packets with several stops", record.in_transit_stops > 1);
    }

    fn count_use(pair: &mut Pair<'_, Self>) {
        let coverage = &mut pair.coverage;
        for channel in pair.case.fabric.channel_ids() {
            let usage = pair.oracle.channel_use(channel);
            coverage.count("blocked cycles", usage.blocked_cycles);
            coverage.count_most("cycles of the longest wait", usage.longest_wait_cycles);
        }
        if let Overflow::HostMemory { .. } = pair.case.network.model.overflow {
            for host in pair.case.fabric.host_ids() {
                let overflows = pair.oracle.pool_use(host).overflows;
                coverage.count("overflows to host memory", overflows);
            }
        }
    }

    fn count_case(pair: &mut Pair<'_, Self>) {
        let (case, model) = (pair.case, &pair.case.network.model);
        let has_deadlocked = pair.has_deadlocked();
        let coverage = &mut pair.coverage;
        let packets = coverage.of("packets");
        coverage.count_if("deadlocks", has_deadlocked);
        coverage.count(format!("packets under {:?}", model.arbitration), packets);
        let is_first = |name: &str| {
            let rest = case.workload_text.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with([' ', ':']))
        };
        if let Some(pattern) = PATTERNS.iter().find(|pattern| is_first(pattern.name)) {
            coverage.count(format!("packets of {}", pattern.name), packets);
        }
        if let NicModel::Firmware(firmware) = model.nic {
            coverage.count("firmware", 1);
            coverage.count_if("original firmware", !firmware.handles_in_transit);
            let with_stops = coverage.of("packets with stops");
            coverage.count("packets with stops at firmware", with_stops);
        }
        if let ChannelTimings::ByLink(_) = model.channels {
            coverage.count("links of several rates or lengths", 1);
            coverage.count("packets over such links", packets);
        }
        if models::are_far_apart(&model.channels) {
            coverage.count("packets over rates of 80 to 1", packets);
        }
        let repaired = if case.is_repaired { packets } else { 0 };
        coverage.count("packets over repaired tables", repaired);
        coverage.count_if("parallel links", has_parallel_links(&case.fabric));
        if CHANGING {
            case.network.mapping.count(coverage);
        }
        let symbols = pair.oracle.most_symbols_under_way();
        coverage.count_if("several symbols under way", symbols > 1);
    }
}

/// Whether any route stops in transit: takes a port that leads to a host.
fn stops(fabric: &Fabric, routes: &SourceRoutes) -> bool {
    let granularity = routes.granularity();
    (0..routes.endpoint_count()).any(|row| {
        (0..routes.endpoint_count()).any(|column| {
            let mut here = granularity.endpoint_switch(fabric, row);
            routes.steps_between(row, column).any(|port| {
                let channel = fabric.outgoing_at(here, port);
                match channel.map(|channel| fabric.target(channel).node) {
                    Some(Node::Switch(next)) => here = next,
                    Some(Node::Host(_)) => return true,
                    None => {}
                }
                false
            })
        })
    })
}

fn has_parallel_links(fabric: &Fabric) -> bool {
    fabric.switch_ids().any(|switch| {
        let mut switches: Vec<_> = fabric.hops(switch).iter().map(|hop| hop.switch).collect();
        switches.sort_unstable();
        switches.windows(2).any(|pair| pair[0] == pair[1])
    })
}
