//! Groups of ports around any tables: every port that leads no farther and closes no cycle on its lane.

use super::{
    Algorithm, DefaultSet, Lanes, Needs, Offer, RouteFunction, find, parse_spec, route_any,
};
use crate::error::RoutingError;
use crate::form::{AdaptiveRoutes, ForwardingTables, LaneGroups, Routes};
use crate::linear_solver::NoSolver;
use crate::parameters::{LIDS, Parameters};
use weft_fabric::Fabric;
use weft_registry::{Kind, Open, Spec};

/// Adaptive groups around static tables.
///
/// Packets to a destination keep the lane that their pair has in the tables. At each switch where packets on a lane come
/// by, the group is the port of the tables and every other that leads to a switch where they come by too, nearer to the
/// destination by the tables, as long as all that they may hold and want of the lane stays without a cycle. So they
/// always come nearer, and every way they choose ascends one order of the lane's channels.
///
/// Ports are tried destination by destination, those of switches near to it first: what is added first may keep out what
/// comes later.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "adaptive",
    title: "adaptive groups around static tables",
    summary: "Lets a packet take, at every switch, the port of the tables of another routing or any other that leads \
              nearer to its host by these tables and closes no cycle of channels on its lane.",
    needs: Needs::lanes(Lanes::PerFabric).tables(),
    further: "Whatever packets choose ascends one order of the channels of their lane. Service ends are routed as the \
              other routing does.",
    source: "our own",
    parameters: &[LIDS, OF],
    offers: &[Offer::new(
        DefaultSet::Adaptive,
        30,
        "of=best:lanes={lanes}",
    )],
    route: RouteFunction::Adaptive(route),
    is_blind_to_service: true,
    ..Algorithm::DEFAULT
};

/// `of`: the routing whose tables the groups are made around.
pub(super) const OF: Spec = Spec::of(
    "of",
    Kind::Open(Open {
        expected: "a routing that makes tables, such as best:lanes=4",
        words: &[],
        accepts: |text| !text.is_empty(),
    }),
    "best",
)
.says(
    "The routing whose tables the groups are made around, with its own parameters; given last, as all that follows is \
     its own.",
);

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<AdaptiveRoutes, RoutingError> {
    let mut of = parse_spec(parameters.text(OF.name))?;
    // Groups are made around tables that keep a packet on the lane of its level.
    let asks = |spec: &Spec| spec.name == "lanes_by";
    if find(&of.name)?.parameters.iter().any(asks) {
        let by_level = || "level".to_owned();
        of.parameters
            .entry("lanes_by".to_owned())
            .or_insert_with(by_level);
    }
    let routing = route_any(
        fabric,
        &of.name,
        &of.parameters,
        &NoSolver,
        &parameters.progress,
    )?;
    let refused = |why| RoutingError::NoGroupsAround {
        algorithm: of.name.clone(),
        why,
    };
    let fixed = routing.fixed("adaptive")?;
    let tables = match &fixed.routes {
        Routes::Tables(tables) => tables,
        Routes::Source(_) => return Err(refused("packets are led by lists of ports")),
    };
    if let Some(why) = why_no_groups(tables) {
        return Err(refused(why));
    }
    let groups = LaneGroups::around(fabric, tables)
        .ok_or_else(|| refused("the channels of a lane form a cycle"))?;
    Ok(AdaptiveRoutes::Groups(groups.tables(
        fabric,
        tables,
        parameters.lid_state(),
    )))
}

/// Why tables are not of the kind that groups are made around.
fn why_no_groups(tables: &ForwardingTables) -> Option<&'static str> {
    if tables.lane_tables().is_some() {
        Some("packets change lanes")
    } else if tables.turns() > 1 {
        Some("packets of a pair take lanes in turn")
    } else if tables.most_addresses() > 1 {
        Some("hosts have several addresses")
    } else if usize::from(tables.lane_count()) > LaneGroups::MOST_LANES {
        Some("there are more than 15 lanes")
    } else {
        None
    }
}
