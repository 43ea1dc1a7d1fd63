//! Spanning trees that packets go by for a while.

use super::addresses::Address;
use super::edge::Edge;
use super::joint::Joint;
use super::side::{HERE, NOWHERE};
use crate::cycles::{AcyclicDependencies, Dependencies};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Trees that are tried: from switch after switch outwards by near links first, then by links as drawn.
const MOST_TRIES: usize = 256;
/// Of all, those of the former kind.
const MOST_ROOTS: usize = 64;

/// Per address and switch the edge that it goes on by.
pub(super) type Exits = Vec<Vec<u32>>;

/// The links of both fabrics that are left, each by the edges of its two ways.
pub(super) struct Links<'j> {
    joint: &'j Joint,
    /// The lane that packets are on in a tree.
    lane: u8,
    /// Per edge: the one the other way.
    reverse: Vec<u32>,
    /// Per switch: the edges that leave it.
    from: Vec<Vec<u32>>,
}

/// Links between all switches that are left and no circle, each by the lesser edge of its two ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree(BTreeSet<u32>);

impl<'j> Links<'j> {
    pub(super) fn new(joint: &'j Joint, lane: u8) -> Self {
        let mut at_port = BTreeMap::new();
        for (number, edge) in (0_u32..).zip(&joint.edges) {
            if edge.channel.is_some() {
                at_port.insert((edge.from, edge.port), number);
            }
        }
        let opposite = |edge: &Edge| {
            let other = at_port.get(&(edge.to, edge.input));
            other.copied().unwrap_or(NOWHERE)
        };
        let reverse: Vec<u32> = joint.edges.iter().map(opposite).collect();
        let mut from = vec![Vec::new(); joint.switch_count];
        for (number, edge) in (0_u32..).zip(&joint.edges) {
            if edge.channel.is_some() && reverse[number as usize] != NOWHERE {
                from[edge.from as usize].push(number);
            }
        }
        Self {
            joint,
            lane,
            reverse,
            from,
        }
    }

    fn link(&self, edge: u32) -> u32 {
        edge.min(self.reverse[edge as usize])
    }

    fn to(&self, edge: u32) -> u32 {
        self.joint.edges[edge as usize].to
    }

    /// Of trees that are tried one whose turns close fewest circles with what packets wait for, by all graphs; of those alike
    /// one with most links of another tree. `None` where no links lead to all switches that are left.
    pub(super) fn tree(
        &self,
        graphs: &[AcyclicDependencies],
        wished: Option<&Tree>,
    ) -> Option<Grown> {
        let count = self.joint.left_count;
        let roots = count.min(MOST_ROOTS);
        let mut random = Pcg64Mcg::seed_from_u64(0);
        let mut best: Option<Grown> = None;
        for number in 0..MOST_TRIES {
            let is_found = best.as_ref().is_some_and(|known| known.refused == 0);
            if is_found && number >= roots {
                break;
            }
            let drawn = self.joint.edges.iter().map(|_| match number {
                near if near < roots => 0,
                _ => random.random(),
            });
            let wish = Wish {
                tree: wished,
                drawn: drawn.collect(),
            };
            let grown = self.grow(graphs, &wish, number * count.div_ceil(roots) % count)?;
            let cost = |grown: &Grown| (grown.refused, Reverse(grown.alike));
            if best.as_ref().is_none_or(|known| cost(&grown) < cost(known)) {
                best = Some(grown);
            }
        }
        best
    }

