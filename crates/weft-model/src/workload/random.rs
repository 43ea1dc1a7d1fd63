//! Random streams keyed by (seed, purpose, host), and draws from them.

use crate::random::mix;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Sizes, destinations and intervals of a host's packets.
pub(super) const TRAFFIC: u64 = 0x7472_6166_6669_6300;

/// Which hosts are hotspots.
pub(super) const HOTSPOTS: u64 = 0x686f_7473_706f_7400;

/// Which permutation of the hosts is taken.
pub(super) const PERMUTATION: u64 = 0x7065_726d_7574_6500;

/// The stream of one host for one purpose; streams with different keys are unrelated.
pub(super) fn stream(seed: u64, purpose: u64, host: u32) -> Pcg64Mcg {
    let low = mix(mix(mix(seed) ^ purpose) ^ u64::from(host));
    let high = mix(low ^ purpose);
    Pcg64Mcg::from_seed((u128::from(high) << 64 | u128::from(low)).to_le_bytes())
}

/// Draws from [0, 1) with 53 bits.
pub(super) fn unit(random: &mut Pcg64Mcg) -> f64 {
    (random.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
}

/// Draws evenly from `0..bound` (Lemire's multiplication with rejection).
pub(super) fn below(random: &mut Pcg64Mcg, bound: u32) -> u32 {
    let mut product = u64::from(random.next_u32()) * u64::from(bound);
    let remainder = |product: u64| product & u64::from(u32::MAX);
    if remainder(product) < u64::from(bound) {
        let threshold = u64::from(bound.wrapping_neg() % bound);
        while remainder(product) < threshold {
            product = u64::from(random.next_u32()) * u64::from(bound);
        }
    }
    (product >> 32) as u32
}

/// Draws evenly from `0..count` leaving out one of them.
pub(super) fn below_without(random: &mut Pcg64Mcg, count: u32, left_out: u32) -> u32 {
    let draw = below(random, count - 1);
    draw + u32::from(draw >= left_out)
}

/// A probability in units of 2^-32, to be compared with 32 random bits.
pub(super) fn bound_of(probability: f64) -> u64 {
    whole(probability * 4_294_967_296.0)
}

/// Rounds a non-negative number down to an integer; numbers beyond 64 bits become the largest one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "arguments are not negative, and the cast stops at the largest value"
)]
pub(super) fn whole(value: f64) -> u64 {
    value as u64
}
