//! Several ways between two switches over channels with room for so many each.

use crate::paths::PathSpace;
use std::collections::VecDeque;

/// So many ways from a switch to another, with fewest links together; `None` where channels have no room for them.
///
/// Shapes: `room`, per edge: how many ways may lead over it.
/// Time O(k·E) for k ways and E edges, most often.
/// Source: Busacker, Gowen, "A procedure for determining a family of minimum-cost network flow patterns", 1961.
pub(super) fn ways_within(
    space: &PathSpace,
    room: &[u32],
    [from, to]: [u32; 2],
    count: usize,
) -> Option<Vec<Vec<u32>>> {
    let mut used = vec![0_u32; room.len()];
    for _ in 0..count {
        lead_one_more(space, room, &mut used, [from, to])?;
    }
    // A flow of fewest links has no circle.
    let mut one = || {
        let mut path = Vec::new();
        let mut at = from;
        while at != to {
            let edge = space.edge_ids(at).find(|&edge| used[edge as usize] > 0)?;
            used[edge as usize] -= 1;
            path.push(edge);
            at = space.edge(edge).to;
        }
        Some(path)
    };
    (0..count).map(|_| one()).collect()
}

/// Leads one way more where that takes fewest links more: others may make way.
fn lead_one_more(
    space: &PathSpace,
    room: &[u32],
    used: &mut [u32],
    [from, to]: [u32; 2],
) -> Option<()> {
    // Per switch: links more to there, and the edge by which, taken or, where it is not to be used any more, given back.
    let mut links = vec![i32::MAX; space.switch_count()];
    let mut by = vec![(0_u32, true); space.switch_count()];
    let mut is_open = vec![false; space.switch_count()];
    links[from as usize] = 0;
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        is_open[at as usize] = false;
        for (edge, way) in space.edge_ids(at).zip(space.edges_of(at)) {
            let taken = (used[edge as usize] < room[edge as usize]).then_some((1, edge, true));
            let back = (used[way.reverse as usize] > 0).then_some((-1, way.reverse, false));
            for (more, edge, is_taken) in [back, taken].into_iter().flatten() {
                let beyond = links[at as usize] + more;
                if beyond < links[way.to as usize] {
                    links[way.to as usize] = beyond;
                    by[way.to as usize] = (edge, is_taken);
                    if !std::mem::replace(&mut is_open[way.to as usize], true) {
                        open.push_back(way.to);
                    }
                }
            }
        }
    }
    if links[to as usize] == i32::MAX {
        return None;
    }
    let mut at = to;
    while at != from {
        let (edge, is_taken) = by[at as usize];
        if is_taken {
            used[edge as usize] += 1;
            at = space.tail(edge);
        } else {
            used[edge as usize] -= 1;
            at = space.edge(edge).to;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::torus;

    /// Four ways leave a switch of a torus, of one, three, three and five links to the next; with room for two there are
    /// eight, and never one more.
    #[test]
    fn as_many_ways_as_channels_have_room_for_have_fewest_links() {
        let fabric = torus(6, 5, 1).unwrap();
        let space = PathSpace::new(&fabric, None, TurnRule::Free);
        let ends = [0, space.edges_of(0)[0].to];
        for (each, links) in [(1, [1, 4, 7, 12]), (2, [2, 8, 14, 24])] {
            let room = vec![each; space.edge_count()];
            for (ways, links) in (1..).zip(links) {
                let count = ways * each as usize;
                let found = ways_within(&space, &room, ends, count).unwrap();
                assert_eq!(found.iter().map(Vec::len).sum::<usize>(), links);
                let mut used = vec![0; space.edge_count()];
                for way in &found {
                    assert_eq!(space.tail(way[0]), ends[0]);
                    assert_eq!(space.edge(*way.last().unwrap()).to, ends[1]);
                    for &edge in way {
                        used[edge as usize] += 1;
                    }
                }
                assert!(used.iter().all(|&used| used <= each));
            }
            let too_many = 4 * each as usize + 1;
            assert_eq!(ways_within(&space, &room, ends, too_many), None);
        }
    }
}
