//! Dependencies between channels kept free of cycles, by an order of the channels.

use super::linked_order::LinkedOrder;
use crate::cycles::Dependencies;
use weft_fabric::narrow;

/// Dependencies that never form a cycle: what would close one is refused.
///
/// An order of the vertices is kept in which every dependency leads on. A new dependency that already
/// does costs nothing; else only the vertices between its two ends are searched, from both ends by
/// turns, and, if no cycle shows, those that the end with fewer leads to are moved to the other.
///
/// # Source
/// Haeupler, Kavitha, Mathew, Sen, Tarjan, "Incremental cycle detection, topological ordering, and
/// strong component maintenance", ACM Transactions on Algorithms 8, 2012; the search from both ends
/// is that of Alpern, Hoover, Rosen, Sweeney, Zadeck, "Incremental evaluation of computational
/// circuits", 1990.
#[derive(Clone, Debug)]
pub(crate) struct AcyclicDependencies {
    graph: Dependencies,
    /// Each vertex is marked there with the number of the last search that met it.
    order: LinkedOrder,
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
        let ranks: Vec<u32> = (0..).take(vertex_count).collect();
        Self::with_ranks(&ranks)
    }

    /// No dependencies between vertices ranked as given, each rank once from 0 up.
    pub(crate) fn with_ranks(ranks: &[u32]) -> Self {
        Self::ordered(Dependencies::new(ranks.len()), ranks)
    }

    /// The dependencies of a graph, all of which ascend these ranks.
    fn ordered(graph: Dependencies, ranks: &[u32]) -> Self {
        Self {
            graph,
            order: LinkedOrder::with_ranks(ranks),
            search: 0,
            ahead: Vec::new(),
            behind: Vec::new(),
            closing: Vec::new(),
        }
    }

    /// The dependencies of a graph; `None` if they form a cycle.
    pub(crate) fn of(mut graph: Dependencies) -> Option<Self> {
        let ranks = graph.ranks()?;
        graph.put_in_order();
        Some(Self::ordered(graph, &ranks))
    }

    /// Counts the uses of a dependency.
    pub(crate) fn uses(&self, held: u32, wanted: u32) -> u32 {
        self.graph.uses(held, wanted)
    }

    /// The vertices wanted by those who hold one, each with its uses.
    pub(crate) fn wanted(&self, held: u32) -> &[(u32, u32)] {
        self.graph.wanted(held)
    }

    /// What those hold who want a vertex.
    pub(crate) fn held(&self, wanted: u32) -> &[u32] {
        self.graph.held(wanted)
    }

    /// Tells whether a vertex comes before another, as every one does before those that who hold it want.
    pub(crate) fn is_before(&self, one: u32, other: u32) -> bool {
        self.order.label(one) < self.order.label(other)
    }

    /// Ranks that every dependency ascends, each once from 0 up.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        self.order.ranks()
    }

    /// Adds a use of a dependency and tells whether it could: one that would close a cycle
    /// leaves everything as it was.
    #[must_use]
    pub(crate) fn add(&mut self, held: u32, wanted: u32) -> bool {
        if self.graph.add_again(held, wanted) {
            return true;
        }
        if !self.put_before(held, wanted) {
            return false;
        }
        self.graph.add_first(held, wanted);
        true
    }

    /// Takes back all uses of the dependencies that a vertex is part of, and adds each with its uses to others.
    pub(crate) fn clear(&mut self, vertex: u32, cleared: &mut Vec<(u32, u32, u32)>) {
        self.graph.clear(vertex, cleared);
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
        self.graph.add_more(held, wanted, uses - 1)
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

    /// A shortest chain of dependencies from one vertex to another, both among it: of equally short ones always the
    /// same, in whatever order dependencies were added. Empty where there is none.
    pub(crate) fn shortest_chain(&mut self, from: u32, to: u32) -> Vec<u32> {
        self.next_search();
        let last = self.order.label(to);
        self.ahead.clear();
        self.ahead.push(Met {
            vertex: from,
            from: 0,
        });
        *self.order.marked(from).1 = self.search;
        let (mut place, mut nexts) = (0, Vec::new());
        while let Some(&Met { vertex, .. }) = self.ahead.get(place) {
            if vertex == to {
                let mut chain: Vec<u32> = back(&self.ahead, place).collect();
                chain.reverse();
                return chain;
            }
            nexts.extend(self.graph.wanted(vertex).iter().map(|&(next, _)| next));
            nexts.sort_unstable();
            let from = narrow(place, "vertices have numbers of 32 bits");
            for next in nexts.drain(..) {
                // What comes later in the order does not lead there.
                let (label, met) = self.order.marked(next);
                if label <= last && *met != self.search {
                    *met = self.search;
                    self.ahead.push(Met { vertex: next, from });
                }
            }
            place += 1;
        }
        Vec::new()
    }

    /// Puts one vertex before another, unless a chain of dependencies leads from the other to it.
    fn put_before(&mut self, held: u32, wanted: u32) -> bool {
        let [low, high] = [wanted, held].map(|vertex| self.order.label(vertex));
        if high < low {
            return true;
        }
        let Some(is_ahead) = self.search([held, wanted], [low, high]) else {
            return false;
        };
        let Self {
            order,
            ahead,
            behind,
            ..
        } = self;
        let moved = if is_ahead { ahead } else { behind };
        moved.sort_unstable_by_key(|met| order.label(met.vertex));
        let moved = moved.iter().map(|met| met.vertex);
        if is_ahead {
            order.move_after(held, moved);
        } else {
            order.move_before(wanted, moved);
        }
        true
    }

    /// Collects what leads to the first vertex or what the second leads to, both between them, and tells which it
    /// was that came to its end: what the second leads to, or not. `None` if these meet, with the chain from the
    /// second to the first left in `closing`.
    ///
    /// Both ends are searched by turns, that one which has looked at less, so that it takes no longer than twice the
    /// shorter search of the two.
    fn search(&mut self, [held, wanted]: [u32; 2], [low, high]: [u64; 2]) -> Option<bool> {
        self.next_search();
        let [of_ahead, of_behind] = [self.search - 1, self.search];
        let start = |vertex| Met { vertex, from: 0 };
        for (side, vertex) in [(&mut self.ahead, wanted), (&mut self.behind, held)] {
            side.clear();
            side.push(start(vertex));
        }
        if held == wanted {
            self.closing = vec![held];
            return None;
        }
        *self.order.marked(wanted).1 = of_ahead;
        *self.order.marked(held).1 = of_behind;
        let (mut places, mut looked) = ([0; 2], [0; 2]);
        loop {
            let is_ahead = looked[0] <= looked[1];
            let side = usize::from(!is_ahead);
            let place = places[side];
            places[side] += 1;
            let from = narrow(place, "vertices have numbers of 32 bits");
            let Self {
                graph,
                order,
                ahead,
                behind,
                ..
            } = self;
            let meeting = if is_ahead {
                let Some(of) = ahead.get(place) else {
                    return Some(is_ahead);
                };
                let nexts = graph.wanted(of.vertex);
                looked[0] += 1 + nexts.len();
                let mut nexts = nexts.iter().map(|&(next, _)| next);
                nexts.find(|&next| {
                    let (label, met) = order.marked(next);
                    if label > high {
                        return false;
                    }
                    let known = *met;
                    if known != of_ahead && known != of_behind {
                        *met = of_ahead;
                        graph.read_wanted_ahead(next);
                        ahead.push(Met { vertex: next, from });
                    }
                    known == of_behind
                })
            } else {
                let Some(of) = behind.get(place) else {
                    return Some(is_ahead);
                };
                let befores = graph.held(of.vertex);
                looked[1] += 1 + befores.len();
                befores.iter().copied().find(|&before| {
                    let (label, met) = order.marked(before);
                    if label < low {
                        return false;
                    }
                    let known = *met;
                    if known != of_ahead && known != of_behind {
                        *met = of_behind;
                        graph.read_held_ahead(before);
                        let vertex = before;
                        behind.push(Met { vertex, from });
                    }
                    known == of_ahead
                })
            };
            if let Some(meeting) = meeting {
                self.chain(place, meeting, is_ahead);
                return None;
            }
        }
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
            self.order.clear_marks();
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
