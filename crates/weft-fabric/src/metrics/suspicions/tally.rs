//! Cables between switches in groups, counted by groups, by switches and by pairs of switches.

use super::group_cable::Cable;
use super::pattern::Socket;
use super::peers::is_most;
use super::port_rule::PortRule;
use super::spines::{Counts, Groups, PlaceRule};
use crate::{Fabric, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// So many tenths of single switches, or of pairs of them, have as many cables where a design has them so.
const ALIKE_TENTHS: usize = 9;

/// Two cables that exchanged an end leave four counts one off, or two ports of a group in each other's place, or join
/// switches in places that are not joined elsewhere.
const LEAST_COUNTS: usize = 4;
const LEAST_PORTS: usize = 2;

/// What a cable counts towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Count {
    /// The cables between two groups.
    Groups(Groups),
    /// Those of a switch to another group.
    Reach(SwitchId, usize),
    /// Those between two switches, the lower id first.
    Trunk([SwitchId; 2]),
}

/// The cables between switches of groups, and how many most have of each count.
pub(super) struct Tally<'g> {
    group_of: &'g [Option<usize>],
    counts: Counts<Count>,
    /// Between two groups; of a switch to another group; between two switches that are joined, of two groups, where these
    /// are several; and between two of one group. `None` where they do not agree.
    of_groups: Option<usize>,
    of_reach: Option<usize>,
    of_trunk: Option<usize>,
    within: Option<usize>,
    /// Switches that lack a cable to another of their group, as the fabric is.
    lacking: BTreeSet<SwitchId>,
    ports: PortRule,
    places: PlaceRule,
}

impl<'g> Tally<'g> {
    /// Shapes: `group_of`, per switch.
    pub(super) fn of(
        fabric: &Fabric,
        group_of: &'g [Option<usize>],
        cables: &[Cable],
        places: PlaceRule,
    ) -> Self {
        let mut members: Counts<usize> = BTreeMap::new();
        for &group in group_of.iter().flatten() {
            *members.entry(group).or_default() += 1;
        }
        let mut tally = Self {
            group_of,
            counts: BTreeMap::new(),
            of_groups: None,
            of_reach: None,
            of_trunk: None,
            within: None,
            lacking: BTreeSet::new(),
            ports: PortRule::of(fabric, group_of, cables),
            places,
        };
        for cable in cables {
            tally.add(cable.ends);
        }
        let groups = members.len();
        let switches: usize = members.values().sum();
        let pairs_within: usize = members.values().map(|&size| size * (size - 1) / 2).sum();
        let numbers = |is_of: &dyn Fn(&Count) -> bool| -> Vec<usize> {
            let of_kind = tally.counts.iter().filter(|(count, _)| is_of(count));
            of_kind.map(|(_, &number)| number).collect()
        };
        let is_within =
            |count: &Count| matches!(count, Count::Trunk(ends) if tally.is_within(*ends));
        let of_groups = numbers(&|count| matches!(count, Count::Groups(_)));
        let of_reach = numbers(&|count| matches!(count, Count::Reach(..)));
        let of_trunk = numbers(&|count| matches!(count, Count::Trunk(_)) && !is_within(count));
        let within = numbers(&is_within);
        let is_nearly_all = |part: usize, all: usize| 10 * part >= ALIKE_TENTHS * all;
        let joined = of_trunk.len();
        tally.of_groups =
            most(of_groups, groups * groups.saturating_sub(1) / 2, is_most).filter(|&n| n > 0);
        tally.of_reach =
            most(of_reach, switches * groups.saturating_sub(1), is_nearly_all).filter(|&n| n > 0);
        tally.of_trunk = most(of_trunk, joined, is_nearly_all).filter(|&n| n > 1);
        tally.within = most(within, pairs_within, is_nearly_all);
        tally.lacking = tally.lacking_within();
        tally
    }

    /// The switches that have fewer cables to another of their group than most have.
    fn lacking_within(&self) -> BTreeSet<SwitchId> {
        let mut lacking = BTreeSet::new();
        let Some(usual) = self.within.filter(|&usual| usual > 0) else {
            return lacking;
        };
        let mut members: BTreeMap<usize, Vec<SwitchId>> = BTreeMap::new();
        for (switch, group) in self.group_of.iter().enumerate() {
            if let Some(group) = group {
                let of_group = members.entry(*group).or_default();
                of_group.push(SwitchId::from_index(switch));
            }
        }
        for switches in members.values() {
            for (place, &one) in switches.iter().enumerate() {
                for &other in &switches[place + 1..] {
                    if self.number(Count::Trunk([one, other])) < usual {
                        lacking.extend([one, other]);
                    }
                }
            }
        }
        lacking
    }

    /// Counts a cable.
    pub(super) fn add(&mut self, ends: [Socket; 2]) {
        for count in self.counts_of(ends) {
            *self.counts.entry(count).or_default() += 1;
        }
    }

    /// Takes a cable back.
    pub(super) fn take(&mut self, ends: [Socket; 2]) {
        for count in self.counts_of(ends) {
            if let Some(number) = self.counts.get_mut(&count) {
                *number = number.saturating_sub(1);
            }
        }
    }

    /// The group of a switch.
    pub(super) fn group(&self, switch: SwitchId) -> Option<usize> {
        self.group_of[switch.index()]
    }

    fn is_within(&self, ends: [SwitchId; 2]) -> bool {
        let [one, other] = ends.map(|switch| self.group(switch));
        one == other
    }

