//! Which hosts share a route.

use crate::form::{Lane, PairGranularity, RouteWalk, Routes, Start};
use weft_fabric::{Fabric, HostId, SwitchId, narrow};

/// A route with the hosts that share it.
#[derive(Clone, Copy, Debug)]
pub struct SharedRoute<'a> {
    /// The hosts that send by it, all at one switch.
    pub sources: &'a [HostId],
    /// The hosts they send to, all at one switch; a source that is among them does not send to
    /// itself.
    pub destinations: &'a [HostId],
    /// Offsets of the endpoints, for [`Routes::walk`].
    pub endpoints: [usize; 2],
    /// Which of the destination's addresses it leads to, where sources may send to any: each has a
    /// route. `None` elsewhere: that which the sources send to.
    pub alias: Option<u8>,
    /// Which turn of the pair's packets takes it: each has a route, on lanes of its own.
    pub turn: u8,
    /// Ordered pairs of distinct hosts that use the route.
    pub host_pairs: u64,
    /// Those of them that are compute ends: what it counts by in loads.
    pub compute_pairs: u64,
    /// Routes to addresses that sources may choose from, over which their packets spread evenly; 1
    /// elsewhere.
    pub choices: u8,
}

impl<'a> SharedRoute<'a> {
    /// Tells whether another route of the same hosts, to another address or in another turn,
    /// came before.
    pub fn is_further(&self) -> bool {
        self.turn > 0 || self.alias.is_some_and(|alias| alias > 0)
    }

    /// The routes from one group of hosts to another.
    #[inline]
    fn between(
        routes: &'a Routes,
        from: HostGroup<'a>,
        to: HostGroup<'a>,
    ) -> impl Iterator<Item = Self> + use<'a> {
        let host_pairs = from.pairs_with(to, |group| group.hosts.len());
        let compute_pairs = from.pairs_with(to, |group| group.compute);
        let turns = if host_pairs > 0 { routes.turns() } else { 0 };
        let aliases = aliases(routes, to.endpoint);
        let of_turn = move |turn| {
            (0..aliases.unwrap_or(1)).map(move |alias| Self {
                sources: from.hosts,
                destinations: to.hosts,
                endpoints: [from.endpoint, to.endpoint],
                alias: aliases.map(|_| alias),
                turn,
                host_pairs,
                compute_pairs,
                choices: aliases.unwrap_or(1),
            })
        };
        (0..turns).flat_map(of_turn)
    }
}

/// All routes with the hosts that share them, by the groups of hosts that send and are sent to.
#[derive(Clone, Debug)]
pub struct SharedRoutes<'a> {
    routes: &'a Routes,
    sources: Vec<HostGroup<'a>>,
    destinations: Vec<HostGroup<'a>>,
}

impl<'a> SharedRoutes<'a> {
    /// The groups of hosts that send.
    pub fn sources(&self) -> &[HostGroup<'a>] {
        &self.sources
    }

    /// The groups of hosts that are sent to.
    pub fn destinations(&self) -> &[HostGroup<'a>] {
        &self.destinations
    }

    /// The routes from one group of sources to one of destinations.
    #[inline]
    pub fn between(
        &self,
        source: usize,
        destination: usize,
    ) -> impl Iterator<Item = SharedRoute<'a>> {
        let (from, to) = (self.sources[source], self.destinations[destination]);
        SharedRoute::between(self.routes, from, to)
    }

    /// The routes from one group of sources, by ascending destination.
    pub fn from(&self, source: usize) -> impl Iterator<Item = SharedRoute<'a>> {
        let from = self.sources[source];
        let others = self.destinations.iter();
        others.flat_map(move |&to| SharedRoute::between(self.routes, from, to))
    }

    /// The routes to one group of destinations, by ascending source.
    pub fn to(&self, destination: usize) -> impl Iterator<Item = SharedRoute<'a>> {
        let to = self.destinations[destination];
        let others = self.sources.iter();
        others.flat_map(move |&from| SharedRoute::between(self.routes, from, to))
    }
}

impl Routes {
    /// Counts the addresses of a destination that sources may choose from; `None` where they send to a
    /// certain one.
    #[inline]
    pub fn choices(&self, destination_index: usize) -> Option<u8> {
        aliases(self, destination_index)
    }

    /// Whether sources may choose among several addresses of some destination.
    pub fn leaves_addresses(&self) -> bool {
        let mut choices = (0..self.endpoint_count()).map(|index| self.choices(index));
        choices.any(|choices| choices.is_some_and(|count| count > 1))
    }

