//! Orders of the switches that the search for orders of the channels starts from.

use super::even_orders::even_ranks;
use crate::cycles::up_down_ranks;
use crate::orient::nearest_to_all;
use crate::paths::{PathSpace, SpanningTree};
use crate::random::stream;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::cmp::Reverse;
use weft_fabric::{Fabric, SwitchId, metrics};

/// What a search starts from.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Per lane and edge: its rank.
    pub(crate) ranks: Vec<Vec<u32>>,
    /// A tree whose turns the first lane must permit.
    pub(crate) tree: SpanningTree,
    /// Whether the orders may be changed for shortest paths that they do not permit.
    pub(crate) may_reorder: bool,
}

/// The `number`-th start for so many lanes.
///
/// Lanes come in twos. Routes go up an order of the switches and then down on the one, down and
/// then up on the other, so together they permit every single turn. Trees, where some switches have
/// few hosts or none, are tried with the distance from a leaf and with the height as the order of the
/// first two; other fabrics with the distance from the switch in the middle. All other orders are
/// drawn, and of the drawn starts every second is one of [even orders](even_ranks).
pub(crate) fn start(
    fabric: &Fabric,
    space: &PathSpace,
    part: &[SwitchId],
    lanes: u8,
    [number, seed]: [u64; 2],
) -> Start {
    let heights = by_height(fabric, part);
    let is_from_leaf = number == 0 && heights.is_some();
    let (first, is_drawn) = match (number, heights) {
        (0, None) => (from_middle(fabric, part), false),
        (0, Some(_)) => (from_leaf(fabric, part), false),
        (1, Some(heights)) => (heights, false),
        _ => (grown(space, part, [number, seed]), true),
    };
    let tree = SpanningTree::from_root(space, SwitchId::new(first[0]));
    let mut ranks = Vec::new();
    for lane in 0..u64::from(lanes) {
        let index = (number << 8) + lane / 2;
        let is_back = lane % 2 == 1;
        if is_drawn && number % 2 == 1 {
            let mut random = stream(seed, "even orders", index);
            ranks.push(even_ranks(space, is_back, &mut random));
            continue;
        }
        let mut order = first.clone();
        if lane >= 2 {
            order.shuffle(&mut stream(seed, "orders of switches", index));
        }
        if is_back {
            order.reverse();
        }
        let mut places = vec![u32::MAX; space.switch_count()];
        for (place, switch) in (0..).zip(order) {
            places[switch as usize] = place;
        }
        ranks.push(up_down_ranks(space, &places));
    }
    Start {
        ranks,
        tree,
        // From a leaf a tree's shortest paths are up and down already; others would bar them.
        may_reorder: !is_from_leaf,
    }
}

/// Tells whether some switches have few hosts or none, so that starts can go by heights.
pub(crate) fn has_heights(fabric: &Fabric, part: &[SwitchId]) -> bool {
    with_many_hosts(fabric, part).len() < part.len()
}

/// The switches with more than half as many hosts as any has, in the order of `part`, which
/// ascends.
fn with_many_hosts(fabric: &Fabric, part: &[SwitchId]) -> Vec<SwitchId> {
    let hosts = |switch: &SwitchId| fabric.hosts_of(*switch).len();
    let most = part.iter().map(hosts).max().unwrap_or(0);
    let has_many = |switch: &SwitchId| 2 * hosts(switch) > most;
    part.iter().copied().filter(has_many).collect()
}

/// The switches by descending distance from the nearest one with [many
/// hosts](with_many_hosts); `None` where all have many.
///
/// Adapters that hang on the top of a tree do not make a leaf of it.
fn by_height(fabric: &Fabric, part: &[SwitchId]) -> Option<Vec<u32>> {
    let heights = heights(fabric, part)?;
    let mut order: Vec<u32> = part.iter().map(|switch| switch.number()).collect();
    order.sort_by_key(|&switch| (u32::MAX - heights[switch as usize], switch));
    Some(order)
}

/// Tells whether some switches have few hosts or none, and every link joins switches of neighbouring heights, as those of
/// trees do.
pub(crate) fn is_levelled(fabric: &Fabric, part: &[SwitchId]) -> bool {
    heights(fabric, part).is_some_and(|heights| {
        let height = |switch: SwitchId| heights[switch.index()];
        let differs = |&at: &SwitchId| {
            let mut hops = fabric.hops(at).iter();
            hops.all(|hop| height(hop.switch) != height(at))
        };
        part.iter().all(differs)
    })
}

/// Per switch: its distance from the nearest one with [many hosts](with_many_hosts); `None` where all have many.
fn heights(fabric: &Fabric, part: &[SwitchId]) -> Option<Vec<u32>> {
    let mut heights = vec![u32::MAX; fabric.switch_count()];
    let mut queue = with_many_hosts(fabric, part);
    if queue.len() == part.len() {
        return None;
    }
    for switch in &queue {
        heights[switch.index()] = 0;
    }
    let mut place = 0;
    while let Some(&at) = queue.get(place) {
        place += 1;
        for hop in fabric.hops(at) {
            if heights[hop.switch.index()] == u32::MAX {
                heights[hop.switch.index()] = heights[at.index()] + 1;
                queue.push(hop.switch);
            }
        }
    }
    Some(heights)
}

/// The switches by ascending distance from the one nearest to all.
fn from_middle(fabric: &Fabric, part: &[SwitchId]) -> Vec<u32> {
    by_distance(fabric, part, nearest_to_all(fabric, part))
}

/// The switches by ascending distance from the first one with most hosts.
///
/// On a tree all shortest paths between leaves go up this order and then down, and unlike by height
/// every two switches are joined so, adapters on the top among them.
fn from_leaf(fabric: &Fabric, part: &[SwitchId]) -> Vec<u32> {
    let hosts = |switch: &&SwitchId| Reverse(fabric.hosts_of(**switch).len());
    let leaf = part.iter().min_by_key(hosts).copied();
    by_distance(fabric, part, leaf.unwrap_or(part[0]))
}

fn by_distance(fabric: &Fabric, part: &[SwitchId], from: SwitchId) -> Vec<u32> {
    let distances = metrics::distances_from(fabric, from);
    let mut order: Vec<u32> = part.iter().map(|switch| switch.number()).collect();
    order.sort_by_key(|&switch| (distances[switch as usize], switch));
    order
}

/// The switches in the order in which a part grows from a drawn one, each time by a drawn
/// neighbour.
fn grown(space: &PathSpace, part: &[SwitchId], [number, seed]: [u64; 2]) -> Vec<u32> {
    let mut random = stream(seed, "growing orders", number);
    let mut is_met = vec![false; space.switch_count()];
    let first = part[random.random_range(0..part.len())].number();
    is_met[first as usize] = true;
    let mut open = vec![first];
    let mut order = Vec::with_capacity(part.len());
    while !open.is_empty() {
        let at = open.swap_remove(random.random_range(0..open.len()));
        order.push(at);
        for edge in space.edges_of(at) {
            if !std::mem::replace(&mut is_met[edge.to as usize], true) {
                open.push(edge.to);
            }
        }
    }
    order
}
