//! What routes are held between: pairs of switches, or pairs of hosts.

use std::fmt;
use std::num::NonZeroU8;
use weft_fabric::{Fabric, HostId, SwitchId};

/// Whether routes are held per ordered pair of switches (all hosts of a switch share them) or per
/// ordered pair of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairGranularity {
    /// One route per ordered pair of switches.
    Switch,
    /// One route per ordered pair of hosts.
    Host,
}

impl PairGranularity {
    /// Counts the endpoints of a fabric: its switches or its hosts.
    pub fn endpoint_count(self, fabric: &Fabric) -> usize {
        match self {
            Self::Switch => fabric.switch_count(),
            Self::Host => fabric.host_count(),
        }
    }

    /// What an endpoint is.
    pub fn word(self) -> &'static str {
        match self {
            Self::Switch => "switch",
            Self::Host => "host",
        }
    }

    /// The plural of what an endpoint is.
    pub fn endpoints_word(self) -> &'static str {
        match self {
            Self::Switch => "switches",
            Self::Host => "hosts",
        }
    }

    /// The offset of the endpoint that a host is, or hangs on.
    pub fn endpoint(self, fabric: &Fabric, host: HostId) -> usize {
        match self {
            Self::Switch => fabric.host_switch(host).index(),
            Self::Host => host.index(),
        }
    }

    /// The name of the endpoint `index`.
    pub fn endpoint_name(self, fabric: &Fabric, index: usize) -> &str {
        match self {
            Self::Switch => &fabric.switch(SwitchId::from_index(index)).name,
            Self::Host => &fabric.host(HostId::from_index(index)).name,
        }
    }

    /// The switch that routes of endpoint `index` start from (or end at).
    pub fn endpoint_switch(self, fabric: &Fabric, index: usize) -> SwitchId {
        match self {
            Self::Switch => SwitchId::from_index(index),
            Self::Host => fabric.host_switch(HostId::from_index(index)),
        }
    }
}

/// The names of the switches or hosts that a route leads from and to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairNames {
    /// Where it starts.
    pub source: String,
    /// Where it should end.
    pub destination: String,
}

impl PairNames {
    /// The names of the endpoints with these offsets.
    pub fn of(fabric: &Fabric, granularity: PairGranularity, pair: [usize; 2]) -> Self {
        let [source, destination] =
            pair.map(|index| granularity.endpoint_name(fabric, index).to_owned());
        Self {
            source,
            destination,
        }
    }

    pub(crate) fn of_switches(fabric: &Fabric, pair: [SwitchId; 2]) -> Self {
        Self::of(fabric, PairGranularity::Switch, pair.map(SwitchId::index))
    }
}

impl fmt::Display for PairNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from “{}” to “{}”", self.source, self.destination)
    }
}

/// Packets of a pair were to alternate over more lanes than can be numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{lanes} lanes in {turns} turns are {found} lanes; at most 255 can be numbered")]
pub struct TooManyLanes {
    lanes: u8,
    turns: u8,
    found: u16,
}

impl TooManyLanes {
    pub(crate) fn check(lanes: u8, turns: NonZeroU8) -> Result<(), Self> {
        let turns = turns.get();
        let found = u16::from(lanes) * u16::from(turns);
        if found > u16::from(u8::MAX) {
            return Err(Self {
                lanes,
                turns,
                found,
            });
        }
        Ok(())
    }
}
