//! Shortest paths from one switch under a turn rule: distances, all of them counted, the first.

use crate::paths::{NO_EDGE, PathSpace, State, TurnRule};
use weft_fabric::{Fabric, SwitchId};

/// Links to a state no path leads to.
pub(super) const UNREACHED: u16 = u16::MAX;
/// Above this, path counts are scaled down so that they never overflow.
pub(super) const LARGE_COUNT: f64 = 1e200;

/// How far every state is from one switch: enough to tell the steps of shortest paths from others.
#[derive(Clone, Debug)]
pub(crate) struct Distances {
    /// Per state: links from the source.
    links: Vec<u16>,
    /// Per state: in-transit stops, where paths with fewest are asked for; else 0.
    stops: Vec<u16>,
}

impl Distances {
    /// The length of the shortest path to a switch, in links; `None` without any.
    pub(crate) fn links_to(&self, space: &PathSpace, switch: u32) -> Option<u16> {
        let least = space.ends(switch).map(|end| self.links[end as usize]).min();
        least.filter(|&links| links != UNREACHED)
    }

    /// The states in which shortest paths to a switch end.
    pub(crate) fn ends(
        &self,
        space: &PathSpace,
        switch: u32,
    ) -> impl Iterator<Item = State> + use<'_> {
        let cost = |end: State| (self.links[end as usize], self.stops[end as usize]);
        let least = space.ends(switch).map(cost).min();
        let is_least = move |&end: &State| Some(cost(end)) == least && cost(end).0 != UNREACHED;
        space.ends(switch).filter(is_least)
    }

    /// The last steps of the shortest paths to a state: the state before and the edge.
    pub(crate) fn last_steps<'a>(
        &'a self,
        space: &'a PathSpace,
        at: State,
    ) -> impl Iterator<Item = (State, u32)> + 'a {
        let (links, stops) = (self.links[at as usize], self.stops[at as usize]);
        let fewest = space.prefers_fewest_stops();
        space.ways_into(at).filter_map(move |(before, edge, stop)| {
            let shortest = self.links[before as usize].checked_add(1) == Some(links);
            let stops_here = self.stops[before as usize] + u16::from(stop && fewest);
            (shortest && links != UNREACHED && stops_here == stops).then_some((before, edge))
        })
    }
}

/// All shortest paths from one switch to all others, as the graph of (switch, phase) states.
///
/// One state per switch would lose legal continuations: the shortest way to a switch may arrive
/// there going down, and only a longer one may still go up from it. The paths themselves are not
/// listed, as their number can grow exponentially with their length.
///
/// # Complexity
/// Time O(S + E) for S switches and E links.
#[derive(Clone, Debug)]
pub(crate) struct ShortestPaths {
    distances: Distances,
    /// States reached, nearest first; equally near ones by their first paths.
    order: Vec<State>,
    /// Per state: last edge of the first path there and the state before.
    first_way: Vec<(u32, State)>,
}

impl ShortestPaths {
    /// Searches from a switch. Among paths of equal length (and stops), the first has the
    /// lowest port at the switch where they part.
    pub(crate) fn from(space: &PathSpace, source: u32) -> Self {
        let states = space.state_count();
        let mut found = Self {
            distances: Distances {
                links: vec![UNREACHED; states],
                stops: vec![0; states],
            },
            order: Vec::with_capacity(states),
            first_way: vec![(NO_EDGE, 0); states],
        };
        for start in space.starts(source) {
            found.distances.links[start as usize] = 0;
            found.order.push(start);
        }
        let starts = found.order.len();
        let mut rank = vec![0_u32; states];
        let (mut level_start, mut links) = (0, 0);
        while level_start < found.order.len() {
            let level_end = found.order.len();
            links += 1;
            for at in level_start..level_end {
                found.extend_from(space, found.order[at], links);
            }
            // A state may have been entered anew from a later one with fewer stops; and paths from
            // several starts do not come in the order of their ports.
            if space.prefers_fewest_stops() || starts > 1 {
                let way = &found.first_way;
                let path = |s: State, rank: &[u32]| {
                    let (edge, before) = way[s as usize];
                    (rank[before as usize], space.edge(edge).port)
                };
                let level = &mut found.order[level_end..];
                level.sort_by_cached_key(|&s| path(s, &rank));
                // Paths by the same ports are equals.
                let mut place = 0;
                for (at, &s) in level.iter().enumerate() {
                    if at > 0 && path(level[at - 1], &rank) != path(s, &rank) {
                        place += 1;
                    }
                    rank[s as usize] = place;
                }
            }
            level_start = level_end;
        }
        found
    }

    fn extend_from(&mut self, space: &PathSpace, from: State, links: u16) {
        let (switch, phase) = space.place(from);
        let distances = &mut self.distances;
        let stops_before = distances.stops[from as usize];
        for id in space.edge_ids(switch) {
            let edge = space.edge(id);
            let Some((phase_after, stop)) = space.turn(switch, phase, edge.ups()) else {
                continue;
            };
            let next = space.state(edge.to, phase_after);
            let stops = stops_before + u16::from(stop && space.prefers_fewest_stops());
            if distances.links[next as usize] == UNREACHED {
                distances.links[next as usize] = links;
                self.order.push(next);
            } else if distances.links[next as usize] != links
                || distances.stops[next as usize] <= stops
            {
                continue;
            }
            distances.stops[next as usize] = stops;
            self.first_way[next as usize] = (id, from);
        }
    }

