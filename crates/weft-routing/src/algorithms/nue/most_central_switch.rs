//! The switch that lies on most shortest paths between some others.

use crate::paths::PathSpace;
use weft_fabric::SwitchId;

/// The switch with most shortest paths between the switches of a set through it: each ordered pair
/// counts once, divided among its shortest paths. Of equals it is one of the set, and the first.
/// Time O(n·E) for a set of n and E links.
/// Source: Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology 25,
/// 2001, with the pairs of the set in place of all.
pub(super) fn centre(space: &PathSpace, set: &[SwitchId]) -> SwitchId {
    let count = space.switch_count();
    let mut is_in_set = vec![false; count];
    for switch in set {
        is_in_set[switch.index()] = true;
    }
    let mut through = vec![0.0_f64; count];
    let mut search = Search {
        links: vec![u32::MAX; count],
        paths: vec![0.0; count],
        part: vec![0.0; count],
        order: Vec::with_capacity(count),
    };
    for source in set {
        search.add(space, source.number(), &is_in_set, &mut through);
    }
    let key = |at: usize| (through[at], is_in_set[at]);
    let best = (0..count).reduce(|best, at| if key(at) > key(best) { at } else { best });
    let Some(best) = best else {
        unreachable!("a fabric with hosts has a switch");
    };
    SwitchId::from_index(best)
}

/// The shortest paths from one switch.
struct Search {
    links: Vec<u32>,
    /// Per switch: shortest paths to it, exact up to 2^53.
    paths: Vec<f64>,
    /// Per switch: pairs whose paths lead through it, by their shares.
    part: Vec<f64>,
    /// Switches by ascending links.
    order: Vec<u32>,
}

impl Search {
    /// Adds what leads through each switch from one to those of the set.
    fn add(&mut self, space: &PathSpace, source: u32, is_in_set: &[bool], through: &mut [f64]) {
        self.links.fill(u32::MAX);
        self.paths.fill(0.0);
        self.part.fill(0.0);
        self.order.clear();
        self.order.push(source);
        self.links[source as usize] = 0;
        self.paths[source as usize] = 1.0;
        let mut place = 0;
        while let Some(&at) = self.order.get(place) {
            place += 1;
            let links = self.links[at as usize] + 1;
            for edge in space.edges_of(at) {
                let next = edge.to as usize;
                if self.links[next] == u32::MAX {
                    self.links[next] = links;
                    self.order.push(edge.to);
                }
                if self.links[next] == links {
                    self.paths[next] += self.paths[at as usize];
                }
            }
        }
        for &at in self.order[1..].iter().rev() {
            let here = at as usize;
            through[here] += self.part[here];
            let ends_here = f64::from(u8::from(is_in_set[here]));
            let share = (self.part[here] + ends_here) / self.paths[here];
            for edge in space.edges_of(at) {
                let before = edge.to as usize;
                if self.links[before] + 1 == self.links[here] {
                    self.part[before] += share * self.paths[before];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::Fabric;
    use weft_fabric::generate::{k_ary_n_tree, mesh};

    fn centre_of(fabric: &Fabric, set: &[u32]) -> u32 {
        let space = PathSpace::new(fabric, None, TurnRule::Free);
        let set: Vec<SwitchId> = set.iter().copied().map(SwitchId::new).collect();
        centre(&space, &set).number()
    }

    #[test]
    fn the_centre_of_a_line_is_its_middle_and_of_its_end_there() {
        let line = mesh(7, 1, 1).unwrap();
        assert_eq!(centre_of(&line, &[0, 1, 2, 3, 4, 5, 6]), 3);
        // Between 0, 1, 2 and 3, the inner two lie on as many paths: 1 on those from 0 to 2 and 3.
        assert_eq!(centre_of(&line, &[0, 1, 2, 3]), 1);
        assert_eq!(centre_of(&line, &[5]), 5);
        // Of two neighbours, nothing lies between.
        assert_eq!(centre_of(&line, &[4, 5]), 4);
    }

    #[test]
    fn switches_without_hosts_may_be_the_centre() {
        // The leaves 0 and 1 of a 2-ary 3-tree are joined by 4 and 5 alike, leaves 2 and 3 by 6 and 7.
        let tree = k_ary_n_tree(2, 3).unwrap();
        assert_eq!(centre_of(&tree, &[0, 1]), 4);
        assert_eq!(centre_of(&tree, &[2, 3]), 6);
    }
}
