//! Hardware in physical units: presets, the registry of parameters with units and sources, TOML
//! files, and the conversion to the simulators' cycles and flits.
//!
//! ```text
//! PRESETS ─► Hardware ─┬─► WormholeHardware ───► WormholeModel
//! file, with ───┘      └─► CutThroughHardware ─► CutThroughModel
//! ```
//!
//! A flit is one byte, a cycle the time of one flit on the fastest channel (see
//! [`Clock`](crate::Clock)). Times become the nearest whole number of cycles (a half goes up),
//! except a cable's flight, which goes up to the next whole cycle, and is at least one: a flit that
//! arrives within a cycle can be used in the next.

mod cut_through_hardware;
mod error;
mod file;
mod kinds;
mod preset;
mod wormhole_hardware;

pub use cut_through_hardware::{CutThroughHardware, CutThroughSetup, FlowControlRule, LinkRates};
pub use error::{HardwareError, ModelError, Place};
pub use kinds::{Hardware, Parameter};
pub use preset::{PRESETS, Preset, PresetValue};
pub use wormhole_hardware::{FirmwareKind, NicKind, OverflowRule, WormholeHardware};
