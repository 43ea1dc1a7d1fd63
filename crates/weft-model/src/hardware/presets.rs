//! The presets: hardware to start from.

use super::infiniband::{EDR, FDR, HDR, INFINIBAND_1X, NDR};
use super::kinds::Hardware;
use super::parameter::ParameterValue;
use super::rhinet2::RHINET2;
use super::{CutThroughHardware, WormholeHardware};

/// Hardware to start from.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name, as on the command line.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    pub(super) blank: fn(&'static str) -> Hardware,
    /// What differs from the defaults of its parameters.
    pub(super) changes: &'static [Change],
    /// What differs from the defaults of the messaging layer of its hosts.
    pub(super) hosts: &'static [HostConstant],
}

/// A parameter of the messaging layer with another value than its default.
#[derive(Clone, Copy, Debug)]
pub struct HostConstant {
    /// Its name.
    pub name: &'static str,
    /// Its value, in the parameter's unit.
    pub value: f64,
    /// Where the value comes from.
    pub source: &'static str,
}

/// A parameter with another value than its default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) name: &'static str,
    pub(super) value: ParameterValue,
    /// Where the value comes from.
    pub(super) source: &'static str,
}

/// Cut-through hardware of no parameters yet.
pub(super) fn cut_through(preset: &'static str) -> Hardware {
    Hardware::CutThrough(CutThroughHardware::blank(preset))
}

/// All presets.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "myrinet",
        summary: "Myrinet: wormhole, stop & go, source routes; 160 MB/s",
        blank: |preset| Hardware::Wormhole(WormholeHardware::blank(preset)),
        changes: &[],
        hosts: &[],
    },
    INFINIBAND_1X,
    RHINET2,
    FDR,
    EDR,
    HDR,
    NDR,
];
