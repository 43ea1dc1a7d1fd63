//! How well the mean of a correlated series is known: means of batches that no longer depend on one
//! another, with what dependence and skewness may be left.

use super::batches::BatchSeries;
use super::deviations::Deviations;
use super::estimate::Estimate;

/// Fewest batches an interval is drawn from.
pub(super) const MIN_BATCHES: usize = 10;

/// Least correlation that counts: chance makes batches alternate, and an interval of batches that
/// happen to would be nothing.
pub(crate) const LEAST_CORRELATION: f64 = -1.0 / 3.0;

impl BatchSeries {
    /// neighbouring batches are joined until a test finds them no longer correlated; what
    /// correlation the test may have missed widens the interval as a first-order autoregression
    /// would have it, and so does skewness, by which means of few batches lie below the truth more
    /// often than above. Batches that rise or fall all along have no interval.
    ///
    /// Negative correlation does not count, so that intervals of independent batches hold 1 to 2 % more often than
    /// they say: the runs that end by them are those whose intervals are narrow by chance.
    ///
    /// # Source
    /// A. Tafazzoli and J. R. Wilson, "Skart: a skewness- and autoregression-adjusted batch-means
    /// procedure for simulation analysis", IIE Transactions 43 (2011): both adjustments and the test
    /// of batches, which are joined by twos here. Intervals there have sides of their own; here both
    /// are as wide as the wider one.
    pub(crate) fn estimate(&self) -> Estimate {
        let lengths = self.lengths(MIN_BATCHES);
        let independent = lengths.iter().find(|length| length.are_independent());
        let half_width = independent
            .filter(|length| !length.have_trend())
            .map_or(f64::NAN, |length| length.half_width(0.0));
        let mean = self.mean();
        Estimate { mean, half_width }
    }

    /// The same where negative correlation counts, too, which narrows the interval as often as chance alone widens
    /// it. Where even the longest batches are correlated, that widens the interval: a window that shows how slowly the
    /// series changes is not the one to say nothing of, as those that are left would be the ones that have seen no long
    /// queue.
    pub(crate) fn estimate_with_sign(&self) -> Estimate {
        let lengths = self.lengths(MIN_BATCHES);
        let independent = from_first_independent(&lengths).first();
        let half_width = independent
            .filter(|length| !length.have_trend())
            .map_or(f64::NAN, |length| length.half_width(LEAST_CORRELATION));
        let mean = self.mean();
        Estimate { mean, half_width }
    }

    /// Estimates the mean of what leaves a network that carries all it is given, `generated` being the same spans of
    /// that. Over a series the two differ by what the network holds more at its end than at its beginning; over each
    /// batch, too, but what it takes up in one it gives back in another. So the variance is that of what is generated,
    /// whose batches do not depend on one another where those of a full network long do, and what batches vary beyond
    /// that counts once, as the series has two ends: the most by batches of all lengths, as short ones are full and
    /// empty together. Neighbours count as correlated by no less than told.
    ///
    /// There is no interval where the network keeps ever more, which the caller has to know.
    pub(crate) fn estimate_by_generated(
        &self,
        generated: &Self,
        least_correlation: f64,
    ) -> Estimate {
        let [of_own, of_generated] = [self, generated].map(|one| one.lengths(MIN_BATCHES));
        let beyond = of_own.iter().zip(&of_generated);
        let beyond = beyond.map(|(own, generated)| own.variance() - generated.variance());
        let at_ends = beyond.fold(0.0, f64::max);
        let independent = of_generated.iter().find(|length| length.are_independent());
        let half_width = independent.map_or(f64::NAN, |length| {
            length.half_width_beside(least_correlation, at_ends)
        });
        let mean = self.mean();
        Estimate { mean, half_width }
    }
}

/// The lengths from the first one whose batches are independent on; the longest alone where none are.
pub(super) fn from_first_independent(lengths: &[Deviations]) -> &[Deviations] {
    let independent = lengths.iter().position(Deviations::are_independent);
    &lengths[independent.unwrap_or(lengths.len().saturating_sub(1))..]
}

#[cfg(test)]
mod tests {
    use super::super::samples::{covered, estimate, exponential, series, share, unit};
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::SeedableRng;

    fn autoregression(random: &mut Pcg64Mcg, factor: f64, count: usize) -> Estimate {
        let mut value = 0.0;
        let values: Vec<_> = (0..count + 500)
            .map(|_| {
                value = factor * value + unit(random) - 0.5;
                (value, 1.0)
            })
            .collect();
        estimate(values[500..].iter().copied())
    }

    // Bounds below: of 1,000 nominal intervals (0.95), fewer than 925 hit with a probability of 0.0005;
    // up to 985 may, as both sides are as wide as the wider one.

