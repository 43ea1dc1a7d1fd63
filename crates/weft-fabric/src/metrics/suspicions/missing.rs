//! Cables that are not there.

use super::pattern::{Pattern, Socket};
use super::peers::{Peers, is_most};
use super::usual::{SAMPLE, Usual};
use super::{MissingEnd, Suspicion};
use crate::{Fabric, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Finds the cables that are missing between two switches, each with the ports it belongs to, the
/// switches with fewer links than their kind where no cable is known to be missing, and dark ports
/// that the kind uses.
///
/// Shapes: `group_of`, per switch, of the spines of groups alone.
pub(super) fn too_few(
    fabric: &Fabric,
    peers: &Peers,
    pattern: &Pattern<'_>,
    group_of: &[Option<usize>],
) -> Vec<Suspicion> {
    let mut search = Search {
        fabric,
        peers,
        pattern,
        group_of,
        lacks: fabric
            .switch_ids()
            .map(|switch| peers.lack(fabric, switch))
            .collect(),
        taken: BTreeSet::new(),
        found: Vec::new(),
    };
    search.by_ports();
    search.by_trunks();
    let told = search.told_by_neighbours();
    search.accept(told);
    search.between_groups();
    let left = search.left_over();
    search.accept(left);
    let mut all: Vec<Suspicion> = Vec::with_capacity(search.found.len());
    search.found.sort_unstable();
    all.extend(
        search
            .found
            .iter()
            .map(|ends| Suspicion::MissingCable { ends: ends.clone() }),
    );
    all.extend(search.asymmetries());
    all.extend(search.idle_ports());
    all
}

/// Two switches between which a cable is missing.
type Pair = [SwitchId; 2];

pub(super) struct Search<'s, 'f> {
    pub(super) fabric: &'f Fabric,
    pub(super) peers: &'s Peers,
    pub(super) pattern: &'s Pattern<'f>,
    /// Per switch: its group, of spines that join groups alone.
    pub(super) group_of: &'s [Option<usize>],
    /// Per switch: links it has fewer than its kind, found ones taken off.
    lacks: Vec<Option<usize>>,
    /// Ports that belong to cables found.
    taken: BTreeSet<Socket>,
    pub(super) found: Vec<[MissingEnd; 2]>,
}

impl Search<'_, '_> {
    pub(super) fn lack(&self, switch: SwitchId) -> Option<usize> {
        self.lacks[switch.index()]
    }

    pub(super) fn is_free(&self, socket: Socket) -> bool {
        self.pattern.is_dark(socket) && !self.taken.contains(&socket)
    }

    pub(super) fn has_room(&self, switch: SwitchId) -> bool {
        self.pattern
            .dark(switch)
            .any(|port| self.is_free((switch, port)))
    }

    fn expected_by_kind(&self, switch: SwitchId) -> Option<usize> {
        Some(self.peers.kinds[self.peers.kind_of(switch)].links?.0)
    }

    /// A cable is missing where the dark ports of two switches should lead to each other.
    fn by_ports(&mut self) {
        for switch in self.fabric.switch_ids() {
            let dark: Vec<PortNumber> = self.pattern.dark(switch).collect();
            for port in dark {
                let Some(there) = self.pattern.expected((switch, port)) else {
                    continue;
                };
                let mut back = self.pattern.ports_towards(there, switch);
                back.retain(|&port| self.is_free((there, port)));
                self.align((switch, port), there, &mut back);
                let Some(&back) = back.first() else { continue };
                let is_poor = self.is_poor(switch) || self.is_poor(there);
                if self.is_free((switch, port)) && is_poor {
                    self.take([switch, there], [vec![port], vec![back]]);
                }
            }
        }
    }

    /// A cable is missing where a dark port should lead to a switch with a dark port beside the other
    /// cables of the trunk, if there is one such alone; where cables are spread over ports as they come, to any that its
    /// kind uses.
    fn by_trunks(&mut self) {
        for switch in self.fabric.switch_ids() {
            if !self.is_poor(switch) {
                continue;
            }
            let dark: Vec<PortNumber> = self.pattern.dark(switch).collect();
            for port in dark {
                let Some(there) = self.pattern.expected((switch, port)) else {
                    continue;
                };
                let are_together = self.has_trunks_together(there);
                let beside = if are_together {
                    self.beside_trunk(there, switch)
                } else {
                    self.lacked(there)
                };
                let is_known = beside.len() == 1 || !are_together && !beside.is_empty();
                if self.is_free((switch, port)) && is_known {
                    self.take([switch, there], [vec![port], beside]);
                }
            }
        }
    }

    /// Tells whether cables of a switch to the same other mostly lie next to each other, as far as there are any such.
    fn has_trunks_together(&self, switch: SwitchId) -> bool {
        let far = |port: u8| {
            let far = self.pattern.far((switch, PortNumber::new(port)));
            far.map(|(far, _)| far)
        };
        let (mut beside, mut all) = (0, 0);
        for &channel in self.fabric.outgoing(switch) {
            let port = self.fabric.source(channel).port.number();
            let Some(there) = far(port).filter(|&there| self.pattern.links(switch, there) > 1)
            else {
                continue;
            };
            let mut around = [port.checked_sub(1), port.checked_add(1)]
                .into_iter()
                .flatten();
            all += 1;
            beside += usize::from(around.any(|near| far(near) == Some(there)));
        }
        2 * beside >= all
    }

    /// The free ports of a switch that its kind uses for switches, if it has fewer links than others.
    pub(super) fn lacked(&self, switch: SwitchId) -> Vec<PortNumber> {
        let mut ports = self.peers.dark_ports(self.fabric, switch);
        ports.retain(|&port| self.is_free((switch, port)) && self.is_poor(switch));
        ports
    }

    /// The free ports of a switch of which nothing is expected, next to one with a cable to another.
    fn beside_trunk(&self, switch: SwitchId, there: SwitchId) -> Vec<PortNumber> {
        let leads_there = |port: PortNumber| {
            let far = self.pattern.far((switch, port));
            far.is_some_and(|(far, _)| far == there)
        };
        let mut free: Vec<PortNumber> = self.pattern.dark(switch).collect();
        free.retain(|&port| {
            let number = port.number();
            let around = [number.checked_sub(1), number.checked_add(1)];
            let mut around = around.into_iter().flatten().map(PortNumber::new);
            self.is_free((switch, port))
                && self.pattern.expected((switch, port)).is_none()
                && around.any(leads_there)
        });
        free
    }

    /// Tells whether both switches join groups, between which cables are found by what the groups have.
    fn are_spines(&self, pair: Pair) -> bool {
        pair.iter()
            .all(|switch| self.group_of[switch.index()].is_some())
    }

    /// Tells whether some switch of the kind has more links.
    pub(super) fn is_poor(&self, switch: SwitchId) -> bool {
        let kind = &self.peers.kinds[self.peers.kind_of(switch)];
        self.fabric.hops(switch).len() < kind.most_links
    }

    pub(super) fn take(&mut self, pair: Pair, ports: [Vec<PortNumber>; 2]) {
        for (&switch, ports) in pair.iter().zip(&ports) {
            if let [port] = ports[..] {
                self.taken.insert((switch, port));
            }
            if let Some(lack) = &mut self.lacks[switch.index()] {
                *lack = lack.saturating_sub(1);
            }
        }
        let [first, second] = ports;
        let mut ends = [
            MissingEnd {
                switch: pair[0],
                ports: first,
            },
            MissingEnd {
                switch: pair[1],
                ports: second,
            },
        ];
        ends.sort_unstable();
        self.found.push(ends);
    }

    /// The links that most twins of a switch have and it does not, where those of the other end
    /// tell the same, or both ends lack links, or the dark port is where the twins have theirs.
    fn told_by_neighbours(&self) -> BTreeMap<Pair, usize> {
        let mut more: BTreeMap<[SwitchId; 2], usize> = BTreeMap::new();
        for switch in self.fabric.switch_ids() {
            if self.room(switch) > 0 && self.has_room(switch) {
                let of_twins = self.more_of_twins(switch).into_iter();
                more.extend(of_twins.map(|(there, count)| ([switch, there], count)));
            }
        }
        let mut told = BTreeMap::new();
        for (&[switch, there], &count) in &more {
            let is_out = self.room(there) == 0 || !self.has_room(there);
            if there == switch || is_out || self.are_spines([switch, there]) {
                continue;
            }
            let back = more.get(&[there, switch]);
            let is_known = |switch: SwitchId| self.lack(switch).is_some();
            let is_meant = back.is_some()
                || (is_known(switch) && is_known(there))
                || (self.is_small_lack(switch) && self.has_port_for(switch, there));
            if is_meant {
                let count = back.map_or(count, |&back| count.min(back));
                let entry = told.entry([switch.min(there), switch.max(there)]);
                let entry = entry.or_insert(0);
                *entry = count.max(*entry);
            }
        }
        told
    }

    /// Links that a switch may have more by the number of its kind, or by the most of it where the
    /// kind does not agree.
    fn room(&self, switch: SwitchId) -> usize {
        let kind = &self.peers.kinds[self.peers.kind_of(switch)];
        let most = || {
            kind.most_links
                .saturating_sub(self.fabric.hops(switch).len())
        };
        self.lack(switch).unwrap_or_else(most)
    }

    fn is_small_lack(&self, switch: SwitchId) -> bool {
        let lack = self.lack(switch).unwrap_or(usize::MAX);
        let expected = self.expected_by_kind(switch).unwrap_or(0);
        lack == 1 || lack <= expected / 4
    }

    fn has_port_for(&self, switch: SwitchId, there: SwitchId) -> bool {
        let ports = self.pattern.ports_towards(switch, there);
        ports.into_iter().any(|port| self.is_free((switch, port)))
    }

    /// The neighbours that most twins have more links to, and how many more.
    fn more_of_twins(&self, switch: SwitchId) -> BTreeMap<SwitchId, usize> {
        let mut more = BTreeMap::new();
        for (kind, twins) in self.pattern.twins(switch) {
            let mut counts: BTreeMap<SwitchId, BTreeMap<usize, usize>> = BTreeMap::new();
            for &twin in twins {
                for (there, links) in self.pattern.neighbours_of_kind(twin, kind) {
                    *counts.entry(there).or_default().entry(links).or_default() += 1;
                }
            }
            more.extend(counts.into_iter().filter_map(|(there, counts)| {
                let (links, agreeing) = counts.into_iter().max_by_key(|&(_, twins)| twins)?;
                let found = self.pattern.links(switch, there) + self.found_between(switch, there);
                let voters = twins.iter().filter(|&&twin| twin != there).count();
                (links > found && is_most(agreeing, voters)).then(|| (there, links - found))
            }));
        }
        more
    }

    pub(super) fn found_between(&self, a: SwitchId, b: SwitchId) -> usize {
        let pair = [a.min(b), a.max(b)];
        let found = self.found.iter();
        found.filter(|[a, b]| [a.switch, b.switch] == pair).count()
    }

    /// Pairs of the switches that still lack links, which would be joined as others of their kinds
    /// are: as directly, by as many ways of two and three links, and by ports of such numbers.
    fn left_over(&self) -> BTreeMap<Pair, usize> {
        let poor: Vec<SwitchId> = self
            .fabric
            .switch_ids()
            .filter(|&switch| self.lack(switch).is_some_and(|lack| lack > 0))
            .filter(|&switch| self.has_room(switch))
            .collect();
        let mut usual: BTreeMap<[usize; 2], Usual> = BTreeMap::new();
        let mut pairs = BTreeMap::new();
        if poor.len() > SAMPLE {
            return pairs;
        }
        for (place, &a) in poor.iter().enumerate() {
            for &b in &poor[place + 1..] {
                if self.are_spines([a, b]) {
                    continue;
                }
                let mut kinds = [a, b].map(|switch| self.peers.kind_of(switch));
                kinds.sort_unstable();
                let usual = usual
                    .entry(kinds)
                    .or_insert_with(|| Usual::of(self.fabric, self.peers, self.pattern, kinds));
                let links = self.pattern.links(a, b) + self.found_between(a, b);
                if links < usual.most_links && usual.is_like(self.pattern, a, b) {
                    pairs.insert([a, b], usual.most_links - links);
                }
            }
        }
        pairs
    }

    /// Takes the pairs that are the only choice of one end, if the other can have them all.
    fn accept(&mut self, mut pairs: BTreeMap<Pair, usize>) {
        loop {
            let room = |switch: SwitchId| self.room(switch);
            let mut wanted: BTreeMap<SwitchId, usize> = BTreeMap::new();
            for (pair, &count) in &pairs {
                for &switch in pair {
                    *wanted.entry(switch).or_default() += count.min(room(switch));
                }
            }
            let is_sure =
                |switch: SwitchId| self.lack(switch).is_some() && wanted[&switch] <= room(switch);
            let sure: Vec<(Pair, usize)> = pairs
                .iter()
                .filter(|(pair, _)| pair.iter().any(|&switch| is_sure(switch)))
                .map(|(&pair, &count)| (pair, count.min(room(pair[0])).min(room(pair[1]))))
                .collect();
            let mut demand: BTreeMap<SwitchId, usize> = BTreeMap::new();
            for (pair, count) in &sure {
                for &switch in pair {
                    *demand.entry(switch).or_default() += count;
                }
            }
            let fits = |pair: &Pair| pair.iter().all(|&switch| demand[&switch] <= room(switch));
            let taken: Vec<(Pair, usize)> = sure
                .iter()
                .filter(|(pair, _)| fits(pair))
                .copied()
                .collect();
            if taken.is_empty() {
                return;
            }
            for (pair, count) in taken {
                pairs.remove(&pair);
                for _ in 0..count {
                    let ports = self.likely_ends(pair);
                    if ports.iter().all(|ports| !ports.is_empty()) {
                        self.take(pair, ports);
                    }
                }
            }
            pairs.retain(|pair, _| pair.iter().all(|&switch| self.room(switch) > 0));
        }
    }

    /// The free ports of two switches where a cable between them belongs.
    fn likely_ends(&self, [one, other]: Pair) -> [Vec<PortNumber>; 2] {
        let here = self.likely_ports(one, other);
        let mut there = self.pattern.ports_towards(other, one);
        there.retain(|&port| self.is_free((other, port)));
        if let ([port], false) = (&here[..], there.is_empty()) {
            self.align((one, *port), other, &mut there);
            there.truncate(1);
            return [here, there];
        }
        [here, self.likely_ports(other, one)]
    }

    /// Puts the port first that is as far from another as those at both ends of each cable of the trunk are, where these
    /// agree.
    fn align(&self, (switch, port): Socket, there: SwitchId, ports: &mut [PortNumber]) {
        let of = |port: PortNumber| i32::from(port.number());
        let hops = self.fabric.hops(switch).iter();
        let trunk = hops.filter(|hop| hop.switch == there);
        let mut steps: Vec<i32> = trunk
            .map(|hop| of(self.fabric.target(hop.channel).port) - of(hop.port))
            .collect();
        steps.dedup();
        if let [step] = steps[..]
            && let Some(place) = ports.iter().position(|&far| of(far) == of(port) + step)
        {
            ports[..=place].rotate_right(1);
        }
    }

    /// The free ports of a switch where a cable to another belongs: the one that the pattern
    /// tells, or the first of a trunk; else dark ones between wired ones; else all that the kind uses
    /// for switches, at last also those that should lead elsewhere.
    pub(super) fn likely_ports(&self, switch: SwitchId, there: SwitchId) -> Vec<PortNumber> {
        let mut ports = self.pattern.ports_towards(switch, there);
        ports.retain(|&port| self.is_free((switch, port)));
        if let Some(&first) = ports.first() {
            return vec![first];
        }
        let is_open = |&port: &PortNumber| {
            self.is_free((switch, port)) && self.pattern.expected((switch, port)).is_none()
        };
        let wired = self.fabric.outgoing(switch).iter();
        let wired: Vec<PortNumber> = wired.map(|&c| self.fabric.source(c).port).collect();
        let is_gap = |port: &PortNumber| {
            wired.first().is_some_and(|first| first < port)
                && wired.last().is_some_and(|last| port < last)
        };
        let all: Vec<PortNumber> = self.pattern.dark(switch).filter(is_open).collect();
        let mut of_kind = self.peers.dark_ports(self.fabric, switch);
        of_kind.retain(|&port| self.is_free((switch, port)));
        let used: Vec<PortNumber> = of_kind.iter().copied().filter(is_open).collect();
        let gaps = |ports: &[PortNumber]| ports.iter().copied().filter(is_gap).collect();
        let choices = [gaps(&used), gaps(&all), used, of_kind];
        choices
            .into_iter()
            .find(|ports| !ports.is_empty())
            .unwrap_or_default()
    }
}
