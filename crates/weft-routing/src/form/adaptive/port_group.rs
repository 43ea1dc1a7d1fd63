//! Groups of ports that a switch chooses among, and who chooses.

use crate::random::{STEP, mix, part_of};
use weft_fabric::{HostId, PortNumber, SwitchId};

/// What a switch does with packets to an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LidState {
    /// It sends all of them by one port.
    #[default]
    Static,
    /// It sends each flow by one port of the group, which a hash decides; so packets stay in order.
    Hashed,
    /// It sends each packet by any port of the group.
    Free,
}

/// Ports of a group that are alike; those of the first subgroup come before all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subgroup {
    /// Its ports, ascending.
    pub ports: Vec<PortNumber>,
    /// Its share where a hash decides by weight; 0 where weights are not in use.
    pub weight: u8,
}

/// A group of ports that a switch chooses among.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortGroup {
    subgroups: Vec<Subgroup>,
    /// The ports of all subgroups, ascending, each once.
    ports: Vec<PortNumber>,
}

impl PortGroup {
    /// The group of some subgroups, whose ports are put in order.
    pub fn new(mut subgroups: Vec<Subgroup>) -> Self {
        for one in &mut subgroups {
            one.ports.sort_unstable();
            one.ports.dedup();
        }
        let mut ports: Vec<PortNumber> = subgroups
            .iter()
            .flat_map(|one| &one.ports)
            .copied()
            .collect();
        ports.sort_unstable();
        ports.dedup();
        Self { subgroups, ports }
    }

    /// The subgroups, the preferred one first.
    pub fn subgroups(&self) -> &[Subgroup] {
        &self.subgroups
    }

    /// The ports of all subgroups, ascending, each once.
    #[inline]
    pub fn ports(&self) -> &[PortNumber] {
        &self.ports
    }
}

impl PortGroup {
    /// The part of the packets that a port of the group takes where ports are taken alike, or by the weights of their
    /// subgroups.
    pub fn share(&self, port: PortNumber) -> f64 {
        let shares = |one: &Subgroup| f64::from(one.weight) * one.ports.len() as f64;
        let all: f64 = self.subgroups.iter().map(shares).sum();
        if all == 0.0 {
            return 1.0 / self.ports.len() as f64;
        }
        let with_it = self
            .subgroups
            .iter()
            .filter(|one| one.ports.contains(&port));
        with_it.map(|one| f64::from(one.weight) / all).sum()
    }

    /// The port that a hash decides, from 0 to 2^64 evenly, as [`by_hash`](Self::by_hash) does, among the ports that work,
    /// or all where none does.
    pub fn by_hash_among(
        &self,
        hash: u64,
        works: impl Fn(PortNumber) -> bool,
    ) -> Option<PortNumber> {
        let working = self.ports.iter().filter(|&&port| works(port)).count();
        if working == 0 || working == self.ports.len() {
            return self.by_hash(hash);
        }
        let working = |one: &Subgroup| Subgroup {
            ports: one
                .ports
                .iter()
                .copied()
                .filter(|&port| works(port))
                .collect(),
            weight: one.weight,
        };
        Self::new(self.subgroups.iter().map(working).collect()).by_hash(hash)
    }

    /// The port that a hash decides, from 0 to 2^64 evenly: ports have shares by the weight of their subgroups, or are
    /// alike where nothing has a weight. `None` of an empty group.
    pub fn by_hash(&self, hash: u64) -> Option<PortNumber> {
        let shares = |one: &Subgroup| usize::from(one.weight) * one.ports.len();
        let all: usize = self.subgroups.iter().map(shares).sum();
        if all == 0 {
            return self.ports.get(part_of(hash, self.ports.len())).copied();
        }
        let mut place = part_of(hash, all);
        for one in &self.subgroups {
            if place < shares(one) {
                return one.ports.get(place / usize::from(one.weight)).copied();
            }
            place -= shares(one);
        }
        None
    }
}

/// The hash of a flow at a switch, from 0 to 2^64 evenly: a step of `SplitMix64` over source, destination and switch, so that
/// switches decide independently of one another.
pub fn flow_hash(switch: SwitchId, source: HostId, destination: HostId) -> u64 {
    let flow = u64::from(source.number()) << 32 | u64::from(destination.number());
    mix(flow.wrapping_add(u64::from(switch.number()).wrapping_mul(STEP)))
}
