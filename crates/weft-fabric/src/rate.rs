//! How much data a link carries: as a number, or as width and speed in InfiniBand's words.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// The signalling generation of one lane of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum LaneSpeed {
    /// 2.5 Gbit/s signalling, 2 of data (8b/10b).
    Sdr,
    /// 5 Gbit/s signalling, 4 of data (8b/10b).
    Ddr,
    /// 10 Gbit/s signalling, 8 of data (8b/10b).
    Qdr,
    /// 10.3125 Gbit/s signalling, 10 of data (64b/66b).
    Fdr10,
    /// 14.0625 Gbit/s signalling, 13.64 of data (64b/66b).
    Fdr,
    /// 25.78125 Gbit/s signalling, 25 of data (64b/66b).
    Edr,
    /// 50 Gbit/s of data.
    Hdr,
    /// 100 Gbit/s of data.
    Ndr,
    /// 200 Gbit/s of data.
    Xdr,
}

impl LaneSpeed {
    const NAMES: [(Self, &'static str, f64); 9] = [
        (Self::Sdr, "SDR", 2.0),
        (Self::Ddr, "DDR", 4.0),
        (Self::Qdr, "QDR", 8.0),
        (Self::Fdr10, "FDR10", 10.0),
        (Self::Fdr, "FDR", 13.64),
        (Self::Edr, "EDR", 25.0),
        (Self::Hdr, "HDR", 50.0),
        (Self::Ndr, "NDR", 100.0),
        (Self::Xdr, "XDR", 200.0),
    ];

    fn entry(self) -> (&'static str, f64) {
        let (_, name, gbit_per_s) = Self::NAMES[self as usize];
        (name, gbit_per_s)
    }

    /// The data rate of one lane in Gbit/s, line coding taken off.
    pub fn data_gbit_per_s(self) -> f64 {
        self.entry().1
    }
}

impl fmt::Display for LaneSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().0)
    }
}

/// The width (lanes) and lane speed of a link, written as `4xHDR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lanes {
    /// Lanes: 1, 2, 4, 8 or 12.
    pub width: u8,
    /// Speed of one lane.
    pub speed: LaneSpeed,
}

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.speed)
    }
}

/// How much data a link carries each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkRate {
    /// A number, written as `1.28 Gbit/s`, as of Myrinet's links.
    Plain(PlainRate),
    /// Width and speed as InfiniBand names them, written as `4xHDR`.
    Lanes(Lanes),
}

/// A data rate in whole kbit/s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlainRate(NonZeroU64);

impl PlainRate {
    /// Rates are below this, 1,000 Tbit/s.
    const LIMIT_KBIT_PER_S: u64 = 1_000_000_000_000;

    /// A rate of whole kbit/s, from 1 to below 10^12.
    pub fn from_kbit_per_s(kbit_per_s: u64) -> Option<Self> {
        let kbit_per_s = NonZeroU64::new(kbit_per_s)?;
        (kbit_per_s.get() < Self::LIMIT_KBIT_PER_S).then_some(Self(kbit_per_s))
    }

    /// The rate in kbit/s.
    pub fn kbit_per_s(self) -> u64 {
        self.0.get()
    }
}

/// Kilobits of a gigabit.
const KBIT_PER_GBIT: u64 = 1_000_000;

impl fmt::Display for PlainRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.kbit_per_s() / KBIT_PER_GBIT;
        let decimals = format!("{:06}", self.kbit_per_s() % KBIT_PER_GBIT);
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{whole} Gbit/s"),
            decimals => write!(f, "{whole}.{decimals} Gbit/s"),
        }
    }
}

impl LinkRate {
    /// What a rate looks like, for those who gave another text.
    pub(crate) const EXPECTED: &'static str = "a data rate such as 1.28 Gbit/s, or width x speed \
                                               such as 4xHDR (widths 1, 2, 4, 8, 12)";

    /// The data rate of the link in Gbit/s, each way.
    pub fn data_gbit_per_s(self) -> f64 {
        match self {
            Self::Plain(rate) => rate.kbit_per_s() as f64 / KBIT_PER_GBIT as f64,
            Self::Lanes(Lanes { width, speed }) => f64::from(width) * speed.data_gbit_per_s(),
        }
    }

    /// The rate as InfiniBand names it, if it is given so.
    pub fn lanes(self) -> Option<Lanes> {
        match self {
            Self::Plain(_) => None,
            Self::Lanes(lanes) => Some(lanes),
        }
    }
}

impl From<Lanes> for LinkRate {
    fn from(lanes: Lanes) -> Self {
        Self::Lanes(lanes)
    }
}

impl fmt::Display for LinkRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(rate) => rate.fmt(f),
            Self::Lanes(lanes) => lanes.fmt(f),
        }
    }
}

/// The text was no link rate such as `1.28 Gbit/s` or `4xHDR`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found link rate “{found}”, expected {}", LinkRate::EXPECTED)]
pub struct ParseLinkRateError {
    found: String,
}

impl FromStr for LinkRate {
    type Err = ParseLinkRateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rate = match text.strip_suffix("Gbit/s") {
            Some(number) => plain(number.strip_suffix(' ').unwrap_or(number)).map(Self::Plain),
            None => lanes(text).map(Self::Lanes),
        };
        rate.ok_or_else(|| ParseLinkRateError {
            found: text.to_owned(),
        })
    }
}

/// Reads Gbit/s with up to six decimals.
fn plain(number: &str) -> Option<PlainRate> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(decimals) || decimals.is_empty() || decimals.len() > 6 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let decimals: u64 = format!("{decimals:0<6}").parse().ok()?;
    PlainRate::from_kbit_per_s(whole.checked_mul(KBIT_PER_GBIT)?.checked_add(decimals)?)
}

/// Reads width x speed.
fn lanes(text: &str) -> Option<Lanes> {
    let (width, speed) = text.split_once('x')?;
    let width = width.parse().ok();
    let width = width.filter(|width| [1, 2, 4, 8, 12].contains(width))?;
    let &(speed, ..) = LaneSpeed::NAMES
        .iter()
        .find(|(_, name, _)| *name == speed)?;
    Some(Lanes { width, speed })
}
