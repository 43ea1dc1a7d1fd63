//! One simulation in parts of its fabric against the same one as a whole: everything that is told of it.
//!
//! `WEFT_DIFFERENTIAL_CASES` and `WEFT_DIFFERENTIAL_SEED` as for engines and oracles.

use crate::support::case::Case;
use crate::support::compare::{Network, expect_equal};
use crate::support::coverage::Coverage;
use crate::support::cut_through::CutThrough;
use crate::support::fixtures::{Collector, traffic};
use crate::support::random::Draws;
use crate::support::runner::run_cases;
use crate::support::wormhole::Wormhole;
use weft_engine::{Division, Simulator, cut_through, wormhole};
use weft_fabric::{ChannelId, Fabric, generate};
use weft_model::WormholeModel;
use weft_model::workload::{Arrivals, Destinations, Workload};
use weft_routing::{Lane, algorithms};
use weft_testing::by_hand::MYRINET;

const DEFAULT_CASES: u64 = 1_400;

/// What cases of the wormhole model must contain, and how often each.
const CONTAINED: &[(&str, f64)] = &[
    ("packets", 50.0),
    ("in parts", 0.7),
    ("several threads", 0.4),
    ("more than two parts", 0.3),
    ("cut channels", 4.0),
    ("cut channels of a cycle", 0.2),
    ("flits over cut channels", 1_000.0),
    ("blocked cycles of cut channels", 300.0),
    ("losses", 1.0),
    ("deadlocks", 0.005),
    ("deadlocks over borders", 0.003),
    ("pools", 1.0),
    ("more than sixteen switches", 0.002),
];

/// The same of the cut-through model: what is divided has credits, and packets that do not choose.
const CONTAINED_OF_CUT_THROUGH: &[(&str, f64)] = &[
    ("packets", 50.0),
    ("in parts", 0.2),
    ("several threads", 0.1),
    ("more than two parts", 0.1),
    ("cut channels", 1.0),
    ("cut channels of a cycle", 0.05),
    ("flits over cut channels", 300.0),
    ("blocked cycles of cut channels", 100.0),
    ("lanes of cut channels", 1.0),
    ("deadlocks", 0.001),
    ("deadlocks over borders", 0.0005),
    ("more than sixteen switches", 0.002),
];

/// Networks that are simulated in parts.
trait InParts: Network {
    /// The engine of a fabric in parts.
    fn divided(
        case: &Case<Self>,
        division: Division,
        thread_count: usize,
    ) -> Result<Self::Engine<'_>, String>;

    /// Whether a simulation was one in parts.
    fn was_divided(engine: &Self::Engine<'_>) -> bool;

    /// Cycles in which what happens at one end of a channel has no effect at the other.
    fn window_cycles(&self, channel: ChannelId) -> u64;
}

impl InParts for Wormhole {
    fn divided(
        case: &Case<Self>,
        division: Division,
        thread_count: usize,
    ) -> Result<wormhole::Engine<'_>, String> {
        Self::divided(case, division, thread_count)
    }

    fn was_divided(engine: &wormhole::Engine<'_>) -> bool {
        engine.window_counts().windows > 0
    }

    fn window_cycles(&self, channel: ChannelId) -> u64 {
        self.latency_cycles(channel)
    }
}

impl InParts for CutThrough {
    fn divided(
        case: &Case<Self>,
        division: Division,
        thread_count: usize,
    ) -> Result<cut_through::Engine<'_>, String> {
        Self::divided(case, &division, thread_count)
    }

    fn was_divided(engine: &cut_through::Engine<'_>) -> bool {
        engine.window_counts().windows > 0
    }

    fn window_cycles(&self, channel: ChannelId) -> u64 {
        self.flight_cycles(channel)
    }
}

#[test]
fn parts_on_any_number_of_threads_equal_the_whole() {
    run::<Wormhole>(CONTAINED);
}

