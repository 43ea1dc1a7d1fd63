//! Several cables that are missing between the same two switches.

use super::missing::{Pair, Search};
use crate::PortNumber;
use std::collections::{BTreeMap, BTreeSet};

impl Search<'_, '_> {
    /// Tells of cables missing between the same two switches all ports that they may be in, where nothing says which
    /// ports belong together.
    pub(super) fn widen_trunks(&mut self) {
        let mut of_pair: BTreeMap<Pair, Vec<usize>> = BTreeMap::new();
        for (place, [one, other]) in self.found.iter().enumerate() {
            let places = of_pair.entry([one.switch, other.switch]).or_default();
            places.push(place);
        }
        for (pair, places) in of_pair {
            let [one, other] = pair;
            let more = [self.towards(one, other), self.towards(other, one)];
            if self.are_told_apart(pair, &places, &more) {
                continue;
            }
            let all = [0, 1].map(|end| {
                let ports = places
                    .iter()
                    .flat_map(|&place| &self.found[place][end].ports);
                let ports: BTreeSet<PortNumber> = ports.chain(&more[end]).copied().collect();
                ports.into_iter().collect::<Vec<_>>()
            });
            for place in places {
                for (end, ports) in self.found[place].iter_mut().zip(&all) {
                    end.ports.clone_from(ports);
                }
            }
        }
    }

    /// Tells whether the ports of both ends are as far from each other as those of each cable that is left, or, where these
    /// do not agree, in one order; `more` are ports that cables of the trunk belong in, too, of which none is told.
    fn are_told_apart(
        &self,
        [one, other]: Pair,
        places: &[usize],
        more: &[Vec<PortNumber>; 2],
    ) -> bool {
        let of = |port: PortNumber| i32::from(port.number());
        let mut ends = Vec::new();
        for &place in places {
            let [here, there] = &self.found[place];
            let ([here], [there]) = (&here.ports[..], &there.ports[..]) else {
                return false;
            };
            ends.push((of(*here), of(*there)));
        }
        let hops = self.fabric.hops(one).iter();
        let left = hops.filter(|hop| hop.switch == other);
        let steps: BTreeSet<i32> = left
            .map(|hop| of(self.fabric.target(hop.channel).port) - of(hop.port))
            .collect();
        let has_step = |step: i32| ends.iter().all(|(here, there)| there - here == step);
        if steps.len() == 1 && steps.into_iter().all(has_step) {
            return true;
        }
        ends.sort_unstable();
        more.iter().all(Vec::is_empty) && ends.is_sorted_by_key(|&(_, there)| there)
    }
}
