//! Hardware files: TOML with a preset and the parameters that differ from it.

use super::error::{HardwareError, Place};
use super::kinds::{Hardware, HardwareKind, field, unknown};
use std::fmt::Write;
use toml::de::{DeTable, DeValue};
use weft_registry::{Kind, RegistryError, Suggestion};

impl Hardware {
    /// Reads a TOML file: the key `preset` (`myrinet` if absent) and any parameters that
    /// differ from it. `source_name` names the file in errors.
    ///
    /// # Errors
    /// [`HardwareError`] with line and column of the first key or value that is wrong.
    pub fn from_toml(text: &str, source_name: &str) -> Result<Self, HardwareError> {
        let place = |offset| Place::in_text(source_name, text, offset);
        let table = DeTable::parse(text).map_err(|error| HardwareError::Syntax {
            place: place(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);

        let preset = entries.iter().find(|(key, _)| key.get_ref() == "preset");
        let mut hardware = match preset {
            None => Self::preset("myrinet")?,
            Some((_, value)) => {
                let name = value.get_ref().as_str();
                let no_name = || RegistryError::InvalidValue {
                    owner: "a hardware file".to_owned(),
                    parameter: "preset",
                    found: describe(value.get_ref()),
                    expected: "the name of a preset, such as \"myrinet\"".to_owned(),
                    suggestion: Suggestion::default(),
                };
                name.ok_or_else(no_name)
                    .and_then(Self::of_preset)
                    .map_err(|source| HardwareError::Parameter {
                        place: place(value.span().start),
                        source: Box::new(source),
                    })?
            }
        };
        let entries = entries
            .into_iter()
            .filter(|(key, _)| key.get_ref() != "preset");
        for (key, value) in entries {
            let entry = Entry {
                name: key.get_ref(),
                name_at: place(key.span().start),
                value: value.get_ref(),
                value_at: place(value.span().start),
            };
            match &mut hardware {
                Self::Wormhole(hardware) => entry.set(hardware)?,
                Self::CutThrough(hardware) => entry.set(hardware)?,
            }
        }
        Ok(hardware)
    }

    /// Writes all parameters as TOML, each with its meaning; [`Hardware::from_toml`] reads
    /// the same hardware back.
    pub fn to_toml(&self) -> String {
        let mut text = format!("preset = \"{}\"\n", self.preset_name());
        for parameter in self.parameters() {
            let spec = parameter.spec;
            let unit = if spec.unit.is_empty() { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\n# {} ({}{unit}{}).\n{} = {}\n",
                spec.summary,
                spec.kind.name(),
                spec.unit,
                spec.name,
                parameter.value.to_toml()
            );
        }
        text
    }
}

/// A key with its value.
struct Entry<'a> {
    name: &'a str,
    name_at: Place,
    value: &'a DeValue<'a>,
    value_at: Place,
}

impl Entry<'_> {
    fn set<H: HardwareKind>(self, hardware: &mut H) -> Result<(), HardwareError> {
        let Some(field) = field::<H>(self.name) else {
            let known = H::PARAMETERS.iter().map(|field| field.spec.name);
            return Err(unknown(
                hardware,
                self.name,
                self.name_at,
                known.chain(["preset"]),
            ));
        };
        let owner = format!("hardware {}", hardware.preset());
        match value_text(&field.spec.kind, self.value) {
            Some(text) => field.read(&owner, hardware, &text),
            None => Err(field.spec.invalid(&owner, &describe(self.value))),
        }
        .map_err(|source| HardwareError::Parameter {
            place: self.value_at,
            source: Box::new(source),
        })
    }
}

/// A value as text, if TOML's type suits the parameter's kind.
fn value_text(kind: &Kind, value: &DeValue<'_>) -> Option<String> {
    match (kind, value) {
        (Kind::Choice(_), DeValue::String(text)) => Some(text.to_string()),
        (Kind::Number { .. }, DeValue::Float(float)) => Some(float.as_str().to_owned()),
        (Kind::Number { .. } | Kind::Whole { .. }, DeValue::Integer(integer)) => {
            let number = i128::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            Some(number.to_string())
        }
        _ => None,
    }
}

/// Describes a value for an error.
fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        other => format!("a value of type {}", other.type_str()),
    }
}
