//! Several cables that are missing between the same two switches: which ports belong together.

use super::missing::{Pair, Search};
use crate::{PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// So many whole trunks of two kinds have to agree before they tell anything.
const FEWEST_TRUNKS: usize = 3;
/// So many cables that are left tell how far the ports at both ends are from each other.
const FEWEST_LEFT: usize = 2;

/// The ports that a cable joins, at the switch of the lower kind first.
type Ports = [PortNumber; 2];

/// The trunks between switches of two kinds.
#[derive(Default)]
struct Trunks {
    /// How many there are, by cables.
    widths: BTreeMap<usize, usize>,
    /// By cables: the orders in which the other end has those of one end, and how many trunks have each.
    orders: BTreeMap<usize, BTreeMap<Vec<usize>, usize>>,
}

impl Trunks {
    /// Cables that most trunks have.
    fn width(&self) -> Option<usize> {
        let most = self.widths.iter().max_by_key(|&(_, count)| count);
        most.map(|(&width, _)| width)
    }

    /// The order that all whole trunks have.
    fn order(&self) -> Option<&[usize]> {
        let orders = self.orders.get(&self.width()?)?;
        let (order, &count) = orders.first_key_value()?;
        (orders.len() == 1 && count >= FEWEST_TRUNKS).then_some(order)
    }
}

impl Search<'_, '_> {
    /// Tells of cables missing between the same two switches which ports belong together, or all ports that they may be
    /// in, where nothing says so.
    pub(super) fn settle_trunks(&mut self) {
        let mut of_pair: BTreeMap<Pair, Vec<usize>> = BTreeMap::new();
        for (place, [one, other]) in self.found.iter().enumerate() {
            let pair = self.by_kind([one.switch, other.switch]);
            of_pair.entry(pair).or_default().push(place);
        }
        let trunks = self.trunks();
        for (pair, places) in of_pair {
            let kinds = pair.map(|switch| self.peers.kind_of(switch));
            let Some(trunks) = trunks.get(&kinds) else {
                continue;
            };
            let told = places.iter().map(|&place| self.ports_of(place, pair));
            let mut ends: [BTreeSet<PortNumber>; 2] = [BTreeSet::new(), BTreeSet::new()];
            for ports in told {
                for (end, ports) in ends.iter_mut().zip(ports) {
                    end.extend(ports);
                }
            }
            let [one, other] = pair;
            ends[0].extend(self.towards(one, other));
            ends[1].extend(self.towards(other, one));
            let left = self.left_of(pair);
            let missing = trunks.width().map(|width| width.saturating_sub(left.len()));
            let paired =
                in_order(trunks, &left, &ends).filter(|paired| paired.len() == places.len());
            if let Some(paired) = paired {
                for (&place, ports) in places.iter().zip(paired) {
                    self.set_ports(place, pair, ports.map(|port| vec![port]));
                }
                continue;
            }
            let are_all = missing.is_none_or(|missing| ends.iter().all(|end| end.len() >= missing));
            if are_all && self.are_told_apart(pair, &places, &left, &ends) {
                continue;
            }
            let all = [0, 1].map(|end| {
                let mut ports = std::mem::take(&mut ends[end]);
                if missing.is_none_or(|missing| ports.len() < missing) {
                    ports.extend(self.may_lead_to_switches(pair[end]));
                }
                ports.into_iter().collect::<Vec<_>>()
            });
            for place in places {
                self.set_ports(place, pair, all.clone());
            }
        }
    }

    /// Two switches, that of the lower kind first.
    fn by_kind(&self, mut pair: Pair) -> Pair {
        pair.sort_unstable_by_key(|&switch| (self.peers.kind_of(switch), switch));
        pair
    }

    /// The ports told of a cable at each of two switches.
    fn ports_of(&self, place: usize, pair: Pair) -> [Vec<PortNumber>; 2] {
        let [one, other] = &self.found[place];
        let ends = if one.switch == pair[0] {
            [one, other]
        } else {
            [other, one]
        };
        ends.map(|end| end.ports.clone())
    }

    fn set_ports(&mut self, place: usize, pair: Pair, ports: [Vec<PortNumber>; 2]) {
        let [here, there] = ports;
        let [one, other] = &mut self.found[place];
        let [first, second] = if one.switch == pair[0] {
            [one, other]
        } else {
            [other, one]
        };
        first.ports = here;
        second.ports = there;
    }

    /// The cables that are left between two switches.
    fn left_of(&self, [one, other]: Pair) -> BTreeSet<Ports> {
        let hops = self.fabric.hops(one).iter();
        let left = hops.filter(|hop| hop.switch == other);
        left.map(|hop| [hop.port, self.fabric.target(hop.channel).port])
            .collect()
    }

    /// All trunks, by the kinds of their ends.
    fn trunks(&self) -> BTreeMap<[usize; 2], Trunks> {
        let mut all: BTreeMap<[usize; 2], Trunks> = BTreeMap::new();
        for one in self.fabric.switch_ids() {
            for &other in self.pattern.near.neighbours(one).keys() {
                if one == other || self.by_kind([one, other]) != [one, other] {
                    continue;
                }
                let kinds = [one, other].map(|switch| self.peers.kind_of(switch));
                let left = self.left_of([one, other]);
                let trunks = all.entry(kinds).or_default();
                *trunks.widths.entry(left.len()).or_default() += 1;
                let orders = trunks.orders.entry(left.len()).or_default();
                *orders.entry(ranks(&left)).or_default() += 1;
            }
        }
        all
    }

    /// Tells whether the ports of each cable found are known: one is missing of a trunk that is whole but for it, or all are
    /// as far from each other as those of the cables that are left.
    fn are_told_apart(
        &self,
        pair: Pair,
        places: &[usize],
        left: &BTreeSet<Ports>,
        ends: &[BTreeSet<PortNumber>; 2],
    ) -> bool {
        if places.len() == 1 {
            // What is not told by ports is not told apart by them, either.
            let told = self.ports_of(places[0], pair);
            let step = the_step(left);
            let fits = |step: i32| matches!(&told[..], [a, b] if a.len() == 1 && b.len() == 1 && apart([a[0], b[0]]) == step);
            return ends
                .iter()
                .zip(&told)
                .all(|(end, told)| end.len() == told.len())
                && (left.len() < FEWEST_LEFT || step.is_none_or(fits));
        }
        let Some(step) = the_step(left).filter(|_| left.len() >= FEWEST_LEFT) else {
            return false;
        };
        places.iter().all(|&place| {
            let told = self.ports_of(place, pair);
            matches!(&told[..], [a, b] if a.len() == 1 && b.len() == 1 && apart([a[0], b[0]]) == step)
        })
    }

    /// The free ports of a switch of which nothing is expected and in which any of its kind has a cable to a switch.
    fn may_lead_to_switches(&self, switch: SwitchId) -> Vec<PortNumber> {
        let mut ports = self.open_ports(switch);
        ports.retain(|&port| self.peers.is_used(switch, port));
        ports
    }
}

/// The ports that missing cables join where all whole trunks have theirs in one order that the cables left have, too.
fn in_order(
    trunks: &Trunks,
    left: &BTreeSet<Ports>,
    ends: &[BTreeSet<PortNumber>; 2],
) -> Option<Vec<Ports>> {
    let order = trunks.order()?;
    let all = [0, 1].map(|end| {
        let left = left.iter().map(|ports| ports[end]);
        let all: BTreeSet<PortNumber> = left.chain(ends[end].iter().copied()).collect();
        all.into_iter().collect::<Vec<_>>()
    });
    if all.iter().any(|ports| ports.len() != order.len()) {
        return None;
    }
    let whole: BTreeSet<Ports> = all[0]
        .iter()
        .zip(order)
        .map(|(&here, &rank)| [here, all[1][rank]])
        .collect();
    left.is_subset(&whole)
        .then(|| whole.difference(left).copied().collect())
}

/// The place of each cable among the ports of the other end, in the order of those at this end.
fn ranks(cables: &BTreeSet<Ports>) -> Vec<usize> {
    let rank = |port: PortNumber| cables.iter().filter(|ports| ports[1] < port).count();
    cables.iter().map(|ports| rank(ports[1])).collect()
}

/// How far the port at the other end is from that at this one.
fn apart([here, there]: Ports) -> i32 {
    i32::from(there.number()) - i32::from(here.number())
}

/// How far the ports at both ends of each of some cables are apart, if these agree.
fn the_step(cables: &BTreeSet<Ports>) -> Option<i32> {
    let steps: BTreeSet<i32> = cables.iter().map(|&ports| apart(ports)).collect();
    let first = steps.first().copied();
    first.filter(|_| steps.len() == 1)
}
