//! Hardware files: TOML with a preset and the parameters that differ from it.

use super::error::{HardwareError, Place};
use super::kinds::{Hardware, Kind, spec, unknown};
use super::parameter::ParameterKind;
use std::fmt::Write;
use toml::de::{DeTable, DeValue};

/// Reads a hardware file.
pub(super) fn read(text: &str, source_name: &str) -> Result<Hardware, HardwareError> {
    let place = |offset| Place::in_text(source_name, text, offset);
    let table = DeTable::parse(text).map_err(|error| HardwareError::Syntax {
        place: place(error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);

    let preset = entries.iter().find(|(key, _)| key.get_ref() == "preset");
    let mut hardware = match preset {
        None => Hardware::preset("myrinet")?,
        Some((_, value)) => {
            let at = place(value.span().start);
            let name = value
                .get_ref()
                .as_str()
                .ok_or_else(|| HardwareError::Value {
                    place: at.clone(),
                    parameter: "preset",
                    found: describe(value.get_ref()),
                    expected: "the name of a preset, such as \"myrinet\"".to_owned(),
                })?;
            Hardware::preset_at(name, at)?
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
            Hardware::Wormhole(hardware) => entry.set(hardware)?,
            Hardware::CutThrough(hardware) => entry.set(hardware)?,
        }
    }
    Ok(hardware)
}

/// A key with its value.
struct Entry<'a> {
    name: &'a str,
    name_at: Place,
    value: &'a DeValue<'a>,
    value_at: Place,
}

impl Entry<'_> {
    fn set<H: Kind>(self, hardware: &mut H) -> Result<(), HardwareError> {
        let Some(spec) = spec::<H>(self.name) else {
            let known = H::PARAMETERS.iter().map(|spec| spec.name).chain(["preset"]);
            return Err(unknown(hardware, self.name, self.name_at, known));
        };
        let text = value_text(&spec.kind, self.value);
        let read = text.and_then(|text| spec.kind.parse(&text));
        let read = read.ok_or_else(|| HardwareError::Value {
            place: self.value_at,
            parameter: spec.name,
            found: describe(self.value),
            expected: spec.expected(self.value.as_str().unwrap_or_default()),
        })?;
        (spec.set)(hardware, read);
        Ok(())
    }
}

/// A value as text, if TOML's type suits the parameter's kind.
fn value_text(kind: &ParameterKind, value: &DeValue<'_>) -> Option<String> {
    match (kind, value) {
        (ParameterKind::Choice { .. }, DeValue::String(text)) => Some(text.to_string()),
        (ParameterKind::Number { .. }, DeValue::Float(float)) => Some(float.as_str().to_owned()),
        (ParameterKind::Number { .. } | ParameterKind::Count { .. }, DeValue::Integer(integer)) => {
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

/// Writes all parameters of `hardware`, each with its meaning.
pub(super) fn write(hardware: &Hardware) -> String {
    let mut text = format!("preset = \"{}\"\n", hardware.preset_name());
    for parameter in hardware.parameters() {
        let unit = if parameter.unit.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n# {} ({}{unit}{}).\n{} = {}\n",
            parameter.summary,
            parameter.kind.name(),
            parameter.unit,
            parameter.name,
            parameter.value.to_toml()
        );
    }
    text
}
