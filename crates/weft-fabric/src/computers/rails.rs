//! Rails: switches that have the same adapter of every computer.

use super::{Adapter, Computer};
use crate::metrics::connected_parts;
use crate::{Fabric, HostId, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Of a hundred ends so many are on the rail of their adapter, where a fabric has rails.
const AGREEING_PERCENT: usize = 90;
/// An adapter is one of few where not one of so many computers has it of those that have the most common.
const FEW: usize = 2;
/// Of four computers named alike so many have an end on every rail, where one without is told.
const COMPLETE_OF_FOUR: usize = 3;

/// The rails of a fabric, and what contradicts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rails {
    /// The rails, by ascending adapter.
    pub rails: Vec<Rail>,
    /// Ends that are on another rail than most with their adapter, by computer.
    pub off_rail: Vec<OffRail>,
    /// Computers without an end on a rail on which those beside them have one.
    pub without_end: Vec<WithoutEnd>,
}

/// The switches that have the same adapters of the computers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rail {
    /// The adapters for people.
    pub adapters: Vec<String>,
    /// The switches, in order.
    pub switches: Vec<SwitchId>,
    /// All compute ends on these switches, in order.
    pub hosts: Vec<HostId>,
    /// How many of these are ends of no known computer.
    pub unnamed: usize,
    /// Whether no link leads to the switches of another rail, over whatever switches.
    pub is_apart: bool,
}

/// An end on another rail than most with its adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffRail {
    /// The end.
    pub host: HostId,
    /// The rail it is on, by its switch.
    pub found: usize,
    /// The rail of its adapter.
    pub expected: usize,
}

/// A computer without an end on a rail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithoutEnd {
    /// The computer's name.
    pub computer: String,
    /// The rail.
    pub rail: usize,
    /// The switch of the rail that most of the computers beside it hang on.
    pub switch: SwitchId,
}

impl Rails {
    /// Finds the rails of a fabric by its computers; `None` where it has none: few computers have several
    /// ends, or these hang on the same switches, or on switches that have other adapters of others.
    pub fn of(fabric: &Fabric, computers: &[Computer]) -> Option<Self> {
        let several: Vec<&Computer> = computers.iter().filter(|c| c.hosts.len() > 1).collect();
        if several.len() < 2 {
            return None;
        }
        let classes = Classes::of(fabric, &several);
        if classes.count < 2 {
            return None;
        }
        let rail_of = switches_by_class(fabric, &several, &classes)?;
        let parts = part_of_switch(fabric);
        let known: BTreeSet<HostId> = computers
            .iter()
            .flat_map(|c| c.hosts.iter().copied())
            .collect();
        let rails = (0..classes.count).map(|rail| {
            let of_rail = rail_of.iter().filter(|&(_, &other)| other == rail);
            let switches: Vec<SwitchId> = of_rail.map(|(&switch, _)| switch).collect();
            let hosts = switches
                .iter()
                .flat_map(|&switch| fabric.hosts_of(switch))
                .copied();
            let mut hosts: Vec<HostId> = hosts.filter(|&host| !fabric.is_service(host)).collect();
            hosts.sort_unstable();
            let is_elsewhere = |(switch, &other): (&SwitchId, &usize)| {
                other != rail
                    && switches
                        .iter()
                        .any(|here| parts[here.index()] == parts[switch.index()])
            };
            Rail {
                adapters: classes.describe(rail),
                unnamed: hosts.iter().filter(|host| !known.contains(host)).count(),
                is_apart: !rail_of.iter().any(is_elsewhere),
                switches,
                hosts,
            }
        });
        let mut found = Self {
            rails: rails.collect(),
            off_rail: Vec::new(),
            without_end: Vec::new(),
        };
        found.off_rail = off_rail(fabric, &several, &classes, &rail_of);
        found.without_end = without_end(fabric, computers, &rail_of, &found);
        Some(found)
    }
}

