//! Cuts between the switches that are nearer to one end of a link and those that are not.
//!
//! Across a ring, and across any network that is a product of rings and lines, these are all the cuts that halve a dimension
//! (Djoković, "Distance-preserving subgraphs of hypercubes", J. Combin. Theory B 14, 1973). What is missing of a
//! network moves few switches to the wrong side, which go back one by one where that fills the channels more.

use super::cuts::{Cut, Cuts, room};
use crate::paths::{PathSpace, links_from};
use rayon::prelude::*;

/// Switches and ways out of them that are looked at together, to find what lies nearer to which end.
const MOST_LOOKS: usize = 1 << 23;

/// Pairs of switches that the cuts which promise most are looked at for, and most of these.
const MOST_PAIRS: usize = 1 << 22;
const MOST_IMPROVED: usize = 8;

/// Most times that all switches beside a cut are looked at again.
const MOST_PASSES: usize = 8;

/// Of cuts beside links, improved, the one whose channels carry most in the mean.
///
/// Of large networks some links alone are looked at, spread evenly.
pub(super) fn fullest_of_halves(cuts: &Cuts<'_>) -> Cut {
    let space = cuts.space;
    let (switches, edges) = (space.switch_count(), space.edge_count());
    let looked_at = (MOST_LOOKS / (switches + edges + 1)).clamp(1, edges.max(1));
    let step = edges.div_ceil(looked_at).max(1);
    let sampled: Vec<u32> = (0..).take(edges).step_by(step).collect();
    let mut promising: Vec<(f64, u32)> = sampled
        .into_par_iter()
        .map(|edge| (cuts.promise(&nearer(space, edge)), edge))
        .collect();
    promising.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let improved = (MOST_PAIRS / (switches * switches + 1)).clamp(1, MOST_IMPROVED);
    let mut fullest = Cut::default();
    let mut last = None;
    let mut tried = 0;
    for (promise, edge) in promising {
        // Links across the same cut promise the same.
        if last.replace(promise.to_bits()) == Some(promise.to_bits()) {
            continue;
        }
        tried += 1;
        if tried > improved {
            break;
        }
        let cut = Halves::new(cuts, nearer(space, edge)).improved();
        if cut.is_fuller_than(&fullest) {
            fullest = cut;
        }
    }
    fullest
}

/// Per switch: whether it is nearer to where an edge comes from than to where it leads.
fn nearer(space: &PathSpace, edge: u32) -> Vec<bool> {
    let ends = [space.tail(edge), space.edge(edge).to];
    let [here, there] = ends.map(|end| links_from(space, end));
    let both = here.into_iter().zip(there);
    both.map(|(here, there)| here < there).collect()
}

impl Cuts<'_> {
    /// What the channels of a cut carry in the mean if switches send to others in proportion to what they hear.
    fn promise(&self, is_inside: &[bool]) -> f64 {
        let [mut sent, mut heard] = [0.0_f64; 2];
        let all: u64 = self.heard.iter().sum();
        for ((&is_inside, &out), &into) in is_inside.iter().zip(&self.sent).zip(&self.heard) {
            if is_inside {
                sent += out as f64;
                heard += into as f64;
            }
        }
        let all = all as f64;
        let flow = (sent * (all - heard)).max(heard * (all - sent));
        let room = self.room_out_of(is_inside);
        if room == 0 || all <= 0.0 {
            return 0.0;
        }
        flow / all / room as f64
    }

    fn room_out_of(&self, is_inside: &[bool]) -> u64 {
        let leads_out = |&edge: &u32| {
            let [from, to] = [self.space.tail(edge), self.space.edge(edge).to];
            is_inside[from as usize] && !is_inside[to as usize]
        };
        let edges = (0..).take(self.space.edge_count()).filter(leads_out);
        edges.map(|edge| room(self.space, edge)).sum()
    }
}

/// A cut that switches change sides of.
struct Halves<'a, 'c> {
    cuts: &'c Cuts<'a>,
    is_inside: Vec<bool>,
    /// What leaves the switches inside, and what comes in.
    flows: [u64; 2],
    room: u64,
}

