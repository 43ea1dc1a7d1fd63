//! How well the mean of a correlated series is known: means of batches that no longer depend on one
//! another, with what dependence and skewness may be left.

use super::student::two_sided_quantile;
use super::warm_up::Observation;

/// Confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// Fewest batches an interval is drawn from.
pub(crate) const MIN_BATCHES: usize = 10;

/// Most batches an interval is drawn from: more would gain little precision and stay closer to
/// one another, where slow correlation hides behind fast noise.
const MAX_BATCHES: usize = 63;

/// Most batches a rough interval is drawn from.
const MAX_ROUGH_BATCHES: usize = 5;

/// Batches held before neighbours are joined.
const MAX_HELD: usize = 2 * (MAX_BATCHES + 1);

/// Relative rounding error of sums: the square root of the sum of squared deviations that rounding
/// may leave, as a share of the total.
const ROUNDING: f64 = 1e-12;

/// One-sided 20 % point of the normal distribution, the level of the test for correlation: batches
/// that depend on one another make intervals too narrow, batches joined once more than needed do not.
const CORRELATION_TEST_QUANTILE: f64 = 0.841_621;

/// Skewness, over six roots of the number of batches, that is too little to divide by.
const LEAST_SKEWNESS: f64 = 1e-9;

/// Confidence with which batches must grow or fall all along to be called a trend.
const TREND_CONFIDENCE: f64 = 0.99;

