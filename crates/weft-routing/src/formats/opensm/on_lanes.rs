//! Tables, service levels and lane maps together: routes on lanes.

use super::{LaneMaps, ServiceLevels};
use crate::lane::Lane;
use crate::routes::{PairGranularity, Routes};
use crate::source_routes::{RouteRow, RoutesTooLarge, SourceRoutes};
use crate::tables::ForwardingTables;
use weft_fabric::{Fabric, HostId};

/// This puts routes between hosts on the lanes that their service levels are given.
///
/// Pairs without a service level have level 0. Where every level travels on the lane of its number,
/// the tables are kept and know the lane of each pair; where switches map it to other lanes, routes
/// are listed one by one with the lane of each step. Of a port with several LIDs they lead to the
/// first one then. A route ends where a switch drops its packets.
///
/// # Errors
/// [`RoutesTooLarge`] when listed they are.
///
/// # Panics
/// When the tables are not between the hosts of the fabric, as those of `OpenSM` are.
pub fn on_lanes(
    fabric: &Fabric,
    mut tables: ForwardingTables,
    levels: Option<&ServiceLevels>,
    maps: Option<&LaneMaps>,
) -> Result<Routes, RoutesTooLarge> {
    assert_eq!(tables.granularity(), PairGranularity::Host);
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    let level = |source, destination| {
        let level = levels.and_then(|levels| levels.level(source, destination));
        level.unwrap_or(0)
    };
    let plain = LaneMaps::default();
    let maps = maps.unwrap_or(&plain);
    let mut is_plain = true;
    let routes = Routes::from(tables.clone());
    let mut rows = Vec::new();
    for &source in &hosts {
        let mut row = RouteRow::default();
        for &destination in &hosts {
            let level = level(source, destination);
            let mut port_in = fabric.host_port(source);
            let mut steps = Vec::new();
            if source != destination && *maps != plain {
                for step in routes.walk_hosts(fabric, source, destination) {
                    let lane = maps.lane(step.switch, port_in, step.port, level);
                    is_plain &= lane == Some(Lane::new(level));
                    let (Some(lane), Ok(_)) = (lane, step.hop) else {
                        break;
                    };
                    if let Some(channel) = fabric.outgoing_at(step.switch, step.port) {
                        port_in = fabric.target(channel).port;
                    }
                    steps.push((step.port, lane));
                }
            }
            row.push_on_lanes(steps);
        }
        rows.push(row);
    }
    if !is_plain {
        return SourceRoutes::from_rows(PairGranularity::Host, &rows).map(Routes::from);
    }
    let pairs = hosts
        .iter()
        .flat_map(|&source| hosts.iter().map(move |&destination| (source, destination)));
    tables.set_lanes(pairs.map(|(s, d)| Lane::new(level(s, d))).collect());
    Ok(tables.into())
}
