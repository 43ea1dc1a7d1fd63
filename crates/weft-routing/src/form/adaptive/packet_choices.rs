//! How a packet finds its way where it has a choice: what simulators ask of adaptive routes.

use super::port_group::flow_hash;
use crate::form::{
    AdaptiveRoutes, AdaptiveTables, Detour, Entry, GroupTables, Header, Lane, LidState,
};
use crate::random::part_of;
use crate::random::stream;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, narrow};

/// The lanes of outputs that a packet is offered at a switch, in classes: those of a class where none of the ones
/// before can be had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// By class, then in the order in which one comes before others that are as good.
    lanes: Vec<(PortNumber, Lane)>,
    /// Per class: where the next one begins.
    ends: Vec<usize>,
}

impl Offers {
    /// The lanes of each class, those to be preferred first: within it by ascending port, then lane.
    pub fn classes(&self) -> impl Iterator<Item = &[(PortNumber, Lane)]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let class = |(&start, &end): (&usize, &usize)| &self.lanes[start..end];
        starts.zip(&self.ends).map(class)
    }

    /// All lanes offered, class by class.
    pub fn all(&self) -> &[(PortNumber, Lane)] {
        &self.lanes
    }

    /// Where in [`all`](Self::all) each class ends.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    fn clear(&mut self) {
        self.lanes.clear();
        self.ends.clear();
    }

    /// Keeps the one that has a number, of those whose ports work, or of all where none does.
    fn keep_one(&mut self, number: u64, works: impl Fn(PortNumber) -> bool) {
        if self.lanes.iter().any(|&(port, _)| works(port)) {
            self.lanes.retain(|&(port, _)| works(port));
        }
        let kept = self.lanes.get(part_of(number, self.lanes.len())).copied();
        self.clear();
        self.add(kept);
    }

    /// Adds a class, if there is anything in it.
    fn add(&mut self, class: impl IntoIterator<Item = (PortNumber, Lane)>) {
        let start = self.lanes.len();
        self.lanes.extend(class);
        if self.lanes.len() > start {
            self.ends.push(self.lanes.len());
        }
    }
}

/// A way that a packet may take from its source's switch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The output port it begins with.
    pub port: PortNumber,
    /// Links between switches it takes.
    pub links: u32,
}

/// Tells packets what they may take.
#[derive(Clone, Debug)]
pub struct AdaptiveForwarding<'a> {
    routes: &'a AdaptiveRoutes,
    host_switches: Vec<SwitchId>,
    host_ports: Vec<PortNumber>,
    /// Per host: the lane its next packet has on its own channel.
    first_lanes: Vec<u8>,
    /// Per host, with two phases: what its intermediate switches are drawn from.
    draws: Vec<Pcg64Mcg>,
}

impl<'a> AdaptiveForwarding<'a> {
    /// Prepares to tell routes that were checked.
    pub(crate) fn of_checked(fabric: &Fabric, routes: &'a AdaptiveRoutes) -> Self {
        let draws = match routes {
            AdaptiveRoutes::Tables(_) | AdaptiveRoutes::Groups(_) => Vec::new(),
            AdaptiveRoutes::TwoPhase(routes) => {
                let of_host = |host: HostId| {
                    stream(routes.seed(), "intermediate switches", host.index() as u64)
                };
                fabric.host_ids().map(of_host).collect()
            }
        };
        Self {
            routes,
            host_switches: fabric.host_ids().map(|h| fabric.host_switch(h)).collect(),
            host_ports: fabric.host_ids().map(|h| fabric.host_port(h)).collect(),
            first_lanes: vec![0; fabric.host_count()],
            draws,
        }
    }

    /// The header of a source's next packet to a destination, and the lane of its channel into
    /// the network: all lanes in turn, from lane 0 on.
    ///
    /// With two phases, a packet to another switch gets an intermediate switch: one draw from the
    /// source's own stream, `random_range` over the switches with hosts. A source's packets are to be
    /// asked for in the order in which they are generated.
    ///
    /// # Panics
    /// When a host does not exist.
    pub fn header(&mut self, source: HostId, destination: HostId) -> (Header, Lane) {
        if let AdaptiveRoutes::Groups(tables) = self.routes {
            let address = tables.addresses(destination).start;
            let level = tables.level_of(source, address);
            let address = narrow(address, "there are fewer than 2^32 addresses");
            let header = Header::to_address(destination, source, address, level);
            // Routes that were checked have a lane for their service level.
            return (header, tables.host_lane(level).unwrap_or_default());
        }
        let next = &mut self.first_lanes[source.index()];
        let lane = Lane::new(*next);
        *next = (*next + 1) % self.routes.lane_count();
        let [from, to] = [source, destination].map(|host| self.host_switches[host.index()]);
        let mut by_way_of = from;
        if let AdaptiveRoutes::TwoPhase(routes) = self.routes
            && from != to
        {
            let switches = routes.intermediates();
            let drawn = self.draws[source.index()].random_range(0..switches.len());
            if switches[drawn] != to {
                by_way_of = switches[drawn];
            }
        }
        let header = Header::by_way_of(destination, [from, by_way_of, to].map(SwitchId::number));
        (header, lane)
    }

