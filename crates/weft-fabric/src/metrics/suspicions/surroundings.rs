//! The neighbours of switches, and the switches most like each by them.

use super::peers::Peers;
use super::places_by_ports::PlacesByPorts;
use crate::{Fabric, PortNumber, SwitchId};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer twins than this may be alike by chance.
pub(super) const FEWEST_TWINS: usize = 2;
/// As many twins with a cable in the same place are not alike by chance.
pub(super) const MANY_TWINS: usize = 5;
/// As many twins tell what a pattern is; the nearest ones.
const MOST_TWINS: usize = 48;

/// The neighbours of every switch, and the switches most like it.
pub(super) struct Surroundings {
    /// Per switch: links to each neighbour.
    neighbours: Vec<BTreeMap<SwitchId, usize>>,
    /// Per switch: the ports with cables to others, and the neighbour at each.
    cables: Vec<BTreeSet<(PortNumber, SwitchId)>>,
    /// Per switch and kind of neighbours: those of its own kind that share a third of these
    /// neighbours or more, the nearest first.
    twins: Vec<BTreeMap<usize, Vec<SwitchId>>>,
    /// Per switch: the number of its kind.
    kinds: Vec<usize>,
    /// Per switch, in which ports others have it.
    places: PlacesByPorts,
    /// Kinds of which switches are joined, the lower number first.
    joined: BTreeSet<[usize; 2]>,
}

impl Surroundings {
    pub(super) fn of(fabric: &Fabric, peers: &Peers) -> Self {
        let neighbours = fabric.switch_ids().map(|switch| {
            let mut links = BTreeMap::new();
            for hop in fabric.hops(switch) {
                *links.entry(hop.switch).or_default() += 1;
            }
            links
        });
        let joined = fabric.switch_ids().flat_map(|switch| {
            let here = peers.kind_of(switch);
            let there = fabric.hops(switch).iter();
            there.map(move |hop| {
                let there = peers.kind_of(hop.switch);
                [here.min(there), here.max(there)]
            })
        });
        let cables = fabric.switch_ids().map(|switch| {
            let hops = fabric.hops(switch).iter();
            hops.map(|hop| (hop.port, hop.switch)).collect()
        });
        let kinds: Vec<usize> = fabric.switch_ids().map(|id| peers.kind_of(id)).collect();
        let mut near = Self {
            neighbours: neighbours.collect(),
            cables: cables.collect(),
            twins: Vec::new(),
            places: PlacesByPorts::of(fabric, &kinds),
            kinds,
            joined: joined.collect(),
        };
        let mut shared = vec![0; fabric.switch_count()];
        near.twins = fabric
            .switch_ids()
            .map(|switch| near.find_twins(switch, &mut shared))
            .collect();
        near
    }

    /// The number of the kind of a switch.
    pub(super) fn kind(&self, of: SwitchId) -> usize {
        self.kinds[of.index()]
    }

    /// Links between two switches.
    pub(super) fn links(&self, from: SwitchId, to: SwitchId) -> usize {
        self.neighbours[from.index()].get(&to).copied().unwrap_or(0)
    }

    /// Tells whether switches of two kinds are joined anywhere.
    pub(super) fn are_joined(&self, kind: usize, other: usize) -> bool {
        self.joined.contains(&[kind.min(other), kind.max(other)])
    }

    /// The neighbours of a switch.
    pub(super) fn neighbours(&self, of: SwitchId) -> &BTreeMap<SwitchId, usize> {
        &self.neighbours[of.index()]
    }

