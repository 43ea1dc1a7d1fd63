//! Engines against oracles: the same random cases, every packet's injection and delivery cycle, the use
//! of every channel, lane, buffer and pool; of programs every rank's end and where its time went.
//!
//! `WEFT_DIFFERENTIAL_CASES` sets how many cases are run, `WEFT_DIFFERENTIAL_SEED` the seed of the
//! first; a failing case is printed with its seed.

use crate::support::compare::compare;
use crate::support::cut_through::{self, CutThrough};
use crate::support::runner::run_cases;
use crate::support::tasks::collective_kinds;
use crate::support::wormhole::Wormhole;
use weft_model::Arbitration;
use weft_model::workload::PATTERNS;
use weft_routing::algorithms::ALGORITHMS;

/// Cases run unless the environment says otherwise: as many as the rarest of the mistakes in
/// `tests/mutants` takes to be noticed, and all that is counted below to occur often enough.
const DEFAULT_CASES: u64 = 1_400;

/// The same of cases in which parts fail and tables change.
const CHANGING_CASES: u64 = 700;

/// What cases of either model must contain, and how often each.
const OF_ALL: &[(&str, f64)] = &[
    ("a degraded fabric", 0.04),
    ("packets over a degraded fabric", 4.0),
    ("a hundred switches", 0.001),
    ("packets over a hundred switches", 0.1),
    ("packets over repaired tables", 1.0),
    ("packets over rates of 80 to 1", 0.5),
    ("routes refused", 0.01),
    ("packets generated beyond 32 bits", 0.2),
    ("latencies beyond 32 bits", 0.003),
    ("pauses passed over", 0.05),
];

/// What wormhole cases must contain.
const OF_WORMHOLE: &[(&str, f64)] = &[
    ("packets", 50.0),
    ("packets with stops", 10.0),
    ("packets with several stops", 2.0),
    ("blocked cycles", 1_000.0),
    ("overflows to host memory", 1.0),
    ("Overflow", 1.0),
    ("Damage", 1.0),
    ("Timeout", 1.0),
    ("firmware", 0.2),
    ("original firmware", 0.03),
    ("packets with stops at firmware", 2.0),
    ("links of several rates or lengths", 0.3),
    ("packets over such links", 15.0),
    ("parallel links", 0.1),
    ("several symbols under way", 0.03),
    ("deadlocks", 0.01),
    ("patterns", 0.3),
    ("bursts", 0.15),
    ("rows that differ", 0.02),
    ("cycles of the longest wait", 300.0),
];

/// What programs must contain.
const OF_PROGRAMS: &[(&str, f64)] = &[
    ("finished programs", 0.2),
    ("blocked programs", 0.02),
    ("messages", 10.0),
    ("messages announced", 1.0),
    ("packets", 30.0),
    ("blocked cycles", 20.0),
    ("cycles of waiting for acknowledgements", 100.0),
    ("programs beyond 32 bits", 0.002),
    ("finished with collectives", 0.08),
    ("finished with a recorded trace", 0.015),
    ("finished with a schedule", 0.01),
    ("finished with cycles other than 1 ns", 0.08),
    ("finished with messages beyond 150 bytes", 0.012),
    ("finished with several processors", 0.03),
    ("finished with several queue pairs to a host", 0.03),
    ("finished with queue pairs", 0.1),
    ("finished with queue pairs and control first", 0.05),
    ("finished with several ranks a host", 0.08),
    ("finished with several hosts a node", 0.06),
    ("finished with several adapters a rank", 0.02),
    ("finished with messages inside nodes", 0.06),
    ("finished with messages inside nodes that take time", 0.04),
    ("finished with ranks that begin later", 0.05),
    ("finished with jobs beside one another", 0.03),
    ("finished with programs repeated", 0.05),
    ("finished with traffic beside jobs", 0.02),
    ("finished with announced messages", 0.02),
    ("finished with messages on both sides of the limit", 0.02),
];

/// Share of programs that each collective operation by each of its algorithms must have at least.
const OF_A_COLLECTIVE: f64 = 0.000_5;