    /// The two ways between which a packet at the switch of its source is still to decide,
    /// the straight one first; `None` of all others.
    pub fn branches(&self, header: &Header, switches_before: usize) -> Option<[Branch; 2]> {
        let AdaptiveRoutes::TwoPhase(routes) = self.routes else {
            return None;
        };
        let [from, by_way_of, to] = header.switches().map(SwitchId::new);
        if switches_before > 0 || by_way_of == from || routes.detour() == Detour::Always {
            return None;
        }
        let branch = |first: [SwitchId; 2], phase, links| {
            let (port, _) = routes.step(first, phase, 0)?;
            let links = narrow(links, "two ways have fewer than 2^32 links");
            Some(Branch { port, links })
        };
        let links = |pair| routes.links(pair);
        let detour = links([from, by_way_of]) + links([by_way_of, to]);
        Some([
            branch([from, to], 1, links([from, to]))?,
            branch([from, by_way_of], 0, detour)?,
        ])
    }

    /// Tells whether a packet goes straight: by the flits that are taken of buffers at the first
    /// channel of either way, and its links.
    pub fn goes_straight(&self, branches: &[Branch; 2], taken_flits: [u64; 2]) -> bool {
        let threshold = match self.routes {
            AdaptiveRoutes::TwoPhase(routes) => match routes.detour() {
                Detour::Congestion { threshold } => threshold,
                Detour::Always => 0,
            },
            AdaptiveRoutes::Tables(_) | AdaptiveRoutes::Groups(_) => 0,
        };
        let [straight, detour] =
            [0, 1].map(|way: usize| taken_flits[way] * u64::from(branches[way].links));
        straight <= detour.saturating_add(threshold)
    }

    /// Writes down what a packet may take at a switch, the port of its destination host at the
    /// end; `switches_before` counts the switches it passed before this one. With a `number`, from 0 to 2^64 evenly,
    /// that decides where the packet had a choice, the escape aside. A number, or a hash, decides among the ports that
    /// work.
    pub fn offer(
        &self,
        header: &Header,
        entry: Entry,
        switches_before: usize,
        (number, works): (Option<u64>, impl Fn(PortNumber) -> bool),
        offers: &mut Offers,
    ) {
        offers.clear();
        match self.routes {
            AdaptiveRoutes::Groups(tables) => {
                offer_group(tables, header, entry, (number, works), offers);
                return;
            }
            AdaptiveRoutes::Tables(tables) => {
                let [_, _, to] = header.switches().map(SwitchId::new);
                if entry.switch != to {
                    offer_ports(
                        tables,
                        (entry, to),
                        switches_before,
                        (number, works),
                        offers,
                    );
                    return;
                }
            }
            AdaptiveRoutes::TwoPhase(routes) => {
                let [from, by_way_of, to] = header.switches().map(SwitchId::new);
                let before = routes.links([from, by_way_of]);
                let step = match switches_before.checked_sub(before) {
                    None => routes.step([from, by_way_of], 0, switches_before),
                    Some(step) => routes.step([by_way_of, to], 1, step),
                };
                if let Some(step) = step {
                    offers.add([step]);
                    return;
                }
            }
        }
        // The last channel has the lane of the one before.
        let port = self.host_ports[header.destination.index()];
        offers.add([(port, entry.lane)]);
    }
}

fn offer_ports(
    tables: &AdaptiveTables,
    (entry, to): (Entry, SwitchId),
    switches_before: usize,
    (number, works): (Option<u64>, impl Fn(PortNumber) -> bool),
    offers: &mut Offers,
) {
    if switches_before == 0 || !tables.is_escape(entry.lane) {
        let ports = tables.ports(entry.switch, to).iter();
        offers.add(ports.flat_map(|&port| {
            let lanes = tables.adaptive_lanes().map(Lane::new);
            lanes.map(move |lane| (port, lane))
        }));
        if let Some(number) = number {
            offers.keep_one(number, works);
        }
    }
    let escape = tables.escape_port(entry.switch, to);
    offers.add(escape.map(|port| (port, AdaptiveTables::ESCAPE_LANE)));
}

/// Offers what a switch's tables say of the packet's address: all ports of the group, subgroup by subgroup, or the one
/// that they or a hash of its flow decide.
fn offer_group(
    tables: &GroupTables,
    header: &Header,
    entry: Entry,
    (number, works): (Option<u64>, impl Fn(PortNumber) -> bool),
    offers: &mut Offers,
) {
    let (source, address) = header.flow();
    let level = header.service_level;
    let choice = tables.choice(entry.switch, (entry.port, entry.lane), address, level);
    let on_lane = |port: PortNumber| {
        let lane = tables.next_lane(entry.switch, [entry.port, port], level, entry.lane)?;
        Some((port, lane))
    };
    let flow = || flow_hash(entry.switch, source, header.destination);
    let number = match choice.state {
        LidState::Hashed => Some(flow()),
        LidState::Free | LidState::Static => number,
    };
    match (choice.group, number) {
        (Some(group), Some(number)) => {
            offers.add(group.by_hash_among(number, works).and_then(on_lane));
        }
        (Some(group), None) => {
            for subgroup in group.subgroups() {
                offers.add(subgroup.ports.iter().copied().filter_map(on_lane));
            }
        }
        (None, _) => offers.add(choice.ports.iter().copied().filter_map(on_lane)),
    }
}
