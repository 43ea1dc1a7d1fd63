//! On one lane: the turns that packets to a destination make otherwise than before, found beside the entries that changed.

use super::failed_parts::Left;
use super::plan::Plan;
use crate::joining::HeldLanes;
use crate::paths::NO_EDGE;

/// What switches go on by to a destination, before and now, and what was left then and is.
pub(super) struct TurnsNearby<'a, Was, Is> {
    pub(super) plan: &'a Plan,
    pub(super) left: [&'a Left; 2],
    /// Per switch: the edge of its entry.
    pub(super) was: Was,
    pub(super) is: Is,
}

impl<Was: Fn(u32) -> u32, Is: Fn(u32) -> u32> TurnsNearby<'_, Was, Is> {
    /// What [`Packets::replace`](super::packets::Packets::replace) does where entries of these switches alone differ, and
    /// what else is sent [stays](Plan::alike_where_ways_stay): whoever answers sends by its entry, so that packets turn
    /// otherwise only where that differs, or that of the switch which it leads to.
    ///
    /// Time in proportion to the ports of these switches.
    ///
    /// # Panics
    /// Where what is held now closes a cycle.
    pub(super) fn replace(&self, held: &mut HeldLanes, changed: impl Iterator<Item = u32>) {
        let Self { plan, left, .. } = self;
        let mut nearby = Vec::new();
        for at in changed {
            nearby.push(at);
            let before = plan.space.edges_of(at).iter();
            let before = before
                .filter(|edge| [(self.was)(edge.to), (self.is)(edge.to)].contains(&edge.reverse));
            nearby.extend(before.map(|edge| edge.to));
        }
        nearby.sort_unstable();
        nearby.dedup();
        let turns = nearby.into_iter().map(|at| {
            [
                self.turn(&self.was, left[0], at),
                self.turn(&self.is, left[1], at),
            ]
        });
        let differing: Vec<_> = turns.filter(|[was, is]| was != is).collect();
        let steps = |turn| {
            let levels = plan.rules.of_management();
            plan.rules.steps(&plan.space, turn, levels)
        };
        let was = differing.iter().filter_map(|[was, _]| *was);
        for turn in was.filter(|turn| turn.iter().all(|&edge| left[1].has(edge))) {
            steps(turn).for_each(|steps| held.release(&steps));
        }
        for turn in differing.iter().filter_map(|[_, is]| *is) {
            for steps in steps(turn) {
                let is_held = held.hold_turn_again(steps);
                assert!(is_held, "it was held beside more");
            }
        }
    }

    /// The turn that what leaves a switch makes.
    fn turn(&self, next: &impl Fn(u32) -> u32, left: &Left, at: u32) -> Option<[u32; 2]> {
        let held = next(at);
        if held == NO_EDGE || !self.plan.manages(at, left) {
            return None;
        }
        let wanted = next(self.plan.space.edge(held).to);
        (wanted != NO_EDGE).then_some([held, wanted])
    }
}

#[cfg(test)]
mod tests {
    use crate::algorithms::route_spec;
    use crate::form::Routes;
    use crate::repair::standing_tables::StandingTables;
    use crate::repair::{RepairError, Transition};
    use std::sync::Arc;
    use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
    use weft_fabric::generate::{JellyfishParameters, jellyfish};

    /// After each of several failures in a row, repaired beside the old ways or around them, lanes hold what packets depend
    /// on, each turn as often as it is made, and loads are those of all pairs.
    #[test]
    fn what_is_held_after_repairs_is_what_all_packets_make() {
        let (mut beside, mut around) = (0, 0);
        for seed in 1..8 {
            let fabric = jellyfish(&JellyfishParameters {
                switches: 24,
                degree: 4,
                hosts_per_switch: 2,
                seed,
            })
            .unwrap();
            for spec in [
                "down_preferred",
                "best:lanes=1,starts=1",
                "best:lanes=2,starts=1",
            ] {
                let Routes::Tables(made) = route_spec(&fabric, spec).unwrap().routes else {
                    panic!("{spec} makes tables");
                };
                let mut left = fabric.clone();
                let mut standing = StandingTables::new(Arc::new(fabric.clone()), &made).unwrap();
                for number in 0..5 {
                    let third = left.switch_ids().nth(3).filter(|_| number % 2 == 1);
                    let switches = Chosen {
                        names: third
                            .map(|at| left.switch(at).name.clone())
                            .into_iter()
                            .collect(),
                        share: None,
                    };
                    let links = Chosen {
                        names: Vec::new(),
                        share: "4%".parse().ok(),
                    };
                    let failures = Failures {
                        links,
                        switches,
                        seed: seed + number,
                        keep: Keep::LargestPart,
                        ..Failures::default()
                    };
                    left = degrade(&left, &failures).unwrap().fabric;
                    let repair = match standing.repaired_for(&left) {
                        Ok((repaired, repair)) => {
                            standing = repaired;
                            repair
                        }
                        Err(RepairError::NoWay { .. }) => break,
                        Err(other) => panic!("{other}"),
                    };
                    match repair.transition {
                        Transition::ClearFirst => around += 1,
                        _ => beside += 1,
                    }
                    let entries = (&*standing.exits, &*standing.lanes);
                    let mut now = (*standing.left).clone();
                    let counts = standing.counts_management();
                    let (loads, held) = standing.plan.held(entries, &mut now, counts).unwrap();
                    assert_eq!(standing.loads, loads, "{spec} {seed} {number}");
                    let [is, expected] = [&standing.held, &held].map(|held| {
                        let mut turns: Vec<_> = held.turns().collect();
                        turns.sort_unstable();
                        turns
                    });
                    assert_eq!(is, expected, "{spec} {seed} {number}");
                }
            }
        }
        assert!(
            beside > 5 && around > 50,
            "{beside} beside, {around} around"
        );
    }
}
