//! How many ports switches have, and how many of these are wired.

use crate::fabric::Fabric;
use std::collections::BTreeMap;

/// Switches with equally many ports, and equally many of them wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortUse {
    /// Ports of each switch.
    pub ports: u8,
    /// Ports of each with a cable, to a switch or a host.
    pub wired: usize,
    /// How many switches there are like this.
    pub switches: usize,
}

/// Counts the switches by ports and wired ports, in ascending order of both.
pub fn port_use(fabric: &Fabric) -> Vec<PortUse> {
    let mut counts: BTreeMap<(u8, usize), usize> = BTreeMap::new();
    for switch in fabric.switch_ids() {
        let key = (
            fabric.switch(switch).port_count,
            fabric.outgoing(switch).len(),
        );
        *counts.entry(key).or_default() += 1;
    }
    let entry = |((ports, wired), switches)| PortUse {
        ports,
        wired,
        switches,
    };
    counts.into_iter().map(entry).collect()
}