    pub(crate) fn distances(&self) -> &Distances {
        &self.distances
    }

    pub(crate) fn into_distances(self) -> Distances {
        self.distances
    }

    /// Writes the edges of the first path to a switch, last one first: of all shortest paths
    /// (with fewest stops, where asked for), the one with the lowest port where they part.
    pub(crate) fn first_path_reversed(&self, space: &PathSpace, switch: u32, path: &mut Vec<u32>) {
        path.clear();
        let mut best: Option<State> = None;
        for end in self.distances.ends(space, switch) {
            best = match best {
                Some(other) if !self.comes_before(space, end, other) => Some(other),
                _ => Some(end),
            };
        }
        let Some(mut at) = best else { return };
        while self.first_way[at as usize].0 != NO_EDGE {
            let (edge, before) = self.first_way[at as usize];
            path.push(edge);
            at = before;
        }
    }

    /// Tells whether the first path to one state has the lower port where it parts from the
    /// equally long first path to another.
    fn comes_before(&self, space: &PathSpace, one: State, other: State) -> bool {
        let (mut one, mut other) = (one, other);
        let mut before = false;
        while one != other && self.distances.links[one as usize] > 0 {
            let (edge, other_edge) = (self.first_way[one as usize], self.first_way[other as usize]);
            let ports = [edge.0, other_edge.0].map(|edge| space.edge(edge).port);
            if ports[0] != ports[1] {
                before = ports[0] < ports[1];
            }
            (one, other) = (edge.1, other_edge.1);
        }
        before
    }

    /// Counts the shortest paths to every state, exactly up to 2^53 and scaled: counts of
    /// states equally far from the source compare, others do not.
    pub(crate) fn counts(&self, space: &PathSpace) -> Vec<f64> {
        self.count_by_steps(space, |_, _, _| {})
    }

    /// The same; `on_step` is told, nearest states first, each last step to a state: the state before, the edge,
    /// and how many paths take it.
    pub(crate) fn count_by_steps(
        &self,
        space: &PathSpace,
        mut on_step: impl FnMut(State, [u32; 2], f64),
    ) -> Vec<f64> {
        let mut counts = vec![0.0_f64; self.distances.links.len()];
        let mut level_start = 0;
        for (place, &at) in self.order.iter().enumerate() {
            let links = self.distances.links[at as usize];
            if links == 0 {
                counts[at as usize] = 1.0;
                continue;
            }
            if links != self.distances.links[self.order[level_start] as usize] {
                scale_level(&mut counts, &self.order[level_start..place]);
                level_start = place;
            }
            let mut sum = 0.0;
            for (before, edge) in self.distances.last_steps(space, at) {
                let share = counts[before as usize];
                on_step(at, [before, edge], share);
                sum += share;
            }
            counts[at as usize] = sum;
        }
        scale_level(&mut counts, &self.order[level_start..]);
        counts
    }

    /// States reached, nearest first.
    pub(crate) fn order(&self) -> &[State] {
        &self.order
    }
}

fn scale_level(counts: &mut [f64], level: &[State]) {
    if level.iter().any(|&s| counts[s as usize] > LARGE_COUNT) {
        for &s in level {
            counts[s as usize] = scaled(counts[s as usize]);
        }
    }
}

/// A count of a level with one that is too large.
pub(super) fn scaled(count: f64) -> f64 {
    (count / LARGE_COUNT).max(f64::MIN_POSITIVE)
}

/// Lengths of the shortest paths between switches that a turn rule permits, and how many there are.
///
/// # Source
/// Schroeder et al., "Autonet …", IEEE JSAC 9(8), 1991, for legal paths.
#[derive(Clone, Debug)]
pub struct PathFigures {
    links: Vec<Option<u16>>,
    counts: Vec<f64>,
}

impl PathFigures {
    /// Searches from one switch. Path counts are exact up to 2^53; scaled, hence no counts,
    /// only beyond 1e200.
    pub fn from_switch(space: &PathSpace, source: SwitchId) -> Self {
        let paths = ShortestPaths::from(space, source.number());
        let counts = paths.counts(space);
        let switches = (0..).take(space.switch_count());
        Self {
            links: switches
                .clone()
                .map(|switch| paths.distances.links_to(space, switch))
                .collect(),
            counts: switches
                .map(|switch| {
                    paths
                        .distances
                        .ends(space, switch)
                        .map(|s| counts[s as usize])
                        .sum()
                })
                .collect(),
        }
    }

    /// The length of the shortest paths to a switch in links; `None` without any.
    pub fn links(&self, to: SwitchId) -> Option<u16> {
        self.links[to.index()]
    }

    /// Counts the shortest paths to a switch, parallel links apart; 1 for the source itself.
    pub fn count(&self, to: SwitchId) -> f64 {
        self.counts[to.index()]
    }
}

/// The distances in links between all switches, without any rule for the turns.
///
/// Shapes: a row per source with one entry per destination; `None` where there is no way.
pub(crate) fn minimal_links(fabric: &Fabric) -> Vec<Vec<Option<u16>>> {
    use rayon::prelude::*;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let sources: Vec<u32> = fabric.switch_ids().map(SwitchId::number).collect();
    let row = |&source: &u32| {
        let paths = ShortestPaths::from(&space, source);
        sources
            .iter()
            .map(|&to| paths.distances.links_to(&space, to))
            .collect()
    };
    sources.par_iter().map(row).collect()
}
