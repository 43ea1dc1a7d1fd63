//! Hosts with queue pairs: whose packet a lane of the channel into the network takes next.

use super::event::Event;
use super::hosts::FirstSteps;
use super::network::Network;
use super::packet_state::Packet;
use super::switches::Guide;
use weft_fabric::{ChannelId, HostId};
use weft_model::workload::{self, Train};
use weft_routing::Lane;

impl Network<'_> {
    /// Packets that a host generates now join its queue pairs.
    pub(super) fn join_queue_pairs(
        &mut self,
        host: HostId,
        trains: impl IntoIterator<Item = Train>,
    ) {
        let (now, control_lanes_from) = (self.clock.now(), self.hosts.control_lanes_from);
        let guide = &mut self.switches.guide;
        let are_alike = guide.tells_all_alike();
        if let Some(queue_pairs) = &mut self.hosts.queue_pairs {
            let tell = |packet: &_| first_steps(guide, control_lanes_from, now, host, packet);
            queue_pairs[host].join(trains, are_alike, tell);
        }
    }

    /// Every lane of a host's channel that has no packet in front takes the one whose turn it is, lane by lane.
    pub(super) fn take_in_turn(&mut self, host: HostId, channel: ChannelId) {
        while let Some(lane) = self.next_free_lane(host, channel) {
            let now = self.clock.now();
            let control_lanes_from = self.hosts.control_lanes_from;
            let guide = &mut self.switches.guide;
            let are_alike = guide.tells_all_alike();
            let tell = |packet: &_| first_steps(guide, control_lanes_from, now, host, packet);
            let queue_pairs = self.hosts.queue_pairs.as_mut();
            let taken = queue_pairs.and_then(|all| all[host].take(lane, are_alike, tell));
            let Some(taken) = taken else {
                return;
            };
            if taken.is_last
                && let Some(cycle) = self.hosts.script.leave(host, taken.sequence, now)
            {
                self.clock.plan(cycle, Event::Act(host));
            }
            let generated = self
                .hosts
                .generated(taken.packet, taken.sequence, taken.is_last);
            let (header, ahead) = taken.way;
            let mut packet = Packet::new(&generated, host, header, ahead);
            packet.at = now;
            let packet = self.packets.insert(packet);
            self.load(self.lanes.outlet(channel, lane), packet);
        }
    }

    /// The first lane of a host's channel that a packet of a queue pair can take.
    fn next_free_lane(&self, host: HostId, channel: ChannelId) -> Option<Lane> {
        let queue_pairs = &self.hosts.queue_pairs.as_ref()?[host];
        let (state, now) = (&self.channels[channel], self.clock.now());
        let is_free = |&lane: &Lane| {
            let outlet = self.lanes.outlet(channel, lane);
            let is_released = self.switches.outlets[outlet].released_at <= now;
            is_released && !state.loaded.has(lane) && queue_pairs.has_any_on(lane)
        };
        self.lanes.all().into_iter().find(is_free)
    }
}

/// The lane that a packet begins on, and what it is told of its way: that of the first of a queue pair since now.
fn first_steps(
    guide: &mut Guide<'_>,
    control_lanes_from: u8,
    now: u64,
    host: HostId,
    packet: &workload::Packet,
) -> (Lane, FirstSteps) {
    let above = if packet.is_control {
        control_lanes_from
    } else {
        0
    };
    let (header, ahead, lane) = guide.header(host, packet.destination, above, now);
    (lane, (header, ahead))
}
