//! The presets: hardware to start from.

mod infiniband;
mod rhinet2;

use infiniband::{EDR, FDR, HDR, INFINIBAND_1X, INFINIBAND_1X_HEADERS, NDR};
use rhinet2::RHINET2;
use weft_registry::{RegistryError, find};

/// Hardware to start from.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name, as on the command line.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    pub(super) switching: Switching,
    /// What differs from the defaults of its parameters.
    pub(super) changes: &'static [PresetValue],
    /// What differs from the defaults of the messaging layer of its hosts.
    pub(super) hosts: &'static [PresetValue],
}

/// How packets pass the switches of a preset.
#[derive(Clone, Copy, Debug)]
pub(super) enum Switching {
    Wormhole,
    CutThrough,
}

/// A parameter with another value than its default.
#[derive(Clone, Copy, Debug)]
pub struct PresetValue {
    /// Its name.
    pub name: &'static str,
    /// Its value, in the parameter's unit.
    pub value: &'static str,
    /// Where the value comes from.
    pub source: &'static str,
}

const fn change(name: &'static str, value: &'static str, source: &'static str) -> PresetValue {
    PresetValue {
        name,
        value,
        source,
    }
}

/// All presets.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "myrinet",
        summary: "Myrinet: wormhole, stop & go, source routes; 160 MB/s",
        switching: Switching::Wormhole,
        changes: &[],
        hosts: &[],
    },
    INFINIBAND_1X,
    INFINIBAND_1X_HEADERS,
    RHINET2,
    FDR,
    EDR,
    HDR,
    NDR,
];

impl Preset {
    /// The preset named `name`.
    ///
    /// # Errors
    /// [`RegistryError::UnknownName`] with the most similar name.
    pub fn named(name: &str) -> Result<&'static Self, RegistryError> {
        find(
            "hardware preset",
            PRESETS.iter(),
            |preset| preset.name,
            name,
        )
    }
}
