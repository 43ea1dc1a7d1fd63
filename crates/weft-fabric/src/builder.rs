//! The only way to make a [`Fabric`]: add parts, then [`FabricBuilder::build`].

use crate::{
    Cable, ChannelId, Endpoint, Fabric, FabricError, Hop, Host, HostId, Layout, Link, LinkId, Node,
    PortNumber, Switch, SwitchId,
};
use std::collections::BTreeSet;

/// Ids stay below this so that channels (two per link) fit 32 bits.
const MAX_PARTS: usize = 1 << 30;

/// Collects switches, hosts and links, refusing each part that would break an invariant of
/// [`Fabric`] as soon as it is added.
#[derive(Clone, Debug, Default)]
pub struct FabricBuilder {
    name: String,
    layout: Layout,
    switches: Vec<Switch>,
    hosts: Vec<Host>,
    links: Vec<Link>,
    names: BTreeSet<String>,
    /// Per switch and port (row of `port_count + 1`): the link that holds the port.
    switch_ports: Vec<Vec<Option<LinkId>>>,
    host_links: Vec<Option<LinkId>>,
}

impl FabricBuilder {
    /// Starts an empty fabric named `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Records how the switches are arranged.
    pub fn set_layout(&mut self, layout: Layout) {
        self.layout = layout;
    }

    fn claim_name(&mut self, name: &str) -> Result<(), FabricError> {
        if name.trim().is_empty() {
            return Err(FabricError::EmptyName);
        }
        if self.names.insert(name.to_owned()) {
            Ok(())
        } else {
            Err(FabricError::DuplicateName {
                name: name.to_owned(),
            })
        }
    }

    /// Adds a switch.
    ///
    /// # Errors
    /// [`FabricError::DuplicateName`], [`FabricError::EmptyName`], [`FabricError::TooLarge`], or
    /// [`FabricError::InvalidParameter`] when it has no port or more than 254.
    pub fn add_switch(&mut self, switch: Switch) -> Result<SwitchId, FabricError> {
        if self.switches.len() >= MAX_PARTS {
            return Err(FabricError::TooLarge {
                what: "switches",
                limit: MAX_PARTS as u64,
            });
        }
        if switch.port_count == 0 || switch.port_count > PortNumber::MAX {
            return Err(FabricError::InvalidParameter {
                parameter: "ports of a switch",
                found: switch.port_count.to_string(),
                expected: format!("1 to {}", PortNumber::MAX),
            });
        }
        self.claim_name(&switch.name)?;
        self.switch_ports
            .push(vec![None; usize::from(switch.port_count) + 1]);
        self.switches.push(switch);
        Ok(SwitchId::from_index(self.switches.len() - 1))
    }

    /// Adds a host.
    ///
    /// # Errors
    /// [`FabricError::DuplicateName`], [`FabricError::EmptyName`] or [`FabricError::TooLarge`].
    pub fn add_host(&mut self, host: Host) -> Result<HostId, FabricError> {
        if self.hosts.len() >= MAX_PARTS {
            return Err(FabricError::TooLarge {
                what: "hosts",
                limit: MAX_PARTS as u64,
            });
        }
        self.claim_name(&host.name)?;
        self.hosts.push(host);
        self.host_links.push(None);
        Ok(HostId::from_index(self.hosts.len() - 1))
    }

    /// Joins a port of `a` and a port of `b` with a cable, of which nothing need be known.
    ///
    /// # Errors
    /// When a port does not exist or is taken, a host has a link already, or both ends are hosts.
    pub fn add_link(
        &mut self,
        a: Endpoint,
        b: Endpoint,
        cable: impl Into<Cable>,
    ) -> Result<LinkId, FabricError> {
        if self.links.len() >= MAX_PARTS {
            return Err(FabricError::TooLarge {
                what: "links",
                limit: MAX_PARTS as u64,
            });
        }
        let link = Link {
            ends: [a, b],
            cable: cable.into(),
        };
        if let [Node::Host(first), Node::Host(second)] = [a.node, b.node] {
            return Err(FabricError::HostToHost {
                first: self.hosts[first.index()].name.clone(),
                second: self.hosts[second.index()].name.clone(),
            });
        }
        self.check_end(a, &link)?;
        self.check_end(b, &link)?;
        if a == b {
            return Err(self.used_twice(a, &link, &link));
        }
        let id = LinkId::from_index(self.links.len());
        for end in [a, b] {
            match end.node {
                Node::Switch(s) => self.switch_ports[s.index()][end.port.index()] = Some(id),
                Node::Host(h) => self.host_links[h.index()] = Some(id),
            }
        }
        self.links.push(link);
        Ok(id)
    }

    /// Joins a host to a port of a switch; the host's own port is number 1.
    ///
    /// # Errors
    /// As [`FabricBuilder::add_link`].
    pub fn attach_host(
        &mut self,
        host: HostId,
        switch: SwitchId,
        port: PortNumber,
    ) -> Result<LinkId, FabricError> {
        let end = Node::Switch(switch).at(port.number());
        self.add_link(Node::Host(host).at(1), end, None)
    }

