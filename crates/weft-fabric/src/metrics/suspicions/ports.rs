//! The ports that missing cables belong in.

use super::missing::{Pair, Search};
use super::pattern::Socket;
use crate::{PortNumber, SwitchId};
use std::collections::BTreeMap;

impl Search<'_, '_> {
    /// The free ports of a switch that any of its kind uses for switches, if it has fewer links than others. Where many cables
    /// are missing, a port may be free in most of a small kind.
    pub(super) fn lacked(&self, switch: SwitchId) -> Vec<PortNumber> {
        let mut ports: Vec<PortNumber> = self.pattern.dark(switch).collect();
        ports.retain(|&port| {
            self.peers.is_used(switch, port) && self.is_free((switch, port)) && self.is_poor(switch)
        });
        ports
    }

    /// The free ports of a switch where nothing tells more: those that its kind uses for switches, or else all of which
    /// nothing is expected.
    pub(super) fn free_ports(&self, switch: SwitchId) -> Vec<PortNumber> {
        let ports = self.lacked(switch);
        if ports.is_empty() {
            self.likely_ports(switch, switch)
        } else {
            ports
        }
    }

    /// The free ports of a switch of which no other cable is expected, next to one with a cable to another.
    pub(super) fn beside_trunk(&self, switch: SwitchId, there: SwitchId) -> Vec<PortNumber> {
        let leads_there = |port: PortNumber| {
            let far = self.pattern.far((switch, port));
            far.is_some_and(|(far, _)| far == there)
        };
        let mut free: Vec<PortNumber> = self.pattern.dark(switch).collect();
        free.retain(|&port| {
            let number = port.number();
            let around = [number.checked_sub(1), number.checked_add(1)];
            let mut around = around.into_iter().flatten().map(PortNumber::new);
            self.is_free((switch, port))
                && self.peers.is_used(switch, port)
                && self
                    .pattern
                    .expected((switch, port))
                    .is_none_or(|expected| expected == there)
                && around.any(leads_there)
        });
        free
    }

    /// The free ports of two switches where a cable between them belongs.
    pub(super) fn likely_ends(&self, [one, other]: Pair) -> [Vec<PortNumber>; 2] {
        if self.is_other_there([one, other]) {
            return [vec![], vec![]];
        }
        let [here, there] =
            [(one, other), (other, one)].map(|(one, other)| self.towards(one, other));
        if let (&[port, ..], false) = (&here[..], there.is_empty()) {
            if let Some(back) = self.other_end((one, port), other) {
                return [vec![port], vec![back]];
            }
            let of_end = |(mut known, switch): (Vec<PortNumber>, SwitchId)| {
                known.extend(self.open_ports(switch));
                known.sort_unstable();
                known
            };
            return [(here, one), (there, other)].map(of_end);
        }
        let ends = [self.likely_ports(one, other), self.likely_ports(other, one)];
        self.of_pairs_of_ports([one, other], ends)
    }

    /// Tells whether where the cable between two switches belongs at one end there is another, and it belongs nowhere else.
    pub(super) fn is_other_there(&self, pair: Pair) -> bool {
        [pair, [pair[1], pair[0]]].iter().any(|&[at, to]| {
            let ports = self.pattern.ports_towards(at, to);
            let leads_there = |port| self.pattern.far((at, port)).is_some_and(|far| far.0 == to);
            let is_dark = |port| self.pattern.is_dark((at, port));
            !ports.iter().any(|&port| is_dark(port)) && ports.iter().any(|&port| !leads_there(port))
        })
    }

    /// Of the ports of two switches of one kind, of which those at one end are known, those at the other that such ports are
    /// always joined to, if there is one such for every port.
    fn of_pairs_of_ports(&self, pair: Pair, ends: [Vec<PortNumber>; 2]) -> [Vec<PortNumber>; 2] {
        let kind = self.peers.kind_of(pair[0]);
        if kind != self.peers.kind_of(pair[1]) {
            return ends;
        }
        let mut joined: BTreeMap<PortNumber, PortNumber> = BTreeMap::new();
        for &switch in &self.peers.kinds[kind].switches {
            for hop in self.fabric.hops(switch) {
                let back = self.fabric.target(hop.channel).port;
                let is_alike = self.peers.kind_of(hop.switch) == kind;
                if is_alike && *joined.entry(hop.port).or_insert(back) != back {
                    return ends;
                }
            }
        }
        let fits = |port: &PortNumber, ports: &[PortNumber]| {
            let there = joined.get(port);
            there.is_some_and(|there| ports.contains(there))
        };
        let [here, there] = &ends;
        let fitting: [Vec<PortNumber>; 2] =
            [(here, there), (there, here)].map(|(ports, others)| {
                let all = ports.iter().copied();
                all.filter(|port| fits(port, others)).collect()
            });
        if fitting.iter().any(Vec::is_empty) {
            ends
        } else {
            fitting
        }
    }

