//! Switches with their hosts, before any link between switches: where every generator starts.

use crate::builder::FabricBuilder;
use crate::error::FabricError;
use crate::fabric::{Endpoint, Host, Layout, Node, Switch};
use crate::ids::{HostId, PortNumber, SwitchId};
use crate::narrow::narrow;

/// Generators stop here: a slip of the keyboard should end in a message, not fill the memory.
pub(super) const MAX_SWITCHES: u64 = 1 << 20;
pub(super) const MAX_HOSTS: u64 = 1 << 22;

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
        let (switches, hosts) = (u64::from(self.switches), u64::from(self.hosts_per_switch));
        if switches > MAX_SWITCHES {
            return Err(FabricError::TooLarge {
                what: "switches",
                limit: MAX_SWITCHES,
            });
        }
        if switches * hosts > MAX_HOSTS {
            return Err(FabricError::TooLarge {
                what: "hosts",
                limit: MAX_HOSTS,
            });
        }
        Ok(())
    }

    /// Starts a fabric with all switches and hosts, and the hosts' links.
    pub(super) fn start(self, name: String, layout: Layout) -> Result<FabricBuilder, FabricError> {
        self.check()?;
        let mut builder = FabricBuilder::new(name);
        builder.set_layout(layout);
        let port_count = port(self.hosts_per_switch + self.switch_ports).number();
        for switch in 0..self.switches {
            let name = format!("sw{switch}");
            builder.add_switch(Switch::new(name, port_count))?;
        }
        for switch in 0..self.switches {
            for nth in 0..self.hosts_per_switch {
                let number = switch * self.hosts_per_switch + nth;
                let host: HostId = builder.add_host(Host::new(format!("host{number}")))?;
                builder.attach_host(host, SwitchId::new(switch), port(nth + 1))?;
            }
        }
        Ok(builder)
    }

    /// The `nth` port (from 0) of `switch` that joins switches.
    pub(super) fn switch_port(self, switch: u32, nth: u32) -> Endpoint {
        Endpoint {
            node: Node::Switch(SwitchId::new(switch)),
            port: port(self.hosts_per_switch + nth + 1),
        }
    }
}

fn port(number: u32) -> PortNumber {
    PortNumber::new(narrow(
        number,
        "`Population::check` keeps port numbers below 255",
    ))
}
