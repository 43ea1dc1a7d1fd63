//! Attributes of a graph and of its parts, and what their values mean.

use super::super::json_text::clipped;
use super::super::placed::lids;
use super::super::{FormatError, Source};
use crate::{Cable, CableLength, LidRange, LinkRate, PortKind, PortNumber, ServiceReason};
use std::fmt::Display;
use std::rc::Rc;

/// A value with its place; numbers stand as their text. The text is shared where a file gives one
/// value to many parts, so that a small file stays small in memory.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) text: Rc<str>,
    pub(crate) offset: usize,
}

/// Values in the order of their names, each once: a few of each part, which in a large graph are most of what is in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes(Vec<(Rc<str>, Value)>);

impl FromIterator<(Rc<str>, Value)> for Attributes {
    /// Takes the last value given for a name.
    fn from_iter<I: IntoIterator<Item = (Rc<str>, Value)>>(values: I) -> Self {
        let mut values: Vec<_> = values.into_iter().collect();
        values.reverse();
        values.sort_by(|(one, _), (other, _)| one.cmp(other));
        values.dedup_by(|(later, _), (earlier, _)| later == earlier);
        values.shrink_to_fit();
        Self(values)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Switch,
    Host,
}

impl Attributes {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let place = self.0.binary_search_by(|(own, _)| (**own).cmp(name)).ok()?;
        Some(&self.0[place].1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    fn read<T>(
        &self,
        source: Source<'_>,
        name: &str,
        expected: impl Display,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, FormatError> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let found = || format!("{name} “{}”", clipped(&value.text));
        let unexpected = || source.unexpected(value.offset, found(), expected.to_string());
        read(&value.text).map(Some).ok_or_else(unexpected)
    }

    /// What the node says it is.
    pub(super) fn kind(&self, source: Source<'_>) -> Result<Option<Kind>, FormatError> {
        self.read(source, "kind", "switch or host", |text| match text {
            "switch" => Some(Kind::Switch),
            "host" => Some(Kind::Host),
            _ => None,
        })
    }

    /// A port or a number of ports.
    pub(super) fn port(
        &self,
        source: Source<'_>,
        name: &str,
    ) -> Result<Option<PortNumber>, FormatError> {
        let expected = format!("a whole number from 1 to {}", PortNumber::MAX);
        self.read(source, name, expected, |text| {
            let number = text.parse().ok()?;
            (1..=PortNumber::MAX)
                .contains(&number)
                .then_some(PortNumber::new(number))
        })
    }

    /// The number of a link.
    pub(super) fn link(&self, source: Source<'_>) -> Result<Option<u64>, FormatError> {
        self.read(source, "link", "a whole number, 0 or more", |text| {
            text.parse().ok()
        })
    }

    /// The local identifiers of a node at `offset`.
    pub(super) fn lids(
        &self,
        source: Source<'_>,
        offset: usize,
    ) -> Result<Option<LidRange>, FormatError> {
        let lid = self.read(source, "lid", "a whole number", |text| text.parse().ok())?;
        let lmc = self.read(source, "lmc", "a whole number", |text| text.parse().ok())?;
        lids(source, lid, lmc, offset)
    }

    /// A globally unique identifier.
    pub(super) fn guid(&self, source: Source<'_>, name: &str) -> Result<Option<u64>, FormatError> {
        let expected = "a GUID such as 0x0002c90300000001";
        self.read(source, name, expected, |text| {
            text.strip_prefix("0x")
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        })
    }

    /// What says that a host is a service end, if it is one.
    pub(super) fn service(&self, source: Source<'_>) -> Result<Option<ServiceReason>, FormatError> {
        self.read(source, "service", ServiceReason::EXPECTED, |text| {
            text.parse().ok()
        })
    }

    /// What is known of a link besides its ends.
    pub(super) fn cable(&self, source: Source<'_>) -> Result<Cable, FormatError> {
        Ok(Cable {
            rate: self.read(source, "rate", LinkRate::EXPECTED, |text| text.parse().ok())?,
            length: self.read(source, "metres", CableLength::EXPECTED, |text| {
                CableLength::from_metres(text.parse().ok()?)
            })?,
            port_kind: self.read(source, "port_kind", PortKind::EXPECTED, |text| {
                text.parse().ok()
            })?,
            is_one_way: false,
            is_disputed: false,
        })
    }

    /// The extents of a grid.
    pub(super) fn grid(&self, source: Source<'_>) -> Result<Option<Vec<u32>>, FormatError> {
        let expected = "extents such as 4x4";
        self.read(source, "grid", expected, |text| {
            if text.is_empty() {
                return Some(Vec::new());
            }
            text.split('x').map(|extent| extent.parse().ok()).collect()
        })
    }
}
