//! Switches with fewer links than their kind, where no cable is known to be missing.

use super::missing::Search;
use super::{MissingEnd, Suspicion};
use crate::{PortNumber, SwitchId};
use std::collections::BTreeSet;

/// As many switches of a kind with the same, lesser number of links are meant to have it.
const MEANT: usize = 3;
/// Of a switch with more idle ports all are meant to be.
const MOST_IDLE: usize = 2;

impl Search<'_, '_> {
    /// The switches that still have fewer links than most of their kind, by kind.
    pub(super) fn asymmetries(&self) -> Vec<Suspicion> {
        let ends = self
            .among
            .iter()
            .flat_map(|among| among.ends.iter().flatten());
        let among: BTreeSet<SwitchId> = ends.map(|end| end.switch).collect();
        let mut all = Vec::new();
        for kind in &self.peers.kinds {
            let Some((expected, agreeing)) = kind.links else {
                continue;
            };
            let poor: Vec<(SwitchId, usize)> = kind
                .switches
                .iter()
                .filter(|switch| !among.contains(switch))
                .filter(|&&switch| self.lack(switch).is_some_and(|lack| lack > 0))
                .map(|&switch| (switch, self.fabric.hops(switch).len()))
                .collect();
            let poor: Vec<(SwitchId, usize)> = poor
                .iter()
                .copied()
                .filter(|&(switch, found)| {
                    let same = poor.iter().filter(|(_, other)| *other == found).count();
                    let is_left = same == 1 && agreeing + 1 == kind.switches.len();
                    is_left && self.has_lost_most(switch, expected)
                        || !self.is_made_so(switch, expected, same)
                            && !self.is_quadric(switch, expected)
                            && !self.has_spare_ports(switch)
                })
                .collect();
            if !poor.is_empty() {
                all.push(Suspicion::Asymmetry {
                    dark_ports: poor
                        .iter()
                        .map(|&(switch, _)| self.idle_of(switch))
                        .collect(),
                    switches: poor,
                    expected,
                    agreeing,
                    peers: kind.switches.len(),
                });
            }
        }
        all
    }

    /// Tells whether a switch was made with fewer links than its kind has: much fewer, where several
    /// have as few or it has much fewer ends as well.
    fn is_made_so(&self, switch: SwitchId, expected: usize, same: usize) -> bool {
        let found = self.fabric.hops(switch).len();
        let is_much = expected >= found + 2;
        let is_very_much = is_much && 4 * (expected - found) >= expected;
        let has_few_ends = || 2 * self.fabric.compute_hosts_of(switch) <= self.usual_hosts(switch);
        (is_much && same >= MEANT) || (is_very_much && (same > 1 || has_few_ends()))
    }

    fn usual_hosts(&self, switch: SwitchId) -> usize {
        self.peers.kinds[self.peers.kind_of(switch)].usual_hosts
    }

    /// Tells whether a switch has lost most of its cables, or many: all its ends are there, and as many switches that others
    /// of its kind lead to have a free port and fewer links than one of theirs; where half of its cables are left, just as many.
    ///
    /// So many others have then lost one that these agree again, and none of them lacks any.
    fn has_lost_most(&self, switch: SwitchId, expected: usize) -> bool {
        let found = self.fabric.hops(switch).len();
        let ends = self.fabric.compute_hosts_of(switch);
        if found == 0 || ends < self.usual_hosts(switch) {
            return false;
        }
        let kind = &self.peers.kinds[self.peers.kind_of(switch)];
        let peers = kind.switches.iter().filter(|&&peer| peer != switch);
        let theirs = peers.flat_map(|&peer| self.pattern.near.neighbours(peer).keys().copied());
        let around: BTreeSet<SwitchId> = theirs.collect();
        let may_lack = |&&other: &&SwitchId| {
            let most = self.peers.kinds[self.peers.kind_of(other)].most_links;
            let is_short = self.fabric.hops(other).len() < most;
            other != switch && is_short && self.has_room(other)
        };
        let lacking = around.iter().filter(may_lack).count();
        if 2 * found < expected {
            found + lacking >= expected
        } else {
            found + lacking == expected
        }
    }

    /// Tells whether a switch is one of those that have a link less than all others by design in a `PolarFly`:
    /// each other switch is reached by one way of one or two links, so that q neighbours join all of
    /// q² + q + 1 switches.
    ///
    /// Source: Lakhotia et al., “`PolarFly`: a cost-effective and flexible low-diameter topology”, `SC` 2022,
    /// section IV.
    fn is_quadric(&self, switch: SwitchId, expected: usize) -> bool {
        let links = self.fabric.hops(switch).len();
        let count = self.fabric.switch_count();
        if expected != links + 1 || count != links * links + links + 1 {
            return false;
        }
        let mut seen = vec![false; count];
        seen[switch.index()] = true;
        let near = self.fabric.hops(switch).iter().map(|hop| hop.switch);
        let far = near.clone().flat_map(|via| {
            let onward = self.fabric.hops(via).iter().map(|hop| hop.switch);
            onward.filter(|&to| to != switch)
        });
        near.chain(far)
            .all(|to| !std::mem::replace(&mut seen[to.index()], true))
            && seen.iter().all(|&is_seen| is_seen)
    }

    /// Tells whether a switch has but ports to spare: no other that its kind is joined to lacks a link, and
    /// no port without a cable lies below one with a link to a switch.
    fn has_spare_ports(&self, switch: SwitchId) -> bool {
        let kind = self.peers.kind_of(switch);
        let is_other = |&other: &SwitchId| {
            let lack = self.lack(other);
            let is_poor = lack.map_or_else(|| self.is_poor(other), |lack| lack > 0);
            let is_joined = || {
                self.pattern
                    .near
                    .are_joined(kind, self.peers.kind_of(other))
            };
            other != switch && is_poor && is_joined() && self.has_room(other)
        };
        let last = self.fabric.hops(switch).iter().map(|hop| hop.port).max();
        let mut idle = self.idle_of(switch).into_iter();
        idle.all(|port| Some(port) > last)
            && !self.fabric.switch_ids().any(|other| is_other(&other))
    }

    /// The ports without a cable that most of the kind have a link to a switch in, and that no
    /// cable known to be missing belongs to.
    fn idle_of(&self, switch: SwitchId) -> Vec<PortNumber> {
        let mut ports = self.peers.dark_ports(self.fabric, switch);
        let candidates = |end: &&MissingEnd| end.switch == switch;
        for end in self.found.iter().flatten().filter(candidates) {
            ports.retain(|port| !end.ports.contains(port));
        }
        ports
    }

    /// Dark ports of switches that have as many links as their kind, or whose kind does not agree,
    /// where those most like them have a link.
    pub(super) fn idle_ports(&self) -> Option<Suspicion> {
        let mut ports = Vec::new();
        for switch in self.fabric.switch_ids() {
            if self.lack(switch).is_none_or(|lack| lack == 0) && self.is_poor(switch) {
                let mut idle: Vec<PortNumber> = self.pattern.dark(switch).collect();
                idle.retain(|&port| {
                    self.is_free((switch, port)) && self.pattern.expected((switch, port)).is_some()
                });
                if !idle.is_empty() && idle.len() <= MOST_IDLE {
                    ports.push((switch, idle));
                }
            }
        }
        (!ports.is_empty()).then_some(Suspicion::IdlePorts { ports })
    }
}
