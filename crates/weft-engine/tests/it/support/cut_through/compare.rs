//! The comparison: engine and oracle through one case, stretch by stretch, everything they record.

use super::super::{programs, workloads};
use super::adaptive;
use super::case::Case;
use super::routes::drawn_algorithms;
use std::collections::{BTreeMap, BTreeSet};
use weft_engine::cut_through::Engine;
use weft_engine::{Probe, Simulator, WaitingPacket};
use weft_model::cut_through::FlowControl;
use weft_model::{ChannelTimings, LossRecord, PacketRecord};
use weft_oracle::{CutThroughOracle, Ranks};
use weft_routing::{Lane, Refusal, Routes};

#[derive(Default)]
struct Collector(Vec<PacketRecord>);

impl Probe for Collector {
    fn delivered(&mut self, record: &PacketRecord) {
        self.0.push(*record);
    }

    fn lost(&mut self, record: &LossRecord) {
        unreachable!("nothing is lost with cut-through, but {record:?}");
    }
}

/// What the compared cases contained.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) cases: u64,
    pub(crate) cases_by_kind: BTreeMap<String, u64>,
    pub(crate) packets: u64,
    pub(crate) packets_with_credits: u64,
    pub(crate) packets_with_stop_and_go: u64,
    pub(crate) packets_without_output_buffers: u64,
    pub(crate) packets_over_several_lanes: u64,
    pub(crate) packets_beside_control: u64,
    pub(crate) packets_by_lane_tables: u64,
    pub(crate) packets_that_choose: u64,
    pub(crate) packets_over_slow_links: u64,
    pub(crate) blocked_cycles_with_credits: u64,
    pub(crate) blocked_cycles_with_stop_and_go: u64,
    pub(crate) cases_of_alternating_lanes: u64,
    pub(crate) cases_with_full_buffers: u64,
    pub(crate) deadlocks_with_credits: u64,
    pub(crate) deadlocks_with_stop_and_go: u64,
    pub(crate) cases_of_patterns: u64,
    pub(crate) cases_of_bursts: u64,
    pub(crate) finished_programs: u64,
    pub(crate) longest_wait_cycles: u64,
}

impl Coverage {
    pub(crate) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        for (kind, cases) in &other.cases_by_kind {
            *self.cases_by_kind.entry(kind.clone()).or_default() += cases;
        }
        self.packets += other.packets;
        self.packets_with_credits += other.packets_with_credits;
        self.packets_with_stop_and_go += other.packets_with_stop_and_go;
        self.packets_without_output_buffers += other.packets_without_output_buffers;
        self.packets_over_several_lanes += other.packets_over_several_lanes;
        self.packets_beside_control += other.packets_beside_control;
        self.packets_by_lane_tables += other.packets_by_lane_tables;
        self.packets_that_choose += other.packets_that_choose;
        self.packets_over_slow_links += other.packets_over_slow_links;
        self.blocked_cycles_with_credits += other.blocked_cycles_with_credits;
        self.blocked_cycles_with_stop_and_go += other.blocked_cycles_with_stop_and_go;
        self.cases_of_alternating_lanes += other.cases_of_alternating_lanes;
        self.cases_with_full_buffers += other.cases_with_full_buffers;
        self.deadlocks_with_credits += other.deadlocks_with_credits;
        self.deadlocks_with_stop_and_go += other.deadlocks_with_stop_and_go;
        self.cases_of_patterns += other.cases_of_patterns;
        self.cases_of_bursts += other.cases_of_bursts;
        self.finished_programs += other.finished_programs;
        self.longest_wait_cycles += other.longest_wait_cycles;
    }

    /// What, how often a case it was found, how often it must be.
    pub(crate) fn occurrences(&self) -> Vec<(&str, f64, f64)> {
        let per_case = |count: u64| count as f64 / self.cases as f64;
        let mut found = vec![
            ("packets", per_case(self.packets), 50.0),
            ("with credits", per_case(self.packets_with_credits), 25.0),
            (
                "with stop & go",
                per_case(self.packets_with_stop_and_go),
                25.0,
            ),
            (
                "without output buffers",
                per_case(self.packets_without_output_buffers),
                25.0,
            ),
            (
                "over several lanes",
                per_case(self.packets_over_several_lanes),
                25.0,
            ),
            (
                "packets where control has lanes of its own",
                per_case(self.packets_beside_control),
                5.0,
            ),
            (
                "lanes by tables",
                per_case(self.packets_by_lane_tables),
                2.0,
            ),
            ("by choice", per_case(self.packets_that_choose), 10.0),
            (
                "over slow links",
                per_case(self.packets_over_slow_links),
                15.0,
            ),
            (
                "cycles without credits",
                per_case(self.blocked_cycles_with_credits),
                500.0,
            ),
            (
                "cycles stopped",
                per_case(self.blocked_cycles_with_stop_and_go),
                500.0,
            ),
            (
                "alternating lanes",
                per_case(self.cases_of_alternating_lanes),
                0.05,
            ),
            ("full buffers", per_case(self.cases_with_full_buffers), 0.12),
            (
                "deadlocks with credits",
                per_case(self.deadlocks_with_credits),
                0.002,
            ),
            (
                "deadlocks with stop & go",
                per_case(self.deadlocks_with_stop_and_go),
                0.004,
            ),
            ("patterns", per_case(self.cases_of_patterns), 0.3),
            ("finished programs", per_case(self.finished_programs), 0.04),
            ("bursts", per_case(self.cases_of_bursts), 0.1),
            ("longest wait", per_case(self.longest_wait_cycles), 200.0),
        ];
        let algorithms = drawn_algorithms().into_iter();
        let algorithms = algorithms.map(|algorithm| {
            // Some want whole grids or trees, some more lanes than there are.
            let needs_shape = |refusal: &Refusal| matches!(refusal, Refusal::Tree | Refusal::Gaps);
            let least = match algorithm.refuses {
                [] => 0.01,
                refuses if refuses.iter().any(needs_shape) => 0.0,
                _ => 0.001,
            };
            (algorithm.name, least)
        });
        let choosing = adaptive::KINDS.iter().map(|&kind| (kind, 0.01));
        for (kind, least) in algorithms.chain(choosing) {
            let cases = self.cases_by_kind.get(kind).copied().unwrap_or(0);
            found.push((kind, per_case(cases), least));
        }
        found
    }
}

