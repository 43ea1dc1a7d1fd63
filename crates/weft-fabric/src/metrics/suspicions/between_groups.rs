//! Cables that are missing between groups whose spines are joined, as those of a dragonfly+.

use super::missing::Search;
use super::peers::is_most;
use crate::{PortNumber, SwitchId};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Of ports, so many tenths have the cable to the group to which most of their number have it, where ports tell it.
const ALIKE_TENTHS: usize = 9;

/// Cables that a pattern tells of: of one switch, or between two.
type Counts<K> = BTreeMap<K, usize>;

/// Two groups, the lower number first.
type Groups = [usize; 2];

impl Search<'_, '_> {
    /// Takes the cables that two groups have fewer than others between them, as far as it is known which spines lack
    /// them.
    ///
    /// Most spines have as many cables to each other group, or else most pairs of groups as many between them.
    pub(super) fn between_groups(&mut self) {
        let mut spines = Spines::of(self);
        if let Some(usual) = spines.usual_of_spine() {
            for pair in spines.pairs() {
                let lacks = [pair, [pair[1], pair[0]]].map(|[here, there]| {
                    let lack = |spine: SwitchId| usual.saturating_sub(spines.cables(spine, there));
                    self.lacking(&spines, here, lack)
                });
                self.join_spines(&mut spines, pair, lacks);
            }
        } else if let (Some(of_pair), Some(of_spine)) =
            (spines.usual_of_pair(), spines.usual_of_all())
        {
            while self.join_pairs(&mut spines, of_pair, of_spine) {}
        }
    }

    /// The spines of a group with room that lack cables, and how many.
    fn lacking(
        &self,
        spines: &Spines,
        group: usize,
        lack: impl Fn(SwitchId) -> usize,
    ) -> Counts<SwitchId> {
        let all = spines.of_group[&group].iter();
        let all = all.map(|&spine| (spine, lack(spine)));
        all.filter(|&(spine, lack)| lack > 0 && self.has_room(spine))
            .collect()
    }

    /// Takes the cables between the groups that have fewer than `of_pair` between them, where the spines that have fewer
    /// than `of_spine` to all groups are as few, and lack none to others; and tells whether there were any.
    fn join_pairs(&mut self, spines: &mut Spines, of_pair: usize, of_spine: usize) -> bool {
        let mut known = Vec::new();
        let mut wanted: Counts<SwitchId> = BTreeMap::new();
        let lack = |spines: &Spines, spine| of_spine.saturating_sub(spines.all(spine));
        for pair in spines.pairs() {
            let found = spines.between.get(&pair).copied().unwrap_or(0);
            let most = of_pair.saturating_sub(found);
            let of_group =
                |group| self.lacking(spines, group, |spine| lack(spines, spine).min(most));
            let mut lacks = pair.map(of_group);
            let [ones, others] = lacks.clone();
            lacks[0].retain(|&one, _| others.keys().any(|&other| spines.fit(one, other)));
            lacks[1].retain(|&other, _| ones.keys().any(|&one| spines.fit(one, other)));
            let is_as_many = |lacks: &Counts<SwitchId>| lacks.values().sum::<usize>() == most;
            if most > 0 && lacks.iter().all(is_as_many) {
                for (&spine, lack) in lacks.iter().flatten() {
                    *wanted.entry(spine).or_default() += lack;
                }
                known.push((pair, lacks));
            }
        }
        known.retain(|(_, lacks)| {
            let mut ends = lacks.iter().flatten();
            ends.all(|(spine, _)| wanted[spine] <= lack(spines, *spine))
        });
        let before = self.found.len();
        for (pair, lacks) in known {
            self.join_spines(spines, pair, lacks);
        }
        self.found.len() > before
    }

    /// Takes the cables between two groups where it is known which two spines lack one: by a cable that is left of the
    /// trunk, by the ports, or as no other spine at an end lacks any.
    fn join_spines(&mut self, spines: &mut Spines, pair: Groups, mut lacks: [Counts<SwitchId>; 2]) {
        loop {
            let found = self
                .rest_of_trunk(spines, &lacks)
                .or_else(|| self.by_ports_of_groups(spines, pair, &lacks))
                .or_else(|| the_only(&lacks));
            let Some(ends) = found else { return };
            let there = |end: usize| pair[1 - end];
            let ports = [0, 1].map(|end| {
                let port = self.port_towards(spines, ends[end], there(end));
                if let Some(port) = port {
                    return vec![port];
                }
                let ports = self.lacked(ends[end]);
                if ports.is_empty() {
                    self.likely_ports(ends[end], ends[1 - end])
                } else {
                    ports
                }
            });
            for (lacks, spine) in lacks.iter_mut().zip(ends) {
                if let Some(lack) = lacks.get_mut(&spine) {
                    *lack -= 1;
                }
                lacks.retain(|_, lack| *lack > 0);
            }
            if ports.iter().all(|ports| !ports.is_empty()) {
                self.take(ends, ports);
                spines.count(ends, pair);
                spines.count([ends[1], ends[0]], [pair[1], pair[0]]);
            }
        }
    }

