//! What leads where in dependencies, seen at once by vertices on the way.

use super::AcyclicDependencies;
use std::collections::VecDeque;

/// Landmarks of each group of vertices: a bit each.
const COUNT: usize = 64;

/// The bit of a vertex that is no landmark.
const NONE: u8 = u8::MAX;

/// For every vertex the landmarks that it leads to, and those that lead to it, among vertices of its group.
///
/// Who leads to a landmark that leads to another leads to that; most pairs of which one leads to the other have such
/// a landmark between them, where many do. What is known stays so while dependencies are added. It is known of those
/// that were there when landmarks were chosen, but for what has been cleared since.
///
/// # Source
/// Cohen, Halperin, Kaplan, Zwick, "Reachability and distance queries via 2-hop labels", SIAM Journal on Computing 32,
/// 2003, with the same middles for all.
#[derive(Clone, Debug)]
pub(crate) struct Landmarks {
    /// Vertices of a group.
    group: usize,
    /// Per vertex: what it leads to, and what leads to it.
    reach: Vec<[u64; 2]>,
    /// Per vertex: the bit of a landmark, or [`NONE`].
    own: Vec<u8>,
    /// Per group: landmarks that were cleared themselves.
    lost: Vec<u64>,
    /// What was known before something was cleared.
    before: Vec<Before>,
    /// What is looked at anew, each once.
    waiting: VecDeque<u32>,
    /// Per vertex that waits: what it may have lost.
    doubts: Vec<u64>,
}

/// What was known before something was cleared.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// Of a vertex what it led to, or was led to from.
    Reach(u32, usize, u64),
    /// Of a group which landmarks were lost.
    Lost(usize, u64),
}

impl Landmarks {
    /// Chooses landmarks, where vertices lie together by groups of so many.
    /// Time in proportion to vertices and dependencies.
    pub(crate) fn new(graph: &AcyclicDependencies, group: usize) -> Self {
        let ranks = graph.ranks();
        let mut by_rank = vec![0; ranks.len()];
        for (vertex, &rank) in (0_u32..).zip(&ranks) {
            by_rank[rank as usize] = vertex;
        }
        let mut groups = vec![Vec::new(); ranks.len().div_ceil(group.max(1))];
        for &vertex in &by_rank {
            let ways = graph.wanted(vertex).len() * graph.held(vertex).len();
            if ways > 0 {
                groups[vertex as usize / group].push((vertex, ways));
            }
        }
        let mut own = vec![NONE; ranks.len()];
        for passed in &groups {
            let stretches = passed.chunks(passed.len().div_ceil(COUNT).max(1));
            let busiest = stretches.filter_map(|of| of.iter().rev().max_by_key(|of| of.1));
            for (bit, of) in (0..).zip(busiest) {
                own[of.0 as usize] = bit;
            }
        }
        let mut made = Self {
            group,
            reach: vec![[0; 2]; ranks.len()],
            own,
            lost: vec![0; groups.len()],
            before: Vec::new(),
            waiting: VecDeque::new(),
            doubts: vec![0; ranks.len()],
        };
        for &vertex in by_rank.iter().rev() {
            made.reach[vertex as usize][0] = made.gathered(graph, vertex, 0, u64::MAX);
        }
        for &vertex in &by_rank {
            made.reach[vertex as usize][1] = made.gathered(graph, vertex, 1, u64::MAX);
        }
        made
    }

    /// Tells whether it is known that one vertex leads to another.
    #[inline]
    pub(crate) fn know(&self, from: u32, to: u32) -> bool {
        let known = self.reach[from as usize][0] & self.reach[to as usize][1];
        known != 0
            && self.group_of(from) == self.group_of(to)
            && known & !self.lost[self.group_of(from)] != 0
    }

