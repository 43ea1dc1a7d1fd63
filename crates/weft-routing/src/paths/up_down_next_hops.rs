//! Ways to one switch that never turn from down to up, whatever port a packet came in by.

use crate::paths::{NextHops, PathSpace};

/// Links to a switch that no way leads from.
const NO_WAY: u16 = u16::MAX;

/// The ways from all switches to one: down wherever a way down alone leads there, else up.
///
/// A switch from which such a way leads takes it, though a way over a channel up may be shorter: a
/// packet may have come down to the switch, and may not go up again. So a switch need not know which
/// port a packet came in by.
///
/// # Complexity
/// Time O(S + E) for S switches and E links.
///
/// # Source
/// Sancho, Robles, Duato, "Effective strategy to compute forwarding tables for `InfiniBand`
/// networks", ICPP 2001, of which the abstract is public; the rule is reconstructed.
#[derive(Clone, Debug)]
pub(crate) struct UpDownNextHops {
    /// Per switch: links of its way.
    links: Vec<u16>,
    /// Per switch: whether its way leads down alone.
    is_down: Vec<bool>,
}

impl UpDownNextHops {
    /// Finds the ways to a switch. `upward` lists all switches, the uppermost first.
    pub(crate) fn to(space: &PathSpace, upward: &[u32], switch: u32) -> Self {
        let mut found = Self {
            links: vec![NO_WAY; space.switch_count()],
            is_down: vec![false; space.switch_count()],
        };
        found.links[switch as usize] = 0;
        found.is_down[switch as usize] = true;
        let mut queue = vec![switch];
        let mut place = 0;
        while let Some(&at) = queue.get(place) {
            place += 1;
            let links = found.links[at as usize] + 1;
            // The channel back of one that leads up leads down.
            for edge in space.edges_of(at).iter().filter(|edge| edge.is_up(0)) {
                if !found.is_down[edge.to as usize] {
                    found.is_down[edge.to as usize] = true;
                    found.links[edge.to as usize] = links;
                    queue.push(edge.to);
                }
            }
        }
        for &at in upward {
            if found.is_down[at as usize] {
                continue;
            }
            let ups = space.edges_of(at).iter().filter(|edge| edge.is_up(0));
            let least = ups.map(|edge| found.links[edge.to as usize]).min();
            found.links[at as usize] = least.unwrap_or(NO_WAY).saturating_add(1);
        }
        found
    }

    /// The channels that the shortest of the ways begin with, by ascending links of the ways.
    pub(crate) fn ways(&self, space: &PathSpace) -> NextHops {
        let links = |at: u32| self.links[at as usize];
        let all = (0..).take(space.switch_count());
        let mut order: Vec<u32> = all.filter(|&at| (1..NO_WAY).contains(&links(at))).collect();
        order.sort_unstable_by_key(|&at| (links(at), at));
        NextHops::of(space, order, |at, edge| {
            let is_down = self.is_down[at as usize];
            let is_nearer = links(edge.to).checked_add(1) == Some(links(at));
            let goes_on = !is_down || self.is_down[edge.to as usize];
            is_nearer && edge.is_up(0) != is_down && goes_on
        })
    }
}
