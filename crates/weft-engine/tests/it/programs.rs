//! Engine against oracle on programs: random graphs of dependent messages, every packet, every
//! rank's end and where its time went.
//!
//! `WEFT_DIFFERENTIAL_CASES` sets how many cases are run, `WEFT_DIFFERENTIAL_SEED` the seed of the
//! first; a failing case is printed with its seed.

use crate::support::case::Case;
use crate::support::compare::{Coverage, compare};
use crate::support::runner::{assert_occurs, run_cases};

/// Cases run unless the environment says otherwise.
const DEFAULT_CASES: u64 = 2_000;

#[test]
fn engine_and_oracle_agree_on_programs() {
    let run = |seed| {
        let case = Case::draw_program(seed);
        compare(&case).map_err(|difference| format!("{case}\n{difference}"))
    };
    let (cases, coverage) = run_cases(DEFAULT_CASES, run, Coverage::add);
    if cases >= 300 {
        let per_case = |count: u64| count as f64 / coverage.cases as f64;
        assert_occurs(&[
            (
                "programs at their end",
                per_case(coverage.finished_programs),
                0.2,
            ),
            (
                "blocked programs",
                per_case(coverage.blocked_programs),
                0.02,
            ),
            ("messages received", per_case(coverage.messages), 10.0),
            ("packets", per_case(coverage.packets), 30.0),
            ("blocked cycles", per_case(coverage.blocked_cycles), 20.0),
            (
                "cycles of waiting for acknowledgements",
                per_case(coverage.acknowledgement_cycles),
                100.0,
            ),
        ]);
    }
}