    /// Notes that dependencies are gone, each given by its vertices, and returns by what this is
    /// [undone](Self::restore).
    ///
    /// Time in proportion to the vertices that lead to other landmarks then or are led to from others, and what is next
    /// to them. Landmarks that nothing depends on any more, nor they on anything, are none.
    pub(crate) fn clear(
        &mut self,
        graph: &AcyclicDependencies,
        gone: &(impl Iterator<Item = [u32; 2]> + Clone),
    ) -> usize {
        let mark = self.before.len();
        let alone = gone
            .clone()
            .flatten()
            .filter(|&vertex| graph.wanted(vertex).is_empty() && graph.held(vertex).is_empty());
        for vertex in alone.clone() {
            let (own, group) = (self.own(vertex), self.group_of(vertex));
            if self.lost[group] & own != own {
                self.before.push(Before::Lost(group, self.lost[group]));
                self.lost[group] |= own;
            }
        }
        for side in 0..2 {
            for ends in gone.clone() {
                let [vertex, other] = [ends[side], ends[1 - side]];
                let lost = self.reach[other as usize][side];
                self.doubt(side, [vertex, other], lost);
            }
            // Nothing leads round, so that nothing is known of one by another that is known of by the first.
            while let Some(vertex) = self.waiting.pop_front() {
                let doubts = std::mem::take(&mut self.doubts[vertex as usize]);
                let lost = doubts & !self.gathered(graph, vertex, side, doubts);
                if lost == 0 {
                    continue;
                }
                let was = self.reach[vertex as usize][side];
                self.set_reach(vertex, side, was & !lost);
                match side {
                    0 => {
                        for &held in graph.held(vertex) {
                            self.doubt(side, [held, vertex], lost);
                        }
                    }
                    _ => {
                        for &(wanted, _) in graph.wanted(vertex) {
                            self.doubt(side, [wanted, vertex], lost);
                        }
                    }
                }
            }
        }
        for vertex in alone {
            for side in 0..2 {
                if self.reach[vertex as usize][side] != 0 {
                    self.set_reach(vertex, side, 0);
                }
            }
        }
        mark
    }

    /// Has it looked at whether a vertex leads to landmarks still, or is led to from there, that one next to it does not
    /// any more, or is not next to it.
    fn doubt(&mut self, side: usize, [vertex, other]: [u32; 2], lost: u64) {
        let group = self.group_of(vertex);
        let doubts = lost & self.reach[vertex as usize][side] & !self.lost[group];
        if doubts == 0 || self.group_of(other) != group {
            return;
        }
        if self.doubts[vertex as usize] == 0 {
            self.waiting.push_back(vertex);
        }
        self.doubts[vertex as usize] |= doubts;
    }

    fn set_reach(&mut self, vertex: u32, side: usize, reach: u64) {
        let was = std::mem::replace(&mut self.reach[vertex as usize][side], reach);
        self.before.push(Before::Reach(vertex, side, was));
    }

    /// Knows again what it did before something was cleared, and something else after that.
    pub(crate) fn restore(&mut self, mark: usize) {
        for before in self.before.drain(mark..).rev() {
            match before {
                Before::Reach(vertex, side, was) => self.reach[vertex as usize][side] = was,
                Before::Lost(group, was) => self.lost[group] = was,
            }
        }
    }

    /// The bit of a vertex that is a landmark.
    fn own(&self, vertex: u32) -> u64 {
        match self.own[vertex as usize] {
            NONE => 0,
            bit => 1 << bit,
        }
    }

    /// Which of some landmarks a vertex leads to (0) or is led to from (1), as what is next to it does and itself.
    fn gathered(&self, graph: &AcyclicDependencies, vertex: u32, side: usize, asked: u64) -> u64 {
        let first = self.group_of(vertex) * self.group;
        let mut known = self.own(vertex) & asked;
        let mut has_all = |other: u32| {
            if (first..first + self.group).contains(&(other as usize)) {
                known |= self.reach[other as usize][side] & asked;
            }
            known == asked
        };
        // What all are found of is not looked for any further.
        let _ = match side {
            0 => graph.wanted(vertex).iter().any(|of| has_all(of.0)),
            _ => graph.held(vertex).iter().any(|&of| has_all(of)),
        };
        known
    }