    /// Two spines of which a trunk has some of its cables left, the first where there is one choice.
    fn rest_of_trunk(
        &self,
        spines: &Spines,
        lacks: &[Counts<SwitchId>; 2],
    ) -> Option<[SwitchId; 2]> {
        let usual = spines.usual_trunk?;
        let is_rest = |one: SwitchId, other: SwitchId| {
            let links = self.pattern.links(one, other);
            links > 0 && links + self.found_between(one, other) < usual
        };
        let of = |one: SwitchId, others: &Counts<SwitchId>| {
            let mut rests = others.keys().filter(|&&other| is_rest(one, other));
            let first = rests.next().copied();
            first.filter(|_| rests.next().is_none())
        };
        lacks[0].keys().find_map(|&one| {
            let other = of(one, &lacks[1])?;
            (of(other, &lacks[0]) == Some(one)).then_some([one, other])
        })
    }

    /// Two spines whose ports without a cable are those which cables between their groups join elsewhere.
    fn by_ports_of_groups(
        &self,
        spines: &Spines,
        pair: Groups,
        lacks: &[Counts<SwitchId>; 2],
    ) -> Option<[SwitchId; 2]> {
        let joined = spines.ports.get(&pair)?;
        let sockets = |end: usize| {
            let towards = pair[1 - end];
            let of_spine = move |&spine: &SwitchId| {
                let port = self.port_towards(spines, spine, towards)?;
                Some((spine, port))
            };
            lacks[end].keys().filter_map(of_spine)
        };
        sockets(0).find_map(|(one, port)| {
            let mut fars = joined.iter().filter(|ports| ports[0] == port);
            let far = fars.next().map(|ports| ports[1])?;
            if fars.any(|ports| ports[1] != far) {
                return None;
            }
            let mut fit = sockets(1).filter(|&(_, port)| port == far);
            let other = fit.next().map(|(other, _)| other)?;
            let mut rivals = sockets(0).filter(|&(_, other)| other == port);
            let is_only = fit.next().is_none() && rivals.nth(1).is_none();
            is_only.then_some([one, other])
        })
    }

    /// The first free port of a spine in which others of its group have a cable to another group.
    fn port_towards(&self, spines: &Spines, spine: SwitchId, group: usize) -> Option<PortNumber> {
        let own = spines.group_of[spine.index()]?;
        let mut ports = self.pattern.dark(spine);
        ports.find(|&port| self.is_free((spine, port)) && spines.leads_to(own, port) == Some(group))
    }
}

/// Two spines that alone lack cables between their groups, or one that all of the other group lack them to.
fn the_only(lacks: &[Counts<SwitchId>; 2]) -> Option<[SwitchId; 2]> {
    let sums = lacks.each_ref().map(|lacks| lacks.values().sum::<usize>());
    let is_known = sums[0] == sums[1] && lacks.iter().any(|lacks| lacks.len() == 1);
    let first = |lacks: &Counts<SwitchId>| lacks.keys().next().copied();
    is_known.then_some([first(&lacks[0])?, first(&lacks[1])?])
}

/// The spines of groups, and the cables between them.
struct Spines {
    group_of: Vec<Option<usize>>,
    of_group: BTreeMap<usize, Vec<SwitchId>>,
    /// Cables of a spine to another group, those that are known to be missing among them.
    to_group: Counts<(SwitchId, usize)>,
    /// Cables between two groups, and the ports that they join, that of the lower number first.
    between: Counts<Groups>,
    ports: BTreeMap<Groups, Vec<[PortNumber; 2]>>,
    /// By group, port, and the group that a cable leads to: spines.
    led: BTreeMap<(usize, PortNumber), Counts<usize>>,
    /// Whether nearly all cables lead to the group to which others of the port do.
    are_ports_alike: bool,
    /// Per spine: the port of leaves that most of its cables lie in there.
    places: Counts<SwitchId>,
    /// Places of spines that cables between groups join.
    joined_places: Counts<[usize; 2]>,
    /// Cables that most pairs of joined spines have.
    usual_trunk: Option<usize>,
}

