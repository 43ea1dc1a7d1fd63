//! The kinds of hardware, and what they have in common: parameters by name, presets, files.

use super::error::{HardwareError, Place};
use super::parameter::{ParameterKind, ParameterSpec, ParameterValue};
use super::presets::{Change, HostConstant, PRESETS, Preset};
use super::{CutThroughHardware, WormholeHardware, file, infiniband, myrinet};
use crate::workload::program::MessagingParameters;
use weft_registry::Suggestion;

/// Hardware in physical units.
#[derive(Clone, Debug, PartialEq)]
pub enum Hardware {
    /// Source-routed wormhole switching with stop & go.
    Wormhole(WormholeHardware),
    /// Virtual cut-through with virtual lanes.
    CutThrough(CutThroughHardware),
}

/// One parameter of some hardware.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name: field of the hardware, key of the TOML file, key of `--set`.
    pub name: &'static str,
    /// Kind of its values and their range.
    pub kind: ParameterKind,
    /// Unit of its values; empty for a choice.
    pub unit: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// Its value.
    pub value: ParameterValue,
    /// Its value in the preset that the hardware started from.
    pub default: ParameterValue,
    /// Where that comes from.
    pub source: &'static str,
}

/// A kind of hardware with the registry of its parameters.
pub(super) trait Kind: Sized + 'static {
    const PARAMETERS: &'static [ParameterSpec<Self>];

    /// The name of the preset that the parameters started from.
    fn preset(&self) -> &'static str;
}

impl Kind for WormholeHardware {
    const PARAMETERS: &'static [ParameterSpec<Self>] = myrinet::PARAMETERS;

    fn preset(&self) -> &'static str {
        self.preset
    }
}

impl Kind for CutThroughHardware {
    const PARAMETERS: &'static [ParameterSpec<Self>] = infiniband::PARAMETERS;

    fn preset(&self) -> &'static str {
        self.preset
    }
}

/// Says that hardware has no parameter named `name`: it is one of other hardware, or of none.
pub(super) fn unknown<'a, H: Kind>(
    hardware: &H,
    name: &str,
    place: Place,
    known: impl Iterator<Item = &'a str>,
) -> HardwareError {
    let has = |preset: &&Preset| {
        let parameters = preset.hardware().parameters();
        parameters.iter().any(|parameter| parameter.name == name)
    };
    let others: Vec<_> = PRESETS.iter().filter(has).map(|p| p.name).collect();
    let (found, preset) = (name.to_owned(), hardware.preset());
    if others.is_empty() {
        return HardwareError::UnknownParameter {
            place,
            found,
            preset,
            suggestion: Suggestion::nearest(name, known),
        };
    }
    HardwareError::OtherHardware {
        place,
        found,
        preset,
        known: others.join(", "),
    }
}

/// The parameter named `name`.
pub(super) fn spec<H: Kind>(name: &str) -> Option<&'static ParameterSpec<H>> {
    H::PARAMETERS.iter().find(|spec| spec.name == name)
}

impl Preset {
    /// The preset named `name`.
    ///
    /// # Errors
    /// [`HardwareError::UnknownPreset`] with the most similar name.
    pub fn named(name: &str) -> Result<&'static Self, HardwareError> {
        Self::named_at(name, Place::default())
    }

    fn named_at(name: &str, place: Place) -> Result<&'static Self, HardwareError> {
        let known = || PRESETS.iter().map(|preset| preset.name);
        let found = PRESETS.iter().find(|preset| preset.name == name);
        found.ok_or_else(|| HardwareError::UnknownPreset {
            place,
            found: name.to_owned(),
            known: known().collect::<Vec<_>>().join(", "),
            suggestion: Suggestion::nearest(name, known()),
        })
    }

    /// What the preset changes of a parameter.
    fn change(&self, name: &str) -> Option<&'static Change> {
        self.changes.iter().find(|change| change.name == name)
    }

    fn hardware(&self) -> Hardware {
        let mut hardware = (self.blank)(self.name);
        match &mut hardware {
            Hardware::Wormhole(hardware) => self.set_all(hardware),
            Hardware::CutThrough(hardware) => self.set_all(hardware),
        }
        hardware
    }

    fn set_all<H: Kind>(&self, hardware: &mut H) {
        for spec in H::PARAMETERS {
            let changed = self.change(spec.name).map(|change| change.value);
            (spec.set)(hardware, changed.unwrap_or(spec.default));
        }
    }

    fn describe<H: Kind>(&self, hardware: &H) -> Vec<Parameter> {
        let parameter = |spec: &ParameterSpec<H>| {
            let change = self.change(spec.name);
            Parameter {
                name: spec.name,
                kind: spec.kind,
                unit: spec.unit,
                summary: spec.summary,
                value: spec.value(hardware),
                default: change.map_or(spec.default, |change| change.value),
                source: change.map_or(spec.source, |change| change.source),
            }
        };
        H::PARAMETERS.iter().map(parameter).collect()
    }
}

