//! Where a host's packets go: a traffic pattern laid over the hosts of a fabric.

use super::error::TrafficError;
use super::random::below_without;
use super::rules::{Hotspots, Neighbourhoods, Shares};
use rand_pcg::Pcg64Mcg;
use weft_fabric::HostId;

/// How every host draws the destinations of its packets. At least one host sends; none sends to
/// itself.
#[derive(Clone, Debug)]
pub struct Destinations {
    host_count: u32,
    sending_hosts: u32,
    rule: Rule,
    /// Where others hang on the fabric besides: who takes part.
    part: Option<Box<Part>>,
}

/// Hosts that take part, of all that there are.
#[derive(Clone, Debug)]
struct Part {
    /// Per host that takes part, in ascending order: its number among all.
    hosts: Box<[u32]>,
    /// Per host of all: its place among those that take part.
    places: Box<[Option<u32>]>,
}

#[derive(Clone, Debug)]
enum Rule {
    /// All other hosts alike.
    Uniform,
    /// Per host: the only destination, or itself for a host that sends nothing.
    Fixed(Box<[u32]>),
    Hotspots(Box<Hotspots>),
    Local(Box<Neighbourhoods>),
    Shared(Box<Shares>),
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
            part: None,
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
            part: None,
        })
    }

    pub(super) fn hotspots(hotspots: Hotspots) -> Option<Self> {
        let (host_count, sending_hosts) = (hotspots.host_count, hotspots.sending_hosts());
        (sending_hosts > 0).then(|| Self {
            host_count,
            sending_hosts,
            rule: Rule::Hotspots(Box::new(hotspots)),
            part: None,
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
            part: None,
        })
    }

    /// Sends from every host in its shares of others. `None` when no host sends.
    pub(super) fn shared(shares: Shares) -> Option<Self> {
        let host_count = HostId::from_index(shares.host_count()).number();
        let sending = (0..host_count).filter(|&host| shares.sends(host)).count();
        let sending_hosts = HostId::from_index(sending).number();
        (sending_hosts > 0).then(|| Self {
            host_count,
            sending_hosts,
            rule: Rule::Shared(Box::new(shares)),
            part: None,
        })
    }

    /// The same among some of the hosts of a fabric, in ascending order: these are the hosts counted so
    /// far. All others send and receive nothing.
    ///
    /// # Panics
    /// When they are not as many as counted, a bug of the caller.
    pub(super) fn among(mut self, hosts: &[HostId], host_count: usize) -> Self {
        assert_eq!(hosts.len(), self.host_count(), "each host has a place");
        let mut places = vec![None; host_count];
        for (place, host) in (0..).zip(hosts) {
            places[host.index()] = Some(place);
        }
        self.host_count = HostId::from_index(host_count).number();
        self.part = Some(Box::new(Part {
            hosts: hosts.iter().map(|host| host.number()).collect(),
            places: places.into(),
        }));
        self
    }

    /// Counts the hosts.
    pub fn host_count(&self) -> usize {
        self.host_count as usize
    }

    /// Counts the hosts that send, at least one.
    pub fn sending_hosts(&self) -> usize {
        self.sending_hosts as usize
    }

    /// The number of a host among those that take part.
    #[inline]
    fn place(&self, host: u32) -> Option<u32> {
        match &self.part {
            None => Some(host),
            Some(part) => part.places[host as usize],
        }
    }

    /// The host at a place among those that take part.
    #[inline]
    fn host_at(&self, place: u32) -> HostId {
        HostId::new(match &self.part {
            None => place,
            Some(part) => part.hosts[place as usize],
        })
    }

    /// Counts the hosts that take part.
    fn part_count(&self) -> u32 {
        match &self.part {
            None => self.host_count,
            Some(part) => HostId::from_index(part.hosts.len()).number(),
        }
    }

    /// Tells whether a host sends anything.
    pub fn sends(&self, host: HostId) -> bool {
        let Some(from) = self.place(host.number()) else {
            return false;
        };
        match &self.rule {
            Rule::Uniform => true,
            Rule::Fixed(destinations) => destinations[from as usize] != from,
            Rule::Hotspots(hotspots) => hotspots.sends(from),
            Rule::Local(near) => near.sends(from),
            Rule::Shared(shares) => shares.sends(from),
        }
    }

    /// The exact distribution of a host's destinations: hosts in ascending order, each with
    /// its probability, 0 left out; empty for a host that sends nothing.
    pub fn probabilities(&self, host: HostId) -> Vec<(HostId, f64)> {
        let Some(from) = self.place(host.number()).filter(|_| self.sends(host)) else {
            return Vec::new();
        };
        let mut all = match &self.rule {
            Rule::Uniform => {
                let count = self.part_count();
                let each = 1.0 / f64::from(count - 1);
                let others = (0..count).filter(|&to| to != from);
                others.map(|to| (HostId::new(to), each)).collect()
            }
            Rule::Fixed(destinations) => vec![(HostId::new(destinations[from as usize]), 1.0)],
            Rule::Hotspots(hotspots) => hotspots.probabilities(from),
            Rule::Local(near) => near.probabilities(from),
            Rule::Shared(shares) => shares.probabilities(from),
        };
        for (to, _) in &mut all {
            *to = self.host_at(to.number());
        }
        all
    }

    /// Whether each host sends an amount of its own, whatever the others do; else all that send do so alike.
    pub(super) fn have_amounts(&self) -> bool {
        matches!(self.rule, Rule::Shared(_))
    }

    /// What a host sends in all, as a share of what the host sends that sends most: 1 where all that send do so
    /// alike, 0 of a host that sends nothing.
    pub fn share_of_most(&self, host: HostId) -> f64 {
        let from = self.place(host.number());
        match (&self.rule, from.filter(|_| self.sends(host))) {
            (_, None) => 0.0,
            (Rule::Shared(shares), Some(from)) => shares.of_most(from),
            (_, Some(_)) => 1.0,
        }
    }

    /// What a host sends to each other, in the same unit: hosts in ascending order, each with its amount, 0 left out.
    pub fn amounts(&self, host: HostId) -> Vec<(HostId, f64)> {
        let (mut to, all) = (self.probabilities(host), self.share_of_most(host));
        for (_, amount) in &mut to {
            *amount *= all;
        }
        to
    }

    /// Draws the destination of a packet of a host that sends.
    #[inline]
    pub(super) fn draw(&self, host: u32, random: &mut Pcg64Mcg) -> HostId {
        // Invariant: who has no place sends nothing.
        let from = self.place(host).unwrap_or(host);
        self.host_at(match &self.rule {
            Rule::Uniform => below_without(random, self.part_count(), from),
            Rule::Fixed(destinations) => destinations[from as usize],
            Rule::Hotspots(hotspots) => hotspots.draw(from, random),
            Rule::Local(near) => near.draw(from, random),
            Rule::Shared(shares) => shares.draw(from, random),
        })
    }
}