    /// The steps of one of the [`shared`](Self::shared) routes.
    pub fn walk_shared<'a>(
        &'a self,
        fabric: &'a Fabric,
        shared: &SharedRoute<'_>,
    ) -> RouteWalk<'a> {
        let start = Start {
            source: shared.sources.first().copied(),
            alias: shared.alias,
            turn: shared.turn,
        };
        RouteWalk::new(self, fabric, shared.endpoints, start)
    }

    /// All routes, each with the hosts that share it, in ascending order of source and
    /// destination; those that no two hosts use are left out.
    pub fn shared<'a>(&'a self, fabric: &'a Fabric) -> impl Iterator<Item = SharedRoute<'a>> {
        let SharedRoutes {
            routes,
            sources,
            destinations,
        } = self.by_groups(fabric);
        sources.into_iter().flat_map(move |from| {
            let others = destinations.clone().into_iter();
            others.flat_map(move |to| SharedRoute::between(routes, from, to))
        })
    }

    /// The same by source or by destination, in any order and on several cores.
    pub fn by_groups<'a>(&'a self, fabric: &'a Fabric) -> SharedRoutes<'a> {
        SharedRoutes {
            routes: self,
            sources: HostGroup::sources(self, fabric),
            destinations: HostGroup::destinations(self, fabric),
        }
    }

    /// The address that the packets of a shared route carry, and the lane, or service level, that they
    /// begin on. No address of source routes, and where the destination has none.
    #[inline]
    pub fn start_of(&self, shared: &SharedRoute<'_>) -> (Option<usize>, Lane) {
        let [from, to] = shared.endpoints;
        let address = match self {
            Self::Source(_) => None,
            Self::Tables(tables) => match shared.alias {
                None => tables.address(from, to),
                Some(alias) => tables.addresses(to).nth(alias.into()),
            },
        };
        let level = self.first_lane(from, to).number() + self.lane_shift(shared.turn);
        (address, Lane::new(level))
    }
}

/// Counts the addresses a route is held for each, one where there is none; `None` where nobody may
/// choose.
#[inline]
fn aliases(routes: &Routes, destination: usize) -> Option<u8> {
    match routes {
        Routes::Tables(tables) if tables.sends_to_any_address() => {
            let count = tables.addresses(destination).len();
            Some(narrow(
                count.max(1),
                "a destination has 255 addresses at most",
            ))
        }
        _ => None,
    }
}

/// Hosts of a switch that are one to the routes.
#[derive(Clone, Copy, Debug)]
pub struct HostGroup<'a> {
    /// The offset of their endpoint, that of the first for all.
    pub endpoint: usize,
    /// Their switch.
    pub switch: SwitchId,
    /// The hosts: one, or all of the switch.
    pub hosts: &'a [HostId],
    /// How many of them are compute ends.
    pub compute: usize,
}

impl<'a> HostGroup<'a> {
    /// Counts the ordered pairs of distinct hosts, one here and one there, of those that `counted` counts of
    /// a group.
    #[inline]
    fn pairs_with(self, other: Self, counted: impl Fn(Self) -> usize) -> u64 {
        let [here, there] = [self, other].map(counted);
        // Two groups of one switch are equal, or one is a host of the other, or both are hosts.
        let own = match (self.hosts, other.hosts) {
            _ if self.switch != other.switch => 0,
            ([one], [another]) if one != another => 0,
            _ => here.min(there),
        };
        (here * there - own) as u64
    }

    fn destinations(routes: &Routes, fabric: &'a Fabric) -> Vec<Self> {
        match routes.granularity() {
            // Lane tables tell the ports of hosts apart.
            PairGranularity::Switch if routes.lane_tables().is_some() => {
                Self::by_host(fabric, |host| fabric.host_switch(host).index())
            }
            PairGranularity::Switch => Self::by_switch(fabric, SwitchId::index),
            PairGranularity::Host => Self::by_host(fabric, HostId::index),
        }
    }

    fn sources(routes: &Routes, fabric: &'a Fabric) -> Vec<Self> {
        match routes {
            Routes::Tables(tables)
                if tables.granularity() == PairGranularity::Host
                    && tables.sources_of_a_switch_agree() =>
            {
                let first_host = |switch| fabric.hosts_of(switch)[0].index();
                Self::by_switch(fabric, first_host)
            }
            _ => Self::destinations(routes, fabric),
        }
    }

    fn by_switch(fabric: &'a Fabric, endpoint: impl Fn(SwitchId) -> usize) -> Vec<Self> {
        fabric
            .switches_with_hosts()
            .map(|switch| Self {
                endpoint: endpoint(switch),
                switch,
                hosts: fabric.hosts_of(switch),
                compute: fabric.compute_hosts_of(switch),
            })
            .collect()
    }

    fn by_host(fabric: &'a Fabric, endpoint: impl Fn(HostId) -> usize) -> Vec<Self> {
        let mut groups: Vec<Self> = fabric
            .switch_ids()
            .flat_map(|switch| fabric.hosts_of(switch).chunks(1).map(move |h| (switch, h)))
            .map(|(switch, hosts)| Self {
                endpoint: endpoint(hosts[0]),
                switch,
                hosts,
                compute: usize::from(!fabric.is_service(hosts[0])),
            })
            .collect();
        groups.sort_unstable_by_key(|group| group.hosts[0]);
        groups
    }
}