impl Hardware {
    /// A preset; [`PRESETS`] lists them.
    ///
    /// # Errors
    /// [`HardwareError::UnknownPreset`] with the most similar name.
    pub fn preset(name: &str) -> Result<Self, HardwareError> {
        Self::preset_at(name, Place::default())
    }

    pub(super) fn preset_at(name: &str, place: Place) -> Result<Self, HardwareError> {
        Preset::named_at(name, place).map(Preset::hardware)
    }

    /// The name of the preset that the parameters started from.
    pub fn preset_name(&self) -> &'static str {
        match self {
            Self::Wormhole(hardware) => hardware.preset(),
            Self::CutThrough(hardware) => hardware.preset(),
        }
    }

    /// The constants of the messaging layer of the preset's hosts that are not as
    /// everywhere.
    pub fn host_constants(&self) -> &'static [HostConstant] {
        // Invariant: hardware is made from presets.
        Preset::named(self.preset_name()).map_or(&[], |preset| preset.hosts)
    }

    /// The messaging layer of the preset's hosts, with packets as large as the hardware allows.
    pub fn messaging(&self) -> MessagingParameters {
        let mut parameters = MessagingParameters::default();
        for constant in self.host_constants() {
            // Invariant: the constants of presets are parameters in their range, as the tests check.
            let _ = parameters.set(constant.name, constant.value);
        }
        if let Self::CutThrough(hardware) = self {
            parameters.packet_bytes = hardware.mtu_bytes;
        }
        parameters
    }

    /// The switching of the hardware in a word: `wormhole` or `cut_through`.
    pub fn switching(&self) -> &'static str {
        match self {
            Self::Wormhole(_) => "wormhole",
            Self::CutThrough(_) => "cut_through",
        }
    }

    /// All parameters, in the order of files and tables.
    pub fn parameters(&self) -> Vec<Parameter> {
        // Invariant: hardware is made from presets.
        let Ok(preset) = Preset::named(self.preset_name()) else {
            return Vec::new();
        };
        match self {
            Self::Wormhole(hardware) => preset.describe(hardware),
            Self::CutThrough(hardware) => preset.describe(hardware),
        }
    }

    /// Changes one parameter, given as text in the parameter's unit.
    ///
    /// # Errors
    /// [`HardwareError::UnknownParameter`] with the most similar name,
    /// [`HardwareError::OtherHardware`] with the presets that have it, or [`HardwareError::Value`]
    /// with the range.
    pub fn with(self, name: &str, value_text: &str) -> Result<Self, HardwareError> {
        Ok(match self {
            Self::Wormhole(hardware) => Self::Wormhole(changed(hardware, name, value_text)?),
            Self::CutThrough(hardware) => Self::CutThrough(changed(hardware, name, value_text)?),
        })
    }

    /// Reads a TOML file: the key `preset` (`myrinet` if absent) and any parameters that
    /// differ from it. `source_name` names the file in errors.
    ///
    /// # Errors
    /// [`HardwareError`] with line and column of the first key or value that is wrong.
    pub fn from_toml(text: &str, source_name: &str) -> Result<Self, HardwareError> {
        file::read(text, source_name)
    }

    /// Writes all parameters as TOML, each with its meaning; [`Hardware::from_toml`] reads
    /// the same hardware back.
    pub fn to_toml(&self) -> String {
        file::write(self)
    }

    /// Refuses parameters that are out of range or contradict one another, on fabrics that say
    /// nothing of their links.
    ///
    /// # Errors
    /// [`HardwareError::Value`], [`HardwareError::Contradiction`].
    pub fn check(&self) -> Result<(), HardwareError> {
        match self {
            Self::Wormhole(hardware) => hardware.wormhole().map(drop),
            Self::CutThrough(hardware) => hardware.cut_through().map(drop),
        }
    }

    /// The length of a cycle, the time of a flit, where the fabric does not say a link's rate.
    pub fn cycle_ns(&self) -> f64 {
        match self {
            Self::Wormhole(hardware) => hardware.cycle_ns,
            Self::CutThrough(hardware) => hardware.cycle_ns(),
        }
    }

    /// The rate of a channel in bytes per nanosecond, where the fabric does not say it.
    pub fn link_rate_bytes_per_ns(&self) -> f64 {
        match self {
            Self::Wormhole(hardware) => hardware.link_rate_bytes_per_ns(),
            Self::CutThrough(hardware) => hardware.link_gbit_per_s / 8.0,
        }
    }
}

fn changed<H: Kind>(mut hardware: H, name: &str, value_text: &str) -> Result<H, HardwareError> {
    let spec = spec::<H>(name).ok_or_else(|| {
        let known = H::PARAMETERS.iter().map(|spec| spec.name);
        unknown(&hardware, name, Place::default(), known)
    })?;
    (spec.set)(&mut hardware, spec.read(value_text)?);
    Ok(hardware)
}
