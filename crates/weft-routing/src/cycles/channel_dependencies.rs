//! Dependencies between channels as routes come and go, and cycles among them.
//!
//! Vertices are whatever the caller numbers: channels, or lanes of channels. A route that takes one
//! right after another depends on the pair; routes share dependencies, so each is counted.

use super::lists::Lists;
use weft_fabric::narrow;

/// Dependencies with the number of their uses, cycles and all.
#[derive(Clone, Debug)]
pub(crate) struct Dependencies {
    /// Per vertex: what is wanted by those who hold it, and how often.
    wanted: Lists<(u32, u32)>,
    /// Per vertex: what those hold who want it.
    held: Lists<u32>,
}

impl Dependencies {
    pub(crate) fn new(vertex_count: usize) -> Self {
        Self {
            wanted: Lists::new(vertex_count),
            held: Lists::new(vertex_count),
        }
    }

    /// Has what searches look at one after the other lie together.
    pub(super) fn put_in_order(&mut self) {
        self.wanted.put_in_order();
        self.held.put_in_order();
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.wanted.count()
    }

    pub(crate) fn uses(&self, held: u32, wanted: u32) -> u32 {
        let mut entries = self.wanted(held).iter();
        entries
            .find(|entry| entry.0 == wanted)
            .map_or(0, |entry| entry.1)
    }

    /// The vertices wanted by those who hold one, each with its uses.
    pub(crate) fn wanted(&self, held: u32) -> &[(u32, u32)] {
        self.wanted.get(held)
    }

    /// Begins to read what is wanted by those who hold a vertex, for later.
    #[inline]
    pub(super) fn read_wanted_ahead(&self, held: u32) {
        self.wanted.read_ahead(held);
    }

    /// Begins to read what those hold who want a vertex, for later.
    #[inline]
    pub(super) fn read_held_ahead(&self, wanted: u32) {
        self.held.read_ahead(wanted);
    }

    /// What those hold who want a vertex.
    #[inline]
    pub(super) fn held(&self, wanted: u32) -> &[u32] {
        self.held.get(wanted)
    }

    pub(crate) fn add(&mut self, held: u32, wanted: u32) {
        if !self.add_again(held, wanted) {
            self.add_first(held, wanted);
        }
    }

    /// Adds a use of a dependency that has some, and tells whether it does.
    pub(super) fn add_again(&mut self, held: u32, wanted: u32) -> bool {
        self.add_more(held, wanted, 1)
    }

    /// Adds so many uses of a dependency that has some, and tells whether it does.
    pub(super) fn add_more(&mut self, held: u32, wanted: u32, uses: u32) -> bool {
        let mut entries = self.wanted.get_mut(held).iter_mut();
        let found = entries.find(|entry| entry.0 == wanted);
        found.is_some_and(|entry| {
            entry.1 += uses;
            true
        })
    }

    /// Adds the first use of a dependency.
    pub(super) fn add_first(&mut self, held: u32, wanted: u32) {
        self.wanted.push(held, (wanted, 1));
        self.held.push(wanted, held);
    }

    /// Takes a use back; one that is not there is left alone.
    pub(crate) fn remove(&mut self, held: u32, wanted: u32) {
        let entries = self.wanted.get_mut(held);
        let Some(place) = entries.iter().position(|entry| entry.0 == wanted) else {
            return;
        };
        entries[place].1 -= 1;
        if entries[place].1 == 0 {
            // Orders are kept, so that searches do not depend on what once was here.
            self.wanted.remove(held, place);
            self.held.remove_item(wanted, held);
        }
    }

    /// Takes back all uses of what those who hold a vertex want, and of it, and adds each dependency with its uses to
    /// others.
    pub(super) fn clear(&mut self, vertex: u32, cleared: &mut Vec<(u32, u32, u32)>) {
        for &(wanted, uses) in self.wanted.get(vertex) {
            self.held.remove_item(wanted, vertex);
            cleared.push((vertex, wanted, uses));
        }
        self.wanted.clear(vertex);
        for &held in self.held.get(vertex) {
            let mut entries = self.wanted.get(held).iter();
            if let Some(place) = entries.position(|entry| entry.0 == vertex) {
                cleared.push((held, vertex, self.wanted.remove(held, place).1));
            }
        }
        self.held.clear(vertex);
    }

    /// Adds the dependencies of a route that takes these vertices one after the other.
    pub(crate) fn add_route(&mut self, vertices: &[u32]) {
        for pair in vertices.windows(2) {
            self.add(pair[0], pair[1]);
        }
    }

    pub(crate) fn remove_route(&mut self, vertices: &[u32]) {
        for pair in vertices.windows(2) {
            self.remove(pair[0], pair[1]);
        }
    }