    /// A tree from a root outwards; `None` where it does not lead to all switches.
    fn grow(&self, graphs: &[AcyclicDependencies], wish: &Wish<'_>, root: usize) -> Option<Grown> {
        let mut graphs = graphs.to_vec();
        let mut tree = BTreeSet::new();
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); self.joint.switch_count];
        let mut is_reached = vec![false; self.joint.switch_count];
        is_reached[root] = true;
        let mut left = self.joint.left_count - 1;
        let mut refused = 0;
        // Links of the other tree first, then near ones; those that close circles when there are no others.
        let mut open: BTreeSet<(bool, u32, usize, u32)> = BTreeSet::new();
        let mut closing: VecDeque<u32> = VecDeque::new();
        let mut links = vec![0; self.joint.switch_count];
        let is_other = |edge: u32| {
            wish.tree
                .is_some_and(|tree| !tree.0.contains(&self.link(edge)))
        };
        let turn =
            |edge: u32, links: usize| (is_other(edge), wish.drawn[edge as usize], links, edge);
        open.extend(self.from[root].iter().map(|&edge| turn(edge, 0)));
        while left > 0 {
            let (edge, is_forced) = match open.pop_first() {
                Some((_, _, _, edge)) => (edge, false),
                None => (closing.pop_front()?, true),
            };
            let (at, to) = (self.joint.edges[edge as usize].from, self.to(edge));
            if is_reached[to as usize] {
                continue;
            }
            let turns = self.turns(&leaving[at as usize], edge);
            if !hold_in_all(&mut graphs, &turns) {
                if !is_forced {
                    closing.push_back(edge);
                    continue;
                }
                refused += 1;
            }
            is_reached[to as usize] = true;
            left -= 1;
            links[to as usize] = links[at as usize] + 1;
            tree.insert(self.link(edge));
            leaving[at as usize].push(edge);
            leaving[to as usize].push(self.reverse[edge as usize]);
            let further = self.from[to as usize].iter();
            let further = further.filter(|&&edge| !is_reached[self.to(edge) as usize]);
            open.extend(further.map(|&edge| turn(edge, links[to as usize])));
        }
        let alike = tree.iter().filter(|&&link| !is_other(link)).count();
        Some(Grown {
            tree: Tree(tree),
            refused,
            alike,
        })
    }

    /// The turns of a tree over another link that leaves a switch.
    fn turns(&self, leaving: &[u32], edge: u32) -> Vec<[u32; 2]> {
        let back = self.reverse[edge as usize];
        let pairs = leaving
            .iter()
            .flat_map(|&other| [[back, other], [self.reverse[other as usize], edge]]);
        pairs
            .map(|pair| pair.map(|edge| self.joint.vertex(edge, self.lane)))
            .collect()
    }

    /// Per address and switch the edge that it goes on by in a tree.
    pub(super) fn exits(&self, tree: &Tree) -> Exits {
        let mut known: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        let of_one = |address: &Address| {
            if !address.is_left {
                return address.new.exits.clone();
            }
            let left = (0_u32..).take(self.joint.left_count);
            let goal = &address.new.exits;
            let ends: Vec<u32> = left.filter(|&at| goal[at as usize] == HERE).collect();
            let by_tree = known
                .entry(ends)
                .or_insert_with_key(|ends| self.towards(tree, ends));
            by_tree.clone()
        };
        self.joint.addresses.iter().map(of_one).collect()
    }

    /// The most ordered pairs of hosts of different switches whose way in a tree is over one channel.
    pub(super) fn most_pairs(&self, tree: &Tree, hosts: &[u64]) -> u64 {
        let exits = self.towards(tree, &[0]);
        let mut behind = vec![0; self.joint.switch_count];
        for (from, &count) in hosts.iter().enumerate() {
            let mut at = from;
            while exits[at] < HERE {
                behind[at] += count;
                at = self.to(exits[at]) as usize;
            }
        }
        let all: u64 = hosts.iter().sum();
        let pairs = behind.iter().map(|count| count * (all - count));
        pairs.max().unwrap_or(0)
    }

    fn towards(&self, tree: &Tree, ends: &[u32]) -> Vec<u32> {
        let mut exits = vec![NOWHERE; self.joint.switch_count];
        let mut reached: VecDeque<u32> = ends.iter().copied().collect();
        for &end in ends {
            exits[end as usize] = HERE;
        }
        while let Some(at) = reached.pop_front() {
            for &edge in &self.from[at as usize] {
                let to = self.to(edge);
                if tree.0.contains(&self.link(edge)) && exits[to as usize] == NOWHERE {
                    exits[to as usize] = self.reverse[edge as usize];
                    reached.push_back(to);
                }
            }
        }
        exits
    }

    /// Trees from one to another, packets by each and the next of which wait in no circle.
    ///
    /// A link that the other tree has closes a ring with a tree. In its place a link beside it is left out, so that the
    /// turn between the two is in neither tree, and from link to link the gap goes to one that the other does not have:
    /// in rings without a common switch at once, the shortest ways first.
    pub(super) fn between(&self, from: &Tree, to: &Tree) -> Vec<Tree> {
        let mut trees = vec![from.clone()];
        let mut now = from.clone();
        while now != *to {
            let missing = to.0.difference(&now.0);
            let mut swaps: Vec<Swap> = missing
                .filter_map(|&link| self.nearest_swap(&now, to, link))
                .collect();
            swaps.sort_by_key(|swap| (swap.links, swap.added));
            let mut is_part = vec![false; self.joint.switch_count];
            for swap in swaps {
                if swap.ring.iter().any(|&at| is_part[at as usize]) {
                    continue;
                }
                for &at in &swap.ring {
                    is_part[at as usize] = true;
                }
                now.0.insert(swap.added);
                now.0.remove(&swap.taken);
            }
            trees.push(now.clone());
        }
        self.needed(trees)
    }

    /// Of trees of which each leads to the next those that are needed for that.
    fn needed(&self, trees: Vec<Tree>) -> Vec<Tree> {
        let mut kept = Vec::new();
        let mut place = 0;
        while place + 1 < trees.len() {
            kept.push(trees[place].clone());
            let steps = (1..).map(|step| place + step);
            let ahead = steps.take_while(|&far| {
                far < trees.len()
                    && (far == place + 1 || self.close_no_circle([&trees[place], &trees[far]]))
            });
            place = ahead.last().unwrap_or(place + 1);
        }
        kept.extend(trees.into_iter().next_back());
        kept
    }

    /// Whether the turns of two trees close no circle together.
    fn close_no_circle(&self, trees: [&Tree; 2]) -> bool {
        let mut graph = Dependencies::new(self.joint.vertex_count());
        for tree in trees {
            for edges in &self.from {
                let of_tree = |&&edge: &&u32| tree.0.contains(&self.link(edge));
                let leaving: Vec<u32> = edges.iter().filter(of_tree).copied().collect();
                for (place, &edge) in leaving.iter().enumerate() {
                    for turn in self.turns(&leaving[..place], edge) {
                        graph.add(turn[0], turn[1]);
                    }
                }
            }
        }
        graph.ranks().is_some()
    }

    /// Which link is left out first for one that another tree has, so that the gap goes the shortest way to one that it does
    /// not have.
    fn nearest_swap(&self, now: &Tree, to: &Tree, added: u32) -> Option<Swap> {
        let edge = &self.joint.edges[added as usize];
        let exits = self.towards(now, &[edge.to]);
        let (mut at, mut ring, mut way) = (edge.from, vec![edge.from], Vec::new());
        while exits[at as usize] < HERE {
            way.push(self.link(exits[at as usize]));
            at = self.to(exits[at as usize]);
            ring.push(at);
        }
        let is_other = |link: &u32| !to.0.contains(link);
        let before = way.iter().position(is_other)?;
        let behind = way.iter().rev().position(is_other)?;
        Some(Swap {
            added,
            taken: if before <= behind {
                *way.first()?
            } else {
                *way.last()?
            },
            links: before.min(behind),
            ring,
        })
    }
}

