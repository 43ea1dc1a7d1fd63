//! Service ends: what hangs on a fabric and computes nothing.
//!
//! Adapters inside switches, management, storage and gateways are reached like every end, but they
//! do not send as compute ends do, and their places say nothing of the shape of a fabric: an
//! aggregation node on every spine makes no spine a leaf. What counts traffic or levels counts
//! [compute ends](Fabric::compute_hosts) alone.

use crate::metrics::{connected_parts, levels};
use crate::{Fabric, FabricBuilder, HostId, Node, SwitchId};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What says that an end is a service end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServiceReason {
    /// Its description.
    Description,
    /// Its adapter is part of a switch.
    InsideSwitch,
    /// It is one of few on a level of a tree whose switches have no compute ends.
    Place,
    /// Whoever reads the fabric.
    Told,
}

impl ServiceReason {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 4] = [
        Self::Description,
        Self::InsideSwitch,
        Self::Place,
        Self::Told,
    ];

    /// What a file may have, in words.
    pub(crate) const EXPECTED: &str = "description, inside_switch, place or told";

    /// What a file has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::InsideSwitch => "inside_switch",
            Self::Place => "place",
            Self::Told => "told",
        }
    }

    /// What it says, for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Description => "their description says that they are no compute ends",
            Self::InsideSwitch => "their adapters are parts of switches",
            Self::Place => "they are few, on a level of the tree where no compute ends are",
            Self::Told => "named as such",
        }
    }
}

impl fmt::Display for ServiceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word is no reason for a service end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found “{0}”, expected {expected}", expected = ServiceReason::EXPECTED)]
pub struct ParseServiceReasonError(String);

impl FromStr for ServiceReason {
    type Err = ParseServiceReasonError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|reason| reason.name() == text);
        known.ok_or_else(|| ParseServiceReasonError(text.to_owned()))
    }
}

impl Fabric {
    /// Tells whether an end is a service end.
    #[inline]
    pub fn is_service(&self, host: HostId) -> bool {
        self.host(host).service.is_some()
    }

    /// Tells whether any end is a service end.
    pub fn has_service(&self) -> bool {
        self.host_ids().any(|host| self.is_service(host))
    }

    /// The ids of the hosts that are no service ends, in order.
    pub fn compute_hosts(&self) -> impl DoubleEndedIterator<Item = HostId> + Clone + '_ {
        let hosts = (0..self.host_count()).map(HostId::from_index);
        hosts.filter(|&host| !self.is_service(host))
    }

    /// Counts the hosts of a switch that are no service ends.
    pub fn compute_hosts_of(&self, switch: SwitchId) -> usize {
        let hosts = self.hosts_of(switch).iter();
        hosts.filter(|&&host| !self.is_service(host)).count()
    }

    /// The same fabric without its service ends: all switches and the links between them, and the
    /// compute ends in their order, with ports and names as they are.
    pub fn compute_part(&self) -> Cow<'_, Self> {
        if !self.has_service() {
            return Cow::Borrowed(self);
        }
        let mut builder = FabricBuilder::new(self.name());
        builder.set_layout(self.layout().clone());
        // Invariant: a part of a fabric breaks no rule that the whole keeps.
        let sound = "what a fabric holds can be added again";
        for switch in self.switch_ids() {
            let added = builder.add_switch(self.switch(switch).clone());
            debug_assert!(added.is_ok(), "{sound}");
        }
        let mut numbers = vec![None; self.host_count()];
        for (number, host) in self.compute_hosts().enumerate() {
            let added = builder.add_host(self.host(host).clone());
            debug_assert!(added.is_ok(), "{sound}");
            numbers[host.index()] = Some(HostId::from_index(number));
        }
        for link in self.link_ids().map(|id| self.link(id)) {
            let [a, b] = link.ends.map(|end| {
                let node = match end.node {
                    Node::Switch(_) => Some(end.node),
                    Node::Host(host) => numbers[host.index()].map(Node::Host),
                };
                node.map(|node| node.at(end.port.number()))
            });
            if let (Some(a), Some(b)) = (a, b) {
                let added = builder.add_link(a, b, link.cable);
                debug_assert!(added.is_ok(), "{sound}");
            }
        }
        let Ok(part) = builder.build() else {
            unreachable!("{sound}");
        };
        Cow::Owned(part)
    }

    /// The same fabric with other service ends, and no others.
    ///
    /// Shapes: an entry per host, in order.
    ///
    /// # Panics
    /// When there are more or fewer.
    #[must_use]
    pub fn with_service(mut self, reasons: Vec<Option<ServiceReason>>) -> Self {
        assert_eq!(reasons.len(), self.hosts.len());
        for (host, reason) in self.hosts.iter_mut().zip(reasons) {
            host.service = reason;
        }
        self
    }

    /// The same fabric whose compute ends are service ends where their places say so: on a level above
    /// the leaves of a tree where most switches have no compute end, and few have some.
    #[must_use]
    pub fn with_service_by_place(self) -> Self {
        let mut reasons: Vec<Option<ServiceReason>> = self
            .host_ids()
            .map(|host| self.host(host).service)
            .collect();
        let odd = odd_places(&self);
        for switch in odd {
            for host in self.hosts_of(switch) {
                reasons[host.index()].get_or_insert(ServiceReason::Place);
            }
        }
        self.with_service(reasons)
    }
}

/// One of so many is few: switches of a level that have compute ends, or compute ends on a switch for its
/// links to others.
const FEW: usize = 5;
/// Of all compute ends no more than one of so many is out of place.
const FEW_OF_ALL: usize = 10;

/// The switches above the leaves that have compute ends where their level has none: few where the level
/// lies right above the leaves; and higher up, where lightly used leaves of another rack would come, fewer
/// than the level has switches.
fn odd_places(fabric: &Fabric) -> Vec<SwitchId> {
    let levels = levels(fabric);
    let mut odd = Vec::new();
    for part in connected_parts(fabric) {
        let hosts = |switch: &SwitchId| fabric.compute_hosts_of(*switch);
        let all: usize = part.iter().map(hosts).sum();
        let mut by_level: BTreeMap<u32, Vec<SwitchId>> = BTreeMap::new();
        for switch in part {
            if let Some(level) = levels[switch.index()].filter(|&level| level > 0) {
                by_level.entry(level).or_default().push(switch);
            }
        }
        for (level, switches) in by_level {
            let with: Vec<SwitchId> = switches.iter().copied().filter(|s| hosts(s) > 0).collect();
            let few_switches = FEW * with.len() <= switches.len();
            let few_hosts = with
                .iter()
                .all(|switch| FEW * hosts(switch) <= fabric.hops(*switch).len());
            let some_have_none = with.len() < switches.len();
            let are_out_of_place = few_switches || few_hosts && (level == 1 || some_have_none);
            if are_out_of_place && FEW_OF_ALL * with.iter().map(hosts).sum::<usize>() <= all {
                odd.extend(with);
            }
        }
    }
    odd
}
