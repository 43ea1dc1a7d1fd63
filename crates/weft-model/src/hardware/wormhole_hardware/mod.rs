//! Hardware with wormhole switching, and its conversion to cycles and flits.

mod firmware_costs;
pub(super) mod parameters;

pub use firmware_costs::{FirmwareHardware, FirmwareKind, NicKind};

use super::error::HardwareError;
use crate::Arbitration;
use crate::timing::{Clock, LinkDefaults, PortDelays, nearest_cycles};
use crate::wormhole::{Overflow, WormholeError, WormholeModel};
use parameters::PARAMETERS;
use std::num::NonZeroU32;
use weft_fabric::Fabric;
use weft_registry::words;

/// What happens to an in-transit packet that finds the NIC's pool too full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverflowRule {
    /// It goes to host memory, which takes [`WormholeHardware::host_memory_delay_ns`] longer.
    #[default]
    HostMemory,
    /// It is discarded; its source sends it again after [`WormholeHardware::retransmit_after_ns`].
    Drop,
}

words!(OverflowRule {
    HostMemory = "host_memory",
    Drop = "drop",
});

/// The parameters of wormhole switches, cables and NICs in physical units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WormholeHardware {
    /// Preset the parameters started from.
    pub preset: &'static str,
    /// Time of one flit (byte) on a channel whose rate the fabric does not say.
    pub cycle_ns: f64,
    /// Length of cables whose length the fabric does not say.
    pub cable_metres: f64,
    /// Time a signal takes for one metre.
    pub propagation_ns_per_metre: f64,
    /// Time a signal spends in a SAN port.
    pub san_port_delay_ns: f64,
    /// Time a signal spends in a LAN port.
    pub lan_port_delay_ns: f64,
    /// Input buffer of a switch port.
    pub buffer_bytes: u32,
    /// A stop is sent above this occupancy.
    pub stop_above_bytes: u32,
    /// A go is sent below this occupancy.
    pub go_below_bytes: u32,
    /// Time from grant to first byte.
    pub routing_delay_ns: f64,
    /// Type field of a packet.
    pub type_bytes: u32,
    /// Checksum of a packet.
    pub crc_bytes: u32,
    /// Which waiting packet gets a free output.
    pub arbitration: Arbitration,
    /// Time to recognise an in-transit packet.
    pub in_transit_recognition_ns: f64,
    /// Time to program the DMA that sends it on.
    pub in_transit_dma_ns: f64,
    /// In-transit pool of a NIC.
    pub in_transit_pool_bytes: u32,
    /// What happens when the pool is too full.
    pub overflow: OverflowRule,
    /// Further delay of a packet in host memory.
    pub host_memory_delay_ns: f64,
    /// Time a packet waits for an output until its switch drops it; 0: for ever.
    pub timeout_ns: f64,
    /// Probability with which a bit is damaged on a channel.
    pub bit_error_rate: f64,
    /// Time from a packet's loss to the source's next attempt.
    pub retransmit_after_ns: f64,
    /// Local packets from which local and in-transit queue alternate.
    pub local_equal_at_packets: u32,
    /// The NICs' firmware.
    pub firmware: FirmwareHardware,
}

impl WormholeHardware {
    /// The rate of a channel in bytes per nanosecond.
    pub fn link_rate_bytes_per_ns(&self) -> f64 {
        1.0 / self.cycle_ns
    }

    /// What links are like of which a fabric does not say it. Rates in InfiniBand's words
    /// are of other hardware, so they are not used.
    fn link_defaults(&self) -> LinkDefaults {
        LinkDefaults {
            flit_bits: FLIT_BITS,
            gbit_per_s: FLIT_BITS / self.cycle_ns,
            uses_lanes: false,
            metres: self.cable_metres,
            ns_per_metre: self.propagation_ns_per_metre,
            port_ns: PortDelays {
                san: self.san_port_delay_ns,
                lan: self.lan_port_delay_ns,
            },
        }
    }

