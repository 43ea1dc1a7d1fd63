//! Shortest paths from several switches, searched at once.

use crate::paths::legal_steps::LegalSteps;
use crate::paths::random_path::Thresholds;
use crate::paths::shortest_paths::{LARGE_COUNT, UNREACHED, scaled};
use crate::paths::{PathSpace, RandomPaths, State};
use std::sync::{Mutex, PoisonError};

/// Most switches that are searched from at once, a bit each.
pub(crate) const MOST_TOGETHER: usize = 8;

/// The search for the shortest paths from several switches of a space, with the room that was needed before.
#[derive(Debug)]
pub(crate) struct RandomPathSearch {
    steps: LegalSteps,
    idle: Mutex<Vec<Search>>,
}

impl RandomPathSearch {
    pub(crate) fn new(space: &PathSpace) -> Self {
        Self {
            steps: LegalSteps::of(space),
            idle: Mutex::default(),
        }
    }

    /// Hands on the shortest paths from each of some switches, at most [`MOST_TOGETHER`], as
    /// [`RandomPaths::of`] would lay them out; not where those with fewest stops are preferred.
    ///
    /// The ways out of a state, and those into it, are looked at once for all switches from which it is as
    /// far, a bit each; what is left for every switch by itself are the last steps of its paths.
    pub(crate) fn paths_from<T>(
        &self,
        space: &PathSpace,
        sources: &[u32],
        take: impl FnOnce(&[RandomPaths]) -> T,
    ) -> T {
        assert!(sources.len() <= MOST_TOGETHER && !space.prefers_fewest_stops());
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut search = idle().pop().unwrap_or_default();
        search.begin(space, sources);
        let mut links = 0;
        while !search.level.is_empty() {
            links += 1;
            search.extend(space, &self.steps, links);
        }
        search.finish(space);
        let taken = take(&search.found[..sources.len()]);
        idle().push(search);
        taken
    }
}

/// One bit for each source.
type Sources = u32;

#[derive(Debug, Default)]
struct Search {
    count: usize,
    found: Vec<RandomPaths>,
    thresholds: Thresholds,
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

impl Search {
    fn begin(&mut self, space: &PathSpace, sources: &[u32]) {
        let (states, count) = (space.state_count(), sources.len());
        self.count = count;
        for found in &mut self.found {
            found.clear();
        }
        while self.found.len() < count {
            self.found.push(RandomPaths::without_any(space));
        }
        self.links.clear();
        self.links.resize(states * count, UNREACHED);
        self.counts.clear();
        self.counts.resize(states * count, 0.0);
        for bits in [&mut self.seen, &mut self.here, &mut self.next] {
            bits.clear();
            bits.resize(states, 0);
        }
        self.level.clear();
        for (number, &source) in sources.iter().enumerate() {
            for start in space.starts(source) {
                self.links[start as usize * count + number] = 0;
                self.counts[start as usize * count + number] = 1.0;
                self.seen[start as usize] |= 1 << number;
                self.here[start as usize] |= 1 << number;
                self.level.push(start);
            }
        }
    }

    /// Goes on by a step, to states that are so many links away.
    fn extend(&mut self, space: &PathSpace, steps: &LegalSteps, links: u16) {
        let mut reached = Vec::new();
        for &at in &self.level {
            let here = self.here[at as usize];
            for &(to, _) in steps.after.at(at) {
                let new = here & !self.seen[to as usize];
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
            for &(before, edge) in steps.before.at(at) {
                for number in bits(self.here[before as usize] & new) {
                    let share = self.counts[before as usize * self.count + number];
                    let sum = &mut self.counts[at as usize * self.count + number];
                    *sum += share;
                    let threshold = || self.thresholds.draws_below(share, *sum);
                    let step = (before, space.edge(edge).port);
                    self.found[number].push(at, step, threshold);
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
    fn finish(&mut self, space: &PathSpace) {
        for switch in (0..).take(space.switch_count()) {
            let ends = space.ends(switch);
            for (number, found) in self.found[..self.count].iter_mut().enumerate() {
                let place = |end: State| end as usize * self.count + number;
                let least = ends.clone().map(|end| self.links[place(end)]).min();
                let least = least.filter(|&links| links != UNREACHED);
                let nearest = ends
                    .clone()
                    .filter(|&end| Some(self.links[place(end)]) == least);
                let nearest = nearest.map(|end| (end, self.counts[place(end)]));
                let thresholds = &mut self.thresholds;
                found.push_ends(switch, least.unwrap_or(0), nearest, thresholds);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

    use super::RandomPathSearch;
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
            let search = RandomPathSearch::new(space);
            let switches: Vec<u32> = fabric.switch_ids().map(SwitchId::number).collect();
            for some in switches.chunks(7) {
                search.paths_from(space, some, |found| {
                    for (&source, together) in some.iter().zip(found) {
                        let alone = RandomPaths::of(space, &ShortestPaths::from(space, source));
                        assert_eq!(drawn(space, together), drawn(space, &alone));
                    }
                });
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
