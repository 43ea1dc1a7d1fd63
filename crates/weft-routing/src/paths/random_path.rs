//! Paths drawn, each with the same probability.

use crate::paths::{NO_EDGE, PathSpace, ShortestPaths, State};
use rand::{Rng, RngExt};
use weft_fabric::{PortNumber, narrow};

/// The shortest paths from one switch, laid out for drawing one to every other.
///
/// The last steps to each state lie together, so that a draw looks at those alone, not at all ways into it.
#[derive(Clone, Debug)]
pub(crate) struct RandomPaths {
    /// Per switch: the states in which paths there end, each as if by a last step.
    ends: Vec<LastSteps>,
    /// Per state: the last steps of the paths there.
    lasts: Vec<LastSteps>,
    /// Those that are not the first of their state or switch.
    others: Vec<Other>,
}

/// The last step of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) before: State,
    /// [`NO_EDGE`] where there is no step.
    pub(crate) edge: u32,
    pub(crate) port: PortNumber,
}

const NO_STEP: Step = Step {
    before: 0,
    edge: NO_EDGE,
    port: PortNumber::new(0),
};

#[derive(Clone, Copy, Debug)]
struct LastSteps {
    first: Step,
    is_any: bool,
    /// How many others there are, and where they begin.
    count: u16,
    others: u32,
}

const NONE: LastSteps = LastSteps {
    first: NO_STEP,
    is_any: false,
    count: 0,
    others: 0,
};

#[derive(Clone, Copy, Debug)]
struct Other {
    step: Step,
    /// Paths that take it.
    share: f64,
    /// Paths that take it or one before it.
    total: f64,
}

impl LastSteps {
    #[inline]
    fn push(&mut self, step: Step, share: f64, total: f64, others: &mut Vec<Other>) {
        if self.is_any {
            self.count += 1;
            others.push(Other { step, share, total });
        } else {
            self.first = step;
            self.is_any = true;
            self.others = narrow(others.len(), "steps are fewer than turns");
        }
    }
}

impl RandomPaths {
    /// Room for the paths of a space.
    pub(super) fn without_any(space: &PathSpace) -> Self {
        Self {
            ends: vec![NONE; space.switch_count()],
            lasts: vec![NONE; space.state_count()],
            others: Vec::new(),
        }
    }

    /// The paths that were searched.
    pub(crate) fn of(space: &PathSpace, paths: &ShortestPaths) -> Self {
        let mut found = Self::without_any(space);
        let (mut last, mut total) = (None, 0.0);
        let counts = paths.count_by_steps(space, |at, [before, edge], share| {
            total = if last == Some(at) {
                total + share
            } else {
                share
            };
            last = Some(at);
            found.push(space, at, [before, edge], [share, total]);
        });
        for switch in (0..).take(space.switch_count()) {
            let ends = paths.distances().ends(space, switch);
            found.push_ends(switch, ends.map(|end| (end, counts[end as usize])));
        }
        found
    }

    /// Adds the next last step to a state, after all those to other states that were begun: the state
    /// before it, its edge; paths that take it, and all with those told before.
    #[inline]
    pub(super) fn push(
        &mut self,
        space: &PathSpace,
        at: State,
        [before, edge]: [u32; 2],
        [share, total]: [f64; 2],
    ) {
        let port = space.edge(edge).port;
        let step = Step { before, edge, port };
        self.lasts[at as usize].push(step, share, total, &mut self.others);
    }

    /// Tells in which states paths to a switch end, and how many in each.
    #[inline]
    pub(super) fn push_ends(&mut self, switch: u32, ends: impl Iterator<Item = (State, f64)>) {
        let mut total = 0.0;
        for (before, share) in ends {
            total += share;
            let step = Step { before, ..NO_STEP };
            self.ends[switch as usize].push(step, share, total, &mut self.others);
        }
    }

    /// Draws one of the paths to a switch, each with the same probability, and hands on its steps, the
    /// last one first.
    #[inline]
    pub(crate) fn draw_reversed(
        &self,
        to: u32,
        random: &mut impl Rng,
        mut take: impl FnMut(&Step),
    ) {
        let mut steps = &self.ends[to as usize];
        while steps.is_any {
            let step = self.draw(steps, random);
            if step.edge != NO_EDGE {
                take(step);
            }
            steps = &self.lasts[step.before as usize];
        }
    }

    #[inline]
    fn draw<'a>(&'a self, steps: &'a LastSteps, random: &mut impl Rng) -> &'a Step {
        let mut chosen = &steps.first;
        if steps.count > 0 {
            let first = steps.others as usize;
            for other in &self.others[first..first + usize::from(steps.count)] {
                if is_drawn(other.share, other.total, random) {
                    chosen = &other.step;
                }
            }
        }
        chosen
    }
}

/// Each item displaces those before it with the probability of its share among them.
#[inline]
fn is_drawn(share: f64, total: f64, random: &mut impl Rng) -> bool {
    random.random::<f64>() * total < share
}

/// Draws an item with a probability proportional to its weight; `None` of none. A single item takes no
/// draw.
pub(crate) fn draw<T>(
    mut items: impl Iterator<Item = T>,
    weight: impl Fn(&T) -> f64,
    random: &mut impl Rng,
) -> Option<T> {
    let mut chosen = items.next()?;
    let mut total = weight(&chosen);
    for item in items {
        let share = weight(&item);
        total += share;
        if is_drawn(share, total, random) {
            chosen = item;
        }
    }
    Some(chosen)
}
