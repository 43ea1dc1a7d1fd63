//! A mean and how well it is known.

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
