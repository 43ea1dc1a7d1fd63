//! The cut-through engine against its oracle: the same random cases, every packet's injection and
//! delivery cycle, the use of every lane and buffer.
//!
//! `WEFT_DIFFERENTIAL_CASES` sets how many cases are run, `WEFT_DIFFERENTIAL_SEED` the seed of the
//! first; a failing case is printed with its seed.

use crate::support::cut_through::case::Case;
use crate::support::cut_through::compare::{Coverage, compare};
use crate::support::runner::{assert_occurs, run_cases};

/// Cases run unless the environment says otherwise: as many as the rarest of the mistakes in
/// `tests/mutants` takes to be noticed, and all that is counted below to occur often enough.
const DEFAULT_CASES: u64 = 2_000;

#[test]
fn cut_through_engine_and_oracle_agree_on_every_packet() {
    let run = |seed| {
        let case = Case::draw(seed);
        compare(&case).map_err(|difference| format!("{case}\n{difference}"))
    };
    let (cases, coverage) = run_cases(DEFAULT_CASES, run, Coverage::add);
    if cases >= 2_000 {
        assert_occurs(&coverage.occurrences());
    }
}
