//! What is asked of the memory before it is needed.
//!
//! On large fabrics hardly anything that an event looks at is in a cache, and each look tells where the next one
//! goes. Events are known some cycles ahead: what they look at first is asked for before all else, what that leads
//! to in the cycle after. Before packets go scouts, a look a cycle, so that what a packet will meet is there when it
//! claims all of its outputs at once. What is foreseen wrongly costs time alone.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::Maybe;
use crate::memory::{fetch, fetch_place, fetch_whole};
use crate::wormhole::carried_ports::CarriedPorts;
use crate::wormhole::event::Event;
use crate::wormhole::flow::{Channel, Timing};
use weft_fabric::{ChannelId, HostId, SwitchId};

/// Cycles that are looked ahead: a scout that begins at a host comes past some switches by then.
const AHEAD: u64 = 11;

/// Bytes of channels that stay in a cache beside all else.
const CACHED: usize = 1 << 20;

/// How far memory was asked for.
#[derive(Debug)]
pub(super) struct Foresight {
    /// Whether that pays: what is known of all channels fits no cache. It is done on all fabrics where assertions
    /// are made, so that tests on small ones see that it changes nothing.
    pub(super) pays: bool,
    /// The last cycle whose events were looked at.
    until: Cycle,
    scouts: Vec<Scout>,
}

/// Who goes before a packet.
#[derive(Clone, Copy, Debug)]
enum Scout {
    /// Of the next packet of a host: where its route begins is asked for next.
    Start(HostId, HostId),
    /// Where that leads is.
    Route(HostId, HostId),
    /// The ports of the route are.
    Ports(HostId, HostId),
    /// Of the packet in front of the buffer that a channel leads to.
    Input(ChannelId),
    /// In front of a switch, if it has not come to the end.
    Way {
        here: Maybe<SwitchId>,
        ports: CarriedPorts,
        /// The channel that it has come over.
        over: Maybe<ChannelId>,
    },
}

impl Foresight {
    pub(super) fn of<S>(channel_count: usize) -> Self {
        Self {
            pays: cfg!(debug_assertions) || channel_count * size_of::<Channel<S>>() > CACHED,
            until: Cycle::ZERO,
            scouts: Vec::new(),
        }
    }
}

impl<T: Timing> Core<'_, T> {
    /// Asks for what the events of the next cycles look at.
    #[inline(never)]
    pub(super) fn fetch_ahead(&mut self) {
        let mut scouts = std::mem::take(&mut self.foresight.scouts);
        scouts.retain_mut(|scout| {
            let next = self.go_on(*scout);
            *scout = next.unwrap_or(*scout);
            next.is_some()
        });
        let now = self.clock.now();
        let from = self.foresight.until.max(now + 1) + 1;
        self.foresight.until = now + AHEAD;
        for cycle in from.number()..=self.foresight.until.number() {
            for event in self.clock.planned(Cycle::new(cycle)) {
                self.fetch_first(event);
            }
            for event in self.clock.planned(Cycle::new(cycle - 1)) {
                scouts.extend(self.fetch_second(event));
            }
        }
        self.foresight.scouts = scouts;
    }

    /// Asks for the record of what an event happens to.
    #[inline]
    fn fetch_first(&self, event: Event) {
        match event {
            Event::Head(channel)
            | Event::Free(channel)
            | Event::Dry(channel)
            | Event::Timeout(channel) => fetch_whole(&self.flow.channels[channel]),
            Event::Control(channel) => {
                fetch_whole(&self.flow.channels[channel]);
                self.flow.fetch_blocked(channel);
            }
            Event::Nic(host) | Event::Mark(host) => self.hosts.fetch(host),
            Event::Act(_) => {}
        }
    }

    /// Asks for what that names: a scout, if a packet may leave.
    #[inline]
    fn fetch_second(&self, event: Event) -> Option<Scout> {
        let channels = &self.flow.channels;
        match event {
            Event::Head(input) => {
                let record = &channels[input];
                if let Some(drain) = record.drain() {
                    fetch_whole(&channels[drain]);
                }
                fetch(&self.traffic.packets[record.junction.front.get()?]);
                Some(Scout::Input(input))
            }
            Event::Free(output) | Event::Dry(output) => {
                let record = &channels[output];
                if let Some(packet) = record.packet() {
                    fetch_whole(&self.traffic.packets[packet]);
                }
                if let Some(host) = record.ends.source_host() {
                    self.hosts.fetch(host);
                } else if let Some(input) = record.origin() {
                    fetch_whole(&channels[input]);
                }
                None
            }
            Event::Control(channel) => {
                if let Some(input) = channels[channel].origin() {
                    fetch_whole(&channels[input]);
                }
                None
            }
            Event::Nic(host) => {
                fetch_whole(&channels[self.hosts.injection(host)]);
                self.scout_for(host)
            }
            Event::Mark(_) | Event::Timeout(_) | Event::Act(_) => None,
        }
    }

    #[inline]
    fn scout_for(&self, host: HostId) -> Option<Scout> {
        let destination = self.hosts.next_destination(host)?;
        let Some(memory) = self.traffic.route_memory(host, destination) else {
            return Some(Scout::Ports(host, destination));
        };
        memory.row().into_iter().for_each(fetch_place);
        Some(Scout::Start(host, destination))
    }

    /// What a scout does next, if it has not come to the end.
    #[inline]
    fn go_on(&self, scout: Scout) -> Option<Scout> {
        match scout {
            Scout::Start(host, to) => {
                let memory = self.traffic.route_memory(host, to)?;
                memory.starts().into_iter().for_each(fetch_place);
                Some(Scout::Route(host, to))
            }
            Scout::Route(host, to) => {
                fetch_place(self.traffic.route_memory(host, to)?.steps());
                Some(Scout::Ports(host, to))
            }
            Scout::Ports(host, to) => {
                let ports = self.traffic.first_ports(host, to);
                Some(self.scout_from(self.traffic.host_switches[host], ports))
            }
            Scout::Input(input) => {
                let Channel { junction, ends, .. } = &self.flow.channels[input];
                let packet = &self.traffic.packets[junction.front.get()?];
                Some(self.scout_from(ends.target_switch()?, packet.carried_ports()))
            }
            Scout::Way { here, ports, over } => {
                let channels = &self.flow.channels;
                if let Some(over) = over.get()
                    && let Some(input) = channels[over].origin()
                {
                    fetch_whole(&channels[input]);
                }
                let (output, next) = self.switching.beyond(here.get()?, ports.first()?);
                fetch_whole(&channels[output?]);
                let ports = ports.others();
                if let (Some(next), Some(port)) = (next.get(), ports.first()) {
                    self.switching.fetch(next, port);
                }
                Some(Scout::Way {
                    here: next,
                    ports,
                    over: output.into(),
                })
            }
        }
    }

    #[inline]
    fn scout_from(&self, switch: SwitchId, ports: CarriedPorts) -> Scout {
        if let Some(port) = ports.first() {
            self.switching.fetch(switch, port);
        }
        Scout::Way {
            here: switch.into(),
            ports,
            over: Maybe::NONE,
        }
    }
}
