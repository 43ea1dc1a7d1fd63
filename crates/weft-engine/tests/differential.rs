//! Engine against oracle: the same random cases, every packet's injection and delivery cycle, the
//! use of every channel and pool.
//!
//! `WEFT_DIFFERENTIAL_CASES` sets how many cases are run, `WEFT_DIFFERENTIAL_SEED` the seed of the
//! first; a failing case is printed with its seed.

mod support;

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use support::case::Case;
use support::compare::{Coverage, compare};
use weft_model::Arbitration;

/// Cases run unless the environment says otherwise.
const DEFAULT_CASES: u64 = 5_000;

/// Failing cases printed at most.
const MAX_PRINTED: usize = 3;

/// Seeds of failing cases printed at most.
const MAX_SEEDS: usize = 20;

/// Seconds without a finished case after which the running ones count as hanging; a case takes some
/// milliseconds.
const MAX_SILENT_SECONDS: u32 = 120;

fn number_from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    assert!(
        number.is_ok(),
        "{name}: found “{text}”, expected a whole number"
    );
    number.ok()
}

/// Runs a case; a panic of engine or oracle fails that case alone.
fn run(seed: u64) -> Result<Coverage, String> {
    let outcome = std::panic::catch_unwind(|| {
        let case = Case::draw(seed);
        compare(&case).map_err(|difference| format!("{case}\n{difference}"))
    });
    outcome.unwrap_or_else(|_| Err(format!("case {seed} panicked (its message is above)")))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the test process, naming the cases, when none has finished for long.
fn watch(is_over: &AtomicBool, finished: &AtomicU64, running: &Mutex<BTreeSet<u64>>) {
    let (mut before, mut silent_seconds) = (0, 0);
    while !is_over.load(Ordering::Relaxed) && silent_seconds < MAX_SILENT_SECONDS {
        std::thread::sleep(Duration::from_secs(1));
        let now = finished.load(Ordering::Relaxed);
        silent_seconds = if now == before { silent_seconds + 1 } else { 0 };
        before = now;
    }
    if !is_over.load(Ordering::Relaxed) {
        let running = lock(running);
        let text = format!(
            "no case has ended for {silent_seconds} s; running: {running:?}
"
        );
        // Written past the capture of test output, which an abort would lose.
        let _ = std::io::stderr().write_all(text.as_bytes());
        std::process::abort();
    }
}

#[test]
fn engine_and_oracle_agree_on_every_packet() {
    let first_seed = number_from_environment("WEFT_DIFFERENTIAL_SEED");
    let cases = number_from_environment("WEFT_DIFFERENTIAL_CASES");
    let cases = cases.unwrap_or(if first_seed.is_some() {
        1
    } else {
        DEFAULT_CASES
    });
    let first_seed = first_seed.unwrap_or(0);
    let next = AtomicU64::new(0);
    let total = Mutex::new((Coverage::default(), Vec::new()));
    let running = Mutex::new(BTreeSet::new());
    let finished = AtomicU64::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= cases {
                break;
            }
            let seed = first_seed + index;
            lock(&running).insert(seed);
            match run(seed) {
                Ok(coverage) => lock(&total).0.add(&coverage),
                Err(text) => lock(&total).1.push((seed, text)),
            }
            lock(&running).remove(&seed);
            finished.fetch_add(1, Ordering::Relaxed);
        }
    };
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        scope.spawn(|| watch(&is_over, &finished, &running));
        for worker in workers {
            worker.join().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let (coverage, mut failures) = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{coverage:#?}");
    failures.sort();
    for (seed, text) in failures.iter().take(MAX_PRINTED) {
        println!("{text}\nrun it again: WEFT_DIFFERENTIAL_SEED={seed} cargo test -p weft-engine\n");
    }
    let seeds: Vec<u64> = failures
        .iter()
        .map(|failure| failure.0)
        .take(MAX_SEEDS)
        .collect();
    let count = failures.len();
    assert!(
        failures.is_empty(),
        "{count} of {cases} cases differ, first seeds {seeds:?}"
    );
    if cases >= 300 {
        assert_covers(&coverage);
    }
}

/// The cases must contain, often, what the comparison is about.
fn assert_covers(coverage: &Coverage) {
    let per_case = |count: u64| count as f64 / coverage.cases as f64;
    for (what, found, expected) in [
        ("share of ud_itb", per_case(coverage.cases_of_ud_itb), 0.02),
        (
            "share of ud_mitb",
            per_case(coverage.cases_of_ud_mitb),
            0.02,
        ),
        (
            "share of simple_routes",
            per_case(coverage.cases_of_simple_routes),
            0.02,
        ),
        ("share of updown", per_case(coverage.cases_of_updown), 0.02),
        (
            "share of minimal",
            per_case(coverage.cases_of_minimal),
            0.02,
        ),
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
        ("share with a deadlock", per_case(coverage.deadlocks), 0.02),
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
    for (policy, packets) in Arbitration::ALL.iter().zip(coverage.packets_by_policy) {
        let found = per_case(packets);
        assert!(
            found >= 20.0,
            "packets under {policy:?} a case: found {found}, expected at least 20"
        );
    }
}
