//! Sums of a correlated series over batches that grow longer as it goes on.

use super::deviations::Deviations;
use super::warm_up::Observation;

/// Most batches an interval is drawn from: more would gain little precision and stay closer to
/// one another, where slow correlation hides behind fast noise.
const MAX_BATCHES: usize = 63;

/// Batches held before neighbours are joined.
const MAX_HELD: usize = 2 * (MAX_BATCHES + 1);

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

    /// The ratio of all totals to all weights; NaN for a series without weight.
    pub(super) fn mean(&self) -> f64 {
        if self.sum.weight > 0.0 {
            self.sum.total / self.sum.weight
        } else {
            f64::NAN
        }
    }

    /// Deviations of at most [`MAX_BATCHES`] batches, then of ever longer ones while there are as many as `least`.
    pub(super) fn lengths(&self, least: usize) -> Vec<Deviations> {
        let mut batches = self.batches.clone();
        while batches.len() > MAX_BATCHES {
            batches = joined(&batches);
        }
        let mut lengths = Vec::new();
        while batches.len() >= least {
            lengths.push(Deviations::of(&batches));
            batches = joined(&batches);
        }
        lengths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
