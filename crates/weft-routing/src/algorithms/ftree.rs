//! ftree: fat trees, whole or damaged, up and then down over the channels that carry least.

use super::{Algorithm, DefaultSet, Lanes, Needs, Offer, Refusal, RouteFunction};
use crate::error::RoutingError;
use crate::form::{ForwardingTables, PairGranularity, Routes};
use crate::orient::routed_part;
use crate::parameters::Parameters;
use crate::paths::{PathSpace, TurnRule};
use crate::shape::{FatTree, Flows, no_tree};
use weft_fabric::{Fabric, SwitchId};

/// Fat-tree routing as a subnet manager does it.
///
/// Hosts come leaf by leaf and by port, leaves in an order that follows from GUIDs and cabling: that of a search from
/// the one that `OpenSM` begins with. For each a main way is laid upward from its leaf: at every switch to the
/// parent whose channel down carries least so far, to the top. All switches below the main way send up
/// to it; those above the host's leaf that are not on it, and what can reach only them, are filled in
/// level by level. A leaf with fewer hosts than others lays ways as if it had as many, so that hosts with
/// consecutive numbers come down different ways on all leaves; on a whole tree the ways are those of
/// `d_mod_k`.
///
/// Hosts of switches above the leaves come last: up to their switch, or to those above it and down. Where no such
/// way joins two of them, as between leaves of storage that hang on different cores, it goes down in between, as
/// `OpenSM`'s reverse hops do for hosts told as `io_guid_file`. All those turn up again at one leaf or
/// above it, and as no other way turns down between two switches above that leaf, none can wait in a
/// circle; where one does, the tree is refused.
///
/// `OpenSM` counts ways over a channel; here what counts is pairs of hosts, which differs on damaged
/// trees alone. Where several parents are as good for a switch off the main way, it takes the one whose
/// channel carries least.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "ftree",
    title: "fat tree",
    summary: "Lays for one host after the other a way up from its leaf over the channels that carry \
              least down, and leads all others up to it; on damaged trees by what is left.",
    needs: Needs::lanes(Lanes::One).tables(),
    further: "Routes are the shortest that go up and then down; between hosts above the leaves, such as \
              storage on different cores, they may go down and up in between.",
    refuses: &[Refusal::Tree],
    offers: &[Offer::new(DefaultSet::Advised, 25, "")],
    source: "OpenSM, doc/current-routing.txt, “Fat-tree Routing Algorithm”; Zahavi, Johnson, Kerbyson, \
             Lang, “Optimized InfiniBand fat-tree routing for shift all-to-all communication \
             patterns”, Concurrency and Computation 22(2), 2010",
    parameters: &[],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

pub(super) fn route(fabric: &Fabric, _: &mut Parameters) -> Result<Routes, RoutingError> {
    Ok(fill(fabric)?.into())
}

/// The tables.
pub(super) fn fill(fabric: &Fabric) -> Result<ForwardingTables, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let tree = FatTree::of(fabric, &space, &part)?;
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    let hosts_of = |leaf: u32| fabric.hosts_of(SwitchId::new(leaf));
    let most = tree.leaves().iter().map(|&leaf| hosts_of(leaf).len()).max();
    let hosts: Vec<u64> = fabric
        .switch_ids()
        .map(|switch| fabric.hosts_of(switch).len() as u64)
        .collect();
    let mut flows = Flows::new(fabric, &space, &tree, &hosts);
    let name = |switch: u32| &fabric.switch(SwitchId::new(switch)).name;
    let most = most.unwrap_or(0);
    let leaves = tree.leaves().iter().map(|&leaf| (leaf, most));
    let higher = tree.higher().iter().map(|&at| (at, hosts_of(at).len()));
    for (goal, ways) in leaves.chain(higher) {
        for place in 0..ways {
            let next = flows.lead_to(goal).map_err(|from| {
                no_tree(
                    fabric,
                    format!(
                        "no way leads from “{}” up and then down to “{}”",
                        name(from),
                        name(goal)
                    ),
                )
            })?;
            // Beyond the last host the way is laid for balance alone.
            let Some(&host) = hosts_of(goal).get(place) else {
                continue;
            };
            for (at, &edge) in (0..).zip(next) {
                if let Some(edge) = edge {
                    tables.set_next_port(SwitchId::new(at), host.index(), space.edge(edge).port);
                }
            }
        }
    }
    if let Some(at) = flows.doubtful() {
        return Err(no_tree(
            fabric,
            format!(
                "ways between hosts above its leaves have to go down and up again, which could \
                 deadlock with what turns at “{}”",
                name(at)
            ),
        ));
    }
    Ok(tables)
}
