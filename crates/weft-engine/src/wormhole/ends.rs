//! Where channels lead from and to.

use crate::ids::Id;
use weft_fabric::{Endpoint, HostId, Node, SwitchId};

/// Where a channel leads from and to, in eight bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    source: Place,
    target: Place,
}

/// Where a channel leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Switch(SwitchId),
    Host(HostId),
    /// A way out of the switch it comes from, for flits that are discarded: like a host, it takes all it
    /// is sent.
    Sink,
}

/// A switch by its number, a host by its number and a bit, or a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(u32);

impl Place {
    const HOST: u32 = 1 << 31;
    const SINK: Self = Self(u32::MAX);

    fn of(node: Node) -> Self {
        let (number, kind) = match node {
            Node::Switch(switch) => (switch.to_number(), 0),
            Node::Host(host) => (host.to_number(), Self::HOST),
        };
        assert!(
            number < Self::HOST,
            "each host and switch has a channel, and those are fewer"
        );
        Self(number | kind)
    }

    #[inline]
    fn is_switch(self) -> bool {
        self.0 < Self::HOST
    }

    #[inline]
    fn host(self) -> Option<HostId> {
        let is_host = !self.is_switch() && self != Self::SINK;
        is_host.then(|| HostId::from_number(self.0 & !Self::HOST))
    }
}

impl Ends {
    pub(super) fn new(source: Endpoint, target: Endpoint) -> Self {
        Self {
            source: Place::of(source.node),
            target: Place::of(target.node),
        }
    }

    /// The ends of the sink of the buffer that a channel leads to, if it leads to one.
    pub(super) fn sink(self) -> Self {
        Self {
            source: if self.leads_to_switch() {
                self.target
            } else {
                self.source
            },
            target: Place::SINK,
        }
    }

    #[inline]
    pub(super) fn target(self) -> Target {
        if self.target.is_switch() {
            Target::Switch(SwitchId::from_number(self.target.0))
        } else {
            self.target.host().map_or(Target::Sink, Target::Host)
        }
    }

    /// Whether it leads from a switch to a switch.
    #[inline]
    pub(super) fn joins_switches(self) -> bool {
        self.source.is_switch() && self.target.is_switch()
    }

    #[inline]
    pub(super) fn leads_to_switch(self) -> bool {
        self.target.is_switch()
    }

    #[inline]
    pub(super) fn comes_from_switch(self) -> bool {
        self.source.is_switch()
    }

    /// The switch it leads from.
    #[inline]
    pub(super) fn source_switch(self) -> Option<SwitchId> {
        let is_switch = self.comes_from_switch();
        is_switch.then(|| SwitchId::from_number(self.source.0))
    }

    /// The switch it leads to.
    #[inline]
    pub(super) fn target_switch(self) -> Option<SwitchId> {
        let is_switch = self.leads_to_switch();
        is_switch.then(|| SwitchId::from_number(self.target.0))
    }

    /// The host it leads from.
    #[inline]
    pub(super) fn source_host(self) -> Option<HostId> {
        self.source.host()
    }

    /// The host it leads to.
    #[inline]
    pub(super) fn target_host(self) -> Option<HostId> {
        self.target.host()
    }
}
