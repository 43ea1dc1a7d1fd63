//! The cheapest of the shortest ways of one pair of switches after the other, none of which stops.

use super::carried_loads::{Hop, Ledger};
use crate::paths::{NO_EDGE, PathSpace, Way};
use std::collections::BTreeMap;
use weft_fabric::narrow;

/// Links between switches that no way joins.
pub(super) const APART: u16 = u16::MAX / 2;

/// The rank of a switch that is not met.
const UNMET: u32 = u32::MAX;

/// All shortest ways, and a search for the cheapest, switch by switch, with what it needs again and again.
///
/// Costs are summed up and equals put in order as by the search of ways that stop, so that both find the
/// same: of the channels to a switch, those count first whose own switch was met first, and of its ways
/// out that by the lowest port.
#[derive(Debug)]
pub(super) struct ShortestWays<'a> {
    space: &'a PathSpace,
    /// Per switch and switch: links to the first from the second.
    links: &'a [u16],
    /// Per switch and switch: which list has the ways that lead nearer to the first from the second. Most switches
    /// have few different lists, which stay near the processor.
    lists: Vec<u32>,
    /// Per list, and once more at the end: where its ways begin.
    offsets: Vec<u32>,
    ways: Vec<Way>,
    /// Switches as they are met.
    met: Vec<u32>,
    /// Per switch: none is met between searches.
    places: Vec<Place>,
}

/// A switch as a search meets it.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Of the cheapest way there.
    cost: f64,
    rank: u32,
}

impl<'a> ShortestWays<'a> {
    pub(super) fn new(space: &'a PathSpace, links: &'a [u16]) -> Self {
        let switches = space.switch_count();
        let mut lists = vec![0; switches * switches];
        let (mut offsets, mut ways) = (vec![0], Vec::new());
        let mut nearer: Vec<u32> = Vec::new();
        for at in (0..).take(switches) {
            let mut known: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
            for (to, row) in links.chunks(switches.max(1)).enumerate() {
                let far = row[at as usize];
                nearer.clear();
                if (1..APART).contains(&far) {
                    let leads = |&edge: &u32| row[space.edge(edge).to as usize] < far;
                    nearer.extend(space.edge_ids(at).filter(leads));
                }
                let list = known.get(&nearer).copied().unwrap_or_else(|| {
                    let list = narrow(offsets.len() - 1, "lists are fewer than pairs of switches");
                    ways.extend(nearer.iter().map(|&edge| Way {
                        edge,
                        to: space.edge(edge).to,
                    }));
                    offsets.push(narrow(ways.len(), "ways of all switches fit memory"));
                    known.insert(nearer.clone(), list);
                    list
                });
                lists[to * switches + at as usize] = list;
            }
        }
        let nowhere = Place {
            cost: 0.0,
            rank: UNMET,
        };
        Self {
            space,
            links,
            lists,
            offsets,
            ways,
            met: Vec::new(),
            places: vec![nowhere; switches],
        }
    }

    /// Writes the cheapest of the shortest ways between two joined switches.
    /// Time in proportion to the channels of all of them.
    pub(super) fn cheapest(&mut self, [from, to]: [u32; 2], ledger: &Ledger, way: &mut Vec<Hop>) {
        self.price_all([from, to], ledger);
        way.clear();
        // What follows: its price decides between costs that differ by less than sums can tell.
        let (mut at, mut after) = (to, 0.0);
        while at != from {
            let edge = self.last_step(at, to, after, ledger);
            way.push(Hop {
                edge,
                is_after_stop: false,
            });
            (at, after) = (self.space.tail(edge), ledger.edges[edge as usize]);
        }
        way.reverse();
        for &switch in &self.met {
            self.places[switch as usize].rank = UNMET;
        }
    }

    /// Finds what the cheapest way to every switch costs that a shortest way meets.
    fn price_all(&mut self, [from, to]: [u32; 2], ledger: &Ledger) {
        // Names of their own spare the loop below looking each of them up again for every channel.
        let (offsets, ways, met) = (&self.offsets[..], &self.ways[..], &mut self.met);
        let (places, prices) = (&mut self.places[..], &ledger.edges[..]);
        let lists = &self.lists[to as usize * places.len()..][..places.len()];
        met.clear();
        met.push(from);
        places[from as usize] = Place { cost: 0.0, rank: 0 };
        let mut rank = 0;
        while met[rank] != to {
            let at = met[rank] as usize;
            rank += 1;
            // All ways to here have been met: they are of one length.
            let cost = places[at].cost;
            let list = lists[at] as usize;
            for way in &ways[offsets[list] as usize..offsets[list + 1] as usize] {
                let cost = cost + prices[way.edge as usize];
                let there = &mut places[way.to as usize];
                if there.rank == UNMET {
                    let rank = narrow(met.len(), "as switches");
                    *there = Place { cost, rank };
                    met.push(way.to);
                } else if cost < there.cost {
                    there.cost = cost;
                }
            }
        }
    }

    /// The channel by which the cheapest way comes to a switch: the first that is as cheap, what comes
    /// after it included.
    fn last_step(&self, at: u32, to: u32, after: f64, ledger: &Ledger) -> u32 {
        let (links, places) = (self.links, &self.places[..]);
        let (row, prices) = (
            &links[to as usize * places.len()..][..places.len()],
            &ledger.edges[..],
        );
        let least = places[at as usize].cost + after;
        let mut first = (UNMET, NO_EDGE);
        for back in self.space.edges_of(at) {
            let before = places[back.to as usize];
            if before.rank == UNMET || (before.rank, back.reverse) >= first {
                continue;
            }
            let is_nearer = row[at as usize] < row[back.to as usize];
            let cost = before.cost + prices[back.reverse as usize] + after;
            // Equal for all bits, infinite sums included.
            if is_nearer && cost.total_cmp(&least).is_eq() {
                first = (before.rank, back.reverse);
            }
        }
        first.1
    }
}
