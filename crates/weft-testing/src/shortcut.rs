//! Tables by a shortcut in use: distances over legal routes, then a port with the least.

use std::collections::VecDeque;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Orientation, PairGranularity, Routes};

/// Tables as the routing engine `updn` of `OpenSM` makes them: from each destination a search counts
/// links over legal routes, with one direction per switch at a time; of the ports with the least count
/// a switch takes the one used for fewest destinations so far.
///
/// These tables can lead down and up again.
pub fn least_hop_tables(fabric: &Fabric, orientation: &Orientation) -> Routes {
    let addresses = vec![1; fabric.host_count()];
    let granularity = PairGranularity::Host;
    let mut tables = ForwardingTables::new(granularity, fabric.switch_count(), &addresses);
    let mut uses = vec![[0_u32; 256]; fabric.switch_count()];
    for destination in fabric.switch_ids() {
        let ports = least_hop_ports(fabric, orientation, destination);
        for &host in fabric.hosts_of(destination) {
            for (switch, ports) in fabric.switch_ids().zip(&ports) {
                let uses = &mut uses[switch.index()];
                let port = ports.iter().min_by_key(|port| uses[port.index()]);
                if let Some(&port) = port {
                    uses[port.index()] += 1;
                    tables.set_next_port(switch, host.index(), port);
                }
            }
            tables.set_next_port(destination, host.index(), fabric.host_port(host));
        }
    }
    tables.into()
}

/// Per switch: the ports with the least count.
fn least_hop_ports(
    fabric: &Fabric,
    orientation: &Orientation,
    destination: SwitchId,
) -> Vec<Vec<PortNumber>> {
    // Per switch and port: least links found by that port.
    let mut links = vec![[u32::MAX; 256]; fabric.switch_count()];
    links[destination.index()][0] = 0;
    let mut goes_down = vec![false; fabric.switch_count()];
    let mut is_queued = vec![false; fabric.switch_count()];
    let mut queue = VecDeque::from([destination]);
    while let Some(at) = queue.pop_front() {
        is_queued[at.index()] = false;
        let onward = links[at.index()].iter().min().unwrap() + 1;
        for hop in fabric.hops(at) {
            let up = orientation.is_up(at, hop.switch);
            let back = fabric.target(hop.channel).port;
            let known = &mut links[hop.switch.index()][back.index()];
            if (up && goes_down[at.index()]) || onward >= *known {
                continue;
            }
            *known = onward;
            if !is_queued[hop.switch.index()] {
                // Here is the mistake: the direction is that of the way by this port, while what is
                // passed on is the least count of all ports.
                is_queued[hop.switch.index()] = true;
                goes_down[hop.switch.index()] = !up;
                queue.push_back(hop.switch);
            }
        }
    }
    let least_of = |links: &[u32; 256]| {
        let least = links[1..].iter().min().copied();
        let ports = (1..=PortNumber::MAX).map(PortNumber::new);
        ports
            .filter(|port| {
                least.is_some_and(|least| least < u32::MAX && links[port.index()] == least)
            })
            .collect()
    };
    let mut ports: Vec<Vec<PortNumber>> = links.iter().map(least_of).collect();
    ports[destination.index()].clear();
    ports
}