/// A mean and what is known of its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    /// Mean of the whole series; NaN for a series without weight.
    pub(crate) mean: f64,
    /// Half the width of the 95 % confidence interval; NaN where there are too few batches, where even
    /// the longest batches are correlated, or where they have a trend.
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

    /// The mean alone.
    pub(crate) fn without_interval(self) -> Self {
        let half_width = f64::NAN;
        Self { half_width, ..self }
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

/// How batches deviate from the ratio of their sums.
struct Deviations {
    /// Of each batch, in order.
    each: Vec<f64>,
    /// Sum of the squared deviations; 0 where they are rounding alone.
    squares: f64,
    /// Sum of the weights.
    weight: f64,
}

impl Deviations {
    fn of(batches: &[Observation]) -> Self {
        let sum = Observation::sum(batches);
        let ratio = sum.mean_or_zero();
        let each: Vec<f64> = batches.iter().map(|b| b.total - ratio * b.weight).collect();
        let squares: f64 = each.iter().map(|d| d * d).sum();
        // Equal observations differ by rounding, which is no sign of anything.
        let noise = ROUNDING * sum.total;
        Self {
            squares: if squares > noise * noise {
                squares
            } else {
                0.0
            },
            each,
            weight: sum.weight,
        }
    }

    fn count(&self) -> f64 {
        self.each.len() as f64
    }

    /// Lag-1 autocorrelation, corrected for the ends (von Neumann's ratio).
    fn correlation(&self) -> f64 {
        let pairs = self.each.windows(2);
        let steps: f64 = pairs.map(|pair| (pair[1] - pair[0]).powi(2)).sum();
        if self.squares > 0.0 {
            1.0 - steps / (2.0 * self.squares)
        } else {
            0.0
        }
    }

    /// Tells whether a test finds neighbours no longer correlated.
    fn are_independent(&self) -> bool {
        let count = self.count();
        let deviation = ((count - 2.0) / (count * count - 1.0)).sqrt();
        self.correlation() <= CORRELATION_TEST_QUANTILE * deviation
    }

    /// Tells whether a straight line through the batches rises or falls beyond chance.
    fn have_trend(&self) -> bool {
        let middle = (self.count() - 1.0) / 2.0;
        let moment: f64 = (0_u32..)
            .zip(&self.each)
            .map(|(index, deviation)| (f64::from(index) - middle) * deviation)
            .sum();
        let places = self.count() * (self.count() * self.count() - 1.0) / 12.0;
        // Of the squares the line explains this much; the rest is chance.
        let explained = moment * moment / places;
        let quantile = two_sided_quantile(TREND_CONFIDENCE, self.degrees() - 1);
        explained * (self.count() - 2.0) > quantile * quantile * (self.squares - explained)
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 63 batches")]
    fn degrees(&self) -> u32 {
        self.each.len() as u32 - 1
    }

    /// Half the width of the 95 % interval of the ratio.
    fn half_width(&self) -> f64 {
        let count = self.count();
        let correlation = self.correlation().max(0.0);
        let inflation = (1.0 + correlation) / (1.0 - correlation);
        let variance = self.squares / (count - 1.0);
        let error = (variance * count * inflation).sqrt() / self.weight;
        self.adjusted_quantile(variance) * error
    }

    /// The quantile of Student's t, adjusted for the skewness of the batches: of its two sides the
    /// wider one.
    fn adjusted_quantile(&self, variance: f64) -> f64 {
        let count = self.count();
        let cubes: f64 = self.each.iter().map(|d| d.powi(3)).sum();
        let skewness = if variance > 0.0 {
            count / ((count - 1.0) * (count - 2.0)) * cubes / variance.powf(1.5)
        } else {
            0.0
        };
        let quantile = two_sided_quantile(CONFIDENCE, self.degrees());
        let beta = skewness.abs() / (6.0 * count.sqrt());
        if beta < LEAST_SKEWNESS {
            return quantile;
        }
        let side = |t: f64| ((1.0 + 6.0 * beta * (t - beta)).cbrt() - 1.0) / (2.0 * beta);
        side(quantile).abs().max(side(-quantile).abs())
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

    fn mean(&self) -> f64 {
        if self.sum.weight > 0.0 {
            self.sum.total / self.sum.weight
        } else {
            f64::NAN
        }
    }

    fn joined_to(&self, most: usize) -> Vec<Observation> {
        let mut batches = self.batches.clone();
        while batches.len() > most {
            batches = joined(&batches);
        }
        batches
    }

    /// Estimates the mean from three to five batches, as long as there can be, without a test of their
    /// independence: a wide interval for a series whose correlation outlasts shorter ones.
    pub(crate) fn rough_estimate(&self) -> Estimate {
        let batches = self.joined_to(MAX_ROUGH_BATCHES);
        let half_width = if batches.len() > MAX_ROUGH_BATCHES / 2 {
            Deviations::of(&batches).half_width()
        } else {
            f64::NAN
        };
        let mean = self.mean();
        Estimate { mean, half_width }
    }

    /// Estimates the mean, the ratio of all totals to all weights, with its 95 % confidence interval:
    /// neighbouring batches are joined until a test finds them no longer correlated; what
    /// correlation the test may have missed widens the interval as a first-order autoregression
    /// would have it, and so does skewness, by which means of few batches lie below the truth more
    /// often than above. Batches that rise or fall all along have no interval.
    ///
    /// # Source
    /// A. Tafazzoli and J. R. Wilson, "Skart: a skewness- and autoregression-adjusted batch-means
    /// procedure for simulation analysis", IIE Transactions 43 (2011): both adjustments and the test
    /// of batches, which are joined by twos here. Intervals there have sides of their own; here both
    /// are as wide as the wider one.
    pub(crate) fn estimate(&self) -> Estimate {
        self.estimate_of(MAX_BATCHES)
    }

    /// The same from at most so many batches, for a series that is known to change slowly: what is
    /// correlated over many batches is hard to tell from few neighbours.
    pub(crate) fn estimate_of(&self, most_batches: usize) -> Estimate {
        let mean = self.mean();
        let mut batches = self.joined_to(most_batches.min(MAX_BATCHES));
        let mut half_width = f64::NAN;
        while batches.len() >= MIN_BATCHES {
            let deviations = Deviations::of(&batches);
            if deviations.are_independent() {
                if !deviations.have_trend() {
                    half_width = deviations.half_width();
                }
                break;
            }
            batches = joined(&batches);
        }
        Estimate { mean, half_width }
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

    #[test]
    fn few_long_batches_hold_the_mean_where_more_would_not() {
        // Correlation over 300 observations: 1,500 of them are worth two or three.
        let sample = |random: &mut Pcg64Mcg| {
            let mut series = BatchSeries::default();
            let mut value = 0.0;
            for index in 0..4000 {
                value = 0.997 * value + unit(random) - 0.5;
                if index >= 1000 {
                    series.push(Observation {
                        total: value,
                        weight: 1.0,
                    });
                }
            }
            series
        };
        let rough = covered(0.0, |random| sample(random).rough_estimate());
        assert_eq!(rough.0, 1000);
        assert!(share(rough) >= 0.8, "{rough:?}");
        assert!(BatchSeries::default().rough_estimate().half_width.is_nan());
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
        // Mean 5, standard deviation √(22/9): half width 2.262·1.563/√10 = 1.118; the
        // alternating values leave no positive correlation to widen it, and as many lie as far above
        // the mean as below.
        let found = estimate([7.0, 3.0, 7.0, 3.0, 6.0, 4.0, 6.0, 4.0, 6.0, 4.0].map(|v| (v, 1.0)));
        assert!((found.mean - 5.0).abs() < 1e-12);
        let deviation = (22.0_f64 / 9.0).sqrt();
        let expected = 2.262_157 * deviation / 10.0_f64.sqrt();
        assert!((found.half_width - expected).abs() < 1e-5, "{found:?}");
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
