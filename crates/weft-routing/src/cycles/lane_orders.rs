//! A total order of the channels for every lane, and the turns that ascend it.

use crate::paths::PathSpace;
use weft_fabric::narrow;

/// Lanes, a bit each.
pub(crate) type LaneSet = u16;

/// The order of the channels on each lane.
///
/// A route that takes channels by ascending ranks alone never waits in a circle, so packets that
/// keep to the lanes whose order their route ascends cannot deadlock, whatever routes there are.
#[derive(Clone, Debug)]
pub(crate) struct LaneOrders {
    lane_count: u8,
    /// Per lane and edge: its rank.
    ranks: Vec<Vec<u32>>,
    /// Per turn: the lanes where it ascends; none for a turn straight back.
    permitted: Vec<LaneSet>,
}

impl LaneOrders {
    pub(crate) const MOST_LANES: u8 = 16;

    /// Lanes with the ranks given, all of them different on a lane.
    pub(crate) fn new(space: &PathSpace, ranks: Vec<Vec<u32>>) -> Self {
        let mut permitted = Vec::with_capacity(space.turn_count());
        for held in (0..).take(space.edge_count()) {
            let edge = space.edge(held);
            let from = space.edge(edge.reverse).to;
            for wanted in space.edge_ids(edge.to) {
                let mut lanes = 0;
                if space.edge(wanted).to != from {
                    for (lane, ranks) in ranks.iter().enumerate() {
                        let ascends = ranks[held as usize] < ranks[wanted as usize];
                        lanes |= LaneSet::from(ascends) << lane;
                    }
                }
                permitted.push(lanes);
            }
        }
        Self {
            lane_count: narrow(ranks.len(), "there are 16 lanes at most"),
            ranks,
            permitted,
        }
    }

    pub(crate) fn lane_count(&self) -> u8 {
        self.lane_count
    }

    pub(crate) fn all(&self) -> LaneSet {
        LaneSet::MAX >> (Self::MOST_LANES - self.lane_count())
    }

    /// The lanes where a turn ascends: from an edge to the `exit`-th way out of the switch
    /// it leads to.
    #[inline]
    pub(crate) fn permitted(&self, space: &PathSpace, held: u32, exit: u8) -> LaneSet {
        self.permitted[space.turn_place_by(held, exit)]
    }

    /// The largest rank of an edge on any of some lanes; 0 without orders.
    pub(crate) fn latest(&self, edge: u32, lanes: LaneSet) -> u32 {
        let of_lanes = self.ranks.iter().enumerate();
        let ranks = of_lanes.filter(|(lane, _)| lanes >> lane & 1 == 1);
        ranks
            .map(|(_, ranks)| ranks[edge as usize])
            .max()
            .unwrap_or(0)
    }

    pub(crate) fn rank(&self, lane: usize, edge: u32) -> u32 {
        self.ranks[lane][edge as usize]
    }
}

/// The ranks of all edges where routes go up an order of the switches first and down
/// then; `places[s]` is the place of switch `s` in the order, 0 at the top.
///
/// Up channels come before down channels. Of two up channels the one from further down comes
/// first, of two down channels the one from further up.
pub(crate) fn up_down_ranks(space: &PathSpace, places: &[u32]) -> Vec<u32> {
    let key = |&edge: &u32| {
        let back = space.edge(edge).reverse;
        let [to, from] = [edge, back].map(|e| places[space.edge(e).to as usize]);
        (
            to > from,
            if to > from { from } else { u32::MAX - from },
            edge,
        )
    };
    let mut edges: Vec<u32> = (0..).take(space.edge_count()).collect();
    edges.sort_unstable_by_key(key);
    places_of(&edges)
}

/// The place of each of some numbers, all from 0 on, in an order of them.
pub(crate) fn places_of(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &number) in (0..).zip(order) {
        places[number as usize] = place;
    }
    places
}
