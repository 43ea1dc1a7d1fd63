//! The lanes of pairs whose trees are laid for shifts.

use super::turns::Turns;
use super::{Asked, Trees};
use crate::form::ForwardingTables;
use crate::random::stream;
use rand::seq::SliceRandom;
use weft_fabric::{Fabric, SwitchId};

/// How often all pairs are looked at.
const ROUNDS: u32 = 4;

impl Trees<'_> {
    /// Puts all pairs with a switch's hosts on the lane with fewest turns where those of their ways fit; where some fit
    /// on none, every pair on its own of the tables.
    pub(super) fn choose_lanes(&mut self, fabric: &Fabric, tables: &ForwardingTables, lanes: u8) {
        let count = self.endpoints.count();
        let mut fit = true;
        for target in 0..self.hosts.len() {
            let to_hosts = self.hosts[target].clone();
            let mut pairs = Vec::new();
            for &to in &to_hosts {
                for from in self.sources(to) {
                    pairs.extend(
                        self.path(to, 0, from)
                            .windows(2)
                            .map(|two| [two[0], two[1]]),
                    );
                }
            }
            let mut order: Vec<u8> = (0..lanes).collect();
            order.sort_by_key(|&lane| self.turns.kinds(lane));
            let Some(lane) = order
                .into_iter()
                .find(|&lane| self.turns.take(lane, &pairs))
            else {
                fit = false;
                break;
            };
            // The same ways lead to further addresses.
            for _ in 1..self.addresses {
                self.turns.take(lane, &pairs);
            }
            for to in to_hosts {
                for at in 0..self.hosts.len() {
                    self.lanes[at * count + to] = lane;
                }
            }
        }
        if fit {
            return;
        }
        self.turns = Turns::new(self.space, tables.lane_count().max(lanes));
        for to in 0..count {
            for from in self.sources(to) {
                let Some(&source) = fabric.hosts_of(SwitchId::new(from)).first() else {
                    continue;
                };
                let lane = tables.lane(source.index(), to).number();
                self.lanes[from as usize * count + to] = lane;
                let path = self.path(to, 0, from);
                let pairs: Vec<_> = path.windows(2).map(|two| [two[0], two[1]]).collect();
                for _ in 0..self.addresses {
                    let is_free = self.turns.take(lane, &pairs);
                    debug_assert!(is_free, "the routes of a service level close no circle");
                }
            }
        }
    }

    /// Lets what a switch sends to a host travel on another lane that holds all its routes, where less shares it that goes
    /// from there to the same switch, to the same host, or from there at all: trees are laid with all pairs of a destination
    /// on one lane, where they wait for one another.
    pub(super) fn spread_over_lanes(&mut self, asked: Asked) {
        let mut pairs: Vec<(u32, usize)> = Vec::new();
        for to in 0..self.endpoints.count() {
            pairs.extend(self.sources(to).into_iter().map(|from| (from, to)));
        }
        let mut shared = Shared::new(self.hosts.len(), self.endpoints.count(), asked.lanes);
        for &pair in &pairs {
            for count in shared.of(self.lane_of(pair), self.ends(pair)) {
                *count += 1;
            }
        }
        for round in 0..ROUNDS {
            pairs.shuffle(&mut stream(asked.seed, "lanes for shifts", round.into()));
            let mut is_changed = false;
            for &pair in &pairs {
                is_changed |= self.send_apart(pair, &mut shared);
            }
            if !is_changed {
                break;
            }
        }
    }

    fn lane_of(&self, (from, to): (u32, usize)) -> u8 {
        self.lanes[from as usize * self.endpoints.count() + to]
    }

    /// Switch, switch and host.
    fn ends(&self, (from, to): (u32, usize)) -> [usize; 3] {
        [from as usize, self.endpoints.switch(to) as usize, to]
    }

    /// Puts what a switch sends to a host on a lane that less shares; tells whether it did.
    fn send_apart(&mut self, pair: (u32, usize), shared: &mut Shared) -> bool {
        let (before, ends) = (self.lane_of(pair), self.ends(pair));
        let (from, to) = pair;
        for count in shared.of(before, ends) {
            *count -= 1;
        }
        let most = shared.of(before, ends).map(|count| *count);
        let mut lanes: Vec<([u32; 3], u8)> = (0..shared.lanes)
            .map(|lane| (shared.of(lane, ends).map(|count| *count), lane))
            .filter(|&(counts, _)| counts < most)
            .collect();
        lanes.sort_unstable();
        let mut turns = Vec::new();
        for address in 0..self.addresses {
            let path = self.path(to, address, from);
            turns.extend(path.windows(2).map(|two| [two[0], two[1]]));
        }
        let mut lanes = lanes.into_iter().map(|(_, lane)| lane);
        let found = lanes.find(|&lane| self.turns.take(lane, &turns));
        for count in shared.of(found.unwrap_or(before), ends) {
            *count += 1;
        }
        let Some(lane) = found else {
            return false;
        };
        self.turns.give_back(before, &turns);
        self.lanes[from as usize * self.endpoints.count() + to] = lane;
        true
    }
}

/// How many pairs of a switch and a host there are on each lane.
struct Shared {
    /// By lane and two switches; by lane and host; by lane and switch.
    counts: [Vec<u32>; 3],
    switches: usize,
    hosts: usize,
    lanes: u8,
}

impl Shared {
    fn new(switches: usize, hosts: usize, lanes: u8) -> Self {
        let sizes = [switches * switches, hosts, switches];
        Self {
            counts: sizes.map(|size| vec![0; size * usize::from(lanes)]),
            switches,
            hosts,
            lanes,
        }
    }

    /// The pairs on a lane from a switch to another, to a host, and from the switch.
    fn of(&mut self, lane: u8, [from, to, host]: [usize; 3]) -> [&mut u32; 3] {
        let lane = usize::from(lane);
        let [between, to_host, out] = &mut self.counts;
        [
            &mut between[(lane * self.switches + from) * self.switches + to],
            &mut to_host[lane * self.hosts + host],
            &mut out[lane * self.switches + from],
        ]
    }
}
