//! A histogram of latencies with bins that grow with the value.

/// Bins per octave, as a power of two: a bin is at most 1/128 of the values in it wide.
const OCTAVE_BITS: u32 = 7;

/// Values below this have a bin of their own.
const EXACT_BELOW: u64 = 1 << OCTAVE_BITS;

/// A histogram of integers with log-linear bins: values below 128 exactly, larger ones in 128 bins
/// per octave. Count, mean and maximum are exact; percentiles err by less than 1 %.
///
/// # Source
/// Bins as in `HdrHistogram` (G. Tene).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Histogram {
    /// Values per bin, up to the highest bin in use.
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    max: u64,
}

/// The offset of the bin that holds `value`.
#[inline]
fn bin_of(value: u64) -> usize {
    let octave = value.max(EXACT_BELOW).ilog2() - OCTAVE_BITS;
    // Within octave o the bins are 2^o wide and start at 128·2^o, the bin with offset 128·(o + 1).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the shift leaves at most 8 bits"
    )]
    let within = (value >> octave) as usize;
    octave as usize * EXACT_BELOW_OFFSET + within
}

const EXACT_BELOW_OFFSET: usize = 1 << OCTAVE_BITS;

/// The smallest value of a bin.
fn lower_edge(bin: usize) -> u64 {
    let octave = (bin / EXACT_BELOW_OFFSET).saturating_sub(1);
    ((bin - octave * EXACT_BELOW_OFFSET) as u64) << octave
}

/// The largest value of a bin.
fn upper_value(bin: usize) -> u64 {
    let octave = (bin / EXACT_BELOW_OFFSET).saturating_sub(1);
    lower_edge(bin) + ((1 << octave) - 1)
}

impl Histogram {
    /// Adds one value.
    #[inline]
    pub(crate) fn record(&mut self, value: u64) {
        let bin = bin_of(value);
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
        self.count += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    /// Counts the values.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The mean of the values, exact; `None` when there are none.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The largest value, exact; `None` when there are none.
    pub(crate) fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The value that the share `share` (0…1) of all values do not exceed: the middle of
    /// its bin, within 0.4 % of the true one. `None` when there are no values.
    pub(crate) fn percentile(&self, share: f64) -> Option<f64> {
        if self.count == 0 {
            return None;
        }
        let wanted = (share.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0);
        let mut seen = 0_u64;
        for (bin, &count) in self.counts.iter().enumerate() {
            seen += count;
            if count > 0 && seen as f64 >= wanted {
                let upper = upper_value(bin).min(self.max);
                return Some(f64::midpoint(lower_edge(bin) as f64, upper as f64));
            }
        }
        Some(self.max as f64)
    }

    /// The mean of the fourth powers of the values' deviations from their mean, by the middles of bins;
    /// `None` when there are no values.
    pub(crate) fn fourth_central_moment(&self) -> Option<f64> {
        let mean = self.mean()?;
        let powers = self.counts.iter().enumerate().map(|(bin, &count)| {
            let middle = f64::midpoint(lower_edge(bin) as f64, upper_value(bin) as f64);
            count as f64 * (middle - mean).powi(4)
        });
        Some(powers.sum::<f64>() / self.count as f64)
    }

    /// The bins from the first to the last that hold a value, empty ones between them
    /// included: smallest value and number of values of each. A bin ends where the next one starts.
    pub(crate) fn bins(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first = self.counts.iter().position(|&count| count > 0).unwrap_or(0);
        (first..self.counts.len()).map(|bin| (lower_edge(bin), self.counts[bin]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    /// Values of every magnitude: a random number of random bits.
    fn values(seed: u64, count: usize) -> Vec<u64> {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        (0..count)
            .map(|_| random.next_u64() >> (random.next_u32() % 64))
            .collect()
    }

    fn filled(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        for &value in values {
            histogram.record(value);
        }
        histogram
    }

    #[test]
    fn bins_tile_all_integers() {
        let mut next = 0;
        for bin in 0..bin_of(u64::MAX) {
            assert_eq!(
                lower_edge(bin),
                next,
                "bin {bin} starts where the one before ends"
            );
            assert_eq!(bin_of(lower_edge(bin)), bin);
            assert_eq!(bin_of(upper_value(bin)), bin);
            next = upper_value(bin) + 1;
        }
        assert_eq!(upper_value(bin_of(u64::MAX)), u64::MAX);
    }

    #[test]
    fn percentiles_err_by_less_than_one_percent() {
        for seed in 0..20 {
            let mut sorted = values(seed, 997);
            let histogram = filled(&sorted);
            sorted.sort_unstable();
            for share in [0.0_f64, 0.001, 0.25, 0.5, 0.95, 0.99, 1.0] {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let rank = ((share * 997.0).ceil() as usize).max(1);
                let exact = sorted[rank - 1] as f64;
                let found = histogram.percentile(share).unwrap();
                assert!(
                    (found - exact).abs() <= 0.004 * exact,
                    "{share}: {found} for {exact}"
                );
            }
        }
    }

    #[test]
    fn small_values_are_exact() {
        let histogram = filled(&[3, 3, 7, 127]);
        let percentiles = [0.25, 0.5, 0.75, 1.0].map(|share| histogram.percentile(share).unwrap());
        assert_eq!(
            percentiles.map(|value| value.to_string()),
            ["3", "3", "7", "127"]
        );
        let bins: Vec<_> = histogram.bins().filter(|&(_, count)| count > 0).collect();
        assert_eq!(bins, [(3, 2), (7, 1), (127, 1)]);
    }

    #[test]
    fn mean_and_maximum_are_exact() {
        let values = values(7, 1000);
        let histogram = filled(&values);
        let sum: u128 = values.iter().map(|&value| u128::from(value)).sum();
        assert_eq!(
            histogram.mean().unwrap().to_bits(),
            (sum as f64 / 1000.0).to_bits()
        );
        assert_eq!(histogram.max(), values.iter().copied().max());
    }

    #[test]
    fn an_empty_histogram_has_no_figures() {
        let histogram = Histogram::default();
        assert_eq!(
            (histogram.mean(), histogram.max(), histogram.percentile(0.5)),
            (None, None, None)
        );
        assert_eq!(histogram.bins().count(), 0);
    }
}
