//! When new lane tables are written.

use super::{Entries, Planner, State};
use crate::cycles::AcyclicDependencies;
use crate::transition::lane_choice::Rows;
use crate::transition::phase::OpenPhase;

impl<'j> Planner<'j> {
    /// Writes the new lane tables, in a phase of its own in which packets meet old rows and new ones; addresses whose
    /// packets would then wait in a circle, or be given no lane, are cleared in a phase before. Returns the phase that
    /// comes next.
    pub(in crate::transition) fn write_lanes(&mut self, mut phase: OpenPhase<'j>) -> OpenPhase<'j> {
        let either = |number: usize| State {
            rows: Rows::Either,
            ..self.state(number)
        };
        let nothing = AcyclicDependencies::new(self.joint.vertex_count());
        let mut together = OpenPhase::new(self.joint, nothing, 1);
        let stands = |number: &usize| self.entries[*number] != Entries::Cleared;
        let mut stuck = Vec::new();
        for number in self.numbers().filter(stands) {
            let mixture = self.standing_in(number, either(number));
            if !mixture.is_none_or(|mixture| mixture.has_lanes() && together.hold(&mixture)) {
                stuck.push(number);
            }
        }
        for &number in &stuck {
            self.clear(&mut phase, number);
        }
        if phase.has_something() {
            self.close(phase);
            phase = self.reopen();
        }
        for number in self.numbers() {
            let state = self.state(number);
            if self.entries[number] == Entries::Cleared {
                continue;
            }
            self.stood.entry(number).or_insert(state);
            let mixed = State {
                rows: Rows::Either,
                ..state
            };
            let is_held = self
                .standing_in(number, mixed)
                .is_none_or(|mixture| phase.hold(&mixture));
            assert!(is_held, "these were held together");
        }
        phase.relaned = self.joint.lanes.changed().to_vec();
        self.rows = Rows::New;
        self.close(phase);
        self.reopen()
    }
}
