//! Channels out of a switch, or out of it and its neighbours: few that much has to pass.

use crate::paths::PathSpace;

/// A weight of 1 for the channels that lead out of some switch, or of it and its neighbours, or into these: those that
/// carry most in the mean; 0 for all others.
///
/// Shapes: `between`, per switch and switch what the one sends to the other; the result, per edge.
/// Time O(Σ d²·log d) for switches of d links.
pub(super) fn fullest_cut(space: &PathSpace, between: &[u64]) -> Vec<u32> {
    let cuts = Cuts::new(space, between);
    let mut fullest = (0.0, Vec::new(), false);
    for switch in (0..).take(space.switch_count()) {
        let mut around: Vec<u32> = space.edges_of(switch).iter().map(|edge| edge.to).collect();
        around.push(switch);
        around.sort_unstable();
        around.dedup();
        for inside in [vec![switch], around] {
            for is_inward in [false, true] {
                let mean = cuts.mean_over(&inside, is_inward);
                if mean > fullest.0 {
                    fullest = (mean, inside.clone(), is_inward);
                }
            }
        }
    }
    let (_, inside, is_inward) = fullest;
    let mut weights = vec![0; space.edge_count()];
    for edge in cuts.outward(&inside) {
        let counted = if is_inward {
            space.edge(edge).reverse
        } else {
            edge
        };
        weights[counted as usize] = 1;
    }
    weights
}

struct Cuts<'a> {
    space: &'a PathSpace,
    between: &'a [u64],
    /// Per switch: what it sends to others, and what others send to it.
    sent: Vec<u64>,
    heard: Vec<u64>,
}

impl<'a> Cuts<'a> {
    fn new(space: &'a PathSpace, between: &'a [u64]) -> Self {
        let switches = space.switch_count();
        let (mut sent, mut heard) = (vec![0; switches], vec![0; switches]);
        for from in 0..switches {
            for to in (0..switches).filter(|&to| to != from) {
                sent[from] += between[from * switches + to];
                heard[to] += between[from * switches + to];
            }
        }
        Self {
            space,
            between,
            sent,
            heard,
        }
    }

    /// The edges that lead out of some switches, given in ascending order.
    fn outward(&self, inside: &[u32]) -> impl Iterator<Item = u32> {
        let of_switch = |&switch: &u32| self.space.edge_ids(switch);
        let leads_out = |&edge: &u32| inside.binary_search(&self.space.edge(edge).to).is_err();
        inside.iter().flat_map(of_switch).filter(leads_out)
    }

    /// What channels out of some switches, or into them, carry in the mean; 0 without channels.
    fn mean_over(&self, inside: &[u32], is_inward: bool) -> f64 {
        let passing = if is_inward { &self.heard } else { &self.sent };
        let all: u64 = inside.iter().map(|&one| passing[one as usize]).sum();
        let pairs = inside.iter().flat_map(|&from| {
            let others = inside.iter().filter(move |&&to| to != from);
            others.map(move |&to| from as usize * self.sent.len() + to as usize)
        });
        let within: u64 = pairs.map(|pair| self.between[pair]).sum();
        let channels = self.outward(inside).count();
        (all - within) as f64 / (channels as f64).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::ring;

    /// The channels of the fullest cut of a ring of six, by the switches that they lead from and to.
    fn counted(between: &[u64]) -> Vec<(u32, u32)> {
        let space = PathSpace::new(&ring(6, 1).unwrap(), None, TurnRule::Free);
        let weights = fullest_cut(&space, between);
        let edges = (0..).take(6).flat_map(|from| {
            let edges = space.edge_ids(from);
            edges.map(move |edge| (edge, from))
        });
        edges
            .filter(|&(edge, _)| weights[edge as usize] == 1)
            .map(|(edge, from)| (from, space.edge(edge).to))
            .collect()
    }

    /// Switches 0, 1 and 2 of a ring of six send 5 + 5 + 104, of which 6 stay among them, over two channels: more than the
    /// 104 that 2 sends over as many. What five send 10 to hears 50 over two, it and its neighbours 30 + 6.
    #[test]
    fn what_much_must_pass_is_found() {
        let mut between = vec![1; 36];
        between[2 * 6 + 3] = 100;
        assert_eq!(counted(&between), [(0, 5), (2, 3)]);
        let mut between = vec![1; 36];
        for from in 0..6 {
            between[from * 6 + 4] = 10;
        }
        assert_eq!(counted(&between), [(3, 4), (5, 4)]);
    }
}
