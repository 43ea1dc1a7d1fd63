//! Shortest paths from several switches, searched at once.

use crate::paths::shortest_paths::{LARGE_COUNT, UNREACHED, scaled};
use crate::paths::{PathSpace, RandomPaths, State};

/// Most switches that are searched from at once, a bit each.
pub(crate) const MOST_TOGETHER: usize = 8;

/// The shortest paths from each of some switches, at most [`MOST_TOGETHER`], as [`RandomPaths::of`] would
/// lay them out; not where those with fewest stops are preferred.
///
/// The ways out of a state, and those into it, are looked at once for all switches from which it is as
/// far, a bit each; what is left for every switch by itself are the last steps of its paths.
pub(crate) fn random_paths_from(space: &PathSpace, sources: &[u32]) -> Vec<RandomPaths> {
    assert!(sources.len() <= MOST_TOGETHER && !space.prefers_fewest_stops());
    let mut search = Search::new(space, sources);
    let mut links = 0;
    while !search.level.is_empty() {
        links += 1;
        search.extend(links);
    }
    search.finish()
}

/// One bit for each source.
type Sources = u32;

struct Search<'a> {
    space: &'a PathSpace,
    count: usize,
    found: Vec<RandomPaths>,
    /// Per state and source: links from there, and how many paths.
    links: Vec<u16>,
    counts: Vec<f64>,
    /// Per state: from where it was reached; from where it is as far as the search has come, and from
    /// where it will be by the next step.
    seen: Vec<Sources>,
    here: Vec<Sources>,
    next: Vec<Sources>,
    /// The states that are as far.
    level: Vec<State>,
}

/// The numbers of the bits that are set.
fn bits(mut of: Sources) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (of != 0).then(|| of.trailing_zeros() as usize);
        of &= of.wrapping_sub(1);
        bit
    })
}

impl<'a> Search<'a> {
    fn new(space: &'a PathSpace, sources: &[u32]) -> Self {
        let (states, count) = (space.state_count(), sources.len());
        let nowhere = vec![0; states];
        let mut search = Self {
            space,
            count,
            found: vec![RandomPaths::without_any(space); count],
            links: vec![UNREACHED; states * count],
            counts: vec![0.0; states * count],
            seen: nowhere.clone(),
            here: nowhere.clone(),
            next: nowhere,
            level: Vec::new(),
        };
        for (number, &source) in sources.iter().enumerate() {
            for start in space.starts(source) {
                search.links[start as usize * count + number] = 0;
                search.counts[start as usize * count + number] = 1.0;
                search.seen[start as usize] |= 1 << number;
                search.here[start as usize] |= 1 << number;
                search.level.push(start);
            }
        }
        search
    }

    /// Goes on by a step, to states that are so many links away.
    fn extend(&mut self, links: u16) {
        let space = self.space;
        let mut reached = Vec::new();
        for &at in &self.level {
            let (switch, phase) = space.place(at);
            for edge in space.edges_of(switch) {
                let Some((after, _)) = space.turn(switch, phase, edge.ups()) else {
                    continue;
                };
                let to = space.state(edge.to, after);
                let new = self.here[at as usize] & !self.seen[to as usize];
                if new != 0 {
                    if self.next[to as usize] == 0 {
                        reached.push(to);
                    }
                    self.next[to as usize] |= new;
                }
            }
        }
        let mut are_large = 0;
        for &at in &reached {
            let new = self.next[at as usize];
            for (before, edge, _) in space.ways_into(at) {
                for number in bits(self.here[before as usize] & new) {
                    let share = self.counts[before as usize * self.count + number];
                    let sum = &mut self.counts[at as usize * self.count + number];
                    *sum += share;
                    self.found[number].push(space, at, [before, edge], [share, *sum]);
                }
            }
            for number in bits(new) {
                let place = at as usize * self.count + number;
                self.links[place] = links;
                are_large |= Sources::from(self.counts[place] > LARGE_COUNT) << number;
            }
        }
        for &at in reached.iter().filter(|_| are_large != 0) {
            for number in bits(self.next[at as usize] & are_large) {
                let count = &mut self.counts[at as usize * self.count + number];
                *count = scaled(*count);
            }
        }
        for &at in &self.level {
            self.here[at as usize] = 0;
        }
        for &at in &reached {
            let new = std::mem::take(&mut self.next[at as usize]);
            self.here[at as usize] = new;
            self.seen[at as usize] |= new;
        }
        self.level = reached;
    }

    /// Tells where the paths end.
    fn finish(mut self) -> Vec<RandomPaths> {
        for switch in (0..).take(self.space.switch_count()) {
            let ends = self.space.ends(switch);
            for (number, found) in self.found.iter_mut().enumerate() {
                let place = |end: State| end as usize * self.count + number;
                let least = ends.clone().map(|end| self.links[place(end)]).min();
                let least = least.filter(|&links| links != UNREACHED);
                let nearest = ends
                    .clone()
                    .filter(|&end| Some(self.links[place(end)]) == least);
                let nearest = nearest.map(|end| (end, self.counts[place(end)]));
                found.push_ends(switch, least.unwrap_or(0), nearest);
            }
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

    use super::random_paths_from;
    use crate::orient::Orientation;
    use crate::paths::{PathSpace, RandomPaths, ShortestPaths, TurnRule};
    use crate::random::stream;
    use proptest::prelude::*;
    use weft_fabric::generate::torus;
    use weft_fabric::{Fabric, PortNumber, SwitchId};
    use weft_testing::{cases, fabric_of, fabrics};

    fn drawn(space: &PathSpace, paths: &RandomPaths) -> Vec<(u32, PortNumber)> {
        let mut random = stream(1, "paths", 0);
        let mut steps = Vec::new();
        for to in (0..).take(space.switch_count()) {
            let before = steps.len();
            paths.draw_reversed(to, &mut random, |state, port| steps.push((state, port)));
            assert_eq!(steps.len() - before, paths.links_to(to));
        }
        steps
    }

    fn assert_drawn_alike(fabric: &Fabric) {
        let orientation = Orientation::from_root(fabric, SwitchId::new(0));
        let rules = [
            TurnRule::Free,
            TurnRule::Forbidden,
            TurnRule::Stop { fewest: false },
        ];
        let spaces = rules.map(|rule| PathSpace::new(fabric, [&orientation], rule));
        let descend = PathSpace::new(fabric, [&orientation, &orientation], TurnRule::Descend);
        for space in spaces.iter().chain([&descend]) {
            let switches: Vec<u32> = fabric.switch_ids().map(SwitchId::number).collect();
            for some in switches.chunks(7) {
                for (&source, together) in some.iter().zip(random_paths_from(space, some)) {
                    let alone = RandomPaths::of(space, &ShortestPaths::from(space, source));
                    assert_eq!(drawn(space, &together), drawn(space, &alone));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(cases(40))]

        #[test]
        fn paths_searched_together_are_drawn_as_those_searched_alone(fabric in fabrics(1)) {
            assert_drawn_alike(&fabric);
        }
    }

    #[test]
    fn so_are_those_so_many_that_their_numbers_are_scaled() {
        // 100 links each between 104 switches in a row, and a way round.
        let row = (0..103).flat_map(|at| std::iter::repeat_n((at, at + 1), 100));
        let links: Vec<(usize, usize)> = row.chain([(0, 2), (1, 3)]).collect();
        assert_drawn_alike(&fabric_of(&[1; 104], &links));
        assert_drawn_alike(&torus(5, 4, 1).unwrap());
    }
}
