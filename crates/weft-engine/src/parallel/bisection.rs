//! A graph cut in two: coarsened by joining heavily linked neighbours, cut where it is small, and refined
//! on the way back.
//!
//! # Source
//! G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs",
//! SIAM J. Sci. Comput. 20 (1998); the refinement: C. M. Fiduccia, R. M. Mattheyses, "A linear-time
//! heuristic for improving network partitions", DAC 1982.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Vertices below which a graph is cut as it is.
const SMALL: usize = 40;

/// A side may be heavier than it should by the whole divided by this.
const TOLERANCE: u64 = 200;

/// Passes of refinement on each level at most.
const MOST_PASSES: usize = 8;

/// What an edge weighs at most, so that sums of many fit.
const HEAVIEST_EDGE: u64 = 1 << 40;

/// Places the first side is grown from.
const STARTS: usize = 8;

/// Vertices with their weights, and the weights of the edges between them.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    weights: Vec<u64>,
    neighbours: Vec<Vec<(usize, i64)>>,
}

impl Graph {
    /// A graph of edges in any number and order; those of a vertex with itself are left out.
    pub(super) fn new(weights: Vec<u64>, edges: impl Iterator<Item = ([usize; 2], u64)>) -> Self {
        let mut neighbours = vec![Vec::new(); weights.len()];
        for ([from, to], weight) in edges.filter(|([from, to], _)| from != to) {
            let weight = weight.min(HEAVIEST_EDGE).cast_signed();
            neighbours[from].push((to, weight));
            neighbours[to].push((from, weight));
        }
        for row in &mut neighbours {
            row.sort_unstable();
            row.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
        }
        Self {
            weights,
            neighbours,
        }
    }

    /// The graph of some of the vertices, in ascending order.
    pub(super) fn part(&self, vertices: &[usize]) -> Self {
        let mut names = vec![None; self.weights.len()];
        for (name, &vertex) in vertices.iter().enumerate() {
            names[vertex] = Some(name);
        }
        let row = |&vertex: &usize| {
            let row = self.neighbours[vertex].iter();
            row.filter_map(|&(other, weight)| Some((names[other]?, weight)))
                .collect()
        };
        Self {
            weights: vertices
                .iter()
                .map(|&vertex| self.weights[vertex])
                .collect(),
            neighbours: vertices.iter().map(row).collect(),
        }
    }

    fn total(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// The graph with vertices joined in pairs, and the vertex of it that each one is in.
    fn coarser(&self) -> (Self, Vec<usize>) {
        let count = self.weights.len();
        let heaviest = 3 * self.total() / (2 * SMALL as u64);
        let mut mate: Vec<Option<usize>> = vec![None; count];
        let mut order: Vec<usize> = (0..count).collect();
        // Where all vertices are alike, an order unlike that of their places joins them more evenly.
        order.sort_unstable_by_key(|&vertex| (self.neighbours[vertex].len(), scattered(vertex)));
        for &vertex in &order {
            if mate[vertex].is_some() {
                continue;
            }
            let fits = |&&(other, _): &&(usize, i64)| {
                mate[other].is_none() && self.weights[vertex] + self.weights[other] <= heaviest
            };
            let row = self.neighbours[vertex].iter().filter(fits);
            let best = row.max_by_key(|&&(other, weight)| {
                (weight, Reverse(self.weights[other]), Reverse(other))
            });
            let other = best.map_or(vertex, |&(other, _)| other);
            mate[vertex] = Some(other);
            mate[other] = Some(vertex);
        }
        let mut names = vec![0; count];
        let mut weights = Vec::new();
        for vertex in 0..count {
            let other = mate[vertex].unwrap_or(vertex);
            if other < vertex {
                names[vertex] = names[other];
                weights[names[vertex]] += self.weights[vertex];
            } else {
                names[vertex] = weights.len();
                weights.push(self.weights[vertex]);
            }
        }
        let rows = self.neighbours.iter().enumerate();
        let edges = rows.flat_map(|(from, row)| {
            let later = row.iter().filter(move |&&(to, _)| to > from);
            later.map(move |&(to, weight)| (from, to, weight))
        });
        let names_of = &names;
        let joined =
            edges.map(|(from, to, weight)| ([names_of[from], names_of[to]], weight.unsigned_abs()));
        let graph = Self::new(weights, joined);
        (graph, names)
    }
}

fn scattered(vertex: usize) -> u64 {
    (vertex as u64 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(31)
}

/// Cuts a graph in two, the first side with `share` of `whole` of the weight as nearly as may be: whether
/// each vertex is on the second one. Each side has a vertex for each of its shares.
pub(super) fn bisect(graph: &Graph, share: usize, whole: usize) -> Vec<bool> {
    let mut sides = cut(graph, share, whole);
    let wanted = [share, whole - share];
    for side in [false, true] {
        let on_it = |sides: &[bool]| sides.iter().filter(|&&is_on| is_on == side).count();
        let mut others = (0..sides.len()).collect::<Vec<_>>();
        others.sort_unstable_by_key(|&vertex| (graph.weights[vertex], vertex));
        for vertex in others {
            if on_it(&sides) >= wanted[usize::from(side)] {
                break;
            }
            sides[vertex] = side;
        }
    }
    sides
}

fn cut(graph: &Graph, share: usize, whole: usize) -> Vec<bool> {
    let total = graph.total();
    let (part, parts) = (share as u64, whole as u64);
    let target = total / parts * part + total % parts * part / parts;
    if graph.weights.len() > SMALL {
        let (coarse, names) = graph.coarser();
        if coarse.weights.len() * 20 < graph.weights.len() * 19 {
            let sides = cut(&coarse, share, whole);
            let sides = names.iter().map(|&name| sides[name]).collect();
            return Refinement::of(graph, sides, target).refined();
        }
    }
    let count = graph.weights.len();
    let step = count.div_ceil(STARTS).max(1);
    let grown = (0..count).step_by(step).map(|start| {
        let mut refinement = Refinement::of(graph, vec![true; count], target);
        refinement.grow(start);
        refinement.refine();
        refinement
    });
    grown
        .min_by_key(Refinement::quality)
        .map_or_else(Vec::new, |best| best.sides)
}

/// A cut that is made better.
struct Refinement<'a> {
    graph: &'a Graph,
    sides: Vec<bool>,
    /// By vertex: how much the cut shrinks when it changes sides.
    gains: Vec<i64>,
    /// Weight of the first side, and what it should be.
    weight: u64,
    target: u64,
    tolerance: u64,
    cut: i64,
}

impl<'a> Refinement<'a> {
    fn of(graph: &'a Graph, sides: Vec<bool>, target: u64) -> Self {
        let signed =
            |here: bool, there: bool, weight: i64| if here == there { -weight } else { weight };
        let rows = graph.neighbours.iter().enumerate();
        let gains: Vec<i64> = rows
            .clone()
            .map(|(vertex, row)| {
                row.iter()
                    .map(|&(other, weight)| signed(sides[vertex], sides[other], weight))
                    .sum()
            })
            .collect();
        let crossing = rows.flat_map(|(vertex, row)| {
            let sides = &sides;
            row.iter()
                .filter(move |&&(other, _)| sides[vertex] != sides[other])
        });
        let cut = crossing.map(|&(_, weight)| weight).sum::<i64>() / 2;
        let first = graph.weights.iter().zip(&sides).filter(|&(_, &side)| !side);
        Self {
            weight: first.map(|(weight, _)| weight).sum(),
            tolerance: graph.total() / TOLERANCE,
            graph,
            gains,
            target,
            cut,
            sides,
        }
    }

