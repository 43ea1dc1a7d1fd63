//! Layers of routes without cycles of channels: of each cycle the routes of its rarest turn move on.

use crate::cycles::Dependencies;
use weft_fabric::narrow;

/// Routes by their turns: for each turn the routes that make it.
#[derive(Clone, Debug)]
pub(crate) struct TurnIndex {
    offsets: Vec<u32>,
    routes: Vec<u32>,
}

impl TurnIndex {
    /// Lists the routes of every turn; `turns(route, visit)` visits the places of a route's turns.
    pub(crate) fn new(
        places: usize,
        routes: u32,
        turns: impl Fn(u32, &mut dyn FnMut(usize)),
    ) -> Self {
        let mut offsets = vec![0_u32; places + 1];
        for route in 0..routes {
            turns(route, &mut |place| offsets[place + 1] += 1);
        }
        for place in 0..places {
            offsets[place + 1] += offsets[place];
        }
        let mut ends = offsets.clone();
        let mut listed = vec![0; offsets[places] as usize];
        for route in 0..routes {
            turns(route, &mut |place| {
                listed[ends[place] as usize] = route;
                ends[place] += 1;
            });
        }
        Self {
            offsets,
            routes: listed,
        }
    }

    /// The routes that make a turn, ascending.
    pub(crate) fn routes(&self, place: usize) -> &[u32] {
        let ends = [place, place + 1].map(|place| self.offsets[place] as usize);
        &self.routes[ends[0]..ends[1]]
    }
}

/// Searches dependencies depth first and hands every cycle it meets to `cut`, which must take at
/// least one of its dependencies away; when it ends there is no cycle.
///
/// What has been searched without a cycle stays so: dependencies only go.
pub(crate) fn cut_cycles(
    graph: &mut Dependencies,
    vertices: u32,
    mut cut: impl FnMut(&mut Dependencies, &[u32]),
) {
    let mut state = vec![State::New; vertices as usize];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for start in 0..vertices {
        if state[start as usize] != State::New {
            continue;
        }
        state[start as usize] = State::OnPath;
        path.push((start, 0));
        while let Some((at, place)) = path.last_mut() {
            let Some(&(next, _)) = graph.wanted(*at).get(*place) else {
                state[*at as usize] = State::Done;
                path.pop();
                continue;
            };
            *place += 1;
            match state[next as usize] {
                State::Done => {}
                State::New => {
                    state[next as usize] = State::OnPath;
                    path.push((next, 0));
                }
                State::OnPath => {
                    let on_path = path.iter().map(|entry| entry.0);
                    let cycle: Vec<u32> = on_path.skip_while(|&vertex| vertex != next).collect();
                    cut(graph, &cycle);
                    shorten(graph, &mut path, &mut state);
                }
            }
        }
    }
}

/// Keeps of a search's path what still is one. Lists of dependencies may have become shorter, so
/// they are gone through anew.
fn shorten(graph: &Dependencies, path: &mut Vec<(u32, usize)>, state: &mut [State]) {
    let holds = |pair: &[(u32, usize)]| graph.uses(pair[0].0, pair[1].0) > 0;
    let kept = path.windows(2).take_while(|pair| holds(pair)).count() + 1;
    for (vertex, _) in path.drain(kept..) {
        state[vertex as usize] = State::New;
    }
    for entry in path {
        entry.1 = 0;
    }
}

/// Dependencies to be ordered.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    graph: Dependencies,
    vertices: usize,
}

impl Order {
    /// No dependencies between so many vertices.
    pub(crate) fn new(vertices: usize) -> Self {
        Self {
            graph: Dependencies::new(vertices),
            vertices,
        }
    }

    /// Adds a dependency, once however often it is added.
    pub(crate) fn add(&mut self, held: u32, wanted: u32) {
        if self.graph.uses(held, wanted) == 0 {
            self.graph.add(held, wanted);
        }
    }

    /// Ranks that all dependencies ascend, from 0 up; `None` if there is a cycle.
    pub(crate) fn ranks(self) -> Option<Vec<u32>> {
        let mut before = vec![0_u32; self.vertices];
        for vertex in (0..).take(self.vertices) {
            for &(wanted, _) in self.graph.wanted(vertex) {
                before[wanted as usize] += 1;
            }
        }
        let mut queue: Vec<u32> = (0..).take(self.vertices).collect();
        queue.retain(|&vertex| before[vertex as usize] == 0);
        let mut ranks = vec![0; self.vertices];
        let mut place = 0;
        while let Some(&vertex) = queue.get(place) {
            ranks[vertex as usize] = narrow(place, "vertices have numbers of 32 bits");
            place += 1;
            for &(wanted, _) in self.graph.wanted(vertex) {
                before[wanted as usize] -= 1;
                if before[wanted as usize] == 0 {
                    queue.push(wanted);
                }
            }
        }
        (place == self.vertices).then_some(ranks)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnPath,
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_cycle_is_handed_over_whole() {
        let mut graph = Dependencies::new(5);
        graph.add_route(&[0, 1, 2, 3, 1]);
        let mut found = Vec::new();
        cut_cycles(&mut graph, 5, |graph, cycle| {
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
            cut_cycles(&mut graph, 8, |graph, cycle| {
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
    }
}
