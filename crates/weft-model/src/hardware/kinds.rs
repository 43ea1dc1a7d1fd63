//! The kinds of hardware, and what they have in common: parameters by name, presets, files.

use super::cut_through_hardware::{CutThroughHardware, parameters as cut_through};
use super::error::{HardwareError, Place};
use super::preset::{PRESETS, Preset, PresetValue, Switching};
use super::wormhole_hardware::{WormholeHardware, parameters as wormhole};
use crate::workload::program::MessagingParameters;
use weft_registry::{Field, RegistryError, Spec, Value};

/// Hardware in physical units.
#[derive(Clone, Debug, PartialEq)]
pub enum Hardware {
    /// Source-routed wormhole switching with stop & go.
    Wormhole(WormholeHardware),
    /// Virtual cut-through with virtual lanes.
    CutThrough(CutThroughHardware),
}

/// One parameter of some hardware.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// What is known of it; the default is its value in the preset that the hardware started from.
    pub spec: Spec,
    /// Its value.
    pub value: Value,
}

impl Parameter {
    /// Tells whether the value is another than in the preset.
    pub fn is_changed(&self) -> bool {
        self.spec.default != Some(&self.value.to_string())
    }
}

/// A kind of hardware with the registry of its parameters.
pub(super) trait HardwareKind: Sized + 'static {
    const PARAMETERS: &'static [Field<Self>];

    /// The name of the preset that the parameters started from.
    fn preset(&self) -> &'static str;
}

impl HardwareKind for WormholeHardware {
    const PARAMETERS: &'static [Field<Self>] = wormhole::PARAMETERS;

    fn preset(&self) -> &'static str {
        self.preset
    }
}

impl HardwareKind for CutThroughHardware {
    const PARAMETERS: &'static [Field<Self>] = cut_through::PARAMETERS;

    fn preset(&self) -> &'static str {
        self.preset
    }
}

/// Says that hardware has no parameter named `name`: it is one of other hardware, or of none.
pub(super) fn unknown<'a, H: HardwareKind>(
    hardware: &H,
    name: &str,
    place: Place,
    known: impl Iterator<Item = &'a str>,
) -> HardwareError {
    let has = |preset: &&Preset| match preset.switching {
        Switching::Wormhole => field::<WormholeHardware>(name).is_some(),
        Switching::CutThrough => field::<CutThroughHardware>(name).is_some(),
    };
    let others: Vec<_> = PRESETS.iter().filter(has).map(|p| p.name).collect();
    let preset = hardware.preset();
    if others.is_empty() {
        let owner = format!("hardware {preset}");
        let source = Box::new(RegistryError::unknown_parameter(owner, name, known));
        return HardwareError::Parameter { place, source };
    }
    HardwareError::OtherHardware {
        place,
        found: name.to_owned(),
        preset,
        known: others.join(", "),
    }
}

/// The parameter named `name`.
pub(super) fn field<H: HardwareKind>(name: &str) -> Option<&'static Field<H>> {
    H::PARAMETERS.iter().find(|field| field.spec.name == name)
}

/// Sets every parameter as the preset says.
fn set_all<H: HardwareKind>(mut hardware: H, changes: &[PresetValue]) -> H {
    for field in H::PARAMETERS {
        let spec = preset_spec(&field.spec, changes);
        // Invariant: every parameter of hardware has a default.
        field.preset(&mut hardware, spec.default.unwrap_or_default());
    }
    hardware
}

/// What is known of a parameter in a preset.
fn preset_spec(spec: &Spec, changes: &[PresetValue]) -> Spec {
    let change = changes.iter().find(|change| change.name == spec.name);
    change.map_or(*spec, |change| {
        spec.or(change.value).unit(spec.unit).source(change.source)
    })
}

fn describe<H: HardwareKind>(hardware: &H, changes: &[PresetValue]) -> Vec<Parameter> {
    let parameter = |field: &Field<H>| Parameter {
        spec: preset_spec(&field.spec, changes),
        value: (field.get)(hardware),
    };
    H::PARAMETERS.iter().map(parameter).collect()
}

impl Hardware {
    /// A preset; [`PRESETS`] lists them.
    ///
    /// # Errors
    /// [`HardwareError::Parameter`] with the most similar name.
    pub fn preset(name: &str) -> Result<Self, HardwareError> {
        Ok(Self::of_preset(name)?)
    }

    pub(super) fn of_preset(name: &str) -> Result<Self, RegistryError> {
        let preset = Preset::named(name)?;
        let (name, changes) = (preset.name, preset.changes);
        Ok(match preset.switching {
            Switching::Wormhole => {
                let blank = WormholeHardware {
                    preset: name,
                    ..WormholeHardware::blank()
                };
                Self::Wormhole(set_all(blank, changes))
            }
            Switching::CutThrough => {
                let blank = CutThroughHardware {
                    preset: name,
                    ..CutThroughHardware::blank()
                };
                Self::CutThrough(set_all(blank, changes))
            }
        })
    }

    /// The name of the preset that the parameters started from.
    pub fn preset_name(&self) -> &'static str {
        match self {
            Self::Wormhole(hardware) => hardware.preset(),
            Self::CutThrough(hardware) => hardware.preset(),
        }
    }

    fn started_from(&self) -> &'static Preset {
        let name = self.preset_name();
        // Invariant: hardware is made from presets.
        Preset::named(name).unwrap_or_else(|_| unreachable!("hardware is made from preset {name}"))
    }

    /// The constants of the messaging layer of the preset's hosts that are not as everywhere.
    pub fn host_constants(&self) -> &'static [PresetValue] {
        self.started_from().hosts
    }

    /// The messaging layer of the preset's hosts, with packets as large as the hardware allows.
    pub fn messaging(&self) -> MessagingParameters {
        let constants = self.host_constants().iter();
        let changes = constants.map(|constant| (constant.name, constant.value));
        let mut parameters = MessagingParameters::of_preset(changes);
        if let Self::CutThrough(hardware) = self {
            parameters.packet_bytes = hardware.largest_payload_bytes();
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
        let changes = self.started_from().changes;
        match self {
            Self::Wormhole(hardware) => describe(hardware, changes),
            Self::CutThrough(hardware) => describe(hardware, changes),
        }
    }

    /// Changes one parameter, given as text in the parameter's unit.
    ///
    /// # Errors
    /// [`HardwareError::Parameter`] with the most similar name or the range, or
    /// [`HardwareError::OtherHardware`] with the presets that have it.
    pub fn with(self, name: &str, value_text: &str) -> Result<Self, HardwareError> {
        Ok(match self {
            Self::Wormhole(hardware) => Self::Wormhole(changed(hardware, name, value_text)?),
            Self::CutThrough(hardware) => Self::CutThrough(changed(hardware, name, value_text)?),
        })
    }

    /// Refuses parameters that are out of range or contradict one another, on fabrics that say
    /// nothing of their links.
    ///
    /// # Errors
    /// [`HardwareError::Parameter`], [`HardwareError::Contradiction`].
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

fn changed<H: HardwareKind>(
    mut hardware: H,
    name: &str,
    value_text: &str,
) -> Result<H, HardwareError> {
    let field = field::<H>(name).ok_or_else(|| {
        let known = H::PARAMETERS.iter().map(|field| field.spec.name);
        unknown(&hardware, name, Place::default(), known)
    })?;
    let owner = format!("hardware {}", hardware.preset());
    field.read(&owner, &mut hardware, value_text)?;
    Ok(hardware)
}
