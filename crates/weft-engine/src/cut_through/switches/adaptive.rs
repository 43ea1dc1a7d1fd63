//! Where packets choose on their way: those in front of the buffers of a switch take turns, each with
//! what it is offered.
//!
//! What a packet takes depends on what those before it took, so switches are served one after the
//! other once all events of a cycle are handled, and before any link is given away. A switch need be
//! served only when something happened at one of its channels: a packet that waits does so because none
//! of its lanes is open, and the channels of these are looked at when one may be.

use super::guide::{Choices, Chosen, Guide};
use super::{Switches, Turn, take};
use crate::cut_through::far_room::FarRoom;
use crate::cut_through::packet_state::Packets;
use crate::ids::{InletId, OutletId};
use weft_fabric::{ChannelId, PortNumber};

impl<'a> Switches<'a> {
    /// Whether packets choose.
    #[inline]
    pub(crate) fn choose(&self) -> bool {
        matches!(self.guide, Guide::Adaptive(_))
    }

    /// Whether each packet has one way, which does not change.
    pub(crate) fn are_fixed(&self) -> bool {
        matches!(self.guide, Guide::Fixed(_))
    }

    /// What is kept for it.
    pub(crate) fn choices(&self) -> &Choices<'a> {
        match &self.guide {
            Guide::Adaptive(choices) => choices,
            Guide::Fixed(_) | Guide::Changing(_) => {
                unreachable!("switches are served one by one where packets choose")
            }
        }
    }

    /// What is kept for it, to be changed.
    pub(crate) fn choices_mut(&mut self) -> &mut Choices<'a> {
        match &mut self.guide {
            Guide::Adaptive(choices) => choices,
            Guide::Fixed(_) | Guide::Changing(_) => {
                unreachable!("switches are served one by one where packets choose")
            }
        }
    }

    /// The packet in front of an inlet asks for an outlet: it takes its turn at the switch. If it asked before, what it
    /// chose then may count now.
    #[cold]
    pub(super) fn wait(&mut self, inlet: InletId, now: u64) {
        let Guide::Adaptive(choices) = &mut self.guide else {
            return;
        };
        let inlets = &self.inlets;
        let rank = inlets[inlet].rank();
        let switch = inlets[inlet].entry().switch;
        if inlets[inlet].asked_at < now {
            choices.contest(switch);
            return;
        }
        choices.wait(switch, inlet, |other| inlets[other].rank() > rank);
    }

    /// Finds out what the packet in front of an inlet, if it asks in this cycle, is offered; `taken` are
    /// the flits taken of the buffer at the end of a lane. Tells when it takes its first turn, where that is later.
    pub(crate) fn offer(
        &mut self,
        inlet: InletId,
        now: u64,
        packets: &mut Packets,
        taken: impl Fn(OutletId, &FarRoom) -> u32,
        is_down: impl Fn(ChannelId) -> bool,
    ) -> Option<u64> {
        let state = &self.inlets[inlet];
        if state.asked_at != now {
            return None;
        }
        let entry = state.entry();
        let packet = &mut packets[state.asking()];
        let before = packet.switches.into();
        packet.switches += 1;
        let taken_of_channel = |port: PortNumber| {
            let channel = self.ports.channel(entry.switch, port);
            let lanes = self.lanes.outlets(channel);
            lanes
                .map(|outlet| u64::from(self.taken(outlet, now, &taken)))
                .sum()
        };
        let header = &mut packet.header;
        let has_decided = self.choices().decide(header, before, taken_of_channel);
        let delay = self.crossbar.choice_delay;
        let Guide::Adaptive(choices) = &mut self.guide else {
            return None;
        };
        choices.offer(inlet, packet, entry, before, &self.ports, is_down);
        let is_later = has_decided && delay > 0;
        let chosen = is_later.then(|| Chosen {
            outlet: choices.offered(inlet)[0],
            at: now + delay,
        });
        choices.choose(inlet, chosen);
        chosen.map(|chosen| chosen.at)
    }

    /// What is taken of the buffers of a lane, in flits.
    fn taken(&self, outlet: OutletId, now: u64, taken: impl Fn(OutletId, &FarRoom) -> u32) -> u32 {
        let here = self
            .crossbar
            .output_buffer
            .map_or(0, |flits| flits.get() - self.outlets[outlet].room(now));
        here + taken(outlet, &self.inlets[outlet.far_end()].far_room)
    }

    /// Whether lanes whose channels are down count for the packet in front of an inlet: only if all are that it is offered.
    pub(super) fn takes_down(&self, inlet: InletId, is_down: impl Fn(ChannelId) -> bool) -> bool {
        let offered = self.choices().offered(inlet).iter();
        let mut channels = offered.map(|&outlet| self.lanes.channel(outlet));
        channels.all(is_down)
    }

    /// The packet in front of an inlet takes the lane with least taken that is open now, of the first class with any; if
    /// it is offered several, after the choice delay.
    pub(crate) fn grant_best(
        &mut self,
        inlet: InletId,
        now: u64,
        packets: &Packets,
        taken: impl Fn(OutletId, &FarRoom) -> u32,
        is_down: impl Fn(ChannelId) -> bool,
    ) -> Turn {
        let chosen = self.choices().chosen(inlet);
        if chosen.is_some_and(|chosen| now < chosen.at) {
            return Turn::Waits;
        }
        let takes_down = self.takes_down(inlet, &is_down);
        let flits = packets[self.inlets[inlet].asking()].flits;
        let has_buffers = self.crossbar.has_output_buffers();
        let is_open = |&outlet: &OutletId| {
            if !takes_down && is_down(self.lanes.channel(outlet)) {
                return false;
            }
            let outlet = &self.outlets[outlet];
            outlet.crossbar_free_at <= now && (!has_buffers || flits <= outlet.room(now))
        };
        let chosen = chosen.map(|chosen| chosen.outlet).filter(is_open);
        let look = || {
            self.choices().classes(inlet).find_map(|class| {
                let open = class.iter().copied().filter(is_open);
                open.min_by_key(|&outlet| self.taken(outlet, now, &taken))
            })
        };
        let found = chosen.or_else(look);
        let delay = self.crossbar.choice_delay;
        if delay > 0 {
            let counts_later = chosen.is_none() && self.choices().offered(inlet).len() > 1;
            let at = now + delay;
            let later = found.filter(|_| counts_later);
            let later = later.map(|outlet| Chosen { outlet, at });
            self.choices_mut().choose(inlet, later);
            if later.is_some() {
                return Turn::Chose(at);
            }
        }
        let Some(outlet) = found else {
            return Turn::Waits;
        };
        let (granted, from) = (&mut self.outlets[outlet], &mut self.inlets[inlet]);
        from.outlet = outlet.into();
        granted.add_room(now);
        self.waiting.grant(outlet, now - from.asked_at);
        Turn::Has(take(outlet, from, inlet, now, packets))
    }
}
