//! The wormhole model in the hardware's clock: what engine and oracle are handed.

use crate::{Arbitration, ChannelTiming, ChannelTimings, NicModel};
use std::num::NonZeroU32;
use weft_fabric::{Fabric, LinkId};

/// What happens to an in-transit packet that finds the NIC's pool too full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It goes to host memory, takes no room in the pool, and may be sent this many cycles later
    /// than from the pool.
    HostMemory {
        /// Further cycles until it may be sent.
        delay_cycles: u32,
    },
    /// It is discarded.
    Drop,
}

/// Source-routed wormhole switching with stop & go, in integer cycles and flits.
#[derive(Clone, Debug, PartialEq)]
pub struct WormholeModel {
    /// How fast each channel is and how far it reaches; a control symbol takes as long as a flit.
    pub channels: ChannelTimings,
    /// Flits the input (slack) buffer of a switch holds.
    pub buffer_flits: u32,
    /// A stop is sent when the buffer holds more flits than this.
    pub stop_above_flits: u32,
    /// A go is sent when the buffer holds fewer flits than this; 1 ≤ go ≤ stop.
    pub go_below_flits: u32,
    /// Cycles from the grant of an output to its first flit.
    pub routing_delay_cycles: u32,
    /// Flits of the packet's type field.
    pub type_flits: u32,
    /// Flits of the packet's checksum.
    pub crc_flits: u32,
    /// Which waiting packet gets a free output.
    pub arbitration: Arbitration,
    /// What NICs do between their host and the network.
    pub nic: NicModel,
    /// Flits the in-transit pool of one NIC holds.
    pub pool_flits: u32,
    /// What happens when the pool is too full for a packet.
    pub overflow: Overflow,
    /// Cycles a packet waits for an output of a switch until the switch discards it; without, it
    /// waits for ever.
    pub timeout_cycles: Option<NonZeroU32>,
    /// Probability with which a bit is damaged on a channel, 0 ≤ rate < 1.
    pub bit_error_rate: f64,
    /// Cycles from the loss of a packet, for whatever reason, until it joins its source's queue
    /// again.
    pub retransmit_after_cycles: u32,
    /// In-transit packets go first while fewer packets than this wait in the local queue.
    pub local_equal_at_packets: u32,
}

/// Parameters of the wormhole model contradict one another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WormholeError {
    /// A channel must take at least one cycle.
    #[error("a flit takes {found} cycles {what} a channel; expected at least 1")]
    NoTime {
        /// "to enter" or "along".
        what: &'static str,
        /// Cycles given.
        found: u32,
    },
    /// The timings are of another fabric.
    #[error("there are timings of {found} links, but the fabric has {expected}")]
    OtherFabric {
        /// Links timed.
        found: usize,
        /// Links of the fabric.
        expected: usize,
    },
    /// A threshold is out of order.
    #[error("go below {go} and stop above {stop} flits; expected 1 ≤ go ≤ stop")]
    Thresholds {
        /// Go threshold in flits.
        go: u32,
        /// Stop threshold in flits.
        stop: u32,
    },
    /// The buffer overflows before a stop can act.
    #[error(
        "the buffer holds {found} flits; stop above {stop} with {latency} cycles each way on {link} \
         needs at least {minimum}"
    )]
    BufferTooSmall {
        /// Buffer given, in flits.
        found: u32,
        /// Stop threshold in flits.
        stop: u32,
        /// Cycles a flit or a symbol takes.
        latency: u64,
        /// The link, or all links where they are alike.
        link: String,
        /// The smallest buffer that holds the worst occupancy, in flits.
        minimum: u64,
    },
    /// Packets have no end.
    #[error("packets have neither type nor checksum; expected at least 1 flit of either")]
    NoTrailer,
    /// A rate of bit errors that is no probability below 1.
    #[error("the bit error rate is {found}; expected 0 or more and less than 1")]
    ErrorRate {
        /// Rate given, as text.
        found: String,
    },
    /// A number of cycles or flits beyond all hardware.
    #[error("{parameter} is {found}; expected at most {maximum}")]
    TooLarge {
        /// What the number is.
        parameter: &'static str,
        /// Number given.
        found: u32,
        /// Largest number.
        maximum: u32,
    },
}

/// Every number of cycles or flits stays below this, so that sums of a few, and the flits of a
/// packet, fit 32 bits.
const MAX_NUMBER: u32 = 1 << 30;

