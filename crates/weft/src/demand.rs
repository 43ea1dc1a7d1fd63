//! What hosts send one another, as a routing can be made for it.

use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId};
use weft_model::workload::Destinations;
use weft_model::workload::program::Tasks;
use weft_routing::{
    BoundEffort, BoundedRoutes, Routing, RoutingError, load_bound_for_weights, load_of_pair,
};

/// What hosts send one another, in whole parts.
///
/// The amounts are kept as they are where they are whole multiples of the least, as far as 65,535; else the largest
/// becomes 65,535 parts, and each other as many as it is of it, rounded, one at least.
#[derive(Clone, Debug, PartialEq)]
pub struct HostDemand {
    /// Per source: by ascending destination its parts.
    rows: Vec<Vec<(HostId, u16)>>,
    /// The parts that the host sends which sends most.
    most_sent: u64,
}

/// The largest load of a demand over the channels between switches, and what no routing is below: as a multiple of what
/// the host sends that sends most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemandGap {
    /// What the fullest channel carries.
    pub largest_load: f64,
    /// What the fullest of no routing is below: of none with one route for each pair, where the routes are such.
    pub bound: f64,
}

impl HostDemand {
    /// The demand of amounts above 0 by source and destination, two distinct hosts each; `None` without any.
    pub fn of_amounts(
        fabric: &Fabric,
        amounts: impl IntoIterator<Item = (HostId, HostId, f64)>,
    ) -> Option<Self> {
        let mut sums: BTreeMap<(HostId, HostId), f64> = BTreeMap::new();
        for (from, to, amount) in amounts {
            if from != to && amount > 0.0 {
                *sums.entry((from, to)).or_default() += amount;
            }
        }
        let least = sums.values().copied().min_by(f64::total_cmp)?;
        let most = sums.values().copied().max_by(f64::total_cmp)?;
        let is_whole = |amount: f64| {
            let times = amount / least;
            (times - times.round()).abs() < 1e-9 * times
        };
        let largest = f64::from(u16::MAX);
        let part = if most / least <= largest && sums.values().copied().all(is_whole) {
            least
        } else {
            most / largest
        };
        let mut rows = vec![Vec::new(); fabric.host_count()];
        for ((from, to), amount) in sums {
            let parts = (amount / part).round().clamp(1.0, largest);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is from 1 to 65,535"
            )]
            rows[from.index()].push((to, parts as u16));
        }
        let sent = |row: &Vec<(HostId, u16)>| row.iter().map(|&(_, parts)| u64::from(parts)).sum();
        let most_sent = rows.iter().map(sent).max().unwrap_or(1);
        Some(Self { rows, most_sent })
    }

    /// The demand of a traffic pattern.
    pub fn of_destinations(fabric: &Fabric, destinations: &Destinations) -> Option<Self> {
        let amounts = fabric.host_ids().flat_map(|from| {
            let to = destinations.amounts(from).into_iter();
            to.map(move |(to, amount)| (from, to, amount))
        });
        Self::of_amounts(fabric, amounts)
    }

    /// The demand of the messages of programs: their tasks, the hosts of their ranks with the number of those that each
    /// has as adapters, one rank after another, and how often they run.
    ///
    /// # Panics
    /// When there are fewer hosts than ranks have adapters, or hosts that are not of this fabric, a bug of the caller.
    pub fn of_programs<'a>(
        fabric: &Fabric,
        programs: impl IntoIterator<Item = (&'a Tasks, (&'a [HostId], usize), u32)>,
    ) -> Option<Self> {
        let amounts = programs.into_iter().flat_map(|(tasks, places, times)| {
            let (hosts, adapters) = places;
            let messages = tasks.messages_by(adapters);
            messages.map(move |(from, to, bytes, nic)| {
                let host = |rank: u32| hosts[rank as usize * adapters + nic];
                (host(from), host(to), bytes as f64 * f64::from(times))
            })
        });
        Self::of_amounts(fabric, amounts)
    }

    /// What one host sends to another, in parts.
    pub fn weight(&self, from: HostId, to: HostId) -> u16 {
        let row = &self.rows[from.index()];
        let place = row.binary_search_by_key(&to, |&(to, _)| to);
        place.map_or(0, |place| row[place].1)
    }

    /// What the fullest channel between switches carries by some routes, and what no routing keeps it below, by a search
    /// of a second or two; spread evenly where sources may send to any of several addresses.
    ///
    /// # Errors
    /// As [`load_bound_for_weights`].
    ///
    /// # Panics
    /// When the routes or the demand were made for a fabric with other switches, hosts or links.
    pub fn gap(&self, fabric: &Fabric, routing: &Routing) -> Result<DemandGap, RoutingError> {
        let mut loads = vec![0.0_f64; fabric.channel_count()];
        for (from, row) in fabric.host_ids().zip(&self.rows) {
            for &(to, parts) in row {
                load_of_pair(
                    fabric,
                    &routing.routes,
                    [from, to],
                    parts.into(),
                    |channel, part| {
                        let ends = [fabric.source(channel).node, fabric.target(channel).node];
                        if ends.iter().all(|node| node.switch().is_some()) {
                            loads[channel.index()] += part;
                        }
                    },
                );
            }
        }
        let weight = |from, to| self.weight(from, to);
        let (any, quick) = (BoundedRoutes::Any, BoundEffort::Quick);
        let bound = load_bound_for_weights(fabric, weight, any, quick)?;
        let least = if routing.routes.most_addresses() > 1 {
            bound.mean_load
        } else {
            bound.least_load as f64
        };
        let unit = self.most_sent as f64;
        Ok(DemandGap {
            largest_load: loads.into_iter().fold(0.0, f64::max) / unit,
            bound: least / unit,
        })
    }
}
