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
        found_at: BTreeMap::new(),
        most: most_between(fabric, peers, pattern),
        among: Vec::new(),
        crossed: Vec::new(),
        to_groups: BTreeMap::new(),
    };
    search.by_ports();
    search.by_trunks();
    let (told, mutual) = search.told_by_neighbours();
    search.accept(
        told,
        |pair| {
            // Of two of one kind any may have been joined, of which those are likelier that twins of both tell.
            let kinds = pair.map(|switch| peers.kind_of(switch));
            kinds[0] == kinds[1] && !mutual.is_empty()
        },
        &mutual,
    );
    search.by_one_end();
    search.between_groups();
    search.restore();
    let left = search.left_over();
    search.accept(left, |_| false, &BTreeSet::new());
    search.settle();
    search.tell_among();
    search.settle();
    let ends = search.found.iter().flatten();
    let ports = ends.flat_map(|end| end.ports.iter().map(|&port| (end.switch, port)));
    search.taken = ports.collect();
    let mut all: Vec<Suspicion> = Vec::with_capacity(search.found.len());
    search.found.sort_unstable();
    all.extend(
        search
            .found
            .iter()
            .map(|ends| Suspicion::MissingCable { ends: ends.clone() }),
    );
    let among = search.among.iter().cloned();
    all.extend(among.map(|among| Suspicion::MissingAmong {
        count: among.count,
        is_least: among.is_least,
        ends: among.ends,
    }));
    all.append(&mut search.crossed);
    all.extend(search.asymmetries());
    all.extend(search.idle_ports());
    all
}

/// Cables between switches of which nothing tells which lack one.
#[derive(Clone)]
pub(super) struct Among {
    pub(super) count: usize,
    /// Whether there may be more.
    pub(super) is_least: bool,
    pub(super) ends: [Vec<MissingEnd>; 2],
}

/// Two switches between which a cable is missing.
pub(super) type Pair = [SwitchId; 2];

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
    /// By switch: cables found.
    pub(super) found_at: BTreeMap<SwitchId, usize>,
    /// By two kinds, the lower number first: the most cables between two of their switches.
    pub(super) most: BTreeMap<[usize; 2], usize>,
    pub(super) among: Vec<Among>,
    /// Cables between groups that were plugged in crosswise.
    pub(super) crossed: Vec<Suspicion>,
    /// Per port without a cable of a spine: the group that it leads to in the other spines of its group.
    pub(super) to_groups: BTreeMap<Socket, usize>,
}

