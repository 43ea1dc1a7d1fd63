//! The roots of several up*/down* trees, each on a lane of its own.

use crate::orient::RootRule;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;
use weft_fabric::{Fabric, SwitchId, metrics};
use weft_registry::{Kind, Open};

/// How the roots of several trees are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeRoots {
    /// As far apart as can be: of two, the second as far from the first as can be; of more, all
    /// about equally far from each other.
    Apart,
    /// The same, with the first root among them.
    ApartFromFirst,
    /// The set of roots whose busiest channel is expected to carry least.
    Search,
    /// These switches, each by id or name.
    Given(Vec<RootRule>),
}

impl TreeRoots {
    /// How the roots of trees are found.
    pub(crate) const KIND: Kind = Kind::Open(Open {
        expected: Self::EXPECTED,
        words: &Self::WORDS,
        accepts: |text| text.parse::<Self>().is_ok(),
    });
    /// What a value of a parameter may be, for people.
    pub(crate) const EXPECTED: &str = "apart, apart_from_first, search, or switches joined by +, \
                                       each a switch number (12 or id:12) or name:<switch>";
    /// Values that are words.
    pub(crate) const WORDS: [&str; 3] = ["apart", "apart_from_first", "search"];
}

/// The text names no rule for the roots of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}", TreeRoots::EXPECTED)]
pub struct ParseTreeRootsError;

impl FromStr for TreeRoots {
    type Err = ParseTreeRootsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "apart" => return Ok(Self::Apart),
            "apart_from_first" => return Ok(Self::ApartFromFirst),
            "search" => return Ok(Self::Search),
            _ => {}
        }
        match text.parse() {
            Ok(RootRule::Several(roots)) => Ok(Self::Given(roots)),
            Ok(root @ (RootRule::Id(_) | RootRule::Name(_))) => Ok(Self::Given(vec![root])),
            _ => Err(ParseTreeRootsError),
        }
    }
}

/// A set of roots as a value of the parameter.
pub(crate) fn as_text(roots: &[SwitchId]) -> impl fmt::Display {
    RootRule::Several(
        roots
            .iter()
            .map(|root| RootRule::Id(root.number()))
            .collect(),
    )
}

/// Sets of roots that are looked at one by one; where there are more, roots are chosen one after the
/// other.
pub(crate) const MOST_SETS: u64 = 1_000_000;

/// How a set of roots ranks: by how much distances differ, by the least of them, by their sum.
type Rank = (Reverse<u32>, u32, u32);

/// Distances between the switches that can be roots.
#[derive(Clone, Debug)]
pub(crate) struct RootDistances<'a> {
    part: &'a [SwitchId],
    /// Per switch of the part and other switch of the part: links between them.
    links: Vec<Vec<u32>>,
}

impl<'a> RootDistances<'a> {
    pub(crate) fn new(fabric: &Fabric, part: &'a [SwitchId]) -> Self {
        let row = |&from: &SwitchId| {
            let distances = metrics::distances_from(fabric, from);
            part.iter().map(|to| distances[to.index()]).collect()
        };
        Self {
            part,
            links: part.par_iter().map(row).collect(),
        }
    }

    /// The place of the switch nearest to all others, the lowest id of equals.
    fn nearest(&self) -> usize {
        let places = 0..self.part.len();
        let Some(place) = places.min_by_key(|&place| self.sum(place)) else {
            unreachable!("a part has a switch");
        };
        place
    }

    fn sum(&self, place: usize) -> u64 {
        self.links[place].iter().copied().map(u64::from).sum()
    }

    fn switches(&self, places: &[usize]) -> Vec<SwitchId> {
        places.iter().map(|&place| self.part[place]).collect()
    }

    /// `count` roots that are far apart, at most as many as there are switches.
    ///
    /// One: the switch nearest to all others. Two: that, and the switch farthest from it. More: the
    /// set whose distances between two roots differ least, of those the one whose least distance is
    /// largest, then the one whose distances add up to most, then the one of lowest ids.
    /// Source: Flich, López, Sancho, Robles, Duato, "Improving InfiniBand routing through multiple virtual
    /// networks", ISHPC 2002, §4, whose rule for two and whose rule for more differ; what breaks
    /// ties is our own.
    pub(crate) fn apart(&self, count: usize, with_nearest: bool) -> Vec<SwitchId> {
        let count = count.min(self.part.len());
        let nearest = self.nearest();
        if count < 3 || sets(self.part.len(), count) > MOST_SETS.into() {
            return self.switches(&self.farthest(nearest, count));
        }
        let mut best: Option<(Rank, Vec<usize>)> = None;
        for_each_set(self.part.len(), count, |set| {
            if with_nearest && !set.contains(&nearest) {
                return;
            }
            let (mut least, mut most, mut sum) = (u32::MAX, 0, 0);
            for (nth, &one) in set.iter().enumerate() {
                for &other in &set[nth + 1..] {
                    let links = self.links[one][other];
                    (least, most, sum) = (least.min(links), most.max(links), sum + links);
                }
            }
            // Sets come by ascending ids, so the first of equals stays.
            let rank = (Reverse(most - least), least, sum);
            if best.as_ref().is_none_or(|best| rank > best.0) {
                best = Some((rank, set.to_vec()));
            }
        });
        best.map_or_else(Vec::new, |best| self.switches(&best.1))
    }