    #[test]
    fn intervals_of_independent_observations_hold_the_mean_as_often_as_they_say() {
        for count in [20, 31, 100, 1000] {
            let found = covered(1.0, |random| {
                estimate(
                    (0..count)
                        .map(|_| (exponential(random), 1.0))
                        .collect::<Vec<_>>(),
                )
            });
            assert!(
                found.0 >= 900,
                "{count}: {found:?}: independent batches pass the test"
            );
            assert!(
                (0.925..=0.985).contains(&share(found)),
                "{count}: {found:?}"
            );
        }
    }

    #[test]
    fn intervals_of_ratios_hold_the_ratio_as_often_as_they_say() {
        // Between 0 and 9 packets a span, each with its own latency.
        let found = covered(1.0, |random| {
            let span = |_| {
                let packets = (10.0 * unit(random)).floor();
                let mut total = 0.0;
                let mut left = packets;
                while left > 0.5 {
                    total += exponential(random);
                    left -= 1.0;
                }
                (total, packets)
            };
            estimate((0..200).map(span).collect::<Vec<_>>())
        });
        assert!((0.925..=0.985).contains(&share(found)), "{found:?}");
    }

    #[test]
    fn correlation_widens_intervals_or_forbids_them() {
        // Correlation over 10 observations: 1,000 of them are worth 50 independent ones.
        let found = covered(0.0, |random| autoregression(random, 0.9, 1000));
        assert!(found.0 >= 700 && share(found) >= 0.925, "{found:?}");
        // Over 100: worth 5, from which no interval should be drawn.
        let found = covered(0.0, |random| autoregression(random, 0.99, 1000));
        assert!(found.0 <= 200, "{found:?}");
    }

    #[test]
    fn a_trend_has_no_interval() {
        let found = estimate((0..500).map(|i| (f64::from(i), 1.0)));
        assert!(
            found.half_width.is_nan() && (found.mean - 249.5).abs() < 1e-9,
            "{found:?}"
        );
        assert!(!found.is_within(0.99));
    }

    /// A line of 20 steps of 1 with 6 above and below it by turns: steps of -11 and 13, whose squares are
    /// 10·121 + 9·169 = 2,731, over deviations of 665 + 720 - 120 = 1,265 leave a correlation of -0.08; but
    /// of these 605²/665 = 550 are the line's, 13.9 times as much as of each of 18 others.
    #[test]
    fn a_trend_among_batches_that_seem_independent_has_no_interval() {
        let by_turns = |i: u32| if i.is_multiple_of(2) { 6.0 } else { -6.0 };
        let rising = estimate((0..20).map(|i| (100.0 + f64::from(i) + by_turns(i), 1.0)));
        assert!(rising.half_width.is_nan(), "{rising:?}");
        let level = estimate((0..20).map(|i| (100.0 + by_turns(i), 1.0)));
        assert!(level.half_width > 0.0, "{level:?}");
    }

    /// What is generated and what leaves a queue that is busy 19 of 20 times.
    fn through_a_queue(random: &mut Pcg64Mcg) -> [BatchSeries; 2] {
        let mut queue = 0.0;
        let mut spans = [Vec::new(), Vec::new()];
        for _ in 0..2500 {
            let generated = exponential(random);
            let held = queue + generated;
            queue = (held - 1.0 / 0.95).max(0.0);
            spans[0].push(generated);
            spans[1].push(held - queue);
        }
        spans.map(|mut values| series(values.split_off(500)))
    }

    #[test]
    fn what_leaves_a_queue_is_known_as_well_as_what_enters_it() {
        let found = covered(1.0, |random| {
            let [generated, accepted] = through_a_queue(random);
            accepted.estimate_by_generated(&generated, LEAST_CORRELATION)
        });
        assert!(found.0 >= 950, "{found:?}");
        assert!((0.93..=0.98).contains(&share(found)), "{found:?}");
        let [mut by_generated, mut by_itself] = [0.0, 0.0];
        for seed in 0..100 {
            let [generated, accepted] = through_a_queue(&mut Pcg64Mcg::seed_from_u64(seed));
            let half_width = accepted
                .estimate_by_generated(&generated, LEAST_CORRELATION)
                .half_width;
            if !half_width.is_nan() {
                by_generated += half_width;
                by_itself += accepted.estimate_of_drifting().half_width;
            }
        }
        assert!(
            by_generated < 0.95 * by_itself,
            "{by_generated} {by_itself}"
        );
    }

