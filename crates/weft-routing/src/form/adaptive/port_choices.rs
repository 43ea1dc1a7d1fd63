//! Per switch and destination: the ports that packets may take, and one that is always open.

use crate::form::{ForwardingTables, Lane, PairGranularity};
use std::num::NonZeroU8;
use std::ops::Range;
use weft_fabric::{PortNumber, SwitchId, narrow};

/// A choice of ports at every switch for every destination switch, on *adaptive* lanes; and, where
/// there is one, an *escape*: forwarding tables on lane 0.
///
/// A packet on an adaptive lane, or from its host, may take any of the ports on any adaptive lane, or
/// the port of the escape's table on lane 0. On lane 0 it stays: from then on it follows the tables. So
/// a packet changes from the one to the other once at most, and what it waits for on lane 0 never
/// depends on an adaptive lane.
///
/// # Memory
/// Four bytes for each pair of switches and one for each port.
///
/// # Source
/// Duato, "A new theory of deadlock-free adaptive routing in wormhole networks", IEEE TPDS 4(12), 1993;
/// Silla, Duato, "Improving the efficiency of adaptive routing in networks with irregular topology",
/// `HiPC` 1997.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdaptiveTables {
    switch_count: usize,
    /// Per switch, then destination switch: where its ports begin.
    offsets: Vec<u32>,
    ports: Vec<PortNumber>,
    adaptive_lanes: NonZeroU8,
    escape: Option<ForwardingTables>,
}

impl AdaptiveTables {
    /// The lane of the escape.
    pub const ESCAPE_LANE: Lane = Lane::ZERO;

    /// Tables without an escape: `ports` tells those of a switch (first) for a destination
    /// switch (second), which are looked at for every pair.
    ///
    /// # Panics
    /// With more than 2^32 ports in all.
    pub fn new<P: IntoIterator<Item = PortNumber>>(
        switch_count: usize,
        adaptive_lanes: NonZeroU8,
        mut ports_of: impl FnMut(SwitchId, SwitchId) -> P,
    ) -> Self {
        let mut offsets = Vec::with_capacity(switch_count * switch_count + 1);
        let mut ports = Vec::new();
        offsets.push(0);
        for switch in (0..switch_count).map(SwitchId::from_index) {
            for destination in (0..switch_count).map(SwitchId::from_index) {
                ports.extend(ports_of(switch, destination));
                offsets.push(narrow(ports.len(), "at most 2^32 ports in all"));
            }
        }
        Self {
            switch_count,
            offsets,
            ports,
            adaptive_lanes,
            escape: None,
        }
    }

    /// The same tables with an escape on lane 0, and the adaptive lanes after it.
    ///
    /// # Panics
    /// When the escape's tables are not between as many switches, or use more than one lane.
    #[must_use]
    pub fn with_escape(self, escape: ForwardingTables) -> Self {
        assert_eq!(escape.granularity(), PairGranularity::Switch);
        assert_eq!(escape.endpoint_count(), self.switch_count);
        assert_eq!(escape.lane_count(), 1);
        Self {
            escape: Some(escape),
            ..self
        }
    }

    /// Counts the switches.
    pub fn switch_count(&self) -> usize {
        self.switch_count
    }

    /// Counts the lanes the hardware must have.
    pub fn lane_count(&self) -> u8 {
        self.adaptive_lanes().end
    }

    /// The numbers of the adaptive lanes.
    pub fn adaptive_lanes(&self) -> Range<u8> {
        let first = u8::from(self.escape.is_some());
        first..self.adaptive_lanes.get().saturating_add(first)
    }

    /// The ports that packets to a switch may take at another on adaptive lanes.
    #[inline]
    pub fn ports(&self, switch: SwitchId, destination: SwitchId) -> &[PortNumber] {
        let place = switch.index() * self.switch_count + destination.index();
        &self.ports[self.offsets[place] as usize..self.offsets[place + 1] as usize]
    }

    /// Tells whether there is an escape.
    pub fn has_escape(&self) -> bool {
        self.escape.is_some()
    }

    /// The port of the escape at a switch; `None` without an escape, or an entry.
    #[inline]
    pub fn escape_port(&self, switch: SwitchId, destination: SwitchId) -> Option<PortNumber> {
        let tables = self.escape.as_ref()?;
        let address = tables.addresses(destination.index()).next()?;
        tables.next_port(switch, address)
    }

    /// Tells whether a packet that came on a lane between switches is on the escape.
    #[inline]
    pub fn is_escape(&self, lane: Lane) -> bool {
        self.escape.is_some() && lane == Self::ESCAPE_LANE
    }
}
