//! The steps between states that the rule for turns permits, listed.

use crate::paths::{PathSpace, State};
use weft_fabric::narrow;

/// All steps between states, for searches that take most of them many times: a list leaves out the turns
/// that are not permitted.
#[derive(Clone, Debug)]
pub(crate) struct LegalSteps {
    /// What leads into every state, by the port of arrival, then by phase: the state before, and the edge.
    pub(crate) before: Steps,
    /// What leads out of every state, by ascending port: the state after, and the edge.
    pub(crate) after: Steps,
}

/// States next to each state, with the edge between.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// Per state: where its steps begin.
    offsets: Vec<u32>,
    steps: Vec<(State, u32)>,
}

impl LegalSteps {
    pub(crate) fn of(space: &PathSpace) -> Self {
        let into = |at: State| space.ways_into(at).map(|(before, edge, _)| (before, edge));
        let out = |at: State| {
            let (switch, phase) = space.place(at);
            space.edge_ids(switch).filter_map(move |id| {
                let edge = space.edge(id);
                let (after, _) = space.turn(switch, phase, edge.ups())?;
                Some((space.state(edge.to, after), id))
            })
        };
        let states = space.state_count();
        Self {
            before: Steps::of(states, into),
            after: Steps::of(states, out),
        }
    }
}

impl Steps {
    fn of<I: Iterator<Item = (State, u32)>>(states: usize, steps: impl Fn(State) -> I) -> Self {
        let mut all = Self {
            offsets: vec![0],
            steps: Vec::new(),
        };
        for state in (0..).take(states) {
            all.steps.extend(steps(state));
            let end = narrow(all.steps.len(), "a few for each of 2^31 channels");
            all.offsets.push(end);
        }
        all
    }

    #[inline]
    pub(crate) fn at(&self, state: State) -> &[(State, u32)] {
        let ends = [state, state + 1].map(|place| self.offsets[place as usize] as usize);
        &self.steps[ends[0]..ends[1]]
    }

    /// The steps of each state.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[(State, u32)]> {
        (0..).take(self.state_count()).map(|state| self.at(state))
    }

    pub(crate) fn state_count(&self) -> usize {
        self.offsets.len() - 1
    }
}
