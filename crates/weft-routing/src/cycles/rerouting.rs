//! Routes led around turns until their channels form no cycle.

use crate::cycles::Dependencies;
use crate::error::RoutingError;
use crate::form::{Endpoints, RouteRow};
use crate::paths::{Turns, shortest_permitted};
use weft_fabric::{Fabric, SwitchId};

/// Leads routes around turns, one turn after the other, until the channels form no cycle: of a
/// cycle the turn that fewest routes make, unless it is the only way of one of them; then the next.
///
/// Nothing keeps a way open for every pair, so it may come to no end but failure.
///
/// Shapes: `rows` holds routes without stops, a row per source.
/// Source: Flich, López, Malumbres, Duato, "Boosting the performance of Myrinet networks", IEEE TPDS, 2002,
/// §5.3, which says what the option `-remove-deadlocks` of `simple_routes` is for; how is
/// reconstructed.
pub(crate) fn remove_deadlocks(
    fabric: &Fabric,
    mut permitted: Turns<'_>,
    endpoints: &Endpoints,
    rows: &[RouteRow],
    most_turns: u64,
) -> Result<Vec<RouteRow>, RoutingError> {
    let space = permitted.space();
    let mut graph = Dependencies::new(space.edge_count());
    let mut routes: Vec<Vec<Vec<u32>>> = Vec::with_capacity(rows.len());
    for (source, row) in rows.iter().enumerate() {
        let from = endpoints.switch(source);
        let paths = row.routes().map(|ports| space.edges_along(from, ports));
        let paths: Vec<Vec<u32>> = paths.map(Iterator::collect).collect();
        for path in &paths {
            graph.add_route(path);
        }
        routes.push(paths);
    }
    let mut turns = 0;
    while let Some(cycle) = graph.cycle() {
        if turns == most_turns {
            return Err(RoutingError::TurnsSpent { most_turns });
        }
        turns += 1;
        let next = cycle.iter().copied().cycle().skip(1);
        let mut choices: Vec<(u32, u32)> = cycle.iter().copied().zip(next).collect();
        choices.sort_by_key(|&(held, wanted)| (graph.uses(held, wanted), held, wanted));
        let found = choices.into_iter().find_map(|(held, wanted)| {
            permitted.set(held, wanted, false);
            let ways = ways_around(&permitted, endpoints, &routes, [held, wanted]);
            permitted.set(held, wanted, ways.is_none());
            ways
        });
        let Some(ways) = found else {
            let switch = SwitchId::new(space.edge(cycle[0]).to);
            return Err(RoutingError::NoWayAround {
                switch: fabric.switch(switch).name.clone(),
            });
        };
        for (source, destination, path) in ways {
            let route = &mut routes[source][destination];
            graph.remove_route(route);
            graph.add_route(&path);
            *route = path;
        }
    }
    Ok(routes.iter().map(|paths| space.row(paths)).collect())
}

/// Other routes for those that make a turn, each with source and destination; `None` if
/// one has none.
fn ways_around(
    permitted: &Turns<'_>,
    endpoints: &Endpoints,
    routes: &[Vec<Vec<u32>>],
    turn: [u32; 2],
) -> Option<Vec<(usize, usize, Vec<u32>)>> {
    let mut ways = Vec::new();
    for (source, paths) in routes.iter().enumerate() {
        for (destination, path) in paths.iter().enumerate() {
            if path.windows(2).any(|two| *two == turn) {
                let [from, to] = [source, destination].map(|end| endpoints.switch(end));
                let way = shortest_permitted(permitted, from, to, 1)?.swap_remove(0);
                ways.push((source, destination, way));
            }
        }
    }
    Some(ways)
}