/// What cut-through cases must contain.
const OF_CUT_THROUGH: &[(&str, f64)] = &[
    ("packets", 50.0),
    ("packets with credits", 25.0),
    ("packets with stop & go", 25.0),
    ("packets without output buffers", 25.0),
    ("packets over several lanes", 25.0),
    ("packets beside control", 5.0),
    ("packets by lane tables", 2.0),
    ("packets to addresses by hash", 0.2),
    ("packets to addresses in turn", 0.2),
    ("packets by choice", 10.0),
    ("packets by groups", 4.0),
    ("packets out of order", 1.0),
    ("packets selected at random", 2.0),
    ("packets selected by hash", 2.0),
    ("packets chosen ahead of time", 2.0),
    ("packets by groups and lane tables", 1.0),
    ("packets by groups at levels of pairs", 0.5),
    ("packets beside control by choice", 0.4),
    ("packets beside control by lane tables", 0.4),
    ("packets beside control in turns", 0.15),
    ("packets by lane tables in turns", 1.0),
    ("packets over slow links", 15.0),
    ("blocked cycles with credits", 500.0),
    ("blocked cycles with stop & go", 500.0),
    ("alternating lanes", 0.05),
    ("full buffers", 0.12),
    ("deadlocks with credits", 0.002),
    ("deadlocks with stop & go", 0.004),
    ("patterns", 0.3),
    ("finished programs", 0.035),
    ("finished with queue pairs", 0.02),
    ("finished with queue pairs and control first", 0.01),
    ("finished with several ranks a host", 0.01),
    ("finished with messages inside nodes that take time", 0.005),
    ("bursts", 0.1),
    ("rows that differ", 0.02),
    ("cycles of the longest wait", 200.0),
];

/// What cut-through cases in which parts fail and tables change must contain.
const OF_CHANGES: &[(&str, f64)] = &[
    ("packets", 50.0),
    ("Failure", 5.0),
    ("failures where groups choose", 0.5),
    ("NoEntry", 1.5),
    ("tables of another routing", 0.02),
    ("tables with other lanes", 0.01),
    ("tables with gaps", 0.1),
    ("tables with turns", 0.1),
    ("entries written by themselves", 3.0),
    ("finished programs", 0.05),
    ("blocked programs", 0.005),
    ("sources that send again", 0.3),
    ("deadlocks with credits", 0.002),
];

/// What wormhole cases in which parts fail and routes change must contain.
const OF_MAPPING: &[(&str, f64)] = &[
    ("packets", 50.0),
    ("packets with stops", 5.0),
    ("Failure", 5.0),
    ("NoEntry", 1.5),
    ("Timeout", 0.5),
    ("routes of what is left", 0.1),
    ("routes of another routing", 0.1),
    ("finished programs", 0.05),
    ("blocked programs", 0.005),
    ("firmware", 0.1),
    ("sources that send again", 0.3),
    ("deadlocks", 0.002),
];

/// Share of cases that each algorithm must have at least.
const OF_AN_ALGORITHM: f64 = 0.005;

#[test]
fn engine_and_oracle_agree_on_every_packet() {
    let (cases, coverage) = run_cases(DEFAULT_CASES, |seed| compare::<Wormhole>(seed, |_| false));
    if cases < DEFAULT_CASES {
        return;
    }
    coverage.assert_holds(OF_ALL);
    coverage.assert_holds(OF_WORMHOLE);
    for policy in Arbitration::ALL {
        coverage.assert_holds(&[(&format!("packets under {policy:?}"), 20.0)]);
    }
    for algorithm in ALGORITHMS {
        coverage.assert_holds(&[(algorithm.name, OF_AN_ALGORITHM)]);
    }
    for pattern in PATTERNS {
        // Some are defined on few fabrics.
        coverage.assert_holds(&[(&format!("packets of {}", pattern.name), 0.05)]);
    }
}

#[test]
fn engine_and_oracle_agree_on_programs() {
    let (cases, coverage) = run_cases(DEFAULT_CASES, |seed| compare::<Wormhole>(seed, |_| true));
    if cases < DEFAULT_CASES {
        return;
    }
    coverage.assert_holds(OF_PROGRAMS);
    for kind in collective_kinds() {
        coverage.assert_holds(&[(&format!("finished with {kind}"), OF_A_COLLECTIVE)]);
    }
}

#[test]
fn engine_and_oracle_agree_while_parts_fail_and_routes_change() {
    let (cases, coverage) = run_cases(CHANGING_CASES, |seed| {
        compare::<Wormhole<true>>(seed, |draws| draws.once_in(3))
    });
    if cases < CHANGING_CASES {
        return;
    }
    coverage.assert_holds(OF_MAPPING);
}

#[test]
fn cut_through_engine_and_oracle_agree_on_every_packet() {
    let run = |seed| compare::<CutThrough<false>>(seed, |draws| draws.once_in(6));
    let (cases, coverage) = run_cases(DEFAULT_CASES, run);
    if cases < DEFAULT_CASES {
        return;
    }
    coverage.assert_holds(OF_ALL);
    coverage.assert_holds(OF_CUT_THROUGH);
    let names = ALGORITHMS.iter().map(|algorithm| algorithm.name);
    for kind in names.chain(cut_through::kinds()) {
        coverage.assert_holds(&[(kind, OF_AN_ALGORITHM)]);
    }
}

#[test]
fn cut_through_engine_and_oracle_agree_while_parts_fail_and_tables_change() {
    let (cases, coverage) = run_cases(CHANGING_CASES, |seed| {
        compare::<CutThrough<true>>(seed, |draws| draws.once_in(3))
    });
    if cases < CHANGING_CASES {
        return;
    }
    coverage.assert_holds(OF_CHANGES);
}
