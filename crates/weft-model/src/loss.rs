//! Packets that are lost on their way: why, and which ones link errors damage.
//!
//! Every loss is reported. In the wormhole model a lost packet is sent again by its source, so that nothing
//! is lost for good; in the cut-through model that is as [`Retries`](crate::Retries) say.

use crate::{Overflow, WormholeModel, random};
use weft_fabric::HostId;

/// Why an attempt to bring a packet to its destination failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossCause {
    /// An in-transit host had no room and dropped it.
    Overflow,
    /// Its checksum was wrong at the destination.
    Damage,
    /// It had waited too long for an output of a switch, which discarded it.
    Timeout,
    /// A link or a switch on its way had failed, or did while it passed.
    Failure,
    /// A switch had no entry for it.
    NoEntry,
}

/// An attempt to bring a packet to its destination that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LossRecord {
    /// Cycle it was lost in: its last flit arrived damaged or broken, or would have arrived where a
    /// channel is down; or its first one was dropped.
    pub cycle: u64,
    /// Host that sent it.
    pub source: HostId,
    /// Its number among the packets of its source, from 0 in order of generation.
    pub sequence: u64,
    /// Host it was sent to.
    pub destination: HostId,
    /// Why it was lost.
    pub cause: LossCause,
}

/// Draws are keyed by purpose; this is the one of link errors.
const DAMAGE_PURPOSE: u64 = 0x6461_6d61_6765_6400;

/// Bits of a flit.
const FLIT_BITS: f64 = 8.0;

impl WormholeModel {
    /// Tells whether packets may be lost at all: damaged, timed out, or dropped at full NICs.
    pub fn may_lose_packets(&self) -> bool {
        self.bit_error_rate > 0.0
            || self.timeout_cycles.is_some()
            || self.overflow == Overflow::Drop
    }

    /// Tells whether link errors damaged an attempt, named by its packet and the cycle its
    /// first flit left in, that took `flit_hops` flits over channels in all.
    ///
    /// Each bit is damaged with the same probability on each channel, independently of the others;
    /// one is enough for the checksum to be wrong.
    pub fn is_damaged(
        &self,
        seed: u64,
        (source, sequence, injection_cycle): (HostId, u64, u64),
        flit_hops: u64,
    ) -> bool {
        if self.bit_error_rate <= 0.0 {
            return false;
        }
        let bits = FLIT_BITS * flit_hops as f64;
        let probability = -libm::expm1(bits * libm::log1p(-self.bit_error_rate));
        let key = [u64::from(source.number()), sequence, injection_cycle];
        let draw = random::draw(seed, DAMAGE_PURPOSE, &key);
        ((draw >> 11) as f64) < probability * 9_007_199_254_740_992.0
    }
}