/// Adapters that lead to the same switch are of one class; those of few computers, such as for storage,
/// are of none.
struct Classes<'a> {
    of: BTreeMap<&'a Adapter, usize>,
    count: usize,
}

impl<'a> Classes<'a> {
    /// Puts adapters into one class that most computers with both have at the same switch. Classes are in
    /// the order of their first adapters.
    fn of(fabric: &Fabric, computers: &[&'a Computer]) -> Self {
        let mut having: BTreeMap<&Adapter, usize> = BTreeMap::new();
        for adapter in computers.iter().flat_map(|computer| &computer.adapters) {
            *having.entry(adapter).or_insert(0) += 1;
        }
        let most = having.values().copied().max().unwrap_or(0);
        having.retain(|_, computers| *computers * FEW >= most);
        let mut pairs: BTreeMap<[&Adapter; 2], [usize; 2]> = BTreeMap::new();
        for computer in computers {
            let ends = ends(fabric, computer).filter(|(adapter, _)| having.contains_key(adapter));
            let ends: Vec<(&Adapter, SwitchId)> = ends.collect();
            for (number, &(one, here)) in ends.iter().enumerate() {
                for &(other, there) in &ends[number + 1..] {
                    let [together, same] = pairs.entry([one, other]).or_default();
                    *together += 1;
                    *same += usize::from(here == there);
                }
            }
        }
        let mut of: BTreeMap<&Adapter, usize> = having
            .keys()
            .enumerate()
            .map(|(class, &adapter)| (adapter, class))
            .collect();
        for ([one, other], [together, same]) in pairs {
            let (low, high) = (of[one].min(of[other]), of[one].max(of[other]));
            if 2 * same > together && low < high {
                of.values_mut()
                    .filter(|class| **class == high)
                    .for_each(|class| *class = low);
            }
        }
        let left: BTreeSet<usize> = of.values().copied().collect();
        let numbers: BTreeMap<usize, usize> =
            left.iter().enumerate().map(|(n, &c)| (c, n)).collect();
        for class in of.values_mut() {
            *class = numbers[class];
        }
        Self {
            of,
            count: left.len(),
        }
    }

    fn describe(&self, class: usize) -> Vec<String> {
        let of_class = self.of.iter().filter(|&(_, &other)| other == class);
        of_class.map(|(adapter, _)| adapter.describe()).collect()
    }
}

/// The adapters of a computer with the switches they hang on.
fn ends<'a>(
    fabric: &Fabric,
    computer: &'a Computer,
) -> impl Iterator<Item = (&'a Adapter, SwitchId)> {
    let switches = computer.hosts.iter().map(|&host| fabric.host_switch(host));
    computer.adapters.iter().zip(switches)
}

/// The class that most ends of each switch are of; `None` where too many ends are of another, or a class
/// has no switch.
fn switches_by_class(
    fabric: &Fabric,
    computers: &[&Computer],
    classes: &Classes<'_>,
) -> Option<BTreeMap<SwitchId, usize>> {
    let mut votes: BTreeMap<SwitchId, Vec<usize>> = BTreeMap::new();
    for (adapter, switch) in computers.iter().flat_map(|computer| ends(fabric, computer)) {
        if let Some(&class) = classes.of.get(adapter) {
            votes
                .entry(switch)
                .or_insert_with(|| vec![0; classes.count])[class] += 1;
        }
    }
    let all: usize = votes.values().flatten().sum();
    let agreeing: usize = votes
        .values()
        .filter_map(|counts| counts.iter().max())
        .sum();
    if 100 * agreeing < AGREEING_PERCENT * all {
        return None;
    }
    let rail_of: BTreeMap<SwitchId, usize> = votes
        .into_iter()
        .filter_map(|(switch, counts)| {
            let most = *counts.iter().max()?;
            Some((switch, counts.iter().position(|&count| count == most)?))
        })
        .collect();
    let with_switch: BTreeSet<usize> = rail_of.values().copied().collect();
    (with_switch.len() == classes.count).then_some(rail_of)
}

