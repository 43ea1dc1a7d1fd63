//! On how many threads the parts of a simulation go on, and for how long.

/// How many windows are simulated before it is asked again whether threads have processors of their own.
///
/// Threads that share them with other programs wait for one another at every meeting, many times longer than
/// the window takes. Then one thread goes on with all parts for a while, each time for longer. Figures do not
/// depend on it.
#[derive(Debug)]
pub(super) struct Pace {
    /// Windows of the next stretch on several threads.
    windows: u64,
    /// Stretches to come on one thread.
    alone: u32,
    /// How many there were after the last stretch on several.
    pause: u32,
}

impl Pace {
    const FEWEST_WINDOWS: u64 = 64;
    const MOST_WINDOWS: u64 = 4_096;
    const LONGEST_PAUSE: u32 = 64;

    /// That of threads which have processors of their own.
    pub(super) fn new() -> Self {
        Self {
            windows: Self::FEWEST_WINDOWS,
            alone: 0,
            pause: 0,
        }
    }

    /// On how many threads, of so many at most, the next stretch is, and of how many windows.
    pub(super) fn next(&mut self, most_threads: usize) -> (usize, u64) {
        if most_threads > 1 && self.alone == 0 {
            return (most_threads, self.windows);
        }
        self.alone = self.alone.saturating_sub(1);
        (1, Self::MOST_WINDOWS)
    }

    /// Takes note of a stretch on several threads.
    pub(super) fn note(&mut self, was_kept_waiting: bool) {
        if was_kept_waiting {
            self.pause = (2 * self.pause).clamp(1, Self::LONGEST_PAUSE);
            self.alone = self.pause;
            self.windows = Self::FEWEST_WINDOWS;
        } else {
            self.pause = 0;
            self.windows = (2 * self.windows).min(Self::MOST_WINDOWS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_goes_on_for_longer_and_longer_where_several_are_kept_waiting() {
        let mut pace = Pace::new();
        let mut stretches = |was_kept_waiting: bool, count: usize| -> Vec<(usize, u64)> {
            let stretch = |_| {
                let next = pace.next(4);
                if next.0 > 1 {
                    pace.note(was_kept_waiting);
                }
                next
            };
            (0..count).map(stretch).collect()
        };
        assert_eq!(stretches(false, 3), [(4, 64), (4, 128), (4, 256)]);
        let (alone, again) = ((1, 4_096), (4, 64));
        let mut expected = vec![(4, 512), alone, again, alone, alone, again];
        expected.extend([alone; 4]);
        assert_eq!(stretches(true, expected.len()), expected);
        assert_eq!(stretches(false, 2), [(4, 64), (4, 128)]);
    }
}
