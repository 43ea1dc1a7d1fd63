//! Engine against oracle: the same random cases, every packet's injection and delivery cycle, the
//! use of every channel and pool.
//!
//! `WEFT_DIFFERENTIAL_CASES` sets how many cases are run, `WEFT_DIFFERENTIAL_SEED` the seed of the
//! first; a failing case is printed with its seed.

use crate::support::case::Case;
use crate::support::compare::{Coverage, compare};
use crate::support::routes::drawn_algorithms;
use crate::support::runner::run_cases;
use weft_model::Arbitration;
use weft_model::workload::PATTERNS;

/// Cases run unless the environment says otherwise: as many as the rarest of the mistakes in
/// `tests/mutants` takes to be noticed, and all that is counted below to occur often enough.
const DEFAULT_CASES: u64 = 2_000;

#[test]
fn engine_and_oracle_agree_on_every_packet() {
    let run = |seed| {
        let case = Case::draw(seed);
        compare(&case).map_err(|difference| format!("{case}\n{difference}"))
    };
    let (cases, coverage) = run_cases(DEFAULT_CASES, run, Coverage::add);
    if cases >= 600 {
        assert_covers(&coverage);
    }
}

/// The cases must contain, often, what the comparison is about.
fn assert_covers(coverage: &Coverage) {
    let per_case = |count: u64| count as f64 / coverage.cases as f64;
    for (what, found, expected) in [
        ("packets a case", per_case(coverage.packets), 50.0),
        (
            "packets with in-transit stops a case",
            per_case(coverage.packets_with_stops),
            10.0,
        ),
        (
            "packets with several stops a case",
            per_case(coverage.packets_with_several_stops),
            2.0,
        ),
        (
            "blocked cycles a case",
            per_case(coverage.blocked_cycles),
            1_000.0,
        ),
        (
            "overflows to host memory a case",
            per_case(coverage.overflows_to_host_memory),
            1.0,
        ),
        ("drops a case", per_case(coverage.drops), 1.0),
        ("damaged packets a case", per_case(coverage.damaged), 1.0),
        ("timeouts a case", per_case(coverage.timed_out), 1.0),
        (
            "share of NICs with firmware",
            per_case(coverage.cases_of_firmware),
            0.2,
        ),
        (
            "share of NICs with the original firmware",
            per_case(coverage.cases_of_original_firmware),
            0.03,
        ),
        (
            "packets with stops at NICs with firmware a case",
            per_case(coverage.packets_with_stops_and_firmware),
            2.0,
        ),
        (
            "share with links of several rates or lengths",
            per_case(coverage.cases_of_mixed_links),
            0.3,
        ),
        (
            "packets over such links a case",
            per_case(coverage.packets_over_mixed_links),
            15.0,
        ),
        (
            "share with parallel links",
            per_case(coverage.cases_with_parallel_links),
            0.1,
        ),
        (
            "share with several symbols under way",
            per_case(coverage.cases_with_several_symbols_under_way),
            0.03,
        ),
        ("share with a deadlock", per_case(coverage.deadlocks), 0.01),
        (
            "share of patterns other than uniform",
            per_case(coverage.cases_of_patterns),
            0.3,
        ),
        ("share of bursts", per_case(coverage.cases_of_bursts), 0.15),
        (
            "cycles of the longest wait a case",
            per_case(coverage.longest_wait_cycles),
            300.0,
        ),
    ] {
        assert!(
            found >= expected,
            "{what}: found {found}, expected at least {expected}"
        );
    }
    for algorithm in drawn_algorithms() {
        let name = algorithm.name;
        let cases = coverage.cases_by_algorithm.get(name).copied();
        let found = per_case(cases.unwrap_or(0));
        // Some want fabrics of a shape that is seldom drawn.
        let is_enough = found >= 0.004 || !algorithm.refuses.is_empty();
        assert!(
            is_enough,
            "share of {name}: found {found}, expected at least 0.004"
        );
    }
    for (pattern, packets) in PATTERNS.iter().zip(coverage.packets_by_pattern) {
        let found = per_case(packets);
        let name = pattern.name;
        // Some are defined on few fabrics.
        let is_enough = found >= 0.05 || coverage.cases < 2_000;
        assert!(
            is_enough,
            "packets of {name} a case: found {found}, expected at least 0.05"
        );
    }
    for (policy, packets) in Arbitration::ALL.iter().zip(coverage.packets_by_policy) {
        let found = per_case(packets);
        assert!(
            found >= 20.0,
            "packets under {policy:?} a case: found {found}, expected at least 20"
        );
    }
}