struct Pair<'a> {
    case: &'a Case,
    engine: Engine<'a>,
    oracle: CutThroughOracle<'a>,
    coverage: Coverage,
    seen: BTreeSet<(u32, u64)>,
    deadlock: Option<Vec<WaitingPacket>>,
}

/// Runs one case through both. The error says what differs first.
pub(crate) fn compare(case: &Case) -> Result<Coverage, String> {
    let (fabric, routes, model) = (&case.fabric, case.routes.any(), &case.model);
    let (timings, workload) = (&case.timings, &case.workload);
    let mut pair = Pair {
        case,
        engine: Engine::with_routes(fabric, routes, model, timings, workload)
            .map_err(|error| format!("the engine refuses the case: {error}"))?,
        oracle: CutThroughOracle::with_routes(fabric, routes, model, timings, workload)
            .map_err(|error| format!("the oracle refuses the case: {error:?}"))?,
        coverage: Coverage {
            cases: 1,
            ..Coverage::default()
        },
        seen: BTreeSet::new(),
        deadlock: None,
    };
    for (index, &end) in case.stretch_ends.iter().enumerate() {
        pair.advance(end)?;
        pair.ask_for_deadlock()?;
        if index == case.reset_after {
            pair.count_use();
            pair.engine.reset_use();
            pair.oracle.reset_use();
        }
    }
    pair.count_use();
    pair.compare_deadlock()?;
    Ok(pair.count_case())
}

