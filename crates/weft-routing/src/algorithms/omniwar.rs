//! `OmniWAR`: on a HyperX any link along a dimension still to go, and round it as long as lanes are left.

use super::{Algorithm, Lanes, Needs, RouteFunction};
use crate::error::{Refusal, RoutingError};
use crate::form::{
    AdaptiveRoutes, GroupNumbers, GroupTables, Lane, LaneGroups, LaneKey, LaneTables,
};
use crate::orient::routed_part;
use crate::parameters::{LIDS, Parameters};
use crate::shape::JoinedLines;
use weft_fabric::{Fabric, PortNumber, SwitchId, narrow};
use weft_registry::{Kind, Spec};

/// Adaptive routing of a HyperX by distance classes.
///
/// The lane of a packet is the number of links it has taken, so that all it wants has a higher lane than all it holds. At
/// each switch it may take a link along any dimension in which it is not yet where its destination is: to its
/// destination's place, or, as long as the lanes left are more than the links it then still needs, to any other. Those that
/// lead nearer come first; others are taken where none of these has room.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "omniwar",
    title: "OmniWAR",
    summary: "Lets a packet take, at every switch of a HyperX, any link along a dimension in which it is not yet where its \
              host is, on the lane after the one it came on: to the host's place if there is room, else to any other \
              as long as lanes are left.",
    needs: Needs::lanes(Lanes::PerFabric).tables(),
    further: "Packets take as many lanes as the HyperX has dimensions, and one for each detour.",
    refuses: &[Refusal::JoinedLines],
    source: "McDonald, Isaev, Flores, Davis, Kim, “Practical and efficient incremental adaptive routing for HyperX \
             networks”, SC 2019; that detours are taken where nothing that leads nearer has room is our own: the \
             paper weighs queues by the links left",
    parameters: &[DETOURS, LIDS],
    route: RouteFunction::Adaptive(route),
    is_blind_to_service: true,
    ..Algorithm::DEFAULT
};

const DETOURS: Spec = Spec::of("detours", Kind::count(0, 13), "2")
    .says("How many links a packet may take that lead no nearer.");

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<AdaptiveRoutes, RoutingError> {
    let state = parameters.lid_state();
    let detours: u8 = parameters.parsed(DETOURS.name);
    let part = routed_part(fabric)?;
    let lines = JoinedLines::of(fabric, &part)?;
    let needed = (lines.dimensions() + usize::from(detours)).max(1);
    if needed > LaneGroups::MOST_LANES {
        return Err(RoutingError::TooFewLanes {
            algorithm: ALGORITHM.name,
            fabric: fabric.name().to_owned(),
            lanes: LaneGroups::MOST_LANES,
            needed,
        });
    }
    let lanes: u8 = narrow(needed, "there are 15 at most");
    let mut tables = GroupTables::new(fabric, &vec![1; fabric.host_count()]);
    for &at in &part {
        let mut numbers = GroupNumbers::default();
        for taken in 0..=lanes {
            for host in fabric.host_ids() {
                let to = fabric.host_switch(host);
                let entry = if at == to {
                    GroupNumbers::one(fabric.host_port(host))
                } else {
                    let [nearer, round] = ways(fabric, &lines, (at, to), lanes - taken);
                    let turn = host.index() % nearer.len().max(1);
                    numbers.entry(nearer.get(turn).copied(), vec![nearer, round], state)
                };
                let address = tables.addresses(host).start;
                tables.set_entry(at, taken, address, entry);
            }
        }
        numbers.give(tables.switch_mut(at));
        for hop in fabric.hops(at) {
            for lane in 0..lanes {
                tables.set_table(fabric, at, (hop.port, Lane::new(lane)), lane + 1);
            }
        }
    }
    tables.set_lane_tables(rising(fabric, &part, lanes));
    Ok(AdaptiveRoutes::Groups(tables))
}

/// The ports to the place of a destination along each dimension, in their order, and those to other places, for packets that
/// may take so many links more.
fn ways(
    fabric: &Fabric,
    lines: &JoinedLines,
    (at, to): (SwitchId, SwitchId),
    left: u8,
) -> [Vec<PortNumber>; 2] {
    let apart: Vec<usize> = lines.apart([at, to]).collect();
    let [mut nearer, mut round] = [Vec::new(), Vec::new()];
    if apart.len() > usize::from(left) {
        return [nearer, round];
    }
    for &dimension in &apart {
        for hop in fabric.hops(at) {
            if lines.apart([at, hop.switch]).ne([dimension]) {
                continue;
            }
            if lines
                .apart([hop.switch, to])
                .all(|still| still != dimension)
            {
                nearer.push(hop.port);
            } else if apart.len() < usize::from(left) {
                round.push(hop.port);
            }
        }
    }
    [nearer, round]
}

/// Lanes that rise by one from link to link; packets of all service levels begin on lane 0.
fn rising(fabric: &Fabric, part: &[SwitchId], lanes: u8) -> LaneTables {
    let mut tables = LaneTables::new(fabric, LaneKey::IncomingLane).in_use(lanes, lanes);
    tables.set_host([Some(Lane::ZERO); LaneTables::KEYS]);
    let mut next = [None; LaneTables::KEYS];
    for (lane, next) in (1..lanes).zip(&mut next) {
        *next = Some(Lane::new(lane));
    }
    for &at in part {
        for [from, to] in pairs(fabric, at) {
            tables.set(fabric, at, [from, to], next);
        }
    }
    tables
}

fn pairs(fabric: &Fabric, at: SwitchId) -> impl Iterator<Item = [PortNumber; 2]> + use<'_> {
    let hops = fabric.hops(at);
    hops.iter()
        .flat_map(|from| hops.iter().map(|to| [from.port, to.port]))
}
