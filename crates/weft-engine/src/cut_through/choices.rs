//! Where packets choose on their way: those in front of the buffers of a switch take turns, each with
//! what it is offered.
//!
//! What a packet takes depends on what those before it took, so switches are served one after the
//! other once all events of a cycle are handled, and before any link is given away. A switch need be
//! served only when something happened at one of its channels: a packet that waits does so because none
//! of its lanes is open, and the channels of these are looked at when one may be.

use super::Engine;
use super::state::NONE;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_routing::{
    AdaptiveForwarding, AnyRoutes, Entry, Forwarding, ForwardingError, Header, Lane, Offers,
};

/// What tells packets their way.
#[derive(Debug)]
pub(super) enum Guide<'a> {
    Fixed(Forwarding<'a>),
    Adaptive(Box<Choices<'a>>),
}

/// What is kept where packets choose.
#[derive(Debug)]
pub(super) struct Choices<'a> {
    forwarding: AdaptiveForwarding<'a>,
    /// Per switch: the inlets whose packets in front have no output, in the order in which they asked.
    waiting: Vec<Vec<u32>>,
    /// Per inlet: what its packet in front is offered.
    offers: Vec<Offered>,
    /// Switches to be served in the present cycle.
    contested: Vec<u32>,
    is_contested: Vec<bool>,
    scratch: Offers,
}

/// Outlets that a packet is offered.
#[derive(Clone, Debug, Default)]
struct Offered {
    /// Any of these, the escape last if there is one.
    outlets: Vec<u32>,
    has_escape: bool,
}

impl<'a> Guide<'a> {
    pub(super) fn new(
        fabric: &Fabric,
        routes: AnyRoutes<'a>,
        lanes: usize,
    ) -> Result<Self, ForwardingError> {
        Ok(match routes {
            AnyRoutes::Fixed(routes) => Self::Fixed(Forwarding::new(fabric, routes)?),
            AnyRoutes::Adaptive(routes) => Self::Adaptive(Box::new(Choices {
                forwarding: AdaptiveForwarding::new(fabric, routes)?,
                waiting: vec![Vec::new(); fabric.switch_count()],
                offers: vec![Offered::default(); lanes],
                contested: Vec::new(),
                is_contested: vec![false; fabric.switch_count()],
                scratch: Offers::default(),
            })),
        })
    }

    /// Header and first lane of a packet that travels on lanes so many above those of its route; packets
    /// that choose have no such lanes.
    #[inline]
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
            Self::Adaptive(choices) => choices.forwarding.header(source, destination),
        }
    }

    /// Where packets choose: what is kept for that.
    fn choices(&mut self) -> Option<&mut Choices<'a>> {
        match self {
            Self::Fixed(_) => None,
            Self::Adaptive(choices) => Some(choices),
        }
    }
}

impl Choices<'_> {
    /// A switch is to be served in the present cycle, if packets wait there.
    fn contest(&mut self, switch: u32) {
        let is_contested = &mut self.is_contested[switch as usize];
        if !*is_contested && !self.waiting[switch as usize].is_empty() {
            *is_contested = true;
            self.contested.push(switch);
        }
    }
}

