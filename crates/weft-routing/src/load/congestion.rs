//! Static load of routes when hosts send in pairs: what the busiest channel leaves to each.

use super::address_use::AddressUse;
use crate::form::{RouteHop, RouteWalk, Routes};
use crate::load::PARTS;
use crate::load::link_room::LinkRoom;
use crate::random::stream;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId, narrow};

/// Rounds of traffic in which every host sends to one other at most, and hears from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// Round `k` of `n - 1`: the `i`-th of `n` hosts sends to the `(i + k)`-th modulo `n`.
    Shifts,
    /// In each round the hosts send by another random permutation; a host that it leaves where it
    /// is sends nothing.
    Permutations {
        /// Rounds.
        count: u32,
        /// What they are drawn by.
        seed: u64,
    },
    /// In each round a random half of the hosts sends to the other, one to one; of an odd number one
    /// rests. The mean share is the effective bisection bandwidth.
    ///
    /// # Source
    /// Hoefler, Schneider, Lumsdaine, "Multistage switches are not crossbars: effects of static
    /// routing in high-performance networks", CLUSTER 2008.
    Bisections {
        /// Rounds.
        count: u32,
        /// What they are drawn by.
        seed: u64,
    },
}

/// What one round comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundFigures {
    /// Pairs that send.
    pub pairs: u32,
    /// Of them, pairs that no route joins; their share is 0 and they load nothing.
    pub unreached_pairs: u32,
    /// Most routes of the round over one channel, in-transit stops included, and rounded.
    pub max_load: u32,
    /// Mean, over the pairs, of the share of the link rate that the busiest channel of its route
    /// leaves to each; 1 without any pair. Where links have several rates, the share is one of what the slower of the
    /// links of its two hosts carries. Where sources may send to any address of a destination, a pair
    /// spreads evenly over the routes to all, and its share is the mean of theirs.
    pub mean_share: f64,
    /// Least share of a pair; 1 without any pair.
    pub least_share: f64,
}

/// Loads the channels with each round in turn and tells what they leave to the pairs: a route
/// gets one part in as many as there are routes over the busiest of its channels, that which leaves least where
/// links have several rates.
///
/// Shapes: one entry per round, in order. `hosts` take part, in the order given.
///
/// # Complexity
/// Time in proportion to the hops of the rounds' routes, on all cores.
///
/// # Determinism
/// A round depends on the hosts, its number and the seed alone.
///
/// # Panics
/// When the routes were made for a fabric with other switches, hosts or links.
pub fn congestion(
    fabric: &Fabric,
    routes: &Routes,
    hosts: &[HostId],
    rounds: Rounds,
) -> Vec<RoundFigures> {
    congestion_by_address(fabric, routes, hosts, rounds, AddressUse::Even)
}

/// As [`congestion`], where sources that may send to any address of a destination use them so.
///
/// # Panics
/// As [`congestion`].
pub fn congestion_by_address(
    fabric: &Fabric,
    routes: &Routes,
    hosts: &[HostId],
    rounds: Rounds,
    how: AddressUse,
) -> Vec<RoundFigures> {
    let room = LinkRoom::of(fabric);
    let scratch = || Scratch {
        room: &room,
        loads: vec![0; fabric.channel_count()],
        channels: Vec::new(),
        ends: Vec::new(),
        of_addresses: Vec::new(),
    };
    (0..rounds.count(hosts.len()))
        .into_par_iter()
        .map_init(scratch, |scratch, round| {
            scratch.load(fabric, routes, &rounds.pairs(hosts, round), how)
        })
        .collect()
}

impl RoundFigures {
    /// The figures of so many pairs, those that are not reached among them, by the shares of the others together and
    /// the least of these.
    pub(super) fn of(
        [pairs, unreached_pairs]: [usize; 2],
        max_load: u32,
        shares: f64,
        least_share: f64,
    ) -> Self {
        let whole = |count: usize| narrow(count, "hosts have numbers of 32 bits");
        Self {
            pairs: whole(pairs),
            unreached_pairs: whole(unreached_pairs),
            max_load,
            mean_share: if pairs == 0 {
                1.0
            } else {
                shares / pairs as f64
            },
            least_share: if unreached_pairs > 0 {
                0.0
            } else {
                least_share
            },
        }
    }
}

impl Rounds {
    /// Counts the rounds of so many hosts.
    pub(crate) fn count(self, hosts: usize) -> u32 {
        match self {
            Self::Shifts => narrow(hosts.saturating_sub(1), "hosts have numbers of 32 bits"),
            Self::Permutations { count, .. } | Self::Bisections { count, .. } => count,
        }
    }

