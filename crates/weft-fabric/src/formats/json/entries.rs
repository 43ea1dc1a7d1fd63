//! The shape of the file, entry by entry.

use crate::{CableLength, LinkRate, PortKind, PortNumber, ServiceReason};
use serde::de::{Error as _, IgnoredAny, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::fmt;
use std::str::FromStr;

/// What tells our files from other JSON and old from new; the rest is not looked at yet.
#[derive(Deserialize)]
#[serde(expecting = "an object with the members of a fabric")]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) format: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) version: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "an object with the members of a fabric")]
pub(super) struct Document<'a> {
    #[serde(rename = "format")]
    pub(super) _format: IgnoredAny,
    #[serde(rename = "version")]
    pub(super) _version: IgnoredAny,
    pub(super) name: Option<String>,
    #[serde(borrow)]
    pub(super) layout: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) switches: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub(super) hosts: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub(super) links: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a switch such as {\"name\": \"sw0\", \"ports\": 8}")]
pub(super) struct SwitchEntry {
    pub(super) name: String,
    pub(super) ports: Port,
    #[serde(default, deserialize_with = "guid")]
    pub(super) guid: Option<u64>,
    #[serde(default, deserialize_with = "guid")]
    pub(super) system_guid: Option<u64>,
    pub(super) lid: Option<u16>,
    pub(super) lmc: Option<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a host such as {\"name\": \"host0\"}")]
pub(super) struct HostEntry {
    pub(super) name: String,
    #[serde(default, deserialize_with = "guid")]
    pub(super) guid: Option<u64>,
    #[serde(default, deserialize_with = "guid")]
    pub(super) adapter_guid: Option<u64>,
    pub(super) lid: Option<u16>,
    pub(super) lmc: Option<u8>,
    #[serde(default, deserialize_with = "word")]
    pub(super) service: Option<ServiceReason>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "a link such as {\"ends\": [[\"sw0\", 1], [\"sw1\", 1]]}")]
pub(super) struct LinkEntry<'a> {
    #[serde(borrow)]
    pub(super) ends: [&'a RawValue; 2],
    #[serde(default, deserialize_with = "word")]
    pub(super) rate: Option<LinkRate>,
    #[serde(default, deserialize_with = "length")]
    pub(super) metres: Option<CableLength>,
    #[serde(default, deserialize_with = "word")]
    pub(super) port_kind: Option<PortKind>,
    #[serde(default)]
    pub(super) one_way: bool,
    #[serde(default)]
    pub(super) disputed: bool,
}

/// A node's name and one of its ports.
#[derive(Deserialize)]
#[serde(expecting = "a node's name and a port such as [\"sw0\", 1]")]
pub(super) struct EndEntry(pub(super) String, pub(super) Port);

/// A number from 1 to 254.
pub(super) struct Port(pub(super) u8);

impl<'de> Deserialize<'de> for Port {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PortVisitor;
        impl Visitor<'_> for PortVisitor {
            type Value = Port;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number of ports or a port, 1 to {}", PortNumber::MAX)
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Port, E> {
                u8::try_from(number)
                    .ok()
                    .filter(|port| (1..=PortNumber::MAX).contains(port))
                    .map(Port)
                    .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
            }
        }
        deserializer.deserialize_u64(PortVisitor)
    }
}

fn guid<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.strip_prefix("0x")
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .map(Some)
        .ok_or_else(|| {
            D::Error::custom(format!(
                "found “{text}”, expected a GUID such as 0x0002c90300000001"
            ))
        })
}

/// Reads a text that is parsed further.
fn word<'de, D: Deserializer<'de>, T: FromStr<Err: fmt::Display>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    String::deserialize(deserializer)?
        .parse()
        .map(Some)
        .map_err(D::Error::custom)
}

fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<CableLength>, D::Error> {
    let metres = f64::deserialize(deserializer)?;
    let length = CableLength::from_metres(metres);
    length.map(Some).ok_or_else(|| {
        D::Error::custom(format!(
            "found {metres} metres, expected {}",
            CableLength::EXPECTED
        ))
    })
}
