//! What hosts send one another, as a routing can be made for it.

use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId};
use weft_model::workload::Destinations;
use weft_model::workload::program::Tasks;
use weft_routing::{
    BoundEffort, BoundedRoutes, Routing, RoutingError, load_bound_for_weights, load_of_pair,
};

/// Most parts that one host sends to another.
const MOST_PARTS: f64 = u16::MAX as f64;

/// How far from a whole number what stands in files as decimal numbers is at most, as a share.
const NEARLY_WHOLE: f64 = 1e-9;

/// The whole parts of an amount that is not negative, 65,535 at most.
fn whole(parts: f64) -> u16 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is from 0 to 65,535"
    )]
    let whole = parts.min(MOST_PARTS) as u16;
    whole
}

/// What hosts send one another, in parts.
///
/// A part is the least amount between switches where all others there are whole multiples of it, as far as 65,535; else a
/// 65,535th of the largest. What stays on a switch counts for nobody but the host that sends it.
#[derive(Clone, Debug, PartialEq)]
pub struct HostDemand {
    /// Per source: by ascending destination what it sends, in parts.
    rows: Vec<Vec<(HostId, f64)>>,
    /// Whether all that is sent between switches is whole parts.
    is_whole: bool,
    /// The parts that the host sends which sends most.
    most_sent: f64,
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
        let parts =
            |ends: (HostId, HostId)| fabric.host_switch(ends.0) != fabric.host_switch(ends.1);
        let mut between: Vec<f64> = sums
            .iter()
            .filter(|&(&ends, _)| parts(ends))
            .map(|(_, &amount)| amount)
            .collect();
        if between.is_empty() {
            between.extend(sums.values());
        }
        let least = between.iter().copied().min_by(f64::total_cmp)?;
        let most = between.iter().copied().max_by(f64::total_cmp)?;
        let is_multiple = |&amount: &f64| {
            let times = amount / least;
            (times - times.round()).abs() < NEARLY_WHOLE * times
        };
        let is_whole = most / least <= MOST_PARTS && between.iter().all(is_multiple);
        let part = if is_whole { least } else { most / MOST_PARTS };
        let mut rows = vec![Vec::new(); fabric.host_count()];
        for ((from, to), amount) in sums {
            let sent = amount / part;
            // Whole parts are told as such, lest some be cut off.
            let near = sent.round();
            let is_near = (sent - near).abs() < NEARLY_WHOLE * sent;
            rows[from.index()].push((to, if is_near { near } else { sent }));
        }
        let sent = |row: &Vec<(HostId, f64)>| row.iter().map(|&(_, sent)| sent).sum();
        let most_sent = rows.iter().map(sent).fold(0.0, f64::max);
        Some(Self {
            rows,
            is_whole,
            most_sent,
        })
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
    fn sent(&self, from: HostId, to: HostId) -> f64 {
        let row = &self.rows[from.index()];
        let place = row.binary_search_by_key(&to, |&(to, _)| to);
        place.map_or(0.0, |place| row[place].1)
    }

    /// What one host sends to another, in whole parts: one at least where it sends anything, and 65,535 at most.
    pub fn weight(&self, from: HostId, to: HostId) -> u16 {
        let sent = self.sent(from, to);
        whole(if sent > 0.0 {
            sent.round().max(1.0)
        } else {
            sent
        })
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
            for &(to, sent) in row {
                load_of_pair(
                    fabric,
                    &routing.routes,
                    [from, to],
                    sent,
                    |channel, part| {
                        let ends = [fabric.source(channel).node, fabric.target(channel).node];
                        if ends.iter().all(|node| node.switch().is_some()) {
                            loads[channel.index()] += part;
                        }
                    },
                );
            }
        }
        // Of what is rounded up the bound would be too high.
        let weight = |from, to| whole(self.sent(from, to));
        let (any, quick) = (BoundedRoutes::Any, BoundEffort::Quick);
        let bound = load_bound_for_weights(fabric, weight, any, quick)?;
        let least = if self.is_whole && routing.routes.most_addresses() == 1 {
            bound.least_load as f64
        } else {
            bound.mean_load
        };
        Ok(DemandGap {
            largest_load: loads.into_iter().fold(0.0, f64::max) / self.most_sent,
            bound: least / self.most_sent,
        })
    }
}
