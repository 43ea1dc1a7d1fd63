//! Where queue pairs are found by what they lead to: four bytes for each, as they tell their names themselves.

use crate::ids::{Id, Maybe, PairId};
use crate::slab::Slab;
use weft_fabric::{HostId, narrow};

/// What tells a queue pair from the others of its host: whether what it holds has to wait for what is urgent, where it
/// leads, and its number among those that lead there.
pub(crate) type Name = (bool, HostId, u8);

/// Something with a name.
pub(crate) trait Named {
    /// Its name, which does not change.
    fn name(&self) -> Name;
}

/// Queue pairs by their names.
#[derive(Debug, Default)]
pub(crate) struct PairNames {
    /// Each at the first place from that of its name on that was free, or [`LEFT`] where one is gone, which those
    /// behind it need not be told: a quarter at least is free, of a power of two.
    places: Vec<Maybe<PairId>>,
    /// Places that are not free.
    taken: usize,
    count: usize,
}

/// The least places that there are, once there are any.
const FEW: usize = 4;

/// The number of what is gone.
const LEFT: u32 = u32::MAX - 1;

impl PairNames {
    /// Where one with a name is looked for first.
    #[inline]
    fn begin(&self, (waits, leads_to, number): Name) -> usize {
        let name = u64::from(leads_to.number()) | u64::from(number) << 32 | u64::from(waits) << 40;
        // 2^64 over the golden ratio.
        let mixed = name.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = self.places.len().trailing_zeros();
        narrow((mixed >> 32) << bits >> 32, "places fit memory")
    }

    /// The place so many after another, with the first after the last.
    #[inline]
    fn on(&self, place: usize, by: usize) -> usize {
        place.wrapping_add(by) & (self.places.len() - 1)
    }

    /// The queue pair with a name, if there is one.
    pub(crate) fn find<T: Named>(&self, name: Name, pairs: &Slab<T, PairId>) -> Option<PairId> {
        if self.places.is_empty() {
            return None;
        }
        let gone = PairId::from_number(LEFT);
        let mut place = self.begin(name);
        while let Some(pair) = self.places[place].get() {
            if pair != gone && pairs[pair].name() == name {
                return Some(pair);
            }
            place = self.on(place, 1);
        }
        None
    }

    /// Adds a queue pair, with whose name there is no other.
    pub(crate) fn insert<T: Named>(&mut self, pair: PairId, pairs: &Slab<T, PairId>) {
        self.count += 1;
        if 4 * (self.taken + 1) > 3 * self.places.len() {
            let room = (2 * self.count).next_power_of_two().max(FEW);
            let before = std::mem::replace(&mut self.places, vec![Maybe::NONE; room]);
            self.taken = 0;
            let there = before.into_iter().filter_map(Maybe::get);
            for pair in there.filter(|pair| pair.to_number() != LEFT) {
                self.enter(pair, pairs);
            }
        }
        self.enter(pair, pairs);
    }

    fn enter<T: Named>(&mut self, pair: PairId, pairs: &Slab<T, PairId>) {
        let mut place = self.begin(pairs[pair].name());
        while self.places[place].is_some() {
            place = self.on(place, 1);
        }
        self.places[place] = pair.into();
        self.taken += 1;
    }

    /// Takes out a queue pair that is there.
    pub(crate) fn remove(&mut self, pair: PairId, name: Name) {
        self.count -= 1;
        let mut place = self.begin(name);
        while !self.places[place].is(pair) {
            place = self.on(place, 1);
        }
        let gone = PairId::from_number(LEFT);
        self.places[place] = gone.into();
        // With nobody behind it, it is free, and so are those before it that are gone.
        while self.places[self.on(place, 1)].is_none() && self.places[place].is(gone) {
            self.places[place] = Maybe::NONE;
            self.taken -= 1;
            place = self.on(place, usize::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    impl Named for Name {
        fn name(&self) -> Name {
            *self
        }
    }

    #[test]
    fn queue_pairs_are_found_as_in_a_map() {
        let (mut names, mut pairs) = (PairNames::default(), Slab::<Name, PairId>::new());
        let mut expected = BTreeMap::<Name, PairId>::new();
        let mut draw = 1_u64;
        let mut random = move |below: u64| {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (draw >> 33) % below
        };
        for round in 0..20_000 {
            // Many at times, few at others.
            let hosts = if round % 4_000 < 2_000 { 200 } else { 5 };
            #[expect(clippy::cast_possible_truncation, reason = "few")]
            let name = (
                random(2) > 0,
                HostId::new(random(hosts) as u32),
                random(2) as u8,
            );
            let found = names.find(name, &pairs);
            assert_eq!(found, expected.get(&name).copied());
            match found {
                Some(pair) if random(2) > 0 => {
                    names.remove(pair, name);
                    pairs.remove(pair);
                    expected.remove(&name);
                }
                Some(_) => {}
                None => {
                    let pair = pairs.insert(name);
                    names.insert(pair, &pairs);
                    expected.insert(name, pair);
                }
            }
        }
    }
}