impl Engine<'_> {
    /// The packet in front of an input buffer asks for an output: it takes its turn at the switch.
    #[cold]
    pub(super) fn ask_for_any(&mut self, inlet: u32) {
        self.inlets[inlet as usize].asked_at = self.now;
        let switch = self.channels[self.channel_of(inlet)].target_switch;
        let rank = self.rank(inlet);
        let Guide::Adaptive(choices) = &self.guide else {
            return;
        };
        let waiting = &choices.waiting[switch as usize];
        // Those of earlier cycles are before it, hence close to the end its place.
        let later = waiting.iter().rev();
        let later = later.take_while(|&&other| self.rank(other) > rank).count();
        let place = waiting.len() - later;
        if let Some(choices) = self.guide.choices() {
            choices.waiting[switch as usize].insert(place, inlet);
            choices.contest(switch);
        }
    }

    /// Packets at all switches at which something happened in this cycle take what they can.
    #[cold]
    pub(super) fn serve_contested(&mut self) {
        for place in 0..self.contested.len() {
            let channel = ChannelId::new(self.contested[place]);
            let switch = self.channels[channel.reverse().index()].target_switch;
            if switch != NONE
                && let Some(choices) = self.guide.choices()
            {
                choices.contest(switch);
            }
        }
        while let Some(switch) = self.guide.choices().and_then(|c| c.contested.pop()) {
            let waiting = self.guide.choices().map(|choices| {
                choices.is_contested[switch as usize] = false;
                std::mem::take(&mut choices.waiting[switch as usize])
            });
            let mut waiting = waiting.unwrap_or_default();
            self.serve(switch, &mut waiting);
            if let Some(choices) = self.guide.choices() {
                choices.waiting[switch as usize] = waiting;
            }
        }
    }

    /// Phases 3 and 4 at a switch.
    fn serve(&mut self, switch: u32, waiting: &mut Vec<u32>) {
        for &inlet in waiting.iter() {
            if self.inlets[inlet as usize].asked_at == self.now {
                self.offer(switch, inlet);
            }
        }
        waiting.retain(|&inlet| {
            let best = self.best_open(inlet);
            if let Some(outlet) = best {
                self.inlets[inlet as usize].outlet = outlet;
                self.add_room(outlet);
                self.take(outlet, inlet);
                self.contest(outlet >> self.lane_bits);
            }
            best.is_none()
        });
        // The channels of the lanes that packets wait for are looked at when these may be open.
        let row = switch as usize * self.ports_per_switch;
        for place in row..row + self.ports_per_switch {
            let channel = self.port_channels[place];
            if channel != NONE {
                self.channels[channel as usize].asked = 0;
            }
        }
        for &inlet in waiting.iter() {
            for place in 0.. {
                let Guide::Adaptive(choices) = &self.guide else {
                    return;
                };
                let outlets = &choices.offers[inlet as usize].outlets;
                let Some(&outlet) = outlets.get(place) else {
                    break;
                };
                let channel = outlet >> self.lane_bits;
                self.channels[channel as usize].asked |= 1 << self.lane_of(outlet);
                self.contest(channel);
            }
        }
    }

    /// Finds out what the packet in front of a buffer, which asks in this cycle, is offered.
    fn offer(&mut self, switch: u32, inlet: u32) {
        let entry = Entry {
            switch: SwitchId::new(switch),
            port: PortNumber::new(self.channels[self.channel_of(inlet)].target_port),
            lane: Lane::new(self.lane_of(inlet)),
        };
        let number = self.inlets[inlet as usize].front;
        let Guide::Adaptive(choices) = &self.guide else {
            return;
        };
        let switches_before = usize::from(self.packets[number].switches);
        let mut header = self.packets[number].header;
        if let Some(branches) = choices.forwarding.branches(&header, switches_before) {
            let taken = branches.map(|branch| self.taken_of_channel(switch, branch.port));
            if choices.forwarding.goes_straight(&branches, taken) {
                header.go_straight();
            }
        }
        let packet = &mut self.packets[number];
        packet.header = header;
        packet.switches += 1;

        let row = switch as usize * self.ports_per_switch;
        let (lane_bits, ports) = (self.lane_bits, &self.port_channels[row..]);
        let Some(choices) = self.guide.choices() else {
            return;
        };
        let (offers, offered) = (&mut choices.scratch, &mut choices.offers[inlet as usize]);
        choices
            .forwarding
            .offer(&header, entry, switches_before, offers);
        let outlet = |(port, lane): (PortNumber, Lane)| {
            ports[port.index()] << lane_bits | u32::from(lane.number())
        };
        offered.outlets.clear();
        offered.outlets.extend(offers.all().map(outlet));
        offered.has_escape = offers.escape.is_some();
    }

    /// What is taken of the buffers of a channel, all lanes together.
    fn taken_of_channel(&self, switch: u32, port: PortNumber) -> u64 {
        let channel = self.port_channels[switch as usize * self.ports_per_switch + port.index()];
        let lanes = (0..self.lane_count).map(|lane| self.lane_index(channel, lane));
        lanes.map(|lane| u64::from(self.taken(lane))).sum()
    }

    /// What is taken of the buffers of a lane, in flits.
    fn taken(&self, outlet: u32) -> u32 {
        let sender = &self.outlets[outlet as usize];
        let at_end = match self.streams.get(outlet as usize) {
            Some(stream) if stream.is_stopped => self.input_buffer_flits,
            Some(_) => 0,
            None => {
                let (mut known, mut credit) = (sender.credits, sender.first_credit);
                while credit != NONE && self.credits[credit].at <= self.now {
                    known += self.credits[credit].flits;
                    credit = self.credits[credit].next;
                }
                self.input_buffer_flits - known
            }
        };
        if self.has_output_buffers {
            self.output_buffer_flits - self.room(outlet) + at_end
        } else {
            at_end
        }
    }

    /// Free flits of an output buffer.
    fn room(&self, outlet: u32) -> u32 {
        let sender = &self.outlets[outlet as usize];
        if sender.released_at <= self.now {
            sender.room + sender.coming_room
        } else {
            sender.room
        }
    }

    /// The lane that the packet in front of a buffer takes now, if any is open.
    fn best_open(&self, inlet: u32) -> Option<u32> {
        let Guide::Adaptive(choices) = &self.guide else {
            return None;
        };
        let flits = self.packets[self.inlets[inlet as usize].front].flits;
        let is_open = |&outlet: &u32| {
            let is_free = self.outlets[outlet as usize].crossbar_free_at <= self.now;
            is_free && (!self.has_output_buffers || flits <= self.room(outlet))
        };
        let offered = &choices.offers[inlet as usize];
        let (any, escape) = match offered.outlets.split_last() {
            Some((&escape, any)) if offered.has_escape => (any, Some(escape)),
            _ => (offered.outlets.as_slice(), None),
        };
        let open = any.iter().copied().filter(is_open);
        open.min_by_key(|&outlet| self.taken(outlet))
            .or_else(|| escape.filter(is_open))
    }

    /// The only lane that the packet in front of a buffer can take, if there is but one.
    pub(super) fn only_outlet(&self, inlet: usize) -> Option<usize> {
        match &self.guide {
            Guide::Fixed(_) => Some(self.inlets[inlet].outlet as usize),
            Guide::Adaptive(choices) => match choices.offers[inlet].outlets.as_slice() {
                [outlet] => Some(*outlet as usize),
                _ => None,
            },
        }
    }
}
