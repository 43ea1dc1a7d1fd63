//! What each of many failures comes to: the tables repaired for it, and how they load what is left.

use super::bisections::{Bisections, RoundLoads, WalkedBisections};
use super::change::Change;
use super::{FailedParts, RepairError, StandingTables};
use crate::load::link_room::LinkRoom;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use weft_fabric::{ChannelId, HostId};

/// How tables load the channels between switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandingFigures {
    /// Most routes of pairs of compute ends over one channel between switches.
    pub largest_load: u64,
    /// That channel, the first of equals; `None` where nobody sends over any.
    pub busiest: Option<ChannelId>,
    /// Largest load that no channel's routes forbid when every compute end sends to all others alike, as
    /// [`LoadFigures::saturation_bound`](crate::LoadFigures::saturation_bound); by the rates of the links, where these
    /// are known and differ.
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
    /// Destinations to which entries of some switches must be set after all others, round after round.
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

/// Tables that are repaired for many failures, each alone.
///
/// # Memory
/// A copy of the tables for each core, kept from one call to the next, with 16 bytes for each lane of a channel beside,
/// and the ways of all pairs of the bisections.
#[derive(Debug)]
pub struct Survey {
    standing: Arc<StandingTables>,
    bisections: Bisections,
    /// Known once somebody asks.
    walked: OnceLock<WalkedBisections>,
    /// Copies that nobody works with.
    copies: Mutex<Vec<StandingTables>>,
    /// The same tables where what switches send does not count, where that is asked for and takes room on a lane.
    alone: OnceLock<Option<Box<Survey>>>,
}

impl Survey {
    /// Looks at tables, with these pairs for the effective bisection.
    pub fn new(standing: Arc<StandingTables>, bisections: Bisections) -> Self {
        Self {
            standing,
            bisections,
            walked: OnceLock::new(),
            copies: Mutex::default(),
            alone: OnceLock::new(),
        }
    }

    /// The tables.
    pub fn standing(&self) -> &Arc<StandingTables> {
        &self.standing
    }

    /// The pairs.
    pub fn bisections(&self) -> &Bisections {
        &self.bisections
    }

    /// How the tables load the channels as they are.
    pub fn figures(&self) -> StandingFigures {
        self.standing
            .loaded(self.walked(), &mut RoundLoads::default())
    }

    /// Repairs the tables for each failure alone, on all cores: what each comes to, in the order given.
    ///
    /// Each repair is proved with its way there: packets by old entries, by new ones, and by any mixture of
    /// both but for destinations that are cleared wait for one another in no circle. What switches without hosts send is
    /// among them where it [counts](StandingTables::counts_management), but for repairs on several lanes that find no way
    /// beside it.
    ///
    /// # Determinism
    /// A repair depends on the tables and the failure alone.
    ///
    /// # Complexity
    /// For each failure time in proportion to the switches and the destinations whose routes it breaks.
    pub fn survive(&self, failures: &[FailedParts]) -> Vec<Survival> {
        let mut found = self.survive_beside_all(failures);
        let (places, lost): (Vec<usize>, Vec<FailedParts>) = (0..)
            .zip(failures)
            .filter(|&(place, _): &(usize, _)| found[place].repaired.is_err())
            .map(|(place, failed)| (place, failed.clone()))
            .unzip();
        if !lost.is_empty()
            && let Some(alone) = self.alone()
        {
            for (place, again) in places.into_iter().zip(alone.survive_beside_all(&lost)) {
                found[place] = again;
            }
        }
        found
    }

    /// The same tables where what switches send does not count, where that takes room on a lane.
    fn alone(&self) -> Option<&Self> {
        let made = self.alone.get_or_init(|| {
            let standing = self.standing.without_management()?;
            Some(Box::new(Self::new(
                Arc::new(standing),
                self.bisections.clone(),
            )))
        });
        made.as_deref()
    }