    /// The free ports of a switch whose cable should lead to another.
    pub(super) fn towards(&self, switch: SwitchId, there: SwitchId) -> Vec<PortNumber> {
        let mut ports = self.pattern.ports_towards(switch, there);
        ports.retain(|&port| self.is_free((switch, port)));
        ports
    }

    /// The port at the other end of a missing cable: as far from its port as that of each cable that is left of the
    /// trunk, or in the same place among the ports of both ends, of which as many are known.
    pub(super) fn other_end(&self, (switch, port): Socket, there: SwitchId) -> Option<PortNumber> {
        let here = self.towards(switch, there);
        let mut back = self.towards(there, switch);
        let place = here.iter().position(|&other| other == port)?;
        if here.len() == back.len() {
            back.rotate_left(place);
        }
        if self.pattern.near.links(switch, there) == 0 {
            let of_twins = [(switch, there), (there, switch)];
            let missing = of_twins.map(|(at, to)| self.more_of_twins(at).get(&to).copied());
            let most = missing.into_iter().flatten().max();
            let most = most.unwrap_or_else(|| self.most_between([switch, there]));
            if here.len() != back.len() || most > here.len() {
                return None;
            }
        }
        self.align((switch, port), there, &mut back);
        back.first().copied()
    }

    /// Puts the port first that is as far from another as those at both ends of each cable of the trunk are, where these
    /// agree.
    pub(super) fn align(&self, (switch, port): Socket, there: SwitchId, ports: &mut [PortNumber]) {
        let of = |port: PortNumber| i32::from(port.number());
        let hops = self.fabric.hops(switch).iter();
        let trunk = hops.filter(|hop| hop.switch == there);
        let mut steps: Vec<i32> = trunk
            .map(|hop| of(self.fabric.target(hop.channel).port) - of(hop.port))
            .collect();
        steps.dedup();
        if let [step] = steps[..]
            && let Some(place) = ports.iter().position(|&far| of(far) == of(port) + step)
        {
            ports[..=place].rotate_right(1);
        }
    }

    /// The free ports of a switch of which nothing is expected.
    pub(super) fn open_ports(&self, switch: SwitchId) -> Vec<PortNumber> {
        let mut ports: Vec<PortNumber> = self.pattern.dark(switch).collect();
        ports.retain(|&port| {
            self.is_free((switch, port)) && self.pattern.expected((switch, port)).is_none()
        });
        ports
    }

    /// The ports of a switch without a cable that belong to none known to be missing.
    pub(super) fn all_free(&self, switch: SwitchId) -> Vec<PortNumber> {
        let mut ports: Vec<PortNumber> = self.pattern.dark(switch).collect();
        ports.retain(|&port| self.is_free((switch, port)));
        ports
    }

    /// The same of two switches of kinds that do not agree in anything: the ports that a pattern tells, else all.
    pub(super) fn free_ends(&self, [one, other]: Pair) -> [Vec<PortNumber>; 2] {
        [(one, other), (other, one)].map(|(one, other)| {
            let known = self.towards(one, other);
            if known.is_empty() {
                self.all_free(one)
            } else {
                known
            }
        })
    }

    /// The free ports of a switch where a cable to another belongs: the one that the pattern tells, or the first of a trunk;
    /// else all that any of the kind uses for switches, at last also those that should lead elsewhere. Where the kind uses
    /// ports as they come, all.
    pub(super) fn likely_ports(&self, switch: SwitchId, there: SwitchId) -> Vec<PortNumber> {
        if let Some(&first) = self.towards(switch, there).first() {
            return vec![first];
        }
        let is_alike = self.peers.has_ports_alike(switch)
            && self.peers.uses_ports_of_kind(self.fabric, switch);
        let all = self.all_free(switch);
        if !is_alike {
            return all;
        }
        let is_used = |port: &PortNumber| self.peers.is_used(switch, *port);
        let mut open = self.open_ports(switch);
        open.retain(is_used);
        let used: Vec<PortNumber> = all.iter().copied().filter(is_used).collect();
        [open, used]
            .into_iter()
            .find(|ports| !ports.is_empty())
            .unwrap_or(all)
    }
}
