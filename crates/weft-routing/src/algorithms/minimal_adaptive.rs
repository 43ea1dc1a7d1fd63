//! Minimal adaptive: any shortest way, as the switches ahead have room, and up*/down* as the escape.

use super::{Algorithm, Lanes, Needs, RouteFunction, down_preferred};
use crate::error::RoutingError;
use crate::form::{AdaptiveRoutes, AdaptiveTables, Routes};
use crate::orient::routed_part;
use crate::parameters::{ORIENTATION, Parameters, ROOT, SEED};
use std::num::NonZeroU8;
use weft_fabric::{Fabric, PortNumber, SwitchId, metrics};
use weft_registry::{Kind, Spec};

/// Minimal adaptive routing with an escape.
///
/// At every switch a packet may take any port that brings it a link nearer to its destination, on any
/// lane but lane 0. Where none of these can be had at once it may take lane 0, and is then led by the
/// tables of `down_preferred`, legal by up*/down*, to its destination: "basic" in the paper, where such
/// a packet stays on the *original* channels. There it meets no packet that could hold it up for ever,
/// since the tables' channels form no cycle; so whatever the others do, every packet that waits has a way
/// that becomes free. That packets stay also bounds their ways: the links left of a shortest one, then
/// one of the tables'.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "minimal_adaptive",
    title: "minimal adaptive with an up*/down* escape",
    summary: "Lets a packet take, at every switch, any port that brings it nearer to its destination, \
              on the lane with most room; where none is free at once, the port of up*/down* tables on \
              lane 0, by which it then goes to its end.",
    needs: Needs::lanes(Lanes::AsAsked).tables(),
    further: "A way over lane 0 is always open to packets; on the other lanes every link brings \
              them nearer.",
    source: "Duato, “A new theory of deadlock-free adaptive routing in wormhole networks”, IEEE TPDS \
             4(12), 1993; Silla, Duato, “Improving the efficiency of adaptive routing in networks with \
             irregular topology”, HiPC 1997; which of several free lanes is taken is our own",
    parameters: &[LANES, ORIENTATION, ROOT, SEED],
    route: RouteFunction::Adaptive(route),
    ..Algorithm::DEFAULT
};

const LANES: Spec = Spec::of("lanes", Kind::count(2, 16), "2")
    .says("Virtual lanes: lane 0 for the escape, the others for any shortest way.");

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<AdaptiveRoutes, RoutingError> {
    routed_part(fabric)?;
    let lanes: u8 = parameters.parsed("lanes");
    let adaptive_lanes = NonZeroU8::new(lanes.saturating_sub(1)).unwrap_or(NonZeroU8::MIN);

    let escape = Algorithm {
        name: ALGORITHM.name,
        ..down_preferred::ALGORITHM
    };
    let own = |spec: Spec| (spec.name, parameters.text(spec.name).to_owned());
    let per = ("per", "switch".to_owned());
    let mut of_escape = escape.with([own(ORIENTATION), own(ROOT), own(SEED), per])?;
    let Routes::Tables(escape) = down_preferred::route(fabric, &mut of_escape)? else {
        unreachable!("its routes are tables")
    };
    parameters.settle(ROOT.name, &of_escape.text(ROOT.name));

    let mut distances = vec![None; fabric.switch_count()];
    for switch in fabric.switches_with_hosts() {
        distances[switch.index()] = Some(metrics::distances_from(fabric, switch));
    }
    let ports = |switch: SwitchId, destination: SwitchId| {
        let to_end = distances[destination.index()].as_ref();
        let nearer = |from: SwitchId, next: SwitchId| {
            to_end.is_some_and(|links| {
                let [here, there] = [from, next].map(|switch| links[switch.index()]);
                here != u32::MAX && there + 1 == here
            })
        };
        let hops = fabric.hops(switch).iter();
        let mut ports: Vec<PortNumber> = hops
            .filter(|hop| nearer(switch, hop.switch))
            .map(|hop| hop.port)
            .collect();
        ports.sort_unstable();
        ports
    };
    let tables = AdaptiveTables::new(fabric.switch_count(), adaptive_lanes, ports);
    Ok(AdaptiveRoutes::Tables(tables.with_escape(escape)))
}