    /// A cycle: vertices that each want the next, the last one the first. `None` if there is
    /// none.
    /// Time linear in vertices and dependencies.
    pub(crate) fn cycle(&self) -> Option<Vec<u32>> {
        CycleSearch::of(self.vertex_count()).next(self)
    }

    /// Hands every cycle that a depth-first search meets to `cut`, which must take at least one of
    /// its dependencies away; when it ends there is no cycle.
    ///
    /// What has been searched without a cycle stays so: dependencies only go.
    pub(crate) fn cut_cycles(&mut self, mut cut: impl FnMut(&mut Self, &[u32])) {
        let mut search = CycleSearch::of(self.vertex_count());
        while let Some(cycle) = search.next(self) {
            cut(self, &cycle);
        }
    }

    /// Ranks that all dependencies ascend, from 0 up; `None` if there is a cycle.
    pub(crate) fn ranks(&self) -> Option<Vec<u32>> {
        let mut queue: Vec<u32> = (0..).take(self.vertex_count()).collect();
        let before = queue.iter().map(|&vertex| self.held(vertex).len());
        let mut before: Vec<usize> = before.collect();
        queue.retain(|&vertex| before[vertex as usize] == 0);
        let mut ranks = vec![0; self.vertex_count()];
        let mut place = 0;
        while let Some(&vertex) = queue.get(place) {
            ranks[vertex as usize] = narrow(place, "vertices have numbers of 32 bits");
            place += 1;
            for &(wanted, _) in self.wanted(vertex) {
                before[wanted as usize] -= 1;
                if before[wanted as usize] == 0 {
                    queue.push(wanted);
                }
            }
        }
        (place == self.vertex_count()).then_some(ranks)
    }

    /// A shortest cycle, of equally short ones that from the lowest vertex; `None` if there
    /// is none.
    /// Time O(V·D) for V vertices and D dependencies at worst; a search from a vertex ends where a
    /// cycle through it would be no shorter than one known.
    pub(crate) fn shortest_cycle(&self) -> Option<Vec<u32>> {
        let mut best: Option<Vec<u32>> = None;
        let mut met = vec![u32::MAX; self.vertex_count()];
        let mut queue: Vec<(u32, usize)> = Vec::new();
        for start in (0..).take(self.vertex_count()) {
            let most = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            queue.clear();
            queue.push((start, 0));
            let (mut place, mut depth, mut level_end) = (0, 1, 1);
            'search: while place < queue.len() && depth <= most {
                for &(next, _) in self.wanted(queue[place].0) {
                    if next == start {
                        best = Some(way_to(&queue, place));
                        break 'search;
                    }
                    // Cycles through a lower vertex are known already.
                    if next > start && met[next as usize] != start {
                        met[next as usize] = start;
                        queue.push((next, place));
                    }
                }
                place += 1;
                if place == level_end {
                    (depth, level_end) = (depth + 1, queue.len());
                }
            }
        }
        best
    }
}

/// The way that a search took to one of its places, each entry with the place before it.
fn way_to(queue: &[(u32, usize)], place: usize) -> Vec<u32> {
    let mut at = place;
    let mut way = vec![queue[at].0];
    while at != 0 {
        at = queue[at].1;
        way.push(queue[at].0);
    }
    way.reverse();
    way
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Not,
    OnPath,
    Done,
}

/// A depth-first search for one cycle after the other.
struct CycleSearch {
    visits: Vec<Visit>,
    /// Vertices that each want the next, with the place of what is looked at next.
    path: Vec<(u32, usize)>,
    /// All vertices below have been visited.
    start: u32,
}

impl CycleSearch {
    fn of(vertices: usize) -> Self {
        Self {
            visits: vec![Visit::Not; vertices],
            path: Vec::new(),
            start: 0,
        }
    }

    /// The next cycle, after dependencies of the last one were taken away.
    fn next(&mut self, graph: &Dependencies) -> Option<Vec<u32>> {
        self.shorten(graph);
        loop {
            while let Some((at, place)) = self.path.last_mut() {
                let Some(&(next, _)) = graph.wanted(*at).get(*place) else {
                    self.visits[*at as usize] = Visit::Done;
                    self.path.pop();
                    continue;
                };
                *place += 1;
                match self.visits[next as usize] {
                    Visit::Done => {}
                    Visit::Not => self.enter(next),
                    Visit::OnPath => {
                        let vertices = self.path.iter().map(|&(vertex, _)| vertex);
                        return Some(vertices.skip_while(|&v| v != next).collect());
                    }
                }
            }
            while *self.visits.get(self.start as usize)? != Visit::Not {
                self.start += 1;
            }
            self.enter(self.start);
        }
    }

