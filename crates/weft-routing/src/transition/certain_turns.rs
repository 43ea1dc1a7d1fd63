//! What becomes of packets at a turn, whatever lane tables a switch has by then.

use super::joint::Joint;
use super::lane_choice::Rows;
use super::standing_ways::Use;
use crate::form::{LanedSet, numbers};

impl Joint {
    /// What becomes for certain of packets of some levels and lanes at a turn, whichever rows a switch has.
    pub(super) fn certain_turn(&self, edges: [u32; 2], levels: LanedSet) -> LanedSet {
        if !self.lanes.is_by_port() {
            return levels;
        }
        let [held, wanted] = edges.map(|edge| &self.edges[edge as usize]);
        let each = numbers(levels).map(|number| {
            let given = self.lanes.turned([held, wanted], 1 << number, Rows::Either);
            given.certain()
        });
        each.fold(0, |all, one| all | one)
    }

    /// The same; adds what waits for what then.
    pub(super) fn certain_uses(
        &self,
        edges: [u32; 2],
        levels: LanedSet,
        uses: &mut Vec<Use>,
    ) -> LanedSet {
        let mut all = 0;
        for held in numbers(levels) {
            for wanted in numbers(self.certain_turn(edges, 1 << held)) {
                let lanes = [held, wanted].map(|number| self.lanes.laned.lane(number).number());
                uses.push([0, 1].map(|end| self.vertex(edges[end], lanes[end])));
                all |= 1 << wanted;
            }
        }
        all
    }
}
