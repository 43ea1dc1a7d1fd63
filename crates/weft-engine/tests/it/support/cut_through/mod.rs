//! Cases of the cut-through model, and what is compared in them.

mod adaptive;
mod groups;
mod happening;
mod models;
mod routes;

pub(crate) use adaptive::kinds;

use super::case::{Case, DrawnRouting};
use super::compare::{Horizon, Network, Oracle, Pair, expect_equal};
use super::coverage::Coverage;
use super::fabrics::DrawnFabric;
use super::models::{are_far_apart, slowed};
use super::random::Draws;
use super::workloads::sends_control;
use happening::Happening;
use routes::DrawnRoutes;
use std::fmt;
use weft_engine::cut_through::Engine;
use weft_engine::{Division, Simulator, WaitingPacket};
use weft_fabric::{ChannelId, Fabric};
use weft_model::cut_through::{AddressChoice, CutThroughModel, FlowControl, Selection};
use weft_model::workload::Workload;
use weft_model::{ChannelTimings, LossRecord, PacketRecord};
use weft_oracle::{CutThroughOracle, Ranks};
use weft_routing::{
    AdaptiveRoutes, AnyRoutes, CheckedRoutes, GroupTables, HoldsRoutes, Lane, Routes,
};

/// A network of the cut-through model, to which things happen where it is `CHANGING`.
pub(crate) struct CutThrough<const CHANGING: bool = false> {
    routes: CheckedRoutes<DrawnRoutes>,
    happening: Happening,
    model: CutThroughModel,
    timings: ChannelTimings,
}

impl<const CHANGING: bool> fmt::Debug for CutThrough<CHANGING> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{:?}", self.model, self.timings)?;
        if CHANGING {
            write!(f, "\n{}", self.happening)?;
        }
        Ok(())
    }
}

impl Oracle for CutThroughOracle<'_> {
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

impl CutThrough {
    /// The engine of a fabric in parts.
    pub(crate) fn divided<'a>(
        case: &'a Case<Self>,
        division: &Division,
        thread_count: usize,
    ) -> Result<Engine<'a>, String> {
        let Self {
            routes,
            model,
            timings,
            ..
        } = &case.network;
        let (fabric, workload) = (&case.fabric, &case.workload);
        let hardware = (model, timings);
        Engine::divided(fabric, routes, hardware, workload, division, thread_count)
            .map_err(|error| error.to_string())
    }

    pub(crate) fn flight_cycles(&self, channel: ChannelId) -> u64 {
        self.timings.of(channel).flight_cycles.into()
    }
}

impl<const CHANGING: bool> CutThrough<CHANGING> {
    fn lanes(&self) -> impl Iterator<Item = Lane> + use<CHANGING> {
        (0..self.model.lanes).map(Lane::new)
    }

    fn flow_control(&self) -> &'static str {
        match self.model.flow_control {
            FlowControl::Credits => "with credits",
            FlowControl::StopAndGo { .. } => "with stop & go",
        }
    }
}

impl<const CHANGING: bool> Network for CutThrough<CHANGING> {
    type Routes = DrawnRoutes;
    type Engine<'a> = Engine<'a>;
    type Oracle<'a> = CutThroughOracle<'a>;

    fn routes(draws: &mut Draws) -> (DrawnFabric, DrawnRouting<DrawnRoutes>) {
        loop {
            let (fabric, drawn) = routes::draw(draws);
            // Cases in which tables change need routes that do.
            if !CHANGING || matches!(drawn.routes, DrawnRoutes::Fixed(_)) || draws.once_in(2) {
                return (fabric, drawn);
            }
        }
    }

    fn lanes_of(routes: &DrawnRoutes) -> u64 {
        routes.held().lane_count().into()
    }

    fn draw(
        draws: &mut Draws,
        fabric: &Fabric,
        routes: DrawnRoutes,
        workload: Workload,
        horizon: Horizon,
    ) -> (Self, Workload) {
        let mut timings = models::timings(draws, fabric);
        if horizon.is_long {
            timings = slowed(draws, fabric, &timings, 27);
        }
        let mut happening = Happening::default();
        if CHANGING {
            let tables = match routes.held() {
                AnyRoutes::Fixed(Routes::Tables(tables)) => Some(tables),
                AnyRoutes::Fixed(Routes::Source(_)) | AnyRoutes::Adaptive(_) => None,
            };
            happening = Happening::draw(draws, fabric, tables, horizon);
        }
        let lanes_used = routes.held().lane_count().max(happening.lane_count());
        let model = models::draw(draws, fabric, lanes_used, &timings, &workload);
        let network = Self {
            routes: CheckedRoutes::new(fabric, routes).unwrap(),
            happening,
            model,
            timings,
        };
        (network, workload)
    }

