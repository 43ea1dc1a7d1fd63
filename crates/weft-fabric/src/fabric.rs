//! The immutable network and the questions every later stage asks of it.

use crate::{Cable, ChannelId, HostId, LidRange, LinkId, PortNumber, ServiceReason, SwitchId};
use serde::{Deserialize, Serialize};

/// One end of a link: a switch or a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A switch.
    Switch(SwitchId),
    /// A host.
    Host(HostId),
}

impl Node {
    /// The port of the node with this number.
    pub const fn at(self, port: u8) -> Endpoint {
        Endpoint {
            node: self,
            port: PortNumber::new(port),
        }
    }

    /// The switch, unless it is a host.
    pub fn switch(self) -> Option<SwitchId> {
        match self {
            Self::Switch(switch) => Some(switch),
            Self::Host(_) => None,
        }
    }
}

/// A port of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint {
    /// The node the port belongs to.
    pub node: Node,
    /// The port's number on that node.
    pub port: PortNumber,
}

/// A forwarding element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Name from the user's file, or `sw<number>`.
    pub name: String,
    /// Ports the switch has, wired or not; port numbers run from 1 to this.
    pub port_count: u8,
    /// Globally unique identifier, where the source of the fabric gives one.
    pub guid: Option<u64>,
    /// Globally unique identifier of the system that the switch is a part of, where the source of the fabric
    /// gives one that says more than `guid`; the switches of a chassis share it.
    pub system_guid: Option<u64>,
    /// Local identifiers, where the source of the fabric gives them.
    pub lids: Option<LidRange>,
}

impl Switch {
    /// A switch of which no identifiers are known.
    pub fn new(name: impl Into<String>, port_count: u8) -> Self {
        Self {
            name: name.into(),
            port_count,
            guid: None,
            system_guid: None,
            lids: None,
        }
    }
}

/// An endpoint that injects and ejects packets through one NIC (HCA) port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Name from the user's file, or `host<number>`.
    pub name: String,
    /// Globally unique identifier of the port, where the source of the fabric gives one.
    pub guid: Option<u64>,
    /// Globally unique identifier of the adapter the port belongs to, where the source of the
    /// fabric gives one; the ports of an adapter share it.
    pub adapter_guid: Option<u64>,
    /// Local identifiers of the port, where the source of the fabric gives them.
    pub lids: Option<LidRange>,
    /// What says that it is a service end, if it is one: reached like all, without a say in traffic
    /// and levels.
    pub service: Option<ServiceReason>,
}

impl Host {
    /// A host of which no identifiers are known.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            guid: None,
            adapter_guid: None,
            lids: None,
            service: None,
        }
    }
}

/// A cable: two channels, one each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Both ends; channel `2·link` runs from the first to the second.
    pub ends: [Endpoint; 2],
    /// What is known of it besides.
    pub cable: Cable,
}

/// A way out of a switch to a neighbouring switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Output port taken.
    pub port: PortNumber,
    /// Channel it leads onto.
    pub channel: ChannelId,
    /// Switch at the channel's far end.
    pub switch: SwitchId,
}

/// How a generator arranged its switches; a hint for drawings, never for routing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Layout {
    /// Nothing is known.
    #[default]
    Unstructured,
    /// A grid with these extents; switch ids run row-major, the first extent fastest.
    Grid {
        /// Switches along x, y, ….
        extents: Vec<u32>,
    },
}

