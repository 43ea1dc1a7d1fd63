//! Engine against oracle on programs: random graphs of dependent messages, every packet, every
//! rank's end and where its time went.
//!
//! `WEFT_DIFFERENTIAL_CASES` sets how many cases are run, `WEFT_DIFFERENTIAL_SEED` the seed of the
//! first.

mod support;

use support::case::Case;
use support::compare::{Coverage, compare};

/// Cases run unless the environment says otherwise.
const DEFAULT_CASES: u64 = 2_000;

fn number_from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    assert!(
        number.is_ok(),
        "{name}: found “{text}”, expected a whole number"
    );
    number.ok()
}

#[test]
fn engine_and_oracle_agree_on_programs() {
    let first_seed = number_from_environment("WEFT_DIFFERENTIAL_SEED");
    let cases = number_from_environment("WEFT_DIFFERENTIAL_CASES");
    let cases = cases.unwrap_or(first_seed.map_or(DEFAULT_CASES, |_| 1));
    let mut coverage = Coverage::default();
    for seed in (first_seed.unwrap_or(0)..).take(usize::try_from(cases).unwrap()) {
        let case = Case::draw_program(seed);
        match compare(&case) {
            Ok(found) => coverage.add(&found),
            Err(difference) => panic!("{case}\n{difference}"),
        }
    }
    println!("{coverage:#?}");
    if cases < 300 {
        return;
    }
    let per_case = |count: u64| count as f64 / coverage.cases as f64;
    for (what, found, expected) in [
        ("programs at their end", coverage.finished_programs, 0.3),
        ("blocked programs", coverage.blocked_programs, 0.02),
        ("messages received", coverage.messages, 10.0),
        ("packets", coverage.packets, 30.0),
        ("blocked cycles", coverage.blocked_cycles, 20.0),
        (
            "cycles of waiting for acknowledgements",
            coverage.acknowledgement_cycles,
            100.0,
        ),
    ] {
        let found = per_case(found);
        assert!(
            found >= expected,
            "{what} a case: found {found}, expected at least {expected}"
        );
    }
}
