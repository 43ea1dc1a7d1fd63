//! Where the warm-up of a series ends.

/// Observations averaged into one before the search.
const GROUP: usize = 5;

/// Fewest groups a truncation point is looked for in, and groups at the end it is never put into:
/// the spread of fewer says too little.
const MIN_GROUPS: usize = 10;
const MIN_KEPT: usize = 5;

/// What happened in one span of time: a total and the weight to divide it by (bytes and cycles,
/// latencies and packets).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Observation {
    /// Sum of the observed quantity.
    pub(crate) total: f64,
    /// What the total is divided by to give the quantity's mean; not negative.
    pub(crate) weight: f64,
}

impl Observation {
    /// Joins spans of time.
    pub(crate) fn sum(spans: &[Self]) -> Self {
        let mut sum = Self::default();
        for &span in spans {
            sum.add(span);
        }
        sum
    }

    /// Adds another span of time.
    pub(crate) fn add(&mut self, other: Self) {
        self.total += other.total;
        self.weight += other.weight;
    }

    /// The mean; 0 where there is no weight.
    pub(crate) fn mean_or_zero(self) -> f64 {
        if self.weight > 0.0 {
            self.total / self.weight
        } else {
            0.0
        }
    }
}

/// Finds how many of the first observations belong to the warm-up: as many as must go for the
/// standard error of the mean of the rest to be least. `None` unless that lies in the first half,
/// which means that the series is too short to tell, or too short to find it (50 observations).
///
/// A span without weight counts as 0: nothing is delivered yet.
///
/// # Source
/// MSER-5: K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state truncation
/// heuristics for simulation", WSC 2000. Bounds: K. Hoad, S. Robinson, R. Davies, "Automating
/// warm-up length estimation", JORS 61 (2010).
pub(crate) fn truncation_point(series: &[Observation]) -> Option<usize> {
    let groups: Vec<f64> = series
        .chunks_exact(GROUP)
        .map(|group| Observation::sum(group).mean_or_zero())
        .collect();
    if groups.len() < MIN_GROUPS {
        return None;
    }
    // Mean and squared deviations of groups[first..], grown from the end (Welford's update).
    let (mut mean, mut deviations) = (0.0, 0.0);
    let (mut best, mut best_first) = (f64::INFINITY, 0);
    for first in (0..groups.len()).rev() {
        let kept = (groups.len() - first) as f64;
        let step = groups[first] - mean;
        mean += step / kept;
        deviations += step * (groups[first] - mean);
        let squared_error = deviations / (kept * kept);
        if groups.len() - first >= MIN_KEPT && squared_error <= best {
            (best, best_first) = (squared_error, first);
        }
    }
    (2 * best_first < groups.len()).then_some(best_first * GROUP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::{Rng, SeedableRng};

    fn series(count: u32, value: impl Fn(f64) -> f64) -> Vec<Observation> {
        (0..count)
            .map(|i| Observation {
                total: value(f64::from(i)),
                weight: 1.0,
            })
            .collect()
    }

    fn noisy(count: u32, seed: u64, value: impl Fn(f64) -> f64) -> Vec<Observation> {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut series = series(count, value);
        for observation in &mut series {
            observation.total += f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5;
        }
        series
    }

    #[test]
    fn a_constant_series_has_no_warm_up() {
        assert_eq!(truncation_point(&series(100, |_| 3.0)), Some(0));
    }

    #[test]
    fn a_step_is_cut_where_it_ends() {
        assert_eq!(
            truncation_point(&series(200, |i| if i < 35.0 { 0.0 } else { 8.0 })),
            Some(35)
        );
        // Mixed groups go as well.
        assert_eq!(
            truncation_point(&series(200, |i| if i < 37.0 { 0.0 } else { 8.0 })),
            Some(40)
        );
    }

    /// Of 40 groups the twentieth, from observation 95 on, is the last of the first half.
    #[test]
    fn a_step_beyond_the_first_half_says_that_the_series_is_too_short() {
        let step_at =
            |end: f64| truncation_point(&series(200, |i| if i < end { 0.0 } else { 8.0 }));
        assert_eq!(step_at(95.0), Some(95));
        assert_eq!([step_at(100.0), step_at(120.0)], [None, None]);
    }

    #[test]
    fn an_exponential_transient_is_cut_once_it_is_below_the_noise() {
        // 10·exp(-i/20) is as large as the noise (standard deviation 0.29) at i = 71 and a quarter
        // of the noise of a group's mean at i = 115.
        let cut = |seed| truncation_point(&noisy(600, seed, |i| 10.0 * (-i / 20.0).exp()));
        let found: Vec<_> = (0..100).filter_map(cut).collect();
        assert!(found.len() >= 95, "found in {} of 100 series", found.len());
        assert!(found.iter().all(|&cut| cut >= 60), "{found:?}");
        assert!(
            found.iter().filter(|&&cut| cut <= 200).count() >= 85,
            "{found:?}"
        );
    }

    #[test]
    fn a_trend_never_ends() {
        for seed in 0..100 {
            assert_eq!(
                truncation_point(&noisy(400, seed, |i| i * 0.05)),
                None,
                "seed {seed}"
            );
        }
    }

    #[test]
    fn short_series_say_nothing() {
        assert_eq!(truncation_point(&series(49, |_| 1.0)), None);
        assert_eq!(truncation_point(&series(50, |_| 1.0)), Some(0));
    }

    #[test]
    fn spans_without_deliveries_count_as_warm_up() {
        let mut series = series(100, |_| 50.0);
        series[..20].fill(Observation::default());
        assert_eq!(truncation_point(&series), Some(20));
    }
}
