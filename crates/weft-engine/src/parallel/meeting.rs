//! Threads that wait for one another.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use weft_fabric::narrow;

/// Looks at whether the others are here before the processor is given to somebody else: some tens of µs,
/// the length of a window.
const LOOKS: u32 = 2_000;

/// What the clock says, for the pace of threads.
#[expect(
    clippy::disallowed_methods,
    reason = "on how many threads parts go on decides no figure"
)]
pub(super) fn clock() -> Instant {
    Instant::now()
}

/// A place where threads wait for one another, again and again, and learn the least of the numbers they
/// bring.
#[derive(Debug)]
pub(crate) struct Meeting {
    thread_count: usize,
    looks: u32,
    arrived: AtomicUsize,
    /// Meetings that are over.
    round: AtomicUsize,
    /// The least number brought, to this meeting and the one before in turn.
    least: [AtomicU64; 2],
    /// For how long threads that waited gave their processors away, in ns.
    given_away_ns: AtomicU64,
    /// Whether a thread has panicked, so that it will never come.
    is_broken: AtomicBool,
}

impl Meeting {
    /// A meeting of so many threads.
    pub(crate) fn new(thread_count: usize) -> Self {
        let processors = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            thread_count,
            looks: if thread_count <= processors { LOOKS } else { 0 },
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            least: [const { AtomicU64::new(u64::MAX) }; 2],
            given_away_ns: AtomicU64::new(0),
            is_broken: AtomicBool::new(false),
        }
    }

    /// For how long threads that had a processor each gave it away, all together. Threads that are more than the
    /// processors have nothing to keep.
    pub(crate) fn given_away(&self) -> Duration {
        Duration::from_nanos(self.given_away_ns.load(Ordering::Relaxed))
    }

    /// Waits for all threads: the least of their numbers.
    ///
    /// # Panics
    /// When another thread has panicked.
    pub(crate) fn wait(&self, number: u64) -> u64 {
        let round = self.round.load(Ordering::Acquire);
        let (here, other) = (&self.least[round % 2], &self.least[(round + 1) % 2]);
        here.fetch_min(number, Ordering::Relaxed);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.thread_count {
            other.store(u64::MAX, Ordering::Relaxed);
            self.arrived.store(0, Ordering::Relaxed);
            self.round.store(round + 1, Ordering::Release);
        } else {
            let mut looks = 0;
            let mut given_away: Option<Instant> = None;
            while self.round.load(Ordering::Acquire) == round {
                assert!(
                    !self.is_broken.load(Ordering::Relaxed),
                    "another thread of the simulation has panicked"
                );
                if looks < self.looks {
                    spin_loop();
                } else {
                    if self.looks > 0 {
                        given_away.get_or_insert_with(clock);
                    }
                    thread::yield_now();
                }
                looks = looks.saturating_add(1);
            }
            if let Some(since) = given_away {
                let nanoseconds = narrow(since.elapsed().as_nanos(), "no run lasts 500 years");
                self.given_away_ns.fetch_add(nanoseconds, Ordering::Relaxed);
            }
        }
        here.load(Ordering::Relaxed)
    }

    /// Attends as long as what is returned lives; where that ends by a panic, nobody waits for ever.
    pub(crate) fn attend(&self) -> Attendance<'_> {
        Attendance(self)
    }
}

/// That a thread comes to every meeting.
pub(crate) struct Attendance<'a>(&'a Meeting);

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_learns_the_least_number_of_each_meeting() {
        const THREADS: u64 = 3;
        let meeting = Meeting::new(3);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let meeting = &meeting;
                scope.spawn(move || {
                    let _attendance = meeting.attend();
                    for round in 0..2_000 {
                        let number =
                            |thread: u64| 1_000_000 - round * 7 + (thread + round) % THREADS;
                        let least = (0..THREADS).map(number).min();
                        assert_eq!(Some(meeting.wait(number(thread))), least);
                    }
                });
            }
        });
    }

    #[test]
    fn a_thread_that_panics_does_not_let_others_wait_for_ever() {
        let meeting = Meeting::new(2);
        let outcomes = thread::scope(|scope| {
            let first = scope.spawn(|| {
                let _attendance = meeting.attend();
                panic!("on purpose");
            });
            let second = scope.spawn(|| {
                let _attendance = meeting.attend();
                meeting.wait(0);
            });
            [first.join().is_err(), second.join().is_err()]
        });
        assert_eq!(outcomes, [true, true]);
    }
}
