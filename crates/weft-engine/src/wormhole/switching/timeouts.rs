//! Packets that have waited too long for an output.

use super::Switching;
use crate::cycle::Cycle;
use crate::ids::PacketId;
use crate::wormhole::clock::Clock;
use crate::wormhole::event::Event;
use crate::wormhole::flow::Channels;
use crate::wormhole::traffic::Traffic;
use weft_fabric::ChannelId;

impl Switching {
    /// The packet in front of an input buffer begins to wait: this plans a look at it when it will
    /// have waited too long. One look per input is planned at a time.
    #[inline(never)]
    pub(super) fn watch(&mut self, clock: &mut Clock, input: ChannelId) {
        let Some(timeout) = self.timeout else { return };
        if !std::mem::replace(&mut self.watched[input], true) {
            clock.plan(clock.now() + timeout, Event::Timeout(input));
        }
    }

    /// The packet in front of an input buffer may have waited too long.
    pub(crate) fn look_for_timeout<S>(
        &mut self,
        clock: &mut Clock,
        channels: &Channels<S>,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) {
        let Some(timeout) = self.timeout else { return };
        self.watched[input] = false;
        let queue = &channels[input].junction;
        if !queue.requested {
            return;
        }
        let due = traffic.packets[queue.asking()].asking_since + timeout;
        if due == clock.now() {
            clock.refused.push(input);
        } else {
            self.watched[input] = true;
            clock.plan(due, Event::Timeout(input));
        }
    }

    /// Discards the packet in front of an input buffer, which has waited too long for an output.
    pub(crate) fn discard_front<S>(
        &mut self,
        now: Cycle,
        channels: &mut Channels<S>,
        traffic: &Traffic<'_>,
        input: ChannelId,
    ) -> PacketId {
        let wanted = self.wanted_output(channels, traffic, input);
        let queue = &mut channels[input].junction;
        let (front, port) = (queue.answer(), queue.port);
        channels[wanted].junction.withdraw(port);
        self.withdraw_from_afar(wanted, port);
        self.note_wait(now - traffic.packets[front].asking_since, wanted);
        front
    }
}
