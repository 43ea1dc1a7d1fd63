//! Ports of switches in files that list cables alone.

use super::super::disjoint_sets::DisjointSets;
use super::NodeKind;
use super::records::Node;
use std::collections::BTreeMap;

/// Gives a switch as many ports as those have that stand where it does, so that one whose last cable is missing stays
/// of their kind. Switches stand in one place if each shares more than half of its neighbours with the other, or
/// of those neighbours that stand in one place themselves, where it is two or more; and if both stand where a third does.
///
/// `cables`: the nodes at their ends, each cable once or from both ends.
pub(super) fn even_out(nodes: &mut [Node<'_>], cables: impl Iterator<Item = [usize; 2]>) {
    let is_switch = |node: usize| nodes[node].kind == NodeKind::Switch;
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for [a, b] in cables {
        if a != b && is_switch(a) && is_switch(b) {
            near[a].push(b);
            near[b].push(a);
        }
    }
    for neighbours in &mut near {
        neighbours.sort_unstable();
        neighbours.dedup();
    }
    let mut places = DisjointSets::new(nodes.len());
    join_like(&near, &vec![0; nodes.len()], 1, &mut places);
    let place_of: Vec<usize> = (0..nodes.len()).map(|node| places.of(node)).collect();
    join_like(&near, &place_of, 2, &mut places);
    let mut most: BTreeMap<usize, u8> = BTreeMap::new();
    for (number, node) in nodes.iter().enumerate() {
        let most = most.entry(places.of(number)).or_default();
        *most = node.port_count.max(*most);
    }
    for (number, node) in nodes.iter_mut().enumerate() {
        node.port_count = most[&places.of(number)];
    }
}

/// Puts those in one place that share more than half of their neighbours of a class, and `least` of them.
///
/// `near`: per node its neighbours; `class`: per node.
fn join_like(near: &[Vec<usize>], class: &[usize], least: usize, places: &mut DisjointSets) {
    let counts = near.iter().map(|neighbours| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for &neighbour in neighbours {
            *counts.entry(class[neighbour]).or_default() += 1;
        }
        counts
    });
    let counts: Vec<BTreeMap<usize, usize>> = counts.collect();
    let mut shared = vec![0; near.len()];
    for switch in 0..near.len() {
        for (&class_shared, &own) in &counts[switch] {
            let between = near[switch].iter().filter(|&&at| class[at] == class_shared);
            let others = || between.clone().flat_map(|&at| &near[at]);
            for &other in others() {
                shared[other] += 1;
            }
            for &other in others() {
                let count = std::mem::take(&mut shared[other]);
                let is_most = |of: usize| 2 * count > of;
                if count >= least && is_most(own) && is_most(counts[other][&class_shared]) {
                    places.join(switch, other);
                }
            }
        }
    }
}
