//! The comparison: engine and oracle through one case, stretch by stretch, everything they record.

use super::case::Case;
use super::{programs, workloads};
use std::collections::{BTreeMap, BTreeSet};
use weft_engine::wormhole::Engine;
use weft_engine::{Probe, Simulator, WaitingPacket};
use weft_model::workload::{PATTERNS, Program};
use weft_model::{
    Arbitration, ChannelTimings, LossCause, LossRecord, NicModel, Overflow, PacketRecord,
};
use weft_oracle::{Front, Oracle};

#[derive(Default)]
struct Collector {
    delivered: Vec<PacketRecord>,
    lost: Vec<LossRecord>,
}

impl Probe for Collector {
    fn delivered(&mut self, record: &PacketRecord) {
        self.delivered.push(*record);
    }

    fn lost(&mut self, record: &LossRecord) {
        self.lost.push(*record);
    }
}

/// What the compared cases contained: a comparison is worth what happens in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) cases: u64,
    pub(crate) packets: u64,
    pub(crate) packets_with_stops: u64,
    pub(crate) packets_with_several_stops: u64,
    pub(crate) blocked_cycles: u64,
    pub(crate) overflows_to_host_memory: u64,
    pub(crate) drops: u64,
    pub(crate) damaged: u64,
    pub(crate) timed_out: u64,
    pub(crate) cases_of_firmware: u64,
    pub(crate) cases_of_original_firmware: u64,
    pub(crate) packets_with_stops_and_firmware: u64,
    pub(crate) cases_of_mixed_links: u64,
    pub(crate) packets_over_mixed_links: u64,
    pub(crate) cases_with_parallel_links: u64,
    pub(crate) cases_with_several_symbols_under_way: u64,
    pub(crate) deadlocks: u64,
    pub(crate) cases_of_patterns: u64,
    pub(crate) cases_of_bursts: u64,
    /// Cases by algorithm, or by the kind of routes built here.
    pub(crate) cases_by_algorithm: BTreeMap<String, u64>,
    /// Packets by arbitration policy, in the order of [`Arbitration::ALL`].
    pub(crate) packets_by_policy: [u64; Arbitration::ALL.len()],
    /// Packets by traffic pattern, in the order of [`PATTERNS`].
    pub(crate) packets_by_pattern: [u64; PATTERNS.len()],
    /// Cycles of the longest wait for an output of each case.
    pub(crate) longest_wait_cycles: u64,
    pub(crate) finished_programs: u64,
    pub(crate) blocked_programs: u64,
    pub(crate) messages: u64,
    /// Cycles in which processors waited for an acknowledgement.
    pub(crate) acknowledgement_cycles: u64,
}

impl Coverage {
    pub(crate) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.packets += other.packets;
        self.packets_with_stops += other.packets_with_stops;
        self.packets_with_several_stops += other.packets_with_several_stops;
        self.blocked_cycles += other.blocked_cycles;
        self.overflows_to_host_memory += other.overflows_to_host_memory;
        self.drops += other.drops;
        self.damaged += other.damaged;
        self.timed_out += other.timed_out;
        self.cases_of_firmware += other.cases_of_firmware;
        self.cases_of_original_firmware += other.cases_of_original_firmware;
        self.packets_with_stops_and_firmware += other.packets_with_stops_and_firmware;
        self.cases_of_mixed_links += other.cases_of_mixed_links;
        self.packets_over_mixed_links += other.packets_over_mixed_links;
        self.cases_with_parallel_links += other.cases_with_parallel_links;
        self.cases_with_several_symbols_under_way += other.cases_with_several_symbols_under_way;
        self.deadlocks += other.deadlocks;
        self.cases_of_patterns += other.cases_of_patterns;
        self.cases_of_bursts += other.cases_of_bursts;
        for (algorithm, cases) in &other.cases_by_algorithm {
            *self
                .cases_by_algorithm
                .entry(algorithm.clone())
                .or_default() += cases;
        }
        let by_policy = self.packets_by_policy.iter_mut();
        for (packets, others) in by_policy.zip(other.packets_by_policy) {
            *packets += others;
        }
        let by_pattern = self.packets_by_pattern.iter_mut();
        for (packets, others) in by_pattern.zip(other.packets_by_pattern) {
            *packets += others;
        }
        self.longest_wait_cycles += other.longest_wait_cycles;
        self.finished_programs += other.finished_programs;
        self.blocked_programs += other.blocked_programs;
        self.messages += other.messages;
        self.acknowledgement_cycles += other.acknowledgement_cycles;
    }
}

