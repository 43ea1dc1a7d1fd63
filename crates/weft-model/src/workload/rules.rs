//! Destinations that are neither all alike nor fixed: how they are drawn.

use super::random::{below, below_without};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use weft_fabric::metrics::UNREACHABLE;
use weft_fabric::{Fabric, HostId, SwitchId};

/// The hotspots of a fabric.
#[derive(Clone, Debug)]
pub(super) struct Hotspots {
    pub(super) host_count: u32,
    /// Ascending, at least one.
    pub(super) hosts: Box<[u32]>,
    /// Share of the packets that go to them, 0 to 1.
    pub(super) share: f64,
    /// The share in units of 2^-32.
    pub(super) bound: u64,
    /// Whether the hotspots send as all others do.
    pub(super) has_own_traffic: bool,
}

impl Hotspots {
    pub(super) fn sending_hosts(&self) -> u32 {
        let silent = if self.has_own_traffic {
            0
        } else {
            self.hosts.len()
        };
        self.host_count - HostId::from_index(silent).number()
    }

    pub(super) fn sends(&self, host: u32) -> bool {
        self.has_own_traffic || self.hosts.binary_search(&host).is_err()
    }

    /// Counts the hotspots that a host may send to, and tells the place of the host among them
    /// if it is one.
    fn others(&self, host: u32) -> (u32, Option<u32>) {
        let place = self.hosts.binary_search(&host).ok();
        let count = self.hosts.len() - usize::from(place.is_some());
        let number = |index: usize| HostId::from_index(index).number();
        (number(count), place.map(number))
    }

    pub(super) fn draw(&self, host: u32, random: &mut Pcg64Mcg) -> u32 {
        if u64::from(random.next_u32()) < self.bound {
            let (others, place) = self.others(host);
            if others > 0 {
                let index = match place {
                    Some(place) => below_without(random, others + 1, place),
                    None => below(random, others),
                };
                return self.hosts[index as usize];
            }
        }
        below_without(random, self.host_count, host)
    }

    pub(super) fn probabilities(&self, host: u32) -> Vec<(HostId, f64)> {
        let others = self.others(host).0;
        let share = if others > 0 { self.share } else { 0.0 };
        let uniform = (1.0 - share) / f64::from(self.host_count - 1);
        let probability = |to: u32| {
            let is_hotspot = self.hosts.binary_search(&to).is_ok();
            let hot = if is_hotspot {
                share / f64::from(others)
            } else {
                0.0
            };
            (HostId::new(to), uniform + hot)
        };
        (0..self.host_count)
            .filter(|&to| to != host)
            .map(probability)
            .filter(|entry| entry.1 > 0.0)
            .collect()
    }
}

/// Hosts' shares of other hosts.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// Per host: where its destinations begin in `to`, and at last where they end.
    starts: Box<[usize]>,
    /// The destinations, ascending for each host.
    to: Box<[u32]>,
    /// The shares of these and of all before them of the same host, in units of 2^-64.
    until: Box<[u64]>,
    /// The shares.
    each: Box<[f64]>,
    /// Per host: what it has for all others together, as a share of the largest of these sums.
    of_most: Box<[f64]>,
}

impl Shares {
    /// Of the amounts of each host, by destination in ascending order, all of them more than 0.
    pub(super) fn of(rows: impl Iterator<Item = Vec<(u32, f64)>>) -> Self {
        let (mut starts, mut to, mut until, mut each) = (vec![0], vec![], vec![], vec![]);
        let mut totals = vec![];
        for row in rows {
            let total: f64 = row.iter().map(|entry| entry.1).sum();
            totals.push(total);
            let mut sum = 0.0;
            for (destination, amount) in row {
                sum += amount;
                to.push(destination);
                each.push(amount / total);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a share of 2^64, which is cut to the largest number"
                )]
                until.push((sum / total * 64_f64.exp2()) as u64);
            }
            starts.push(to.len());
        }
        let most = totals.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Self {
            starts: starts.into(),
            to: to.into(),
            until: until.into(),
            each: each.into(),
            of_most: totals.into_iter().map(|total| total / most).collect(),
        }
    }

    pub(super) fn host_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn of_most(&self, host: u32) -> f64 {
        self.of_most[host as usize]
    }

    fn row(&self, host: u32) -> std::ops::Range<usize> {
        self.starts[host as usize]..self.starts[host as usize + 1]
    }

    pub(super) fn sends(&self, host: u32) -> bool {
        !self.row(host).is_empty()
    }

    pub(super) fn draw(&self, host: u32, random: &mut Pcg64Mcg) -> u32 {
        let (row, drawn) = (self.row(host), random.next_u64());
        let place = self.until[row.clone()].partition_point(|&until| until <= drawn);
        // The last share may end a little below 1.
        self.to[(row.start + place).min(row.end - 1)]
    }

    pub(super) fn probabilities(&self, host: u32) -> Vec<(HostId, f64)> {
        let row = self.row(host);
        let hosts = self.to[row.clone()].iter().map(|&to| HostId::new(to));
        hosts.zip(self.each[row].iter().copied()).collect()
    }
}

/// The hosts near each host.
#[derive(Clone, Debug)]
pub(super) struct Neighbourhoods {
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
    /// All hosts on switches at most `links` away, by the distances of all switches from one.
    pub(super) fn of(
        fabric: &Fabric,
        links: u32,
        distances_from: impl Fn(SwitchId) -> Vec<u32>,
    ) -> Self {
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
            let distances = distances_from(source);
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

    pub(super) fn host_count(&self) -> u32 {
        HostId::from_index(self.switches.len()).number()
    }

    fn around(&self, host: u32) -> (&Neighbourhood, u32) {
        let (switch, place) = self.switches[host as usize];
        (&self.near[switch as usize], place)
    }

    pub(super) fn sends(&self, host: u32) -> bool {
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

    pub(super) fn draw(&self, host: u32, random: &mut Pcg64Mcg) -> u32 {
        let (near, own_place) = self.around(host);
        self.host_at(near, below_without(random, near.host_count, own_place))
    }

    pub(super) fn probabilities(&self, host: u32) -> Vec<(HostId, f64)> {
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
