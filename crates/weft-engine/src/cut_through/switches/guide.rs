//! What tells packets their way: fixed routes, tables that change, or what they may choose from.

use super::selects::Selects;
use crate::cut_through::lane_numbers::Lanes;
use crate::cut_through::packet_state::Packet;
use crate::ids::{InletId, Maybe, OutletId, Table};
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_routing::{
    AdaptiveForwarding, AnyForwarding, ChangingForwarding, Entry, Forwarding, Header, Lane, Offers,
    StepsAhead,
};

/// What tells packets their way.
#[derive(Debug)]
pub(crate) enum Guide<'a> {
    Fixed(Forwarding<'a>),
    /// Tables that change on the way.
    Changing(Box<ChangingForwarding<'a>>),
    Adaptive(Box<Choices<'a>>),
}

impl<'a> Guide<'a> {
    /// For so many numbers of lanes.
    pub(crate) fn new(
        fabric: &Fabric,
        forwarding: AnyForwarding<'a>,
        lanes: usize,
        selects: Selects,
    ) -> Self {
        match forwarding {
            AnyForwarding::Fixed(forwarding) => Self::Fixed(forwarding),
            AnyForwarding::Adaptive(forwarding) => Self::Adaptive(Box::new(Choices {
                forwarding,
                selects,
                waiting: Table::of(Vec::new(), fabric.switch_count()),
                offers: Table::of(Offered::default(), lanes),
                chosen: Table::of(None, lanes),
                contested: Vec::new(),
                is_contested: Table::of(false, fabric.switch_count()),
                scratch: Offers::default(),
            })),
        }
    }

    /// Whether all packets that a host sends to a destination, on lanes as far above those of its route, are told the
    /// same.
    #[inline]
    pub(crate) fn tells_all_alike(&self) -> bool {
        match self {
            Self::Fixed(forwarding) => !forwarding.takes_turns(),
            Self::Changing(_) | Self::Adaptive(_) => false,
        }
    }

    /// Header, first steps and first lane of a packet that joins its host's queue in a cycle and travels on lanes so
    /// many above those of its route; packets that choose have no such lanes.
    #[inline]
    pub(crate) fn header(
        &mut self,
        source: HostId,
        destination: HostId,
        above: u8,
        joins_cycle: u64,
    ) -> (Header, StepsAhead, Lane) {
        match self {
            Self::Fixed(forwarding) => {
                let (header, ahead, lane) = forwarding.header(source, destination);
                let lane = Lane::new(lane.number() + above);
                (header.above(above), ahead.above(above), lane)
            }
            Self::Changing(forwarding) => {
                let (header, lane) = forwarding.header(source, destination, joins_cycle);
                let lane = Lane::new(lane.number() + above);
                (header.above(above), StepsAhead::NONE, lane)
            }
            Self::Adaptive(choices) => {
                let (header, lane) = choices.forwarding.header(source, destination);
                (header, StepsAhead::NONE, lane)
            }
        }
    }
}

/// What is kept where packets choose.
#[derive(Debug)]
pub(crate) struct Choices<'a> {
    forwarding: AdaptiveForwarding<'a>,
    selects: Selects,
    /// Per switch: the inlets whose packets in front have no output, in the order in which they asked.
    waiting: Table<SwitchId, Vec<InletId>>,
    /// Per inlet: what its packet in front is offered.
    offers: Table<InletId, Offered>,
    /// Per inlet: what its packet in front has chosen, while that does not count yet.
    chosen: Table<InletId, Option<Chosen>>,
    /// Switches to be served in the present cycle.
    contested: Vec<SwitchId>,
    is_contested: Table<SwitchId, bool>,
    scratch: Offers,
}

/// What a packet takes once the choice delay is over, if it is open then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    pub(crate) outlet: OutletId,
    /// The cycle from which on that counts.
    pub(crate) at: u64,
}

/// Outlets that a packet is offered.
#[derive(Clone, Debug, Default)]
struct Offered {
    /// By class: those of a class where none of the ones before is open.
    outlets: Vec<OutletId>,
    /// Where each class ends.
    ends: Vec<usize>,
}

