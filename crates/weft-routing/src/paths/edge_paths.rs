//! Paths as the edges they take.

use crate::form::endpoints::Endpoints;
use crate::form::source_routes::RouteRow;
use crate::paths::path_space::PathSpace;

/// The paths of a row as edges, one for each destination.
pub(crate) fn edge_paths(
    space: &PathSpace,
    endpoints: &Endpoints,
    source: usize,
    row: &RouteRow,
) -> Vec<Vec<u32>> {
    let mut steps = row.steps.as_slice();
    let path = |&length: &u16| {
        let (path, rest) = steps.split_at(usize::from(length));
        steps = rest;
        let mut here = endpoints.switch(source);
        let edge = |&port| {
            let edge = space.edge_at(here, port);
            here = space.edge(edge).to;
            edge
        };
        path.iter().map(edge).collect()
    };
    row.lengths.iter().map(path).collect()
}
