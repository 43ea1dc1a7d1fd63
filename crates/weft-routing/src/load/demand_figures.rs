//! How traffic that is not the same between all hosts loads the channels.

use super::PARTS;
use super::address_use::AddressUse;
use crate::form::{PairGranularity, RouteHop, Routes, Routing};
use weft_fabric::{Fabric, HostId, SwitchId};

/// How the packets of given destinations load the channels over the routes of a routing.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandFigures {
    /// Per channel: expected payload over it, as a multiple of what a sending host injects, or the one that injects most.
    /// A stop in transit counts at the ejection and the injection channel of its host.
    pub load_per_channel: Vec<f64>,
    /// The largest of them.
    pub max_load: f64,
    /// Hosts that send.
    pub sending_hosts: usize,
    /// Mean links between switches of a packet's route.
    pub mean_hops_links: f64,
    /// Mean in-transit stops of a packet's route.
    pub mean_in_transit_stops: f64,
    /// Largest load of that host that no channel's expected load forbids: as a fraction of the link rate, the same for all
    /// links; at most 1.
    pub saturation_bound: f64,
}

/// Adds up the expected load of every channel when each host sends `amounts(host)`: hosts other than itself with what it
/// sends to each, as a share of all that a host sends at most; none for a host that sends nothing. Hosts spread evenly over
/// the addresses of a destination that they may choose from.
///
/// # Complexity
/// Time in proportion to the pairs of hosts with an amount, and to the hops of the routes they
/// use.
///
/// # Panics
/// When the routing was made for a fabric with other switches, hosts or links.
pub fn demand_figures(
    fabric: &Fabric,
    routing: &Routing,
    amounts: impl Fn(HostId) -> Vec<(HostId, f64)>,
) -> DemandFigures {
    let routes = &routing.routes;
    let mut load_per_channel = vec![0.0_f64; fabric.channel_count()];
    let (mut sent, mut links, mut stops) = (Sent::default(), 0.0, 0.0);
    let mut towards = vec![0.0_f64; routes.endpoint_count()];
    for from in 0..routes.endpoint_count() {
        let alone = [HostId::from_index(from)];
        let sources = match routes.granularity() {
            PairGranularity::Host => &alone[..],
            PairGranularity::Switch => fabric.hosts_of(SwitchId::from_index(from)),
        };
        for &source in sources {
            let demand = amounts(source);
            sent.add(&demand);
            for (destination, weight) in demand {
                load_per_channel[fabric.injection_channel(source).index()] += weight;
                load_per_channel[fabric.ejection_channel(destination).index()] += weight;
                towards[routes.granularity().endpoint(fabric, destination)] += weight;
            }
        }
        for (to, weight) in towards.iter_mut().enumerate() {
            let weight = std::mem::take(weight);
            if weight <= 0.0 {
                continue;
            }
            let walks = routes.walks(fabric, from, to);
            let weight = weight / walks.len() as f64;
            for step in walks.flatten() {
                match step.hop {
                    Ok(RouteHop::Channel(channel)) => {
                        links += weight;
                        load_per_channel[channel.index()] += weight;
                    }
                    Ok(RouteHop::InTransit(host)) => {
                        stops += weight;
                        let injection = fabric.injection_channel(host);
                        load_per_channel[injection.index()] += weight;
                        load_per_channel[injection.reverse().index()] += weight;
                    }
                    // The proof tells of a route that leads nowhere.
                    Err(_) => {}
                }
            }
        }
    }
    DemandFigures::of(load_per_channel, sent, links, stops)
}

/// Who sends, and how much.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    hosts: usize,
    amount: f64,
}

impl Sent {
    pub(super) fn add(&mut self, demand: &[(HostId, f64)]) {
        self.hosts += usize::from(!demand.is_empty());
        self.amount += demand.iter().map(|&(_, amount)| amount).sum::<f64>();
    }
}

/// Adds up what each channel carries, as [`demand_figures`] does, where sources use the addresses of destinations so. A
/// route that leads nowhere counts as far as it leads.
///
/// # Complexity
/// As [`demand_figures`], pair by pair of hosts.
///
/// # Panics
/// As [`demand_figures`].
pub fn demand_by_address(
    fabric: &Fabric,
    routes: &Routes,
    how: AddressUse,
    amounts: impl Fn(HostId) -> Vec<(HostId, f64)>,
) -> Vec<f64> {
    let mut loads = vec![0.0_f64; fabric.channel_count()];
    let mut of_addresses = Vec::new();
    for source in fabric.host_ids() {
        for (destination, weight) in amounts(source) {
            let pair = [source, destination];
            loads[fabric.injection_channel(source).index()] += weight;
            loads[fabric.ejection_channel(destination).index()] += weight;
            let walks = routes.walks_of_hosts(fabric, pair);
            how.share(pair, walks.len(), &mut of_addresses);
            for (walk, &parts) in walks.zip(&of_addresses).filter(|(_, parts)| **parts > 0) {
                let weight = weight * parts as f64 / PARTS as f64;
                for hop in walk.filter_map(|step| step.hop.ok()) {
                    match hop {
                        RouteHop::Channel(channel) => loads[channel.index()] += weight,
                        RouteHop::InTransit(host) => {
                            let injection = fabric.injection_channel(host);
                            loads[injection.index()] += weight;
                            loads[injection.reverse().index()] += weight;
                        }
                    }
                }
            }
        }
    }
    loads
}

impl DemandFigures {
    /// The figures of loads, by the links and stops of the packets of all sending hosts together.
    pub(super) fn of(load_per_channel: Vec<f64>, sent: Sent, links: f64, stops: f64) -> Self {
        let max_load = load_per_channel.iter().copied().fold(0.0, f64::max);
        let per_packet = |sum: f64| {
            if sent.amount > 0.0 {
                sum / sent.amount
            } else {
                0.0
            }
        };
        Self {
            max_load,
            sending_hosts: sent.hosts,
            mean_hops_links: per_packet(links),
            mean_in_transit_stops: per_packet(stops),
            saturation_bound: if max_load > 1.0 { 1.0 / max_load } else { 1.0 },
            load_per_channel,
        }
    }
}
