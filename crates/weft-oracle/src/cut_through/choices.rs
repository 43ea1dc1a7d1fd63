//! Phases 3 and 4 where packets choose: what each is offered, and which takes what.

use super::CutThroughOracle;
use super::state::{PacketId, Request};
use std::num::NonZeroU32;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_model::FlowControl;
use weft_routing::{
    AdaptiveForwarding, AnyRoutes, Entry, Forwarding, ForwardingError, Header, Lane, Offers,
};

/// What tells packets their way.
#[derive(Debug)]
pub(super) enum Guide<'a> {
    Fixed(Forwarding<'a>),
    Adaptive(AdaptiveForwarding<'a>),
}

impl<'a> Guide<'a> {
    pub(super) fn new(fabric: &Fabric, routes: AnyRoutes<'a>) -> Result<Self, ForwardingError> {
        Ok(match routes {
            AnyRoutes::Fixed(routes) => Self::Fixed(Forwarding::new(fabric, routes)?),
            AnyRoutes::Adaptive(routes) => Self::Adaptive(AdaptiveForwarding::new(fabric, routes)?),
        })
    }

    /// Header and first lane of a packet that travels on lanes so many above those of its route; packets
    /// that choose have no such lanes.
    pub(super) fn header(
        &mut self,
        source: HostId,
        destination: HostId,
        above: u8,
    ) -> (Header, Lane) {
        match self {
            Self::Fixed(forwarding) => {
                let (header, lane) = forwarding.header(source, destination);
                (header.above(above), Lane::new(lane.number() + above))
            }
            Self::Adaptive(forwarding) => forwarding.header(source, destination),
        }
    }
}

/// A packet in front of an input buffer that has no output.
#[derive(Debug)]
pub(super) struct Waiting {
    switch: SwitchId,
    asked: Request,
    flits: u32,
    offers: Offers,
}

impl CutThroughOracle<'_> {
    /// Phase 3, for the packet in front of an input buffer.
    pub(super) fn ask_for_any(&mut self, packet: PacketId, entry: Entry, input: ChannelId) {
        let (Guide::Adaptive(forwarding), Some(state)) = (&self.guide, self.packets.get(&packet))
        else {
            return;
        };
        let switches_before = usize::from(state.switches);
        let mut header = state.header;
        if let Some(branches) = forwarding.branches(&header, switches_before) {
            let taken = branches.map(|branch| self.taken_of_channel(entry.switch, branch.port));
            if forwarding.goes_straight(&branches, taken) {
                header.go_straight();
            }
        }
        let mut offers = Offers::default();
        forwarding.offer(&header, entry, switches_before, &mut offers);
        self.waiting.push(Waiting {
            switch: entry.switch,
            asked: Request {
                input,
                lane: entry.lane.index(),
                since: self.now,
            },
            flits: state.flits,
            offers,
        });
        if let Some(state) = self.packets.get_mut(&packet) {
            state.header = header;
            state.switches += 1;
        }
    }

    /// What is taken of the buffers of a channel, all lanes together.
    fn taken_of_channel(&self, switch: SwitchId, port: PortNumber) -> u64 {
        let Some(channel) = self.fabric.outgoing_at(switch, port) else {
            return 0;
        };
        let lanes = 0..usize::from(self.model.lanes);
        lanes.map(|lane| u64::from(self.taken(channel, lane))).sum()
    }

    /// What is taken of the buffers of a lane, in flits.
    fn taken(&self, channel: ChannelId, lane: usize) -> u32 {
        let state = &self.channels[channel.index()].lanes[lane];
        let output = self.model.output_buffer_flits.map_or(0, NonZeroU32::get);
        let input = self.model.input_buffer_flits;
        let at_end = match self.model.flow_control {
            FlowControl::Credits => input - state.known_room,
            FlowControl::StopAndGo { .. } if state.is_stopped => input,
            FlowControl::StopAndGo { .. } => 0,
        };
        output - state.output_room + at_end
    }

    /// Phase 4: packets in front take turns. Those of one cycle stand in order of switch, input port and
    /// input lane, as they asked.
    pub(super) fn choose(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            match self.best_open(&waiting) {
                Some((output, lane)) => {
                    self.award(output.index(), lane.index(), waiting.asked);
                }
                None => self.waiting.push(waiting),
            }
        }
    }

    /// The lane that a packet takes now, if any is open.
    fn best_open(&self, waiting: &Waiting) -> Option<(ChannelId, Lane)> {
        let place = |(port, lane): (PortNumber, Lane)| {
            let output = self.fabric.outgoing_at(waiting.switch, port)?;
            Some((output, lane))
        };
        let is_open = |&(output, lane): &(ChannelId, Lane)| {
            let state = &self.channels[output.index()].lanes[lane.index()];
            let has_buffer = self.model.output_buffer_flits.is_some();
            state.grant.is_none() && (!has_buffer || waiting.flits <= state.output_room)
        };
        let any = waiting.offers.any.iter().copied().filter_map(place);
        any.filter(is_open)
            .min_by_key(|&(output, lane)| self.taken(output, lane.index()))
            .or_else(|| waiting.offers.escape.and_then(place).filter(is_open))
    }
}