/// All switches, hosts and links of one network as wired.
///
/// Immutable; [`FabricBuilder`](crate::FabricBuilder) is the only way to make one, so every value
/// satisfies: each port is wired at most once, each host has exactly one link and that link leads
/// to a switch, names are unique, there is at least one switch. A fabric may be in several parts;
/// routing refuses those.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fabric {
    pub(crate) name: String,
    pub(crate) layout: Layout,
    pub(crate) switches: Vec<Switch>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) links: Vec<Link>,
    /// Per host: the channel from the host to its switch.
    pub(crate) injection: Vec<ChannelId>,
    /// Channels out of each switch by ascending port, one row per switch.
    pub(crate) outgoing_offsets: Vec<u32>,
    pub(crate) outgoing: Vec<ChannelId>,
    /// Neighbouring switches of each switch by ascending port; cables back to the same switch left out.
    pub(crate) hop_offsets: Vec<u32>,
    pub(crate) hops: Vec<Hop>,
    /// Hosts of each switch by ascending port, one row per switch.
    pub(crate) switch_host_offsets: Vec<u32>,
    pub(crate) switch_hosts: Vec<HostId>,
}

fn row<'a, T>(offsets: &[u32], items: &'a [T], index: usize) -> &'a [T] {
    &items[offsets[index] as usize..offsets[index + 1] as usize]
}

impl Fabric {
    /// The name of the fabric.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the generator arranged the switches.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Counts the switches.
    pub fn switch_count(&self) -> usize {
        self.switches.len()
    }

    /// Counts the hosts.
    pub fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// Counts the links, host links included.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Counts the channels: two per link, host links included.
    pub fn channel_count(&self) -> usize {
        2 * self.links.len()
    }

    /// All switch ids in order.
    pub fn switch_ids(&self) -> impl ExactSizeIterator<Item = SwitchId> + Clone + use<> {
        (0..self.switches.len()).map(SwitchId::from_index)
    }