    /// By kind of neighbours, the switches most like one.
    pub(super) fn twins(
        &self,
        of: SwitchId,
    ) -> impl Iterator<Item = (usize, &[SwitchId])> + use<'_> {
        let twins = self.twins[of.index()].iter();
        twins
            .map(|(&kind, twins)| (kind, &twins[..]))
            .filter(|(_, twins)| twins.len() >= FEWEST_TWINS)
    }

    /// The neighbours of a switch that are of a kind, with links to each.
    pub(super) fn neighbours_of_kind(
        &self,
        of: SwitchId,
        kind: usize,
    ) -> impl Iterator<Item = (SwitchId, usize)> + use<'_> {
        let all = self.neighbours[of.index()].iter();
        all.map(|(&there, &links)| (there, links))
            .filter(move |(there, _)| self.kinds[there.index()] == kind)
    }

    fn find_twins(&self, switch: SwitchId, shared: &mut [usize]) -> BTreeMap<usize, Vec<SwitchId>> {
        let mut by_kind: BTreeMap<usize, Vec<SwitchId>> = BTreeMap::new();
        for &neighbour in self.neighbours[switch.index()].keys() {
            let kind = self.kinds[neighbour.index()];
            by_kind.entry(kind).or_default().push(neighbour);
        }
        for (&kind, neighbours) in &mut by_kind {
            let mut twins = self.sharing(switch, neighbours, shared);
            twins.sort_unstable_by_key(|&(count, other)| (Reverse(count), other));
            twins.truncate(MOST_TWINS);
            twins.retain(|&(count, other)| {
                let theirs = self.neighbours_of_kind(other, kind).count();
                3 * count >= neighbours.len().min(theirs)
            });
            // Of many that share nearly all, those that share half tell nothing.
            let most = twins.first().map_or(0, |&(count, _)| count);
            let near = twins.partition_point(|&(count, _)| 4 * count >= 3 * most);
            if near >= MANY_TWINS {
                twins.truncate(near);
            }
            self.leave_filled_places(switch, kind, &mut twins, shared);
            *neighbours = twins.into_iter().map(|(_, other)| other).collect();
        }
        for kind in self.joined_to(self.kind(switch)) {
            by_kind.entry(kind).or_insert_with(|| {
                let beside = Holders::of(self, self.beside(switch, kind, shared), kind);
                let open = self.in_open_place(switch, &beside);
                if open.is_empty() {
                    self.in_like_ports(switch, &beside)
                } else {
                    open
                }
            });
        }
        by_kind
    }

    /// The switches of the kind of one that are joined to some of its neighbours, each with how many of these.
    /// Nothing is counted as `shared` before or after.
    fn sharing(
        &self,
        switch: SwitchId,
        neighbours: &[SwitchId],
        shared: &mut [usize],
    ) -> Vec<(usize, SwitchId)> {
        let mut met = Vec::new();
        for &other in neighbours
            .iter()
            .flat_map(|&near| self.neighbours(near).keys())
        {
            if other != switch && self.kind(other) == self.kind(switch) {
                if shared[other.index()] == 0 {
                    met.push(other);
                }
                shared[other.index()] += 1;
            }
        }
        met.into_iter()
            .map(|other| (std::mem::take(&mut shared[other.index()]), other))
            .collect()
    }

    /// Leaves out twins, each with how many neighbours of a kind it shares, in whose place others stand beside the switch:
    /// of a pod's spine with two cores, of which one is joined to it in error, those that have this core in common with it are
    /// twins of another spine of its pod. Where more are in the place that nobody has, these are.
    fn leave_filled_places(
        &self,
        switch: SwitchId,
        kind: usize,
        twins: &mut Vec<(usize, SwitchId)>,
        shared: &mut [usize],
    ) {
        let count = self.neighbours_of_kind(switch, kind).count();
        let apart = |&(common, twin): &(usize, SwitchId)| {
            count + self.neighbours_of_kind(twin, kind).count() - 2 * common
        };
        if twins.iter().all(|twin| apart(twin) == 0) {
            return;
        }
        let beside = self.beside(switch, kind, shared);
        if beside.is_empty() {
            return;
        }
        let beside = Holders::of(self, beside, kind);
        let like = self.in_like_ports(switch, &beside);
        if like.len() >= FEWEST_TWINS {
            *twins = like.into_iter().map(|other| (0, other)).collect();
            return;
        }
        let mut is_open = |twin: &(usize, SwitchId)| {
            let own = (switch, apart(twin));
            let filled = beside.nearer_than(self, own, twin.1);
            let mut places = || {
                let there = Holders::of(self, self.beside(twin.1, kind, shared), kind);
                1 + there.nearer_than(self, own, twin.1)
            };
            filled == 0 || filled < places()
        };
        let mut open = twins.clone();
        open.retain(&mut is_open);
        if open.len() == twins.len() {
            return;
        }
        let others = self.in_open_place(switch, &beside);
        if others.len() > open.len() {
            *twins = others.into_iter().map(|other| (0, other)).collect();
        } else if open.len() >= FEWEST_TWINS {
            *twins = open;
        }
    }

    /// The switches like one in other pods whose neighbours of a kind none beside it has any of, if they all share some: in
    /// its own pod the place that is left is its own.
    fn in_open_place(&self, switch: SwitchId, beside: &Holders) -> Vec<SwitchId> {
        let (own, kind) = (self.kind(switch), beside.kind);
        if kind == own || beside.switches.is_empty() {
            return Vec::new();
        }
        let switches = (0..self.kinds.len()).map(SwitchId::from_index);
        let open: Vec<SwitchId> = switches
            .filter(|&at| at != switch && self.kind(at) == own)
            .filter(|at| !beside.switches.contains(at))
            .filter(|&at| {
                let mut near = self.neighbours_of_kind(at, kind).peekable();
                near.peek().is_some() && near.all(|(near, _)| !beside.places.contains_key(&near))
            })
            .take(MOST_TWINS)
            .collect();
        let are_alike = open
            .first()
            .is_some_and(|&first| open.iter().all(|&at| self.shared(first, at, kind) > 0));
        if are_alike { open } else { Vec::new() }
    }

    /// The switches like one in other pods that their neighbours of another kind have in the same ports as those of the
    /// switch have it, and none beside it, if nearly all of them share a neighbour of the kind.
    fn in_like_ports(&self, switch: SwitchId, beside: &Holders) -> Vec<SwitchId> {
        let (own, kind) = (self.kind(switch), beside.kind);
        if kind == own {
            return Vec::new();
        }
        let is_other = |of: usize| of != kind && of != own;
        let Some((of, ports)) = self.places.told(switch).find(|&(of, _)| is_other(of)) else {
            return Vec::new();
        };
        let is_in_place = |at: SwitchId| self.places.ports(at, of) == Some(ports);
        if beside
            .switches
            .iter()
            .any(|&at| at != switch && is_in_place(at))
        {
            return Vec::new();
        }
        let switches = (0..self.kinds.len()).map(SwitchId::from_index);
        let like: Vec<SwitchId> = switches
            .filter(|&at| at != switch && self.kind(at) == own && is_in_place(at))
            .take(MOST_TWINS)
            .collect();
        let mut counts: BTreeMap<SwitchId, usize> = BTreeMap::new();
        for &at in &like {
            for (there, _) in self.neighbours_of_kind(at, kind) {
                *counts.entry(there).or_default() += 1;
            }
        }
        let most = counts.into_values().max().unwrap_or(0);
        if 4 * most >= 3 * like.len() {
            like
        } else {
            Vec::new()
        }
    }

    /// The kinds that switches of one are joined to.
    fn joined_to(&self, kind: usize) -> impl Iterator<Item = usize> + use<'_> {
        let of_kind = self.joined.iter().filter(move |pair| pair.contains(&kind));
        of_kind.map(move |&[one, other]| if one == kind { other } else { one })
    }

    /// The neighbours of a kind, by port, that one of two switches has and the other has not.
    fn differing_ports(&self, one: SwitchId, other: SwitchId, kind: usize) -> usize {
        let [own, theirs] = [one, other].map(|at| &self.cables[at.index()]);
        let by_port = own.symmetric_difference(theirs);
        by_port.filter(|(_, near)| self.kind(*near) == kind).count()
    }

    /// The switches of the kind of one that share half of its neighbours of other kinds than the one given, or more.
    fn beside(&self, switch: SwitchId, but: usize, shared: &mut [usize]) -> Vec<SwitchId> {
        let own = self.neighbours(switch).keys().copied();
        let own: Vec<SwitchId> = own.filter(|&near| self.kind(near) != but).collect();
        let mut beside = self.sharing(switch, &own, shared);
        beside.retain(|&(count, _)| 2 * count >= own.len());
        beside.sort_unstable_by_key(|of| of.1);
        beside.into_iter().map(|(_, other)| other).collect()
    }

    /// The neighbours of a kind that two switches share.
    fn shared(&self, one: SwitchId, other: SwitchId, kind: usize) -> usize {
        let theirs = self.neighbours(other);
        let own = self.neighbours_of_kind(one, kind);
        own.filter(|(near, _)| theirs.contains_key(near)).count()
    }

    /// Ways of two and of three links from one switch to another.
    pub(super) fn ways(&self, from: SwitchId, to: SwitchId) -> [usize; 2] {
        let (own, others) = (self.neighbours(from), self.neighbours(to));
        let two = own.keys().filter(|id| others.contains_key(id)).count();
        let three = own.keys().filter(|&&near| near != to).map(|&near| {
            let ahead = self.neighbours(near);
            others
                .keys()
                .filter(|&&far| far != from && ahead.contains_key(&far))
                .count()
        });
        [two, three.sum()]
    }
}

