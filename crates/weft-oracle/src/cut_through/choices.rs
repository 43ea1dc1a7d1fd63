//! Phases 3 and 4: what each packet is offered, which is one output where it has no choice, and which
//! takes what.

use super::CutThroughOracle;
use super::addresses::Addresses;
use super::groups::{self, Asking};
use super::state::{Discard, PacketId, Request};
use super::tables::ChangingTables;
use super::ways::{Course, FixedWays, Output, in_two_phases, lane_at};
use crate::draws::{Detours, flow_number, selecting_number, share};
use std::num::NonZeroU32;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_model::{FlowControl, LossCause, Selection};
use weft_routing::{AdaptiveRoutes, AdaptiveTables, AnyRoutes, Detour, Lane};

/// Where ways come from.
#[derive(Debug)]
pub(super) enum Guide<'a> {
    /// Every packet has one way.
    Fixed(FixedWays<'a>),
    /// Every packet has one way at a time: tables change.
    Changing(ChangingTables<'a>),
    /// Packets choose.
    Choice {
        routes: &'a AdaptiveRoutes,
        /// Per host: the lane of its channel that its next packet takes, all in turn.
        next_lanes: Vec<u8>,
        /// Per host, where packets go by way of a switch: the draws of its packets.
        detours: Vec<Detours>,
    },
}

impl<'a> Guide<'a> {
    pub(super) fn new(fabric: &Fabric, routes: AnyRoutes<'a>, addresses: Addresses) -> Self {
        let routes = match routes {
            AnyRoutes::Fixed(routes) => return Self::Fixed(FixedWays::new(routes, addresses)),
            AnyRoutes::Adaptive(routes) => routes,
        };
        let detours = match routes {
            AdaptiveRoutes::Tables(_) | AdaptiveRoutes::Groups(_) => Vec::new(),
            AdaptiveRoutes::TwoPhase(routes) => fabric
                .host_ids()
                .map(|host| Detours::new(routes.seed(), host.number().into()))
                .collect(),
        };
        Self::Choice {
            routes,
            next_lanes: vec![0; fabric.host_count()],
            detours,
        }
    }

    pub(super) fn leaves_a_choice(&self) -> bool {
        matches!(self, Self::Choice { .. })
    }

    /// The lane of the channel into the network, and the course, of a source's next packet.
    pub(super) fn start(
        &mut self,
        fabric: &Fabric,
        source: HostId,
        destination: HostId,
    ) -> (Lane, Course) {
        let (routes, next_lanes, detours) = match self {
            Self::Fixed(ways) => {
                let (lane, way) = ways.next_way(fabric, source, destination);
                return (lane, Course::Known(way));
            }
            Self::Changing(tables) => {
                let (lane, header) = tables.next_header(fabric, source, destination);
                return (lane, Course::Led(header));
            }
            Self::Choice {
                routes,
                next_lanes,
                detours,
            } => (routes, next_lanes, detours),
        };
        if let AdaptiveRoutes::Groups(tables) = routes {
            let lane = groups::host_lane(tables, [source, destination]);
            return (lane, Course::Open);
        }
        let lane = Lane::new(next_lanes[source.index()]);
        next_lanes[source.index()] = (lane.number() + 1) % routes.lane_count();
        let AdaptiveRoutes::TwoPhase(routes) = routes else {
            return (lane, Course::Open);
        };
        let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
        let mut by_way_of = from;
        if from != to {
            let switches = routes.intermediates();
            by_way_of = switches[detours[source.index()].below(switches.len())];
        }
        let is_straight = by_way_of == from || by_way_of == to;
        if routes.detour() != Detour::Always && !is_straight {
            return (lane, Course::Undecided(by_way_of));
        }
        let first_end = if is_straight { from } else { by_way_of };
        let port = fabric.host_port(destination);
        let way = in_two_phases(routes, [from, first_end, to], lane, port);
        (lane, Course::Known(way))
    }
}

/// A packet in front of an input buffer that has no output.
#[derive(Debug)]
pub(super) struct Waiting {
    switch: SwitchId,
    asked: Request,
    flits: u32,
    /// What it is offered, in classes: it takes one that is open, of the first class that has any.
    classes: Vec<Vec<Output>>,
    /// What it has chosen, and from which cycle on that counts.
    chosen: Option<(Output, u64)>,
}

impl Waiting {
    /// From which cycle on what it has chosen counts.
    pub(super) fn chooses_in(&self) -> Option<u64> {
        self.chosen.map(|(_, from)| from)
    }
}

impl CutThroughOracle<'_> {
    /// Phase 3.
    pub(super) fn requests(&mut self) {
        for switch in self.fabric.switch_ids() {
            // Outgoing channels are sorted by port, and so are their way back.
            for &output in self.fabric.outgoing(switch) {
                for lane in 0..usize::from(self.model.lanes) {
                    self.ask(switch, output.reverse(), lane);
                }
            }
        }
    }

    /// The packet in front of an input buffer asks, once.
    fn ask(&mut self, switch: SwitchId, input: ChannelId, lane: usize) {
        let Some(stored) = self.channels[input.index()].lanes[lane].buffer.front_mut() else {
            return;
        };
        let lookup = u64::from(self.model.lookup_delay_cycles);
        if stored.has_asked || self.now < stored.head_arrival_cycle + lookup {
            return;
        }
        stored.has_asked = true;
        let packet = stored.packet;
        let since = self.now;
        let asked = Request { input, lane, since };
        let has_decided = self.decide(packet, switch, lane);
        let Some(state) = self.packets.get_mut(&packet) else {
            unreachable!("a packet in a buffer is under way")
        };
        let passed = usize::from(state.switches);
        state.switches = state.switches.saturating_add(1);
        let number = self.selecting_number(packet, switch, passed);
        let failed = self.failed_ports(switch);
        let state = &self.packets[&packet];
        let to = self.fabric.host_switch(state.packet.destination);
        let lane = lane_at(asked.lane);
        let came_by = self.fabric.target(input).port;
        let destination = state.packet.destination;
        let classes = match (&state.course, &self.guide) {
            (Course::Known(way), _) => vec![vec![way[passed]]],
            (Course::Led(header), Guide::Changing(tables)) => {
                let here = (switch, came_by, lane);
                match tables.look_up(self.fabric, header, destination, here) {
                    Some(output) => vec![vec![output]],
                    None => return self.discard(input.index(), asked.lane),
                }
            }
            (
                Course::Open,
                Guide::Choice {
                    routes: AdaptiveRoutes::Groups(tables),
                    ..
                },
            ) => groups::offered(
                tables,
                &Asking {
                    switch,
                    came_by,
                    came_on: lane,
                    source: packet.0,
                    destination,
                    number,
                    failed,
                },
            ),
            (Course::Open, _) if switch == to => {
                vec![vec![(self.fabric.host_port(destination), lane)]]
            }
            (
                Course::Open,
                Guide::Choice {
                    routes: AdaptiveRoutes::Tables(tables),
                    ..
                },
            ) => {
                let came_from = (passed > 0).then_some(lane);
                permitted(tables, [switch, to], came_from, number, &failed)
            }
            _ => unreachable!("a packet knows its way, has decided, or asks tables"),
        };
        let delay = u64::from(self.model.choice_delay_cycles);
        let chosen = has_decided.then(|| (classes[0][0], self.now + delay));
        self.waiting.push(Waiting {
            switch,
            asked,
            flits: state.flits,
            classes,
            chosen,
        });
    }

    /// The ports of a switch whose channels are down.
    fn failed_ports(&self, switch: SwitchId) -> Vec<PortNumber> {
        let channels = self.fabric.outgoing(switch).iter();
        let down = channels.filter(|channel| self.channels[channel.index()].is_down);
        down.map(|&channel| self.fabric.source(channel).port)
            .collect()
    }

    /// The number by which a packet has one of what it might choose from, where switches do not choose.
    fn selecting_number(&self, packet: PacketId, switch: SwitchId, passed: usize) -> Option<u64> {
        let (source, sequence, losses) = packet;
        match self.model.selection {
            Selection::Emptiest => None,
            Selection::Random => {
                let name = [source.number().into(), sequence, losses.into()];
                let seed = self.workload.seed();
                Some(selecting_number(seed, name, passed as u64))
            }
            Selection::Hash => {
                let destination = self.packets[&packet].packet.destination;
                let ends = [source, destination].map(HostId::number);
                Some(flow_number(switch.number(), ends))
            }
        }
    }

    /// The packet in front of an input buffer has no output.
    fn discard(&mut self, index: usize, lane: usize) {
        let first_cycle = self.now + u64::from(self.model.routing_delay_cycles);
        let stored = &mut self.channels[index].lanes[lane].buffer[0];
        stored.discard = Some(Discard {
            first_cycle,
            last_crossing: None,
        });
        let packet = stored.packet;
        self.lose(packet, LossCause::NoEntry);
    }

    /// At its source's switch a packet decides whether it goes straight or by way of a switch: straight
    /// if the flits taken of buffers on its first channel that way, times the links to go, are no more
    /// than by way of the switch and the threshold. Tells whether it did.
    fn decide(&mut self, packet: PacketId, from: SwitchId, lane: usize) -> bool {
        let Guide::Choice {
            routes: AdaptiveRoutes::TwoPhase(routes),
            ..
        } = &self.guide
        else {
            return false;
        };
        let state = &self.packets[&packet];
        let (&Course::Undecided(by_way_of), Detour::Congestion { threshold }) =
            (&state.course, routes.detour())
        else {
            return false;
        };
        let destination = state.packet.destination;
        let to = self.fabric.host_switch(destination);
        let ports = |start: SwitchId, end: SwitchId| -> Vec<PortNumber> {
            let steps = routes.routes().steps_between(start.index(), end.index());
            steps.collect()
        };
        let (straight, there, on) = (
            ports(from, to),
            ports(from, by_way_of),
            ports(by_way_of, to),
        );
        let cost = |first: PortNumber, links: usize| {
            let output = self.output_at(from, first);
            let lanes = 0..usize::from(self.model.lanes);
            let taken = lanes.map(|lane| u64::from(self.taken(output, lane)));
            taken.sum::<u64>() * links as u64
        };
        let cost_of_detour = cost(there[0], there.len() + on.len());
        let is_straight =
            cost(straight[0], straight.len()) <= cost_of_detour.saturating_add(threshold);
        let first_end = if is_straight { from } else { by_way_of };
        let port = self.fabric.host_port(destination);
        let way = in_two_phases(routes, [from, first_end, to], lane_at(lane), port);
        if let Some(state) = self.packets.get_mut(&packet) {
            state.course = Course::Known(way);
        }
        true
    }

    /// The flits that are taken of a lane's buffers: of its output buffer, what is not free; of the
    /// input buffer at the end of its channel, what the source of the channel must assume.
    fn taken(&self, output: ChannelId, lane: usize) -> u32 {
        let state = &self.channels[output.index()].lanes[lane];
        let whole_output = self.model.output_buffer_flits.map_or(0, NonZeroU32::get);
        let whole_input = self.model.input_buffer_flits;
        let free_input = match self.model.flow_control {
            FlowControl::Credits => state.known_room,
            FlowControl::StopAndGo { .. } if state.is_stopped => 0,
            FlowControl::StopAndGo { .. } => whole_input,
        };
        (whole_output - state.output_room) + (whole_input - free_input)
    }

    /// Since when a packet has waited that has no other choice than a lane of an output.
    pub(super) fn waiting_since(&self, channel: ChannelId, lane: Lane) -> Option<u64> {
        let is_it = |packet: &&Waiting| {
            let (port, asked) = packet.classes[0][0];
            self.output_at(packet.switch, port) == channel && asked == lane
        };
        let has_no_choice = !self.guide.leaves_a_choice();
        let mut waiting = self.waiting.iter().filter(|_| has_no_choice);
        waiting.find(is_it).map(|packet| packet.asked.since)
    }

    /// Phase 4: each packet without an output, the one that asked first before all others, takes the
    /// emptiest of the open lanes it is offered, of the first class that has any; where it has several, after
    /// the choice delay, if that lane is open then.
    pub(super) fn grants(&mut self) {
        let delay = u64::from(self.model.choice_delay_cycles);
        let mut still_waiting = Vec::new();
        for mut packet in std::mem::take(&mut self.waiting) {
            if packet.chooses_in().is_some_and(|from| self.now < from) {
                still_waiting.push(packet);
                continue;
            }
            let is_down = |&(port, _): &Output| {
                let output = self.output_at(packet.switch, port);
                self.channels[output.index()].is_down
            };
            let takes_down = packet.classes.iter().flatten().all(is_down);
            let is_open = |output: &Output| {
                if is_down(output) && !takes_down {
                    return false;
                }
                let &(port, lane) = output;
                let output = self.output_at(packet.switch, port);
                let state = &self.channels[output.index()].lanes[lane.index()];
                let has_buffer = self.model.output_buffer_flits.is_some();
                state.grant.is_none() && (!has_buffer || packet.flits <= state.output_room)
            };
            let emptiest = |&(port, lane): &Output| {
                let output = self.output_at(packet.switch, port);
                (self.taken(output, lane.index()), port, lane)
            };
            let chosen = packet.chosen.map(|(output, _)| output).filter(is_open);
            let mut classes = packet.classes.iter();
            let mut looked_at = classes.find_map(|class| {
                let open = class.iter().copied().filter(is_open);
                open.min_by_key(emptiest)
            });
            let is_alone = packet.classes.iter().flatten().count() == 1;
            let counts_later = delay > 0 && !is_alone && chosen.is_none();
            packet.chosen = if counts_later {
                looked_at.take().map(|output| (output, self.now + delay))
            } else {
                None
            };
            match chosen.or(looked_at) {
                Some((port, lane)) => {
                    let output = self.output_at(packet.switch, port);
                    self.award(output.index(), lane.index(), packet.asked);
                }
                None => still_waiting.push(packet),
            }
        }
        self.waiting = still_waiting;
    }

    /// The channel from a port of a switch.
    pub(super) fn output_at(&self, switch: SwitchId, port: PortNumber) -> ChannelId {
        let output = self.fabric.outgoing_at(switch, port);
        output.unwrap_or_else(|| panic!("a route takes {port} of {switch}, which is not wired"))
    }
}

