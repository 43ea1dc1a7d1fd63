//! What is known of a link besides its ends.

use crate::rate::LinkRate;
use std::fmt;
use std::str::FromStr;

/// What is known of a link besides its ends, where the source of the fabric tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cable {
    /// How much data it carries each way.
    pub rate: Option<LinkRate>,
    /// How long it is.
    pub length: Option<CableLength>,
    /// Kind of the ports at both ends, where there are several kinds.
    pub port_kind: Option<PortKind>,
    /// Whether one end tells of it and the other, which tells of its other cables, does not.
    pub is_one_way: bool,
    /// Whether the source of the fabric lists another cable at one of its ports.
    pub is_disputed: bool,
}

impl Cable {
    /// A cable of which nothing is known.
    pub const UNKNOWN: Self = Self {
        rate: None,
        length: None,
        port_kind: None,
        is_one_way: false,
        is_disputed: false,
    };
}

impl From<Option<LinkRate>> for Cable {
    /// A cable of which at most the rate is known.
    fn from(rate: Option<LinkRate>) -> Self {
        Self {
            rate,
            ..Self::UNKNOWN
        }
    }
}

/// The length of a cable in whole millimetres, shown in metres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CableLength(u32);

impl CableLength {
    /// Longest cable, 100 km, in millimetres.
    const MAX_MILLIMETRES: u32 = 100_000_000;

    /// What a length looks like, for those who gave another.
    pub(crate) const EXPECTED: &'static str = "a length from 0.001 to 100000 metres";

    /// A length from 0.001 to 100,000 metres, to the nearest millimetre.
    pub fn from_metres(metres: f64) -> Option<Self> {
        let millimetres = (metres * 1_000.0).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and in range"
        )]
        (1.0..=f64::from(Self::MAX_MILLIMETRES))
            .contains(&millimetres)
            .then_some(Self(millimetres as u32))
    }

    /// The length in metres.
    pub fn metres(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }

    /// The length in millimetres.
    pub fn millimetres(self) -> u32 {
        self.0
    }
}

impl fmt::Display for CableLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.metres().fmt(f)
    }
}

/// The kinds of ports of Myrinet's switches and NICs. A cable joins ports of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortKind {
    /// Of system area networks: no more than drivers and receivers.
    San,
    /// Of local area networks, for longer cables: with a converter, which takes time.
    Lan,
}

impl PortKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::San, Self::Lan];

    /// What a kind looks like, for those who gave another text.
    pub(crate) const EXPECTED: &'static str = "san or lan";

    /// The kind's name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::San => "san",
            Self::Lan => "lan",
        }
    }
}

impl fmt::Display for PortKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text was no kind of ports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found kind of ports “{found}”, expected {}", PortKind::EXPECTED)]
pub struct ParsePortKindError {
    found: String,
}

impl FromStr for PortKind {
    type Err = ParsePortKindError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kind = Self::ALL.into_iter().find(|kind| kind.name() == text);
        kind.ok_or_else(|| ParsePortKindError {
            found: text.to_owned(),
        })
    }
}