    fn off_target(&self, weight: u64) -> u64 {
        weight.abs_diff(self.target)
    }

    /// Less is better: not too far off the target, then a small cut, then near the target.
    fn quality(&self) -> (u64, i64, u64) {
        let off = self.off_target(self.weight);
        (off.saturating_sub(self.tolerance), self.cut, off)
    }

    fn weight_after(&self, vertex: usize) -> u64 {
        let weight = self.graph.weights[vertex];
        if self.sides[vertex] {
            self.weight + weight
        } else {
            self.weight - weight
        }
    }

    fn flip(&mut self, vertex: usize) {
        self.weight = self.weight_after(vertex);
        self.cut -= self.gains[vertex];
        self.gains[vertex] = -self.gains[vertex];
        let side = !self.sides[vertex];
        self.sides[vertex] = side;
        for &(other, weight) in &self.graph.neighbours[vertex] {
            self.gains[other] += if self.sides[other] == side {
                -2 * weight
            } else {
                2 * weight
            };
        }
    }

    /// Lets the first side, which is empty, grow from a vertex.
    fn grow(&mut self, start: usize) {
        let mut next = Some(start);
        while let Some(vertex) = next
            && self.off_target(self.weight_after(vertex)) < self.off_target(self.weight)
        {
            self.flip(vertex);
            let others = (0..self.sides.len()).filter(|&other| self.sides[other]);
            next = others.max_by_key(|&other| (self.gains[other], Reverse(other)));
        }
    }

    fn refined(mut self) -> Vec<bool> {
        self.refine();
        self.sides
    }

    fn refine(&mut self) {
        for _ in 0..MOST_PASSES {
            let before = self.quality();
            self.pass();
            if self.quality() >= before {
                return;
            }
        }
    }

    /// Lets each vertex change sides once, the one that gains most first, and goes back to the best cut.
    fn pass(&mut self) {
        let count = self.sides.len();
        let patience = 100 + count / 20;
        let mut moved = Vec::new();
        let mut is_moved = vec![false; count];
        let mut best = (self.quality(), 0);
        let mut heaps = [const { BinaryHeap::new() }; 2];
        let is_border = |refinement: &Self, vertex: usize| {
            let mut row = refinement.graph.neighbours[vertex].iter();
            row.any(|&(other, _)| refinement.sides[other] != refinement.sides[vertex])
        };
        let needs_all = self.off_target(self.weight) > self.tolerance;
        for vertex in 0..count {
            if needs_all || is_border(self, vertex) {
                heaps[usize::from(self.sides[vertex])].push((self.gains[vertex], Reverse(vertex)));
            }
        }
        while moved.len() < best.1 + patience {
            let mut tops = [None; 2];
            for (heap, top) in heaps.iter_mut().zip(&mut tops) {
                while let Some(&(gain, Reverse(vertex))) = heap.peek() {
                    if is_moved[vertex] || gain != self.gains[vertex] {
                        heap.pop();
                    } else {
                        *top = Some((gain, Reverse(vertex)));
                        break;
                    }
                }
            }
            let off = self.off_target(self.weight);
            let is_allowed = |&(_, Reverse(vertex)): &(i64, Reverse<usize>)| {
                let after = self.off_target(self.weight_after(vertex));
                after <= self.tolerance.max(self.graph.weights[vertex]) || after < off
            };
            let Some((_, Reverse(vertex))) = tops.into_iter().flatten().filter(is_allowed).max()
            else {
                break;
            };
            self.flip(vertex);
            is_moved[vertex] = true;
            moved.push(vertex);
            for &(other, _) in &self.graph.neighbours[vertex] {
                if !is_moved[other] {
                    heaps[usize::from(self.sides[other])].push((self.gains[other], Reverse(other)));
                }
            }
            best = best.min((self.quality(), moved.len()));
        }
        for &vertex in moved[best.1..].iter().rev() {
            self.flip(vertex);
        }
    }
}
