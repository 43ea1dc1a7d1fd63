//! Random numbers by key: a draw depends on its key alone, so that whoever knows the key draws the
//! same, in whatever order draws are made.

/// One step of splitmix64: a bijection in which every bit of the result depends on every
/// bit of the argument.
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Draws 64 bits for a purpose and the parts of a key.
pub(crate) fn draw(seed: u64, purpose: u64, key: &[u64]) -> u64 {
    let purpose = mix(mix(seed) ^ purpose);
    mix(key.iter().fold(purpose, |state, &part| mix(state ^ part)))
}
