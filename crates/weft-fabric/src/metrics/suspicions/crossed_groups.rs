//! Cables between groups that were plugged in crosswise.

use super::cliques::cables;
use super::exchanges::exchanges;
use super::group_cable::Cable;
use super::missing::Search;
use super::pattern::Socket;
use super::spines::Spines;
use super::tally::Tally;
use super::{Suspicion, swapped_links};

impl Search<'_, '_> {
    /// Finds pairs of cables between groups of which each would lead where it should if they exchanged an end, and counts
    /// each where it belongs: by the ports of the other spines of the group, then by how many cables groups and spines
    /// have between them.
    pub(super) fn crossed_between_groups(&mut self, spines: &mut Spines) {
        self.crossed_by_ports(spines);
        let cables = cables(self.fabric, self.group_of);
        let mut tally = Tally::of(
            self.fabric,
            self.group_of,
            &cables,
            spines.place_rule().clone(),
        );
        for [before, after] in self.crossed.iter().filter_map(exchange) {
            for ends in before {
                tally.take(ends);
            }
            for ends in after {
                tally.add(ends);
            }
        }
        let found = exchanges(&mut tally, &cables, &swapped_links(&self.crossed));
        for [before, after] in found.iter().filter_map(exchange) {
            for ends in before {
                spines.uncount(ends);
            }
            for ends in after {
                spines.count_cable(ends);
            }
        }
        self.crossed.extend(found);
    }

    /// The same by the ports alone.
    fn crossed_by_ports(&mut self, spines: &mut Spines) {
        let mut wrong = self.misled_between_groups(spines);
        while let Some(one) = wrong.pop() {
            let turned = [one.ends, [one.ends[1], one.ends[0]]];
            let exchanges = turned.into_iter().flat_map(|ends| {
                let others = wrong.iter().enumerate();
                others.flat_map(move |(place, other)| {
                    let [near, far] = other.ends;
                    [[near, far], [far, near]]
                        .map(|other| (place, [ends[0], other[0]], [ends[1], other[1]]))
                })
            });
            let told = |cable: [Socket; 2]| usize::from(is_as_elsewhere(spines, cable));
            let best = exchanges
                .filter(|(_, first, second)| {
                    [first, second].iter().all(|&&ends| may_join(spines, ends))
                })
                .max_by_key(|&(place, first, second)| (told(first) + told(second), place));
            let Some((place, first, second)) = best else {
                continue;
            };
            let other = wrong.remove(place);
            for ends in [one.ends, other.ends] {
                spines.uncount(ends);
            }
            let belong = [first, second];
            for ends in belong {
                spines.count_cable(ends);
            }
            self.crossed.push(Suspicion::SwappedCables {
                links: [one.link, other.link],
                others: [vec![], vec![]],
                belong,
            });
        }
    }

    /// The cables between groups of which an end leads elsewhere than the port does in most spines of its group.
    fn misled_between_groups(&self, spines: &Spines) -> Vec<Cable> {
        let mut misled = Vec::new();
        for (group, all) in &spines.of_group {
            for &spine in all {
                for hop in self.fabric.hops(spine) {
                    let there = spines.group_of[hop.switch.index()];
                    if there.is_none_or(|there| there <= *group) {
                        continue;
                    }
                    let far = self.fabric.target(hop.channel).port;
                    let ends = [(spine, hop.port), (hop.switch, far)];
                    if !may_join(spines, ends) {
                        let link = hop.channel.link();
                        misled.push(Cable { link, ends });
                    }
                }
            }
        }
        misled
    }
}

/// Two cables said to be swapped, as they are and as they belong.
fn exchange(suspicion: &Suspicion) -> Option<[[[Socket; 2]; 2]; 2]> {
    let Suspicion::SwappedCables { belong, .. } = suspicion else {
        return None;
    };
    let [[here, there], [left, right]] = *belong;
    Some([[[here, right], [left, there]], *belong])
}

/// Tells whether a cable between two ports is of two groups, and neither port leads to others in most spines of its group.
fn may_join(spines: &Spines, ends: [Socket; 2]) -> bool {
    let groups = ends.map(|(spine, _)| spines.group_of[spine.index()]);
    let [Some(one), Some(other)] = groups else {
        return false;
    };
    let leads = |group: usize, (_, port): Socket, there: usize| {
        spines
            .leads_to(group, port)
            .is_none_or(|told| told == there)
    };
    one != other && leads(one, ends[0], other) && leads(other, ends[1], one)
}

/// Tells whether other cables between the same groups join the same ports, and spines of the same places.
fn is_as_elsewhere(spines: &Spines, ends: [Socket; 2]) -> bool {
    let [one, other] = ends;
    spines.fit(one.0, other.0) && spines.joins_ports(ends)
}
