//! Random streams keyed by (seed, purpose, index), so that no draw depends on the order of work; numbers that look random.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use weft_fabric::HostId;

/// The stream for one purpose and one index; streams with different keys are unrelated.
pub(crate) fn stream(seed: u64, purpose: &str, index: u64) -> Pcg64Mcg {
    let mut state = 0;
    for value in purpose.bytes().map(u64::from).chain([seed, index]) {
        state = mix(state ^ value);
    }
    Pcg64Mcg::from_seed((u128::from(state) << 64 | u128::from(mix(state))).to_le_bytes())
}

/// What `SplitMix64` adds from one number to the next.
pub(crate) const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of `SplitMix64`, which maps 64 bits one to one onto 64 bits that look random.
///
/// # Source
/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
pub(crate) const fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(STEP);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Where a number from 0 to 2^64 lies among `count` equal parts.
pub(crate) fn part_of(number: u64, count: usize) -> usize {
    let place = (u128::from(number) * count as u128) >> 64;
    #[expect(clippy::cast_possible_truncation, reason = "it is below `count`")]
    {
        place as usize
    }
}

/// The hash of a flow of a pair, from 0 to 2^64 evenly.
pub(crate) fn hash_of_flow(key: [u64; 2], [source, destination]: [HostId; 2], flow: u32) -> u64 {
    let ends = u64::from(source.number()) << 32 | u64::from(destination.number());
    let of_flow = [key[0], key[1], ends, u64::from(flow)];
    of_flow.into_iter().fold(0, |hash, value| mix(hash ^ value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_differ_by_seed_purpose_and_index_and_repeat_themselves() {
        let draw = |seed, purpose, index| stream(seed, purpose, index).next_u64();
        let first = draw(1, "paths", 0);
        assert_eq!(first, draw(1, "paths", 0));
        for other in [
            draw(2, "paths", 0),
            draw(1, "stops", 0),
            draw(1, "paths", 1),
        ] {
            assert_ne!(first, other);
        }
    }
}
