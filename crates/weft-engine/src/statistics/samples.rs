//! Series that tests draw, and how often intervals hold what is true of them.

use super::batches::BatchSeries;
use super::estimate::Estimate;
use super::warm_up::Observation;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

pub(super) fn unit(random: &mut Pcg64Mcg) -> f64 {
    (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0
}

pub(super) fn series(values: impl IntoIterator<Item = f64>) -> BatchSeries {
    let mut series = BatchSeries::default();
    for total in values {
        series.push(Observation { total, weight: 1.0 });
    }
    series
}

pub(super) fn estimate(observations: impl IntoIterator<Item = (f64, f64)>) -> Estimate {
    let mut series = BatchSeries::default();
    for (total, weight) in observations {
        series.push(Observation { total, weight });
    }
    series.estimate()
}

/// Counts in how many of 1,000 seeds the interval of `sample` holds `truth`, among those
/// that give an interval: (intervals, hits).
pub(super) fn covered(truth: f64, sample: impl Fn(&mut Pcg64Mcg) -> Estimate) -> (u32, u32) {
    let estimates = (0..1000).map(|seed| sample(&mut Pcg64Mcg::seed_from_u64(seed)));
    let with_interval: Vec<_> = estimates.filter(|e| !e.half_width.is_nan()).collect();
    let hits = with_interval
        .iter()
        .filter(|e| (e.mean - truth).abs() <= e.half_width);
    let count = |count: usize| u32::try_from(count).unwrap();
    (count(with_interval.len()), count(hits.count()))
}

pub(super) fn share((intervals, hits): (u32, u32)) -> f64 {
    f64::from(hits) / f64::from(intervals)
}

pub(super) fn exponential(random: &mut Pcg64Mcg) -> f64 {
    -unit(random).ln()
}