    fn engine(case: &Case<Self>) -> Result<Engine<'_>, String> {
        let (network, routes) = (&case.network, &case.network.routes);
        let (model, timings) = (&network.model, &network.timings);
        let Happening {
            others, changes, ..
        } = &network.happening;
        let hardware = (model, timings);
        Engine::with_changes(
            &case.fabric,
            routes,
            others,
            changes,
            hardware,
            &case.workload,
        )
        .map_err(|error| error.to_string())
    }

    fn oracle(case: &Case<Self>) -> Result<CutThroughOracle<'_>, String> {
        let (network, routes) = (&case.network, case.network.routes.routes());
        let (model, timings) = (&network.model, &network.timings);
        let Happening {
            others, changes, ..
        } = &network.happening;
        let hardware = (model, timings);
        let (fabric, workload) = (&case.fabric, &case.workload);
        let mut oracle =
            CutThroughOracle::with_changes(fabric, routes, others, changes, hardware, workload)
                .map_err(|error| format!("{error:?}"))?;
        if case.passes_pauses || are_far_apart(timings) {
            oracle.pass_over_pauses();
        }
        Ok(oracle)
    }

    fn settles(&self) -> (u64, bool) {
        let last = self.happening.changes.by_cycle().last();
        let last = last.map_or(0, |&(cycle, _)| cycle);
        (last, self.happening.changes.are_of_tables())
    }

    fn longest_pause_cycles(case: &Case<Self>) -> u64 {
        let Self { model, timings, .. } = &case.network;
        let most = model
            .packets
            .packet_flits(case.workload.most_payload_bytes());
        let slowest = case.fabric.channel_ids().map(|channel| {
            let timing = timings.of(channel);
            u64::from(timing.cycles_per_flit) * u64::from(most)
                + 4 * u64::from(timing.flight_cycles)
        });
        let control = match model.flow_control {
            FlowControl::Credits => 0,
            FlowControl::StopAndGo {
                control_delay_cycles,
                ..
            } => control_delay_cycles,
        };
        let delays = u64::from(model.lookup_delay_cycles + model.routing_delay_cycles);
        // A buffer full of packets that have no entry empties one by one, and nothing moves meanwhile.
        let dropped = if CHANGING {
            u64::from(model.input_buffer_flits)
                * (delays + u64::from(model.crossbar_cycles_per_flit))
        } else {
            0
        };
        slowest.max().unwrap_or(0) + delays + u64::from(control) + dropped + 10
    }

    fn compare_use(pair: &Pair<'_, Self>, end: u64) -> Result<(), String> {
        let fabric = &pair.case.fabric;
        for channel in fabric.channel_ids() {
            for lane in pair.case.network.lanes() {
                let found = pair.engine.lane_use(channel, lane);
                expect_equal(&found, &pair.oracle.lane_use(channel, lane), || {
                    let name = fabric.describe_channel(channel);
                    format!("use of lane {lane} of {channel} ({name}) at {end}")
                })?;
            }
        }
        let found = pair.engine.counters().packets_alive;
        let expected = pair.oracle.packets_under_way() as u64;
        expect_equal(&found, &expected, || format!("packets under way at {end}"))
    }

    fn check_waiting(pair: &Pair<'_, Self>, cycle: &[WaitingPacket]) -> Result<(), String> {
        let is_empty =
            |packet: &&WaitingPacket| pair.oracle.room(packet.holds, packet.holds_lane).held == 0;
        match cycle.iter().find(is_empty) {
            Some(packet) => Err(format!("the oracle has no flit where {packet:?} waits")),
            None => Ok(()),
        }
    }

    fn holds_flits(pair: &Pair<'_, Self>, channel: ChannelId) -> bool {
        let mut lanes = pair.case.network.lanes();
        lanes.any(|lane| pair.oracle.room(channel, lane).held > 0)
    }

    fn count_packet(coverage: &mut Coverage, record: &PacketRecord) {
        coverage.count_if("packets out of order", record.overtaken_by > 0);
        coverage.count_most("packets that overtook one", record.overtaken_by.into());
    }

    fn count_use(pair: &mut Pair<'_, Self>) {
        let network = &pair.case.network;
        let coverage = &mut pair.coverage;
        let blocked = format!("blocked cycles {}", network.flow_control());
        for channel in pair.case.fabric.channel_ids() {
            for lane in network.lanes() {
                let usage = pair.oracle.lane_use(channel, lane);
                coverage.count(&blocked, usage.blocked_cycles);
                coverage.count_most("cycles of the longest wait", usage.longest_wait_cycles);
                if usage.max_occupancy_flits == network.model.input_buffer_flits {
                    coverage.count_most("full buffers", 1);
                }
            }
        }
    }

    fn count_case(pair: &mut Pair<'_, Self>) {
        let network = &pair.case.network;
        let model = &network.model;
        let fixed = match network.routes.routes() {
            AnyRoutes::Fixed(routes) => Some(routes),
            AnyRoutes::Adaptive(_) => None,
        };
        let is_slow = matches!(&network.timings, ChannelTimings::ByLink(timings)
            if timings.iter().any(|timing| timing.cycles_per_flit > 1));
        let is_far_apart = are_far_apart(&network.timings);
        let has_control = model.control_lanes_from > 0 && sends_control(&pair.case.workload);
        let turns = fixed.map_or(1, Routes::turns);
        let has_tables = matches!(fixed, Some(Routes::Tables(t)) if t.lane_tables().is_some());
        let addresses = match fixed {
            Some(Routes::Tables(tables)) if tables.sends_to_any_address() => Some(model.addresses),
            _ => None,
        };
        let groups = match network.routes.routes() {
            AnyRoutes::Adaptive(AdaptiveRoutes::Groups(tables)) => Some(tables),
            _ => None,
        };
        let has_groups = groups.is_some();
        let has_groups_with_lanes = groups.is_some_and(|tables| tables.lane_tables().is_some());
        let flow_control = network.flow_control();
        let has_deadlocked = pair.has_deadlocked();
        let coverage = &mut pair.coverage;
        let packets = coverage.of("packets");
        for (what, is_so) in [
            (flow_control, true),
            (
                "without output buffers",
                model.output_buffer_flits.is_none(),
            ),
            (
                "over several lanes",
                network.routes.routes().lane_count() > 1,
            ),
            ("beside control", model.control_lanes_from > 0),
            ("by lane tables", has_tables),
            (
                "to addresses by hash",
                addresses == Some(AddressChoice::Hash),
            ),
            (
                "to addresses in turn",
                addresses == Some(AddressChoice::Even),
            ),
            ("by choice", fixed.is_none()),
            ("by groups", has_groups),
            (
                "selected at random",
                fixed.is_none() && model.selection == Selection::Random,
            ),
            (
                "selected by hash",
                fixed.is_none() && model.selection == Selection::Hash,
            ),
            (
                "chosen ahead of time",
                fixed.is_none()
                    && model.choice_delay_cycles > 0
                    && model.selection == Selection::Emptiest,
            ),
            ("by groups and lane tables", has_groups_with_lanes),
            (
                "by groups at levels of pairs",
                groups.is_some_and(GroupTables::has_pair_levels),
            ),
            ("over slow links", is_slow),
            ("over rates of 80 to 1", is_far_apart),
            ("by lane tables in turns", has_tables && turns > 1),
            ("beside control by lane tables", has_tables && has_control),
            ("beside control by choice", fixed.is_none() && has_control),
            ("beside control in turns", turns > 1 && has_control),
            ("over repaired tables", pair.case.is_repaired),
        ] {
            coverage.count(format!("packets {what}"), if is_so { packets } else { 0 });
        }
        coverage.count_if(format!("deadlocks {flow_control}"), has_deadlocked);
        coverage.count_if("alternating lanes", turns > 1);
        if CHANGING {
            let lost = if has_groups {
                coverage.of("Failure")
            } else {
                0
            };
            coverage.count("failures where groups choose", lost);
            network.happening.count(coverage);
        }
    }
}
