//! What the events of the next cycles look at, asked of the memory by then. Before packets go scouts over all the
//! outputs that these will claim at once.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::Maybe;
use crate::memory::{fetch, fetch_whole};
use crate::prefetch::{Prefetcher, Prefetches, RouteScout};
use crate::wormhole::carried_ports::CarriedPorts;
use crate::wormhole::event::Event;
use crate::wormhole::flow::{Channel, Timing};
use weft_fabric::{ChannelId, HostId, SwitchId};

/// Who goes before a packet.
#[derive(Clone, Copy, Debug)]
pub(in crate::wormhole) enum Scout {
    /// Of the next packet of a host: its route is asked for.
    Route(RouteScout),
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

impl<T: Timing> Prefetches for Core<'_, T> {
    type Event = Event;
    type Scout = Scout;
    /// A scout that begins at a host comes past some switches by then.
    const AHEAD: u64 = 11;
    const CACHED: usize = 1 << 20;

    #[inline]
    fn prefetcher(&mut self) -> &mut Prefetcher<Scout> {
        &mut self.prefetcher
    }

    #[inline]
    fn now(&self) -> u64 {
        self.clock.now().number()
    }

    #[inline]
    fn soon(&self, cycle: u64) -> u64 {
        self.clock.soon(Cycle::new(cycle))
    }

    #[inline]
    fn planned(&self, cycle: u64) -> impl Iterator<Item = Event> {
        self.clock.planned(Cycle::new(cycle))
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

    #[expect(clippy::inline_always, reason = "so a scout is written where it stays")]
    #[inline(always)]
    fn go_on(&self, scout: Scout) -> Option<Scout> {
        match scout {
            Scout::Route(route) => Some(self.ask_for(route)),
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
}

impl<T: Timing> Core<'_, T> {
    #[inline]
    fn scout_for(&self, host: HostId) -> Option<Scout> {
        let destination = self.hosts.next_destination(host)?;
        Some(self.ask_for(RouteScout::new(host, destination)))
    }

    /// Asks for the next of a route, or for its ports when it has come.
    #[inline]
    fn ask_for(&self, route: RouteScout) -> Scout {
        let (from, to) = (route.from, route.to);
        let next = route.go_on(self.traffic.route_memory(from, to));
        next.map_or(Scout::Ports(from, to), Scout::Route)
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
