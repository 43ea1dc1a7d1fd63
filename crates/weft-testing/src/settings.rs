//! How random tests run, and what tests compare by.

use proptest::prelude::ProptestConfig;
use std::fmt::Display;

/// So many cases, and no file of those that failed.
pub fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Compares two numbers that may differ by so much.
#[track_caller]
pub fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

/// Looks for a part of a text, such as an error's.
#[track_caller]
pub fn assert_has(text: &impl Display, part: &str) {
    let text = text.to_string();
    assert!(text.contains(part), "found {text}, expected {part}");
}

/// The first line of an error.
pub fn first_line(error: impl Display) -> String {
    error.to_string().lines().next().unwrap().to_owned()
}
