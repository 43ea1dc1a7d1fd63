//! What the other switches of a kind tell of a port: where a cable in it leads, or should.

use super::numbering::numbering;
use super::peers::Peers;
use super::surroundings::{FEWEST_TWINS, MANY_TWINS, Surroundings};
use crate::{Fabric, LinkId, PortNumber, SwitchId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A pattern is believed while nine tenths of the ports it speaks of follow it.
const FOLLOWING_TENTHS: usize = 9;

/// A port of a switch.
pub(super) type Socket = (SwitchId, PortNumber);

/// The neighbours of every switch, the switches most like it, and where its cables should lead.
pub(super) struct Pattern<'f> {
    fabric: &'f Fabric,
    pub(super) near: Surroundings,
    /// Ports are numbered by so many, where all that are wired agree in it: where ports of Ethernet are called by their
    /// lanes, those between are none.
    step: usize,
    /// Per switch and port: the switch its cable should lead to.
    expected: Vec<BTreeMap<PortNumber, SwitchId>>,
    /// The ports of which twins tell.
    of_twins: BTreeSet<Socket>,
    /// Per switch: whether all its cables lead where they should.
    follows: Vec<bool>,
    /// Links that were plugged in crosswise: they tell nothing of where others should lead.
    crossed: BTreeSet<LinkId>,
    /// By the kinds of two ends: cables of trunks next to another of theirs at the first end, and all of trunks.
    together: BTreeMap<[usize; 2], [usize; 2]>,
}

impl<'f> Pattern<'f> {
    /// Shapes: `group_of`, per switch, of the spines of groups alone. Cables between groups are no pattern of ports: as each
    /// group leaves out itself, a port leads elsewhere in some than in others.
    pub(super) fn of(
        fabric: &'f Fabric,
        peers: &Peers,
        levels: &[Option<u32>],
        group_of: &[Option<usize>],
    ) -> Self {
        let are_spines = |switch: SwitchId, there: SwitchId| {
            [switch, there].map(|at| group_of[at.index()].is_some()) == [true; 2]
        };
        let mut pattern = Self {
            fabric,
            step: numbering(fabric),
            near: Surroundings::of(fabric, peers),
            expected: vec![BTreeMap::new(); fabric.switch_count()],
            of_twins: BTreeSet::new(),
            follows: Vec::new(),
            crossed: BTreeSet::new(),
            together: BTreeMap::new(),
        };
        for kind in &peers.kinds {
            let is_flat = kind.switches.iter().all(|s| levels[s.index()].is_none());
            pattern.learn(&kind.switches, |pattern, socket| {
                let told = pattern.by_twins(socket);
                told.filter(|&there| !are_spines(socket.0, there))
            });
            let switches = kind.switches.iter();
            let of_twins = switches.flat_map(|&switch| {
                let ports = pattern.expected[switch.index()].keys();
                ports.map(move |&port| (switch, port)).collect::<Vec<_>>()
            });
            let of_twins: Vec<Socket> = of_twins.collect();
            pattern.of_twins.extend(of_twins);
            if is_flat {
                pattern.learn(&kind.switches, Pattern::by_detours);
            }
        }
        pattern.follows = pattern.following();
        pattern.together = pattern.trunks_together();
        pattern
    }

    /// Passes over links that were plugged in crosswise where what others tell is looked at.
    pub(super) fn pass_over(&mut self, crossed: BTreeSet<LinkId>) {
        self.crossed = crossed;
        self.follows = self.following();
    }

    /// Per switch: whether all its cables lead where they should, but for those in each other's ports.
    fn following(&self) -> Vec<bool> {
        let follows = |switch: SwitchId| {
            let mut ports = self.expected[switch.index()].iter();
            ports.all(|(&port, &there)| {
                let socket = (switch, port);
                self.is_crossed(socket) || self.far(socket).is_none_or(|far| far.0 == there)
            })
        };
        self.fabric.switch_ids().map(follows).collect()
    }

    fn is_crossed(&self, (switch, port): Socket) -> bool {
        let channel = self.fabric.outgoing_at(switch, port);
        channel.is_some_and(|channel| self.crossed.contains(&channel.link()))
    }

