//! Orders of the channels that use all switches alike.

use crate::cycles::places_of;
use crate::paths::PathSpace;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use weft_fabric::SwitchId;

/// Drawn ranks of all edges where of the two edges of every link one comes in the first half
/// and one in the second, `is_swapped` the other way round, and every switch has as many ways out in
/// the one half as in the other, or one more or less.
///
/// An order of switches makes one a way for all and another the end of every path. Where paths begin
/// early and end late in an order of channels, what leaves a switch spreads over as many channels as
/// what arrives there, whichever it is.
/// Time O(E log E) for E edges.
pub(crate) fn even_ranks(space: &PathSpace, is_swapped: bool, random: &mut Pcg64Mcg) -> Vec<u32> {
    let is_early = walked(space, random);
    let mut edges: Vec<u32> = (0..).take(space.edge_count()).collect();
    edges.shuffle(random);
    edges.sort_by_key(|&edge| is_early[edge as usize] == is_swapped);
    places_of(&edges)
}

/// Takes walks that use every link once, and tells per edge whether it was taken this way.
fn walked(space: &PathSpace, random: &mut Pcg64Mcg) -> Vec<bool> {
    let count = SwitchId::from_index(space.switch_count()).number();
    let mut walks = Walks {
        space,
        is_taken: vec![false; space.edge_count()],
        open: (0..count).map(|s| space.edge_ids(s).collect()).collect(),
        left: (0..count).map(|s| space.edges_of(s).len()).collect(),
    };
    for edges in &mut walks.open {
        edges.shuffle(random);
    }
    let mut starts: Vec<u32> = (0..count).collect();
    starts.shuffle(random);
    // A walk from a switch with an odd number of links left ends at another such; after these, every
    // walk ends where it began.
    for &start in &starts {
        if walks.left[start as usize] % 2 == 1 {
            walks.walk(start);
        }
    }
    for &start in &starts {
        while walks.left[start as usize] > 0 {
            walks.walk(start);
        }
    }
    walks.is_taken
}

struct Walks<'a> {
    space: &'a PathSpace,
    /// Per edge: whether its link was taken this way.
    is_taken: Vec<bool>,
    /// Per switch: its edges that were not looked at.
    open: Vec<Vec<u32>>,
    /// Per switch: its links that were not taken.
    left: Vec<usize>,
}

impl Walks<'_> {
    /// Takes links from a switch on until there is none left where it is.
    fn walk(&mut self, start: u32) {
        let mut at = start as usize;
        while let Some(edge) = self.open[at].pop() {
            let next = *self.space.edge(edge);
            if !self.is_taken[next.reverse as usize] {
                self.is_taken[edge as usize] = true;
                self.left[at] -= 1;
                at = next.to as usize;
                self.left[at] -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use crate::random::stream;
    use weft_fabric::generate::{IrregularParameters, irregular, mesh, torus};

    #[test]
    fn every_switch_has_about_as_many_early_ways_out_as_late_ones() {
        let drawn = IrregularParameters {
            switches: 20,
            hosts_per_switch: 3,
            ..IrregularParameters::default()
        };
        let fabrics = [
            torus(4, 4, 1).unwrap(),
            mesh(5, 4, 1).unwrap(),
            irregular(&drawn).unwrap(),
        ];
        for fabric in fabrics {
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            for seed in 0..20 {
                let ranks = even_ranks(&space, false, &mut stream(seed, "test", 0));
                let is_early = |edge: u32| 2 * (ranks[edge as usize] as usize) < ranks.len();
                for switch in (0..).take(space.switch_count()) {
                    let edges = space.edge_ids(switch);
                    let early = edges.clone().filter(|&edge| is_early(edge)).count();
                    assert!(early.abs_diff(edges.len() - early) <= 1, "seed {seed}");
                    for edge in edges {
                        assert_ne!(is_early(edge), is_early(space.edge(edge).reverse));
                    }
                }
            }
        }
    }
}
