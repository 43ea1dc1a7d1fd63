//! Jellyfish: a random regular graph, grown link by link.

use super::size::{at_least, check_size, invalid};
use super::topology::{SEED, Topology, hosts_per_switch};
use super::wiring::Wiring;
use crate::metrics::connected_parts;
use crate::{Fabric, FabricError};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeSet;
use weft_registry::Spec;

/// Networks grown before giving up.
const MAX_DRAWS: u32 = 1_000;
/// Pairs tried before all that can be joined are listed.
const MAX_TRIES: u32 = 64;
/// Keeps this stream of random numbers apart from others with the user's seed ("jellyfis").
const PURPOSE: u64 = 0x6a65_6c6c_7966_6973;

/// What a Jellyfish is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JellyfishParameters {
    /// Switches in the fabric.
    pub switches: u32,
    /// Links of each switch to others.
    pub degree: u32,
    /// Hosts on each switch.
    pub hosts_per_switch: u32,
    /// Selects one of the networks with these parameters.
    pub seed: u64,
}

/// Makes a Jellyfish: random switches that are not joined and have free ports are joined until
/// none are left; ports that stay free then are used by breaking random links.
///
/// A switch left with two free ports or more breaks a link between two switches it is not joined
/// to and is joined to both. Two joined switches left with a free port each (a case the publication
/// leaves open) break a link and are joined to one end of it each. When switches times degree is
/// odd, one port stays free. Ports are taken in the order in which the links were laid, a new link
/// in the place of the broken one.
///
/// # Errors
/// [`FabricError::InvalidParameter`] when no such network exists, [`FabricError::TooManyPorts`],
/// [`FabricError::TooLarge`], [`FabricError::NotFound`] when the draws run out before a connected
/// network came up.
///
/// # Determinism
/// Equal parameters give equal fabrics.
///
/// # Source
/// Singla, Hong, Popa, Godfrey, "Jellyfish: networking data centers randomly", NSDI 2012, §3.
pub fn jellyfish(parameters: &JellyfishParameters) -> Result<Fabric, FabricError> {
    let &JellyfishParameters {
        switches,
        degree,
        hosts_per_switch,
        seed,
    } = parameters;
    at_least("switches", switches, 2)?;
    at_least("hosts_per_switch", hosts_per_switch, 1)?;
    let least = (switches - 1).min(2);
    if degree < least || degree >= switches {
        let expected = format!("{least} to {} for {switches} switches", switches - 1);
        return Err(invalid("degree", &degree, expected));
    }
    check_size(
        u64::from(switches),
        u64::from(switches) * u64::from(hosts_per_switch),
        u64::from(degree) + u64::from(hosts_per_switch),
    )?;
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ PURPOSE);
    for _ in 0..MAX_DRAWS {
        let mut growth = Growth::new(switches, degree);
        if !growth.finish(&mut random) {
            continue;
        }
        let mut wiring = Wiring::uniform(switches, hosts_per_switch);
        wiring.links = growth.links;
        let name = format!("jellyfish-{switches}-degree{degree}-seed{seed}");
        let fabric = wiring.build(name)?;
        if connected_parts(&fabric).len() == 1 {
            return Ok(fabric);
        }
    }
    Err(FabricError::NotFound {
        what: "connected Jellyfish",
        draws: MAX_DRAWS,
    })
}

/// A network on its way.
struct Growth {
    links: Vec<[u32; 2]>,
    joined: BTreeSet<[u32; 2]>,
    /// Free ports of each switch.
    free: Vec<u32>,
    /// Switches with free ports, in no order.
    open: Vec<u32>,
    /// Where each switch stands in `open`.
    place: Vec<usize>,
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl Growth {
    fn new(switches: u32, degree: u32) -> Self {
        Self {
            links: Vec::new(),
            joined: BTreeSet::new(),
            free: vec![degree; switches as usize],
            open: (0..switches).collect(),
            place: (0..switches as usize).collect(),
        }
    }

    fn can_join(&self, a: u32, b: u32) -> bool {
        a != b && !self.joined.contains(&sorted([a, b]))
    }

    fn take_port(&mut self, switch: u32) {
        self.free[switch as usize] -= 1;
        if self.free[switch as usize] == 0 {
            let place = self.place[switch as usize];
            self.open.swap_remove(place);
            if let Some(&moved) = self.open.get(place) {
                self.place[moved as usize] = place;
            }
        }
    }

    /// Uses all ports but the one an odd number leaves, or fails.
    fn finish(&mut self, random: &mut Pcg64Mcg) -> bool {
        while let Some([a, b]) = self.pair(random) {
            self.links.push([a, b]);
            self.joined.insert(sorted([a, b]));
            self.take_port(a);
            self.take_port(b);
        }
        while let Some([a, b]) = self.left_over() {
            if !self.squeeze_in(a, b, random) {
                return false;
            }
        }
        true
    }

    /// A random pair that can be joined, if there is one.
    fn pair(&self, random: &mut Pcg64Mcg) -> Option<[u32; 2]> {
        for _ in 0..MAX_TRIES {
            let (&a, &b) = (self.open.choose(random)?, self.open.choose(random)?);
            if self.can_join(a, b) {
                return Some([a, b]);
            }
        }
        let mut pairs = Vec::new();
        for (index, &a) in self.open.iter().enumerate() {
            let partners = self.open[index + 1..].iter();
            pairs.extend(partners.filter(|&&b| self.can_join(a, b)).map(|&b| [a, b]));
        }
        pairs.choose(random).copied()
    }

    /// Two free ports: of one switch if it has two, else of two that are joined.
    fn left_over(&self) -> Option<[u32; 2]> {
        let two = self.open.iter().find(|&&s| self.free[s as usize] >= 2);
        match (two, self.open.as_slice()) {
            (Some(&switch), _) => Some([switch, switch]),
            (None, &[a, b, ..]) => Some([a, b]),
            _ => None,
        }
    }

    /// Breaks a random link and joins `a` to one of its ends and `b` to the other.
    fn squeeze_in(&mut self, a: u32, b: u32, random: &mut Pcg64Mcg) -> bool {
        let mut order: Vec<usize> = (0..self.links.len()).collect();
        order.shuffle(random);
        for index in order {
            let [mut x, mut y] = self.links[index];
            if random.random::<bool>() {
                (x, y) = (y, x);
            }
            if self.can_join(a, x) && self.can_join(b, y) {
                self.joined.remove(&sorted([x, y]));
                self.links[index] = [a, x];
                self.links.push([b, y]);
                self.joined.insert(sorted([a, x]));
                self.joined.insert(sorted([b, y]));
                self.take_port(a);
                self.take_port(b);
                return true;
            }
        }
        false
    }
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "jellyfish",
    title: "Jellyfish",
    summary: "A random regular network, grown link by link.",
    source: "Singla, Hong, Popa, Godfrey, Jellyfish: networking data centers randomly, NSDI 2012, \
             §3",
    parameters: &[
        Spec::whole("switches", 2, "32").says("Number of switches."),
        Spec::whole("degree", 1, "6").says("Links of each switch to others."),
        hosts_per_switch("4"),
        SEED,
    ],
    make: |values| {
        jellyfish(&JellyfishParameters {
            switches: values.parsed("switches"),
            degree: values.parsed("degree"),
            hosts_per_switch: values.parsed("hosts_per_switch"),
            seed: values.seed(),
        })
    },
};