impl WormholeModel {
    /// Checks that the parameters fit together.
    ///
    /// # Errors
    /// The first contradiction found, as [`WormholeError`].
    pub fn check(&self) -> Result<(), WormholeError> {
        let (go, stop) = (self.go_below_flits, self.stop_above_flits);
        let overflow_cycles = match self.overflow {
            Overflow::HostMemory { delay_cycles } => delay_cycles,
            Overflow::Drop => 0,
        };
        let nic = match &self.nic {
            NicModel::Delays { in_transit_cycles } => {
                vec![("the in-transit delay in cycles", *in_transit_cycles)]
            }
            NicModel::Firmware(firmware) => firmware.costs().to_vec(),
        };
        let numbers = [
            ("the buffer in flits", self.buffer_flits),
            ("stop above flits", stop),
            ("the routing delay in cycles", self.routing_delay_cycles),
            ("the type field in flits", self.type_flits),
            ("the checksum in flits", self.crc_flits),
            ("the in-transit pool in flits", self.pool_flits),
            ("the overflow delay in cycles", overflow_cycles),
            (
                "the retransmission delay in cycles",
                self.retransmit_after_cycles,
            ),
            (
                "the timeout in cycles",
                self.timeout_cycles.map_or(0, NonZeroU32::get),
            ),
        ];
        for (parameter, found) in numbers.into_iter().chain(nic) {
            at_most(parameter, found)?;
        }
        if go == 0 || go > stop {
            return Err(WormholeError::Thresholds { go, stop });
        }
        if let ChannelTimings::Alike(timing) = &self.channels {
            self.check_channel(*timing, || "every link".to_owned())?;
        }
        if self.type_flits + self.crc_flits == 0 {
            return Err(WormholeError::NoTrailer);
        }
        if !(0.0..1.0).contains(&self.bit_error_rate) {
            return Err(WormholeError::ErrorRate {
                found: self.bit_error_rate.to_string(),
            });
        }
        Ok(())
    }

    /// Checks that the parameters fit together and the fabric.
    ///
    /// # Errors
    /// The first contradiction found, as [`WormholeError`], naming the link it is about.
    pub fn check_on(&self, fabric: &Fabric) -> Result<(), WormholeError> {
        self.check()?;
        let ChannelTimings::ByLink(timings) = &self.channels else {
            return Ok(());
        };
        if timings.len() != fabric.link_count() {
            return Err(WormholeError::OtherFabric {
                found: timings.len(),
                expected: fabric.link_count(),
            });
        }
        for (index, &timing) in timings.iter().enumerate() {
            let link = || format!("link {}", fabric.describe_link(LinkId::from_index(index)));
            self.check_channel(timing, link)?;
        }
        Ok(())
    }

    fn check_channel(
        &self,
        timing: ChannelTiming,
        link: impl FnOnce() -> String,
    ) -> Result<(), WormholeError> {
        let ChannelTiming {
            cycles_per_flit,
            flight_cycles,
        } = timing;
        for (what, parameter, found) in [
            ("to enter", "a flit in cycles", cycles_per_flit),
            ("along", "flight in cycles", flight_cycles),
        ] {
            if found == 0 {
                return Err(WormholeError::NoTime { what, found });
            }
            at_most(parameter, found)?;
        }
        let minimum = self.smallest_buffer_flits(timing);
        if u64::from(self.buffer_flits) < minimum {
            return Err(WormholeError::BufferTooSmall {
                found: self.buffer_flits,
                stop: self.stop_above_flits,
                latency: timing.latency_cycles(),
                link: link(),
                minimum,
            });
        }
        Ok(())
    }

    /// The most flits that a buffer at the end of such a channel can come to hold: one more
    /// than the stop threshold when the stop is sent, and then those that were under way or leave
    /// before it arrives, one every `cycles_per_flit` cycles of a round trip.
    pub fn smallest_buffer_flits(&self, timing: ChannelTiming) -> u64 {
        let round_trip = 2 * timing.latency_cycles() - 1;
        u64::from(self.stop_above_flits) + 1 + round_trip / u64::from(timing.cycles_per_flit)
    }

    /// The length in flits of a packet as its source sends it: one routing flit per switch
    /// traversed (a switch with an in-transit stop is traversed twice), one mark per in-transit
    /// stop, type, payload, checksum.
    ///
    /// `step_count` counts every output port taken, in-transit ejections and the final one included.
    pub fn packet_flits(&self, step_count: u32, stop_count: u32, payload_bytes: u32) -> u32 {
        step_count + stop_count + self.type_flits + payload_bytes + self.crc_flits
    }
}

/// Refuses a number beyond all hardware.
fn at_most(parameter: &'static str, found: u32) -> Result<(), WormholeError> {
    if found > MAX_NUMBER {
        return Err(WormholeError::TooLarge {
            parameter,
            found,
            maximum: MAX_NUMBER,
        });
    }
    Ok(())
}
