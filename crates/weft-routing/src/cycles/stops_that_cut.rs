//! Where any routes must stop in transit so that no cycle of channels is left.

use crate::cycles::{AcyclicDependencies, Dependencies};
use crate::error::RoutingError;
use crate::form::{Endpoints, RouteRow};
use crate::paths::{SpanningTree, Turns, shortest_paths};
use std::cmp::Reverse;
use weft_fabric::{Fabric, SwitchId};

/// Routes, and the turns at which each of them that makes the turn must stop.
pub(crate) struct Cut<'a> {
    /// The routes, without stops; a row per source.
    pub(crate) rows: Vec<RouteRow>,
    /// The turns without a stop; those of all routes that are missing here need one.
    pub(crate) uncut: Turns<'a>,
}

/// Cuts routes so that the channels of their parts form no cycle.
///
/// As long as there is a cycle, that of its turns which fewest routes make is cut, for all of them;
/// of equal ones that at the switch where fewest stops are so far. At the end, the turns that most
/// routes make come first, every cut is taken back that closes no cycle.
///
/// At switches without hosts no route can stop. Cycles that meet only there are broken beforehand:
/// the pairs whose routes make the turn that fewest make take the shortest way around it.
///
/// Shapes: `rows` holds routes without stops, a row per source.
/// Time O(C·(V + D)) for C cuts, V channels and D dependencies.
/// Source: Flich, López, Malumbres, Duato, "In-transit buffers: a mechanism to improve performance of
/// networks with source routing", §II, which says that routes are split until no cycle is left; which
/// turns is our choice.
pub(crate) fn cut<'a>(
    fabric: &Fabric,
    all: &Turns<'a>,
    tree: &SpanningTree,
    endpoints: &Endpoints,
    rows: Vec<RouteRow>,
    is_detour_refused: bool,
) -> Result<Cut<'a>, RoutingError> {
    let space = all.space();
    let has_host = |turn: (u32, u32)| {
        let at = SwitchId::new(space.edge(turn.0).to);
        !fabric.hosts_of(at).is_empty()
    };
    let mut rows = rows;
    let mut uses = count_uses(all, endpoints, &rows);
    let hostless = |uses: &[u64]| {
        let mut graph = Dependencies::new(space.edge_count());
        for turn in all.pairs() {
            if uses[all.place(turn.0, turn.1)] > 0 && !has_host(turn) {
                graph.add(turn.0, turn.1);
            }
        }
        graph.cycle()
    };
    let of_tree = tree.turns(space);
    let mut permitted = all.clone();
    while let Some(cycle) = hostless(&uses) {
        if is_detour_refused {
            let switch = SwitchId::new(space.edge(cycle[0]).to);
            return Err(RoutingError::NoHostForCut {
                switch: fabric.switch(switch).name.clone(),
            });
        }
        let turns = turns_of(&cycle).filter(|turn| !of_tree.permits(turn.0, turn.1));
        let Some(turn) = turns.min_by_key(|turn| (uses[all.place(turn.0, turn.1)], *turn)) else {
            unreachable!("a cycle has a turn that is not of the tree");
        };
        permitted.set(turn.0, turn.1, false);
        rows = detour(&permitted, tree, endpoints, &rows, turn);
        uses = count_uses(all, endpoints, &rows);
    }
    Ok(Cut {
        uncut: cut_turns(all, &uses, has_host),
        rows,
    })
}

/// Turns without a cycle among those in use, as many routes as can be left uncut.
fn cut_turns<'a>(
    all: &Turns<'a>,
    uses: &[u64],
    has_host: impl Fn((u32, u32)) -> bool,
) -> Turns<'a> {
    let space = all.space();
    let uses_of = |turn: (u32, u32)| uses[all.place(turn.0, turn.1)];
    let mut graph = Dependencies::new(space.edge_count());
    for turn in all.pairs().filter(|&turn| uses_of(turn) > 0) {
        graph.add(turn.0, turn.1);
    }
    let mut stops = vec![0_u64; space.switch_count()];
    let mut cuts = Vec::new();
    while let Some(cycle) = graph.cycle() {
        let at = |turn: (u32, u32)| space.edge(turn.0).to as usize;
        let turns = turns_of(&cycle).filter(|&turn| has_host(turn));
        let Some(turn) = turns.min_by_key(|&turn| (uses_of(turn), stops[at(turn)], turn)) else {
            unreachable!("cycles at switches without hosts are broken before");
        };
        graph.remove(turn.0, turn.1);
        stops[at(turn)] += uses_of(turn);
        cuts.push(turn);
    }
    let mut ranked = AcyclicDependencies::new(space.edge_count());
    let mut uncut = Turns::none(space);
    let kept = all.pairs().filter(|turn| graph.uses(turn.0, turn.1) > 0);
    cuts.sort_by_key(|&turn| (Reverse(uses_of(turn)), turn));
    for turn in kept.chain(cuts) {
        let is_added = ranked.add(turn.0, turn.1);
        uncut.set(turn.0, turn.1, is_added);
    }
    uncut
}

fn turns_of(cycle: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().copied().zip(next.copied())
}

/// Counts, per turn, the pairs of hosts whose routes make it.
fn count_uses(all: &Turns<'_>, endpoints: &Endpoints, rows: &[RouteRow]) -> Vec<u64> {
    let mut uses = vec![0; all.place_count()];
    let mut edges = Vec::new();
    for (source, row) in rows.iter().enumerate() {
        for (destination, ports) in row.routes().enumerate() {
            edges.clear();
            edges.extend(all.space().edges_along(endpoints.switch(source), ports));
            for two in edges.windows(2) {
                let pairs = endpoints.host_pairs(source, destination);
                uses[all.place(two[0], two[1])] += pairs;
            }
        }
    }
    uses
}

/// The routes, those that make a turn replaced by the first shortest permitted ones.
fn detour(
    permitted: &Turns<'_>,
    tree: &SpanningTree,
    endpoints: &Endpoints,
    rows: &[RouteRow],
    turn: (u32, u32),
) -> Vec<RouteRow> {
    let space = permitted.space();
    let row = |(source, row): (usize, &RouteRow)| {
        let from = endpoints.switch(source);
        let mut changed = RouteRow::default();
        for (destination, ports) in row.routes().enumerate() {
            let edges: Vec<u32> = space.edges_along(from, ports).collect();
            if edges.windows(2).any(|two| two == [turn.0, turn.1]) {
                let to = endpoints.switch(destination);
                let paths = shortest_paths(permitted, tree, from, to);
                changed.push(paths[0].iter().map(|&edge| space.edge(edge).port));
            } else {
                changed.push(ports.iter().copied());
            }
        }
        changed
    };
    rows.iter().enumerate().map(row).collect()
}
