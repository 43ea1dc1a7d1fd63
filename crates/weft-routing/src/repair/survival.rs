//! What each of many failures comes to: the tables repaired for it, and how they load what is left.

use super::bisections::Bisections;
use super::change::Change;
use super::{FailedParts, RepairError, StandingTables};
use rayon::prelude::*;
use weft_fabric::{ChannelId, HostId};

/// How tables load the channels between switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandingFigures {
    /// Most routes of pairs of compute ends over one channel between switches.
    pub largest_load: u64,
    /// That channel, the first of equals; `None` where nobody sends over any.
    pub busiest: Option<ChannelId>,
    /// Largest load that no channel's routes forbid when every compute end sends to all others alike, as
    /// [`LoadFigures::saturation_bound`](crate::LoadFigures::saturation_bound).
    pub saturation_bound: f64,
    /// Mean share of the link rate that pairs get when a random half of the compute ends sends to the other,
    /// as [`Rounds::Bisections`](crate::Rounds::Bisections); pairs whose ends are lost are left out.
    pub effective_bisection: f64,
}

/// Tables as they were repaired after a failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repaired {
    /// Entries that differ, of switches and destinations that are left.
    pub changed_entries: usize,
    /// Pairs of a switch (or host, where its hosts differ) and a destination that have another lane.
    pub changed_lanes: usize,
    /// Destinations to which entries of switches that no packets come to any more must be set after all
    /// others.
    pub last_destinations: usize,
    /// Destinations whose changed entries must be cleared everywhere before they are set; those to all others
    /// may be set in any order.
    pub cleared_destinations: usize,
    /// How the repaired tables load what is left.
    pub figures: StandingFigures,
}

/// What a failure comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Survival {
    /// Hosts that failed, or that nothing joins any more to the part with most hosts.
    pub cut_off: Vec<HostId>,
    /// The tables repaired; [`RepairError::NoWay`] where traffic must be stopped to route anew.
    pub repaired: Result<Repaired, RepairError>,
}

impl StandingTables {
    /// How the tables load the channels as they are.
    pub fn figures(&self, bisections: &Bisections) -> StandingFigures {
        self.loaded(&mut Vec::new(), bisections)
    }

    /// Repairs the tables after more parts failed, and goes on with them as they are then.
    ///
    /// # Errors
    /// [`RepairError::NoWay`]; then tables and parts are as they were.
    pub fn fail(
        &mut self,
        failed: &FailedParts,
        bisections: &Bisections,
    ) -> Result<Repaired, RepairError> {
        let change = self.mend(failed).map_err(|apart| self.no_way(apart))?;
        let repaired = self.repaired(&change, &mut Vec::new(), bisections);
        self.keep(change);
        Ok(repaired)
    }

    /// Repairs the tables for each failure alone, on all cores: what each comes to, in the order given.
    ///
    /// Each repair is proved with its way there: packets by old entries, by new ones, and by any mixture of
    /// both but for destinations that are cleared wait for one another in no circle.
    ///
    /// # Determinism
    /// A repair depends on the tables and the failure alone.
    ///
    /// # Complexity
    /// For each failure time in proportion to the switches and the destinations whose routes it breaks.
    pub fn survive(&self, failures: &[FailedParts], bisections: &Bisections) -> Vec<Survival> {
        let workers = rayon::current_num_threads().min(failures.len().max(1));
        let found: Vec<Vec<Survival>> = (0..workers)
            .into_par_iter()
            .map(|worker| {
                let mut standing = self.clone();
                let mut loads = Vec::new();
                let own = failures.iter().skip(worker).step_by(workers);
                own.map(|failed| standing.survive_one(failed, &mut loads, bisections))
                    .collect()
            })
            .collect();
        let mut each: Vec<_> = found.into_iter().map(Vec::into_iter).collect();
        let in_turn = (0..failures.len()).map(|place| each[place % workers].next());
        in_turn.flatten().collect()
    }

    fn survive_one(
        &mut self,
        failed: &FailedParts,
        loads: &mut Vec<u32>,
        bisections: &Bisections,
    ) -> Survival {
        match self.mend(failed) {
            Ok(change) => {
                let hosts = self.fabric().host_ids();
                let cut_off = hosts.filter(|host| !change.left.hosts[host.index()]);
                let survival = Survival {
                    cut_off: cut_off.collect(),
                    repaired: Ok(self.repaired(&change, loads, bisections)),
                };
                self.undo(change);
                survival
            }
            Err(apart) => {
                let left = self.left_after(failed);
                let hosts = self.fabric().host_ids();
                Survival {
                    cut_off: hosts.filter(|host| !left.hosts[host.index()]).collect(),
                    repaired: Err(self.no_way(apart)),
                }
            }
        }
    }

    fn repaired(
        &mut self,
        change: &Change,
        loads: &mut Vec<u32>,
        bisections: &Bisections,
    ) -> Repaired {
        // Figures are those of what is left, whether or not the repair is kept.
        let before = std::mem::replace(&mut self.left, change.left.clone());
        let figures = self.loaded(loads, bisections);
        self.left = before;
        Repaired {
            changed_entries: change.changed_entries,
            changed_lanes: change.changed_lanes,
            last_destinations: change.last.len(),
            cleared_destinations: change.cleared.len(),
            figures,
        }
    }

    fn loaded(&self, loads: &mut Vec<u32>, bisections: &Bisections) -> StandingFigures {
        let largest_load = self.loads.iter().copied().max().unwrap_or(0);
        let edges = (0..)
            .zip(&self.loads)
            .filter(|edge| *edge.1 == largest_load);
        let channels = edges.map(|(edge, _)| self.plan.channel(edge));
        let busiest = channels.min().filter(|_| largest_load > 0);
        let hosts: u64 = self.left.compute.iter().sum();
        let others = hosts.saturating_sub(1);
        StandingFigures {
            largest_load,
            busiest,
            saturation_bound: if largest_load > others {
                others as f64 / largest_load as f64
            } else {
                1.0
            },
            effective_bisection: bisections.mean_share(self, loads),
        }
    }
}