    /// Twenty batches vary by 20/19 each, ten pairs of them not at all, and what is generated neither.
    #[test]
    fn what_batches_vary_beyond_what_is_generated_counts_once() {
        let accepted = series([6.0, 4.0].repeat(10));
        let even = series([5.0].repeat(20));
        let found = accepted.estimate_by_generated(&even, 0.0);
        let expected = 2.093_024 * (20.0_f64 / 19.0).sqrt() / 20.0;
        assert!((found.half_width - expected).abs() < 1e-6, "{found:?}");
        assert!((found.mean - 5.0).abs() < 1e-12, "{found:?}");
        // The other way round as much is generated as is accepted, and varies more.
        let found = even.estimate_by_generated(&accepted, 0.0);
        assert!(
            (found.half_width - 20.0_f64.sqrt() * expected).abs() < 1e-5,
            "{found:?}"
        );
    }

    /// Twenty of 6 and 4 with 13 changes, a correlation of 1 - 13·4/(2·20) = -0.3; of ten pairs four are 10, three 12 and

    #[test]
    fn too_few_batches_have_no_interval() {
        assert!(
            estimate(vec![(1.0, 1.0); MIN_BATCHES - 1])
                .half_width
                .is_nan()
        );
        assert!(estimate([]).mean.is_nan());
        let constant = estimate(vec![(3.0, 2.0); MIN_BATCHES]);
        assert!(
            constant.is_within(0.0) && (constant.mean - 1.5).abs() < 1e-12,
            "{constant:?}"
        );
    }

    #[test]
    fn a_series_without_weight_is_not_precise() {
        let found = estimate(vec![(0.0, 0.0); 100]);
        assert!(found.mean.is_nan() && !found.is_within(0.5), "{found:?}");
    }

    #[test]
    fn ten_observations_give_the_interval_of_the_textbook() {
        // Five of 6 and five of 4, standard deviation √(10/9), which change five times: a correlation
        // of 1 - 5·4/(2·10) = 0. As many lie as far above the mean as below.
        let found = estimate([6.0, 6.0, 4.0, 4.0, 6.0, 6.0, 4.0, 4.0, 6.0, 4.0].map(|v| (v, 1.0)));
        assert!((found.mean - 5.0).abs() < 1e-12);
        let expected = 2.262_157 * (10.0_f64 / 9.0).sqrt() / 10.0_f64.sqrt();
        assert!((found.half_width - expected).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn batches_that_alternate_narrow_the_interval_that_ends_no_run_down_to_a_limit() {
        // Six changes: a correlation of 1 - 6·4/(2·10) = -0.2 and (1 - 0.2)/(1 + 0.2) = 2/3 of the variance.
        let six = series([6.0, 4.0, 6.0, 6.0, 4.0, 4.0, 6.0, 4.0, 4.0, 6.0]);
        let of = |share: f64| 2.262_157 * (share * 10.0 / 9.0).sqrt() / 10.0_f64.sqrt();
        let is = |found: Estimate, share| (found.half_width - of(share)).abs() < 1e-5;
        assert!(is(six.estimate_with_sign(), 2.0 / 3.0));
        assert!(is(six.estimate(), 1.0));
        // Nine: -0.8, of which -1/3 counts, and half of the variance.
        let nine = series((0..10).map(|i| if i % 2 == 0 { 6.0 } else { 4.0 }));
        assert!(is(nine.estimate_with_sign(), 0.5));
    }

    #[test]
    fn correlation_that_the_test_misses_widens_the_interval() {
        // Five of 6 and five of 4, which change four times: a correlation of 1 - 4·4/(2·10) = 0.2, less
        // than the 0.24 that the test would find, makes the variance (1 + 0.2)/(1 - 0.2) = 1.5 times as large.
        let found = estimate([6.0, 6.0, 4.0, 4.0, 4.0, 6.0, 6.0, 4.0, 4.0, 6.0].map(|v| (v, 1.0)));
        let expected = 2.262_157 * (1.5 * 10.0_f64 / 9.0).sqrt() / 10.0_f64.sqrt();
        assert!((found.half_width - expected).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn skewed_observations_widen_the_interval_as_published() {
        // Nine of 0 and one of 10, in the middle: mean 1, variance 10, skewness √10, so that
        // β = √10 / (6·√10) = 1/6. t = 2.262: the wider side is that of -t,
        // ((1 - (2.262157 + 1/6))^(1/3) - 1)·3 = (-1.428824^(1/3) - 1)·3 = -6.37890.
        let found = estimate([0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0].map(|v| (v, 1.0)));
        let expected = 6.378_90 * 10.0_f64.sqrt() / 10.0_f64.sqrt();
        assert!((found.half_width - expected).abs() < 1e-4, "{found:?}");
    }
}
