//! The comparison: engine and oracle through one case, stretch by stretch, everything they record.

use super::case::{Case, DrawnRouting};
use super::coverage::Coverage;
use super::fabrics::DrawnFabric;
use super::fixtures::Collector;
use super::random::Draws;
use super::{programs, workloads};
use std::collections::BTreeSet;
use std::fmt::Debug;
use weft_engine::{Simulator, WaitingPacket};
use weft_fabric::{ChannelId, Fabric};
use weft_model::workload::{Program, Workload};
use weft_model::{LossRecord, PacketRecord};
use weft_oracle::Ranks;

/// Hardware of one of the models with its routes, and how its engine and its oracle are compared. It
/// writes its parameters for who looks into a case.
pub(crate) trait Network: Debug + Sized {
    type Routes;
    type Engine<'a>: Simulator
    where
        Self: 'a;
    type Oracle<'a>: Oracle
    where
        Self: 'a;

    /// Random routes, with the fabric they are for and what that is.
    fn routes(draws: &mut Draws) -> (DrawnFabric, DrawnRouting<Self::Routes>);

    /// Lanes that routes use.
    fn lanes_of(routes: &Self::Routes) -> u64;

    /// Random hardware for these routes, with times of any length where they may be long, and the
    /// workload as it is on it.
    fn draw(
        draws: &mut Draws,
        fabric: &Fabric,
        routes: Self::Routes,
        workload: Workload,
        horizon: Horizon,
    ) -> (Self, Workload);

    fn engine(case: &Case<Self>) -> Result<Self::Engine<'_>, String>;

    fn oracle(case: &Case<Self>) -> Result<Self::Oracle<'_>, String>;

    /// Cycles after which something must have moved if anything ever will.
    fn longest_pause_cycles(case: &Case<Self>) -> u64;

    /// The cycle from which on nothing changes any more, 0 where nothing ever does; and whether what changes may
    /// lead to a deadlock.
    fn settles(&self) -> (u64, bool) {
        (0, false)
    }

    /// Whether nothing ends a deadlock.
    fn can_wait_for_ever(&self) -> bool {
        true
    }