    pub(crate) fn node_name(&self, node: Node) -> &str {
        match node {
            Node::Switch(id) => &self.switches[id.index()].name,
            Node::Host(id) => &self.hosts[id.index()].name,
        }
    }

    fn describe(&self, link: &Link) -> String {
        let [a, b] = link
            .ends
            .map(|end| format!("{}[{}]", self.node_name(end.node), end.port));
        format!("{a} – {b}")
    }

    fn used_twice(&self, end: Endpoint, first: &Link, second: &Link) -> FabricError {
        FabricError::PortUsedTwice {
            node: self.node_name(end.node).to_owned(),
            port: end.port.number(),
            first: self.describe(first),
            second: self.describe(second),
        }
    }

    fn check_end(&self, end: Endpoint, link: &Link) -> Result<(), FabricError> {
        match end.node {
            Node::Switch(id) => {
                let port_count = self.switches[id.index()].port_count;
                if end.port.number() == 0 || end.port.number() > port_count {
                    return Err(FabricError::PortOutOfRange {
                        node: self.switches[id.index()].name.clone(),
                        port: end.port.number(),
                        port_count,
                    });
                }
                match self.switch_ports[id.index()][end.port.index()] {
                    Some(first) => Err(self.used_twice(end, &self.links[first.index()], link)),
                    None => Ok(()),
                }
            }
            Node::Host(id) if !(1..=PortNumber::MAX).contains(&end.port.number()) => {
                Err(FabricError::PortOutOfRange {
                    node: self.hosts[id.index()].name.clone(),
                    port: end.port.number(),
                    port_count: PortNumber::MAX,
                })
            }
            Node::Host(id) => match self.host_links[id.index()] {
                Some(first) => {
                    let far = |link: &Link| {
                        let far = link.ends.iter().find(|e| e.node != end.node);
                        far.map_or_else(String::new, |e| self.node_name(e.node).to_owned())
                    };
                    Err(FabricError::HostLinkedTwice {
                        host: self.hosts[id.index()].name.clone(),
                        first: far(&self.links[first.index()]),
                        second: far(link),
                    })
                }
                None => Ok(()),
            },
        }
    }

    fn check_layout(&self) -> Result<(), FabricError> {
        let Layout::Grid { extents } = &self.layout else {
            return Ok(());
        };
        let places = extents.iter().try_fold(1_u64, |places, &extent| {
            places.checked_mul(u64::from(extent))
        });
        if places == Some(self.switches.len() as u64) {
            return Ok(());
        }
        Err(FabricError::LayoutMismatch {
            extents: extents.clone(),
            switches: self.switches.len(),
        })
    }

    /// Checks what only the whole can show and hands over the fabric.
    ///
    /// # Errors
    /// [`FabricError::NoSwitch`], [`FabricError::HostWithoutLink`] or
    /// [`FabricError::LayoutMismatch`].
    pub fn build(self) -> Result<Fabric, FabricError> {
        if self.switches.is_empty() {
            return Err(FabricError::NoSwitch);
        }
        self.check_layout()?;
        let mut injection = Vec::with_capacity(self.hosts.len());
        for (host, link) in self.hosts.iter().zip(&self.host_links) {
            let link = link.ok_or_else(|| FabricError::HostWithoutLink {
                host: host.name.clone(),
            })?;
            let from_first = matches!(self.links[link.index()].ends[0].node, Node::Host(_));
            injection.push(ChannelId::new(2 * link.number() + u32::from(!from_first)));
        }
        let mut fabric = Fabric {
            name: self.name,
            layout: self.layout,
            switches: self.switches,
            hosts: self.hosts,
            links: self.links,
            injection,
            outgoing_offsets: vec![0],
            outgoing: Vec::new(),
            hop_offsets: vec![0],
            hops: Vec::new(),
            switch_host_offsets: vec![0],
            switch_hosts: Vec::new(),
        };
        for (index, ports) in self.switch_ports.iter().enumerate() {
            let here = Node::Switch(SwitchId::from_index(index));
            for (port, link) in ports.iter().enumerate() {
                let Some(link) = link else { continue };
                let forward = ChannelId::new(2 * link.number());
                let leaves_here = |c: ChannelId| {
                    let end = fabric.source(c);
                    end.node == here && end.port.index() == port
                };
                let channel = if leaves_here(forward) {
                    forward
                } else {
                    forward.reverse()
                };
                fabric.outgoing.push(channel);
                match fabric.target(channel).node {
                    Node::Host(host) => fabric.switch_hosts.push(host),
                    Node::Switch(switch) if Node::Switch(switch) != here => {
                        fabric.hops.push(Hop {
                            port: fabric.source(channel).port,
                            channel,
                            switch,
                        });
                    }
                    Node::Switch(_) => {}
                }
            }
            let end = |length: usize| LinkId::from_index(length).number();
            fabric.outgoing_offsets.push(end(fabric.outgoing.len()));
            fabric.hop_offsets.push(end(fabric.hops.len()));
            fabric
                .switch_host_offsets
                .push(end(fabric.switch_hosts.len()));
        }
        Ok(fabric)
    }
}