    fn group_of(&self, vertex: u32) -> usize {
        vertex as usize / self.group
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether dependencies lead from one vertex to another, or both are the same.
    fn leads(graph: &AcyclicDependencies, from: u32, to: u32) -> bool {
        from == to
            || graph
                .wanted(from)
                .iter()
                .any(|&(next, _)| leads(graph, next, to))
    }

    /// 0 → 1 → 2 → 3 and 1 → 4, in groups of five: each of 1 and 2 is one, as the only ones between others.
    #[test]
    fn what_is_cleared_leads_nowhere_until_it_is_back() {
        let mut graph = AcyclicDependencies::new(10);
        assert!(graph.add_route(&[0, 1, 2, 3]) && graph.add_route(&[1, 4]));
        let mut landmarks = Landmarks::new(&graph, 5);
        assert_eq!([1, 2].map(|vertex| landmarks.own(vertex)), [1, 2]);
        assert_eq!(
            (0..10).filter(|&vertex| landmarks.own(vertex) == 0).count(),
            8
        );
        let known = |landmarks: &Landmarks| {
            let pairs = (0..5).flat_map(|from| (0..5).map(move |to| (from, to)));
            pairs.filter(|&(from, to)| landmarks.know(from, to)).count()
        };
        // All pairs but 0, 3 and 4 with themselves.
        assert_eq!(known(&landmarks), 4 + 4 + 2);
        let mut cleared = Vec::new();
        graph.clear(2, &mut cleared);
        let gone = cleared.iter().map(|of| [of.0, of.1]);
        let mark = landmarks.clear(&graph, &gone);
        assert!(landmarks.know(0, 1) && landmarks.know(1, 4));
        assert_eq!(
            [(0, 3), (2, 3), (0, 2)].map(|(a, b)| landmarks.know(a, b)),
            [false; 3]
        );
        landmarks.restore(mark);
        assert_eq!(known(&landmarks), 4 + 4 + 2);
    }

    proptest! {
        /// What is known is so, of what stands since landmarks were chosen all is known that leads over one, and it is
        /// known again once what was cleared is back.
        #[test]
        fn what_is_known_is_so(
            pairs in prop::collection::vec((0_u32..12, 0_u32..12), 0..60),
            cleared in prop::collection::vec(prop::collection::vec(0_u32..12, 0..4), 1..3),
            more in prop::collection::vec((0_u32..12, 0_u32..12), 0..10),
            group in 4_usize..14,
        ) {
            let mut graph = AcyclicDependencies::new(12);
            for (held, wanted) in pairs {
                let _ = graph.add(held, wanted);
            }
            let mut landmarks = Landmarks::new(&graph, group);
            let first = landmarks.reach.clone();
            let mut marks = Vec::new();
            for vertices in cleared {
                let mut gone = Vec::new();
                for vertex in vertices {
                    graph.clear(vertex, &mut gone);
                }
                let gone = gone.iter().map(|of| [of.0, of.1]);
                marks.push(landmarks.clear(&graph, &gone));
                for (from, to) in (0..12).flat_map(|from| (0..12).map(move |to| (from, to))) {
                    let is_known = landmarks.know(from, to);
                    prop_assert!(!is_known || leads(&graph, from, to));
                    // A way between two of a group may lead over another group, which is not seen.
                    let mut stand = (0..12).filter(|&at| landmarks.own(at) != 0);
                    let stands = |at| landmarks.lost[landmarks.group_of(at)] & landmarks.own(at) == 0;
                    let is_between = stand.any(|at| {
                        stands(at) && leads(&graph, from, at) && leads(&graph, at, to)
                    });
                    prop_assert!(is_known || !is_between || group < 12);
                }
            }
            for (held, wanted) in more {
                let closes = landmarks.know(wanted, held);
                let is_added = graph.add(held, wanted);
                prop_assert!(!closes || !is_added, "it closes a cycle");
            }
            for mark in marks.into_iter().rev() {
                landmarks.restore(mark);
            }
            prop_assert_eq!(landmarks.reach, first);
            prop_assert!(landmarks.lost.iter().all(|&lost| lost == 0));
        }
    }
}
