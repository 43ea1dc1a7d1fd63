//! Dependencies between channels kept free of cycles, by an order of the channels.

use crate::cycles::Dependencies;

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

    /// The vertices wanted by those who hold one, each with its uses.
    pub(crate) fn wanted(&self, held: u32) -> &[(u32, u32)] {
        self.graph.wanted(held)
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
        if self.graph.add_again(held, wanted) {
            return true;
        }
        if !self.rank_below(held, wanted) {
            return false;
        }
        self.graph.add_first(held, wanted);
        true
    }

    /// Takes back all uses of the dependencies that a vertex is part of: each with its uses.
    pub(crate) fn clear(&mut self, vertex: u32) -> Vec<(u32, u32, u32)> {
        self.graph.clear(vertex)
    }

    /// Adds so many uses of a dependency, and tells whether it could.
    #[must_use]
    pub(crate) fn add_uses(&mut self, held: u32, wanted: u32, uses: u32) -> bool {
        if uses == 0 {
            return true;
        }
        if !self.add(held, wanted) {
            return false;
        }
        let entries = &mut self.graph.wanted[held as usize];
        if let Some(entry) = entries.iter_mut().find(|entry| entry.0 == wanted) {
            entry.1 += uses - 1;
        }
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
        if start == end {
            return false;
        }
        while let Some(&at) = self.ahead.get(place) {
            place += 1;
            for &(next, _) in self.graph.wanted(at) {
                // Where many want one another it is seen long before all that lead there are searched.
                if next == end {
                    return false;
                }
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

    proptest! {
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
