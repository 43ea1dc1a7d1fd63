//! How long packets are.

use super::{CutThroughError, at_most};

/// The parts of a packet that decide its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketFormat {
    /// Bytes of a flit; at least 1.
    pub flit_bytes: u32,
    /// Flits of header and trailer together.
    pub overhead_flits: u32,
    /// Flits of the shortest packet; a shorter one is filled up. At least 1.
    pub least_flits: u32,
    /// Bytes of payload a packet may carry.
    pub most_payload_bytes: u32,
}

impl PacketFormat {
    /// The length in flits of a packet with the payload given: header and trailer, and the
    /// payload in whole flits.
    pub fn packet_flits(&self, payload_bytes: u32) -> u32 {
        let flits = self.overhead_flits + payload_bytes.div_ceil(self.flit_bytes);
        flits.max(self.least_flits)
    }

    pub(super) fn check(&self) -> Result<(), CutThroughError> {
        for (parameter, found) in [
            ("a flit in bytes", self.flit_bytes),
            ("header and trailer in flits", self.overhead_flits),
            ("the shortest packet in flits", self.least_flits),
            ("the largest payload in bytes", self.most_payload_bytes),
        ] {
            at_most(parameter, found)?;
        }
        if self.flit_bytes == 0 || self.least_flits == 0 {
            return Err(CutThroughError::NoFlit);
        }
        Ok(())
    }
}
