//! Halves improved by moving one switch after the other (Fiduccia and Mattheyses).

use super::Problem;
use super::buckets::{Buckets, CLASSES};

/// Moves without an improvement after which a pass ends.
const PATIENCE: usize = 20_000;

/// Two halves of the switches.
#[derive(Clone, Debug)]
pub(super) struct Halves {
    pub(super) is_second: Vec<bool>,
    /// Weights of the first and the second half.
    pub(super) sizes: [u64; 2],
    /// Links between them.
    pub(super) cut: u64,
}

impl Halves {
    /// Cuts an order of the switches where the halves are most alike.
    pub(super) fn from_order(problem: Problem<'_>, order: &[u32]) -> Self {
        let total: u64 = problem.weights.iter().sum();
        let mut is_second = vec![true; problem.weights.len()];
        let mut first = 0;
        for &switch in order {
            let more = first + problem.weights[switch as usize];
            if total.abs_diff(2 * more) > total.abs_diff(2 * first) {
                break;
            }
            is_second[switch as usize] = false;
            first = more;
        }
        let mut halves = Self {
            is_second,
            sizes: [first, total - first],
            cut: 0,
        };
        let loss = |switch| -> u64 {
            let there = halves.is_second[switch];
            let apart = problem.graph.of_switch(switch).iter();
            let apart = apart.filter(|n| halves.is_second[n.switch as usize] != there);
            apart.map(|n| u64::from(n.links)).sum()
        };
        halves.cut = (0..problem.weights.len()).map(loss).sum::<u64>() / 2;
        halves
    }

    /// Makes passes until one improves nothing.
    pub(super) fn improved(mut self, problem: Problem<'_>, buckets: &mut Buckets) -> Self {
        while self.pass(problem, buckets) {}
        self
    }

    fn difference(&self) -> u64 {
        self.sizes[0].abs_diff(self.sizes[1])
    }

    /// Tells the class of a switch among the [`Buckets`].
    fn class(&self, problem: Problem<'_>, switch: u32) -> usize {
        let switch = switch as usize;
        2 * usize::from(problem.weights[switch] > 0) + usize::from(self.is_second[switch])
    }

    /// Moves every switch once, the best first, and goes back to the best halves on the way.
    /// It tells whether these are better than those before.
    fn pass(&mut self, problem: Problem<'_>, buckets: &mut Buckets) -> bool {
        let switches = problem.graph.switch_count();
        let mut gains: Vec<i64> = vec![0; switches];
        let mut is_moved = vec![false; switches];
        buckets.clear();
        for (switch, gain) in (0..).zip(&mut gains) {
            *gain = self.gain(problem, switch);
            buckets.insert(switch, self.class(problem, switch), *gain);
        }
        let before = self.cut;
        let mut best = before;
        let (mut moves, mut kept) = (Vec::new(), 0);
        while let Some(switch) = self.choose(problem, buckets) {
            let gain = gains[switch as usize];
            buckets.remove(switch, self.class(problem, switch), gain);
            is_moved[switch as usize] = true;
            let left = self.is_second[switch as usize];
            for neighbour in problem.graph.of_switch(switch as usize) {
                let there = neighbour.switch as usize;
                if is_moved[there] {
                    continue;
                }
                let class = self.class(problem, neighbour.switch);
                buckets.remove(neighbour.switch, class, gains[there]);
                // A link to where the switch leaves is cut now, one to where it goes no more.
                let change = 2 * i64::from(neighbour.links);
                gains[there] += if self.is_second[there] == left {
                    change
                } else {
                    -change
                };
                buckets.insert(neighbour.switch, class, gains[there]);
            }
            self.turn(problem, switch, gain);
            moves.push((switch, gain));
            if self.cut < best && self.difference() <= problem.tolerance {
                (best, kept) = (self.cut, moves.len());
            }
            if moves.len() - kept > PATIENCE {
                break;
            }
        }
        for &(switch, gain) in moves[kept..].iter().rev() {
            self.turn(problem, switch, -gain);
        }
        best < before
    }

    /// By how many links the cut shrinks when a switch moves.
    fn gain(&self, problem: Problem<'_>, switch: u32) -> i64 {
        let here = self.is_second[switch as usize];
        let neighbours = problem.graph.of_switch(switch as usize).iter();
        neighbours
            .map(|neighbour| {
                let is_cut = self.is_second[neighbour.switch as usize] != here;
                if is_cut {
                    i64::from(neighbour.links)
                } else {
                    -i64::from(neighbour.links)
                }
            })
            .sum()
    }

    /// Moves a switch to the other half.
    fn turn(&mut self, problem: Problem<'_>, switch: u32, gain: i64) {
        let (switch, weight) = (switch as usize, problem.weights[switch as usize]);
        let from = usize::from(self.is_second[switch]);
        self.sizes[from] -= weight;
        self.sizes[1 - from] += weight;
        self.is_second[switch] = !self.is_second[switch];
        self.cut = self.cut.saturating_add_signed(-gain);
    }

    /// The switch whose move gains most. On the way the halves may differ by twice the
    /// tolerance, or two equal switches could never change places.
    fn choose(&self, problem: Problem<'_>, buckets: &mut Buckets) -> Option<u32> {
        let mut chosen: Option<(i64, u32)> = None;
        for class in 0..CLASSES {
            let Some((switch, gain)) = buckets.best(class) else {
                continue;
            };
            let weight = problem.weights[switch as usize];
            let from = class % 2;
            let after = (self.sizes[from] - weight).abs_diff(self.sizes[1 - from] + weight);
            let is_allowed = after <= 2 * problem.tolerance || after < self.difference();
            if is_allowed && chosen.is_none_or(|(most, _)| gain > most) {
                chosen = Some((gain, switch));
            }
        }
        chosen.map(|(_, switch)| switch)
    }
}
