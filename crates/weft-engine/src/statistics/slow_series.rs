//! How well the mean of a series is known that changes slowly: batches of several lengths count together, as in what
//! is seen of it no length is known to be long enough.

use super::batches::BatchSeries;
use super::deviations::Deviations;
use super::estimate::Estimate;
use super::intervals::{LEAST_CORRELATION, MIN_BATCHES, from_first_independent};

/// Fewest batches of a length that counts where congestion drifts.
const MIN_LONG_BATCHES: usize = 7;

impl BatchSeries {
    /// Estimates the mean of a series that changes slowly: the widest interval by batches of all lengths, those that are
    /// correlated among them. Ten batches tell their spread within a quarter, and in a window that has seen few long
    /// queues they are more alike than they should be; short ones, of which there are more, tell correlation better, and
    /// widen the interval as a first-order autoregression would have it.
    ///
    /// # Source
    /// N. M. Steiger, E. K. Lada, J. R. Wilson and others, "ASAP3: a batch means procedure for steady-state simulation
    /// analysis", ACM TOMACS 15 (2005): intervals of batches that are still correlated, by a first-order autoregression.
    pub(crate) fn estimate_of_slow(&self) -> Estimate {
        self.by_all_lengths(0)
    }

    /// The same where no more can be observed, the second widest interval: the widest one makes up for those that end a
    /// run early, as runs do whose intervals are narrow by chance. Of what is left too few are narrow, and the widest
    /// ones hold in nearly all runs.
    pub(crate) fn estimate_of_slow_at_the_end(&self) -> Estimate {
        self.by_all_lengths(1)
    }

    /// The interval by batches of all lengths than which so many others are wider, or the narrowest one; none where
    /// batches have a trend that would do as independent ones.
    fn by_all_lengths(&self, wider: usize) -> Estimate {
        let lengths = self.lengths(MIN_BATCHES);
        let independent = from_first_independent(&lengths).first();
        let half_width = if independent.is_none_or(Deviations::have_trend) {
            f64::NAN
        } else {
            let widths = widest_first(&lengths);
            widths[wider.min(widths.len() - 1)]
        };
        let mean = self.mean();
        Estimate { mean, half_width }
    }

    /// The same of what a saturated network accepts: congestion drifts for as long as one looks, so that
    /// batches of all lengths count, down to few, and no drift is a trend.
    pub(crate) fn estimate_of_drifting(&self) -> Estimate {
        let lengths = self.lengths(MIN_LONG_BATCHES);
        let widths = widest_first(from_first_independent(&lengths));
        let half_width = widths.first().copied().unwrap_or(f64::NAN);
        let mean = self.mean();
        Estimate { mean, half_width }
    }
}

/// The half widths by batches of several lengths, the widest first.
fn widest_first(lengths: &[Deviations]) -> Vec<f64> {
    let widths = lengths.iter().map(|one| one.half_width(LEAST_CORRELATION));
    let mut widths: Vec<f64> = widths.collect();
    widths.sort_by(|one, other| other.total_cmp(one));
    widths
}

#[cfg(test)]
mod tests {
    use super::super::samples::{covered, series, share, unit};
    use rand_pcg::Pcg64Mcg;

    #[test]
    fn what_drifts_is_held_where_short_batches_would_not_tell() {
        // Correlation over 100 observations: 3,000 of them are worth fifteen.
        let sample = |random: &mut Pcg64Mcg| {
            let mut value = 0.0;
            let values: Vec<_> = (0..4000)
                .map(|_| {
                    value = 0.99 * value + unit(random) - 0.5;
                    value
                })
                .collect();
            series(values[1000..].iter().copied())
        };
        let adrift = covered(0.0, |random| sample(random).estimate_of_drifting());
        assert_eq!(adrift.0, 1000, "each has an interval");
        assert!((0.94..=0.99).contains(&share(adrift)), "{adrift:?}");
    }

    #[test]
    fn seven_batches_are_enough_for_what_drifts() {
        // Mean 5, squares 4, steps 12: a correlation of -0.5, of which -1/3 counts: half the variance.
        let values = [5.0, 4.0, 6.0, 5.0, 6.0, 4.0, 5.0];
        let found = series(values).estimate_of_drifting().half_width;
        let expected = 2.446_912 * (0.5 * 4.0_f64 / 6.0 / 7.0).sqrt();
        assert!((found - expected).abs() < 1e-5, "{found}");
        assert!(series(values).estimate().half_width.is_nan());
        let six = series(values[1..].iter().copied());
        assert!(six.estimate_of_drifting().half_width.is_nan());
    }

