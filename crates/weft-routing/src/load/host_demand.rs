//! What hosts send one another.

use weft_fabric::{Fabric, HostId};

/// How much the hosts of a switch send to a destination.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Demand<'a> {
    /// The same to every destination: one per host of the switch.
    PerHost(&'a [u64]),
    /// Per switch and destination.
    PerPair(&'a [u64]),
}

impl Demand<'_> {
    /// What the hosts of a switch send to one of so many destinations.
    #[inline]
    pub(crate) fn of(self, switch: usize, destination: usize, destinations: usize) -> u64 {
        match self {
            Self::PerHost(hosts) => hosts[switch],
            Self::PerPair(all) => all[switch * destinations + destination],
        }
    }
}

/// What the hosts of every switch send to every host, by what one host sends to another.
///
/// Shapes: the result, per switch and host; what stays at its switch is 0, as it loads no channel.
pub(crate) fn demand_by_weights(
    fabric: &Fabric,
    weight: impl Fn(HostId, HostId) -> u16,
) -> Vec<u64> {
    let count = fabric.host_count();
    let mut demand = vec![0_u64; fabric.switch_count() * count];
    for source in fabric.host_ids() {
        let row = &mut demand[fabric.host_switch(source).index() * count..][..count];
        for (destination, sum) in fabric.host_ids().zip(row) {
            if fabric.host_switch(source) != fabric.host_switch(destination) {
                *sum += u64::from(weight(source, destination));
            }
        }
    }
    demand
}
