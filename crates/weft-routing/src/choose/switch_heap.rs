//! The heap from which `OpenSM` takes the switch nearest to a host.

use weft_fabric::SwitchId;

/// Entries below each.
const BELOW: usize = 4;

/// What no way leads to.
pub(super) const UNREACHED: u64 = u64::MAX;

/// Switches by distance. Of equally far ones the layout of the heap decides which comes first, so it is that
/// of `OpenSM`.
/// Source: `OpenSM`, `cl_heap.c`, with four entries below each.
#[derive(Clone, Debug)]
pub(super) struct SwitchHeap {
    /// The switches by place when none is reached.
    at_first: Vec<u32>,
    /// By place: distance and switch.
    entries: Vec<(u64, u32)>,
    /// Per switch: its place.
    places: Vec<u32>,
}

impl SwitchHeap {
    /// A heap of switches in the manager's order.
    ///
    /// The host that a tree leads to comes in last and leaves first: it lifts those above it, and the last
    /// takes its place at the top.
    pub(super) fn new(switches: &[SwitchId], switch_count: usize) -> Self {
        let numbers = switches.iter().map(|switch| switch.number());
        let mut at_first: Vec<u32> = numbers.collect();
        let mut place = at_first.len();
        at_first.push(u32::MAX);
        while place > 0 {
            let above = (place - 1) / BELOW;
            at_first.swap(place, above);
            place = above;
        }
        at_first.swap_remove(0);
        Self {
            at_first,
            entries: Vec::with_capacity(switches.len()),
            places: vec![u32::MAX; switch_count],
        }
    }

    /// Takes all switches in, none of them reached.
    pub(super) fn refill(&mut self) {
        self.entries.clear();
        let entries = self.at_first.iter().map(|&switch| (UNREACHED, switch));
        self.entries.extend(entries);
        for (place, &switch) in (0..).zip(&self.at_first) {
            self.places[switch as usize] = place;
        }
    }

    /// Lowers the distance of a switch that is in.
    pub(super) fn lower(&mut self, switch: u32, distance: u64) {
        let mut place = self.places[switch as usize] as usize;
        while place > 0 {
            let above = (place - 1) / BELOW;
            if distance >= self.entries[above].0 {
                break;
            }
            self.put(place, self.entries[above]);
            place = above;
        }
        self.put(place, (distance, switch));
    }

    /// Takes out the nearest switch, with its distance.
    pub(super) fn pop(&mut self) -> Option<(u64, u32)> {
        let last = self.entries.pop()?;
        let Some(&first) = self.entries.first() else {
            return Some(last);
        };
        let mut place = 0;
        loop {
            let mut below = BELOW * place + 1..self.entries.len().min(BELOW * (place + 1) + 1);
            let Some(mut least) = below.next() else {
                break;
            };
            for other in below {
                // Of equals the last.
                if self.entries[other].0 <= self.entries[least].0 {
                    least = other;
                }
            }
            if last.0 <= self.entries[least].0 {
                break;
            }
            self.put(place, self.entries[least]);
            place = least;
        }
        self.put(place, last);
        Some(first)
    }

    fn put(&mut self, place: usize, entry: (u64, u32)) {
        self.entries[place] = entry;
        self.places[entry.1 as usize] = SwitchId::from_index(place).number();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_six() -> SwitchHeap {
        let switches: Vec<SwitchId> = (0..6).map(SwitchId::new).collect();
        let mut heap = SwitchHeap::new(&switches, 6);
        heap.refill();
        heap
    }

    fn popped(mut heap: SwitchHeap, count: usize) -> Vec<u32> {
        let next = || heap.pop().map(|(_, switch)| switch);
        std::iter::from_fn(next).take(count).collect()
    }

    /// The host lifted 1 to where it had come from and 0 to 1's place; as it left, 1 came to the top.
    #[test]
    fn it_begins_as_the_host_left_it() {
        assert_eq!(of_six().at_first, [1, 0, 2, 3, 4, 5]);
    }

    /// 0 rises past 1, nothing past 0. Then the last is always put on top, and nothing below is nearer.
    #[test]
    fn equally_far_ones_come_from_the_end() {
        let mut heap = of_six();
        for switch in 0..6 {
            heap.lower(switch, 5);
        }
        assert_eq!(popped(heap, 6), [0, 5, 4, 3, 2, 1]);
    }

    /// 2 rises to the top. Below it, 0 and 3 are as near as one another, and 3 is the later.
    #[test]
    fn the_later_of_two_below_rises() {
        let mut heap = of_six();
        for switch in [2, 3, 0] {
            heap.lower(switch, 3);
        }
        assert_eq!(popped(heap, 3), [2, 3, 0]);
    }
}
