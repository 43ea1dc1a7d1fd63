//! Dependencies between channels kept free of cycles, by an order of the channels.

use crate::cycles::Dependencies;
use weft_fabric::narrow;

/// Dependencies that never form a cycle: what would close one is refused.
///
/// A rank per vertex is kept such that every dependency leads to a higher one. A new dependency
/// that already does costs nothing; else only the vertices ranked between its two ends are
/// searched, from both ends by turns, and, if no cycle shows, ranked anew.
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
    ahead: Vec<Met>,
    behind: Vec<Met>,
    /// The chain of dependencies that the last refusal met, from what was wanted to what was held.
    closing: Vec<u32>,
}

/// A vertex that a search met, and the place of the one it was met from.
#[derive(Clone, Copy, Debug)]
struct Met {
    vertex: u32,
    from: u32,
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
            closing: Vec::new(),
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

    /// The chain of dependencies that what was refused last would have closed to a cycle: from the vertex that was
    /// wanted to the one that was held.
    pub(crate) fn closing(&self) -> &[u32] {
        &self.closing
    }

    /// Tells whether vertices depend each on the next.
    pub(crate) fn is_chain(&self, vertices: &[u32]) -> bool {
        let mut pairs = vertices.windows(2);
        pairs.all(|pair| self.uses(pair[0], pair[1]) > 0)
    }

    /// Ranks one vertex below another, unless a chain of dependencies leads from the other to
    /// it.
    fn rank_below(&mut self, held: u32, wanted: u32) -> bool {
        let (low, high) = (self.ranks[wanted as usize], self.ranks[held as usize]);
        if high < low {
            return true;
        }
        if !self.search([held, wanted], [low, high]) {
            return false;
        }
        // What lies behind `held` goes first, then what lies ahead of `wanted`, each in the order
        // it had, on the ranks that all of them had.
        let Self {
            ranks,
            ahead,
            behind,
            ..
        } = self;
        behind.sort_unstable_by_key(|met| ranks[met.vertex as usize]);
        ahead.sort_unstable_by_key(|met| ranks[met.vertex as usize]);
        behind.append(ahead);
        let mut free: Vec<u32> = behind
            .iter()
            .map(|met| ranks[met.vertex as usize])
            .collect();
        free.sort_unstable();
        for (met, rank) in behind.iter().zip(free) {
            ranks[met.vertex as usize] = rank;
        }
        true
    }

    /// Collects what leads to the first vertex and what the second leads to, both within some ranks; `false` if
    /// these meet, with the chain from the second to the first left in `closing`.
    ///
    /// Both ends are searched by turns, that one which has looked at less, as a chain between two of many
    /// dependencies is found long before all that either end leads to.
    fn search(&mut self, [held, wanted]: [u32; 2], [low, high]: [u32; 2]) -> bool {
        self.next_search();
        let [of_ahead, of_behind] = [self.search - 1, self.search];
        let start = |vertex| Met { vertex, from: 0 };
        for (side, vertex) in [(&mut self.ahead, wanted), (&mut self.behind, held)] {
            side.clear();
            side.push(start(vertex));
        }
        if held == wanted {
            self.closing = vec![held];
            return false;
        }
        self.met[wanted as usize] = of_ahead;
        self.met[held as usize] = of_behind;
        let (mut places, mut looked) = ([0; 2], [0; 2]);
        while places[0] < self.ahead.len() || places[1] < self.behind.len() {
            let is_ahead = places[1] == self.behind.len()
                || places[0] < self.ahead.len() && looked[0] <= looked[1];
            let side = usize::from(!is_ahead);
            let place = places[side];
            places[side] += 1;
            let from = narrow(place, "vertices have numbers of 32 bits");
            let Self {
                graph,
                ranks,
                met,
                ahead,
                behind,
                ..
            } = self;
            let meeting = if is_ahead {
                let nexts = &graph.wanted[ahead[place].vertex as usize];
                looked[0] += 1 + nexts.len();
                let mut nexts = nexts.iter().map(|&(next, _)| next);
                nexts.find(|&next| {
                    let known = met[next as usize];
                    if known != of_ahead && known != of_behind && ranks[next as usize] <= high {
                        met[next as usize] = of_ahead;
                        ahead.push(Met { vertex: next, from });
                    }
                    known == of_behind
                })
            } else {
                let befores = &graph.held[behind[place].vertex as usize];
                looked[1] += 1 + befores.len();
                befores.iter().copied().find(|&before| {
                    let known = met[before as usize];
                    if known != of_ahead && known != of_behind && ranks[before as usize] >= low {
                        met[before as usize] = of_behind;
                        let vertex = before;
                        behind.push(Met { vertex, from });
                    }
                    known == of_ahead
                })
            };
            if let Some(meeting) = meeting {
                self.chain(place, meeting, is_ahead);
                return false;
            }
        }
        true
    }

    /// Leaves the chain in `closing` by which a search met what the other one had: from a place of its own over a
    /// vertex of the other's.
    fn chain(&mut self, place: usize, meeting: u32, is_ahead: bool) {
        let others = if is_ahead { &self.behind } else { &self.ahead };
        let other = others.iter().position(|met| met.vertex == meeting);
        let places = [place, other.unwrap_or(0)];
        let [ahead, behind] = if is_ahead {
            places
        } else {
            [places[1], places[0]]
        };
        self.closing.clear();
        self.closing.extend(back(&self.ahead, ahead));
        self.closing.reverse();
        self.closing.extend(back(&self.behind, behind));
    }

    /// Takes two numbers for what the ends of a search meet, that of the search and the one before.
    fn next_search(&mut self) {
        self.search = self.search.wrapping_add(2);
        if self.search == 0 {
            self.met.fill(0);
            self.search = 2;
        }
    }
}

/// The vertices by which a search came to one of its places, from there back to where it began.
fn back(met: &[Met], place: usize) -> impl Iterator<Item = u32> {
    let mut next = Some(place);
    std::iter::from_fn(move || {
        let place = next?;
        let Met { vertex, from } = met[place];
        next = (place > 0).then_some(from as usize);
        Some(vertex)
    })
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
                    if closes {
                        let chain = ranked.closing();
                        prop_assert_eq!([chain.first(), chain.last()], [Some(&wanted), Some(&held)]);
                        prop_assert!(ranked.is_chain(chain));
                    }
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
