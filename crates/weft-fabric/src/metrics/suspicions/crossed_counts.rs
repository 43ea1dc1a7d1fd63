//! Cables plugged in crosswise where no port tells it: two switches of a kind of which each has a cable too many where the
//! other has one too few.

use super::pattern::{Pattern, Socket};
use super::peers::is_most;
use super::{OtherCable, Suspicion};
use crate::{Fabric, LinkId, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer twins than this may be alike by chance.
const FEWEST_TWINS: usize = 5;

/// By switch: the switches to which it has more cables than most of its twins, and those to which it has fewer; both with
/// how many.
type Uneven = BTreeMap<SwitchId, [BTreeMap<SwitchId, usize>; 2]>;

/// Finds pairs of cables that restore what most twins of both switches have if they exchange an end; those of `told` are
/// left out.
pub(super) fn crossed(
    fabric: &Fabric,
    pattern: &Pattern<'_>,
    told: &BTreeSet<LinkId>,
) -> Vec<Suspicion> {
    let mut uneven = uneven(fabric, pattern);
    let mut used = told.clone();
    let mut all = Vec::new();
    let switches: Vec<SwitchId> = uneven.keys().copied().collect();
    for (place, &one) in switches.iter().enumerate() {
        for &other in &switches[place + 1..] {
            while let Some([near, far]) = exchange(&uneven, one, other) {
                let cable =
                    |from: SwitchId, to: SwitchId| doubtful(fabric, pattern, &used, from, to);
                let (Some(first), Some(second)) = (cable(one, near), cable(other, far)) else {
                    break;
                };
                used.extend([first.0, second.0]);
                all.push(Suspicion::SwappedCables {
                    links: [first.0, second.0],
                    others: [first.2, second.2],
                    belong: [[first.1[0], second.1[1]], [second.1[0], first.1[1]]],
                });
                let pairs = [[one, other], [near, far]];
                for [[one, other], ends] in [pairs, [pairs[1], pairs[0]]] {
                    take(&mut uneven, one, ends);
                    take(&mut uneven, other, [ends[1], ends[0]]);
                }
            }
        }
    }
    all
}

/// The switch to which the first of two has a cable too many and the second one too few, and that of which the opposite
/// holds.
fn exchange(uneven: &Uneven, one: SwitchId, other: SwitchId) -> Option<[SwitchId; 2]> {
    let shared = |one: SwitchId, other: SwitchId| {
        let ([more, _], [_, fewer]) = (&uneven[&one], &uneven[&other]);
        more.keys().find(|there| fewer.contains_key(there)).copied()
    };
    Some([shared(one, other)?, shared(other, one)?])
}

/// Takes one off where a switch has too many and where it has too few.
fn take(uneven: &mut Uneven, switch: SwitchId, ends: [SwitchId; 2]) {
    for (counts, end) in uneven.get_mut(&switch).into_iter().flatten().zip(ends) {
        if let Some(count) = counts.get_mut(&end) {
            *count -= 1;
        }
        counts.retain(|_, count| *count > 0);
    }
}

/// The last cable between two switches of those that no pattern of ports expects there, its ends, and the others.
fn doubtful(
    fabric: &Fabric,
    pattern: &Pattern<'_>,
    used: &BTreeSet<LinkId>,
    from: SwitchId,
    to: SwitchId,
) -> Option<(LinkId, [Socket; 2], Vec<OtherCable>)> {
    let cables = fabric.hops(from).iter().filter(|hop| hop.switch == to);
    let cables = cables.map(|hop| {
        let back = fabric.target(hop.channel).port;
        (hop.channel.link(), [(from, hop.port), (to, back)])
    });
    let is_doubtful = |(link, [here, there]): &(LinkId, [Socket; 2])| {
        !used.contains(link)
            && pattern.expected(*here) != Some(to)
            && pattern.expected(*there) != Some(from)
    };
    let mut cables: Vec<OtherCable> = cables.filter(is_doubtful).collect();
    cables.sort_unstable_by_key(|&(_, ends)| ends);
    let (link, ends) = cables.pop()?;
    Some((link, ends, cables))
}

fn uneven(fabric: &Fabric, pattern: &Pattern<'_>) -> Uneven {
    let mut all = Uneven::new();
    for switch in fabric.switch_ids() {
        let mut cables = fabric.hops(switch).iter();
        if cables.all(|hop| pattern.expected((switch, hop.port)) == Some(hop.switch)) {
            continue;
        }
        let [mut more, mut fewer] = [BTreeMap::new(), BTreeMap::new()];
        for (kind, twins) in pattern.near.twins(switch) {
            if twins.len() < FEWEST_TWINS {
                continue;
            }
            let own = pattern.near.neighbours_of_kind(switch, kind);
            let theirs = twins
                .iter()
                .flat_map(|&twin| pattern.near.neighbours_of_kind(twin, kind));
            let there: BTreeSet<SwitchId> = own.chain(theirs).map(|(there, _)| there).collect();
            for there in there.into_iter().filter(|&there| there != switch) {
                let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
                for &twin in twins.iter().filter(|&&twin| twin != there) {
                    *counts.entry(pattern.near.links(twin, there)).or_default() += 1;
                }
                let voters = counts.values().sum();
                let most = counts.into_iter().max_by_key(|&(_, twins)| twins);
                let Some((usual, _)) = most.filter(|&(_, agreeing)| is_most(agreeing, voters))
                else {
                    continue;
                };
                let links = pattern.near.links(switch, there);
                if links > usual {
                    more.insert(there, links - usual);
                } else if usual > links {
                    fewer.insert(there, usual - links);
                }
            }
        }
        if !more.is_empty() && !fewer.is_empty() {
            all.insert(switch, [more, fewer]);
        }
    }
    all
}
