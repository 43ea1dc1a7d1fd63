//! What the events of the next cycles look at, asked of the memory by then.

use super::Core;
use crate::cut_through::event::Event;
use crate::cut_through::switches::Guide;
use crate::ids::{InletId, OutletId};
use crate::memory::{fetch, fetch_place, fetch_whole};
use crate::prefetch::{Prefetcher, Prefetches, RouteScout};
use weft_fabric::{HostId, PortNumber, SwitchId};
use weft_routing::{Forwarding, Lane};

/// Where a look goes next.
#[derive(Clone, Copy, Debug)]
pub(in crate::cut_through) enum Scout {
    /// The packet in front of an inlet: where its next step is looked up is asked for.
    Front(InletId),
    /// That was.
    Entry(InletId),
    /// It takes a lane of the channel behind a port: which that is was asked for.
    Port(SwitchId, PortNumber, Lane),
    /// What a host sends next.
    Host(HostId),
    /// The route of that.
    Route(RouteScout),
}

impl Prefetches for Core<'_> {
    type Event = Event;
    type Scout = Scout;
    /// Longer, and what was asked for first leaves the cache again where many events fall into a cycle.
    const AHEAD: u64 = 6;
    /// What events of one cycle look at is fetched together anyway.
    const CACHED: usize = 8 << 20;

    #[inline]
    fn prefetcher(&mut self) -> &mut Prefetcher<Scout> {
        &mut self.prefetcher
    }

    #[inline]
    fn now(&self) -> u64 {
        self.network.clock.now()
    }

    #[inline]
    fn soon(&self, cycle: u64) -> u64 {
        self.network.clock.soon(cycle)
    }

    #[inline]
    fn planned(&self, cycle: u64) -> impl Iterator<Item = Event> {
        self.network.clock.planned(cycle)
    }

    #[inline]
    fn fetch_first(&self, event: Event) {
        let network = &self.network;
        match event {
            Event::Request(inlet) => network.switches.inlets[inlet].fetch(),
            Event::Crossed(inlet) | Event::Symbol(inlet) => self.fetch_lane(inlet.near_end()),
            Event::Look(channel) => fetch(&network.channels[channel]),
            Event::Stop(outlet) | Event::Go(outlet) => self.fetch_lane(outlet),
            Event::Act(_) | Event::Arrive(_) => {}
        }
    }

    #[inline]
    fn fetch_second(&self, event: Event) -> Option<Scout> {
        let network = &self.network;
        match event {
            Event::Request(inlet) => {
                fetch(&network.packets[network.switches.inlets[inlet].packets.front()?]);
                Some(Scout::Front(inlet))
            }
            Event::Look(channel) => {
                let state = &network.channels[channel];
                if let Some(host) = state.source_host.get() {
                    fetch_whole(&network.hosts.sources[host]);
                    // Most packets begin on the first lane.
                    self.fetch_lane(network.lanes.outlet(channel, Lane::ZERO));
                    return Some(Scout::Host(host));
                }
                for lane in state.asked.with(state.loaded) {
                    self.fetch_lane(network.lanes.outlet(channel, lane));
                }
                None
            }
            _ => None,
        }
    }

    #[expect(clippy::inline_always, reason = "so a scout is written where it stays")]
    #[inline(always)]
    fn go_on(&self, scout: Scout) -> Option<Scout> {
        let network = &self.network;
        match scout {
            Scout::Front(inlet) => {
                let packet = &network.packets[network.switches.inlets[inlet].packets.front()?];
                if let Some(behind) = packet.next.get() {
                    fetch(&network.packets[behind]);
                }
                let Guide::Fixed(forwarding) = &network.switches.guide else {
                    return None;
                };
                let switch = network.switches.inlets[inlet].entry().switch;
                let Some(entry) = forwarding.entry_memory(&packet.header, switch) else {
                    return self.scout_over(forwarding, inlet);
                };
                fetch_place(entry);
                Some(Scout::Entry(inlet))
            }
            Scout::Entry(inlet) => match &network.switches.guide {
                Guide::Fixed(forwarding) => self.scout_over(forwarding, inlet),
                Guide::Changing(_) | Guide::Adaptive(_) => None,
            },
            Scout::Port(switch, port, lane) => {
                let outlet = network.switches.ports.outlet(switch, port, lane);
                fetch(&network.channels[network.lanes.channel(outlet)]);
                self.fetch_lane(outlet);
                None
            }
            Scout::Host(host) => {
                let next = network.hosts.sources[host].next_destination()?;
                self.ask_for(RouteScout::new(host, next))
            }
            Scout::Route(route) => self.ask_for(route),
        }
    }
}

impl Core<'_> {
    /// The next step of the packet in front of an inlet is known without more looks.
    #[inline]
    fn scout_over(&self, forwarding: &Forwarding<'_>, inlet: InletId) -> Option<Scout> {
        let switches = &self.network.switches;
        let state = &switches.inlets[inlet];
        // One that has asked carries the steps behind this one.
        if !state.is_to_ask() {
            return None;
        }
        let packet = &self.network.packets[state.packets.front()?];
        let entry = state.entry();
        let (mut ahead, before) = (packet.ahead, packet.switches.into());
        let (port, lane) = forwarding.next(&packet.header, &mut ahead, entry, before);
        fetch(switches.ports.place(entry.switch, port));
        Some(Scout::Port(entry.switch, port, lane))
    }

    /// Asks for the next of a route.
    #[inline]
    fn ask_for(&self, route: RouteScout) -> Option<Scout> {
        let Guide::Fixed(forwarding) = &self.network.switches.guide else {
            return None;
        };
        let memory = forwarding.route_memory(route.from, route.to);
        route.go_on(memory).map(Scout::Route)
    }

    /// Asks for what is at both ends of a lane.
    #[inline]
    fn fetch_lane(&self, outlet: OutletId) {
        fetch(&self.network.switches.outlets[outlet]);
        self.network.switches.inlets[outlet.far_end()].fetch();
        self.flow.fetch(outlet);
    }
}
