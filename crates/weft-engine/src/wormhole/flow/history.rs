//! The last few entries of each channel's history.

use crate::ids::{Id, Table};
use weft_fabric::ChannelId;

/// The last few entries of each channel's history, in rings of equal size, one per channel.
#[derive(Debug)]
pub(super) struct Rings<T> {
    items: Vec<T>,
    /// Entries pushed since the last were forgotten, per channel.
    pushed: Table<ChannelId, u64>,
    /// The ring size is two to this.
    size_bits: u32,
}

impl<T: Copy> Rings<T> {
    /// Rings for `channel_count` channels that remember at least `capacity` entries each.
    pub(super) fn new(channel_count: usize, capacity: u64, blank: T) -> Self {
        let size_bits = capacity.next_power_of_two().trailing_zeros();
        Self {
            items: vec![blank; channel_count << size_bits],
            pushed: Table::of(0, channel_count),
            size_bits,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the position is taken modulo the size"
    )]
    #[inline]
    fn slot(&self, channel: ChannelId, position: u64) -> usize {
        let within = position as usize & ((1 << self.size_bits) - 1);
        (channel.offset() << self.size_bits) + within
    }

    #[inline]
    pub(super) fn push(&mut self, channel: ChannelId, item: T) {
        let position = self.pushed[channel];
        let slot = self.slot(channel, position);
        self.items[slot] = item;
        self.pushed[channel] = position + 1;
    }

    /// Forgets a channel's entries, which nobody asks for any more. The next ones take the same few
    /// places again, so that short histories take little of the caches.
    #[inline]
    pub(super) fn forget(&mut self, channel: ChannelId) {
        self.pushed[channel] = 0;
    }

    /// The entry pushed `age` pushes before the newest (0 is the newest), if it is remembered.
    #[inline]
    pub(super) fn get(&self, channel: ChannelId, age: u32) -> Option<T> {
        let pushed = self.pushed[channel];
        if age >> self.size_bits != 0 || u64::from(age) >= pushed {
            return None;
        }
        Some(self.items[self.slot(channel, pushed - 1 - u64::from(age))])
    }
}
