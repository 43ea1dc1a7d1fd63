//! Prefix routing: up a tree, across once, down.

use super::{Algorithm, Lanes, Needs, PermittedTurns, RouteFunction};
use crate::error::RoutingError;
use crate::form::{ForwardingTables, PairGranularity, Routes};
use crate::orient::{Orientation, RootRule, routed_part};
use crate::parameters::{Parameters, SEED};
use rayon::prelude::*;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_registry::{Kind, Spec};

/// Prefix routing.
///
/// The label of a switch is the way to it from the root of a tree, child by child. A switch sends to
/// the neighbour whose label is the longest prefix of the destination's, where any but its parent's
/// is one; else to its parent. So a route goes up the tree, by at most one link across to a switch
/// above the destination, and on down.
///
/// Not published is the tree. With a breadth-first search from switch 0 by ascending ports, the one
/// network whose published figures could be compared (a surrogate of topology A of the study below)
/// has the same figures; on the 4×4 mesh and torus the authors' trees differ.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "prefix",
    title: "prefix routing",
    summary: "Sends to the neighbour whose label, the way to it from the root of a tree, is the \
              longest prefix of the destination's, else to the parent.",
    turns: PermittedTurns::ByRoot,
    needs: Needs::lanes(Lanes::One).tables(),
    further: "A route goes up the tree, across once at most, and down. A switch needs to know its \
              neighbours' labels alone; one route per pair of switches, nothing is balanced.",
    source: "Wu, Sheng, “Deadlock-free routing in irregular networks using prefix routing”, DIMACS \
             TR 99-19, 1999, of which the abstract is known to us; figures: Koibuchi, Watanabe, \
             Otsuka, Amano, “Performance evaluation of deterministic routings, multicasts, and \
             topologies on RHiNET-2 cluster”, table I",
    parameters: &[
        Spec::of("root", RootRule::KIND_OF_ONE, "min_average").says(
            "Root of the tree: the switch nearest to all others on average, the one with \
                      most links, a random one, or a given one.",
        ),
        Spec::of(
            "tree",
            Kind::Choice(&["breadth_first", "depth_first"]),
            "breadth_first",
        )
        .says(
            "How the tree is grown: breadth first by ascending ports, or depth first, next \
                      the switch with most links to those visited.",
        ),
        SEED,
    ],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let depth_first = [("breadth_first", false), ("depth_first", true)];
    let parents = if parameters.choice("tree", &depth_first) {
        depth_first_parents(fabric, &parameters.depth_first_orientation(fabric, &part)?)
    } else {
        breadth_first_parents(fabric, parameters.orientation(fabric, &part)?.root())
    };
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Switch);
    let destinations: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    let columns: Vec<Vec<Option<PortNumber>>> = destinations
        .par_iter()
        .map(|&destination| next_ports(fabric, &parents, destination))
        .collect();
    for (destination, column) in destinations.iter().zip(columns) {
        let address = tables.addresses(destination.index()).start;
        for (switch, port) in fabric.switch_ids().zip(column) {
            if let Some(port) = port {
                tables.set_next_port(switch, address, port);
            }
        }
    }
    Ok(tables.into())
}

/// Per switch of a tree: its parent, and the port to it; `None` for the root and where no way leads.
type Parents = Vec<Option<(SwitchId, PortNumber)>>;

/// The parents by which a search takes switches in the order in which it met them.
fn breadth_first_parents(fabric: &Fabric, root: SwitchId) -> Parents {
    let mut parent = vec![None; fabric.switch_count()];
    let mut queue = vec![root];
    let mut place = 0;
    while let Some(&at) = queue.get(place) {
        place += 1;
        for hop in fabric.hops(at) {
            if hop.switch != root && parent[hop.switch.index()].is_none() {
                parent[hop.switch.index()] = Some(at);
                queue.push(hop.switch);
            }
        }
    }
    with_ports(fabric, &parent)
}

/// The parents by which a depth-first search visits the switches: of the neighbours
/// visited before, which all lie on the way from the root, the last.
fn depth_first_parents(fabric: &Fabric, visits: &Orientation) -> Parents {
    let parent = |switch: SwitchId| {
        let neighbours = fabric.hops(switch).iter().map(|hop| hop.switch);
        let before = neighbours.filter(|&other| visits.level(other) < visits.level(switch));
        before.max_by_key(|&other| visits.level(other))
    };
    let parents: Vec<_> = fabric.switch_ids().map(parent).collect();
    with_ports(fabric, &parents)
}

/// Adds the lowest port that leads to each parent.
fn with_ports(fabric: &Fabric, parents: &[Option<SwitchId>]) -> Parents {
    let port = |(switch, parent): (SwitchId, &Option<SwitchId>)| {
        let hops = fabric.hops(switch);
        let hop = hops.iter().find(|hop| Some(hop.switch) == *parent)?;
        Some((hop.switch, hop.port))
    };
    fabric.switch_ids().zip(parents).map(port).collect()
}

/// The ports of all switches toward one.
fn next_ports(
    fabric: &Fabric,
    parents: &[Option<(SwitchId, PortNumber)>],
    destination: SwitchId,
) -> Vec<Option<PortNumber>> {
    let parent = |switch: SwitchId| parents[switch.index()];
    // The way up from the destination: per switch on it, its distance from there.
    let mut up = vec![None; fabric.switch_count()];
    let mut at = Some(destination);
    let mut distance = 0_u32;
    while let Some(here) = at {
        up[here.index()] = Some(distance);
        distance += 1;
        at = parent(here).map(|(above, _)| above);
    }
    let next = |switch: SwitchId| {
        if switch == destination {
            return None;
        }
        let above = parent(switch);
        let others = fabric.hops(switch).iter();
        let prefixes = others
            .filter(|hop| Some(hop.switch) != above.map(|(above, _)| above))
            .filter_map(|hop| up[hop.switch.index()].map(|distance| (distance, hop.port)));
        prefixes
            .min()
            .map(|(_, port)| port)
            .or(above.map(|(_, port)| port))
    };
    fabric.switch_ids().map(next).collect()
}