/// A link that comes into a tree, and one that goes.
struct Swap {
    added: u32,
    taken: u32,
    /// Links between it and the nearest that the other tree does not have.
    links: usize,
    /// The switches of the ring that the one closes.
    ring: Vec<u32>,
}

/// A tree that was grown.
pub(super) struct Grown {
    pub(super) tree: Tree,
    /// Its links over which turns close circles.
    pub(super) refused: usize,
    /// Its links that the other tree has, too.
    pub(super) alike: usize,
}

/// Which links are taken first.
struct Wish<'t> {
    /// Those of another tree.
    tree: Option<&'t Tree>,
    /// Then those whose edge has the least number here, of these the nearest.
    drawn: Vec<u32>,
}

/// Adds turns to all graphs, or to none if they would close a circle in one.
fn hold_in_all(graphs: &mut [AcyclicDependencies], turns: &[[u32; 2]]) -> bool {
    for place in 0..graphs.len() {
        let held = turns
            .iter()
            .take_while(|turn| graphs[place].add(turn[0], turn[1]))
            .count();
        if held < turns.len() {
            let_go(&mut graphs[place], &turns[..held]);
            for graph in &mut graphs[..place] {
                let_go(graph, turns);
            }
            return false;
        }
    }
    true
}

fn let_go(graph: &mut AcyclicDependencies, turns: &[[u32; 2]]) {
    for turn in turns {
        graph.remove_route(turn);
    }
}
