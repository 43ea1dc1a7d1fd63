//! The steps into states that begin where some paths lead.

use super::State;
use super::legal_steps::Steps;
use weft_fabric::narrow;

/// Most lists of steps into a state: mostly a tree has as many pods, and they are quickly looked through.
const MOST_LISTS: usize = 32;

/// Per source and state, the steps into it that begin where a path from the source leads.
///
/// Down from the tops of a tree nearly all turns are permitted that lead nowhere near a source: a search that goes
/// backward would look at each of them again and again. Most states have few different lists, each kept once.
#[derive(Clone, Debug, Default)]
pub(super) struct ReachedSteps {
    steps: Vec<(State, u32)>,
    /// Per list: where its steps begin and end.
    lists: Vec<[u32; 2]>,
    /// Per source and state: its list.
    list_of: Vec<Vec<u32>>,
}

/// Those of one source.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepsInto<'a> {
    all: &'a ReachedSteps,
    list_of: &'a [u32],
}

impl ReachedSteps {
    /// Lists the steps for so many sources, by which states a source reaches. States with more different lists than there
    /// is room for keep all their steps for the other sources.
    pub(super) fn of(
        before: &Steps,
        sources: usize,
        is_reached: impl Fn(usize, State) -> bool,
    ) -> Self {
        let mut all = Self {
            list_of: vec![Vec::new(); sources],
            ..Self::default()
        };
        // Per state: its lists, that of all its steps first.
        let mut known: Vec<Vec<u32>> = Vec::with_capacity(before.state_count());
        for steps in before.each() {
            known.push(vec![all.enter(steps)]);
        }
        let mut reached = Vec::new();
        for source in 0..sources {
            for (steps, known) in before.each().zip(&mut known) {
                reached.clear();
                reached.extend(steps.iter().filter(|step| is_reached(source, step.0)));
                let same = known.iter().find(|&&list| all.at(list) == reached);
                let list = match same {
                    Some(&list) => list,
                    None if known.len() == MOST_LISTS => known[0],
                    None => {
                        known.push(all.enter(&reached));
                        known[known.len() - 1]
                    }
                };
                all.list_of[source].push(list);
            }
        }
        all
    }

    fn enter(&mut self, steps: &[(State, u32)]) -> u32 {
        let place = |steps: &[_]| narrow(steps.len(), "a few for each of 2^31 channels");
        let start = place(&self.steps);
        self.steps.extend_from_slice(steps);
        self.lists.push([start, place(&self.steps)]);
        narrow(self.lists.len() - 1, "lists are fewer than channels")
    }

    #[inline]
    fn at(&self, list: u32) -> &[(State, u32)] {
        let [start, end] = self.lists[list as usize];
        &self.steps[start as usize..end as usize]
    }

    /// Those of a source.
    pub(super) fn from(&self, source: u32) -> StepsInto<'_> {
        StepsInto {
            all: self,
            list_of: &self.list_of[source as usize],
        }
    }
}

impl<'a> StepsInto<'a> {
    /// The steps into a state by the port of arrival, then by phase: the state before, and the edge.
    #[inline]
    pub(super) fn at(self, state: State) -> &'a [(State, u32)] {
        self.all.at(self.list_of[state as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::legal_steps::LegalSteps;
    use crate::paths::{PathSpace, TurnRule};
    use std::collections::BTreeSet;
    use weft_fabric::generate::hyperx;

    #[test]
    fn steps_that_begin_out_of_reach_are_left_out_as_far_as_there_is_room() {
        // Seven steps lead into each of eight states: of 128 sources each reaches others of these.
        let fabric = hyperx(&[8], &[1], 1).unwrap();
        let space = PathSpace::new(&fabric, None, TurnRule::Free);
        let before = LegalSteps::of(&space).before;
        let is_reached = |source: usize, state: State| source >> (state / 2 % 7) & 1 == 1;
        let reached = ReachedSteps::of(&before, 128, is_reached);
        let mut left_out = 0;
        for state in (0..16).filter(|&state| !before.at(state).is_empty()) {
            let mut lists = BTreeSet::new();
            for source in 0..128 {
                let mut right = before.at(state).to_vec();
                right.retain(|step| is_reached(source as usize, step.0));
                let found = reached.from(source).at(state);
                let has_room = lists.len() < MOST_LISTS - 1;
                assert!(found == right || !has_room && found == before.at(state));
                left_out += before.at(state).len() - found.len();
                lists.insert(found);
            }
            assert_eq!(lists.len(), MOST_LISTS);
        }
        assert!(left_out > 0);
    }
}
