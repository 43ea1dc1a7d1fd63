//! Dependencies between channels as routes come and go, and the order that keeps them free of
//! cycles.
//!
//! Vertices are whatever the caller numbers: channels, or lanes of channels. A route that takes one
//! right after another depends on the pair; routes share dependencies, so each is counted.

use weft_fabric::narrow;

/// Dependencies with the number of their uses, cycles and all.
#[derive(Clone, Debug)]
pub(crate) struct Dependencies {
    /// Per vertex: what is wanted by those who hold it, and how often.
    wanted: Vec<Vec<(u32, u32)>>,
    /// Per vertex: what those hold who want it.
    held: Vec<Vec<u32>>,
}

impl Dependencies {
    pub(crate) fn new(vertex_count: usize) -> Self {
        Self {
            wanted: vec![Vec::new(); vertex_count],
            held: vec![Vec::new(); vertex_count],
        }
    }

    pub(crate) fn uses(&self, held: u32, wanted: u32) -> u32 {
        let mut entries = self.wanted[held as usize].iter();
        entries
            .find(|entry| entry.0 == wanted)
            .map_or(0, |entry| entry.1)
    }

    /// The vertices wanted by those who hold one, each with its uses.
    pub(crate) fn wanted(&self, held: u32) -> &[(u32, u32)] {
        &self.wanted[held as usize]
    }

    pub(crate) fn add(&mut self, held: u32, wanted: u32) {
        let entries = &mut self.wanted[held as usize];
        if let Some(entry) = entries.iter_mut().find(|entry| entry.0 == wanted) {
            entry.1 += 1;
        } else {
            entries.push((wanted, 1));
            self.held[wanted as usize].push(held);
        }
    }

    /// Takes a use back; one that is not there is left alone.
    pub(crate) fn remove(&mut self, held: u32, wanted: u32) {
        let entries = &mut self.wanted[held as usize];
        let Some(place) = entries.iter().position(|entry| entry.0 == wanted) else {
            return;
        };
        entries[place].1 -= 1;
        if entries[place].1 == 0 {
            // Orders are kept, so that searches do not depend on what once was here.
            entries.remove(place);
            self.held[wanted as usize].retain(|&other| other != held);
        }
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
        CycleSearch::of(self.wanted.len()).next(self)
    }

    /// Hands every cycle that a depth-first search meets to `cut`, which must take at least one of
    /// its dependencies away; when it ends there is no cycle.
    ///
    /// What has been searched without a cycle stays so: dependencies only go.
    pub(crate) fn cut_cycles(&mut self, mut cut: impl FnMut(&mut Self, &[u32])) {
        let mut search = CycleSearch::of(self.wanted.len());
        while let Some(cycle) = search.next(self) {
            cut(self, &cycle);
        }
    }

    /// Ranks that all dependencies ascend, from 0 up; `None` if there is a cycle.
    pub(crate) fn ranks(&self) -> Option<Vec<u32>> {
        let mut before: Vec<usize> = self.held.iter().map(Vec::len).collect();
        let mut queue: Vec<u32> = (0..).take(self.wanted.len()).collect();
        queue.retain(|&vertex| before[vertex as usize] == 0);
        let mut ranks = vec![0; self.wanted.len()];
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
        (place == self.wanted.len()).then_some(ranks)
    }

