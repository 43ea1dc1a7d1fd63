//! How well the mean of a correlated series is known: batch means.

use super::student::two_sided_quantile;
use super::warm_up::Observation;

/// Confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// Fewest batches an interval is drawn from.
pub(crate) const MIN_BATCHES: usize = 10;

/// Most batches an interval is drawn from: more would gain little precision and stay closer to
/// one another, where slow correlation hides behind fast noise.
const MAX_BATCHES: usize = 31;

/// Batches held before neighbours are joined.
const MAX_HELD: usize = 2 * (MAX_BATCHES + 1);

/// Relative rounding error of sums: the square root of the sum of squared deviations that rounding
/// may leave, as a share of the total.
const ROUNDING: f64 = 1e-12;

/// One-sided 10 % point of the normal distribution, the level of the test for correlation.
const CORRELATION_TEST_QUANTILE: f64 = 1.281_552;

/// A mean and what is known of its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// Mean of the whole series; NaN for a series without weight.
    pub(crate) mean: f64,
    /// Half the width of the 95 % confidence interval; NaN where there are too few batches, or
    /// where even the longest batches are correlated.
    pub(crate) half_width: f64,
}

impl Estimate {
    /// The half width as a share of the mean; NaN where the half width is.
    pub(crate) fn relative_half_width(&self) -> f64 {
        if self.half_width == 0.0 {
            0.0
        } else {
            self.half_width / self.mean.abs()
        }
    }

    /// Tells whether the interval exists and its half width is at most `share` of the mean.
    pub(crate) fn is_within(&self, share: f64) -> bool {
        self.relative_half_width() <= share
    }
}

/// The sums of a series over batches of equal length.
///
/// Memory is bounded: when there are too many batches, neighbours are joined and batches become
/// twice as long.
#[derive(Clone, Debug)]
pub(crate) struct BatchSeries {
    batches: Vec<Observation>,
    /// Observations per batch.
    batch_length: u64,
    open: Observation,
    open_length: u64,
    sum: Observation,
}

impl Default for BatchSeries {
    fn default() -> Self {
        Self {
            batches: Vec::new(),
            batch_length: 1,
            open: Observation::default(),
            open_length: 0,
            sum: Observation::default(),
        }
    }
}

/// Joins neighbours; of an odd number the first is left out, the one nearest to the warm-up.
fn joined(batches: &[Observation]) -> Vec<Observation> {
    batches
        .rchunks_exact(2)
        .rev()
        .map(Observation::sum)
        .collect()
}

/// The spread of batches around the ratio of their sums.
struct Spread {
    /// Sum of squared deviations.
    squares: f64,
    /// Lag-1 autocorrelation of the deviations, corrected for the ends (von Neumann's ratio).
    correlation: f64,
}

fn spread(batches: &[Observation]) -> Spread {
    let ratio = Observation::sum(batches).mean_or_zero();
    let deviations: Vec<f64> = batches.iter().map(|b| b.total - ratio * b.weight).collect();
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    let steps: f64 = deviations
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).powi(2))
        .sum();
    // Equal observations differ by rounding, which is no sign of correlation.
    let noise = ROUNDING * Observation::sum(batches).total;
    let correlation = if squares > noise * noise {
        1.0 - steps / (2.0 * squares)
    } else {
        0.0
    };
    Spread {
        squares,
        correlation,
    }
}

impl BatchSeries {
    /// Adds the next observation; all must span the same time.
    pub(crate) fn push(&mut self, observation: Observation) {
        self.sum.add(observation);
        self.open.add(observation);
        self.open_length += 1;
        if self.open_length == self.batch_length {
            self.batches.push(self.open);
            self.open = Observation::default();
            self.open_length = 0;
            if self.batches.len() == MAX_HELD {
                self.batches = joined(&self.batches);
                self.batch_length *= 2;
            }
        }
    }