    /// Twenty of 6 and 4 with 13 changes, a correlation of 1 - 13·4/(2·20) = -0.3; of ten pairs four are 10, three 12 and
    /// three 8: squares 24 and steps 4 + 5·16 = 84, so that -1/3 counts.
    #[test]
    fn the_widest_interval_by_batches_of_all_lengths_counts_in_slow_series() {
        let by_turns = [6.0, 4.0].repeat(4);
        let in_pairs = [6.0, 6.0, 4.0, 4.0].repeat(3);
        let found = series(by_turns.into_iter().chain(in_pairs));
        let short = 2.093_024 * (0.7_f64 / 1.3 / 19.0).sqrt();
        let half_width = found.estimate_with_sign().half_width;
        assert!((half_width - short).abs() < 1e-5, "{half_width}");
        let long = 2.262_157 * (0.5 * 24.0_f64 / 9.0 / 10.0).sqrt() / 2.0;
        let half_width = found.estimate_of_slow().half_width;
        assert!((half_width - long).abs() < 1e-5, "{half_width}");
        let half_width = found.estimate_of_slow_at_the_end().half_width;
        assert!((half_width - short).abs() < 1e-5, "{half_width}");
    }

    /// Twenty by threes, with seven changes, have a correlation of 1 - 7·4/(2·20) = 0.3, of which the test would find 0.18;
    /// it makes the variance 1.3/0.7 times as large. The pairs are 12, 10 and 8 in turn, with a 10 at the end: squares 24 and
    /// steps 60, a correlation of -0.25.
    #[test]
    fn correlated_batches_count_in_slow_series_where_they_give_the_widest_interval() {
        let by_threes = [6.0, 6.0, 6.0, 4.0, 4.0, 4.0].repeat(3);
        let found = series(by_threes.into_iter().chain([6.0, 4.0]));
        let long = 2.262_157 * (0.75 / 1.25 * 24.0_f64 / 9.0 / 10.0).sqrt() / 2.0;
        let half_width = found.estimate_with_sign().half_width;
        assert!((half_width - long).abs() < 1e-5, "{half_width}");
        let short = 2.093_024 * (1.3 / 0.7 * 20.0_f64 / 19.0 / 20.0).sqrt();
        let half_width = found.estimate_of_slow().half_width;
        assert!((half_width - short).abs() < 1e-5, "{half_width}");
    }

    #[test]
    fn intervals_of_slow_series_hold_the_mean_as_often_as_they_say() {
        // Correlation over 50 observations of what is exponential, as waits are: 4,000 are worth some forty.
        let sample = |random: &mut Pcg64Mcg| {
            let [mut one, mut other] = [0.0, 0.0];
            let mut values = Vec::new();
            for _ in 0..5000 {
                for value in [&mut one, &mut other] {
                    *value = 0.99 * *value + unit(random) - 0.5;
                }
                values.push(one * one + other * other);
            }
            series(values.split_off(1000))
        };
        // Each has a variance of 1/12/(1 - 0.99²).
        let truth = 2.0 / 12.0 / (1.0 - 0.99 * 0.99);
        let slow = covered(truth, |random| sample(random).estimate_of_slow());
        let by_first = covered(truth, |random| sample(random).estimate_with_sign());
        assert!(slow.0 >= 950, "{slow:?}");
        assert!((0.955..=0.99).contains(&share(slow)), "{slow:?}");
        assert!(share(by_first) < share(slow), "{by_first:?} {slow:?}");
        let at_the_end = covered(truth, |random| sample(random).estimate_of_slow_at_the_end());
        assert_eq!(at_the_end.0, slow.0);
        assert!(
            (0.935..=0.975).contains(&share(at_the_end)),
            "{at_the_end:?}"
        );
        assert!(share(at_the_end) < share(slow), "{at_the_end:?} {slow:?}");
    }

    /// Five of 6 between three of 4 and two of 4: two changes, a correlation of 1 - 2·4/(2·10) = 0.6, which
    /// makes the variance (1 + 0.6)/(1 - 0.6) = 4 times as large.
    #[test]
    fn what_changes_slowly_has_a_wide_interval_where_all_batches_are_correlated() {
        let found = series([4.0, 4.0, 4.0, 6.0, 6.0, 6.0, 6.0, 6.0, 4.0, 4.0]);
        assert!(found.estimate().half_width.is_nan());
        let half_width = found.estimate_of_slow().half_width;
        let expected = 2.262_157 * (4.0 * 10.0_f64 / 9.0).sqrt() / 10.0_f64.sqrt();
        assert!((half_width - expected).abs() < 1e-5, "{half_width}");
        // There is no other length.
        let at_the_end = found.estimate_of_slow_at_the_end().half_width;
        assert!((at_the_end - half_width).abs() < 1e-12, "{at_the_end}");
        let rising = series((0..10).map(f64::from));
        assert!(rising.estimate_of_slow().half_width.is_nan(), "a trend");
    }
}