    fn survive_beside_all(&self, failures: &[FailedParts]) -> Vec<Survival> {
        let walked = self.walked();
        self.standing.plan.find_fewest_links();
        let workers = rayon::current_num_threads().min(failures.len());
        let next = AtomicUsize::new(0);
        let found: Vec<Vec<(usize, Survival)>> = (0..workers)
            .into_par_iter()
            .map(|_| {
                let mut tables = self.copy();
                let (mut found, mut room) = (Vec::new(), RoundLoads::default());
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(failed) = failures.get(place) else {
                        break;
                    };
                    found.push((place, tables.survive_one(failed, walked, &mut room)));
                }
                self.lock().push(tables);
                found
            })
            .collect();
        let mut found: Vec<(usize, Survival)> = found.into_iter().flatten().collect();
        found.sort_unstable_by_key(|one| one.0);
        found.into_iter().map(|(_, survival)| survival).collect()
    }

    fn walked(&self) -> &WalkedBisections {
        self.walked
            .get_or_init(|| self.bisections.walked(&self.standing))
    }

    fn copy(&self) -> StandingTables {
        let spare = self.lock().pop();
        spare.unwrap_or_else(|| {
            let mut copy = StandingTables::clone(&self.standing);
            copy.held.choose_landmarks();
            copy
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<StandingTables>> {
        // Nobody fails while it is locked.
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StandingTables {
    /// Repairs the tables after more parts failed, and goes on with them as they are then.
    ///
    /// # Errors
    /// [`RepairError::NoWay`]; then tables and parts are as they were.
    pub fn fail(
        &mut self,
        failed: &FailedParts,
        bisections: &Bisections,
    ) -> Result<Repaired, RepairError> {
        let change = self.with_management_if_it_can(|tables| {
            let mended = tables.mend(failed, None);
            mended.map_err(|apart| tables.no_way(apart))
        })?;
        let before = std::mem::replace(&mut self.left, change.left.clone());
        let figures = self.loaded(&bisections.walked(self), &mut RoundLoads::default());
        self.left = before;
        let repaired = Repaired::of(&change, figures);
        self.keep(change);
        Ok(repaired)
    }

    fn survive_one(
        &mut self,
        failed: &FailedParts,
        walked: &WalkedBisections,
        room: &mut RoundLoads,
    ) -> Survival {
        match self.mend(failed, None) {
            Ok(change) => {
                // Figures are those of what is left.
                let before = std::mem::replace(&mut self.left, change.left.clone());
                let figures = self.loaded(walked, room);
                self.left = before;
                let survival = Survival {
                    cut_off: self.cut_off(&change.left.hosts),
                    repaired: Ok(Repaired::of(&change, figures)),
                };
                self.undo(change);
                survival
            }
            Err(apart) => Survival {
                cut_off: self.cut_off(&self.left_after(failed).hosts),
                repaired: Err(self.no_way(apart)),
            },
        }
    }

    fn cut_off(&self, left: &[bool]) -> Vec<HostId> {
        let hosts = self.fabric().host_ids();
        hosts.filter(|host| !left[host.index()]).collect()
    }

    fn loaded(&self, walked: &WalkedBisections, room: &mut RoundLoads) -> StandingFigures {
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
            saturation_bound: if !walked.room.is_alike() {
                self.bound_by_rates(&walked.room, others)
            } else if largest_load > others {
                others as f64 / largest_load as f64
            } else {
                1.0
            },
            effective_bisection: walked.mean_share(self, room),
        }
    }

    /// What every compute end that is left can send of its link to so many others, each taken at the mean of their rates.
    fn bound_by_rates(&self, room: &LinkRoom, others: u64) -> f64 {
        let fabric = self.fabric();
        let hosts = fabric.compute_hosts();
        let left: Vec<f64> = hosts
            .filter(|host| self.left.hosts[host.index()])
            .map(|host| room.of_channel(fabric.injection_channel(host)))
            .collect();
        let mean = left.iter().sum::<f64>() / left.len().max(1) as f64;
        let of_hosts = left.iter().map(|own| own / mean);
        let of_edges = (0..).zip(&self.loads).filter(|edge| *edge.1 > 0);
        let of_edges = of_edges.map(|(edge, &load)| {
            room.of_channel(self.plan.channel(edge)) * others as f64 / (mean * load as f64)
        });
        of_hosts.chain(of_edges).fold(1.0, f64::min)
    }
}

impl Repaired {
    fn of(change: &Change, figures: StandingFigures) -> Self {
        Self {
            changed_entries: change.changed_entries,
            changed_lanes: change.changed_lanes,
            last_destinations: change.later.len(),
            cleared_destinations: change.cleared.len(),
            figures,
        }
    }
}
