//! The steps that a packet carries along.

use crate::form::Lane;
use weft_fabric::PortNumber;

/// The next steps of a packet, which it carries along: routes of all pairs are too many for any cache, and
/// a rule works steps out, so that they are asked for seldom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepsAhead {
    /// A byte each, the next one lowest.
    ports: u64,
    /// Four bits each, the next one lowest.
    lanes: u32,
    count: u8,
}

impl StepsAhead {
    /// No steps.
    pub const NONE: Self = Self {
        ports: 0,
        lanes: 0,
        count: 0,
    };

    /// The steps of a packet that travels on lanes so many above those of its route.
    #[must_use]
    #[inline]
    pub fn above(self, lanes: u8) -> Self {
        let everywhere = 0x1111_1111_u32
            & 1_u32
                .checked_shl(4 * u32::from(self.count))
                .map_or(!0, |end| end - 1);
        Self {
            lanes: self.lanes + u32::from(lanes) * everywhere,
            ..self
        }
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.count == 0
    }

    #[inline]
    pub(super) fn is_full(self) -> bool {
        self.count == 8
    }

    #[inline]
    pub(super) fn push(&mut self, port: PortNumber, lane: Lane) {
        self.ports |= u64::from(port.number()) << (8 * self.count);
        self.lanes |= u32::from(lane.number()) << (4 * self.count);
        self.count += 1;
    }

    /// Adds others, as many as fit.
    #[inline]
    pub(super) fn extend(&mut self, others: Self) {
        let count = u32::from(self.count);
        self.ports |= others.ports.checked_shl(8 * count).unwrap_or(0);
        self.lanes |= others.lanes.checked_shl(4 * count).unwrap_or(0);
        self.count = (self.count + others.count).min(8);
    }

    /// The lane of the first, and that of the last; lane 0 where there are none.
    #[inline]
    pub(super) fn end_lanes(self) -> [Lane; 2] {
        let last = 4 * u32::from(self.count.saturating_sub(1));
        [self.lanes, self.lanes >> last].map(|lanes| {
            let [lane, ..] = lanes.to_le_bytes();
            Lane::new(lane & 0xf)
        })
    }

    #[inline]
    pub(super) fn pop(&mut self) -> (PortNumber, Lane) {
        let [port, ..] = self.ports.to_le_bytes();
        let [lanes, ..] = self.lanes.to_le_bytes();
        self.ports >>= 8;
        self.lanes >>= 4;
        self.count -= 1;
        (PortNumber::new(port), Lane::new(lanes & 0xf))
    }
}