impl Spines {
    fn of(search: &Search<'_, '_>) -> Self {
        let group_of = search.group_of;
        let mut spines = Self {
            group_of: group_of.to_vec(),
            of_group: BTreeMap::new(),
            to_group: BTreeMap::new(),
            between: BTreeMap::new(),
            ports: BTreeMap::new(),
            led: BTreeMap::new(),
            are_ports_alike: false,
            places: BTreeMap::new(),
            joined_places: BTreeMap::new(),
            usual_trunk: None,
        };
        let mut trunks: Counts<[SwitchId; 2]> = BTreeMap::new();
        for spine in search.fabric.switch_ids() {
            let Some(group) = group_of[spine.index()] else {
                continue;
            };
            spines.of_group.entry(group).or_default().push(spine);
            let mut of_leaves: Counts<usize> = BTreeMap::new();
            for hop in search.fabric.hops(spine) {
                let there = group_of[hop.switch.index()].filter(|&there| there != group);
                let Some(there) = there else {
                    let far = search.fabric.target(hop.channel).port;
                    *of_leaves.entry(far.index()).or_default() += 1;
                    continue;
                };
                spines.count([spine, hop.switch], [group, there]);
                let led = spines.led.entry((group, hop.port)).or_default();
                *led.entry(there).or_default() += 1;
                if group < there {
                    let far = search.fabric.target(hop.channel).port;
                    let ports = spines.ports.entry([group, there]).or_default();
                    ports.push([hop.port, far]);
                    *trunks.entry([spine, hop.switch]).or_default() += 1;
                }
            }
            let most = of_leaves
                .into_iter()
                .max_by_key(|&(port, count)| (count, Reverse(port)));
            spines.places.extend(most.map(|(port, _)| (spine, port)));
        }
        for pair in trunks.keys() {
            if let Some(places) = spines.places_of(*pair) {
                *spines.joined_places.entry(places).or_default() += 1;
            }
        }
        spines.usual_trunk = usual(trunks.into_values());
        let (mut alike, mut all) = (0, 0);
        for led in spines.led.values() {
            alike += led.values().max().copied().unwrap_or(0);
            all += led.values().sum::<usize>();
        }
        spines.are_ports_alike = ALIKE_TENTHS * all <= 10 * alike;
        for ends in &search.found {
            let [one, other] = ends.each_ref().map(|end| end.switch);
            for ends in [[one, other], [other, one]] {
                if let [Some(here), Some(there)] = ends.map(|end| group_of[end.index()])
                    && here != there
                {
                    spines.count(ends, [here, there]);
                }
            }
        }
        spines
    }

    /// Counts a cable at one of its ends.
    fn count(&mut self, [spine, _]: [SwitchId; 2], [group, there]: Groups) {
        *self.to_group.entry((spine, there)).or_default() += 1;
        if group < there {
            *self.between.entry([group, there]).or_default() += 1;
        }
    }

    /// The places of two spines, the lower first.
    fn places_of(&self, pair: [SwitchId; 2]) -> Option<[usize; 2]> {
        let [one, other] = pair.map(|spine| self.places.get(&spine).copied());
        let mut places = [one?, other?];
        places.sort_unstable();
        Some(places)
    }

    /// Tells whether spines in the places of two are joined elsewhere.
    fn fit(&self, one: SwitchId, other: SwitchId) -> bool {
        let places = self.places_of([one, other]);
        places.is_none_or(|places| self.joined_places.get(&places) > Some(&1))
    }

    /// Cables of a spine to another group.
    fn cables(&self, spine: SwitchId, group: usize) -> usize {
        self.to_group.get(&(spine, group)).copied().unwrap_or(0)
    }

    /// Cables of a spine to all other groups.
    fn all(&self, spine: SwitchId) -> usize {
        let groups = self.of_group.keys();
        groups.map(|&group| self.cables(spine, group)).sum()
    }

    fn pairs(&self) -> Vec<Groups> {
        let groups: Vec<usize> = self.of_group.keys().copied().collect();
        let of_first = |(place, &one): (usize, &usize)| {
            let others = groups[place + 1..].iter();
            others.map(move |&other| [one, other]).collect::<Vec<_>>()
        };
        groups.iter().enumerate().flat_map(of_first).collect()
    }

    /// Cables that most spines have to each other group.
    fn usual_of_spine(&self) -> Option<usize> {
        let of_spine = |(&group, spines): (&usize, &Vec<SwitchId>)| {
            let others: Vec<usize> = self.of_group.keys().copied().collect();
            let others = others.into_iter().filter(|&other| other != group);
            let pairs = others.flat_map(|other| spines.iter().map(move |&spine| (spine, other)));
            pairs
                .map(|(spine, other)| self.cables(spine, other))
                .collect::<Vec<_>>()
        };
        usual(self.of_group.iter().flat_map(of_spine))
    }

    /// Cables that most pairs of groups have between them.
    fn usual_of_pair(&self) -> Option<usize> {
        let pairs = self.pairs().into_iter();
        usual(pairs.map(|pair| self.between.get(&pair).copied().unwrap_or(0)))
    }

    /// Cables that most spines have to all other groups together.
    fn usual_of_all(&self) -> Option<usize> {
        let spines = self.of_group.values().flatten();
        usual(spines.map(|&spine| self.all(spine)))
    }

    /// The group to which most spines of another have the cable in a port.
    fn leads_to(&self, group: usize, port: PortNumber) -> Option<usize> {
        let led = self
            .led
            .get(&(group, port))
            .filter(|_| self.are_ports_alike)?;
        let (&there, &count) = led.iter().max_by_key(|&(_, count)| count)?;
        (count > 1 && is_most(count, led.values().sum())).then_some(there)
    }
}

/// The number that most have, if it is not none.
fn usual(numbers: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: Counts<usize> = BTreeMap::new();
    for number in numbers {
        *counts.entry(number).or_default() += 1;
    }
    let all: usize = counts.values().sum();
    let (number, count) = counts.into_iter().max_by_key(|&(_, count)| count)?;
    (number > 0 && is_most(count, all)).then_some(number)
}
