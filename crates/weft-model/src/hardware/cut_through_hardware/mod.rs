//! Hardware with virtual cut-through and virtual lanes, and its conversion to cycles and flits.

pub(super) mod parameters;

pub use parameters::CutThroughHardware;

use super::error::HardwareError;
use crate::cut_through::{CutThroughError, CutThroughModel, FlowControl, PacketFormat};
use crate::timing::{
    ChannelTiming, ChannelTimings, Clock, LinkDefaults, PortDelays, nearest_cycles,
};
use parameters::PARAMETERS;
use std::num::NonZeroU32;
use weft_fabric::{Fabric, narrow};
use weft_registry::{Field, words};

/// How receivers keep their buffers from overflowing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowControlRule {
    /// Credits for whole packets.
    #[default]
    Credits,
    /// Stop and go by two thresholds.
    StopAndGo,
}

words!(FlowControlRule {
    Credits = "credits",
    StopAndGo = "stop_and_go",
});

/// Whose rates links have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkRates {
    /// Those of the fabric, where it says them.
    Fabric,
    /// The hardware's, except where the fabric says a rate in Gbit/s.
    #[default]
    Hardware,
}

words!(LinkRates {
    Fabric = "fabric",
    Hardware = "hardware",
});

/// Cut-through hardware on a fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct CutThroughSetup {
    /// What is simulated.
    pub model: CutThroughModel,
    /// The channels.
    pub channels: ChannelTimings,
    /// Length of a cycle in ns.
    pub cycle_ns: f64,
}

impl CutThroughHardware {
    fn flit_bits(&self) -> f64 {
        8.0 * f64::from(self.flit_bytes)
    }

    /// The time of a flit on a link whose rate the fabric does not say.
    pub fn cycle_ns(&self) -> f64 {
        self.flit_bits() / self.link_gbit_per_s
    }

    /// The largest payload of a packet that the hardware allows and that every buffer holds whole;
    /// what it allows where buffers hold none.
    pub fn largest_payload_bytes(&self) -> u32 {
        let buffers = [self.input_buffer_bytes, self.output_buffer_bytes];
        let held = buffers.into_iter().filter(|&bytes| bytes > 0).min();
        let flit_bytes = self.flit_bytes.max(1);
        let overhead_flits = self.overhead_bytes.div_ceil(flit_bytes);
        let room = held.map_or(0, |bytes| {
            (bytes / flit_bytes).saturating_sub(overhead_flits) * flit_bytes
        });
        if room == 0 {
            self.mtu_bytes
        } else {
            room.min(self.mtu_bytes)
        }
    }

    fn link_defaults(&self) -> LinkDefaults {
        LinkDefaults {
            flit_bits: self.flit_bits(),
            gbit_per_s: self.link_gbit_per_s,
            uses_lanes: self.link_rates == LinkRates::Fabric,
            metres: self.cable_metres,
            ns_per_metre: self.propagation_ns_per_metre,
            // Ports count in the delays of switches.
            port_ns: PortDelays::default(),
        }
    }

    /// Converts to cycles and flits, by the rounding rule of the [module](super), for fabrics that
    /// say nothing of their links.
    ///
    /// # Errors
    /// [`HardwareError::Parameter`] when a field is out of its range, [`HardwareError::Contradiction`]
    /// when fields do not fit together.
    pub fn cut_through(&self) -> Result<CutThroughSetup, HardwareError> {
        Field::check_all(PARAMETERS, &format!("hardware {}", self.preset), self)?;
        self.on_clock(self.link_defaults().clock())
    }

    /// Converts to cycles and flits for a fabric, whose links may have rates and lengths of their
    /// own.
    ///
    /// # Errors
    /// As [`cut_through`](Self::cut_through), and [`HardwareError::Clock`] when no clock suits the
    /// links.
    pub fn cut_through_on(&self, fabric: &Fabric) -> Result<CutThroughSetup, HardwareError> {
        Field::check_all(PARAMETERS, &format!("hardware {}", self.preset), self)?;
        self.on_clock(self.link_defaults().clock_of(fabric)?)
    }

    fn on_clock(&self, clock: Clock) -> Result<CutThroughSetup, HardwareError> {
        let cycle_ns = clock.cycle_ns;
        let cycles = |time_ns: f64| nearest_cycles(time_ns, cycle_ns);
        let flits = |bytes: u32| bytes / self.flit_bytes;
        let model = CutThroughModel {
            lanes: narrow(self.lanes, "the parameter's range is smaller"),
            control_lanes_from: narrow(self.control_lanes_from, "the parameter's range is smaller"),
            input_buffer_flits: flits(self.input_buffer_bytes),
            output_buffer_flits: NonZeroU32::new(flits(self.output_buffer_bytes)),
            crossbar_cycles_per_flit: fastest(&clock.channels),
            lookup_delay_cycles: cycles(self.lookup_delay_ns),
            routing_delay_cycles: cycles(self.routing_delay_ns),
            flow_control: match self.flow_control {
                FlowControlRule::Credits => FlowControl::Credits,
                FlowControlRule::StopAndGo => FlowControl::StopAndGo {
                    stop_above_flits: flits(self.stop_above_bytes),
                    go_below_flits: flits(self.go_below_bytes),
                    control_delay_cycles: cycles(self.control_delay_ns),
                },
            },
            selection: self.selection,
            addresses: self.addresses,
            choice_delay_cycles: cycles(self.choice_delay_ns),
            packets: PacketFormat {
                flit_bytes: self.flit_bytes,
                overhead_flits: self.overhead_bytes.div_ceil(self.flit_bytes),
                least_flits: self.least_packet_bytes.div_ceil(self.flit_bytes).max(1),
                most_payload_bytes: self.mtu_bytes,
            },
        };
        model
            .check(&clock.channels)
            .map_err(|source| HardwareError::Contradiction {
                parameters: concerned(&source).to_owned(),
                source: source.into(),
            })?;
        Ok(CutThroughSetup {
            model,
            channels: clock.channels,
            cycle_ns: clock.cycle_ns,
        })
    }
}

/// The fewest cycles a channel takes for a flit: so many does the crossbar.
fn fastest(channels: &ChannelTimings) -> u32 {
    let cycles = |timing: &ChannelTiming| timing.cycles_per_flit;
    match channels {
        ChannelTimings::Alike(timing) => cycles(timing),
        ChannelTimings::ByLink(timings) => timings.iter().map(cycles).min().unwrap_or(1),
    }
}

/// The parameters a contradiction is about.
fn concerned(error: &CutThroughError) -> &'static str {
    match error {
        CutThroughError::Lanes { .. } => "lanes",
        CutThroughError::ControlLanes { .. } => "lanes and control_lanes_from",
        CutThroughError::NoInputBuffer => "input_buffer_bytes and flit_bytes",
        CutThroughError::NoFlit => "flit_bytes and least_packet_bytes",
        CutThroughError::NoTime { .. } | CutThroughError::Crossbar { .. } => "the links",
        CutThroughError::Thresholds { .. } => "go_below_bytes and stop_above_bytes",
        CutThroughError::BufferTooSmall { .. } => {
            "input_buffer_bytes, stop_above_bytes, control_delay_ns and cable_metres"
        }
        CutThroughError::PayloadTooLarge { .. } => "mtu_bytes",
        CutThroughError::PacketTooLarge { .. } => "input_buffer_bytes and output_buffer_bytes",
        CutThroughError::TooLarge { .. } => "link_gbit_per_s and a time",
    }
}
