//! Channels out of some switches: few that much has to pass.

use crate::paths::PathSpace;

/// What channels of slowness 1 carry for each unit of load, in parts.
pub(super) const ROOM: u64 = 1 << 20;

/// What a channel carries for each unit of load, in parts, or a little more.
pub(super) fn room(space: &PathSpace, edge: u32) -> u64 {
    ROOM.div_ceil(space.slowness(edge))
}

/// Switches, and what has to leave them or come in over the channels between them and all others.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// The switches in ascending order.
    inside: Vec<u32>,
    /// Whether more comes in than leaves.
    is_inward: bool,
    pub(super) flow: u64,
    /// That of the channels one way, as both ways of a link have the same.
    pub(super) room: u64,
}

impl Cut {
    /// A weight of 1 for the channels that the flow passes; 0 for all others.
    ///
    /// Shapes: the result, per edge.
    pub(super) fn weights(&self, space: &PathSpace) -> Vec<u32> {
        let mut weights = vec![0; space.edge_count()];
        for edge in outward(space, &self.inside) {
            let counted = if self.is_inward {
                space.edge(edge).reverse
            } else {
                edge
            };
            weights[counted as usize] = 1;
        }
        weights
    }

    /// What the fullest of its channels carries at least, in the mean of all.
    pub(super) fn mean_load(&self) -> f64 {
        if self.room == 0 {
            return 0.0;
        }
        self.flow as f64 / self.room as f64 * ROOM as f64
    }

    /// Tells whether the switches inside are joined without those outside, and those outside without these: then what has
    /// to pass passes once.
    pub(super) fn parts_in_two(&self, space: &PathSpace) -> bool {
        let switches = space.switch_count();
        let mut is_inside = vec![false; switches];
        for &switch in &self.inside {
            is_inside[switch as usize] = true;
        }
        let outside = (0..).take(switches).find(|&at| !is_inside[at as usize]);
        let mut open: Vec<u32> = self
            .inside
            .first()
            .copied()
            .into_iter()
            .chain(outside)
            .collect();
        let mut is_met = vec![false; switches];
        for &at in &open {
            is_met[at as usize] = true;
        }
        while let Some(at) = open.pop() {
            for edge in space.edges_of(at) {
                let is_beside = is_inside[edge.to as usize] == is_inside[at as usize];
                if is_beside && !std::mem::replace(&mut is_met[edge.to as usize], true) {
                    open.push(edge.to);
                }
            }
        }
        is_met.into_iter().all(|is_met| is_met)
    }

    /// Tells whether its channels carry more in the mean; without channels they carry nothing.
    pub(super) fn is_fuller_than(&self, other: &Self) -> bool {
        let by = |one: &Self, room: u64| u128::from(one.flow) * u128::from(room);
        self.room > 0 && (other.room == 0 || by(self, other.room) > by(other, self.room))
    }
}

/// The cut around some switch, or around it and its neighbours, whose channels carry most in the mean.
///
/// Shapes: `between`, per switch and switch what the one sends to the other.
/// Time O(S² + Σ d²·log d) for S switches of d links.
pub(super) fn fullest_cut(space: &PathSpace, between: &[u64]) -> Cut {
    let cuts = Cuts::new(space, between);
    let mut fullest = Cut::default();
    for switch in (0..).take(space.switch_count()) {
        let mut around: Vec<u32> = space.edges_of(switch).iter().map(|edge| edge.to).collect();
        around.push(switch);
        around.sort_unstable();
        around.dedup();
        for inside in [vec![switch], around] {
            let cut = cuts.around(inside);
            if cut.is_fuller_than(&fullest) {
                fullest = cut;
            }
        }
    }
    fullest
}

/// The edges that lead out of some switches, given in ascending order.
fn outward(space: &PathSpace, inside: &[u32]) -> impl Iterator<Item = u32> {
    let of_switch = |&switch: &u32| space.edge_ids(switch);
    let leads_out = |&edge: &u32| inside.binary_search(&space.edge(edge).to).is_err();
    inside.iter().flat_map(of_switch).filter(leads_out)
}

/// What cuts are looked at for.
#[derive(Debug)]
pub(super) struct Cuts<'a> {
    pub(super) space: &'a PathSpace,
    between: &'a [u64],
    /// Per switch: what it sends to others, and what others send to it.
    pub(super) sent: Vec<u64>,
    pub(super) heard: Vec<u64>,
}

impl<'a> Cuts<'a> {
    pub(super) fn new(space: &'a PathSpace, between: &'a [u64]) -> Self {
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

    pub(super) fn sends(&self, from: usize, to: usize) -> u64 {
        self.between[from * self.sent.len() + to]
    }

    /// Shapes: `inside`, in ascending order.
    pub(super) fn around(&self, inside: Vec<u32>) -> Cut {
        let pairs = inside.iter().flat_map(|&from| {
            let others = inside.iter().filter(move |&&to| to != from);
            others.map(move |&to| from as usize * self.sent.len() + to as usize)
        });
        let within: u64 = pairs.map(|pair| self.between[pair]).sum();
        let [sent, heard] = [&self.sent, &self.heard].map(|all| {
            let of_all = inside.iter().map(|&one| all[one as usize]);
            of_all.sum::<u64>() - within
        });
        Cut {
            is_inward: heard > sent,
            flow: sent.max(heard),
            room: outward(self.space, &inside)
                .map(|edge| room(self.space, edge))
                .sum(),
            inside,
        }
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
        let weights = fullest_cut(&space, between).weights(&space);
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

    /// Of a ring of six: three neighbours, two opposite each other, and all but two such.
    #[test]
    fn a_ring_falls_in_two_parts_where_each_is_joined() {
        let space = PathSpace::new(&ring(6, 1).unwrap(), None, TurnRule::Free);
        let between = vec![1; 36];
        let cuts = Cuts::new(&space, &between);
        let parts = |inside: &[u32]| cuts.around(inside.to_vec()).parts_in_two(&space);
        assert!(parts(&[1, 2, 3]));
        assert!(!parts(&[0, 3]));
        assert!(!parts(&[1, 2, 4, 5]));
        // Three send three each, over a channel each way.
        let load = cuts.around(vec![1, 2, 3]).mean_load();
        assert!((load - 4.5).abs() < 1e-12, "{load}");
    }
}
