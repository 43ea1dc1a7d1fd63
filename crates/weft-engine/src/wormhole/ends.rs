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
    /// A switch in another part of the fabric, which another core simulates.
    Border(SwitchId),
}

/// A switch by its number, a host or a switch in another part by its number and a bit, or a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(u32);

impl Place {
    const HOST: u32 = 1 << 31;
    const BORDER: u32 = 1 << 30;
    const SINK: Self = Self(u32::MAX);

    fn of(node: Node) -> Self {
        let (number, kind) = match node {
            Node::Switch(switch) => (switch.to_number(), 0),
            Node::Host(host) => (host.to_number(), Self::HOST),
        };
        assert!(
            number < Self::BORDER,
            "each host and switch has a channel, and those are fewer"
        );
        Self(number | kind)
    }

    #[inline]
    fn is_switch(self) -> bool {
        self.0 < Self::BORDER
    }

    #[inline]
    fn is_border(self) -> bool {
        (Self::BORDER..Self::HOST).contains(&self.0)
    }

    fn beyond_border(self) -> Self {
        Self(self.0 | Self::BORDER)
    }

    #[inline]
    fn host(self) -> Option<HostId> {
        let is_host = self.0 >= Self::HOST && self != Self::SINK;
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
            self.target
                .host()
                .map_or_else(|| self.far_target(), Target::Host)
        }
    }

    /// What it leads to, if that is neither a switch nor a host.
    fn far_target(self) -> Target {
        if self.target.is_border() {
            Target::Border(SwitchId::from_number(self.target.0 & !Place::BORDER))
        } else {
            Target::Sink
        }
    }

    /// The channel between two switches as the part knows it from which it leads to another one.
    pub(super) fn outward(self) -> Self {
        Self {
            target: self.target.beyond_border(),
            ..self
        }
    }

    /// The channel between two switches as the part knows it to which it leads from another one.
    pub(super) fn inward(self) -> Self {
        Self {
            source: self.source.beyond_border(),
            ..self
        }
    }

    /// Whether it comes from another part.
    #[inline]
    pub(super) fn comes_over_border(self) -> bool {
        self.source.is_border()
    }

    /// The switch in another part that it comes from or leads to, if there is one.
    pub(super) fn far_switch(self) -> Option<SwitchId> {
        let ends = [self.source, self.target];
        let far = ends.into_iter().find(|place| place.is_border())?;
        Some(SwitchId::from_number(far.0 & !Place::BORDER))
    }

    /// Whether it leads to another part.
    #[inline]
    pub(super) fn leads_over_border(self) -> bool {
        self.target.is_border()
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