    /// The pairs that send in a round: source and destination, distinct.
    pub(crate) fn pairs(self, hosts: &[HostId], round: u32) -> Vec<[HostId; 2]> {
        let shuffled = |seed, purpose| {
            let mut shuffled = hosts.to_vec();
            shuffled.shuffle(&mut stream(seed, purpose, round.into()));
            shuffled
        };
        match self {
            Self::Shifts => {
                let shift = (round as usize + 1) % hosts.len();
                let others = hosts[shift..].iter().chain(&hosts[..shift]);
                hosts.iter().zip(others).map(|(&a, &b)| [a, b]).collect()
            }
            Self::Permutations { seed, .. } => {
                let others = shuffled(seed, "permutations");
                let pairs = hosts.iter().zip(others).map(|(&a, b)| [a, b]);
                pairs.filter(|pair| pair[0] != pair[1]).collect()
            }
            Self::Bisections { seed, .. } => {
                let all = shuffled(seed, "bisections");
                let (half, other) = all.split_at(all.len() / 2);
                half.iter().zip(other).map(|(&a, &b)| [a, b]).collect()
            }
        }
    }
}

/// What a core needs for one round after the other.
struct Scratch<'a> {
    room: &'a LinkRoom,
    /// Per channel: routes over it, in parts.
    loads: Vec<u64>,
    /// The channels of all routes of pairs that arrive; where those of each route end, the parts of its pair's packets that
    /// take it, and whether it is the last of its pair.
    channels: Vec<ChannelId>,
    ends: Vec<(usize, u64, bool)>,
    /// Per address of a destination: the parts that it gets.
    of_addresses: Vec<u64>,
}

impl Scratch<'_> {
    fn load(
        &mut self,
        fabric: &Fabric,
        routes: &Routes,
        pairs: &[[HostId; 2]],
        how: AddressUse,
    ) -> RoundFigures {
        self.channels.clear();
        self.ends.clear();
        let mut unreached_pairs = 0_usize;
        for &pair in pairs {
            let (start, routes_before) = (self.channels.len(), self.ends.len());
            let walks = routes.walks_of_hosts(fabric, pair);
            how.share(pair, walks.len(), &mut self.of_addresses);
            let used = walks
                .zip(&self.of_addresses)
                .filter(|(_, parts)| **parts > 0);
            let mut arrive = true;
            for (walk, &parts) in used {
                arrive &= push_channels(fabric, walk, pair, &mut self.channels);
                self.ends.push((self.channels.len(), parts, false));
            }
            // A pair that does not arrive by each of the routes it takes is joined by none.
            match self.ends[routes_before..].last_mut() {
                Some(last) if arrive => last.2 = true,
                _ => {
                    self.channels.truncate(start);
                    self.ends.truncate(routes_before);
                    unreached_pairs += 1;
                }
            }
        }
        let mut start = 0;
        for &(end, parts, _) in &self.ends {
            for channel in &self.channels[start..end] {
                self.loads[channel.index()] += parts;
            }
            start = end;
        }
        // A host sends to one other and hears from one: only stops load its channels further.
        let mut max_load = if self.ends.is_empty() { 0 } else { PARTS };
        let (mut shares, mut least_share, mut start) = (0.0, 1.0_f64, 0);
        let mut of_pair = 0.0;
        for &(end, parts, is_last) in &self.ends {
            let loads = self.channels[start..end].iter();
            let most = loads.map(|c| self.loads[c.index()]).max().unwrap_or(PARTS);
            let share = if self.room.is_alike() {
                PARTS as f64 / most as f64
            } else {
                self.left_by_rates(&self.channels[start..end])
            };
            of_pair += parts as f64 / PARTS as f64 * share.min(1.0);
            if is_last {
                shares += of_pair;
                least_share = least_share.min(of_pair);
                of_pair = 0.0;
            }
            max_load = max_load.max(most);
            start = end;
        }
        for channel in &self.channels {
            self.loads[channel.index()] = 0;
        }
        let max_load = narrow(
            (max_load + PARTS / 2) / PARTS,
            "hosts have numbers of 32 bits",
        );
        RoundFigures::of(
            [pairs.len(), unreached_pairs],
            max_load,
            shares,
            least_share,
        )
    }

    /// The share of what the slower of the links at its ends carries that the channels of a route leave to it.
    fn left_by_rates(&self, route: &[ChannelId]) -> f64 {
        let room = |channel: &ChannelId| self.room.of_channel(*channel);
        let (Some(first), Some(last)) = (route.first(), route.last()) else {
            return 1.0;
        };
        let left = route
            .iter()
            .map(|channel| room(channel) * PARTS as f64 / self.loads[channel.index()] as f64);
        left.fold(f64::INFINITY, f64::min) / room(first).min(room(last))
    }
}

/// Appends all channels of a route, those of its hosts and stops included, and tells whether it
/// arrives; of one that does not, nothing is appended.
pub(crate) fn push_channels(
    fabric: &Fabric,
    mut walk: RouteWalk<'_>,
    [source, destination]: [HostId; 2],
    channels: &mut Vec<ChannelId>,
) -> bool {
    let start = channels.len();
    channels.push(fabric.injection_channel(source));
    for step in walk.by_ref() {
        match step.hop {
            Ok(RouteHop::Channel(channel)) => channels.push(channel),
            Ok(RouteHop::InTransit(host)) => {
                let injection = fabric.injection_channel(host);
                channels.extend([injection.reverse(), injection]);
            }
            Err(_) => {
                channels.truncate(start);
                return false;
            }
        }
    }
    if walk.switch() != fabric.host_switch(destination) {
        channels.truncate(start);
        return false;
    }
    channels.push(fabric.ejection_channel(destination));
    true
}
