//! Grids found in the links alone: the paths and rings whose product they form.

use std::collections::BTreeMap;
use weft_fabric::{Fabric, SwitchId, metrics};

/// The extents of the mesh or torus that the switches of a part form, and the number of each
/// of them if numbers ran along the first dimension, then the second, ….
///
/// Dimensions come in the order of the ports of the first switch, of whose two ports along one the lower
/// leads to larger positions; on a ring the first switch is the first. A ring of four is a 2×2 mesh to its links, and is found
/// as such. Whether all links of the product are there, the caller has yet to see.
/// Time O(E²) for E links: two searches for each.
/// Source: Feder, "Product graph representations", Journal of Graph Theory 16, 1992: of a connected graph,
/// the links along one factor of its Cartesian product are joined by two relations. One holds
/// between links whose ends' distances do not add up crosswise (Djoković, Winkler), the other
/// between two links of a switch whose far ends have no other common neighbour.
pub(crate) fn extents_and_places(
    fabric: &Fabric,
    part: &[SwitchId],
) -> Result<(Vec<u32>, Vec<u32>), String> {
    let count = fabric.switch_count();
    let first = part[0];
    let neighbours: Vec<Vec<u32>> = fabric.switch_ids().map(|s| neighbours(fabric, s)).collect();
    let factors = factors(fabric, &neighbours);
    // Factors in the order in which the first switch has links along them.
    let mut order: Vec<u32> = Vec::new();
    for hop in fabric.hops(first) {
        let factor = factors[&(first.number(), hop.switch.number())];
        if !order.contains(&factor) {
            order.push(factor);
        }
    }
    let (mut extents, mut places) = (Vec::new(), vec![0_u32; count]);
    let mut below = 1_u32;
    for factor in order {
        let line = line_of(&neighbours, first.number(), |one, other| {
            factors[&(one, other)] == factor
        })
        .ok_or("the switches on a line form neither a path nor a ring")?;
        let extent = SwitchId::from_index(line.len()).number();
        // All switches joined by links along other factors share a position.
        for (position, &start) in (0..).zip(&line) {
            let mut met = vec![false; count];
            met[start as usize] = true;
            let mut queue = vec![start];
            while let Some(at) = queue.pop() {
                places[at as usize] += position * below;
                for &next in &neighbours[at as usize] {
                    if factors[&(at, next)] != factor && !met[next as usize] {
                        met[next as usize] = true;
                        queue.push(next);
                    }
                }
            }
        }
        below = below.saturating_mul(extent);
        extents.push(extent);
    }
    let mut taken: Vec<u32> = part.iter().map(|switch| places[switch.index()]).collect();
    taken.sort_unstable();
    if below as usize != part.len() || !(0..).zip(&taken).all(|(place, &switch)| place == switch) {
        return Err("its links are those of no product of paths and rings".to_owned());
    }
    if extents.is_empty() {
        extents.push(1);
    }
    Ok((extents, places))
}

/// The neighbours of a switch in the order of its ports, each once.
fn neighbours(fabric: &Fabric, switch: SwitchId) -> Vec<u32> {
    let mut found = Vec::new();
    for hop in fabric.hops(switch) {
        if !found.contains(&hop.switch.number()) {
            found.push(hop.switch.number());
        }
    }
    found
}

/// Numbers, for each two neighbours, the factor along which they are joined.
fn factors(fabric: &Fabric, neighbours: &[Vec<u32>]) -> BTreeMap<(u32, u32), u32> {
    let mut links: Vec<(u32, u32)> = Vec::new();
    for (one, others) in (0..).zip(neighbours) {
        links.extend(
            others
                .iter()
                .filter(|&&other| one < other)
                .map(|&other| (one, other)),
        );
    }
    let number: BTreeMap<(u32, u32), u32> = links.iter().copied().zip(0..).collect();
    let of = |one: u32, other: u32| number[&(one.min(other), one.max(other))];
    let mut sets = DisjointSets((0..).take(links.len()).collect());
    for (link, &(one, other)) in (0..).zip(&links) {
        let [from_one, from_other] =
            [one, other].map(|end| metrics::distances_from(fabric, SwitchId::new(end)));
        for (another, &(a, b)) in (0..).zip(&links).skip(link as usize + 1) {
            let [a, b] = [a, b].map(|end| end as usize);
            if from_one[a] == metrics::UNREACHABLE {
                // Links of parts that no way joins are in no product together.
                continue;
            }
            if from_one[a] + from_other[b] != from_one[b] + from_other[a] {
                sets.join(link, another);
            }
        }
    }
    for (at, around) in (0..).zip(neighbours) {
        for (nth, &one) in around.iter().enumerate() {
            for &other in &around[nth + 1..] {
                let joins = |common: &&u32| neighbours[other as usize].contains(common);
                let common = neighbours[one as usize].iter().filter(joins).count();
                if common == 1 {
                    sets.join(of(at, one), of(at, other));
                }
            }
        }
    }
    let mut factors = BTreeMap::new();
    for (&(one, other), link) in links.iter().zip(0..) {
        let factor = sets.find(link);
        factors.insert((one, other), factor);
        factors.insert((other, one), factor);
    }
    factors
}

/// The switches on the line through the first switch along a factor, from one end to the other or
/// once round; `None` if they form neither a path nor a ring.
fn line_of(
    neighbours: &[Vec<u32>],
    start: u32,
    is_along: impl Fn(u32, u32) -> bool,
) -> Option<Vec<u32>> {
    let is_along = &is_along;
    let along = |at: u32| {
        let around = neighbours[at as usize].iter().copied();
        around.filter(move |&next| is_along(at, next))
    };
    // The switches after the first switch that way, up to an end or to the first switch.
    let walk = |first: u32| {
        let (mut walked, mut before) = (vec![first], start);
        while let Some(&here) = walked.last().filter(|&&here| here != start) {
            let mut onward = along(here).filter(|&next| next != before);
            let Some(next) = onward.next() else { break };
            if onward.next().is_some() {
                return None;
            }
            before = here;
            walked.push(next);
        }
        Some(walked)
    };
    let mut around = along(start);
    let mut forth = walk(around.next()?)?;
    let back = around.next().map_or(Some(Vec::new()), &walk)?;
    if around.next().is_some() {
        return None;
    }
    if forth.last() == Some(&start) {
        forth.pop();
        forth.insert(0, start);
        return Some(forth);
    }
    Some(back.into_iter().rev().chain([start]).chain(forth).collect())
}

/// Sets of numbers that are joined more and more.
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// The number that stands for the set of another.
    fn find(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at
    }

    fn join(&mut self, one: u32, other: u32) {
        let [one, other] = [one, other].map(|at| self.find(at));
        self.0[one.max(other) as usize] = one.min(other);
    }
}
