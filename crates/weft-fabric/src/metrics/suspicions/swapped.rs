//! Cables that were plugged in crosswise.

use super::pattern::{Pattern, Socket};
use super::{Suspicion, crossed_counts};
use crate::{Fabric, LinkId, SwitchId};
use std::collections::BTreeSet;

/// Finds two cables between switches of which each would lead where the pattern tells if they
/// exchanged an end; where no port tells it, by how many cables most twins have. Links of `told` are told already.
pub(super) fn swapped(
    fabric: &Fabric,
    pattern: &Pattern<'_>,
    mut told: BTreeSet<LinkId>,
) -> Vec<Suspicion> {
    let mut all = Vec::new();
    for switch in fabric.switch_ids() {
        for hop in fabric.hops(switch) {
            let here = (switch, hop.port);
            let link = hop.channel.link();
            let Some(expected) = misled(pattern, here) else {
                continue;
            };
            let best = fabric
                .hops(expected)
                .iter()
                .filter(|other| other.channel.link() != link)
                .filter(|other| !told.contains(&other.channel.link()))
                .filter_map(|other| {
                    let there = (expected, other.port);
                    gain(pattern, here, there).map(|gain| (gain, other.channel.link(), there))
                })
                .max_by_key(|&(gain, link, _)| (gain, std::cmp::Reverse(link)));
            if let Some((_, other, there)) = best
                && !told.contains(&link)
            {
                told.extend([link, other]);
                all.extend(exchanged(pattern, here, there).map(|belong| {
                    Suspicion::SwappedCables {
                        links: [link, other],
                        others: [vec![], vec![]],
                        belong,
                    }
                }));
            }
        }
    }
    all.extend(crossed_counts::crossed(fabric, pattern, &told));
    all
}

/// The switch a cable should lead to, if it leads to another.
fn misled(pattern: &Pattern<'_>, here: Socket) -> Option<SwitchId> {
    let expected = pattern.expected(here)?;
    let (found, _) = pattern.far(here)?;
    (found != expected).then_some(expected)
}

/// The ports that two cables would join if the one in `here` led to `there`, and what is left of
/// both were one cable.
fn exchanged(pattern: &Pattern<'_>, here: Socket, there: Socket) -> Option<[[Socket; 2]; 2]> {
    let (left, right) = (pattern.far(there)?, pattern.far(here)?);
    Some([[here, there], [left, right]])
}

/// How many ends lead where they should once the cables are exchanged and did not before; `None`
/// unless two do, and none is left or made that does not.
fn gain(pattern: &Pattern<'_>, here: Socket, there: Socket) -> Option<usize> {
    let cables = exchanged(pattern, here, there)?;
    let ends = cables.into_iter().flat_map(|[a, b]| [(a, b), (b, a)]);
    let mut gain = 0;
    for (end, far) in ends {
        if far.0 == end.0 || pattern.expected(end).is_some_and(|there| there != far.0) {
            return None;
        }
        gain += usize::from(misled(pattern, end).is_some());
    }
    (gain >= 2).then_some(gain)
}