    fn enter(&mut self, vertex: u32) {
        self.visits[vertex as usize] = Visit::OnPath;
        self.path.push((vertex, 0));
    }

    /// Keeps of the path what still is one. Lists of dependencies may have become shorter, so
    /// they are gone through anew.
    fn shorten(&mut self, graph: &Dependencies) {
        let holds = |pair: &[(u32, usize)]| graph.uses(pair[0].0, pair[1].0) > 0;
        let kept = self.path.windows(2).take_while(|pair| holds(pair)).count() + 1;
        for (vertex, _) in self.path.split_off(kept.min(self.path.len())) {
            self.visits[vertex as usize] = Visit::Not;
        }
        for entry in &mut self.path {
            entry.1 = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cycle_is_told_from_the_vertex_it_was_entered_by() {
        let mut graph = Dependencies::new(6);
        graph.add_route(&[0, 3, 5, 4]);
        assert_eq!(graph.cycle(), None);
        graph.add(4, 3);
        assert_eq!(graph.cycle(), Some(vec![3, 5, 4]));
        graph.remove_route(&[0, 3, 5]);
        assert_eq!(graph.cycle(), None);
        graph.add(2, 2);
        assert_eq!(graph.cycle(), Some(vec![2]));
    }

    #[test]
    fn the_shortest_cycle_is_found_behind_a_longer_one() {
        let mut graph = Dependencies::new(8);
        assert_eq!(graph.shortest_cycle(), None);
        graph.add_route(&[0, 1, 2, 3, 0]);
        assert_eq!(graph.shortest_cycle(), Some(vec![0, 1, 2, 3]));
        graph.add_route(&[2, 5, 7, 4, 5]);
        assert_eq!(graph.shortest_cycle(), Some(vec![4, 5, 7]));
        graph.add(6, 6);
        assert_eq!(graph.shortest_cycle(), Some(vec![6]));
    }

    #[test]
    fn a_cycle_is_handed_over_whole() {
        let mut graph = Dependencies::new(5);
        graph.add_route(&[0, 1, 2, 3, 1]);
        let mut found = Vec::new();
        graph.cut_cycles(|graph, cycle| {
            found.push(cycle.to_vec());
            graph.remove(3, 1);
        });
        assert_eq!(found, [[1, 2, 3]]);
    }

    proptest! {
        #[test]
        fn no_cycle_is_left_and_each_that_was_met_was_one(
            pairs in prop::collection::vec((0_u32..8, 0_u32..8), 0..40)
        ) {
            let mut graph = Dependencies::new(8);
            for &(held, wanted) in &pairs {
                graph.add(held, wanted);
            }
            let had_cycle = graph.cycle().is_some();
            let mut cuts = 0;
            graph.cut_cycles(|graph, cycle| {
                cuts += 1;
                for (place, &held) in cycle.iter().enumerate() {
                    assert!(graph.uses(held, cycle[(place + 1) % cycle.len()]) > 0);
                }
                let last = cycle[cycle.len() - 1];
                while graph.uses(last, cycle[0]) > 0 {
                    graph.remove(last, cycle[0]);
                }
            });
            prop_assert_eq!(graph.cycle(), None);
            prop_assert_eq!(cuts > 0, had_cycle);
        }

        /// No walk as long as the shortest cycle or shorter returns unless by such a cycle.
        #[test]
        fn a_shortest_cycle_is_as_short_as_any_closed_walk(
            pairs in prop::collection::vec((0_u32..7, 0_u32..7), 0..14)
        ) {
            let mut graph = Dependencies::new(7);
            let mut wants = [[false; 7]; 7];
            for &(held, wanted) in &pairs {
                graph.add(held, wanted);
                wants[held as usize][wanted as usize] = true;
            }
            // Whether a walk of so many steps leads from one vertex to another.
            let mut walks = wants;
            let mut shortest = None;
            for links in 1..=7 {
                if (0..7).any(|v| walks[v][v]) {
                    shortest = Some(links);
                    break;
                }
                walks = std::array::from_fn(|from| {
                    std::array::from_fn(|to| (0..7).any(|by| walks[from][by] && wants[by][to]))
                });
            }
            let found = graph.shortest_cycle();
            prop_assert_eq!(found.as_ref().map(Vec::len), shortest);
            if let Some(cycle) = found {
                for (place, &held) in cycle.iter().enumerate() {
                    let wanted = cycle[(place + 1) % cycle.len()];
                    prop_assert!(wants[held as usize][wanted as usize]);
                }
            }
        }
    }
}
