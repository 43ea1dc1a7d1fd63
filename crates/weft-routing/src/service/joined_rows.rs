//! Service ends joined to listed routes.

use super::Ends;
use super::ways::{LanedWays, Ways};
use crate::error::RoutingError;
use crate::form::{Lane, PackedRow, PairGranularity, RouteRow, Routes, SourceRoutes};
use crate::paths::{PathSpace, TurnRule};
use weft_fabric::{PortNumber, SwitchId};

/// Lists the routes of all ends: those of the compute part, and ways between all others.
pub(super) fn join(
    ends: &Ends<'_>,
    routes: &Routes,
    listed: &SourceRoutes,
) -> Result<SourceRoutes, RoutingError> {
    let alone = ends.serves_alone();
    let are_beside = !alone.contains(&true);
    if are_beside && ends.granularity == PairGranularity::Switch {
        return Ok(listed.clone());
    }
    // Ways to switches with service ends alone come first: those between two of them are the hardest.
    let mut trees: Vec<Option<LanedWays>> = (0..alone.len()).map(|_| None).collect();
    let space = PathSpace::new(ends.fabric, None, TurnRule::Free);
    if !are_beside {
        let mut ways = Ways::beside(ends, &space, routes);
        let (hard, others): (Vec<u32>, Vec<u32>) = ends
            .fabric
            .switches_with_hosts()
            .map(SwitchId::number)
            .partition(|&switch| alone[switch as usize]);
        for to in hard.into_iter().chain(others) {
            trees[to as usize] = Some(ways.lead_to(to));
        }
    }
    let mut rows = Vec::with_capacity(ends.count());
    for source in 0..ends.count() {
        let from = ends.switch(source);
        let mut row = RouteRow::default();
        for destination in 0..ends.count() {
            let to = ends.switch(destination);
            if from == to || !ends.is_used(source) || !ends.is_used(destination) {
                row.push_on_lanes(std::iter::empty::<(PortNumber, Lane)>());
                continue;
            }
            match (
                ends.like[source],
                ends.like[destination],
                &trees[to as usize],
            ) {
                (Some(one), Some(other), _) => {
                    row.push_on_lanes(listed.steps_between(one, other).on_lanes());
                }
                (_, _, tree) => {
                    let tree = tree.as_ref();
                    let way = tree.and_then(|tree| Some((tree, tree.ways.path(&space, from)?)));
                    let (tree, path) = way.ok_or_else(|| RoutingError::ServiceApart {
                        source_end: ends.name(source),
                        destination: ends.name(destination),
                    })?;
                    let lane = tree.lane(from);
                    let ports = path.iter().map(|&edge| space.edge(edge).port);
                    row.push_on_lanes(ports.map(|port| (port, lane)));
                }
            }
        }
        rows.push(PackedRow::from(&row));
    }
    let joined = SourceRoutes::from_packed(ends.granularity, rows);
    Ok(joined.in_turns(listed.turns()))
}