    /// A shortest cycle, of equally short ones that from the lowest vertex; `None` if there
    /// is none.
    /// Time O(V·D) for V vertices and D dependencies at worst; a search from a vertex ends where a
    /// cycle through it would be no shorter than one known.
    pub(crate) fn shortest_cycle(&self) -> Option<Vec<u32>> {
        let mut best: Option<Vec<u32>> = None;
        let mut met = vec![u32::MAX; self.wanted.len()];
        let mut queue: Vec<(u32, usize)> = Vec::new();
        for start in (0..).take(self.wanted.len()) {
            let most = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            queue.clear();
            queue.push((start, 0));
            let (mut place, mut depth, mut level_end) = (0, 1, 1);
            'search: while place < queue.len() && depth <= most {
                for &(next, _) in &self.wanted[queue[place].0 as usize] {
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

/// Dependencies that never form a cycle: what would close one is refused.
///
/// A rank per vertex is kept such that every dependency leads to a higher one. A new dependency
/// that already does costs nothing; else only the vertices ranked between its two ends are
/// searched and, if no cycle shows, ranked anew.
///
/// # Source
/// Pearce, Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", ACM Journal
/// of Experimental Algorithmics 11, 2006.
#[derive(Clone, Debug)]
pub(crate) struct AcyclicDependencies {
    graph: Dependencies,
    ranks: Vec<u32>,
    /// Per vertex: number of the last search that met it.
    met: Vec<u32>,
    search: u32,
    ahead: Vec<u32>,
    behind: Vec<u32>,
}

impl AcyclicDependencies {
    pub(crate) fn new(vertex_count: usize) -> Self {
        Self::with_ranks((0..).take(vertex_count).collect())
    }

    /// No dependencies between vertices ranked as given, each rank once from 0 up.
    pub(crate) fn with_ranks(ranks: Vec<u32>) -> Self {
        Self {
            graph: Dependencies::new(ranks.len()),
            met: vec![0; ranks.len()],
            ranks,
            search: 0,
            ahead: Vec::new(),
            behind: Vec::new(),
        }
    }

    /// The dependencies of a graph; `None` if they form a cycle.
    pub(crate) fn of(graph: Dependencies) -> Option<Self> {
        let mut ranked = Self::with_ranks(graph.ranks()?);
        ranked.graph = graph;
        Some(ranked)
    }

    /// Counts the uses of a dependency.
    pub(crate) fn uses(&self, held: u32, wanted: u32) -> u32 {
        self.graph.uses(held, wanted)
    }

    /// The rank of a vertex now; every dependency leads to a higher one.
    pub(crate) fn rank(&self, vertex: u32) -> u32 {
        self.ranks[vertex as usize]
    }

    pub(crate) fn into_ranks(self) -> Vec<u32> {
        self.ranks
    }

    /// Adds a use of a dependency and tells whether it could: one that would close a cycle
    /// leaves everything as it was.
    #[must_use]
    pub(crate) fn add(&mut self, held: u32, wanted: u32) -> bool {
        if self.graph.uses(held, wanted) == 0 && !self.rank_below(held, wanted) {
            return false;
        }
        self.graph.add(held, wanted);
        true
    }

    /// Adds the dependencies of a route that takes these vertices one after the other, all of
    /// them or, if that would close a cycle, none; and tells which.
    #[must_use]
    pub(crate) fn add_route(&mut self, vertices: &[u32]) -> bool {
        for (place, pair) in vertices.windows(2).enumerate() {
            if !self.add(pair[0], pair[1]) {
                self.remove_route(&vertices[..=place]);
                return false;
            }
        }
        true
    }

    pub(crate) fn remove_route(&mut self, vertices: &[u32]) {
        self.graph.remove_route(vertices);
    }

    /// Ranks one vertex below another, unless a chain of dependencies leads from the other to
    /// it.
    fn rank_below(&mut self, held: u32, wanted: u32) -> bool {
        let (low, high) = (self.ranks[wanted as usize], self.ranks[held as usize]);
        if high < low {
            return true;
        }
        if !self.search_ahead(wanted, held, high) {
            return false;
        }
        self.search_behind(held, low);
        // What lies behind `held` goes first, then what lies ahead of `wanted`, each in the order
        // it had, on the ranks that all of them had.
        let Self {
            ranks,
            ahead,
            behind,
            ..
        } = self;
        behind.sort_unstable_by_key(|&v| ranks[v as usize]);
        ahead.sort_unstable_by_key(|&v| ranks[v as usize]);
        behind.append(ahead);
        let mut free: Vec<u32> = behind.iter().map(|&v| ranks[v as usize]).collect();
        free.sort_unstable();
        for (&vertex, rank) in behind.iter().zip(free) {
            ranks[vertex as usize] = rank;
        }
        true
    }

    /// Collects what a vertex leads to below a rank; `false` if `end` is among it.
    fn search_ahead(&mut self, start: u32, end: u32, rank: u32) -> bool {
        self.next_search();
        self.ahead.clear();
        self.ahead.push(start);
        self.met[start as usize] = self.search;
        let mut place = 0;
        while let Some(&at) = self.ahead.get(place) {
            place += 1;
            if at == end {
                return false;
            }
            for &(next, _) in self.graph.wanted(at) {
                if self.met[next as usize] != self.search && self.ranks[next as usize] <= rank {
                    self.met[next as usize] = self.search;
                    self.ahead.push(next);
                }
            }
        }
        true
    }

    /// Collects what leads to a vertex above a rank.
    fn search_behind(&mut self, start: u32, rank: u32) {
        self.next_search();
        self.behind.clear();
        self.behind.push(start);
        self.met[start as usize] = self.search;
        let mut place = 0;
        while let Some(&at) = self.behind.get(place) {
            place += 1;
            for &before in &self.graph.held[at as usize] {
                if self.met[before as usize] != self.search && self.ranks[before as usize] >= rank {
                    self.met[before as usize] = self.search;
                    self.behind.push(before);
                }
            }
        }
    }

    fn next_search(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.met.fill(0);
            self.search = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_ring_stays_open_until_its_last_use_is_gone() {
        let mut ring = AcyclicDependencies::new(3);
        assert!(ring.add_route(&[0, 1, 2]));
        assert!(ring.add_route(&[0, 1]));
        assert!(!ring.add(2, 0));
        ring.remove_route(&[0, 1]);
        assert_eq!(ring.graph.uses(0, 1), 1);
        assert!(!ring.add(2, 0), "0 → 1 still has a use");
        ring.remove_route(&[0, 1]);
        assert!(ring.add(2, 0));
        assert!(!ring.add(0, 1));
        assert!(!ring.add(1, 1), "a vertex that wants itself is a cycle");
    }

    #[test]
    fn a_route_that_is_refused_leaves_no_trace() {
        let mut graph = AcyclicDependencies::new(5);
        assert!(graph.add_route(&[0, 1, 2]));
        assert!(!graph.add_route(&[3, 4, 2, 0]));
        assert_eq!([graph.graph.uses(3, 4), graph.graph.uses(4, 2)], [0, 0]);
        assert!(graph.add(2, 4), "4 → 2 is gone");
    }

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

        /// Whatever comes and goes, a dependency is refused exactly when it would close a cycle.
        #[test]
        fn exactly_what_would_close_a_cycle_is_refused(
            changes in prop::collection::vec((any::<bool>(), 0_u32..9, 0_u32..9), 0..120)
        ) {
            let mut ranked = AcyclicDependencies::new(9);
            let mut plain = Dependencies::new(9);
            for (is_added, held, wanted) in changes {
                if is_added {
                    plain.add(held, wanted);
                    let closes = plain.cycle().is_some();
                    if closes {
                        plain.remove(held, wanted);
                    }
                    prop_assert_eq!(ranked.add(held, wanted), !closes);
                } else {
                    ranked.remove_route(&[held, wanted]);
                    plain.remove(held, wanted);
                }
                prop_assert_eq!(ranked.graph.uses(held, wanted), plain.uses(held, wanted));
            }
            prop_assert_eq!(plain.cycle(), None);
        }
    }
}
