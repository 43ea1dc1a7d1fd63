//! Routes that leave packets a choice.

use super::grouped::check_groups;
use crate::form::port_targets::PortTargets;
use crate::form::{AdaptiveRoutes, AdaptiveTables, ForwardingError, PairNames, TwoPhaseRoutes};
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId};

/// Makes sure that packets arrive whatever they choose.
pub(crate) fn check_adaptive_routes(
    fabric: &Fabric,
    routes: &AdaptiveRoutes,
) -> Result<(), ForwardingError> {
    let (found, expected) = (routes.switch_count(), fabric.switch_count());
    ForwardingError::unless_made_for("switches", found, expected)?;
    match routes {
        AdaptiveRoutes::Tables(tables) => check_tables(fabric, tables),
        AdaptiveRoutes::Groups(tables) => check_groups(fabric, tables),
        AdaptiveRoutes::TwoPhase(routes) => check_two_phases(fabric, routes),
    }
}

/// Makes sure that packets reach every switch with hosts from every other, whatever they take.
fn check_tables(fabric: &Fabric, tables: &AdaptiveTables) -> Result<(), ForwardingError> {
    let with_hosts: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    let cut_off = with_hosts.par_iter().find_map_first(|&to| {
        let arrives = arriving(fabric, tables, to);
        let mut sources = with_hosts.iter();
        sources
            .find(|from| !arrives[2 * from.index()])
            .map(|&from| broken(fabric, from, to))
    });
    cut_off.map_or(Ok(()), Err)
}

/// Tells, per switch and whether on the escape, if packets to `to` arrive whatever they take.
///
/// Backwards from the destination: a switch is known to lead there once all it offers does.
fn arriving(fabric: &Fabric, tables: &AdaptiveTables, to: SwitchId) -> Vec<bool> {
    let place =
        |switch: SwitchId, is_on_escape: bool| 2 * switch.index() + usize::from(is_on_escape);
    let mut left = vec![0_usize; 2 * fabric.switch_count()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); left.len()];
    for switch in fabric.switch_ids().filter(|&switch| switch != to) {
        let next = |port| {
            fabric
                .target(fabric.outgoing_at(switch, port)?)
                .node
                .switch()
        };
        let escape = tables.escape_port(switch, to).map(|port| (port, true));
        let any = tables.ports(switch, to).iter().map(|&port| (port, false));
        for is_on_escape in [false, true] {
            let here = place(switch, is_on_escape);
            let choice = any.clone().filter(|_| !is_on_escape).chain(escape);
            for (port, leads_to_escape) in choice {
                left[here] += 1;
                if let Some(next) = next(port) {
                    before[place(next, leads_to_escape)].push(here);
                }
            }
            if left[here] == 0 {
                left[here] = usize::MAX;
            }
        }
    }
    let mut arrives = vec![false; left.len()];
    let mut known = vec![place(to, false), place(to, true)];
    while let Some(there) = known.pop() {
        arrives[there] = true;
        for &here in &before[there] {
            left[here] -= 1;
            if left[here] == 0 {
                known.push(here);
            }
        }
    }
    arrives
}

/// Makes sure that every route of a phase leads to its end.
fn check_two_phases(fabric: &Fabric, routes: &TwoPhaseRoutes) -> Result<(), ForwardingError> {
    let ends = routes.intermediates();
    routes.routes().find_all();
    let targets = PortTargets::new(fabric);
    let astray = ends.par_iter().find_map_first(|&from| {
        let mut destinations = ends.iter();
        destinations
            .find(|&&to| {
                let [from, to] = [from, to].map(SwitchId::index);
                let steps = routes.routes().steps_between(from, to);
                targets.stops([from, to], steps) != Some(0)
            })
            .map(|&to| broken(fabric, from, to))
    });
    astray.map_or(Ok(()), Err)
}

fn broken(fabric: &Fabric, from: SwitchId, to: SwitchId) -> ForwardingError {
    let name = |switch: SwitchId| {
        let host = fabric.hosts_of(switch).first();
        host.map_or_else(String::new, |&host| fabric.host(host).name.clone())
    };
    ForwardingError::BrokenRoute(PairNames {
        source: name(from),
        destination: name(to),
    })
}
