//! The network where packets choose their way.

use super::event::Event;
use super::far_room::FarRoom;
use super::lane_numbers::LaneSet;
use super::network::Network;
use super::switches::{Grant, Turn};
use crate::ids::{InletId, OutletId};
use weft_fabric::SwitchId;

impl Network<'_> {
    /// Switches are to be served at whose channels something happened.
    pub(super) fn contest_switches(&mut self) {
        for &channel in &self.clock.contested {
            if let Some(switch) = self.channels[channel].source_switch.get() {
                self.switches.choices_mut().contest(switch);
            }
        }
    }

    /// Finds out what the packet in front of an inlet is offered, if it asks now.
    pub(super) fn offer(&mut self, inlet: InletId, taken: impl Fn(OutletId, &FarRoom) -> u32) {
        let now = self.clock.now();
        let is_down = |channel| self.channels[channel].is_down;
        let packets = &mut self.packets;
        let later = self.switches.offer(inlet, now, packets, taken, is_down);
        if let Some(at) = later {
            self.clock.plan(at, Event::Request(inlet));
        }
    }

    /// The packet in front of an inlet takes the best lane that is open now, if any
    /// is.
    pub(super) fn grant_best(
        &mut self,
        inlet: InletId,
        taken: impl Fn(OutletId, &FarRoom) -> u32,
    ) -> Option<Grant> {
        let now = self.clock.now();
        let is_down = |channel| self.channels[channel].is_down;
        let packets = &self.packets;
        let turn = self
            .switches
            .grant_best(inlet, now, packets, taken, is_down);
        let grant = match turn {
            Turn::Has(grant) => grant,
            Turn::Chose(at) => {
                self.clock.plan(at, Event::Request(inlet));
                return None;
            }
            Turn::Waits => return None,
        };
        self.meters.packet_hops += 1;
        self.contest(self.lanes.channel(grant.outlet));
        Some(grant)
    }

    /// The channels of the lanes that packets wait for at a switch are looked at
    /// when these may be open.
    pub(super) fn wait(&mut self, switch: SwitchId, waiting: Vec<InletId>) {
        for channel in self.switches.ports.of(switch) {
            self.channels[channel].asked = LaneSet::EMPTY;
        }
        for &inlet in &waiting {
            let choices = self.switches.choices();
            if choices.chosen(inlet).is_some() {
                // It looks again, if at all, when its choice counts.
                continue;
            }
            for &outlet in choices.offered(inlet) {
                let channel = self.lanes.channel(outlet);
                let state = &mut self.channels[channel];
                state.asked.insert(self.lanes.lane(outlet));
                self.clock.contest(channel, &mut state.look);
            }
        }
        self.switches.choices_mut().put_back(switch, waiting);
    }
}
