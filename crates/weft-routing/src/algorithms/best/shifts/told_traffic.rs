//! Ways apart for the traffic that was told: what a switch sends to a host spreads over as many as there are.
//!
//! Trees that are changed switch by switch stop where a way that shares no channel asks several switches to change at once, or
//! the way to another address to yield. So all ways of a switch to the further addresses of a host are laid anew together:
//! as a flow of so many units as there are addresses, below the least load that leaves room for it.

use super::disjoint_ways::ways_within;
use super::{Asked, NO_WAY, Trees};
use weft_fabric::narrow;

/// Edges that are looked at in all, for every way of a flow once.
const MOST_LOOKS: u64 = 1 << 26;

/// A way that was laid, with all that is needed to take it back.
struct Laid {
    to: usize,
    address: usize,
    /// Places of ways, with what was there.
    ways: Vec<(usize, u32)>,
    moved: Vec<Moved>,
}

/// A switch whose way to an address is another.
struct Moved {
    from: u32,
    before: Vec<u32>,
    after: Vec<u32>,
    lane_before: u8,
    lane: u8,
}

impl Trees<'_> {
    /// Lays the ways of switches to all addresses of a host but the first few anew, those with the fullest channels first,
    /// wherever the fullest of the channels that change gets emptier, round by round.
    pub(super) fn spread_told(&mut self, asked: Asked, first: usize) {
        let mut looks = MOST_LOOKS;
        for _ in 0..asked.rounds {
            let mut pairs = self.told_pairs(first);
            pairs.sort_by_key(|&(fullest, ..)| std::cmp::Reverse(fullest));
            let mut is_changed = false;
            for (_, kind, from, to) in pairs {
                is_changed |= self.spread_pair(kind, (from, to), first, &mut looks);
                if looks == 0 {
                    return;
                }
            }
            if !is_changed {
                break;
            }
        }
    }

    /// Per kind of traffic and pair that sends any: the load of the fullest channel of its ways.
    fn told_pairs(&self, first: usize) -> Vec<(u64, usize, u32, usize)> {
        let count = self.endpoints.count();
        let mut pairs = Vec::new();
        for (kind, demand) in self.demands.iter().enumerate() {
            for to in 0..count {
                let mut sources = self.sources(to);
                sources.retain(|&from| demand[from as usize * count + to] > 0);
                pairs.extend(sources.into_iter().map(|from| {
                    let ways = (first..self.addresses).flat_map(|way| self.path(to, way, from));
                    let fullest = ways.map(|edge| self.told_load(kind, edge)).max();
                    (fullest.unwrap_or(0), kind, from, to)
                }));
            }
        }
        pairs
    }

    fn told_load(&self, kind: usize, edge: u32) -> u64 {
        self.demanded[kind * self.space.edge_count() + edge as usize] * self.space.slowness(edge)
    }

    /// Lays the ways of a pair anew where channels can be emptier by that; tells whether they are.
    fn spread_pair(
        &mut self,
        kind: usize,
        (from, to): (u32, usize),
        first: usize,
        looks: &mut u64,
    ) -> bool {
        let addresses = first..self.addresses;
        let present: Vec<Vec<u32>> = addresses.map(|way| self.path(to, way, from)).collect();
        let Some(mut ways) = self.emptier_ways(kind, (from, to), &present, looks) else {
            return false;
        };
        let before = self.demanded.clone();
        let mut open: Vec<usize> = Vec::new();
        for (number, path) in present.iter().enumerate() {
            match ways.iter().position(|way| way == path) {
                Some(place) => drop(ways.swap_remove(place)),
                None => open.push(first + number),
            }
        }
        let mut laid: Vec<Laid> = Vec::new();
        for address in open {
            for place in 0..ways.len() {
                if let Some(one) = self.lay_way(to, address, &ways[place]) {
                    laid.push(one);
                    ways.swap_remove(place);
                    break;
                }
            }
        }
        let is_better = self.is_emptier(kind, &before);
        while let Some(one) = laid.pop().filter(|_| !is_better) {
            self.take_back(&one);
        }
        is_better
    }

    /// As many ways of a pair as it has, by which the fullest of their channels carries least, if it is less than now.
    ///
    /// Shapes: `present`, the edges of each way that it has.
    fn emptier_ways(
        &self,
        kind: usize,
        (from, to): (u32, usize),
        present: &[Vec<u32>],
        looks: &mut u64,
    ) -> Option<Vec<Vec<u32>>> {
        let edges = self.space.edge_count();
        let flow = self.demands[kind][from as usize * self.endpoints.count() + to];
        let mut others = self.demanded[kind * edges..][..edges].to_vec();
        for &edge in present.iter().flatten() {
            others[edge as usize] -= flow;
        }
        let ways = present.iter().flatten();
        let fullest = ways.map(|&edge| self.told_load(kind, edge)).max()?;
        let ways = present.len() as u64;
        let all = (0..).zip(&others);
        let mut loads: Vec<u64> = all
            .flat_map(|(edge, &others)| {
                let slowness = self.space.slowness(edge);
                (1..=ways).map(move |ways| (others + ways * flow) * slowness)
            })
            .filter(|&load| load < fullest)
            .collect();
        loads.sort_unstable();
        loads.dedup();
        let mut found = None;
        while !loads.is_empty() && *looks > 0 {
            *looks = looks.saturating_sub(ways * edges as u64);
            let place = loads.len() / 2;
            let room: Vec<u32> = (0..)
                .zip(&others)
                .map(|(edge, &others)| {
                    let most = loads[place] / self.space.slowness(edge);
                    let room = (most.saturating_sub(others) / flow).min(ways);
                    narrow(room, "a host has 128 addresses at most")
                })
                .collect();
            let ends = [from, self.endpoints.switch(to)];
            match ways_within(self.space, &room, ends, present.len()) {
                None => drop(loads.drain(..=place)),
                within => {
                    found = within;
                    loads.truncate(place);
                }
            }
        }
        found
    }

    /// Tells whether the fullest of the channels that carry another load than before is emptier, or fewer are as full; and no
    /// channel fuller than any by another kind of traffic.
    ///
    /// Shapes: `before`, per kind of traffic and edge.
    fn is_emptier(&self, kind: usize, before: &[u64]) -> bool {
        let edges = self.space.edge_count();
        (0..self.demands.len()).all(|other| {
            let of_kind = other * edges..(other + 1) * edges;
            let [now, then] = [&self.demanded[of_kind.clone()], &before[of_kind]];
            let fullest = |loads: &[u64]| {
                let mut fullest = (0, 0);
                for ((edge, load), (now, then)) in (0..).zip(loads).zip(now.iter().zip(then)) {
                    let load = load * self.space.slowness(edge);
                    if other == kind && now == then || load < fullest.0 {
                        continue;
                    }
                    let as_full = if load == fullest.0 { fullest.1 } else { 0 };
                    fullest = (load, as_full + 1);
                }
                fullest
            };
            if other == kind {
                fullest(now) < fullest(then)
            } else {
                fullest(now).0 <= fullest(then).0
            }
        })
    }

    /// Lets a switch send to an address by a way, and all switches on the way as well, and those behind them, each on a lane
    /// where that closes no circle; nothing where some has none.
    fn lay_way(&mut self, to: usize, address: usize, way: &[u32]) -> Option<Laid> {
        let count = self.endpoints.count();
        let of_source = |from| (from, self.path(to, address, from));
        let before: Vec<(u32, Vec<u32>)> = self.sources(to).into_iter().map(of_source).collect();
        let ways = way.iter().map(|&edge| {
            let place = self.place(to, address, self.space.tail(edge));
            (place, edge)
        });
        let mut ways: Vec<(usize, u32)> = ways.collect();
        for (place, edge) in &mut ways {
            std::mem::swap(&mut self.ways[*place], edge);
        }
        let mut moved = Vec::new();
        for (from, before) in before {
            let after = self.path(to, address, from);
            if after != before {
                let lane = self.lanes[from as usize * count + to];
                self.turns.give_back(lane, &turns_of(&before));
                moved.push(Moved {
                    from,
                    before,
                    after,
                    lane_before: lane,
                    lane,
                });
            }
        }
        let mut laid = Laid {
            to,
            address,
            ways,
            moved,
        };
        for number in 0..laid.moved.len() {
            if !self.turn_anew(&mut laid, number) {
                self.turn_back(&laid, number);
                return None;
            }
        }
        for one in &laid.moved {
            self.note_sent(to, &[(one.from, NO_WAY)]);
            self.unload(&one.before);
            self.load(&one.after);
        }
        Some(laid)
    }

    /// Takes the turns of a switch's new way on its lane, or on another that holds those to all addresses; tells whether it did.
    fn turn_anew(&mut self, laid: &mut Laid, number: usize) -> bool {
        let (to, address) = (laid.to, laid.address);
        let one = &mut laid.moved[number];
        let mut turns = turns_of(&one.after);
        if self.turns.take(one.lane, &turns) {
            return true;
        }
        let others = self.turns_to_others(to, address, one.from);
        self.turns.give_back(one.lane, &others);
        turns.extend(&others);
        let mut lanes = (0..self.turns.lane_count()).filter(|&lane| lane != one.lane);
        if let Some(lane) = lanes.find(|&lane| self.turns.take(lane, &turns)) {
            one.lane = lane;
            self.lanes[one.from as usize * self.endpoints.count() + to] = lane;
            return true;
        }
        let is_free = self.turns.take(one.lane, &others);
        debug_assert!(is_free, "these turns were made before");
        false
    }

    /// The turns of a switch's ways to all addresses of a host but one.
    fn turns_to_others(&self, to: usize, address: usize, from: u32) -> Vec<[u32; 2]> {
        let others = (0..self.addresses).filter(|&other| other != address);
        let paths = others.map(|other| self.path(to, other, from));
        paths.flat_map(|path| turns_of(&path)).collect()
    }

    /// Leaves the turns of the first switches' new ways, and takes those of the old ones of all.
    fn turn_back(&mut self, laid: &Laid, taken: usize) {
        let (to, address) = (laid.to, laid.address);
        let others: Vec<Vec<[u32; 2]>> = laid
            .moved
            .iter()
            .map(|one| {
                if one.lane == one.lane_before {
                    Vec::new()
                } else {
                    self.turns_to_others(to, address, one.from)
                }
            })
            .collect();
        for (one, others) in laid.moved.iter().zip(&others).take(taken) {
            self.turns.give_back(one.lane, &turns_of(&one.after));
            self.turns.give_back(one.lane, others);
        }
        for &(place, way) in &laid.ways {
            self.ways[place] = way;
        }
        for (one, others) in laid.moved.iter().zip(&others) {
            let mut turns = turns_of(&one.before);
            turns.extend(others);
            let is_free = self.turns.take(one.lane_before, &turns);
            debug_assert!(is_free, "these turns were made before");
            self.lanes[one.from as usize * self.endpoints.count() + to] = one.lane_before;
        }
    }

    /// Takes back the way that was laid last.
    fn take_back(&mut self, laid: &Laid) {
        for one in &laid.moved {
            self.note_sent(laid.to, &[(one.from, NO_WAY)]);
            self.unload(&one.after);
            self.load(&one.before);
        }
        self.turn_back(laid, laid.moved.len());
    }
}

fn turns_of(path: &[u32]) -> Vec<[u32; 2]> {
    path.windows(2).map(|two| [two[0], two[1]]).collect()
}