    /// Cables of trunks with a free port beside them tell nothing: another may be missing there.
    fn trunks_together(&self) -> BTreeMap<[usize; 2], [usize; 2]> {
        let mut all: BTreeMap<[usize; 2], [usize; 2]> = BTreeMap::new();
        for switch in self.fabric.switch_ids() {
            for hop in self.fabric.hops(switch) {
                let there = hop.switch;
                if self.near.links(switch, there) < 2 {
                    continue;
                }
                let number = hop.port.number();
                let around = [number.checked_sub(1), number.checked_add(1)];
                let around = around
                    .into_iter()
                    .flatten()
                    .map(|near| (switch, PortNumber::new(near)));
                let leads_there = |&near: &Socket| self.far(near).is_some_and(|far| far.0 == there);
                let is_beside = around.clone().any(|near| leads_there(&near));
                let is_known = is_beside || !around.clone().any(|near| self.is_dark(near));
                let kinds = [switch, there].map(|at| self.near.kind(at));
                let [beside, known] = all.entry(kinds).or_default();
                *beside += usize::from(is_beside);
                *known += usize::from(is_known);
            }
        }
        all
    }

    /// Tells whether cables to the same switch nearly all lie next to each other, of those from switches of one kind to
    /// such of another, as far as there are any: in one switch they may by chance.
    pub(super) fn has_trunks_together(&self, switch: SwitchId, there: SwitchId) -> bool {
        let kinds = [switch, there].map(|at| self.near.kind(at));
        let [beside, all] = self.together.get(&kinds).copied().unwrap_or_default();
        10 * beside >= FOLLOWING_TENTHS * all
    }

    /// The switch that the cable in a port should lead to, where a pattern tells.
    pub(super) fn expected(&self, (switch, port): Socket) -> Option<SwitchId> {
        self.expected[switch.index()].get(&port).copied()
    }

    /// The same where it is certain: all cables of the switch lead where they should, and all twins have theirs so.
    pub(super) fn told(&self, socket: Socket) -> Option<SwitchId> {
        let there = self.expected(socket)?;
        let [alike, all] = self.alike(socket, there);
        let are_alike = !self.of_twins.contains(&socket) || alike == all;
        (self.follows[socket.0.index()] && are_alike).then_some(there)
    }

    /// Tells whether a cable belongs in a port beyond doubt: many twins have it there.
    pub(super) fn is_beyond_doubt(&self, socket: Socket, there: SwitchId) -> bool {
        let is_of_twins = self.of_twins.contains(&socket);
        self.expected(socket) == Some(there)
            && (!is_of_twins || self.alike(socket, there)[0] >= MANY_TWINS)
    }

    /// Twins whose cable in a port leads to a switch, and all with one there.
    fn alike(&self, (switch, port): Socket, there: SwitchId) -> [usize; 2] {
        let kind = self.near.kind(there);
        let twins = self.near.twins(switch).find(|&(of, _)| of == kind);
        let (mut alike, mut all) = (0, 0);
        for &twin in twins.map_or(&[][..], |(_, twins)| twins) {
            if self.is_crossed((twin, port)) {
                continue;
            }
            if let Some((far, _)) = self.far((twin, port)) {
                all += usize::from(twin != there);
                alike += usize::from(far == there);
            }
        }
        [alike, all]
    }

    /// The ports of a switch whose cable should lead to another.
    pub(super) fn ports_towards(&self, switch: SwitchId, to: SwitchId) -> Vec<PortNumber> {
        let expected = self.expected[switch.index()].iter();
        expected
            .filter(|&(_, &there)| there == to)
            .map(|(&port, _)| port)
            .collect()
    }

    /// The port at the other end of the cable in a port, if that belongs to a switch.
    pub(super) fn far(&self, (switch, port): Socket) -> Option<Socket> {
        let channel = self.fabric.outgoing_at(switch, port)?;
        let end = self.fabric.target(channel);
        Some((end.node.switch()?, end.port))
    }

