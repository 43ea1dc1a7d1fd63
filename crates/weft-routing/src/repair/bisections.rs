//! Effective bisection bandwidth by tables that are repaired again and again.

use super::StandingTables;
use crate::load::Rounds;
use crate::load::link_room::LinkRoom;
use crate::paths::NO_EDGE;
use weft_fabric::{Fabric, HostId};

/// Pairs of compute ends that send at once, half of the ends to the other half, round by round.
///
/// The same pairs are looked at for every failure, so that figures differ by the failure and not by
/// chance.
#[derive(Clone, Debug)]
pub struct Bisections {
    rounds: Vec<Vec<[HostId; 2]>>,
}

impl Bisections {
    /// So many random rounds.
    pub fn new(fabric: &Fabric, count: u32, seed: u64) -> Self {
        let hosts: Vec<HostId> = fabric.compute_hosts().collect();
        let rounds = Rounds::Bisections { count, seed };
        Self {
            rounds: (0..count)
                .map(|round| rounds.pairs(&hosts, round))
                .collect(),
        }
    }

    /// The ways of all pairs whose ends are left, by tables as they are.
    pub(super) fn walked(&self, standing: &StandingTables) -> WalkedBisections {
        let is_left = |host: &HostId| standing.left.hosts[host.index()];
        let rounds = self.rounds.iter().map(|pairs| {
            let mut walked = WalkedRound::default();
            for pair in pairs.iter().filter(|pair| pair.iter().all(is_left)) {
                walk(standing, *pair, &mut walked.ways);
                walked.pairs.push((*pair, walked.ways.len()));
            }
            walked
        });
        WalkedBisections {
            rounds: rounds.collect(),
            room: LinkRoom::of(&standing.plan.fabric),
        }
    }
}

/// Adds the edges of the way of a pair.
fn walk(standing: &StandingTables, [source, destination]: [HostId; 2], way: &mut Vec<u32>) {
    let plan = &standing.plan;
    let to = plan.granularity.endpoint(&plan.fabric, destination);
    let mut at = plan.fabric.host_switch(source).number();
    while at != plan.to[to] {
        let edge = standing.edge(to, at);
        if edge == NO_EDGE {
            break;
        }
        way.push(edge);
        at = plan.space.edge(edge).to;
    }
}

/// Pairs with their ways by some tables, of which a repair changes those alone that lead over what failed.
#[derive(Clone, Debug)]
pub(super) struct WalkedBisections {
    rounds: Vec<WalkedRound>,
    pub(super) room: LinkRoom,
}

#[derive(Clone, Debug, Default)]
struct WalkedRound {
    /// Each pair with where its way ends in all of them.
    pairs: Vec<([HostId; 2], usize)>,
    ways: Vec<u32>,
}

/// What the ways of a round come to, and room for them.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundLoads {
    loads: Vec<u32>,
    ways: Vec<u32>,
    /// Where the way of each pair ends, and what its hosts' links have room for.
    ends: Vec<(usize, f64)>,
}

impl WalkedBisections {
    /// The mean over rounds of the mean share that a pair gets of the link rate by the tables that were walked,
    /// or a repair of them; pairs of lost ends are left out. 1 without any pair.
    pub(super) fn mean_share(&self, repaired: &StandingTables, room: &mut RoundLoads) -> f64 {
        let (left, is_alike) = (&repaired.left, self.room.is_alike());
        room.loads.clear();
        room.loads.resize(repaired.plan.space.edge_count(), 0);
        let (mut sum, mut rounds) = (0.0, 0.0);
        for round in &self.rounds {
            room.ways.clear();
            room.ends.clear();
            let mut start = 0;
            for &(pair, end) in &round.pairs {
                let way = &round.ways[std::mem::replace(&mut start, end)..end];
                if !pair.iter().all(|host| left.hosts[host.index()]) {
                    continue;
                }
                if way.iter().all(|&edge| left.has(edge)) {
                    room.ways.extend_from_slice(way);
                } else {
                    walk(repaired, pair, &mut room.ways);
                }
                let of_pair = if is_alike {
                    1.0
                } else {
                    self.room.of_pair(&repaired.plan.fabric, pair)
                };
                room.ends.push((room.ways.len(), of_pair));
            }
            if !room.ends.is_empty() {
                let of_edge = |edge| self.room.of_channel(repaired.plan.channel(edge));
                sum += if is_alike {
                    room.shares() / room.ends.len() as f64
                } else {
                    room.shares_by_rates(of_edge) / room.ends.len() as f64
                };
                rounds += 1.0;
            }
        }
        if rounds > 0.0 { sum / rounds } else { 1.0 }
    }
}

impl RoundLoads {
    /// The sum of the shares of all ways where channels have so much room.
    fn shares_by_rates(&mut self, room: impl Fn(u32) -> f64) -> f64 {
        for &edge in &self.ways {
            self.loads[edge as usize] += 1;
        }
        let (mut shares, mut start) = (0.0, 0);
        for &(end, of_pair) in &self.ends {
            let way = &self.ways[std::mem::replace(&mut start, end)..end];
            let left = way
                .iter()
                .map(|&edge| room(edge) / f64::from(self.loads[edge as usize]));
            shares += left.fold(of_pair, f64::min) / of_pair;
        }
        for &edge in &self.ways {
            self.loads[edge as usize] = 0;
        }
        shares
    }

    /// The sum of the shares of all ways where all channels have the same room.
    fn shares(&mut self) -> f64 {
        for &edge in &self.ways {
            self.loads[edge as usize] += 1;
        }
        let (mut shares, mut start) = (0.0, 0);
        for &(end, _) in &self.ends {
            let way = &self.ways[std::mem::replace(&mut start, end)..end];
            let most = way.iter().map(|&edge| self.loads[edge as usize]).max();
            shares += 1.0 / f64::from(most.unwrap_or(1));
        }
        for &edge in &self.ways {
            self.loads[edge as usize] = 0;
        }
        shares
    }
}
