//! Local traffic: destinations near the source.

use super::Pattern;
use crate::workload::Destinations;
use crate::workload::random::below_without;
use rand_pcg::Pcg64Mcg;
use weft_fabric::metrics::{UNREACHABLE, distances_from};
use weft_fabric::{Fabric, HostId};
use weft_registry::{Kind, Spec};

/// Host links on the way from a host to another.
const HOST_LINKS: u32 = 2;

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "local",
    title: "Local",
    summary: "Every other host at most so many links away with the same probability. The founding \
              papers count the two host links: there a radius of 3 is the own switch and its \
              neighbours, and 5 is up to three links between switches. A host with no other that \
              near sends nothing.",
    defined_on: "fabrics in which some host has another within the radius",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, \
             2002; that the host links count is inferred from section 5.5.2, footnote 5 and \
             the stops of section 5.4.2",
    parameters: &[
        Spec::of(
            "radius",
            Kind::whole(1),
            "5",
            "Links between source and destination at most.",
        ),
        Spec::choice(
            "counted",
            &["host_links", "switch_links"],
            "Whether the radius counts the two host links too, or the links between switches only.",
        ),
    ],
    destinations: |request| {
        let radius: u32 = request.values.parsed("radius");
        let links = if request.values.is("counted", "switch_links") {
            radius
        } else {
            radius.checked_sub(HOST_LINKS).ok_or_else(|| {
                let expected = format!(
                    "{HOST_LINKS} or more, since the radius counts the two host links (with \
                     counted=switch_links it counts links between switches only)"
                );
                request.values.invalid("radius", expected)
            })?
        };
        Destinations::local(Neighbourhoods::of(request.fabric, links))
            .ok_or_else(|| request.nobody_sends("none has another within the radius"))
    },
};

/// The hosts near each host.
#[derive(Clone, Debug)]
pub(crate) struct Neighbourhoods {
    /// Per host: its switch, and its place among the switch's hosts.
    switches: Box<[(u32, u32)]>,
    /// The hosts switch by switch.
    hosts: Box<[u32]>,
    /// Per switch: where its hosts begin in `hosts`.
    starts: Box<[u32]>,
    /// Per switch: what is near.
    near: Vec<Neighbourhood>,
}

/// The switches near a switch; none near one without hosts, which nobody asks for.
#[derive(Clone, Debug, Default)]
struct Neighbourhood {
    /// Hosts on them.
    host_count: u32,
    /// The switches that have hosts, each with the number of hosts on those before it; the switch
    /// itself is the first.
    switches: Box<[(u32, u32)]>,
}

impl Neighbourhoods {
    /// All hosts on switches at most `links` away.
    fn of(fabric: &Fabric, links: u32) -> Self {
        let mut switches = vec![(0, 0); fabric.host_count()];
        let mut hosts = Vec::with_capacity(fabric.host_count());
        let mut starts = Vec::with_capacity(fabric.switch_count());
        let number = |index: usize| HostId::from_index(index).number();
        for switch in fabric.switch_ids() {
            starts.push(number(hosts.len()));
            for (place, &host) in (0..).zip(fabric.hosts_of(switch)) {
                switches[host.index()] = (switch.number(), place);
                hosts.push(host.number());
            }
        }
        let near = |source| {
            if fabric.hosts_of(source).is_empty() {
                return Neighbourhood::default();
            }
            let distances = distances_from(fabric, source);
            let is_near = |distance: u32| distance != UNREACHABLE && distance <= links;
            let others = fabric
                .switch_ids()
                .filter(|&other| other != source && is_near(distances[other.index()]));
            let mut host_count = 0;
            let mut switches = Vec::new();
            for switch in std::iter::once(source).chain(others) {
                let here = number(fabric.hosts_of(switch).len());
                if here > 0 {
                    switches.push((switch.number(), host_count));
                    host_count += here;
                }
            }
            Neighbourhood {
                host_count,
                switches: switches.into(),
            }
        };
        Self {
            switches: switches.into(),
            near: fabric.switch_ids().map(near).collect(),
            hosts: hosts.into(),
            starts: starts.into(),
        }
    }

    pub(crate) fn host_count(&self) -> u32 {
        HostId::from_index(self.switches.len()).number()
    }

    fn around(&self, host: u32) -> (&Neighbourhood, u32) {
        let (switch, place) = self.switches[host as usize];
        (&self.near[switch as usize], place)
    }

    pub(crate) fn sends(&self, host: u32) -> bool {
        self.around(host).0.host_count > 1
    }

    /// The host at a place among those near: first those of the switch itself.
    fn host_at(&self, near: &Neighbourhood, place: u32) -> u32 {
        let after = near
            .switches
            .partition_point(|&(_, before)| before <= place);
        let (switch, before) = near.switches[after - 1];
        self.hosts[(self.starts[switch as usize] + place - before) as usize]
    }

    pub(crate) fn draw(&self, host: u32, random: &mut Pcg64Mcg) -> u32 {
        let (near, own_place) = self.around(host);
        self.host_at(near, below_without(random, near.host_count, own_place))
    }

    pub(crate) fn probabilities(&self, host: u32) -> Vec<(HostId, f64)> {
        let (near, own_place) = self.around(host);
        let each = 1.0 / f64::from(near.host_count - 1);
        let mut others: Vec<(HostId, f64)> = (0..near.host_count)
            .filter(|&place| place != own_place)
            .map(|place| (HostId::new(self.host_at(near, place)), each))
            .collect();
        others.sort_unstable_by_key(|entry| entry.0);
        others
    }
}