struct Pair<'a> {
    case: &'a Case,
    engine: Engine<'a>,
    oracle: Oracle<'a>,
    coverage: Coverage,
    seen: BTreeSet<(u32, u64)>,
    /// The first deadlock the engine reported.
    deadlock: Option<Vec<WaitingPacket>>,
}

/// Runs one case through both. The error says what differs first.
pub(crate) fn compare(case: &Case) -> Result<Coverage, String> {
    let (fabric, routes, model) = (&case.fabric, &case.routes, &case.model);
    let mut pair = Pair {
        case,
        engine: Engine::new(fabric, routes, model, &case.workload)
            .map_err(|error| format!("the engine refuses the case: {error}"))?,
        oracle: Oracle::new(fabric, routes, model, &case.workload)
            .map_err(|error| format!("the oracle refuses the case: {error}"))?,
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
            pair.reset();
        }
    }
    pair.count_use();
    pair.compare_deadlock()?;
    pair.count_program();
    pair.coverage
        .cases_by_algorithm
        .insert(case.algorithm.clone(), 1);
    let policy = Arbitration::ALL
        .iter()
        .position(|&policy| policy == model.arbitration);
    pair.coverage.packets_by_policy[policy.unwrap()] = pair.coverage.packets;
    let is_first = |name: &str| {
        let rest = case.workload_text.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with([' ', ':']))
    };
    if let Some(pattern) = PATTERNS.iter().position(|pattern| is_first(pattern.name)) {
        pair.coverage.packets_by_pattern[pattern] = pair.coverage.packets;
    }
    pair.coverage.cases_of_patterns = u64::from(workloads::has_pattern(&case.workload));
    pair.coverage.cases_of_bursts = u64::from(workloads::has_bursts(&case.workload));
    if let NicModel::Firmware(firmware) = model.nic {
        pair.coverage.cases_of_firmware = 1;
        pair.coverage.cases_of_original_firmware = u64::from(!firmware.handles_in_transit);
        pair.coverage.packets_with_stops_and_firmware = pair.coverage.packets_with_stops;
    }
    let is_mixed = u64::from(matches!(model.channels, ChannelTimings::ByLink(_)));
    pair.coverage.cases_of_mixed_links = is_mixed;
    pair.coverage.packets_over_mixed_links = is_mixed * pair.coverage.packets;
    pair.coverage.cases_with_parallel_links = u64::from(has_parallel_links(case));
    pair.coverage.cases_with_several_symbols_under_way =
        u64::from(pair.oracle.most_symbols_under_way() > 1);
    Ok(pair.coverage)
}