    /// Estimates the mean, the ratio of all totals to all weights, with the 95 % confidence
    /// interval of batch means: neighbouring batches are joined until a test finds them no longer
    /// correlated; what correlation the test may have missed widens the interval as a first-order
    /// autoregression would have it.
    ///
    /// # Source
    /// G. S. Fishman, "Grouping observations in digital simulation", Management Science 24 (1978);
    /// the correction: N. M. Steiger et al., "ASAP3", ACM TOMACS 15 (2005), section 2.
    pub(crate) fn estimate(&self) -> Estimate {
        let mean = if self.sum.weight > 0.0 {
            self.sum.total / self.sum.weight
        } else {
            f64::NAN
        };
        let mut batches = self.batches.clone();
        while batches.len() > MAX_BATCHES {
            batches = joined(&batches);
        }
        while batches.len() >= MIN_BATCHES {
            let count = batches.len() as f64;
            let Spread {
                squares,
                correlation,
            } = spread(&batches);
            let deviation = ((count - 2.0) / (count * count - 1.0)).sqrt();
            if correlation <= CORRELATION_TEST_QUANTILE * deviation {
                let weight = Observation::sum(&batches).weight;
                let inflation = (1.0 + correlation.max(0.0)) / (1.0 - correlation.max(0.0));
                let variance = squares / (count - 1.0) * count / (weight * weight) * inflation;
                #[expect(clippy::cast_possible_truncation, reason = "at most 31 batches")]
                let degrees = batches.len() as u32 - 1;
                let half_width = two_sided_quantile(CONFIDENCE, degrees) * variance.sqrt();
                return Estimate { mean, half_width };
            }
            batches = joined(&batches);
        }
        Estimate {
            mean,
            half_width: f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    fn unit(random: &mut Pcg64Mcg) -> f64 {
        (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0
    }

    fn estimate(observations: impl IntoIterator<Item = (f64, f64)>) -> Estimate {
        let mut series = BatchSeries::default();
        for (total, weight) in observations {
            series.push(Observation { total, weight });
        }
        series.estimate()
    }

    /// Counts in how many of 1,000 seeds the interval of `sample` holds `truth`, among those
    /// that give an interval: (intervals, hits).
    fn covered(truth: f64, sample: impl Fn(&mut Pcg64Mcg) -> Estimate) -> (u32, u32) {
        let estimates = (0..1000).map(|seed| sample(&mut Pcg64Mcg::seed_from_u64(seed)));
        let with_interval: Vec<_> = estimates.filter(|e| !e.half_width.is_nan()).collect();
        let hits = with_interval
            .iter()
            .filter(|e| (e.mean - truth).abs() <= e.half_width);
        let count = |count: usize| u32::try_from(count).unwrap();
        (count(with_interval.len()), count(hits.count()))
    }

    fn share((intervals, hits): (u32, u32)) -> f64 {
        f64::from(hits) / f64::from(intervals)
    }

    fn exponential(random: &mut Pcg64Mcg) -> f64 {
        -unit(random).ln()
    }

    /// A first-order autoregression with mean 0, started long before.
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

    // Bounds below: of 1,000 nominal intervals (0.95), fewer than 925 or more than 972 hit with a
    // probability of 0.0005 each.

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
                found.0 >= 950,
                "{count}: {found:?}: independent batches pass the test"
            );
            assert!(
                (0.925..=0.972).contains(&share(found)),
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
        assert!((0.925..=0.972).contains(&share(found)), "{found:?}");
    }

    #[test]
    fn correlation_widens_intervals_or_forbids_them() {
        // Correlation over 10 observations: 1,000 of them are worth 50 independent ones.
        let found = covered(0.0, |random| autoregression(random, 0.9, 1000));
        assert!(found.0 >= 800 && share(found) >= 0.92, "{found:?}");
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
        // Mean 5, standard deviation √(24/9): half width 2.262·1.633/√10 = 1.168, and the
        // alternating values leave no positive correlation to widen it.
        let found = estimate([7.0, 3.0, 6.0, 4.0, 7.0, 3.0, 5.0, 4.0, 7.0, 4.0].map(|v| (v, 1.0)));
        assert!((found.mean - 5.0).abs() < 1e-12);
        let deviation = (24.0_f64 / 9.0).sqrt();
        assert!((found.half_width - 2.262_157 * deviation / 10.0_f64.sqrt()).abs() < 1e-5);
    }

    #[test]
    fn memory_is_bounded() {
        let mut series = BatchSeries::default();
        for _ in 0..100_000 {
            series.push(Observation {
                total: 1.0,
                weight: 1.0,
            });
            assert!(series.batches.len() < MAX_HELD);
        }
        assert!((series.estimate().mean - 1.0).abs() < 1e-12);
    }
}
