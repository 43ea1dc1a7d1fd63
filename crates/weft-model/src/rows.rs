//! Rows of numbers as bytes, where most of a row goes on from the one before by the same steps: such a row takes one.

use crate::packed_numbers::{put, take};

/// What a row is coded against: the one before it, and how far that was from the one before.
#[derive(Clone, Copy, Debug)]
struct Before<const COLUMNS: usize> {
    last: [u64; COLUMNS],
    steps: [u64; COLUMNS],
}

impl<const COLUMNS: usize> Before<COLUMNS> {
    const NOTHING: Self = Self {
        last: [0; COLUMNS],
        steps: [0; COLUMNS],
    };

    /// The row that would take one byte.
    fn expected(&self) -> [u64; COLUMNS] {
        let mut row = self.last;
        for (number, step) in row.iter_mut().zip(self.steps) {
            *number = number.wrapping_add(step);
        }
        row
    }

    fn go_on(&mut self, row: [u64; COLUMNS]) {
        for ((step, last), number) in self.steps.iter_mut().zip(self.last).zip(row) {
            *step = number.wrapping_sub(last);
        }
        self.last = row;
    }
}

/// Rows that are being coded.
///
/// A row is the columns that do not go on by their step before as the bits of a number, the first the lowest, and of
/// each the step by which it goes on; steps are small where their size is, whichever way they go. Columns that change most
/// often stand first, so that the bits take one byte.
#[derive(Debug)]
pub struct Rows<const COLUMNS: usize> {
    bytes: Vec<u8>,
    before: Before<COLUMNS>,
}

impl<const COLUMNS: usize> Default for Rows<COLUMNS> {
    fn default() -> Self {
        const { assert!(COLUMNS <= 64, "columns are bits of a number") };
        Self {
            bytes: Vec::new(),
            before: Before::NOTHING,
        }
    }
}

impl<const COLUMNS: usize> Rows<COLUMNS> {
    /// No rows, with room for so many of which most go on.
    pub fn with_room(count: usize) -> Self {
        let bytes = Vec::with_capacity(4 * (count + COLUMNS));
        Self {
            bytes,
            ..Self::default()
        }
    }

    /// The row that would take one byte after those there are.
    pub fn expected(&self) -> [u64; COLUMNS] {
        self.before.expected()
    }

    /// Adds a row.
    pub fn push(&mut self, row: [u64; COLUMNS]) {
        let expected = self.expected();
        let others = (0..COLUMNS).filter(|&column| row[column] != expected[column]);
        put(
            &mut self.bytes,
            others.clone().fold(0, |bits, column| bits | 1 << column),
        );
        for column in others {
            let step = row[column]
                .wrapping_sub(self.before.last[column])
                .cast_signed();
            put(
                &mut self.bytes,
                ((step << 1) ^ (step >> 63)).cast_unsigned(),
            );
        }
        self.before.go_on(row);
    }

    /// The bytes of the rows.
    pub fn coded(self) -> Box<[u8]> {
        self.bytes.into_boxed_slice()
    }
}

/// The rows that were coded as these bytes, in order.
pub fn decoded<const COLUMNS: usize>(bytes: &[u8]) -> impl Iterator<Item = [u64; COLUMNS]> {
    let (mut at, mut before) = (0, Before::<COLUMNS>::NOTHING);
    std::iter::from_fn(move || {
        let others = take(bytes, &mut at)?;
        let mut row = before.expected();
        for (column, number) in row.iter_mut().enumerate() {
            if others >> column & 1 != 0 {
                let code = take(bytes, &mut at)?;
                let step = (code >> 1) ^ (code & 1).wrapping_neg();
                *number = before.last[column].wrapping_add(step);
            }
        }
        before.go_on(row);
        Some(row)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_go_on_take_a_byte_each() {
        let row = |number: u64| [1000 - number, 7, u64::MAX - 100 + 3 * number];
        let mut rows = Rows::default();
        for number in 0..20 {
            rows.push(row(number));
        }
        assert_eq!(rows.expected(), row(20));
        let bytes = rows.coded();
        // 1000, 7 and -101 take 2, 1 and 2 bytes, the steps after them one each; beside them, which are told.
        assert_eq!(bytes.len(), (1 + 5) + (1 + 3) + 18);
        assert!(decoded(&bytes).eq((0..20).map(row)));
    }

    #[test]
    fn rows_come_back_whatever_they_are() {
        let mut draw = 1_u64;
        let mut random = move || {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let few = [8, 24, 64][(draw >> 59) as usize % 3];
            (draw.rotate_left(29) ^ draw) >> (64 - few)
        };
        for count in 0..200 {
            let told: Vec<[u64; 9]> = (0..count)
                .map(|_| std::array::from_fn(|_| random()))
                .collect();
            let mut rows = Rows::default();
            for &row in &told {
                rows.push(row);
            }
            assert!(decoded(&rows.coded()).eq(told));
        }
    }
}