impl Pair<'_> {
    fn advance(&mut self, end: u64) -> Result<(), String> {
        let mut found = Collector::default();
        let mut expected = Vec::new();
        self.engine.advance(end, &mut found);
        self.oracle.advance(end, &mut expected);
        let mut lost = self.oracle.take_losses();
        lost.sort_unstable();
        found.lost.sort_unstable();
        if found.lost != lost {
            return Err(format!(
                "losses of the stretch before {end}\nengine {:?}\noracle {lost:?}",
                found.lost
            ));
        }
        for record in &lost {
            match record.cause {
                LossCause::Overflow => self.coverage.drops += 1,
                LossCause::Damage => self.coverage.damaged += 1,
                LossCause::Timeout => self.coverage.timed_out += 1,
            }
        }
        let mut found = found.delivered;
        // A host receives at most one packet a cycle.
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
            if !self.seen.insert((record.source.number(), record.sequence)) {
                return Err(format!("delivered twice: {record:?}"));
            }
            self.coverage.packets += 1;
            self.coverage.packets_with_stops += u64::from(record.in_transit_stops > 0);
            self.coverage.packets_with_several_stops += u64::from(record.in_transit_stops > 1);
        }
        self.compare_use(end)
    }

    fn compare_use(&self, end: u64) -> Result<(), String> {
        if self.engine.now() != self.oracle.now() {
            return Err(format!(
                "now {} and {}",
                self.engine.now(),
                self.oracle.now()
            ));
        }
        for channel in self.case.fabric.channel_ids() {
            let found = self.engine.channel_use(channel);
            let expected = self.oracle.channel_use(channel);
            if found != expected {
                let name = self.case.fabric.describe_channel(channel);
                return Err(format!(
                    "use of {channel} ({name}) at {end}\nengine {found:?}\noracle {expected:?}"
                ));
            }
        }
        for host in self.case.fabric.host_ids() {
            let found = self.engine.pool_use(host);
            let expected = self.oracle.pool_use(host);
            if found != expected {
                return Err(format!(
                    "pool of {host} at {end}\nengine {found:?}\noracle {expected:?}"
                ));
            }
            if expected.max_flits > self.case.model.pool_flits {
                return Err(format!(
                    "the oracle overfills the pool of {host}: {expected:?}"
                ));
            }
        }
        let counters = self.engine.counters();
        let found = (counters.flit_hops, counters.packet_hops);
        let expected = (self.oracle.flit_hops(), self.oracle.packet_hops());
        if found != expected {
            return Err(format!(
                "(flit hops, packet hops) at {end}\nengine {found:?}\noracle {expected:?}"
            ));
        }
        programs::compare(self.engine.execution(), self.oracle.ranks(), end)
    }

    /// Counts what happened in a program.
    fn count_program(&mut self) {
        let Some(ranks) = self.oracle.ranks() else {
            return;
        };
        let numbers = (0..).take(self.case.workload.program().map_or(0, Program::rank_count));
        let waited = numbers.map(|rank| ranks.account(rank).waiting_acknowledgement_cycles);
        let coverage = &mut self.coverage;
        coverage.messages = ranks.message_counts().1;
        coverage.acknowledgement_cycles = waited.sum();
        coverage.finished_programs = u64::from(ranks.is_finished());
        let is_stuck = !ranks.is_finished() && !ranks.is_under_way();
        coverage.blocked_programs = u64::from(is_stuck);
    }

    fn reset(&mut self) {
        self.count_use();
        self.engine.reset_use();
        self.oracle.reset_use();
    }

    /// Counts what happened since the last reset.
    fn count_use(&mut self) {
        for channel in self.case.fabric.channel_ids() {
            let usage = self.oracle.channel_use(channel);
            self.coverage.blocked_cycles += usage.blocked_cycles;
            let longest_wait = &mut self.coverage.longest_wait_cycles;
            *longest_wait = (*longest_wait).max(usage.longest_wait_cycles);
        }
        for host in self.case.fabric.host_ids() {
            let overflows = self.oracle.pool_use(host).overflows;
            if matches!(self.case.model.overflow, Overflow::HostMemory { .. }) {
                self.coverage.overflows_to_host_memory += overflows;
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
            if packet.wants != next.holds {
                return Err(format!("no cycle at {packet:?}: {cycle:?}"));
            }
        }
        self.check_waiting(&cycle)?;
        self.coverage.deadlocks += u64::from(self.deadlock.is_none());
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
        let holds_flits = |channel| self.oracle.front_at(channel).is_some();
        let is_stuck = is_still && self.case.fabric.channel_ids().any(holds_flits);
        self.ask_for_deadlock()?;
        let is_for_ever = is_stuck && self.case.model.timeout_cycles.is_none();
        if is_for_ever && self.deadlock.is_none() {
            return Err(format!(
                "the network stands still before {end}; no deadlock is reported"
            ));
        }
        if let Some(cycle) = self.deadlock.clone() {
            self.advance(end + 3_000)?;
            self.check_waiting(&cycle)?;
        }
        Ok(())
    }

    /// Each packet of the cycle must be where the oracle has it: following the packets in front of
    /// the buffers from the channel it holds leads to the channel it wants, and it is the one that
    /// asks for that.
    fn check_waiting(&self, cycle: &[WaitingPacket]) -> Result<(), String> {
        let now = self.oracle.now();
        for packet in cycle {
            let mut at = packet.holds;
            let mut front = None;
            for _ in self.case.fabric.channel_ids() {
                front = self.oracle.front_at(at);
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
                return Err(format!(
                    "at {now} the oracle has {front:?} instead of {packet:?}"
                ));
            }
        }
        Ok(())
    }
}

fn has_parallel_links(case: &Case) -> bool {
    case.fabric.switch_ids().any(|switch| {
        let hops = case.fabric.hops(switch);
        hops.iter()
            .enumerate()
            .any(|(i, hop)| hops[..i].iter().any(|h| h.switch == hop.switch))
    })
}
