//! The spines of groups that are joined, and what the cables between them have in common.

use super::missing::Search;
use super::pattern::Socket;
use super::peers::is_most;
use crate::{PortNumber, SwitchId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Of ports, so many tenths have the cable to the group to which most of their number have it, where ports tell it; and
/// so many tenths of the cables join places of spines that a design has them join.
const ALIKE_TENTHS: usize = 9;

/// Cables that a pattern tells of: of one switch, or between two.
pub(super) type Counts<K> = BTreeMap<K, usize>;

/// Two groups, the lower number first.
pub(super) type Groups = [usize; 2];

/// Which spines of two groups are joined, where a design has cables go by their places.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaceRule {
    /// Per spine: its place in the group, by the port of leaves that most of its cables lie in there.
    places: Counts<SwitchId>,
    /// Places of spines that cables between groups join; none where there is no such rule.
    joined: BTreeSet<[usize; 2]>,
}

impl PlaceRule {
    /// The places of two spines, the lower first.
    fn places_of(&self, pair: [SwitchId; 2]) -> Option<[usize; 2]> {
        let [one, other] = pair.map(|spine| self.places.get(&spine).copied());
        let mut places = [one?, other?];
        places.sort_unstable();
        Some(places)
    }

    /// Tells whether spines in the places of two are joined elsewhere, or the design has no such rule.
    pub(super) fn fit(&self, one: SwitchId, other: SwitchId) -> bool {
        let places = self.places_of([one, other]);
        self.joined.is_empty() || places.is_none_or(|places| self.joined.contains(&places))
    }
}

/// The spines of groups, and the cables between them.
pub(super) struct Spines {
    pub(super) group_of: Vec<Option<usize>>,
    pub(super) of_group: BTreeMap<usize, Vec<SwitchId>>,
    /// Cables of a spine to another group, those that are known to be missing among them.
    to_group: Counts<(SwitchId, usize)>,
    /// Cables between two groups, and the ports that they join, that of the lower number first.
    pub(super) between: Counts<Groups>,
    pub(super) ports: BTreeMap<Groups, Vec<[PortNumber; 2]>>,
    /// By group, port, and the group that a cable leads to: spines.
    led: BTreeMap<(usize, PortNumber), Counts<usize>>,
    /// Whether nearly all cables lead to the group to which others of the port do.
    are_ports_alike: bool,
    places: PlaceRule,
    /// Cables that most pairs of joined spines have.
    pub(super) usual_trunk: Option<usize>,
}

