//! Where a host's packets go: a traffic pattern laid over the hosts of a fabric.

use super::error::TrafficError;
use super::random::below_without;
use super::rules::{Hotspots, Neighbourhoods};
use rand_pcg::Pcg64Mcg;
use weft_fabric::HostId;

/// How every host draws the destinations of its packets. At least one host sends; none sends to
/// itself.
#[derive(Clone, Debug)]
pub struct Destinations {
    host_count: u32,
    sending_hosts: u32,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    /// All other hosts alike.
    Uniform,
    /// Per host: the only destination, or itself for a host that sends nothing.
    Fixed(Box<[u32]>),
    Hotspots(Box<Hotspots>),
    Local(Box<Neighbourhoods>),
}

impl Destinations {
    /// Sends from every host to all others with the same probability.
    ///
    /// # Errors
    /// [`TrafficError::TooFewHosts`] for fewer than two hosts.
    pub fn uniform(host_count: usize) -> Result<Self, TrafficError> {
        if host_count < 2 {
            return Err(TrafficError::TooFewHosts { found: host_count });
        }
        let host_count = HostId::from_index(host_count).number();
        Ok(Self {
            host_count,
            sending_hosts: host_count,
            rule: Rule::Uniform,
        })
    }

    /// Sends from host `i` to `destinations[i]` alone; a host that is its own destination
    /// sends nothing. `None` when no host sends.
    ///
    /// # Panics
    /// When a destination is not below the number of hosts, a bug of the caller.
    pub fn fixed(destinations: Vec<u32>) -> Option<Self> {
        let host_count = HostId::from_index(destinations.len()).number();
        assert!(
            destinations.iter().all(|&host| host < host_count),
            "destinations are hosts"
        );
        let moved = (0..).zip(&destinations).filter(|&(host, &to)| host != to);
        let sending_hosts = HostId::from_index(moved.count()).number();
        (sending_hosts > 0).then(|| Self {
            host_count,
            sending_hosts,
            rule: Rule::Fixed(destinations.into()),
        })
    }

    pub(super) fn hotspots(hotspots: Hotspots) -> Option<Self> {
        let (host_count, sending_hosts) = (hotspots.host_count, hotspots.sending_hosts());
        (sending_hosts > 0).then(|| Self {
            host_count,
            sending_hosts,
            rule: Rule::Hotspots(Box::new(hotspots)),
        })
    }

    pub(super) fn local(near: Neighbourhoods) -> Option<Self> {
        let host_count = near.host_count();
        let sends = |&host: &u32| near.sends(host);
        let sending = (0..host_count).filter(sends).count();
        let sending_hosts = HostId::from_index(sending).number();
        (sending_hosts > 0).then(|| Self {
            host_count,
            sending_hosts,
            rule: Rule::Local(Box::new(near)),
        })
    }

    /// Counts the hosts.
    pub fn host_count(&self) -> usize {
        self.host_count as usize
    }

    /// Counts the hosts that send, at least one. The offered load is what each of them offers.
    pub fn sending_hosts(&self) -> usize {
        self.sending_hosts as usize
    }

    /// Tells whether a host sends anything.
    pub fn sends(&self, host: HostId) -> bool {
        match &self.rule {
            Rule::Uniform => true,
            Rule::Fixed(destinations) => destinations[host.index()] != host.number(),
            Rule::Hotspots(hotspots) => hotspots.sends(host.number()),
            Rule::Local(near) => near.sends(host.number()),
        }
    }

    /// The exact distribution of a host's destinations: hosts in ascending order, each with
    /// its probability, 0 left out; empty for a host that sends nothing.
    pub fn probabilities(&self, host: HostId) -> Vec<(HostId, f64)> {
        let from = host.number();
        if !self.sends(host) {
            return Vec::new();
        }
        match &self.rule {
            Rule::Uniform => {
                let each = 1.0 / f64::from(self.host_count - 1);
                let others = (0..self.host_count).filter(|&to| to != from);
                others.map(|to| (HostId::new(to), each)).collect()
            }
            Rule::Fixed(destinations) => vec![(HostId::new(destinations[host.index()]), 1.0)],
            Rule::Hotspots(hotspots) => hotspots.probabilities(from),
            Rule::Local(near) => near.probabilities(from),
        }
    }

    /// Draws the destination of a packet of a host that sends.
    #[inline]
    pub(super) fn draw(&self, host: u32, random: &mut Pcg64Mcg) -> HostId {
        HostId::new(match &self.rule {
            Rule::Uniform => below_without(random, self.host_count, host),
            Rule::Fixed(destinations) => destinations[host as usize],
            Rule::Hotspots(hotspots) => hotspots.draw(host, random),
            Rule::Local(near) => near.draw(host, random),
        })
    }
}
