//! How far a routing has come, for whoever waits for it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Told by the algorithm as it goes, read by any thread at any time; no route depends on it.
///
/// An algorithm begins one step after the other, and tells of long ones what part is done.
#[derive(Debug, Default)]
pub struct Progress {
    steps: AtomicU64,
    done: AtomicU64,
    of: AtomicU64,
}

impl Progress {
    /// Begins a step of so many parts; 0 where nobody knows.
    pub(crate) fn begin(&self, parts: usize) {
        self.done.store(0, Ordering::Relaxed);
        self.of.store(parts as u64, Ordering::Relaxed);
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells that one more part of the step is done.
    #[inline]
    pub(crate) fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Steps begun.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// What part of the last step is done (0…1); `None` where nobody knows.
    pub fn share(&self) -> Option<f64> {
        let [done, of] = [&self.done, &self.of].map(|count| count.load(Ordering::Relaxed));
        (of > 0).then(|| (done as f64 / of as f64).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_told_by_its_parts() {
        let progress = Progress::default();
        assert_eq!((progress.steps(), progress.share()), (0, None));
        progress.begin(4);
        progress.advance();
        assert_eq!((progress.steps(), progress.share()), (1, Some(0.25)));
        progress.begin(0);
        progress.advance();
        assert_eq!((progress.steps(), progress.share()), (2, None));
    }
}
