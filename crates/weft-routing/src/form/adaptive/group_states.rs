//! Where packets can be as far as their switches tell apart: by switch and lane, and by input port where tables differ.

use crate::form::{Entry, GroupTables, Lane, LaneTables};
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// The states of packets at switches that choose among groups, numbered: packets of one address and service level
/// in the same state may go the same ways.
///
/// At a switch that asks for neither, packets are alike whatever port they came in by.
#[derive(Clone, Debug)]
pub struct GroupStates {
    lanes: usize,
    /// Per switch: its first state; then the number of all.
    first: Vec<usize>,
    /// Per switch: whether states are told apart by the input port.
    by_input: Vec<bool>,
    /// Per state: its switch.
    switches: Vec<SwitchId>,
}

impl GroupStates {
    /// Numbers the states of tables.
    pub fn new(fabric: &Fabric, tables: &GroupTables) -> Self {
        let lanes = usize::from(tables.lane_count());
        let mut states = Self {
            lanes,
            first: vec![0],
            by_input: Vec::with_capacity(fabric.switch_count()),
            switches: Vec::new(),
        };
        for switch in fabric.switch_ids() {
            let same_lanes = |tables: &LaneTables| tables.entries(switch).count() == 1;
            let is_alike = tables.switch(switch).has_one_table()
                && tables.lane_tables().is_none_or(same_lanes);
            let ports = usize::from(fabric.switch(switch).port_count) + 1;
            let inputs = if is_alike { 1 } else { ports };
            states.by_input.push(!is_alike);
            states
                .switches
                .extend(std::iter::repeat_n(switch, inputs * lanes));
            states.first.push(states.switches.len());
        }
        states
    }

    /// Counts the states.
    pub fn count(&self) -> usize {
        self.switches.len()
    }

    /// The state of packets that came into a switch.
    #[inline]
    pub fn of(&self, entry: Entry) -> usize {
        let switch = entry.switch.index();
        let input = if self.by_input[switch] {
            entry.port.index()
        } else {
            0
        };
        self.first[switch] + input * self.lanes + entry.lane.index()
    }

    /// How packets in a state came into their switch; where that makes no difference by port 0, which does not exist.
    #[inline]
    pub fn entry(&self, state: usize) -> Entry {
        let switch = self.switches[state];
        let place = state - self.first[switch.index()];
        #[expect(
            clippy::cast_possible_truncation,
            reason = "there are at most 254 ports and 255 lanes"
        )]
        let [port, lane] = [place / self.lanes, place % self.lanes].map(|number| number as u8);
        Entry {
            switch,
            port: PortNumber::new(port),
            lane: Lane::new(lane),
        }
    }
}
