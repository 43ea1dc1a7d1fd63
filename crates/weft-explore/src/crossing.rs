//! Which pairs of hosts cross a cable.
//!
//! A question about a cable would have to walk every route there is. One walk over all of them is made when
//! the first such question comes, and notes by channel from where and to where it is crossed at all, in some
//! hundred blocks of sources and of destinations: later questions walk what lies in these alone.

use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_routing::{RouteHop, Routes, SharedRoute, SharedRoutes};

/// A pair with what it brings onto a channel: its routes, or the part of its packets that are sent there in the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    pub(crate) pair: [HostId; 2],
    pub(crate) load: f64,
}

/// Those who cross a cable forward and back.
pub(crate) type Both = [Vec<Crossing>; 2];

/// A bit a block of groups of hosts.
type Blocks = u128;

/// The block of one of `count` groups.
fn block(group: usize, count: usize) -> Blocks {
    1 << (group * Blocks::BITS as usize / count.max(1))
}

/// From where and to where each channel is crossed, by blocks.
#[derive(Debug)]
pub(crate) struct Crossed {
    by_channel: Vec<[Blocks; 2]>,
}

impl Crossed {
    /// Walks all routes.
    pub(crate) fn new(fabric: &Fabric, routes: &Routes) -> Self {
        let shared = routes.by_groups(fabric);
        let nothing = || vec![[0; 2]; fabric.channel_count()];
        let counts = [shared.sources().len(), shared.destinations().len()];
        let walked = (0..counts[0])
            .into_par_iter()
            .fold(nothing, |mut found, from| {
                for to in 0..counts[1] {
                    let blocks = [block(from, counts[0]), block(to, counts[1])];
                    for route in shared.between(from, to) {
                        walk(fabric, routes, &route, |channel| {
                            for (known, block) in found[channel.index()].iter_mut().zip(blocks) {
                                *known |= block;
                            }
                        });
                    }
                }
                found
            });
        let all = walked.reduce(nothing, |mut one, other| {
            for (known, more) in one.iter_mut().flatten().zip(other.iter().flatten()) {
                *known |= more;
            }
            one
        });
        Self { by_channel: all }
    }

    /// The pairs whose routes take channels, by ascending source and destination, with how many of their
    /// routes do.
    pub(crate) fn crossing(
        &self,
        fabric: &Fabric,
        routes: &Routes,
        channels: [ChannelId; 2],
    ) -> Both {
        let shared = routes.by_groups(fabric);
        let search = Search {
            fabric,
            routes,
            shared: &shared,
            channels,
            crossed: channels.map(|channel| self.by_channel[channel.index()]),
        };
        let sources = (0..shared.sources().len()).into_par_iter();
        let groups: Vec<Both> = sources.map(|from| search.from(from)).collect();
        let mut all = Both::default();
        for group in groups {
            for (all, of_group) in all.iter_mut().zip(group) {
                all.extend(of_group);
            }
        }
        for pairs in &mut all {
            pairs.sort_by_key(|crossing| crossing.pair);
        }
        all
    }
}

/// What is looked for: the routes that take channels.
struct Search<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    shared: &'a SharedRoutes<'a>,
    channels: [ChannelId; 2],
    crossed: [[Blocks; 2]; 2],
}

impl Search<'_> {
    /// The pairs of a group of sources.
    fn from(&self, from: usize) -> Both {
        let mut found = Both::default();
        let here = block(from, self.shared.sources().len());
        let of_channel = |[from, to]: [Blocks; 2]| if from & here == 0 { 0 } else { to };
        let [forward, back] = self.crossed.map(of_channel);
        let led_to = forward | back;
        let count = self.shared.destinations().len();
        for to in (0..count).filter(|&to| led_to & block(to, count) != 0) {
            for route in self.shared.between(from, to) {
                if route.turn == 0 {
                    self.look_at(&route, &mut found);
                }
            }
        }
        found
    }

    fn look_at(&self, route: &SharedRoute<'_>, found: &mut Both) {
        let mut times = [0_u32; 2];
        walk(self.fabric, self.routes, route, |taken| {
            for (times, channel) in times.iter_mut().zip(self.channels) {
                *times += u32::from(taken == channel);
            }
        });
        for (pairs, times) in found.iter_mut().zip(times) {
            if times > 0 {
                let load = f64::from(times) / f64::from(route.choices);
                add(pairs, route, load);
            }
        }
    }
}

/// The channels that a route takes.
fn walk(
    fabric: &Fabric,
    routes: &Routes,
    route: &SharedRoute<'_>,
    mut takes: impl FnMut(ChannelId),
) {
    for step in routes.walk_shared(fabric, route) {
        if let Ok(RouteHop::Channel(taken)) = step.hop {
            takes(taken);
        }
    }
}

/// Adds the pairs of a route. Those of a pair to several addresses come one after the other.
fn add(pairs: &mut Vec<Crossing>, route: &SharedRoute<'_>, load: f64) {
    let block = route.sources.len() * route.destinations.len();
    let start = pairs.len().saturating_sub(block);
    for &source in route.sources {
        for &destination in route.destinations {
            if source == destination {
                continue;
            }
            let pair = [source, destination];
            let known = pairs[start..].iter_mut();
            match known
                .filter(|_| route.alias > Some(0))
                .find(|one| one.pair == pair)
            {
                Some(known) => known.load += load,
                None => pairs.push(Crossing { pair, load }),
            }
        }
    }
}