/// Switches with what they are joined to of a kind.
struct Holders {
    kind: usize,
    switches: Vec<SwitchId>,
    /// Per switch: how many neighbours of the kind.
    counts: Vec<usize>,
    /// Per neighbour of the kind: the places of those that it is joined to.
    places: BTreeMap<SwitchId, Vec<usize>>,
}

impl Holders {
    fn of(near: &Surroundings, switches: Vec<SwitchId>, kind: usize) -> Self {
        let mut places: BTreeMap<SwitchId, Vec<usize>> = BTreeMap::new();
        let mut counts = vec![0; switches.len()];
        for (place, &switch) in switches.iter().enumerate() {
            for (there, _) in near.neighbours_of_kind(switch, kind) {
                places.entry(there).or_default().push(place);
                counts[place] += 1;
            }
        }
        Self {
            kind,
            switches,
            counts,
            places,
        }
    }

    /// How many of them, but for a twin itself, differ from it less than another that so many neighbours are told of which
    /// one of the two has and the other has not: in neighbours, or in as many and then in ports.
    fn nearer_than(
        &self,
        near: &Surroundings,
        (other, apart): (SwitchId, usize),
        twin: SwitchId,
    ) -> usize {
        let mut common = vec![0; self.switches.len()];
        let mut theirs = 0;
        for (there, _) in near.neighbours_of_kind(twin, self.kind) {
            theirs += 1;
            for &place in self.places.get(&there).into_iter().flatten() {
                common[place] += 1;
            }
        }
        let mut by_port = None;
        let mut is_nearer = |place: usize| {
            let switch = self.switches[place];
            match (self.counts[place] + theirs - 2 * common[place]).cmp(&apart) {
                Ordering::Less => true,
                Ordering::Greater => false,
                Ordering::Equal => {
                    let ports = |at| near.differing_ports(at, twin, self.kind);
                    ports(switch) < *by_port.get_or_insert_with(|| ports(other))
                }
            }
        };
        (0..self.switches.len())
            .filter(|&place| self.switches[place] != twin && is_nearer(place))
            .count()
    }
}
