//! What the links between switches of two kinds have in common.

use super::pattern::Pattern;
use super::peers::Peers;
use crate::{Fabric, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Links are looked at by this many of a kind at most to know what is usual for them.
pub(super) const SAMPLE: usize = 256;

/// As many links between two switches are usual when one of so many pairs has them.
const OFTEN: usize = 10;

/// What links between switches of two kinds have in common.
pub(super) struct Usual {
    pub(super) most_links: usize,
    /// Ways of two and of three links beside such a link.
    ways: BTreeSet<[usize; 2]>,
    /// Ports at both ends, the kind of lower number first.
    ports: BTreeSet<[PortNumber; 2]>,
    kinds: [usize; 2],
}

impl Usual {
    pub(super) fn of(
        fabric: &Fabric,
        peers: &Peers,
        pattern: &Pattern<'_>,
        kinds: [usize; 2],
    ) -> Self {
        let mut usual = Self {
            most_links: 0,
            ways: BTreeSet::new(),
            ports: BTreeSet::new(),
            kinds,
        };
        let (mut counts, mut sampled) = (BTreeMap::<usize, usize>::new(), 0);
        for &switch in &peers.kinds[kinds[0]].switches {
            for hop in fabric.hops(switch) {
                if peers.kind_of(hop.switch) != kinds[1] {
                    continue;
                }
                let back = fabric.target(hop.channel).port;
                usual.ports.insert([hop.port, back]);
                if kinds[0] == kinds[1] {
                    usual.ports.insert([back, hop.port]);
                }
                *counts
                    .entry(pattern.near.links(switch, hop.switch))
                    .or_default() += 1;
                if sampled < SAMPLE {
                    sampled += 1;
                    usual.ways.insert(pattern.near.ways(switch, hop.switch));
                }
            }
        }
        // Where cables are dealt out in turn, some pairs have one more than others.
        let all: usize = counts.values().sum();
        let often = counts
            .into_iter()
            .filter(|&(_, count)| OFTEN * count >= all);
        usual.most_links = often.map(|(links, _)| links).max().unwrap_or(0);
        usual
    }

    pub(super) fn is_like(&self, pattern: &Pattern<'_>, a: SwitchId, b: SwitchId) -> bool {
        let found = pattern.near.ways(a, b);
        // Other cables may be missing nearby.
        let is_near = |usual: &[usize; 2]| {
            let mut pairs = usual.iter().zip(found);
            pairs.all(|(&usual, found)| found <= usual && 4 * found + 4 >= 3 * usual)
        };
        self.ways.iter().any(is_near) && self.has_ports(pattern, a, b)
    }

    /// Tells whether some ports of two switches without a cable are such that links between their kinds join.
    pub(super) fn has_ports(&self, pattern: &Pattern<'_>, a: SwitchId, b: SwitchId) -> bool {
        let dark = |switch| pattern.dark(switch).collect::<Vec<_>>();
        let (a, b) = (dark(a), dark(b));
        a.iter().any(|&a| {
            b.iter().any(|&b| {
                self.ports.contains(&[a, b])
                    || (self.kinds[0] != self.kinds[1] && self.ports.contains(&[b, a]))
            })
        })
    }
}
