//! Link width and speed as InfiniBand names them.

use serde::{Deserialize, Serialize};
use std::fmt;
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

    /// This is the data rate of one lane in Gbit/s, line coding taken off.
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
pub struct LinkRate {
    /// Lanes: 1, 2, 4, 8 or 12.
    pub width: u8,
    /// Speed of one lane.
    pub speed: LaneSpeed,
}

impl LinkRate {
    /// This is the data rate of the link in Gbit/s, each way.
    pub fn data_gbit_per_s(self) -> f64 {
        f64::from(self.width) * self.speed.data_gbit_per_s()
    }
}

impl fmt::Display for LinkRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.speed)
    }
}

/// The text was no link rate such as `4xHDR`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found link rate “{found}”, expected width x speed such as 4xHDR (widths 1, 2, 4, 8, 12)")]
pub struct ParseLinkRateError {
    found: String,
}

impl FromStr for LinkRate {
    type Err = ParseLinkRateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseLinkRateError {
            found: text.to_owned(),
        };
        let (width, speed) = text.split_once('x').ok_or_else(error)?;
        let width = width
            .parse()
            .ok()
            .filter(|w| [1, 2, 4, 8, 12].contains(w))
            .ok_or_else(error)?;
        let speed = LaneSpeed::NAMES
            .iter()
            .find(|(_, name, _)| *name == speed)
            .map(|&(speed, ..)| speed)
            .ok_or_else(error)?;
        Ok(Self { width, speed })
    }
}