    fn counts_of(&self, ends: [Socket; 2]) -> Vec<Count> {
        let mut switches = ends.map(|(switch, _)| switch);
        let [one, other] = switches.map(|switch| self.group(switch));
        let (Some(one), Some(other)) = (one, other) else {
            return Vec::new();
        };
        let reach = [
            Count::Reach(switches[0], other),
            Count::Reach(switches[1], one),
        ];
        switches.sort_unstable();
        let trunk = Count::Trunk(switches);
        if one == other {
            return vec![trunk];
        }
        let groups = Count::Groups([one.min(other), one.max(other)]);
        vec![groups, reach[0], reach[1], trunk]
    }

    /// How far so many cables are from what most have, and whether there are some that should not be.
    fn off(&self, count: Count, number: usize) -> (usize, bool) {
        let usual = match count {
            Count::Groups(_) => self.of_groups,
            Count::Reach(..) => self.of_reach,
            Count::Trunk(ends) if self.is_within(ends) => self.within,
            // Two switches of two groups are joined as others are, or not at all.
            Count::Trunk(_) => {
                let usual = self.of_trunk;
                return usual.map_or((0, false), |usual| {
                    let off = number.min(number.abs_diff(usual));
                    (off, off > 0)
                });
            }
        };
        usual.map_or((0, false), |usual| (number.abs_diff(usual), number > usual))
    }

    /// Tells whether a cable is one of more than there should be.
    pub(super) fn is_too_many(&self, ends: [Socket; 2]) -> bool {
        let counts = self.counts_of(ends).into_iter();
        let mut off = counts.map(|count| self.off(count, self.number(count)));
        off.any(|(_, is_over)| is_over)
    }

    /// Tells whether a port of a cable leads to another group than such ports do elsewhere, or switches in such places are
    /// not joined elsewhere.
    pub(super) fn is_misled(&self, ends: [Socket; 2]) -> bool {
        self.misled(ends) != [false; 2] || self.is_misplaced(ends)
    }

    /// Tells whether a cable may have exchanged an end with another: it is too many, leads elsewhere than it should, or is
    /// of a switch that lacks one to another of its group.
    pub(super) fn may_be_wrong(&self, ends: [Socket; 2]) -> bool {
        let mut switches = ends.iter().map(|(switch, _)| switch);
        self.is_too_many(ends)
            || self.is_misled(ends)
            || switches.any(|switch| self.lacking.contains(switch))
    }

    fn is_misplaced(&self, ends: [Socket; 2]) -> bool {
        let [one, other] = ends.map(|(switch, _)| switch);
        self.group(one) != self.group(other) && !self.places.fit(one, other)
    }

    fn number(&self, count: Count) -> usize {
        self.counts.get(&count).copied().unwrap_or(0)
    }

    /// Of each end of a cable, whether such ports lead to another group elsewhere.
    fn misled(&self, ends: [Socket; 2]) -> [bool; 2] {
        let [one, other] = ends;
        [[one, other], [other, one]].map(|[here, there]| {
            let told = self.ports.expected(here);
            told.is_some_and(|told| Some(told) != self.group(there.0))
        })
    }

    /// How much nearer counts and ports come to what most have where two cables exchange ends, the second cables given being
    /// what the first become; `None` where any goes further from it, or too few come nearer to say that they did.
    pub(super) fn gain(&self, before: [[Socket; 2]; 2], after: [[Socket; 2]; 2]) -> Option<usize> {
        if after.iter().any(|[one, other]| one.0 == other.0) {
            return None;
        }
        let mut changes: BTreeMap<Count, isize> = BTreeMap::new();
        for (cables, change) in [(before, -1), (after, 1)] {
            for count in cables.into_iter().flat_map(|ends| self.counts_of(ends)) {
                *changes.entry(count).or_default() += change;
            }
        }
        let mut gain = 0;
        for (count, change) in changes {
            let number = self.number(count);
            let off = self.off(count, number).0;
            let then = self.off(count, number.saturating_add_signed(change)).0;
            // Within a group two counts alone tell of it, as between groups nothing may change.
            let weight = match count {
                Count::Trunk(ends) if self.is_within(ends) => 2,
                _ => 1,
            };
            gain += weight * off.checked_sub(then)?;
        }
        // Each end stands in both.
        let misled = |cables: [[Socket; 2]; 2]| -> BTreeMap<Socket, bool> {
            let ends = cables
                .into_iter()
                .map(|ends| ends.into_iter().zip(self.misled(ends)));
            ends.flatten().collect()
        };
        let then = misled(after);
        let mut ports = 0;
        for (end, is_misled) in misled(before) {
            ports += usize::from(is_misled).checked_sub(usize::from(then[&end]))?;
        }
        let misplaced = |cables: [[Socket; 2]; 2]| {
            cables
                .into_iter()
                .filter(|&ends| self.is_misplaced(ends))
                .count()
        };
        ports += misplaced(before).checked_sub(misplaced(after))?;
        (gain >= LEAST_COUNTS || ports >= LEAST_PORTS).then_some(gain + ports)
    }
}

/// The number that most of `all` have; those without any are not among the numbers.
fn most(
    numbers: Vec<usize>,
    all: usize,
    is_enough: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let mut counts: Counts<usize> = BTreeMap::new();
    counts.insert(0, all.saturating_sub(numbers.len()));
    for number in numbers {
        // Numbers of none are those of cables taken back.
        *counts.entry(number).or_default() += 1;
    }
    let (number, count) = counts.into_iter().max_by_key(|&(_, count)| count)?;
    (count > 0 && is_enough(count, all)).then_some(number)
}