#[test]
fn cut_through_parts_on_any_number_of_threads_equal_the_whole() {
    run::<CutThrough>(CONTAINED_OF_CUT_THROUGH);
}

fn run<N: InParts>(contained: &[(&'static str, f64)]) {
    let (cases, coverage) = run_cases(DEFAULT_CASES, |seed| {
        compare::<N>(seed).map_err(|difference| format!("{}\n{difference}", draw::<N>(seed)))
    });
    if cases >= DEFAULT_CASES {
        coverage.assert_holds(contained);
    }
}

fn draw<N: Network>(seed: u64) -> Case<N> {
    Case::draw(seed, |draws| draws.once_in(40))
}

fn compare<N: InParts>(seed: u64) -> Result<Coverage, String> {
    let case = draw::<N>(seed);
    let mut draws = Draws::new(!seed);
    let switch_count = case.fabric.switch_count();
    let part_count = 2 + draws.index(4);
    let is_large = switch_count > 16;
    let division = if draws.once_in(4) || (is_large && !draws.once_in(4)) {
        let work: Vec<u64> = (0..switch_count).map(|_| draws.between(0, 9)).collect();
        Division::balanced(&case.fabric, &work, |_| 1, part_count)
    } else {
        Division::new((0..switch_count).map(|_| draws.index(part_count)).collect())
    };
    let thread_count = 1 + draws.index(3);
    let cut: Vec<_> = division.cut_channels(&case.fabric).collect();
    let mut pair = Pair {
        fabric: &case.fabric,
        cut: &cut,
        whole: N::engine(&case)?,
        parts: N::divided(&case, division.clone(), thread_count)?,
        coverage: Coverage::of_case(),
    };
    let divided = || format!("{thread_count} threads, {division:?}");
    for (index, &end) in case.stretch_ends.iter().enumerate() {
        pair.advance(end)
            .map_err(|text| format!("{}\n{text}", divided()))?;
        if index == case.reset_after {
            pair.whole.reset_use();
            pair.parts.reset_use();
        }
    }
    let end = pair.whole.now() + 3_000;
    pair.advance(end)
        .map_err(|text| format!("{}\n{text}", divided()))?;
    let mut coverage = pair.coverage;
    if !N::was_divided(&pair.parts) {
        // It counts as a case in which there was nothing.
        return Ok(Coverage::of_case());
    }
    coverage.count("in parts", 1);
    coverage.count_if("several threads", pair.parts.thread_count() > 1);
    coverage.count_if("more than sixteen switches", is_large);
    coverage.count_if("more than two parts", division.part_count() > 2);
    coverage.count("cut channels", cut.len() as u64);
    for &channel in &cut {
        let is_short = case.network.window_cycles(channel) == 1;
        coverage.count_if("cut channels of a cycle", is_short);
    }
    Ok(coverage)
}

/// How many of eight threads are taken on a tree of 64 hosts that offer this load.
fn threads_at(load: f64, model: &WormholeModel) -> usize {
    let tree = generate::k_ary_n_tree(4, 3).unwrap();
    let routing = algorithms::route_spec(&tree, "d_mod_k").unwrap();
    let routes = routing.routes.to_source_routes(&tree);
    let routes = wormhole::ListedRoutes::new(&tree, routes).unwrap();
    let destinations = Destinations::uniform(tree.host_count()).unwrap();
    let workload = Workload::Traffic(traffic(destinations, Arrivals::Constant, 8, load));
    let engine = wormhole::Engine::on_threads(&tree, &routes, model, &workload, 8).unwrap();
    engine.thread_count()
}

#[test]
fn as_many_threads_are_taken_as_have_enough_to_do() {
    let [idle, light, busy] = [0.001, 0.005, 0.5].map(|load| threads_at(load, &MYRINET));
    assert_eq!((idle, light), (1, 1));
    assert!((2..=8).contains(&busy), "{busy} threads");
}

#[test]
fn losses_that_are_sent_again_at_once_leave_one_thread() {
    let lossy = WormholeModel {
        bit_error_rate: 1e-9,
        ..MYRINET
    };
    let at_once = WormholeModel {
        retransmit_after_cycles: 0,
        ..lossy.clone()
    };
    assert!(threads_at(0.5, &lossy) > 1);
    assert_eq!(threads_at(0.5, &at_once), 1);
}

/// Both at the same cycle.
struct Pair<'a, E> {
    fabric: &'a Fabric,
    cut: &'a [ChannelId],
    whole: E,
    parts: E,
    coverage: Coverage,
}

impl<E: Simulator> Pair<'_, E> {
    fn advance(&mut self, end: u64) -> Result<(), String> {
        let [mut found, mut expected] = [(); 2].map(|()| Collector::default());
        self.whole.advance(end, &mut expected);
        self.parts.advance(end, &mut found);
        for collector in [&mut found, &mut expected] {
            collector.lost.sort_unstable();
            // A host receives at most one packet a cycle.
            let delivered = &mut collector.delivered;
            delivered.sort_by_key(|record| (record.delivery_cycle, record.destination));
        }
        expect_equal(&found.lost, &expected.lost, || {
            format!("losses before {end}")
        })?;
        for index in 0..found.delivered.len().max(expected.delivered.len()) {
            let [found, expected] = [&found, &expected].map(|both| both.delivered.get(index));
            expect_equal(&found, &expected, || format!("packet {index} before {end}"))?;
        }
        let counts = |engine: &E| {
            let counters = engine.work_done();
            let hops = [engine.flit_hops(), counters.packet_hops];
            (engine.now(), hops, counters.packets_alive)
        };
        expect_equal(&counts(&self.parts), &counts(&self.whole), || {
            format!("(now, [flit hops, packet hops], packets alive) at {end}")
        })?;
        for channel in self.fabric.channel_ids() {
            let found = self.parts.channel_use(channel);
            expect_equal(&found, &self.whole.channel_use(channel), || {
                let name = self.fabric.describe_channel(channel);
                format!("use of {channel} ({name}) at {end}")
            })?;
            for lane in (0..self.whole.lane_count()).map(Lane::new) {
                let [found, expected] =
                    [&self.parts, &self.whole].map(|engine| engine.lane_use(channel, lane));
                expect_equal(&found, &expected, || {
                    format!("use of lane {} of {channel} at {end}", lane.number())
                })?;
                let is_used = self.cut.contains(&channel) && expected.busy_cycles > 0;
                self.coverage.count_if("lanes of cut channels", is_used);
            }
        }
        for host in self.fabric.host_ids() {
            let expected = self.whole.pool_use(host);
            expect_equal(&self.parts.pool_use(host), &expected, || {
                format!("pool of {host} at {end}")
            })?;
            self.coverage.count("pools", expected.packets);
        }
        let cycle = self.whole.waiting_cycle();
        expect_equal(&self.parts.waiting_cycle(), &cycle, || {
            format!("waiting cycle at {end}")
        })?;
        let execution = self.whole.execution();
        expect_equal(
            &self.parts.execution().is_some(),
            &execution.is_some(),
            || format!("execution at {end}"),
        )?;
        let coverage = &mut self.coverage;
        coverage.count("packets", expected.delivered.len() as u64);
        coverage.count("losses", expected.lost.len() as u64);
        let is_cut = |channel: ChannelId| self.cut.contains(&channel);
        coverage.count_if("deadlocks", cycle.is_some());
        let over_border = cycle.iter().flatten().any(|packet| is_cut(packet.holds));
        coverage.count_if("deadlocks over borders", over_border);
        for &channel in self.cut {
            let used = self.whole.channel_use(channel);
            coverage.count("flits over cut channels", used.busy_cycles);
            coverage.count("blocked cycles of cut channels", used.blocked_cycles);
        }
        Ok(())
    }
}
