//! Static load of switches that choose among groups when hosts send in pairs: what the busiest channel leaves to each.

use super::congestion::{RoundFigures, Rounds};
use super::group_walk::{Walk, Walks};
use crate::form::GroupTables;
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId};

/// As [`congestion`](super::congestion), where packets of a service level spread evenly over what their switches may
/// choose: a pair gets one part in as much as the busiest of all channels that its packets take carries.
///
/// Shapes: one entry per round, in order. `hosts` take part, in the order given.
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
) -> Vec<RoundFigures> {
    let walks = Walks::new(fabric, tables, service_level);
    let scratch = || Scratch {
        walk: Walk::new(&walks),
        loads: vec![0.0; fabric.channel_count()],
        parts: Vec::new(),
        ends: Vec::new(),
    };
    (0..rounds.count(hosts.len()))
        .into_par_iter()
        .map_init(scratch, |scratch, round| {
            scratch.load(&rounds.pairs(hosts, round))
        })
        .collect()
}

/// What a core needs for one round after the other.
struct Scratch<'a> {
    walk: Walk<'a>,
    /// Per channel: what it carries, in pairs.
    loads: Vec<f64>,
    /// The channels of all pairs that arrive, with the part of each; where those of each pair end.
    parts: Vec<(ChannelId, f64)>,
    ends: Vec<usize>,
}

impl Scratch<'_> {
    fn load(&mut self, pairs: &[[HostId; 2]]) -> RoundFigures {
        self.parts.clear();
        self.ends.clear();
        let mut unreached_pairs = 0_usize;
        for &pair in pairs {
            if self.walk.parts(pair, &mut self.parts) {
                self.ends.push(self.parts.len());
            } else {
                unreached_pairs += 1;
            }
        }
        for (channel, part) in &self.parts {
            self.loads[channel.index()] += part;
        }
        let (mut shares, mut least_share, mut start) = (0.0, 1.0_f64, 0);
        let mut max_load = if self.ends.is_empty() { 0.0 } else { 1.0 };
        for &end in &self.ends {
            let over = self.parts[start..end].iter();
            let most = over
                .map(|(channel, _)| self.loads[channel.index()])
                .fold(1.0, f64::max);
            shares += 1.0 / most;
            least_share = least_share.min(1.0 / most);
            max_load = f64::max(max_load, most);
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
}
