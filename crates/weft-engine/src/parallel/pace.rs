//! On how many threads the parts of a simulation go on, and for how long.

/// How many windows are simulated before it is asked again whether threads have processors of their own.
///
/// Threads that share them with other programs wait for one another, many times longer than a window takes, at
/// some meetings or at all. Then one thread goes on with all parts for a while, each time for longer. Figures do
/// not depend on it.
#[derive(Debug)]
pub(super) struct Pace {
    /// Windows of the next stretch on several threads.
    windows: u64,
    /// Windows to come on one thread.
    alone: u64,
    /// How many there were after the last stretch on several.
    pause: u64,
}

impl Pace {
    const FEWEST_WINDOWS: u64 = 64;
    const MOST_WINDOWS: u64 = 4_096;
    const LONGEST_PAUSE: u64 = 64 * Self::MOST_WINDOWS;

    /// Processors at work on average, of which threads must have more for several to be worth it: what they do for
    /// one another comes on top of what one would do.
    const WORTH_WHILE: f64 = 1.2;

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
        if most_threads == 1 {
            (1, Self::MOST_WINDOWS)
        } else if self.alone > 0 {
            (1, self.alone.min(Self::MOST_WINDOWS))
        } else {
            (most_threads, self.windows)
        }
    }

    /// Takes note of so many windows on one thread.
    pub(super) fn note_alone(&mut self, windows: u64) {
        self.alone = self.alone.saturating_sub(windows);
    }

    /// Takes note of a stretch on several threads, and how many processors were at work on average.
    pub(super) fn note(&mut self, processors: f64) {
        if processors < Self::WORTH_WHILE {
            self.pause = (2 * self.pause).clamp(Self::MOST_WINDOWS, Self::LONGEST_PAUSE);
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
    fn one_thread_goes_on_for_longer_and_longer_where_several_gain_nothing() {
        let mut pace = Pace::new();
        let mut stretches = |processors: f64, count: usize| -> Vec<(usize, u64)> {
            let stretch = |_| {
                let (threads, windows) = pace.next(4);
                if threads > 1 {
                    pace.note(processors);
                } else {
                    pace.note_alone(windows);
                }
                (threads, windows)
            };
            (0..count).map(stretch).collect()
        };
        assert_eq!(stretches(3.8, 3), [(4, 64), (4, 128), (4, 256)]);
        let (alone, again) = ((1, 4_096), (4, 64));
        let mut expected = vec![(4, 512), alone, again, alone, alone, again];
        expected.extend([alone; 4]);
        assert_eq!(stretches(1.1, expected.len()), expected);
        assert_eq!(stretches(1.3, 2), [(4, 64), (4, 128)]);
    }

    #[test]
    fn stretches_that_end_early_leave_the_rest_of_a_pause() {
        let mut pace = Pace::new();
        pace.note(1.0);
        pace.note_alone(4_000);
        assert_eq!(pace.next(2), (1, 96));
        pace.note_alone(96);
        assert_eq!(pace.next(2), (2, 64));
        assert_eq!(pace.next(1), (1, 4_096));
    }
}