    /// Tells whether a port has no cable.
    pub(super) fn is_dark(&self, (switch, port): Socket) -> bool {
        self.fabric.outgoing_at(switch, port).is_none()
    }

    /// Takes a pattern over for the ports of some switches of which nothing is expected yet, if
    /// nearly all cables follow it.
    fn learn(&mut self, switches: &[SwitchId], told: impl Fn(&Self, Socket) -> Option<SwitchId>) {
        let (mut following, mut other) = (0, 0);
        let mut learnt = Vec::new();
        for &switch in switches {
            let (before, mut own, mut dark) = (learnt.len(), 0, 0);
            for port in (1..=self.fabric.switch(switch).port_count).map(PortNumber::new) {
                let socket = (switch, port);
                if self.expected(socket).is_some() {
                    continue;
                }
                let far = self.far(socket);
                if let Some(expected) = told(self, socket).filter(|&there| there != switch) {
                    learnt.push((socket, expected));
                    match far {
                        None => dark += usize::from(self.is_dark(socket)),
                        Some((there, _)) if there == expected => own += 1,
                        Some(_) => other += 1,
                    }
                }
            }
            // A switch that uses other ports than its twins keeps to no pattern of theirs.
            following += own;
            if 2 * own < dark {
                learnt.truncate(before);
            }
        }
        if 10 * following >= FOLLOWING_TENTHS * (following + other) {
            for ((switch, port), expected) in learnt {
                self.expected[switch.index()].insert(port, expected);
            }
        }
    }

    /// Where most twins have the cable of the same port.
    fn by_twins(&self, socket: Socket) -> Option<SwitchId> {
        let told = self
            .near
            .twins(socket.0)
            .filter_map(|(kind, twins)| self.by_kind(socket, kind, twins));
        let (there, ..) = told.max_by_key(|&(there, count)| (count, Reverse(there)))?;
        Some(there)
    }

    /// The same by the twins that share neighbours of a kind, and how many agree.
    fn by_kind(
        &self,
        (_, port): Socket,
        kind: usize,
        twins: &[SwitchId],
    ) -> Option<(SwitchId, usize)> {
        let mut found: BTreeMap<SwitchId, usize> = BTreeMap::new();
        for &twin in twins {
            if let Some((there, _)) = self.far((twin, port))
                && self.near.kind(there) == kind
            {
                *found.entry(there).or_default() += 1;
            }
        }
        let (there, count) = found.into_iter().max_by_key(|&(_, count)| count)?;
        let voters = twins.iter().filter(|&&twin| twin != there).count();
        (count >= FEWEST_TWINS && 4 * count >= 3 * voters).then_some((there, count))
    }

    /// Where a way around leads: along another cable of the switch, then out of the port of the same
    /// number there, then back as the first cable came. In grids these are squares.
    fn by_detours(&self, (switch, port): Socket) -> Option<SwitchId> {
        let mut found: BTreeMap<SwitchId, usize> = BTreeMap::new();
        let mut all = 0;
        for hop in self
            .fabric
            .hops(switch)
            .iter()
            .filter(|hop| hop.port != port)
        {
            let back = self.fabric.target(hop.channel).port;
            let aside = self.far((hop.switch, port)).map(|(aside, _)| aside);
            let Some(aside) = aside.filter(|&aside| aside != switch) else {
                continue;
            };
            // What leads back to where it began is no square: rows of more than two all joined to each other have such.
            let there = self.far((aside, back)).filter(|far| far.0 != switch);
            if let Some((there, _)) = there {
                all += 1;
                *found.entry(there).or_default() += 1;
            }
        }
        let (there, count) = found.into_iter().max_by_key(|&(_, count)| count)?;
        (4 * count >= 3 * all).then_some(there)
    }

    /// The ports of a switch without a cable.
    pub(super) fn dark(&self, switch: SwitchId) -> impl Iterator<Item = PortNumber> + '_ {
        (1..=self.fabric.switch(switch).port_count)
            .step_by(self.step)
            .map(PortNumber::new)
            .filter(move |&port| self.is_dark((switch, port)))
    }
}
