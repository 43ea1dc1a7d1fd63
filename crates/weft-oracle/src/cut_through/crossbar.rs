//! Phase 2, what a grant brings about, and half of 6: packets cross and leave.

use super::CutThroughOracle;
use super::state::{Credit, Grant, Outgoing, PacketId, Request, Stored, Supply};
use weft_fabric::{ChannelId, Node};
use weft_model::FlowControl;

impl CutThroughOracle<'_> {
    /// Phase 2.
    pub(super) fn releases(&mut self) {
        for index in 0..self.channels.len() {
            for lane in 0..self.channels[index].lanes.len() {
                if self.has_crossed(index, lane) {
                    self.release_input(index, lane);
                }
                if self.is_discarded(index, lane) {
                    let discarded = self.give_back(index, lane);
                    self.packets.remove(&discarded);
                }
            }
            if self.has_been_sent(index) {
                self.release_link(index);
            }
        }
    }

    /// Tells whether the last flit of a granted packet is in the output buffer now.
    fn has_crossed(&self, output: usize, lane: usize) -> bool {
        let crossbar = u64::from(self.model.crossbar_cycles_per_flit);
        self.channels[output].lanes[lane]
            .grant
            .is_some_and(|grant| {
                let stored = self.channels[grant.input.index()].lanes[grant.lane].buffer[0];
                let is_now = |last| last + crossbar == self.now;
                stored.left == stored.flits && grant.last_crossing.is_some_and(is_now)
            })
    }

    /// Tells whether the packet that has the link has left it.
    fn has_been_sent(&self, index: usize) -> bool {
        let channel = &self.channels[index];
        channel.holder.is_some_and(|lane| {
            let outgoing = &channel.lanes[lane].front[0];
            outgoing.sent == outgoing.flits && !channel.is_mid_flit(self.now)
        })
    }

    /// The crossbar ports and the room in the input buffer.
    fn release_input(&mut self, output: usize, lane: usize) {
        let Some(grant) = self.channels[output].lanes[lane].grant.take() else {
            return;
        };
        self.give_back(grant.input.index(), grant.lane);
    }

    /// The packet in front of an input buffer has left: its room is given back.
    fn give_back(&mut self, index: usize, lane: usize) -> PacketId {
        let input = &mut self.channels[index];
        let state = &mut input.lanes[lane];
        let left = state.buffer.pop_front();
        let left = left.map(|stored| (stored.packet, stored.flits));
        let taken = state.taken.pop_front();
        assert_eq!(
            left, taken,
            "rooms are given back in the order they were taken in"
        );
        let Some((packet, flits)) = taken else {
            unreachable!("a packet was in front")
        };
        let arrival_cycle = self.now + u64::from(input.timing.flight_cycles);
        let credit = Credit { lane, flits };
        input.credits.push_back((arrival_cycle, credit));
        packet
    }

    /// The link and the room in the output buffer.
    fn release_link(&mut self, index: usize) {
        let channel = &mut self.channels[index];
        let Some(lane) = channel.holder.take() else {
            return;
        };
        let Some(sent) = channel.lanes[lane].front.pop_front() else {
            return;
        };
        match sent.supply {
            Supply::Host => {}
            Supply::Output(_) => channel.lanes[lane].output_room += sent.flits,
            Supply::Input { .. } => self.release_input(index, lane),
        }
    }

    /// A lane of an output takes the packet in front of an input buffer.
    pub(super) fn award(&mut self, index: usize, lane: usize, asked: Request) {
        let has_buffer = self.model.output_buffer_flits.is_some();
        let input = asked.input.index();
        let Stored { packet, flits, .. } = self.channels[input].lanes[asked.lane].buffer[0];
        let k = self.channels[index].timing.cycles_per_flit;
        let is_slower = self.channels[input].timing.cycles_per_flit > k;
        let is_stored_whole = is_slower && self.model.flow_control == FlowControl::Credits;
        let state = &mut self.channels[index].lanes[lane];
        let first_cycle = self.now + u64::from(self.model.routing_delay_cycles);
        state.grant = Some(Grant {
            input: asked.input,
            lane: asked.lane,
            first_cycle,
            last_crossing: None,
        });
        let longest_wait = &mut state.usage.longest_wait_cycles;
        *longest_wait = (*longest_wait).max(self.now - asked.since);
        if has_buffer {
            state.output_room -= flits;
        }
        state.front.push_back(Outgoing {
            packet,
            flits,
            sent: 0,
            supply: if has_buffer {
                Supply::Output(Vec::new())
            } else {
                Supply::Input {
                    channel: asked.input,
                    lane: asked.lane,
                    first_cycle,
                }
            },
            is_stored_whole,
            is_swallowed: false,
        });
        self.packet_hops += 1;
    }

    /// Phase 6, crossbars.
    pub(super) fn crossing(&mut self) {
        if self.model.output_buffer_flits.is_none() {
            return;
        }
        let crossbar = u64::from(self.model.crossbar_cycles_per_flit);
        for index in 0..self.channels.len() {
            for lane in 0..self.channels[index].lanes.len() {
                let Some(grant) = self.channels[index].lanes[lane].grant else {
                    continue;
                };
                let last = grant.last_crossing;
                let is_free = last.is_none_or(|last| self.now >= last + crossbar);
                let stored = &mut self.channels[grant.input.index()].lanes[grant.lane].buffer[0];
                if self.now < grant.first_cycle || !is_free || stored.left == stored.arrived {
                    continue;
                }
                stored.left += 1;
                let state = &mut self.channels[index].lanes[lane];
                if let Some(grant) = &mut state.grant {
                    grant.last_crossing = Some(self.now);
                }
                // The packet granted last is the last in the output buffer.
                if let Some(Outgoing {
                    supply: Supply::Output(there_from),
                    ..
                }) = state.front.back_mut()
                {
                    there_from.push(self.now + crossbar);
                }
            }
        }
    }

    /// Tells whether a channel leads to a switch.
    pub(super) fn leads_to_switch(&self, index: usize) -> bool {
        let target = self.fabric.target(ChannelId::from_index(index));
        matches!(target.node, Node::Switch(_))
    }
}