fn most_between(
    fabric: &Fabric,
    peers: &Peers,
    pattern: &Pattern<'_>,
) -> BTreeMap<[usize; 2], usize> {
    let mut most: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for one in fabric.switch_ids() {
        for (&other, &links) in pattern.near.neighbours(one) {
            let mut kinds = [one, other].map(|switch| peers.kind_of(switch));
            kinds.sort_unstable();
            let most = most.entry(kinds).or_default();
            *most = links.max(*most);
        }
    }
    most
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
                let Some(there) = self.pattern.told((switch, port)) else {
                    continue;
                };
                let Some(back) = self.other_end((switch, port), there) else {
                    continue;
                };
                let is_poor = self.is_poor(switch) || self.is_poor(there);
                if self.is_free((switch, port)) && is_poor {
                    if self.pattern.told((there, back)).is_some() {
                        self.take([switch, there], [vec![port], vec![back]]);
                    } else if self.is_meant(switch, there) {
                        let back = self.lacked(there);
                        self.take([switch, there], [vec![port], back]);
                    }
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
                let Some(there) = self.pattern.told((switch, port)) else {
                    continue;
                };
                let are_together = self.pattern.has_trunks_together(there, switch);
                let beside = if are_together {
                    self.beside_trunk(there, switch)
                } else {
                    self.lacked(there)
                };
                let is_known = beside.len() == 1 || !are_together && !beside.is_empty();
                let is_meant = is_known && self.is_meant(switch, there);
                if self.is_free((switch, port)) && is_meant {
                    self.take([switch, there], [vec![port], beside]);
                }
            }
        }
    }

    /// Tells whether more than half of a switch's twins have more cables to another than it has, and neither was made with
    /// fewer than its kind.
    pub(super) fn is_meant(&self, switch: SwitchId, there: SwitchId) -> bool {
        let links = self.pattern.near.links(switch, there) + self.found_between(switch, there);
        let kind = self.peers.kind_of(there);
        let twins = self.pattern.near.twins(switch).find(|&(of, _)| of == kind);
        let twins = twins.map_or(&[][..], |(_, twins)| twins);
        let others = || twins.iter().filter(|&&twin| twin != there);
        let more = others().filter(|&&twin| self.pattern.near.links(twin, there) > links);
        let is_made_so = [switch, there]
            .iter()
            .any(|&at| self.is_made_with_fewer(at));
        2 * more.count() > others().count() && !is_made_so
    }

    /// Tells whether both switches join groups, between which cables are found by what the groups have.
    pub(super) fn are_spines(&self, pair: Pair) -> bool {
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
            *self.found_at.entry(switch).or_default() += 1;
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

    /// Tells of each cable found all ports that it may be in. Those of which but one may be are taken by it; others may be of
    /// cables that are not found yet.
    fn settle(&mut self) {
        self.settle_trunks();
        self.settle_switches();
        let ends = self.found.iter().flatten();
        let sure = ends.filter_map(|end| match end.ports[..] {
            [port] => Some((end.switch, port)),
            _ => None,
        });
        self.taken = sure.collect();
    }

    /// The links that most twins of a switch have and it does not, where those of the other end
    /// tell the same, or both ends lack links, or the dark port is where the twins have theirs; and those
    /// of which both ends tell the same number.
    fn told_by_neighbours(&self) -> (BTreeMap<Pair, usize>, BTreeSet<Pair>) {
        let mut more: BTreeMap<[SwitchId; 2], usize> = BTreeMap::new();
        for switch in self.fabric.switch_ids() {
            if self.room(switch) > 0 && self.has_room(switch) {
                let of_twins = self.more_of_twins(switch).into_iter();
                more.extend(of_twins.map(|(there, count)| ([switch, there], count)));
            }
        }
        let mut told = BTreeMap::new();
        let mut mutual = BTreeSet::new();
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
                if back == Some(&count) {
                    mutual.insert([switch.min(there), switch.max(there)]);
                }
                let count = back.map_or(count, |&back| count.min(back));
                let entry = told.entry([switch.min(there), switch.max(there)]);
                let entry = entry.or_insert(0);
                *entry = count.max(*entry);
            }
        }
        (told, mutual)
    }

    /// Links that a switch may have more by the number of its kind, or by the most of it where the
    /// kind does not agree, those found taken off.
    pub(super) fn room(&self, switch: SwitchId) -> usize {
        if let Some(lack) = self.lack(switch) {
            return lack;
        }
        if self.peers.whole(switch).is_some() {
            return self.short(switch);
        }
        let kind = &self.peers.kinds[self.peers.kind_of(switch)];
        let found = self.found_at.get(&switch).copied().unwrap_or(0);
        let links = self.fabric.hops(switch).len() + found;
        kind.most_links.saturating_sub(links)
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
    pub(super) fn more_of_twins(&self, switch: SwitchId) -> BTreeMap<SwitchId, usize> {
        let mut more = BTreeMap::new();
        for (kind, twins) in self.pattern.near.twins(switch) {
            let mut counts: BTreeMap<SwitchId, BTreeMap<usize, usize>> = BTreeMap::new();
            for &twin in twins {
                for (there, links) in self.pattern.near.neighbours_of_kind(twin, kind) {
                    *counts.entry(there).or_default().entry(links).or_default() += 1;
                }
            }
            more.extend(counts.into_iter().filter_map(|(there, counts)| {
                let (links, agreeing) = counts.into_iter().max_by_key(|&(_, twins)| twins)?;
                let found =
                    self.pattern.near.links(switch, there) + self.found_between(switch, there);
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

    /// Pairs of the switches of one kind that still lack links, which would be joined as others of their kinds
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
                let kinds = [a, b].map(|switch| self.peers.kind_of(switch));
                // Between two kinds others may be as likely, which are told as such.
                if kinds[0] != kinds[1] {
                    continue;
                }
                let usual = usual
                    .entry(kinds)
                    .or_insert_with(|| Usual::of(self.fabric, self.peers, self.pattern, kinds));
                let links = self.pattern.near.links(a, b) + self.found_between(a, b);
                if links < usual.most_links && usual.is_like(self.pattern, a, b) {
                    pairs.insert([a, b], usual.most_links - links);
                }
            }
        }
        pairs
    }
}