impl Spines {
    pub(super) fn of(search: &Search<'_, '_>) -> Self {
        let group_of = search.group_of;
        let mut spines = Self {
            group_of: group_of.to_vec(),
            of_group: BTreeMap::new(),
            to_group: BTreeMap::new(),
            between: BTreeMap::new(),
            ports: BTreeMap::new(),
            led: BTreeMap::new(),
            are_ports_alike: false,
            places: PlaceRule::default(),
            usual_trunk: None,
        };
        let mut trunks: Counts<[SwitchId; 2]> = BTreeMap::new();
        for spine in search.fabric.switch_ids() {
            let Some(group) = group_of[spine.index()] else {
                continue;
            };
            spines.of_group.entry(group).or_default().push(spine);
            let mut of_leaves: Counts<usize> = BTreeMap::new();
            let mut leaves = BTreeSet::new();
            for hop in search.fabric.hops(spine) {
                let there = group_of[hop.switch.index()].filter(|&there| there != group);
                let Some(there) = there else {
                    let far = search.fabric.target(hop.channel).port;
                    *of_leaves.entry(far.index()).or_default() += 1;
                    leaves.insert(hop.switch);
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
            let told = most.filter(|&(_, count)| is_most(count, leaves.len()));
            spines
                .places
                .places
                .extend(told.map(|(port, _)| (spine, port)));
        }
        spines.rank_places();
        spines.places.joined = spines.places_joined(trunks.keys());
        let links: usize = trunks.values().sum();
        spines.usual_trunk = usual(trunks.into_values()).filter(|&trunk| trunk > 1);
        // A port that one spine of its group alone uses says nothing of others.
        let (mut alike, mut all) = (0, 0);
        for led in spines.led.values() {
            let count: usize = led.values().sum();
            if count > 1 {
                alike += led.values().max().copied().unwrap_or(0);
                all += count;
            }
        }
        spines.are_ports_alike = ALIKE_TENTHS * all <= 10 * alike && all >= links;
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
    pub(super) fn count(&mut self, [spine, _]: [SwitchId; 2], [group, there]: Groups) {
        *self.to_group.entry((spine, there)).or_default() += 1;
        if group < there {
            *self.between.entry([group, there]).or_default() += 1;
        }
    }

    /// The ends of a cable between groups, that of the lower number first.
    fn ordered(&self, ends: [Socket; 2]) -> Option<(Groups, [Socket; 2])> {
        let [one, other] = ends;
        let [here, there] = ends.map(|(spine, _)| self.group_of[spine.index()]);
        let (here, there) = (here?, there?);
        Some(if here < there {
            ([here, there], [one, other])
        } else {
            ([there, here], [other, one])
        })
    }

    /// Counts a cable at both ends.
    pub(super) fn count_cable(&mut self, ends: [Socket; 2]) {
        let Some((pair, [one, other])) = self.ordered(ends) else {
            return;
        };
        self.count([one.0, other.0], pair);
        self.count([other.0, one.0], [pair[1], pair[0]]);
        self.ports.entry(pair).or_default().push([one.1, other.1]);
    }

    /// Takes a cable back at both ends.
    pub(super) fn uncount(&mut self, ends: [Socket; 2]) {
        let Some((pair, [one, other])) = self.ordered(ends) else {
            return;
        };
        for of_spine in [(one.0, pair[1]), (other.0, pair[0])] {
            if let Some(count) = self.to_group.get_mut(&of_spine) {
                *count -= 1;
            }
        }
        if let Some(count) = self.between.get_mut(&pair) {
            *count -= 1;
        }
        if let Some(ports) = self.ports.get_mut(&pair)
            && let Some(place) = ports.iter().position(|&ports| ports == [one.1, other.1])
        {
            ports.swap_remove(place);
        }
    }

    /// Tells whether a cable between the groups of two ports joins the same ports.
    pub(super) fn joins_ports(&self, ends: [Socket; 2]) -> bool {
        self.ordered(ends).is_some_and(|(pair, [one, other])| {
            let ports = self.ports.get(&pair);
            ports.is_some_and(|ports| ports.contains(&[one.1, other.1]))
        })
    }

    /// Numbers the places of each group in their order, where its spines have one of their own each.
    fn rank_places(&mut self) {
        let mut ranked = BTreeMap::new();
        for spines in self.of_group.values() {
            let place = |spine: &SwitchId| Some((*self.places.places.get(spine)?, *spine));
            let places: BTreeMap<usize, SwitchId> = spines.iter().filter_map(place).collect();
            if places.len() == spines.len() {
                ranked.extend(places.into_values().zip(0..));
            }
        }
        self.places.places = ranked;
    }

    /// The pairs of places that cables between groups join, where a design has them go by place: spines of a group have
    /// a place of their own each, and nearly all cables join few of the pairs there are.
    fn places_joined<'a>(
        &self,
        trunks: impl Iterator<Item = &'a [SwitchId; 2]>,
    ) -> BTreeSet<[usize; 2]> {
        let of_group = self.of_group.values();
        let widest = of_group.map(Vec::len).max().unwrap_or(0);
        if self.places.places.len() < self.group_of.iter().flatten().count() {
            return BTreeSet::new();
        }
        let mut counts: Counts<[usize; 2]> = BTreeMap::new();
        for places in trunks.filter_map(|pair| self.places.places_of(*pair)) {
            *counts.entry(places).or_default() += 1;
        }
        let all: usize = counts.values().sum();
        // Those that cables plugged in crosswise join are few.
        let most = counts.values().copied().max().unwrap_or(0);
        counts.retain(|_, count| *count > 1 && 4 * *count > most);
        let joined: usize = counts.values().sum();
        let possible = widest * (widest + 1) / 2;
        let is_design = 10 * joined >= ALIKE_TENTHS * all && 2 * counts.len() <= possible;
        if is_design {
            counts.into_keys().collect()
        } else {
            BTreeSet::new()
        }
    }

    /// Which spines are joined by their places.
    pub(super) fn place_rule(&self) -> &PlaceRule {
        &self.places
    }

    /// Tells whether spines in the places of two are joined elsewhere, or the design has no such rule.
    pub(super) fn fit(&self, one: SwitchId, other: SwitchId) -> bool {
        self.places.fit(one, other)
    }

    /// Cables of a spine to another group.
    pub(super) fn cables(&self, spine: SwitchId, group: usize) -> usize {
        self.to_group.get(&(spine, group)).copied().unwrap_or(0)
    }

    /// Cables of a spine to all other groups.
    pub(super) fn all(&self, spine: SwitchId) -> usize {
        let groups = self.of_group.keys();
        groups.map(|&group| self.cables(spine, group)).sum()
    }

    pub(super) fn pairs(&self) -> Vec<Groups> {
        let groups: Vec<usize> = self.of_group.keys().copied().collect();
        let of_first = |(place, &one): (usize, &usize)| {
            let others = groups[place + 1..].iter();
            others.map(move |&other| [one, other]).collect::<Vec<_>>()
        };
        groups.iter().enumerate().flat_map(of_first).collect()
    }

    /// Cables that most spines have to each other group.
    pub(super) fn usual_of_spine(&self) -> Option<usize> {
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
    pub(super) fn usual_of_pair(&self) -> Option<usize> {
        let pairs = self.pairs().into_iter();
        usual(pairs.map(|pair| self.between.get(&pair).copied().unwrap_or(0)))
    }

    /// Cables that most spines have to all other groups together.
    pub(super) fn usual_of_all(&self) -> Option<usize> {
        let spines = self.of_group.values().flatten();
        usual(spines.map(|&spine| self.all(spine)))
    }

    /// The group to which most spines of another have the cable in a port.
    pub(super) fn leads_to(&self, group: usize, port: PortNumber) -> Option<usize> {
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
