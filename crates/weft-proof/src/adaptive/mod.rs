//! The verifier where packets choose on their way.
//!
//! A packet that waits needs one way that becomes free for sure. Where there is an escape that is its
//! lane, whatever else it is offered; what is ranked is then what packets may hold, on any lane, and the
//! escape they are offered there. Packets on the escape stay there, so no dependency leads from it over
//! other lanes back to it: the extended dependency graph has the direct ones alone. Without an escape
//! all that packets are offered is ranked, as for fixed routes.

mod address_walk;
mod group_choices;
mod intermediate_switch;
mod port_choices;

use crate::dependency_graph::DependencyGraph;
use crate::error::ProofError;
use crate::verdict::{Proof, RestsOn, RouteLoop, UnreachedPair, Verdict};
use crate::wiring::Wiring;
use weft_fabric::Fabric;
use weft_routing::{AdaptiveRoutes, GroupTables};

/// What all ways of packets together come to.
struct Walked<'a> {
    graph: DependencyGraph<'a>,
    unreached: Vec<UnreachedPair>,
    route_loop: Option<RouteLoop>,
}

/// Verifies routes that leave packets a choice: that whatever they choose leads them to their
/// destination without going round, and that wherever they wait, a way is offered to them that becomes
/// free for sure.
///
/// The certificate ranks every lane of every channel; what packets may hold is ranked lower than the escape
/// they are offered there, without an escape lower than all they are offered. A cycle means that there
/// is no such order; whether packets do deadlock where no escape is, it does not tell.
///
/// # Errors
/// [`ProofError`] when the routes are not of this fabric.
///
/// # Complexity
/// Time O(S·C·P·L) for S switches, C channels, P ports a switch and L lanes, or in proportion to the steps
/// of all routes; and that of the search for a cycle where there is one.
///
/// # Source
/// Duato, "A necessary and sufficient condition for deadlock-free adaptive routing in wormhole networks",
/// IEEE TPDS 6(10), 1995; for cut-through IEEE TPDS 7(8), 1996.
pub fn verify_adaptive(fabric: &Fabric, routes: &AdaptiveRoutes) -> Result<Proof, ProofError> {
    ProofError::unless_choices_of(fabric, routes)?;
    let wiring = Wiring::new(fabric);
    let lane_count = routes.lane_count();
    let hosts = fabric.host_count() as u64;
    let host_pairs = hosts * hosts.saturating_sub(1);
    let (walked, rests_on) = match routes {
        AdaptiveRoutes::Groups(tables) => {
            let firsts: Vec<u8> = tables.levels().iter().map(|alike| alike[0]).collect();
            return verify_levels(fabric, tables, &firsts);
        }
        AdaptiveRoutes::Tables(tables) => {
            let rests_on = if tables.has_escape() {
                RestsOn::OneWay
            } else {
                RestsOn::EveryWay
            };
            (port_choices::walk(fabric, &wiring, tables), rests_on)
        }
        AdaptiveRoutes::TwoPhase(routes) => (
            intermediate_switch::walk(fabric, &wiring, routes),
            RestsOn::EveryWay,
        ),
    };
    let verdict = Verdict::of(
        walked.unreached,
        walked.route_loop,
        &walked.graph,
        lane_count,
        |arcs| match routes {
            AdaptiveRoutes::Tables(tables) => {
                port_choices::witnesses(fabric, &wiring, tables, arcs)
            }
            AdaptiveRoutes::Groups(_) => Vec::new(),
            AdaptiveRoutes::TwoPhase(routes) => {
                intermediate_switch::witnesses(fabric, routes, arcs)
            }
        },
    );
    let switches = fabric.switches_with_hosts().count() as u64;
    Ok(Proof {
        verdict,
        host_pairs,
        routes: switches * switches.saturating_sub(1),
        in_transit_stops: 0,
        dependencies: walked.graph.dependency_count(),
        lane_count,
        is_adaptive: true,
        rests_on,
    })
}

/// Verifies packets of some service levels (of all where every pair has its own), all together, where switches choose
/// among groups of ports: whatever they
/// choose leads each to its destination without going round, and either all that packets may want ascends one order
/// of the channels, or wherever packets wait, one port that any of them may choose.
///
/// # Errors
/// [`ProofError`] when the tables are not of this fabric.
///
/// # Complexity
/// Time O(L·A·(S·P + C)) for L levels, A addresses, S switches of P ports and C channels, on all cores; and as much for
/// each round of channels in which it has to be found from where packets go on.
pub fn verify_levels(
    fabric: &Fabric,
    tables: &GroupTables,
    levels: &[u8],
) -> Result<Proof, ProofError> {
    ProofError::unless_groups_of(fabric, tables)?;
    let wiring = Wiring::new(fabric);
    let judged = group_choices::judge(fabric, &wiring, tables, levels);
    let hosts = fabric.host_count() as u64;
    Ok(Proof {
        verdict: judged.verdict,
        host_pairs: hosts * hosts.saturating_sub(1),
        routes: judged.routes,
        in_transit_stops: 0,
        dependencies: judged.dependencies,
        lane_count: tables.lane_count(),
        is_adaptive: true,
        rests_on: judged.rests_on,
    })
}

/// The service levels whose packets may choose, all at once, while those of all others take static ports, so that packets
/// of every level arrive and none can deadlock: ascending. Where that does not hold of all levels, they are added to
/// none in their order, those together that switches treat alike, as long as it holds. `None` where it does not
/// even if no packets choose.
///
/// # Errors
/// [`ProofError`] when the tables are not of this fabric.
///
/// # Complexity
/// That of [`verify_levels`] with all levels and without its cycle, once where all may choose, else as often as there are
/// kinds of them.
pub fn levels_that_may_choose(
    fabric: &Fabric,
    tables: &GroupTables,
) -> Result<Option<Vec<u8>>, ProofError> {
    ProofError::unless_groups_of(fabric, tables)?;
    let wiring = Wiring::new(fabric);
    let is_sound = |levels: u16| {
        let tables = tables.choosing_for(levels);
        let firsts: Vec<u8> = tables.levels().iter().map(|alike| alike[0]).collect();
        group_choices::is_sound(fabric, &wiring, &tables, &firsts)
    };
    let mask = |levels: &[u8]| levels.iter().fold(0, |mask, level| mask | 1_u16 << level);
    let mut kinds = tables.choosing_for(u16::MAX).levels();
    if tables.has_pair_levels() {
        kinds = kinds
            .concat()
            .into_iter()
            .map(|level| vec![level])
            .collect();
    }
    let all = kinds.concat();
    let mut may_choose = if is_sound(mask(&all)) {
        all
    } else if !is_sound(0) {
        return Ok(None);
    } else {
        let mut may_choose = Vec::new();
        for kind in kinds {
            let with_kind = [may_choose.as_slice(), &kind].concat();
            // That all may not is known.
            if with_kind.len() < all.len() && is_sound(mask(&with_kind)) {
                may_choose = with_kind;
            }
        }
        may_choose
    };
    may_choose.sort_unstable();
    Ok(Some(may_choose))
}
