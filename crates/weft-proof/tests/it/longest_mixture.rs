//! How many switches packets meet on the way to repaired tables, by walking all ways.

use super::mixtures::entry;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Repair, RoundEntry};

/// The most switches that a packet meets to which some entry is another, by old entries and new ones in any order that
/// the repair leaves; where packets to a destination could come round it is left out.
pub(super) fn longest_mixture(
    [before, after]: [&Fabric; 2],
    old: &ForwardingTables,
    made: &Repair,
) -> usize {
    let mut most = 0;
    for host in after.host_ids() {
        let name = after.host(host).name.as_str();
        let entries: Vec<[Option<u8>; 2]> = after
            .switch_ids()
            .map(|at| [old, &made.tables].map(|tables| entry(tables, at, host.index())))
            .collect();
        if made.cleared.iter().any(|cleared| cleared == name) {
            continue;
        }
        let round = |at: SwitchId| {
            let is_it =
                |of: &RoundEntry| of.destination == name && of.switch == after.switch(at).name;
            let mut rounds = made.rounds.iter();
            rounds
                .position(|round| round.iter().any(is_it))
                .unwrap_or(0)
        };
        let rounds: Vec<usize> = after.switch_ids().map(round).collect();
        for start in after.host_ids().map(|host| after.host_switch(host)) {
            // Ways by switch, round, and whether an entry of them is another.
            let mut open = vec![(vec![start], 0, false)];
            while let Some((way, since, differs)) = open.pop() {
                let at = way[way.len() - 1];
                if at == after.host_switch(host) {
                    most = most.max(if differs { way.len() } else { 0 });
                    continue;
                }
                let [was, is] = entries[at.index()];
                let own = rounds[at.index()];
                // Old until its round is over, and new from then on.
                let mut ports = vec![(was, since)];
                if was != is {
                    ports = Vec::new();
                    if since <= own {
                        ports.push((was, since));
                    }
                    ports.push((is, since.max(own)));
                }
                for (port, now) in ports {
                    let channel =
                        port.and_then(|port| after.outgoing_at(at, PortNumber::new(port)));
                    let Some(next) =
                        channel.and_then(|channel| after.target(channel).node.switch())
                    else {
                        continue;
                    };
                    let mut further = way.clone();
                    further.push(next);
                    assert!(further.len() <= 2 * before.switch_count());
                    open.push((further, now, differs || was != is));
                }
            }
        }
    }
    most
}