    /// Switches each as far as can be from those before it; of equally far ones the one
    /// nearest to all others, then that of lowest id.
    fn farthest(&self, first: usize, count: usize) -> Vec<usize> {
        let mut chosen = vec![first];
        while chosen.len() < count {
            let free = (0..self.part.len()).filter(|place| !chosen.contains(place));
            let least = |place: usize| chosen.iter().map(|&root| self.links[root][place]).min();
            let next = free.min_by_key(|&place| (Reverse(least(place)), self.sum(place)));
            chosen.extend(next);
        }
        chosen
    }
}

/// `count` switches, the first given, each as far as can be from those before it.
pub(crate) fn farthest_from(
    fabric: &Fabric,
    part: &[SwitchId],
    first: SwitchId,
    count: usize,
) -> Vec<SwitchId> {
    let distances = RootDistances::new(fabric, part);
    let Ok(place) = part.binary_search(&first) else {
        unreachable!("a root is a switch of the part");
    };
    distances.switches(&distances.farthest(place, count.min(part.len())))
}

/// Counts the sets of `count` out of so many; `u64::MAX` where they are more than that.
pub(crate) fn sets(of: usize, count: usize) -> u128 {
    (0..count).fold(1, |sets: u128, taken| {
        let more = sets * (of - taken) as u128 / (taken as u128 + 1);
        more.min(u64::MAX.into())
    })
}

/// Visits every set of `count` out of so many, each ascending, in ascending order.
pub(crate) fn for_each_set(of: usize, count: usize, mut visit: impl FnMut(&[usize])) {
    let mut set: Vec<usize> = (0..count).collect();
    loop {
        visit(&set);
        let Some(place) = (0..count)
            .rev()
            .find(|&place| set[place] + count < of + place)
        else {
            return;
        };
        set[place] += 1;
        for later in place + 1..count {
            set[later] = set[later - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_fabric::generate::{mesh, ring, torus};

    fn apart(fabric: &Fabric, count: usize, with_nearest: bool) -> Vec<u32> {
        let part: Vec<SwitchId> = fabric.switch_ids().collect();
        let roots = RootDistances::new(fabric, &part).apart(count, with_nearest);
        roots.iter().map(|root| root.number()).collect()
    }

    #[test]
    fn two_roots_are_the_nearest_switch_and_the_one_farthest_from_it() {
        // Of switches 0 – 1 – 2 – 3 – 4, the middle one is nearest; both ends are as far from it.
        assert_eq!(apart(&mesh(5, 1, 1).unwrap(), 2, false), [2, 0]);
        // Of the 3×3 mesh the middle, then a corner.
        assert_eq!(apart(&mesh(3, 3, 1).unwrap(), 2, false), [4, 0]);
    }

    #[test]
    fn more_roots_are_equally_far_apart_first_and_far_second() {
        // On a ring of six, every other switch: distance 2 each.
        assert_eq!(apart(&ring(6, 1).unwrap(), 3, false), [0, 2, 4]);
        // On a line of five, no three are equally far apart; 0, 2, 4 are 2, 2, 4 apart and 0, 1, 2
        // are 1, 1, 2 apart: these differ less.
        assert_eq!(apart(&mesh(5, 1, 1).unwrap(), 3, false), [0, 1, 2]);
        assert_eq!(apart(&mesh(5, 1, 1).unwrap(), 3, true), [0, 1, 2]);
        // 4×4 torus: four switches, each 2 from the others.
        let four = apart(&torus(4, 4, 1).unwrap(), 4, false);
        assert_eq!(four, [0, 2, 5, 7]);
    }

    #[test]
    fn sets_are_counted_and_visited_in_order() {
        let mut visited = Vec::new();
        for_each_set(4, 2, |set| visited.push(set.to_vec()));
        assert_eq!(visited, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!([sets(4, 2), sets(64, 3), sets(5, 5)], [6, 41_664, 1]);
        let mut visits = 0;
        for_each_set(9, 4, |_| visits += 1);
        assert_eq!(visits, sets(9, 4));
        assert_eq!(sets(100_000, 16), u64::MAX.into());
    }
}
