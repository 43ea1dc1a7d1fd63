//! Service ends joined to listed routes.

use super::ways::{LanedWays, Ways};
use super::{Apart, Ends};
use crate::form::{Lane, PackedRow, RouteRow, SourceRoutes};
use weft_fabric::{PortNumber, SwitchId};

/// Lists the routes of all ends: those of the compute part, and ways between all others, to the switches
/// given in that order.
pub(super) fn join(
    ends: &Ends<'_>,
    listed: &SourceRoutes,
    mut ways: Ways<'_>,
    order: &[u32],
) -> Result<SourceRoutes, Apart> {
    let alone = ends.serves_alone();
    let mut trees: Vec<Option<LanedWays>> = (0..alone.len()).map(|_| None).collect();
    for &to in order {
        let tree = ways.lead_to(to);
        let needs = |from: u32| alone[from as usize] || alone[to as usize];
        let mut others = ends.fabric.switches_with_hosts().map(SwitchId::number);
        if let Some(from) = others.find(|&from| needs(from) && !tree.ways.is_joined(from)) {
            return Err(Apart { from, to });
        }
        trees[to as usize] = Some(tree);
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
                    let steps = tree.as_ref().and_then(|tree| tree.steps(ways.space, from));
                    row.push_on_lanes(steps.ok_or(Apart { from, to })?);
                }
            }
        }
        rows.push(PackedRow::from(&row));
    }
    Ok(SourceRoutes::from_packed(ends.granularity, rows))
}
