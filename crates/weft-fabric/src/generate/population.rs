//! Switches with their hosts, before any link between switches: where every generator starts.

use super::size::check_size;
use crate::{
    Endpoint, FabricBuilder, FabricError, Host, Layout, Node, PortNumber, Switch, SwitchId, narrow,
};

/// What the switches of a generated fabric have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Population {
    /// Switches in the fabric.
    pub(super) switches: u32,
    /// Hosts on each, on ports 1 to this.
    pub(super) hosts_per_switch: u32,
    /// Ports of each that join switches; they follow the ports of the hosts.
    pub(super) switch_ports: u32,
}

impl Population {
    /// Refuses populations no switch could have or no memory could hold.
    pub(super) fn check(self) -> Result<(), FabricError> {
        let most_hosts = u32::from(PortNumber::MAX).saturating_sub(self.switch_ports);
        if self.hosts_per_switch == 0 || self.hosts_per_switch > most_hosts {
            return Err(FabricError::InvalidParameter {
                parameter: "hosts_per_switch",
                found: self.hosts_per_switch.to_string(),
                expected: format!(
                    "1 to {most_hosts} (a switch has at most {} ports, {} of them join switches)",
                    PortNumber::MAX,
                    self.switch_ports
                ),
            });
        }
        let switches = u64::from(self.switches);
        check_size(switches, switches * u64::from(self.hosts_per_switch), 0)
    }

    /// Starts a fabric with all switches and hosts, and the hosts' links.
    pub(super) fn start(self, name: String, layout: Layout) -> Result<FabricBuilder, FabricError> {
        self.check()?;
        let port_count = port(self.hosts_per_switch + self.switch_ports).number();
        let hosts = vec![self.hosts_per_switch; self.switches as usize];
        populated(name, layout, port_count, &hosts)
    }

    /// The `nth` port (from 0) of `switch` that joins switches.
    pub(super) fn switch_port(self, switch: u32, nth: u32) -> Endpoint {
        let port = port(self.hosts_per_switch + nth + 1).number();
        Node::Switch(SwitchId::new(switch)).at(port)
    }
}

/// The port with a number that was checked to be one.
pub(super) fn port(number: u32) -> PortNumber {
    PortNumber::new(narrow(
        number,
        "no switch needs more ports than were allowed",
    ))
}

/// A fabric with all switches and so many hosts on each, on its first ports.
pub(super) fn populated(
    name: String,
    layout: Layout,
    port_count: u8,
    hosts: &[u32],
) -> Result<FabricBuilder, FabricError> {
    let mut builder = FabricBuilder::new(name);
    builder.set_layout(layout);
    for switch in 0..hosts.len() {
        builder.add_switch(Switch::new(format!("sw{switch}"), port_count))?;
    }
    let mut number = 0_u64;
    for (switch, &hosts) in hosts.iter().enumerate() {
        for nth in 1..=hosts {
            let host = builder.add_host(Host::new(format!("host{number}")))?;
            number += 1;
            builder.attach_host(host, SwitchId::from_index(switch), port(nth))?;
        }
    }
    Ok(builder)
}
