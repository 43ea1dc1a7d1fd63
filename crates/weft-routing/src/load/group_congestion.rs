//! Static load of switches that choose among groups when hosts send in pairs: what the busiest channel leaves to each.

use super::congestion::{RoundFigures, Rounds};
use super::group_use::{Flows, GroupUse};
use super::group_walk::{Walk, Walks};
use super::link_room::LinkRoom;
use crate::form::GroupTables;
use rayon::prelude::*;
use std::ops::Range;
use weft_fabric::{ChannelId, Fabric, HostId};

/// As [`congestion`](super::congestion), where packets of a service level may choose, for each way to use groups: a pair,
/// or each of its flows where a hash decides, gets one part in as much as the busiest of all channels that its packets
/// take carries.
///
/// Shapes: one entry per use, of one per round, in order. `hosts` take part, in the order given.
///
/// # Complexity
/// Time in proportion to the channels that the pairs of all rounds may take, on all cores.
///
/// # Determinism
/// A round depends on the hosts, its number and the seed alone.
///
/// # Panics
/// When the tables are for a fabric with other switches or hosts.
pub fn group_congestion(
    fabric: &Fabric,
    tables: &GroupTables,
    service_level: u8,
    hosts: &[HostId],
    rounds: Rounds,
    uses: &[GroupUse],
) -> Vec<Vec<RoundFigures>> {
    let walks = Walks::new(fabric, tables, service_level);
    let flows: Vec<Option<Flows<'_>>> = uses
        .iter()
        .map(|how| how.flows(fabric, tables, service_level))
        .collect();
    let is_walked = flows.iter().any(Option::is_none);
    let room = LinkRoom::of(fabric);
    let scratch = || Scratch {
        fabric,
        room: &room,
        walk: Walk::new(&walks),
        even: Vec::new(),
        even_of: Vec::new(),
        loads: vec![0.0; fabric.channel_count()],
        parts: Vec::new(),
        ends: Vec::new(),
    };
    let figures: Vec<Vec<RoundFigures>> = (0..rounds.count(hosts.len()))
        .into_par_iter()
        .map_init(scratch, |scratch, round| {
            let pairs = rounds.pairs(hosts, round);
            if is_walked {
                scratch.spread_evenly(&pairs);
            }
            let both = uses.iter().zip(&flows);
            both.map(|(how, flows)| scratch.load(&pairs, *how, flows.as_ref()))
                .collect()
        })
        .collect();
    let of_use = |place: usize| figures.iter().map(|round| round[place]).collect();
    (0..uses.len()).map(of_use).collect()
}

/// What a core needs for one round after the other.
struct Scratch<'a> {
    fabric: &'a Fabric,
    room: &'a LinkRoom,
    walk: Walk<'a>,
    /// The channels of all pairs that arrive whatever they choose, with the part of each, and where those of each pair
    /// are.
    even: Vec<(ChannelId, f64)>,
    even_of: Vec<Option<Range<usize>>>,
    /// Per channel: what it carries, in pairs.
    loads: Vec<f64>,
    /// The channels of all pairs that arrive, with the part of each; where those of each pair end.
    parts: Vec<(ChannelId, f64)>,
    ends: Vec<(usize, [HostId; 2])>,
}

impl Scratch<'_> {
    fn spread_evenly(&mut self, pairs: &[[HostId; 2]]) {
        self.even.clear();
        self.even_of.clear();
        for &pair in pairs {
            let first = self.even.len();
            let arrive = self.walk.parts(pair, &mut self.even);
            self.even_of.push(arrive.then_some(first..self.even.len()));
        }
    }

    fn load(
        &mut self,
        pairs: &[[HostId; 2]],
        how: GroupUse,
        flows: Option<&Flows<'_>>,
    ) -> RoundFigures {
        self.parts.clear();
        self.ends.clear();
        let mut unreached_pairs = 0_usize;
        for (place, &pair) in pairs.iter().enumerate() {
            let arrive = match (flows, self.even_of.get(place)) {
                (Some(flows), _) => flows.push(pair, &mut self.parts),
                (None, Some(Some(even))) => {
                    how.push(&self.even[even.clone()], &mut self.parts);
                    true
                }
                (None, _) => false,
            };
            if arrive {
                self.ends.push((self.parts.len(), pair));
            } else {
                unreached_pairs += 1;
            }
        }
        for (channel, part) in &self.parts {
            self.loads[channel.index()] += part;
        }
        let (mut shares, mut least_share, mut start) = (0.0, 1.0_f64, 0);
        let mut max_load = if self.ends.is_empty() { 0.0 } else { 1.0 };
        for &(end, pair) in &self.ends {
            // A flow begins where its host sends it.
            let (of_pair, first) = (&self.parts[start..end], self.parts[start].0);
            let is_same_way = |next: &(ChannelId, f64)| flows.is_none() || next.0 != first;
            let (mut of_ways, mut ways) = (0.0, 0.0);
            for way in of_pair.chunk_by(|_, next| is_same_way(next)) {
                let carried = way.iter().map(|(channel, _)| self.loads[channel.index()]);
                let most = carried.fold(1.0, f64::max);
                of_ways += if self.room.is_alike() {
                    1.0 / most
                } else {
                    self.left_by_rates(way, pair)
                };
                ways += 1.0;
                max_load = f64::max(max_load, most);
            }
            let share = of_ways / ways;
            shares += share;
            least_share = least_share.min(share);
            start = end;
        }
        for (channel, _) in &self.parts {
            self.loads[channel.index()] = 0.0;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "no more than pairs, which fit"
        )]
        let max_load = max_load.round() as u32;
        RoundFigures::of(
            [pairs.len(), unreached_pairs],
            max_load,
            shares,
            least_share,
        )
    }

    /// The share of what the slower of the links of its hosts carries that channels leave to a pair.
    fn left_by_rates(&self, way: &[(ChannelId, f64)], pair: [HostId; 2]) -> f64 {
        let left = way
            .iter()
            .map(|&(channel, _)| self.room.of_channel(channel) / self.loads[channel.index()]);
        let least = left.fold(f64::INFINITY, f64::min);
        (least / self.room.of_pair(self.fabric, pair)).min(1.0)
    }
}
