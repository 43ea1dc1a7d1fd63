//! What is known of a network after a run, in ns, bytes and shares.
//!
//! ```text
//! simulator, recorder, conditions ──► Seen ──► FIGURES (one entry each) ──► Measurement
//! ```

mod figure;
mod seen;
mod table;

pub use figure::{Column, Entry, Kind, Shape, Value};
pub(crate) use seen::{Outcome, Seen};
pub use table::{FIGURES, Figure, Measurement};

use figure::Measured;
use std::fmt;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Latencies and accepted traffic are known as precisely as was asked for.
    Steady,
    /// The network accepts less than 95 % of the traffic offered, and how much is known as
    /// precisely as was asked for. Source queues grow without end, so latency from generation
    /// depends on the length of the run and has no interval.
    Saturated,
    /// Packets wait for one another for ever.
    Deadlocked,
    /// The packets or cycles allowed were used up before.
    Budget,
}

impl Reason {
    /// The reason as results files and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Saturated => "saturated",
            Self::Deadlocked => "deadlocked",
            Self::Budget => "budget",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A histogram of latencies: bin `i` holds `counts[i]` packets from `lower_edges_ns[i]` to the
/// next lower edge; the last one ends at the maximum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatencyBins {
    /// Lower edges of the bins in ns, ascending.
    pub lower_edges_ns: Vec<f64>,
    /// Packets per bin.
    pub counts: Vec<u64>,
}

/// A part of a [`LatencySummary`].
pub type LatencyPart = Entry<LatencySummary>;

macro_rules! latency_parts {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty, $unit:literal;)+) => {
        /// The distribution of one latency over the packets delivered in the window. Times are ns,
        /// NaN where no packet was delivered.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct LatencySummary {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        /// All parts of a [`LatencySummary`].
        pub const LATENCY_PARTS: &[LatencyPart] = &[$(Entry::of::<$type>(
            stringify!($name),
            Shape::Run,
            $unit,
            &[$($doc),+],
            |latency| latency.$name.value(),
        ),)+];
    };
}

latency_parts! {
    /// Mean latency.
    mean: f64, "ns";
    /// Half width of the 95 % confidence interval of the mean latency.
    mean_half_width: f64, "ns";
    /// Median of the latency.
    p50: f64, "ns";
    /// 95th percentile of the latency.
    p95: f64, "ns";
    /// 99th percentile of the latency.
    p99: f64, "ns";
    /// Largest latency.
    max: f64, "ns";
    /// Packets whose latency was measured.
    count: u64, "packets";
}
