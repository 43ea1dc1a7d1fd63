//! Hardware with wormhole switching, and its conversion to cycles and flits.

mod firmware_costs;
pub(super) mod parameters;

pub use firmware_costs::{FirmwareKind, NicKind};
pub use parameters::WormholeHardware;

use super::HardwareError;
use crate::timing::{Clock, LinkDefaults, PortDelays, nearest_cycles};
use crate::{Firmware, NicModel, Overflow, WormholeError, WormholeModel};
use parameters::PARAMETERS;
use std::num::NonZeroU32;
use weft_fabric::Fabric;
use weft_registry::{Field, words};

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
        Field::check_all(PARAMETERS, &format!("hardware {}", self.preset), self)?;
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
        Field::check_all(PARAMETERS, &format!("hardware {}", self.preset), self)?;
        let clock = self.link_defaults().clock_of(fabric)?;
        let cycle_ns = clock.cycle_ns;
        let model = self.on_clock(clock);
        model.check_on(fabric).map_err(contradiction)?;
        Ok((model, cycle_ns))
    }

    /// The model of a NIC whose in-transit delay is known, in cycles of what turns ns into them.
    fn nic_model(&self, in_transit_cycles: u32, cycles: impl Fn(f64) -> u32) -> NicModel {
        if self.nic == NicKind::Delays {
            return NicModel::Delays { in_transit_cycles };
        }
        let handles_in_transit = self.firmware == FirmwareKind::InTransit;
        let check_ns = if handles_in_transit {
            self.firmware_early_check_ns
        } else {
            0.0
        };
        NicModel::Firmware(Firmware {
            handles_in_transit,
            dispatch_cycles: cycles(self.firmware_dispatch_ns + check_ns),
            early_receive_cycles: cycles(self.firmware_early_receive_ns),
            forward_cycles: cycles(self.firmware_forward_ns),
            sent_cycles: cycles(self.firmware_sent_ns),
            received_cycles: cycles(self.firmware_received_ns),
            send_cycles: cycles(self.firmware_send_ns),
            transferred_cycles: cycles(self.firmware_transferred_ns),
            doorbell_cycles: cycles(self.firmware_doorbell_ns),
            transfer_start_cycles: cycles(self.transfer_start_ns),
            transfer_cycles_per_kib: cycles(self.transfer_ns_per_byte * 1024.0),
            contention_percent: self.transfer_contention_percent,
            send_buffers: NonZeroU32::new(self.send_buffers).unwrap_or(NonZeroU32::MIN),
        })
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
            nic: self.nic_model(
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