impl Pair<'_> {
    fn advance(&mut self, end: u64) -> Result<(), String> {
        let mut found = Collector::default();
        let mut expected = Vec::new();
        self.engine.advance(end, &mut found);
        self.oracle.advance(end, &mut expected);
        let mut found = found.0;
        found.sort_by_key(|record| (record.delivery_cycle, record.destination));
        expected.sort_by_key(|record| (record.delivery_cycle, record.destination));
        for index in 0..found.len().max(expected.len()) {
            let (found, expected) = (found.get(index), expected.get(index));
            if found != expected {
                return Err(format!(
                    "packet {index} of the stretch before {end}\nengine {found:?}\noracle {expected:?}"
                ));
            }
        }
        for record in &expected {
            let packet = (record.source.number(), record.sequence);
            if !self.seen.insert(packet) {
                return Err(format!("delivered twice: {record:?}"));
            }
            let is_waiting =
                |waiting: &WaitingPacket| (waiting.source.number(), waiting.sequence) == packet;
            if self.deadlock.iter().flatten().any(is_waiting) {
                return Err(format!("a deadlocked packet is delivered: {record:?}"));
            }
        }
        self.coverage.packets += expected.len() as u64;
        self.compare_use(end)
    }

    fn compare_use(&self, end: u64) -> Result<(), String> {
        for channel in self.case.fabric.channel_ids() {
            for lane in (0..self.case.model.lanes).map(Lane::new) {
                let found = self.engine.lane_use(channel, lane);
                let expected = self.oracle.lane_use(channel, lane);
                if found != expected {
                    let name = self.case.fabric.describe_channel(channel);
                    return Err(format!(
                        "use of lane {lane} of {channel} ({name}) at {end}\nengine {found:?}\n\
                         oracle {expected:?}"
                    ));
                }
            }
        }
        let counters = self.engine.counters();
        let found = (
            counters.flit_hops,
            counters.packet_hops,
            counters.packets_alive,
            self.engine.now(),
        );
        let expected = (
            self.oracle.flit_hops(),
            self.oracle.packet_hops(),
            self.oracle.packets_under_way() as u64,
            self.oracle.now(),
        );
        if found != expected {
            return Err(format!(
                "(flit hops, packet hops, packets under way, now) at {end}\nengine {found:?}\n\
                 oracle {expected:?}"
            ));
        }
        programs::compare(self.engine.execution(), self.oracle.ranks(), end)
    }

    /// Counts what happened since the last reset.
    fn count_use(&mut self) {
        for channel in self.case.fabric.channel_ids() {
            for lane in (0..self.case.model.lanes).map(Lane::new) {
                let usage = self.oracle.lane_use(channel, lane);
                *match self.case.model.flow_control {
                    FlowControl::Credits => &mut self.coverage.blocked_cycles_with_credits,
                    FlowControl::StopAndGo { .. } => {
                        &mut self.coverage.blocked_cycles_with_stop_and_go
                    }
                } += usage.blocked_cycles;
                let longest = &mut self.coverage.longest_wait_cycles;
                *longest = (*longest).max(usage.longest_wait_cycles);
                if usage.max_occupancy_flits == self.case.model.input_buffer_flits {
                    self.coverage.cases_with_full_buffers = 1;
                }
            }
        }
    }

    /// A deadlock the engine reports must be one in the oracle, now and at the end.
    fn ask_for_deadlock(&mut self) -> Result<(), String> {
        let Some(cycle) = self.engine.waiting_cycle() else {
            return match &self.deadlock {
                Some(cycle) => Err(format!("a deadlock is over: {cycle:?}")),
                None => Ok(()),
            };
        };
        if self.case.is_deadlock_free {
            return Err(format!("deadlock over deadlock-free routes: {cycle:?}"));
        }
        let nexts = cycle.iter().skip(1).chain(cycle.first());
        for (packet, next) in cycle.iter().zip(nexts) {
            if (packet.wants, packet.wants_lane) != (next.holds, next.holds_lane) {
                return Err(format!("no cycle at {packet:?}: {cycle:?}"));
            }
            if self.oracle.room(packet.holds, packet.holds_lane).held == 0 {
                return Err(format!("the oracle has no flit where {packet:?} waits"));
            }
        }
        if self.deadlock.is_none() {
            *match self.case.model.flow_control {
                FlowControl::Credits => &mut self.coverage.deadlocks_with_credits,
                FlowControl::StopAndGo { .. } => &mut self.coverage.deadlocks_with_stop_and_go,
            } += 1;
        }
        self.deadlock.get_or_insert(cycle);
        Ok(())
    }

    /// The first deadlock reported must last for ever; a network that stands still in the oracle with
    /// flits in it must be reported by the engine.
    fn compare_deadlock(&mut self) -> Result<(), String> {
        let hops_before = self.oracle.flit_hops();
        let end = self.oracle.now() + self.case.longest_pause_cycles();
        self.advance(end)?;
        let is_still = self.oracle.flit_hops() == hops_before;
        let lanes = || (0..self.case.model.lanes).map(Lane::new);
        let holds_flits = |channel| lanes().any(|lane| self.oracle.room(channel, lane).held > 0);
        let is_stuck = is_still && self.case.fabric.channel_ids().any(holds_flits);
        self.ask_for_deadlock()?;
        if is_stuck && self.deadlock.is_none() {
            return Err(format!(
                "the network stands still before {end}; no deadlock is reported"
            ));
        }
        if self.deadlock.is_some() {
            self.advance(end + 3_000)?;
            self.ask_for_deadlock()?;
        }
        Ok(())
    }

    fn count_case(self) -> Coverage {
        let (case, mut coverage) = (self.case, self.coverage);
        let packets = coverage.packets;
        let counted = |is_so: bool| if is_so { packets } else { 0 };
        let has_credits = case.model.flow_control == FlowControl::Credits;
        coverage.packets_with_credits = counted(has_credits);
        coverage.packets_with_stop_and_go = counted(!has_credits);
        coverage.packets_without_output_buffers = counted(case.model.output_buffer_flits.is_none());
        coverage.packets_over_several_lanes = counted(case.routes.lane_count() > 1);
        coverage.packets_beside_control = counted(case.model.control_lanes_from > 0);
        let fixed = case.routes.fixed();
        let has_tables = matches!(fixed, Some(Routes::Tables(t)) if t.lane_tables().is_some());
        coverage.packets_by_lane_tables = counted(has_tables);
        let is_slow = matches!(&case.timings, ChannelTimings::ByLink(timings)
            if timings.iter().any(|timing| timing.cycles_per_flit > 1));
        coverage.packets_over_slow_links = counted(is_slow);
        coverage.cases_of_alternating_lanes =
            u64::from(fixed.is_some_and(|routes| routes.turns() > 1));
        coverage.packets_that_choose = counted(fixed.is_none());
        coverage.cases_of_patterns = u64::from(workloads::has_pattern(&case.workload));
        coverage.cases_of_bursts = u64::from(workloads::has_bursts(&case.workload));
        let is_finished = self.oracle.ranks().is_some_and(Ranks::is_finished);
        coverage.finished_programs = u64::from(is_finished);
        coverage.cases_by_kind.insert(case.kind.clone(), 1);
        coverage
    }
}
