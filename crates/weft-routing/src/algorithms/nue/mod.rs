//! Nue: trees grown inside the channel dependency graph, for any number of lanes.

mod destination_parts;
mod most_central_switch;
mod tables_by_lane;
mod tree_growth;
mod turns_of_a_lane;

use crate::algorithms::{Algorithm, Lanes, Needs, RouteFunction};
use crate::error::RoutingError;
use crate::form::Routes;
use crate::parameters::{Parameters, SEED};
use tables_by_lane::nue_tables;
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// Routing on the dependency graph.
///
/// Destinations are parted into one set of near ones for every lane, and each lane has a graph of all
/// channels and all turns. First the turns of an escape tree are taken, a spanning tree from the switch
/// on most shortest paths between the set's. Then the tree of one host after the other, in random order,
/// grows outward from it, every switch by the shortest way whose turn closes no cycle with the turns
/// taken on the lane, of equally long ones over the channels that carry least; a turn that would close
/// one is never tried again.
///
/// A switch that no way is left for is led by a neighbour that can be led otherwise itself without
/// those that follow it losing theirs; then neighbours for which it is a shorter way follow it. Where
/// that fails, the whole tree keeps to the escape tree.
///
/// The paper parts destinations with METIS and adds turns in the order of Dijkstra's algorithm; here
/// sets grow around their first switch, and switches equally far come in the order in which they are
/// met.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "nue",
    title: "Nue",
    summary: "Parts the destinations among the lanes and grows the tree of one after the other over \
              turns that close no cycle with those taken before on its lane.",
    needs: Needs::lanes(Lanes::AsAsked).tables(),
    further: "Any number of lanes will do; some routes are longer than the shortest.",
    source: "Domke, Hoefler, Matsuoka, “Routing on the dependency graph: a new approach to \
             deadlock-free high-performance routing”, HPDC 2016, §4",
    parameters: &[LANES, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

const LANES: Spec = Spec::of("lanes", Kind::count(1, 15), "1")
    .says("Virtual lanes that packets use; more make routes shorter and loads more even.");

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let lanes = parameters.parsed("lanes");
    Ok(nue_tables(fabric, lanes, parameters.seed(), &parameters.progress)?.into())
}