    /// Converts to cycles and flits, by the rounding rule of the [module](super), for fabrics
    /// that say nothing of rates, lengths and ports.
    ///
    /// # Errors
    /// [`HardwareError::Parameter`] when a field is out of its range, [`HardwareError::Contradiction`]
    /// when fields do not fit together.
    pub fn wormhole(&self) -> Result<WormholeModel, HardwareError> {
        self.check_ranges()?;
        let model = self.on_clock(self.link_defaults().clock());
        model.check().map_err(contradiction)?;
        Ok(model)
    }

    /// Converts to cycles and flits for a fabric, whose links may have rates, lengths and kinds
    /// of ports of their own; also the length of a cycle in ns.
    ///
    /// # Errors
    /// As [`wormhole`](Self::wormhole), and [`HardwareError::Clock`] when no clock suits the links.
    pub fn wormhole_on(&self, fabric: &Fabric) -> Result<(WormholeModel, f64), HardwareError> {
        self.check_ranges()?;
        let clock = self.link_defaults().clock_of(fabric)?;
        let cycle_ns = clock.cycle_ns;
        let model = self.on_clock(clock);
        model.check_on(fabric).map_err(contradiction)?;
        Ok((model, cycle_ns))
    }

    fn check_ranges(&self) -> Result<(), HardwareError> {
        let owner = format!("hardware {}", self.preset);
        PARAMETERS
            .iter()
            .try_for_each(|field| field.check(&owner, self))?;
        Ok(())
    }

    fn on_clock(&self, clock: Clock) -> WormholeModel {
        let cycle_ns = clock.cycle_ns;
        let nearest_cycles = |time_ns: f64| nearest_cycles(time_ns, cycle_ns);
        WormholeModel {
            channels: clock.channels,
            buffer_flits: self.buffer_bytes,
            stop_above_flits: self.stop_above_bytes,
            go_below_flits: self.go_below_bytes,
            routing_delay_cycles: nearest_cycles(self.routing_delay_ns),
            type_flits: self.type_bytes,
            crc_flits: self.crc_bytes,
            arbitration: self.arbitration,
            nic: self.firmware.model(
                nearest_cycles(self.in_transit_recognition_ns + self.in_transit_dma_ns),
                nearest_cycles,
            ),
            pool_flits: self.in_transit_pool_bytes,
            overflow: match self.overflow {
                OverflowRule::HostMemory => Overflow::HostMemory {
                    delay_cycles: nearest_cycles(self.host_memory_delay_ns),
                },
                OverflowRule::Drop => Overflow::Drop,
            },
            // One that is on is at least one cycle.
            timeout_cycles: (self.timeout_ns > 0.0)
                .then(|| NonZeroU32::new(nearest_cycles(self.timeout_ns)))
                .map(|cycles| cycles.unwrap_or(NonZeroU32::MIN)),
            bit_error_rate: self.bit_error_rate,
            retransmit_after_cycles: nearest_cycles(self.retransmit_after_ns),
            local_equal_at_packets: self.local_equal_at_packets,
        }
    }
}

/// Bits of a flit, a byte.
const FLIT_BITS: f64 = 8.0;

fn contradiction(source: WormholeError) -> HardwareError {
    HardwareError::Contradiction {
        parameters: concerned(&source).to_owned(),
        source: source.into(),
    }
}

/// The parameters a contradiction is about.
fn concerned(error: &WormholeError) -> &'static str {
    match error {
        WormholeError::NoTime { .. } | WormholeError::OtherFabric { .. } => "the links",
        WormholeError::Thresholds { .. } => "go_below_bytes and stop_above_bytes",
        WormholeError::BufferTooSmall { .. } => "buffer_bytes, stop_above_bytes and cable_metres",
        WormholeError::NoTrailer => "type_bytes and crc_bytes",
        WormholeError::ErrorRate { .. } => "bit_error_rate",
        WormholeError::TooLarge { .. } => "cycle_ns and a time",
    }
}
