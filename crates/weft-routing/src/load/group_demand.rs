//! How traffic that is not the same between all hosts loads the channels where switches choose among groups.

use super::demand_figures::{DemandFigures, Sent};
use super::group_use::GroupUse;
use super::group_walk::{Walk, Walks};
use crate::form::GroupTables;
use weft_fabric::{Fabric, HostId};

/// As [`demand_figures`](super::demand_figures), where packets of a service level may choose. Packets that may be led
/// nowhere load the channels of their hosts alone; where pairs choose alike, links of packets are those of all their ways.
///
/// # Complexity
/// Time in proportion to the pairs of hosts with an amount, and to the channels that they may use.
///
/// # Panics
/// When the tables are for a fabric with other switches or hosts.
pub fn group_demand_figures(
    fabric: &Fabric,
    tables: &GroupTables,
    service_level: u8,
    how: GroupUse,
    amounts: impl Fn(HostId) -> Vec<(HostId, f64)>,
) -> DemandFigures {
    let walks = Walks::new(fabric, tables, service_level);
    let flows = how.flows(fabric, tables, service_level);
    let mut walk = Walk::new(&walks);
    let mut load_per_channel = vec![0.0_f64; fabric.channel_count()];
    let (mut sent, mut links) = (Sent::default(), 0.0);
    let (mut even, mut parts) = (Vec::new(), Vec::new());
    for source in fabric.host_ids() {
        let demand = amounts(source);
        sent.add(&demand);
        for (destination, weight) in demand {
            parts.clear();
            even.clear();
            let pair = [source, destination];
            let arrive = match &flows {
                Some(flows) => flows.push(pair, &mut parts),
                None => walk.parts(pair, &mut even),
            };
            how.push(&even, &mut parts);
            if !arrive {
                parts.push((fabric.injection_channel(source), 1.0));
                parts.push((fabric.ejection_channel(destination), 1.0));
            }
            for &(channel, part) in &parts {
                load_per_channel[channel.index()] += weight * part;
                if fabric.is_switch_channel(channel) {
                    links += weight * part;
                }
            }
        }
    }
    DemandFigures::of(load_per_channel, sent, links, 0.0)
}
