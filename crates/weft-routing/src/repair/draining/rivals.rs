//! What stands against a way beside those that are held.

use super::Draining;
use crate::form::numbers;
use crate::joining::LaneStep;
use crate::repair::plan::Coming;

/// What stands against a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rival {
    /// Some way holds.
    None,
    /// Ways that make this turn.
    Turn([LaneStep; 2]),
    /// There is none: no neighbour has a way that may be gone on.
    NoWay,
}

impl Draining {
    /// The turn by whose loss a switch comes nearest to a way to the destination: that which fewest make of those that
    /// close a cycle with some way.
    pub(super) fn rival(&mut self, destination: usize) -> Rival {
        let (plan, left) = (&*self.plan, &self.left);
        let entries = plan.entries(&self.tables.exits, destination);
        let held = &mut self.tables.held;
        let mut best: Option<(u32, [LaneStep; 2])> = None;
        let switches = self.apart[&destination].iter().map(|of| of.0);
        for from in switches.filter(|&at| left.sends[at as usize]) {
            for edge in plan.space.edge_ids(from).filter(|&edge| left.has(edge)) {
                let mut path = vec![edge];
                path.extend(entries.way(plan.space.edge(edge).to));
                let end = path.last().map(|&edge| plan.space.edge(edge).to);
                let turn = path.get(1).map(|&next| [edge, next]);
                let legal = self.sure.legal();
                let allows = |turn| legal.is_none_or(|legal| legal.allow(&plan.space, turn));
                if end != Some(entries.to()) || !turn.is_none_or(allows) {
                    continue;
                }
                for level in 0..plan.rules.level_count() {
                    let (Coming::All(levels) | Coming::Any(levels)) =
                        plan.coming(from, &path, level, left)
                    else {
                        continue;
                    };
                    let ways = numbers(levels)
                        .map(|number| plan.rules.way(&plan.space, &path, 1 << number));
                    let Some(ways) = ways.collect::<Option<Vec<_>>>() else {
                        continue;
                    };
                    let Some((way, chain)) = ways
                        .iter()
                        .find_map(|way| Some((way, held.obstruction(way)?)))
                    else {
                        return Rival::None;
                    };
                    let own = |turn: &[LaneStep]| way.windows(2).any(|of| of == turn);
                    for turn in chain.windows(2).filter(|turn| !own(turn)) {
                        let turn = [turn[0], turn[1]];
                        // Of legal turns alone there is no cycle: others go for ever.
                        if legal.is_some() && allows(turn.map(|step| step.0)) {
                            continue;
                        }
                        let dear = self.rivals.get(&turn).copied().unwrap_or(0);
                        let price = held.uses(turn) * (1 + dear);
                        if best.is_none_or(|(least, _)| price < least) {
                            best = Some((price, turn));
                        }
                    }
                }
            }
        }
        best.map_or(Rival::NoWay, |(_, turn)| Rival::Turn(turn))
    }
}