impl<'a, 'c> Halves<'a, 'c> {
    fn new(cuts: &'c Cuts<'a>, is_inside: Vec<bool>) -> Self {
        let mut made = Self {
            cuts,
            flows: [0; 2],
            room: cuts.room_out_of(&is_inside),
            is_inside,
        };
        for inside in (0..made.is_inside.len()).filter(|&one| made.is_inside[one]) {
            for outside in (0..made.is_inside.len()).filter(|&one| !made.is_inside[one]) {
                made.flows[0] += cuts.sends(inside, outside);
                made.flows[1] += cuts.sends(outside, inside);
            }
        }
        made
    }

    /// Lets switches beside the cut change sides, one after the other, wherever its channels carry more then.
    fn improved(mut self) -> Cut {
        for _ in 0..MOST_PASSES {
            let mut is_better = false;
            for switch in (0..).take(self.is_inside.len()) {
                is_better |= self.turn(switch);
            }
            if !is_better {
                break;
            }
        }
        let inside = (0..).zip(&self.is_inside);
        let inside = inside.filter_map(|(switch, &is_inside)| is_inside.then_some(switch));
        self.cuts.around(inside.collect())
    }

    /// Lets a switch change sides if the channels carry more then, and tells whether they do.
    fn turn(&mut self, switch: u32) -> bool {
        let (cuts, at) = (self.cuts, switch as usize);
        let was_inside = self.is_inside[at];
        let mut rooms = [0; 2];
        let edges = cuts.space.edge_ids(switch);
        for (edge, way) in edges.zip(cuts.space.edges_of(switch)) {
            if way.to != switch {
                let is_beside = self.is_inside[way.to as usize] == was_inside;
                rooms[usize::from(is_beside)] += room(cuts.space, edge);
            }
        }
        let [across, beside] = rooms;
        if across == 0 {
            return false;
        }
        // What the switch exchanges with those on its side, and with those on the other.
        let [mut sent, mut heard] = [[0; 2]; 2];
        for other in (0..self.is_inside.len()).filter(|&other| other != at) {
            let is_beside = usize::from(self.is_inside[other] == was_inside);
            sent[is_beside] += cuts.sends(at, other);
            heard[is_beside] += cuts.sends(other, at);
        }
        let [out, into] = self.flows;
        let flows = if was_inside {
            [out - sent[0] + heard[1], into - heard[0] + sent[1]]
        } else {
            [out - heard[0] + sent[1], into - sent[0] + heard[1]]
        };
        let room = self.room - across + beside;
        let mean = |flows: [u64; 2], by: u64| u128::from(flows[0].max(flows[1])) * u128::from(by);
        let is_better = room > 0 && mean(flows, self.room) > mean(self.flows, room);
        if is_better {
            self.is_inside[at] = !was_inside;
            (self.flows, self.room) = (flows, room);
        }
        is_better
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::degrade::{Chosen, Failures, degrade};
    use weft_fabric::generate::torus;

    /// A torus of 8×4 switches sends 16·16 across the middle of its longer dimension, over 8 channels each way, and over
    /// one less where a link is missing.
    #[test]
    fn halves_of_a_torus_are_found_though_a_link_is_missing() {
        let whole = torus(8, 4, 1).unwrap();
        let failures = Failures {
            links: Chosen::parse("links", &["sw3:2".to_owned()]).unwrap(),
            ..Failures::default()
        };
        let cut = degrade(&whole, &failures).unwrap().fabric;
        for (fabric, channels) in [(&whole, 8), (&cut, 7)] {
            let space = PathSpace::new(fabric, None, TurnRule::Free);
            let between = vec![1; 32 * 32];
            let found = fullest_of_halves(&Cuts::new(&space, &between));
            let counted: u32 = found.weights(&space).iter().sum();
            assert_eq!((found.flow, counted), (256, channels));
        }
    }
}
