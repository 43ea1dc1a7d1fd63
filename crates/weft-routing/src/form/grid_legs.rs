//! The legs of routes on a small grid, each with its steps together, for packets that carry their next steps.

use crate::form::{GridRule, StepsAhead};

/// No more legs than this are written out: 18 bytes each, few enough for the caches of a core.
const MOST_LEGS: usize = 1 << 13;

/// What a rule tells of routes, by the switch where a leg begins and the position where it ends.
#[derive(Clone, Debug)]
pub(super) struct GridLegs<'a> {
    rule: &'a GridRule,
    /// Per switch, then by axis, then by position: the steps of a leg, the first eight if there are more.
    legs: Vec<StepsAhead>,
    /// The switch where each ends.
    ends: Vec<u16>,
    /// Per axis: where its legs begin among those of a switch.
    firsts: Vec<usize>,
    /// How many each switch has.
    per_switch: usize,
}

impl<'a> GridLegs<'a> {
    /// The legs of a rule, if they are few, and if where a leg begins and ends tells its steps: no links are
    /// parallel.
    pub(super) fn new(rule: &'a GridRule) -> Option<Self> {
        rule.state_count()?;
        let switches = u16::try_from(rule.switch_count()).ok()?;
        let (mut firsts, mut per_switch) = (Vec::new(), 0);
        for axis in rule.axes() {
            firsts.push(per_switch);
            per_switch += axis.extent as usize;
        }
        let count = usize::from(switches).checked_mul(per_switch)?;
        if count > MOST_LEGS {
            return None;
        }
        let (mut legs, mut ends) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for switch in 0..switches {
            for (axis, line) in rule.axes().iter().enumerate() {
                for position in 0..line.extent {
                    let (steps, end) = rule.leg_from(switch.into(), axis, position);
                    legs.push(steps);
                    ends.push(u16::try_from(end).ok()?);
                }
            }
        }
        Some(Self {
            rule,
            legs,
            ends,
            firsts,
            per_switch,
        })
    }

    /// The first eight steps from one endpoint to another, or all if there are fewer.
    #[inline]
    pub(super) fn steps(&self, from: usize, to: usize) -> StepsAhead {
        let mut steps = StepsAhead::NONE;
        let [from, to] = [from, to].map(|end| self.rule.endpoints().switch(end));
        let mut here = from as usize;
        for (&first, &position) in self.firsts.iter().zip(self.rule.positions_of(to)) {
            let leg = here * self.per_switch + first + position as usize;
            steps.extend(self.legs[leg]);
            here = self.ends[leg].into();
        }
        steps
    }
}
