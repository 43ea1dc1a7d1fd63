//! Quantiles of Student's t distribution.

use std::f64::consts::FRAC_2_PI;

/// The probability that a t-distributed variable lies within `-t..=t`.
///
/// # Source
/// Abramowitz & Stegun, *Handbook of Mathematical Functions*, 26.7.3 and 26.7.4.
fn probability_within(t: f64, degrees: u32) -> f64 {
    let nu = f64::from(degrees);
    let sine = t / (nu + t * t).sqrt();
    let cosine_squared = nu / (nu + t * t);
    // The finite series 1 + a₁·cos² + a₁·a₂·cos⁴ + …, which differs by parity in its factors.
    let odd = degrees % 2;
    let (mut term, mut sum) = (1.0, 0.0);
    for k in 0..degrees / 2 {
        sum += term;
        let factor = f64::from(2 * k + 1 + odd) / f64::from(2 * k + 2 + odd);
        term *= factor * cosine_squared;
    }
    if odd == 0 {
        sine * sum
    } else {
        FRAC_2_PI * (libm::atan(t / nu.sqrt()) + sine * cosine_squared.sqrt() * sum)
    }
}

/// The t that a variable with `degrees` degrees of freedom stays within (`-t..=t`) with
/// probability `confidence` (0 < confidence < 1); infinite for no degrees of freedom.
pub fn two_sided_quantile(confidence: f64, degrees: u32) -> f64 {
    if degrees == 0 {
        return f64::INFINITY;
    }
    let mut high = 1.0;
    while probability_within(high, degrees) < confidence && high < 1e9 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if probability_within(middle, degrees) < confidence {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz & Stegun, table 26.10: degrees, quantiles for A = 0.8, 0.95, 0.99.
    const TABLE: [(u32, [f64; 3]); 10] = [
        (1, [3.078, 12.706, 63.657]),
        (2, [1.886, 4.303, 9.925]),
        (3, [1.638, 3.182, 5.841]),
        (4, [1.533, 2.776, 4.604]),
        (5, [1.476, 2.571, 4.032]),
        (9, [1.383, 2.262, 3.250]),
        (10, [1.372, 2.228, 3.169]),
        (15, [1.341, 2.131, 2.947]),
        (30, [1.310, 2.042, 2.750]),
        (120, [1.289, 1.980, 2.617]),
    ];

    #[test]
    fn quantiles_equal_the_published_table() {
        for (degrees, row) in TABLE {
            for (confidence, published) in [0.8, 0.95, 0.99].into_iter().zip(row) {
                let found = two_sided_quantile(confidence, degrees);
                assert!(
                    (found - published).abs() <= 0.000_501,
                    "{degrees}, {confidence}: {found}"
                );
            }
        }
    }

    #[test]
    fn many_degrees_approach_the_normal_distribution() {
        assert!((two_sided_quantile(0.95, 100_000) - 1.959_964).abs() < 1e-4);
    }

    #[test]
    fn no_degrees_of_freedom_say_nothing() {
        assert!(two_sided_quantile(0.95, 0).is_infinite());
    }
}
