//! Cycle by cycle: what happens in one, in which order.

use super::Core;
use crate::cut_through::event::Event;
use crate::cut_through::far_room::FarRoom;
use crate::cut_through::flow::Flow;
use crate::cut_through::network::Network;
use crate::cut_through::setting::Setting;
use crate::memory::{TOGETHER, fetch};
use crate::prefetch::Prefetches;
use weft_fabric::ChannelId;

impl Core<'_> {
    /// Handles cycles before `until`, all of them or until there is much to tell: whether it has stopped for that.
    pub(super) fn run_before<S: Setting>(&mut self, until: u64) -> bool {
        if S::CHANGES || self.fetches || matches!(self.flow, Flow::StopAndGo(_)) {
            self.run_gathering::<S>(until)
        } else {
            self.run_at_once::<S>(until)
        }
    }

    /// The same, each event as it comes, with credits, where nothing changes and what they look at is at hand.
    fn run_at_once<S: Setting>(&mut self, until: u64) -> bool {
        while let Some((mut event, mut taken)) = self.network.clock.begin_cycle(until) {
            loop {
                match event {
                    Event::Request(inlet) => self.network.request_fixed(inlet),
                    Event::Look(channel) => {
                        let Network {
                            channels, clock, ..
                        } = &mut self.network;
                        clock.contest_if_due(channel, &mut channels[channel].look);
                    }
                    event => unreachable!("{event:?} with credits, where nothing changes"),
                }
                match self.network.clock.next_event(&mut taken) {
                    Some(other) => event = other,
                    None => break,
                }
            }
            let Self { network, flow, .. } = self;
            let Flow::Credits(credits) = flow else {
                unreachable!("events come as they may with credits alone")
            };
            while let Some(channel) = network.clock.next_contested() {
                feed::<S>(network, channel);
                credits.resolve::<S>(network, channel);
            }
            // Parts tell when all have come to the end.
            if !S::IN_PART && network.hosts.reports.are_many() {
                return true;
            }
        }
        false
    }

    /// The same, with requests and looks of a cycle gathered, so that they come in order, and what they look at
    /// is fetched together.
    fn run_gathering<S: Setting>(&mut self, until: u64) -> bool {
        let fetches = self.fetches;
        let looks_come_first = matches!(self.flow, Flow::StopAndGo(_));
        let mut looks = Vec::new();
        let mut others = Vec::new();
        while let Some((mut event, mut taken)) = self.network.clock.begin_cycle(until) {
            if S::CHANGES && self.network.clock.now() >= self.network.clock.horizon {
                self.change();
            }
            if self.prefetcher.pays {
                self.fetch_ahead();
            }
            loop {
                match event {
                    Event::Request(inlet) => self.network.clock.asking.push(inlet),
                    Event::Look(channel) => looks.push(channel),
                    // With stop & go other events may plan looks, which would hide those of this cycle.
                    event if looks_come_first => others.push(event),
                    event => self.handle(event),
                }
                match self.network.clock.next_event(&mut taken) {
                    Some(other) => event = other,
                    None => break,
                }
            }
            self.contest_due(&mut looks);
            for event in others.drain(..) {
                self.handle(event);
            }
            if S::CHANGES || fetches {
                self.network.request_all::<S>();
            } else {
                while let Some(inlet) = self.network.clock.asking.pop() {
                    self.network.request_fixed(inlet);
                }
            }
            while S::CHANGES
                && let Some(inlet) = self.network.clock.discarded.pop()
            {
                self.flow.discard(&mut self.network, inlet);
            }
            if self.network.switches.choose() {
                self.serve_switches::<S>();
            }
            while !self.network.clock.contested.is_empty() {
                if fetches {
                    self.network.fetch_contested();
                }
                for _ in 0..TOGETHER {
                    let Some(channel) = self.network.clock.next_contested() else {
                        break;
                    };
                    self.resolve::<S>(channel);
                }
            }
            if let Flow::StopAndGo(streams) = &mut self.flow {
                streams.watch_touched(&mut self.network);
            }
            // Parts tell when all have come to the end.
            if !S::IN_PART && self.network.hosts.reports.are_many() {
                return true;
            }
        }
        false
    }

    /// What happens to a part of the network, requests and looks left out.
    #[inline]
    fn handle(&mut self, event: Event) {
        let Self { network, flow, .. } = self;
        match (event, flow) {
            (Event::Act(host), _) => network.act(host),
            (Event::Arrive(channel), _) => network.arrive_after_changes(channel),
            (event, Flow::StopAndGo(streams)) => streams.handle(network, event),
            (event, Flow::Credits(_)) => unreachable!("{event:?} with credits"),
        }
    }

    /// The sources of some channels, at which something may have changed, are to be looked at where a look is
    /// due.
    fn contest_due(&mut self, looks: &mut Vec<ChannelId>) {
        let Self {
            network,
            flow,
            fetches,
            ..
        } = self;
        for some in looks.chunks(TOGETHER) {
            if *fetches && some.len() > 1 {
                for &channel in some {
                    fetch(&network.channels[channel]);
                }
            }
            for &channel in some {
                let look = &mut network.channels[channel].look;
                if network.clock.contest_if_due(channel, look)
                    && let Flow::StopAndGo(streams) = flow
                {
                    streams.settle(network, channel);
                }
            }
        }
        looks.clear();
    }

    /// Where packets choose: those at all switches at which something happened in this cycle take what
    /// they can.
    #[cold]
    fn serve_switches<S: Setting>(&mut self) {
        let Self { network, flow, .. } = self;
        let now = network.clock.now();
        network.contest_switches();
        while let Some((switch, mut waiting)) = network.switches.choices_mut().next_contested() {
            for &inlet in &waiting {
                network.offer(inlet, |outlet, far_room: &FarRoom| {
                    flow.taken(outlet, far_room, now)
                });
            }
            waiting.retain(|&inlet| {
                let taken = |outlet, far_room: &FarRoom| flow.taken(outlet, far_room, now);
                let grant = network.grant_best(inlet, taken);
                if let Some(grant) = grant {
                    flow.grant::<S>(network, grant);
                }
                grant.is_none()
            });
            network.wait(switch, waiting);
        }
    }

    /// Does what is possible at the source of a channel now, and plans the next look.
    fn resolve<S: Setting>(&mut self, channel: ChannelId) {
        let Self { network, flow, .. } = self;
        feed::<S>(network, channel);
        flow.resolve::<S>(network, channel);
    }
}

/// The source of a channel is looked at: a host's packets come first.
#[inline]
fn feed<S: Setting>(network: &mut Network<'_>, channel: ChannelId) {
    let state = &mut network.channels[channel];
    state.look.done();
    if let Some(host) = state.source_host.get() {
        network.feed::<S>(host, channel, network.clock.now());
        network.take_in_turn(host, channel);
    }
}
