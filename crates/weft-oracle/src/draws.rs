//! Draws: each is a function of its key, by the formulas of `docs/concepts/engine.md`.

/// Bits of a flit.
const FLIT_BITS: f64 = 8.0;

/// The odd number next to 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number below `count` that a random arbiter draws for a grant of an output, which has been
/// granted `grants_before` times.
pub(crate) fn arbiter_choice(seed: u64, output: u32, grants_before: u64, count: usize) -> usize {
    let purpose = u64::from_be_bytes(*b"arbitrat");
    let draw = digest([seed, purpose, output.into(), grants_before, 0]);
    share(draw, count)
}

/// Tells whether link errors, each bit's on each channel with probability `bit_error_rate`, damage
/// one of a packet's attempts: its source, its number there, the cycle it was injected in, and the
/// flits it took over channels.
pub(crate) fn is_damaged(
    seed: u64,
    bit_error_rate: f64,
    [source, sequence, injection_cycle]: [u64; 3],
    flit_hops: u64,
) -> bool {
    let all_whole = (1.0 - bit_error_rate).powf(FLIT_BITS * flit_hops as f64);
    let purpose = u64::from_be_bytes(*b"damaged\0");
    let draw = digest([seed, purpose, source, sequence, injection_cycle, 0]);
    let from_0_to_1 = (draw >> 11) as f64 / 2_f64.powi(53);
    from_0_to_1 < 1.0 - all_whole
}

/// The number of 64 bits that the packets from one host to another have at a switch.
pub(crate) fn flow_number(switch: u32, [source, destination]: [u32; 2]) -> u64 {
    let flow = u64::from(source) * (1 << 32) + u64::from(destination);
    let of_switch = u64::from(switch).wrapping_mul(GOLDEN);
    mixed(flow.wrapping_add(of_switch))
}

/// The number of 64 bits that the packets from one host to another have wherever they are.
pub(crate) fn pair_number(seed: u64, [source, destination]: [u32; 2]) -> u64 {
    let flow = u64::from(source) * (1 << 32) + u64::from(destination);
    digest([seed, 0, flow, 0])
}

/// The number of 64 bits that is drawn for a packet, by its source, its number there and how often it was lost, at the
/// switch before which it has asked so many.
pub(crate) fn selecting_number(
    seed: u64,
    [source, sequence, losses]: [u64; 3],
    switches_before: u64,
) -> u64 {
    let purpose = u64::from_be_bytes(*b"selected");
    digest([seed, purpose, source, sequence, losses, switches_before, 0])
}

/// Where a number of 64 bits lies among `count` equal parts of all there are.
pub(crate) fn share(number: u64, count: usize) -> usize {
    let product = u128::from(number) * count as u128;
    #[expect(clippy::cast_possible_truncation, reason = "it is below `count`")]
    {
        (product >> 64) as usize
    }
}

/// The switches that the packets of one source go by way of: a row of random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detours {
    state: u128,
}

impl Detours {
    pub(crate) fn new(seed: u64, source: u64) -> Self {
        let purpose = b"intermediate switches".map(u64::from);
        let high = digest(purpose.into_iter().chain([seed, source]));
        let low = mixed(high);
        Self {
            state: u128::from(high) << 64 | u128::from(low) | 1,
        }
    }

    /// The next number, below `count`, which is less than 2^32.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let product = self.word() * count as u64;
        let (mut number, rest) = (product >> 32, product & 0xffff_ffff);
        if rest > (1 << 32) - count as u64 {
            let more = (self.word() * count as u64) >> 32;
            number += u64::from(rest + more >= 1 << 32);
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is below `count`")]
        {
            number as usize
        }
    }

    /// The next word of 32 bits from PCG's generator XSL RR 128/64 (MCG).
    fn word(&mut self) -> u64 {
        let multiplier = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
        self.state = self.state.wrapping_mul(multiplier);
        let turn = (self.state >> 122) as u32;
        let folded = (self.state ^ self.state >> 64) & u128::from(u64::MAX);
        // Turned to the right among 64 bits, as two copies of them are shifted.
        let turned = (folded << 64 | folded) >> turn;
        (turned & 0xffff_ffff) as u64
    }
}

/// All values in one number, whose bits depend on every one of theirs.
fn digest(values: impl IntoIterator<Item = u64>) -> u64 {
    values
        .into_iter()
        .fold(0, |digest, value| mixed(digest ^ value))
}

/// A step of `SplitMix64`.
fn mixed(value: u64) -> u64 {
    let mut bits = value.wrapping_add(GOLDEN);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