impl Choices<'_> {
    /// The packet in front of an inlet takes its turn at a switch, before those of later rank, which are
    /// the last.
    pub(crate) fn wait(
        &mut self,
        switch: SwitchId,
        inlet: InletId,
        is_later: impl Fn(InletId) -> bool,
    ) {
        let waiting = &mut self.waiting[switch];
        // Those of earlier cycles are before it, hence close to the end its place.
        let later = waiting.iter().rev().take_while(|&&other| is_later(other));
        let place = waiting.len() - later.count();
        waiting.insert(place, inlet);
        self.contest(switch);
    }

    /// A switch is to be served in the present cycle, if packets wait there.
    pub(crate) fn contest(&mut self, switch: SwitchId) {
        let is_contested = &mut self.is_contested[switch];
        if !*is_contested && !self.waiting[switch].is_empty() {
            *is_contested = true;
            self.contested.push(switch);
        }
    }

    /// One of the switches to be served in the present cycle, with the inlets that wait there, until they
    /// are put back.
    pub(crate) fn next_contested(&mut self) -> Option<(SwitchId, Vec<InletId>)> {
        let switch = self.contested.pop()?;
        self.is_contested[switch] = false;
        Some((switch, std::mem::take(&mut self.waiting[switch])))
    }

    /// Puts back the inlets that wait at a switch.
    pub(crate) fn put_back(&mut self, switch: SwitchId, waiting: Vec<InletId>) {
        self.waiting[switch] = waiting;
    }

    /// A packet that asks for an output decides on its way, if it is to; tells whether it did.
    pub(crate) fn decide(
        &self,
        header: &mut Header,
        switches_before: usize,
        taken: impl Fn(PortNumber) -> u64,
    ) -> bool {
        let Some(branches) = self.forwarding.branches(header, switches_before) else {
            return false;
        };
        let taken = branches.map(|branch| taken(branch.port));
        if self.forwarding.goes_straight(&branches, taken) {
            header.go_straight();
        }
        true
    }

    /// Finds out what the packet in front of an inlet is offered.
    pub(crate) fn offer(
        &mut self,
        inlet: InletId,
        packet: &Packet,
        entry: Entry,
        switches_before: usize,
        ports: &Ports,
        is_down: impl Fn(ChannelId) -> bool,
    ) {
        let number = self.selects.number(packet, entry.switch, switches_before);
        let works = |port| !is_down(ports.channel(entry.switch, port));
        let (header, selects) = (&packet.header, (number, works));
        self.forwarding
            .offer(header, entry, switches_before, selects, &mut self.scratch);
        let outlets = self.scratch.all().iter();
        let offered = &mut self.offers[inlet];
        offered.outlets.clear();
        offered
            .outlets
            .extend(outlets.map(|&(port, lane)| ports.outlet(entry.switch, port, lane)));
        offered.ends.clear();
        offered.ends.extend_from_slice(self.scratch.ends());
    }

    /// What the packet in front of an inlet has chosen, while that does not count yet.
    pub(crate) fn chosen(&self, inlet: InletId) -> Option<Chosen> {
        self.chosen[inlet]
    }

    /// It has chosen something, or nothing any more.
    pub(crate) fn choose(&mut self, inlet: InletId, chosen: Option<Chosen>) {
        self.chosen[inlet] = chosen;
    }

    /// All outlets that the packet in front of an inlet is offered.
    pub(crate) fn offered(&self, inlet: InletId) -> &[OutletId] {
        &self.offers[inlet].outlets
    }

    /// The outlets of each class that it is offered, those to be preferred first.
    pub(crate) fn classes(&self, inlet: InletId) -> impl Iterator<Item = &[OutletId]> {
        let Offered { outlets, ends } = &self.offers[inlet];
        let starts = std::iter::once(&0).chain(ends);
        let class = |(&start, &end): (&usize, &usize)| &outlets[start..end];
        starts.zip(ends).map(class)
    }
}

/// The outgoing channels of each switch by port.
#[derive(Debug)]
pub(crate) struct Ports {
    lanes: Lanes,
    /// One row of `per_switch` for each switch.
    channels: Vec<Maybe<ChannelId>>,
    per_switch: usize,
}

impl Ports {
    /// The ports of the switches of a fabric.
    pub(crate) fn new(fabric: &Fabric, lanes: Lanes) -> Self {
        let channels_with_ports = || {
            let channels = fabric.switch_ids().flat_map(|switch| {
                let channels = fabric.outgoing(switch).iter();
                channels.map(move |&channel| (switch, channel))
            });
            channels.map(|(switch, channel)| (switch, fabric.source(channel).port, channel))
        };
        let highest = channels_with_ports().map(|(_, port, _)| port.index()).max();
        let per_switch = (highest.unwrap_or(0) + 1).next_power_of_two();
        let mut channels = vec![Maybe::NONE; fabric.switch_count() * per_switch];
        for (switch, port, channel) in channels_with_ports() {
            channels[switch.index() * per_switch + port.index()] = channel.into();
        }
        Self {
            lanes,
            channels,
            per_switch,
        }
    }

    /// The channel behind a port.
    #[inline]
    pub(crate) fn channel(&self, switch: SwitchId, port: PortNumber) -> ChannelId {
        self.place(switch, port)
            .known("routes were checked to lead through ports with links")
    }

    /// Where it stands which channel is behind a port.
    #[inline]
    pub(crate) fn place(&self, switch: SwitchId, port: PortNumber) -> &Maybe<ChannelId> {
        &self.channels[switch.index() * self.per_switch + port.index()]
    }

    /// A lane of the channel behind a port.
    #[inline]
    pub(crate) fn outlet(&self, switch: SwitchId, port: PortNumber, lane: Lane) -> OutletId {
        self.lanes.outlet(self.channel(switch, port), lane)
    }

    /// The channels behind all ports of a switch.
    pub(crate) fn of(&self, switch: SwitchId) -> impl Iterator<Item = ChannelId> {
        let row = switch.index() * self.per_switch;
        let channels = self.channels[row..row + self.per_switch].iter();
        channels.filter_map(|channel| channel.get())
    }
}