    /// The ids of the switches that hosts hang on, in order.
    pub fn switches_with_hosts(&self) -> impl DoubleEndedIterator<Item = SwitchId> + Clone + '_ {
        let switches = (0..self.switches.len()).map(SwitchId::from_index);
        switches.filter(|&switch| !self.hosts_of(switch).is_empty())
    }

    /// All host ids in order.
    pub fn host_ids(&self) -> impl ExactSizeIterator<Item = HostId> + Clone + use<> {
        (0..self.hosts.len()).map(HostId::from_index)
    }

    /// All link ids in order.
    pub fn link_ids(&self) -> impl ExactSizeIterator<Item = LinkId> + Clone + use<> {
        (0..self.links.len()).map(LinkId::from_index)
    }

    /// All channel ids in order.
    pub fn channel_ids(&self) -> impl ExactSizeIterator<Item = ChannelId> + Clone + use<> {
        (0..self.channel_count()).map(ChannelId::from_index)
    }

    /// The ids of the channels that join two switches, in order.
    pub fn switch_channels(&self) -> impl Iterator<Item = ChannelId> + Clone + '_ {
        let channels = self.channel_ids();
        channels.filter(|&channel| self.is_switch_channel(channel))
    }

    /// The switch with id `id`.
    pub fn switch(&self, id: SwitchId) -> &Switch {
        &self.switches[id.index()]
    }

    /// The host with id `id`.
    pub fn host(&self, id: HostId) -> &Host {
        &self.hosts[id.index()]
    }

    /// The link with id `id`.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// The same fabric whose switches and hosts have these LIDs.
    ///
    /// Shapes: an entry per switch and per host, in order.
    ///
    /// # Panics
    /// When there are more or fewer.
    #[must_use]
    pub fn with_lids(
        mut self,
        switches: Vec<Option<LidRange>>,
        hosts: Vec<Option<LidRange>>,
    ) -> Self {
        assert_eq!(switches.len(), self.switches.len());
        assert_eq!(hosts.len(), self.hosts.len());
        for (switch, lids) in self.switches.iter_mut().zip(switches) {
            switch.lids = lids;
        }
        for (host, lids) in self.hosts.iter_mut().zip(hosts) {
            host.lids = lids;
        }
        self
    }

    /// The port a channel leaves from.
    pub fn source(&self, channel: ChannelId) -> Endpoint {
        self.link(channel.link()).ends[channel.index() & 1]
    }

    /// The port a channel arrives at.
    pub fn target(&self, channel: ChannelId) -> Endpoint {
        self.link(channel.link()).ends[1 - (channel.index() & 1)]
    }

    /// The channel from a host into its switch.
    pub fn injection_channel(&self, host: HostId) -> ChannelId {
        self.injection[host.index()]
    }

    /// The channel from a host's switch to the host.
    pub fn ejection_channel(&self, host: HostId) -> ChannelId {
        self.injection_channel(host).reverse()
    }

    /// The switch a host hangs on.
    pub fn host_switch(&self, host: HostId) -> SwitchId {
        let switch = self.target(self.injection_channel(host)).node.switch();
        // Invariant: the builder accepts host links to switches only.
        switch.unwrap_or_else(|| unreachable!("a host hangs on a switch"))
    }

    /// The switches that a channel leads from and to, or that the host at its end hangs on.
    pub fn switches_of(&self, channel: ChannelId) -> [SwitchId; 2] {
        [self.source(channel), self.target(channel)].map(|end| match end.node {
            Node::Switch(switch) => switch,
            Node::Host(host) => self.host_switch(host),
        })
    }

    /// The port of the host's switch that the host hangs on.
    pub fn host_port(&self, host: HostId) -> PortNumber {
        self.target(self.injection_channel(host)).port
    }

    /// The hosts of a switch by ascending port.
    pub fn hosts_of(&self, switch: SwitchId) -> &[HostId] {
        row(
            &self.switch_host_offsets,
            &self.switch_hosts,
            switch.index(),
        )
    }

    /// All channels out of a switch, to hosts and switches, by ascending port.
    pub fn outgoing(&self, switch: SwitchId) -> &[ChannelId] {
        row(&self.outgoing_offsets, &self.outgoing, switch.index())
    }

    /// The ways to neighbouring switches by ascending port. Parallel links are separate
    /// hops; cables that lead back to the same switch are left out.
    pub fn hops(&self, switch: SwitchId) -> &[Hop] {
        row(&self.hop_offsets, &self.hops, switch.index())
    }

    /// The channel out of `switch` at `port`, if that port is wired.
    pub fn outgoing_at(&self, switch: SwitchId, port: PortNumber) -> Option<ChannelId> {
        let row = self.outgoing(switch);
        let is_there = |&&channel: &&ChannelId| self.source(channel).port == port;
        // Where all ports below are wired, as mostly, the port's number tells its place.
        let place = port.index().checked_sub(1)?;
        if let Some(&channel) = row.get(place).filter(is_there) {
            return Some(channel);
        }
        row.binary_search_by_key(&port, |&c| self.source(c).port)
            .ok()
            .map(|i| row[i])
    }

    /// Tells whether a channel joins two switches (rather than a switch and a host).
    pub fn is_switch_channel(&self, channel: ChannelId) -> bool {
        self.link(channel.link())
            .ends
            .iter()
            .all(|end| matches!(end.node, Node::Switch(_)))
    }

    /// The name of a switch or host.
    pub fn node_name(&self, node: Node) -> &str {
        match node {
            Node::Switch(id) => &self.switch(id).name,
            Node::Host(id) => &self.host(id).name,
        }
    }

    /// Describes a link for people: `sw0[3] – sw1[4]`.
    pub fn describe_link(&self, link: LinkId) -> String {
        let [a, b] = self
            .link(link)
            .ends
            .map(|end| format!("{}[{}]", self.node_name(end.node), end.port));
        format!("{a} – {b}")
    }

    /// Describes a channel for people: `sw0[3] → sw1[4]`.
    pub fn describe_channel(&self, channel: ChannelId) -> String {
        let (from, to) = (self.source(channel), self.target(channel));
        format!(
            "{}[{}] → {}[{}]",
            self.node_name(from.node),
            from.port,
            self.node_name(to.node),
            to.port
        )
    }
}
