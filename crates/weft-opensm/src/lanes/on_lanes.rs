//! Tables, service levels and lane maps together: routes on lanes.

use super::service_level_dump::ServiceLevels;
use super::sl2vl_dump::LaneMaps;
use weft_fabric::{Fabric, HostId, narrow};
use weft_routing::{ForwardingTables, Lane, PairGranularity};

/// Puts routes between hosts on the lanes that their service levels are given.
///
/// Pairs without a service level have level 0, and hosts take the lanes that switches have in turn by the
/// level, as no file tells those of hosts. Where the levels choose LIDs, sources send to these;
/// else to any that a host has. Maps are left out where they give every level in use
/// the lane of its number.
///
/// # Panics
/// When the tables are not between the hosts of the fabric, as those of `OpenSM` are.
pub fn on_lanes(
    fabric: &Fabric,
    mut tables: ForwardingTables,
    levels: Option<&ServiceLevels>,
    maps: Option<&LaneMaps>,
) -> ForwardingTables {
    assert_eq!(tables.granularity(), PairGranularity::Host);
    let hosts = || fabric.host_ids();
    let pairs = || hosts().flat_map(|source| hosts().map(move |destination| (source, destination)));
    let level = |(source, destination)| {
        let level = levels.and_then(|levels| levels.level(source, destination));
        Lane::new(level.unwrap_or(0))
    };
    let of_pairs: Vec<Lane> = pairs().map(level).collect();
    let maps = maps.filter(|maps| !of_pairs.iter().all(|level| maps.is_kept[level.index()]));
    if let Some(maps) = maps {
        // What levels that nobody uses would have asks for no lanes.
        let levels = of_pairs.iter().map(|level| level.number() + 1).max();
        let levels = levels.unwrap_or(1);
        let highest = (0..levels).zip(maps.highest);
        let highest = highest.map(|(level, lane)| lane.map_or(level, Lane::number));
        let lanes = highest.max().unwrap_or(0) + 1;
        tables.set_lane_tables(maps.tables.clone().in_use(levels, lanes));
    }
    tables.set_lanes(of_pairs);
    let alias = |(source, destination): (HostId, HostId)| {
        let lid = levels?.chosen_lid(source, destination)?;
        // Of 2^LMC addresses the first is a multiple of so many.
        let addresses = tables.addresses(destination.index()).len().max(1);
        let alias = usize::from(lid) % addresses;
        Some(narrow(alias, "a destination has 255 addresses at most"))
    };
    if let Some(aliases) = pairs().map(alias).collect() {
        tables.set_aliases(aliases);
    }
    tables
}
