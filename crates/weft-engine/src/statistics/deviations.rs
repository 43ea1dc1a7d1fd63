//! How the batches of a series deviate from its mean, and the interval that follows: by their spread, by what
//! correlation is left between neighbours, and by their skewness.

use super::student::two_sided_quantile;
use super::warm_up::Observation;

/// Confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

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

/// How batches deviate from the ratio of their sums.
pub(super) struct Deviations {
    /// Of each batch, in order.
    each: Vec<f64>,
    /// Sum of the squared deviations; 0 where they are rounding alone.
    squares: f64,
    /// Sum of the weights.
    weight: f64,
}

impl Deviations {
    pub(super) fn of(batches: &[Observation]) -> Self {
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
    pub(super) fn are_independent(&self) -> bool {
        let count = self.count();
        let deviation = ((count - 2.0) / (count * count - 1.0)).sqrt();
        self.correlation() <= CORRELATION_TEST_QUANTILE * deviation
    }

    /// Tells whether a straight line through the batches rises or falls beyond chance.
    pub(super) fn have_trend(&self) -> bool {
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

    /// Variance of the total of a batch.
    pub(super) fn variance(&self) -> f64 {
        self.squares / (self.count() - 1.0)
    }

    /// Half the width of the 95 % interval of the ratio; neighbours count as correlated by no less than told.
    pub(super) fn half_width(&self, least_correlation: f64) -> f64 {
        self.half_width_beside(least_correlation, 0.0)
    }

    /// The same where the sum of all batches varies beside that by another variance.
    pub(super) fn half_width_beside(&self, least_correlation: f64, beside: f64) -> f64 {
        let correlation = self.correlation().max(least_correlation);
        let inflation = (1.0 + correlation) / (1.0 - correlation);
        let variance = self.variance();
        let error = (variance * self.count() * inflation + beside).sqrt() / self.weight;
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