    /// Compares what both counted since the last reset.
    fn compare_use(pair: &Pair<'_, Self>, end: u64) -> Result<(), String>;

    /// Each packet of a deadlock must be where the oracle has it.
    fn check_waiting(pair: &Pair<'_, Self>, cycle: &[WaitingPacket]) -> Result<(), String>;

    /// Whether the oracle has flits in the buffer at the end of a channel.
    fn holds_flits(pair: &Pair<'_, Self>, channel: ChannelId) -> bool;

    /// Takes note of a packet delivered.
    fn count_packet(_: &mut Coverage, _: &PacketRecord) {}

    /// Counts what happened since the last reset.
    fn count_use(pair: &mut Pair<'_, Self>);

    /// Counts what the case is, when it is over.
    fn count_case(pair: &mut Pair<'_, Self>);
}

/// How long a case lasts.
#[derive(Clone, Copy)]
pub(crate) struct Horizon {
    pub(crate) cycles: u64,
    /// Times may be of any length.
    pub(crate) is_long: bool,
}

/// An oracle, as far as both are alike.
pub(crate) trait Oracle {
    fn advance(&mut self, end: u64, delivered: &mut Vec<PacketRecord>, lost: &mut Vec<LossRecord>);

    fn reset_use(&mut self);

    /// The first cycle not yet simulated, flit hops, packet hops.
    fn counts(&self) -> [u64; 3];

    fn ranks(&self) -> Option<&Ranks<'_>>;
}

/// Both simulators of a case, at the same cycle.
pub(crate) struct Pair<'a, N: Network + 'a> {
    pub(crate) case: &'a Case<N>,
    pub(crate) engine: N::Engine<'a>,
    pub(crate) oracle: N::Oracle<'a>,
    pub(crate) coverage: Coverage,
    seen: BTreeSet<(u32, u64)>,
    /// The first deadlock the engine reported.
    deadlock: Option<Vec<WaitingPacket>>,
}

/// Draws a case and runs it through both. The error says what differs first.
pub(crate) fn compare<N: Network>(
    seed: u64,
    is_program: impl Fn(&mut Draws) -> bool,
) -> Result<Coverage, String> {
    let case = Case::<N>::draw(seed, is_program);
    compare_case(&case).map_err(|difference| format!("{case}\n{difference}"))
}

fn compare_case<N: Network>(case: &Case<N>) -> Result<Coverage, String> {
    let mut pair = Pair {
        case,
        engine: N::engine(case).map_err(|error| format!("the engine refuses the case: {error}"))?,
        oracle: N::oracle(case).map_err(|error| format!("the oracle refuses the case: {error}"))?,
        coverage: Coverage::of_case(),
        seen: BTreeSet::new(),
        deadlock: None,
    };
    for (index, &end) in case.stretch_ends.iter().enumerate() {
        pair.advance(end)?;
        pair.ask_for_deadlock()?;
        if index == case.reset_after {
            N::count_use(&mut pair);
            pair.engine.reset_use();
            pair.oracle.reset_use();
        }
    }
    N::count_use(&mut pair);
    pair.compare_deadlock()?;
    let coverage = &mut pair.coverage;
    coverage.count(case.kind.clone(), 1);
    let packets = coverage.of("packets");
    for (kind, is_so) in [
        ("a degraded fabric", case.is_degraded),
        ("a hundred switches", case.fabric.switch_count() >= 90),
    ] {
        coverage.count_if(kind, is_so);
        coverage.count(
            format!("packets over {kind}"),
            if is_so { packets } else { 0 },
        );
    }
    coverage.count_if("pauses passed over", case.passes_pauses);
    coverage.count_if("routes refused", case.are_refused);
    coverage.count_if("patterns", workloads::has_pattern(&case.workload));
    coverage.count_if("bursts", workloads::has_bursts(&case.workload));
    coverage.count_if("rows that differ", workloads::has_rows(&case.workload));
    pair.count_program();
    N::count_case(&mut pair);
    Ok(pair.coverage)
}

/// An error where engine and oracle differ.
pub(crate) fn expect_equal<T: Debug + PartialEq>(
    found: &T,
    expected: &T,
    what: impl Fn() -> String,
) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let what = what();
    Err(format!("{what}\nengine {found:?}\noracle {expected:?}"))
}

impl<N: Network> Pair<'_, N> {
    fn advance(&mut self, end: u64) -> Result<(), String> {
        let mut found = Collector::default();
        let mut expected = Collector::default();
        self.engine.advance(end, &mut found);
        let Collector { delivered, lost } = &mut expected;
        self.oracle.advance(end, delivered, lost);
        for collector in [&mut found, &mut expected] {
            collector.lost.sort_unstable();
            // A host receives at most one packet a cycle.
            let delivered = &mut collector.delivered;
            delivered.sort_by_key(|record| (record.delivery_cycle, record.destination));
        }
        expect_equal(&found.lost, &expected.lost, || {
            format!("losses of the stretch before {end}")
        })?;
        for index in 0..found.delivered.len().max(expected.delivered.len()) {
            let [found, expected] = [&found, &expected].map(|both| both.delivered.get(index));
            expect_equal(&found, &expected, || {
                format!("packet {index} of the stretch before {end}")
            })?;
        }
        for record in &expected.lost {
            self.coverage.count(format!("{:?}", record.cause), 1);
        }
        self.coverage
            .count("packets", expected.delivered.len() as u64);
        for record in &expected.delivered {
            if !self.seen.insert((record.source.number(), record.sequence)) {
                return Err(format!("delivered twice: {record:?}"));
            }
            let is_waiting = |waiting: &WaitingPacket| {
                (waiting.source, waiting.sequence) == (record.source, record.sequence)
            };
            if self.deadlock.iter().flatten().any(is_waiting) {
                return Err(format!("a deadlocked packet is delivered: {record:?}"));
            }
            let latency_cycles = record.delivery_cycle - record.generation_cycle;
            for (what, cycles) in [
                ("packets generated beyond 32 bits", record.generation_cycle),
                ("latencies beyond 32 bits", latency_cycles),
            ] {
                let is_beyond = cycles > u64::from(u32::MAX);
                self.coverage.count_if(what, is_beyond);
            }
            N::count_packet(&mut self.coverage, record);
        }
        let hops = [self.engine.flit_hops(), self.engine.work_done().packet_hops];
        let found = [self.engine.now(), hops[0], hops[1]];
        expect_equal(&found, &self.oracle.counts(), || {
            format!("(now, flit hops, packet hops) at {end}")
        })?;
        N::compare_use(self, end)?;
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
        coverage.count("messages", ranks.message_counts().1);
        coverage.count("messages announced", ranks.announcements().called_messages);
        coverage.count("cycles of waiting for acknowledgements", waited.sum());
        coverage.count_if("finished programs", ranks.is_finished());
        let numbers = (0..).take(ranks.rank_count());
        let ends = numbers.filter_map(|rank| ranks.finish_cycle(rank));
        let is_late = ends.max().is_some_and(|end| end > u64::from(u32::MAX));
        coverage.count_if("programs beyond 32 bits", is_late);
        for kind in self
            .case
            .program_kinds
            .iter()
            .filter(|_| ranks.is_finished())
        {
            coverage.count(format!("finished with {kind}"), 1);
        }
        let is_stuck = !ranks.is_finished() && !ranks.is_under_way();
        coverage.count_if("blocked programs", is_stuck);
    }

    /// A deadlock the engine reports must be one in the oracle, now and at the end.
    fn ask_for_deadlock(&mut self) -> Result<(), String> {
        let (settled_cycle, may_lead_there) = self.case.network.settles();
        if self.engine.now() <= settled_cycle {
            return Ok(());
        }
        let Some(cycle) = self.engine.waiting_cycle() else {
            return match &self.deadlock {
                Some(cycle) => Err(format!("a deadlock is over: {cycle:?}")),
                None => Ok(()),
            };
        };
        if self.case.is_deadlock_free && !may_lead_there {
            return Err(format!("deadlock over deadlock-free routes: {cycle:?}"));
        }
        for (packet, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            if (packet.wants, packet.wants_lane) != (next.holds, next.holds_lane) {
                return Err(format!("no cycle at {packet:?}: {cycle:?}"));
            }
        }
        N::check_waiting(self, &cycle)?;
        self.deadlock.get_or_insert(cycle);
        Ok(())
    }

    pub(crate) fn has_deadlocked(&self) -> bool {
        self.deadlock.is_some()
    }

    /// The first deadlock reported must last for ever; a network that stands still in the oracle with
    /// flits in it must be reported by the engine.
    fn compare_deadlock(&mut self) -> Result<(), String> {
        let [now, hops_before, _] = self.oracle.counts();
        let end = now + N::longest_pause_cycles(self.case);
        self.advance(end)?;
        let is_still = self.oracle.counts()[1] == hops_before;
        let mut channels = self.case.fabric.channel_ids();
        let is_stuck = is_still && channels.any(|channel| N::holds_flits(self, channel));
        self.ask_for_deadlock()?;
        if is_stuck && self.case.network.can_wait_for_ever() && !self.has_deadlocked() {
            return Err(format!(
                "the network stands still before {end}; no deadlock is reported"
            ));
        }
        if let Some(cycle) = self.deadlock.clone() {
            self.advance(end + 3_000)?;
            self.ask_for_deadlock()?;
            N::check_waiting(self, &cycle)?;
        }
        Ok(())
    }
}