/// Per switch the part of the fabric it is in.
fn part_of_switch(fabric: &Fabric) -> Vec<usize> {
    let mut parts = vec![0; fabric.switch_count()];
    for (number, part) in connected_parts(fabric).into_iter().enumerate() {
        for switch in part {
            parts[switch.index()] = number;
        }
    }
    parts
}

/// Ends on another rail than their adapter's, of computers that have an end for every rail but one at
/// most: those with fewer are of another kind, and count their adapters otherwise.
fn off_rail(
    fabric: &Fabric,
    computers: &[&Computer],
    classes: &Classes<'_>,
    rail_of: &BTreeMap<SwitchId, usize>,
) -> Vec<OffRail> {
    let mut off = Vec::new();
    let of_kind = computers
        .iter()
        .filter(|computer| computer.hosts.len() + 1 >= classes.count);
    for computer in of_kind {
        let ends = ends(fabric, computer).zip(&computer.hosts);
        off.extend(ends.filter_map(|((adapter, switch), &host)| {
            let (found, expected) = (*rail_of.get(&switch)?, *classes.of.get(adapter)?);
            (found != expected).then_some(OffRail {
                host,
                found,
                expected,
            })
        }));
    }
    off
}

/// Computers without an end on one rail, where most that are named alike have one on all, and none of those beside it
/// that nobody named can be it.
fn without_end(
    fabric: &Fabric,
    computers: &[Computer],
    rail_of: &BTreeMap<SwitchId, usize>,
    found: &Rails,
) -> Vec<WithoutEnd> {
    let rails_of = |computer: &Computer| -> BTreeMap<usize, SwitchId> {
        let ends = ends(fabric, computer);
        ends.filter_map(|(_, switch)| Some((*rail_of.get(&switch)?, switch)))
            .collect()
    };
    let on: Vec<BTreeMap<usize, SwitchId>> = computers.iter().map(rails_of).collect();
    let all = found.rails.len();
    // How many there are of a kind, and with an end on every rail. Where there are two rails, what has one end may well
    // be meant so: a node to log in or to manage by, which has a name of its own.
    let mut kinds: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (computer, rails) in computers.iter().zip(&on) {
        let [count, complete] = kinds.entry(kind(computer)).or_default();
        *count += 1;
        *complete += usize::from(rails.len() == all);
    }
    let known: BTreeSet<HostId> = computers
        .iter()
        .flat_map(|c| c.hosts.iter().copied())
        .collect();
    let has_unnamed = |switch: SwitchId| {
        let mut hosts = fabric.hosts_of(switch).iter();
        hosts.any(|host| !fabric.is_service(*host) && !known.contains(host))
    };
    let mut without = Vec::new();
    for (computer, rails) in computers.iter().zip(&on) {
        let [count, complete] = kinds[&kind(computer)];
        if rails.len() + 1 != all || 4 * complete < COMPLETE_OF_FOUR * count {
            continue;
        }
        for rail in (0..all).filter(|rail| !rails.contains_key(rail)) {
            let beside = on.iter().filter(|other| {
                rails
                    .iter()
                    .any(|(here, switch)| other.get(here) == Some(switch))
            });
            let mut counts: BTreeMap<SwitchId, usize> = BTreeMap::new();
            for &switch in beside.filter_map(|other| other.get(&rail)) {
                *counts.entry(switch).or_insert(0) += 1;
            }
            let most = counts
                .into_iter()
                .max_by_key(|&(switch, count)| (count, std::cmp::Reverse(switch)));
            if let Some((switch, _)) = most.filter(|&(switch, _)| !has_unnamed(switch)) {
                without.push(WithoutEnd {
                    computer: computer.name.clone(),
                    rail,
                    switch,
                });
            }
        }
    }
    without
}

/// What the names of computers of a kind have in common: all but numbers.
fn kind(computer: &Computer) -> String {
    let name = computer.name.chars();
    name.filter(|c| !c.is_ascii_digit()).collect()
}
