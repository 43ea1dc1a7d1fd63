//! Routes inside the complete channel dependency graph, on any number of lanes.
//!
//! ```text
//! hosts ─► parts, one a lane ─► centre ─► escape tree ─► LaneTurns ─► TreeGrowth, host by host ─► tables
//! ```
//!
//! Every turn of a lane may be taken until it would close a cycle with those taken before; from then
//! on it is blocked. So a lane never has a cycle, whatever trees are grown. What may be missing is a
//! way: then a tree keeps to the escape tree, all turns of which were taken first.

use super::tree_growth::TreeGrowth;
use super::turns_of_a_lane::LaneTurns;
use super::{destination_parts, most_central_switch};
use crate::error::RoutingError;
use crate::form::{Endpoints, ForwardingTables, Lane, PairGranularity};
use crate::orient::routed_part;
use crate::paths::{NO_EDGE, PathSpace, TurnRule};
use crate::progress::Progress;
use crate::random::stream;
use rand::seq::SliceRandom;
use weft_fabric::{Fabric, HostId, SwitchId};

/// Makes tables, one tree per host, whose packets never deadlock on the lanes allowed; a host's
/// packets come on the lane of its part.
///
/// Trees come in random order: were those of near hosts grown first, the turns they take would be
/// missing far away, and their channels would lead everything that comes later.
/// Time O(h·C) for h hosts and C channels between switches, and the ranking of the turns.
pub(crate) fn nue_tables(
    fabric: &Fabric,
    lanes: u8,
    seed: u64,
    progress: &Progress,
) -> Result<ForwardingTables, RoutingError> {
    routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let endpoints = Endpoints::new(fabric, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    let mut lane_of = vec![Lane::ZERO; endpoints.count()];
    let mut growth = TreeGrowth::new(&space, &hosts);
    progress.begin(endpoints.count());
    for (lane, part) in (0..=u8::MAX).zip(destination_parts::parts(fabric, lanes)) {
        let root = most_central_switch::centre(&space, &part);
        let mut layer = LaneTurns::new(&space, root, &part);
        let of_switches = part.iter().flat_map(|&to| fabric.hosts_of(to));
        let mut part_hosts: Vec<HostId> = of_switches.copied().collect();
        part_hosts.shuffle(&mut stream(seed, "order of trees", lane.into()));
        for host in part_hosts {
            progress.advance();
            let to = fabric.host_switch(host);
            let next = growth.lead_to(&mut layer, to.number());
            for (at, &edge) in (0..).zip(next).filter(|entry| *entry.1 != NO_EDGE) {
                tables.set_next_port(SwitchId::new(at), host.index(), space.edge(edge).port);
            }
            lane_of[host.index()] = Lane::new(lane);
        }
    }
    let lanes = lane_of.repeat(fabric.switch_count());
    let switch_of = |host: HostId| fabric.host_switch(host).number();
    tables.set_lanes_by_switch(fabric.host_ids().map(switch_of).collect(), lanes);
    Ok(tables)
}
