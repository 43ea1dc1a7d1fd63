//! A mix of payload sizes.

use super::error::TrafficError;
use super::random::bound_of;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// A payload size and its share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeShare {
    /// Payload in bytes.
    pub payload_bytes: u32,
    /// Share of the packets or of the bytes, see [`ShareOf`]; shares are weights and need not add
    /// up to 1.
    pub share: f64,
}

/// What shares of sizes are shares of: “20 % short packets” is little of the bytes by the one
/// reading and a crowd of packets by the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShareOf {
    /// The packets, by number.
    #[default]
    Packets,
    /// The payload, by bytes.
    Bytes,
}

/// Largest payload accepted, 1 MiB: enough for every study, small enough for 32-bit flit counts.
const MAX_PAYLOAD_BYTES: u32 = 1 << 20;

/// Shares accepted; sums and products of these are exact enough and never overflow.
const SHARES: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// Refuses sizes and shares out of range.
pub(super) fn check(sizes: &[SizeShare]) -> Result<(), TrafficError> {
    if sizes.is_empty() {
        return Err(TrafficError::NoSize);
    }
    for &SizeShare {
        payload_bytes,
        share,
    } in sizes
    {
        if payload_bytes == 0 || payload_bytes > MAX_PAYLOAD_BYTES {
            return Err(TrafficError::Size {
                found: payload_bytes,
                maximum: MAX_PAYLOAD_BYTES,
            });
        }
        if !SHARES.contains(&share) {
            return Err(TrafficError::Share {
                payload_bytes,
                share,
            });
        }
    }
    Ok(())
}

/// The weight of a size among the packets.
fn weight(size: &SizeShare, share_of: ShareOf) -> f64 {
    match share_of {
        ShareOf::Packets => size.share,
        ShareOf::Bytes => size.share / f64::from(size.payload_bytes),
    }
}

/// The mean payload of a packet in bytes.
pub(super) fn mean_payload_bytes(sizes: &[SizeShare], share_of: ShareOf) -> f64 {
    let total: f64 = sizes.iter().map(|size| weight(size, share_of)).sum();
    let bytes = |size: &SizeShare| f64::from(size.payload_bytes) * weight(size, share_of);
    sizes.iter().map(bytes).sum::<f64>() / total
}

/// Sizes ready to be drawn from.
#[derive(Clone, Debug)]
pub(super) struct SizeMix {
    payload_bytes: Vec<u32>,
    /// Per size: the upper bound of its share of the packets in units of 2^-32, ascending; the last
    /// is 2^32.
    bounds: Vec<u64>,
}

impl SizeMix {
    /// Prepares sizes that have been checked.
    pub(super) fn new(sizes: &[SizeShare], share_of: ShareOf) -> Self {
        let total: f64 = sizes.iter().map(|size| weight(size, share_of)).sum();
        let mut sum = 0.0;
        let mut bounds: Vec<u64> = sizes
            .iter()
            .map(|size| {
                sum += weight(size, share_of);
                bound_of(sum / total)
            })
            .collect();
        if let Some(last) = bounds.last_mut() {
            *last = 1 << 32;
        }
        Self {
            payload_bytes: sizes.iter().map(|size| size.payload_bytes).collect(),
            bounds,
        }
    }

    /// Draws a payload in bytes; a single size costs no draw.
    #[inline]
    pub(super) fn draw(&self, random: &mut Pcg64Mcg) -> u32 {
        match self.payload_bytes.as_slice() {
            [only] => *only,
            sizes => {
                let draw = u64::from(random.next_u32());
                sizes[self.bounds.partition_point(|&bound| bound <= draw)]
            }
        }
    }
}