/// What tables permit a packet to another switch, which came on a lane from a switch, or else from
/// its host: any outputs of the first class, of which it has one by number if there is one, and an escape.
fn permitted(
    tables: &AdaptiveTables,
    [here, to]: [SwitchId; 2],
    came_from: Option<Lane>,
    number: Option<u64>,
    failed: &[PortNumber],
) -> Vec<Vec<Output>> {
    let escape = tables.escape_port(here, to);
    let escape = escape.map(|port| (port, AdaptiveTables::ESCAPE_LANE));
    let is_on_escape = tables.has_escape() && came_from == Some(AdaptiveTables::ESCAPE_LANE);
    let mut any_of = Vec::new();
    if !is_on_escape {
        for &port in tables.ports(here, to) {
            for lane in tables.adaptive_lanes() {
                any_of.push((port, Lane::new(lane)));
            }
        }
    }
    if let Some(number) = number
        && !any_of.is_empty()
    {
        let works = |&(port, _): &Output| !failed.contains(&port);
        if any_of.iter().any(works) {
            any_of.retain(works);
        }
        any_of = vec![any_of[share(number, any_of.len())]];
    }
    let mut classes = vec![any_of, escape.into_iter().collect()];
    classes.retain(|class: &Vec<Output>| !class.is_empty());
    classes
}
