//! Phases 5, 7 and half of 6: lanes take turns on links, flits are sent, buffers are kept from
//! overflowing.

use super::CutThroughOracle;
use super::state::{FlyingFlit, Supply, Symbol};
use crate::latency_cycles;
use weft_fabric::narrow;
use weft_model::FlowControl;

impl CutThroughOracle<'_> {
    /// Counts the flits of the packet in front that are there to be sent, or were sent; `None`
    /// where no packet is in front.
    fn flits_there(&self, index: usize, lane: usize) -> Option<u32> {
        let front = self.channels[index].lanes[lane].front.front()?;
        Some(match &front.supply {
            Supply::Host => front.flits,
            Supply::Output(there_from) => {
                let there = there_from.iter().filter(|&&from| from <= self.now);
                narrow(there.count(), "a packet has fewer than 2^31 flits")
            }
            Supply::Input { first_cycle, .. } if self.now < *first_cycle => 0,
            Supply::Input { channel, lane, .. } => {
                self.channels[channel.index()].lanes[*lane].buffer[0].arrived
            }
        })
    }

    /// Tells whether the packet in front of a lane is ready and has flits to send.
    fn is_ready(&self, index: usize, lane: usize) -> bool {
        let Some(there) = self.flits_there(index, lane) else {
            return false;
        };
        let front = &self.channels[index].lanes[lane].front[0];
        let needed = if front.is_stored_whole {
            front.flits
        } else {
            1
        };
        there >= needed && front.sent < front.flits
    }

    /// Tells whether the input buffer at the end has room for the packet in front, as far as its
    /// sender knows.
    fn has_room(&self, index: usize, lane: usize) -> bool {
        let state = &self.channels[index].lanes[lane];
        let flits = state.front[0].flits;
        self.takes_all(index, lane) || flits <= state.known_room
    }

    /// Tells whether what the packet in front is sent to takes it whatever comes: a host, or a channel that is
    /// down when the packet begins to leave.
    fn takes_all(&self, index: usize, lane: usize) -> bool {
        let front = &self.channels[index].lanes[lane].front[0];
        let begins_now = front.sent == 0 && self.channels[index].is_down;
        !self.leads_to_switch(index) || front.is_swallowed || begins_now
    }

    fn is_candidate(&self, index: usize, lane: usize) -> bool {
        if !self.is_ready(index, lane) {
            return false;
        }
        let state = &self.channels[index].lanes[lane];
        match self.model.flow_control {
            FlowControl::Credits => self.has_room(index, lane),
            FlowControl::StopAndGo { .. } => {
                let there = self.flits_there(index, lane);
                let is_stopped = state.is_stopped && !self.takes_all(index, lane);
                !is_stopped && there.is_some_and(|there| there > state.front[0].sent)
            }
        }
    }

    /// Tells whether flow control keeps back the packet in front of a lane.
    fn is_blocked(&self, index: usize, lane: usize) -> bool {
        let state = &self.channels[index].lanes[lane];
        self.is_ready(index, lane)
            && match self.model.flow_control {
                FlowControl::Credits => {
                    let has_started = self.channels[index].holder == Some(lane);
                    !has_started && !self.has_room(index, lane)
                }
                FlowControl::StopAndGo { .. } => state.is_stopped && !self.takes_all(index, lane),
            }
    }

    /// Phase 5.
    pub(super) fn link_arbitration(&mut self) {
        for index in 0..self.channels.len() {
            for lane in 0..self.channels[index].lanes.len() {
                let is_blocked = self.is_blocked(index, lane);
                let usage = &mut self.channels[index].lanes[lane].usage;
                usage.blocked_cycles += u64::from(is_blocked);
            }
            if self.channels[index].is_mid_flit(self.now) {
                continue;
            }
            if let Some(lane) = self.channels[index].holder
                && self.model.flow_control != FlowControl::Credits
                && !self.is_candidate(index, lane)
            {
                self.channels[index].holder = None;
            }
            if self.channels[index].holder.is_none() {
                self.arbitrate(index);
            }
        }
    }

    fn arbitrate(&mut self, index: usize) {
        let lanes = self.channels[index].lanes.len();
        let pointer = self.channels[index].pointer;
        let turns = (0..lanes).map(|turn| (pointer + turn) % lanes);
        let Some(lane) = turns
            .into_iter()
            .find(|&lane| self.is_candidate(index, lane))
        else {
            return;
        };
        let leads_to_switch = self.leads_to_switch(index);
        let channel = &mut self.channels[index];
        channel.holder = Some(lane);
        channel.pointer = (lane + 1) % lanes;
        let is_down = channel.is_down;
        let state = &mut channel.lanes[lane];
        let front = &mut state.front[0];
        if front.sent > 0 {
            return;
        }
        front.is_swallowed = is_down;
        if is_down || !leads_to_switch {
            return;
        }
        state.taken.push_back((front.packet, front.flits));
        if self.model.flow_control == FlowControl::Credits {
            state.known_room -= front.flits;
        }
    }

    /// Phase 6, links.
    pub(super) fn sending(&mut self) {
        for index in 0..self.channels.len() {
            let now = self.now;
            if let Some(lane) = self.channels[index].holder
                && !self.channels[index].is_mid_flit(now)
            {
                let there = self.flits_there(index, lane);
                let sent = self.channels[index].lanes[lane].front[0].sent;
                assert!(there.is_some_and(|there| there > sent), "a flit is late");
                self.send(index, lane);
            }
            let channel = &mut self.channels[index];
            if let Some((_, lane)) = channel.last_sent
                && channel.is_mid_flit(now)
            {
                channel.lanes[lane].usage.busy_cycles += 1;
            }
        }
    }

    /// Sends the next flit of the packet in front of a lane.
    fn send(&mut self, index: usize, lane: usize) {
        let now = self.now;
        let channel = &mut self.channels[index];
        let front = &mut channel.lanes[lane].front[0];
        let Some(packet) = self.packets.get_mut(&front.packet) else {
            return;
        };
        front.sent += 1;
        if front.sent == 1 && matches!(front.supply, Supply::Host) {
            packet.injection_cycle = Some(now);
            if self.guide.leaves_a_choice() {
                self.left[front.packet.0.index()].push(front.packet);
            }
            self.packet_hops += 1;
        }
        let flit = FlyingFlit {
            lane,
            packet: front.packet,
            is_head: front.sent == 1,
            is_last: front.sent == front.flits,
            is_swallowed: front.is_swallowed,
        };
        let supply = match front.supply {
            Supply::Input { channel, lane, .. } => Some((channel, lane)),
            Supply::Host | Supply::Output(_) => None,
        };
        channel.last_sent = Some((now, lane));
        let arrival_cycle = now + latency_cycles(channel.timing);
        channel.flits.push_back((arrival_cycle, flit));
        self.flit_hops += 1;
        if let Some((input, lane)) = supply {
            self.channels[input.index()].lanes[lane].buffer[0].left += 1;
        }
    }

    /// Phase 7.
    pub(super) fn flow_control(&mut self) {
        let FlowControl::StopAndGo {
            stop_above_flits,
            go_below_flits,
            control_delay_cycles,
        } = self.model.flow_control
        else {
            return;
        };
        for index in 0..self.channels.len() {
            if !self.leads_to_switch(index) {
                continue;
            }
            let channel = &mut self.channels[index];
            let delay = channel.timing.flight_cycles + control_delay_cycles;
            let arrival_cycle = self.now + u64::from(delay);
            for (lane, state) in channel.lanes.iter_mut().enumerate() {
                let held = state.held_flits();
                let is_stop = if state.is_stop_outstanding {
                    held >= go_below_flits
                } else {
                    held > stop_above_flits
                };
                if is_stop != state.is_stop_outstanding {
                    state.is_stop_outstanding = is_stop;
                    let symbol = Symbol { lane, is_stop };
                    channel.symbols.push_back((arrival_cycle, symbol));
                }
            }
        }
    }
}
