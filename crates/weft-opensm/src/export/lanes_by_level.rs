//! The lane of every service level, as ports are told it.

use weft_fabric::{PortNumber, SwitchId, narrow};
use weft_routing::{ForwardingTables, Lane, LaneRow, LaneTables};

/// Lanes by service level: those of lane tables, or those of the levels' numbers.
pub(super) struct LaneRows<'a> {
    tables: Option<&'a LaneTables>,
    /// Lanes that ports are told to use.
    pub(super) lanes_of_ports: u8,
}

/// A lane per service level.
pub(super) type Lanes = [u8; LaneTables::KEYS];

/// The lane that drops what is sent on it.
const DROPPED: u8 = 15;

impl<'a> LaneRows<'a> {
    pub(super) fn new(tables: &'a ForwardingTables, lanes_of_ports: u8) -> Self {
        Self {
            tables: tables.lane_tables(),
            lanes_of_ports,
        }
    }

    /// The lanes of hosts' channels.
    pub(super) fn host(&self) -> Lanes {
        self.tables
            .map_or_else(|| self.numbers(), |tables| self.told(tables.host()))
    }

    /// The lanes from an input port of a switch to an output port.
    pub(super) fn between(&self, switch: SwitchId, ports: [PortNumber; 2]) -> Lanes {
        self.tables.map_or_else(
            || self.numbers(),
            |tables| self.told(tables.row(switch, ports)),
        )
    }

    /// The lanes at a switch: first those for all its ports, then those by input and output
    /// port that differ.
    pub(super) fn entries(&self, switch: SwitchId) -> Vec<(Option<[PortNumber; 2]>, Lanes)> {
        let Some(tables) = self.tables else {
            return vec![(None, self.numbers())];
        };
        let entries = tables.entries(switch);
        entries
            .map(|(ports, row)| (ports, self.told(row)))
            .collect()
    }

    /// Each level has the lane of its number, as far as ports have it.
    fn numbers(&self) -> Lanes {
        std::array::from_fn(|level| {
            let level: u8 = narrow(level, "there are 16 levels");
            level % self.lanes_of_ports
        })
    }

    /// `OpenSM` cuts the number of a lane to the bits that the port's lanes take, except that of the
    /// lane that drops.
    fn told(&self, row: &LaneRow) -> Lanes {
        let bits = self.lanes_of_ports.next_power_of_two() - 1;
        row.map(|lane| match lane.map(Lane::number) {
            None | Some(DROPPED) => DROPPED,
            Some(lane) => lane & bits,
        })
    }
}
