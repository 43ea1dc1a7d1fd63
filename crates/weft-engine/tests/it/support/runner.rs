//! Runs random cases on all cores, reports those that fail, and ends the process when one hangs.

use super::coverage::Coverage;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

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
        let text = format!("no case has ended for {silent_seconds} s; running: {running:?}\n");
        // Written past the capture of test output, which an abort would lose.
        let _ = std::io::stderr().write_all(text.as_bytes());
        std::process::abort();
    }
}

/// Runs cases, `default_cases` unless the environment says otherwise, and returns how many, and what
/// they contained.
///
/// # Panics
/// When a case fails: `run` returns what differs, or panics.
#[expect(
    clippy::print_stdout,
    reason = "what failed, and what was covered, is to be read"
)]
pub(crate) fn run_cases(
    default_cases: u64,
    run: impl Fn(u64) -> Result<Coverage, String> + Sync,
) -> (u64, Coverage) {
    let first_seed = number_from_environment("WEFT_DIFFERENTIAL_SEED");
    let cases = number_from_environment("WEFT_DIFFERENTIAL_CASES");
    let cases = cases.unwrap_or(if first_seed.is_some() {
        1
    } else {
        default_cases
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
            // A panic of engine or oracle fails that case alone.
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(seed)));
            let outcome = outcome
                .unwrap_or_else(|_| Err(format!("case {seed} panicked (its message is above)")));
            match outcome {
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
    (cases, coverage)
}
