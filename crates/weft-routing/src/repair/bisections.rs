//! Effective bisection bandwidth by tables that are repaired again and again.

use super::StandingTables;
use crate::load::Rounds;
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

    /// The mean over rounds of the mean share that a pair gets of the link rate; pairs of lost ends are left
    /// out. 1 without any pair.
    pub(super) fn mean_share(&self, standing: &StandingTables, loads: &mut Vec<u32>) -> f64 {
        let plan = &standing.plan;
        loads.clear();
        loads.resize(plan.space.edge_count(), 0);
        let (mut path, mut ends) = (Vec::new(), Vec::new());
        let (mut sum, mut rounds) = (0.0, 0.0);
        for pairs in &self.rounds {
            path.clear();
            ends.clear();
            let is_left = |host: &HostId| standing.left.hosts[host.index()];
            for [source, destination] in pairs.iter().filter(|pair| pair.iter().all(is_left)) {
                let to = plan.granularity.endpoint(&plan.fabric, *destination);
                let mut at = plan.fabric.host_switch(*source).number();
                while at != plan.to[to] {
                    let edge = standing.edge(to, at);
                    if edge == NO_EDGE {
                        break;
                    }
                    loads[edge as usize] += 1;
                    path.push(edge);
                    at = plan.space.edge(edge).to;
                }
                ends.push(path.len());
            }
            let (mut shares, mut start) = (0.0, 0);
            for &end in &ends {
                let most = path[start..end]
                    .iter()
                    .map(|&edge| loads[edge as usize])
                    .max();
                shares += 1.0 / f64::from(most.unwrap_or(1));
                start = end;
            }
            for &edge in &path {
                loads[edge as usize] = 0;
            }
            if !ends.is_empty() {
                sum += shares / ends.len() as f64;
                rounds += 1.0;
            }
        }
        if rounds > 0.0 { sum / rounds } else { 1.0 }
    }
}
