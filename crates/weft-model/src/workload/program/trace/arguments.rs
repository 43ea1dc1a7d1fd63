//! The words of a line of a time-independent trace, and what they are.

use super::super::{Collective, MOST_COMPUTE_NS, MOST_MESSAGE_BYTES};

/// Ranks a trace may have.
pub(super) const MOST_RANKS: u32 = 1 << 20;

const ANY_SOURCE: i64 = -333;
const ANY_TAG: i64 = -444;

/// Sizes of `SimGrid`'s datatypes by their number, from 0 on, those of Fortran as MPI has them.
const SIZES: [u64; 56] = [
    8, 4, 1, 2, 8, 4, 1, 8, // double, int, char, short, long, float, byte, long long
    1, 1, 2, 4, 8, 8, // signed and unsigned char, unsigned short, int, long and long long
    16, 4, 1, // long double, wide character, truth value
    1, 2, 4, 8, 1, 2, 4, 8, // whole numbers of 8 to 64 bits, with sign and without
    8, 16, 32, 8, 8, // complex float, double and long double, address, offset
    8, 16, 16, 8, 8, 8, 16,
    16, // pairs: float, long, double and short with int; two int, float, double, long
    4, 4, 8, 16, 8, 16, 32, // REAL, REAL*4 to REAL*16, COMPLEX*8 to COMPLEX*32
    1, 2, 4, 8, 16, // INTEGER*1 to INTEGER*16
    32, 0, 0, 1, 8, 8, // long double with int, upper and lower bound, packed, pointer, count
];

/// Whole numbers are exact in a float below this.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The words of a line after rank and action.
pub(super) struct Arguments<'a> {
    pub(super) action: &'a str,
    /// The collective operation that it is, or starts; else the action.
    pub(super) operation: &'a str,
    pub(super) words: Vec<&'a str>,
    pub(super) default_size: u64,
}

/// The size of a datatype by its number, where the format tells it.
fn size_of(number: i64) -> Option<u64> {
    let place = usize::try_from(number).ok()?;
    SIZES.get(place).copied()
}

/// A whole number; traces written by hand have 1e6, too.
#[expect(
    clippy::cast_possible_truncation,
    reason = "whole, and within the range where floats are exact"
)]
fn whole(word: &str) -> Option<i64> {
    let float = || word.parse().ok().filter(|x: &f64| x.fract() == 0.0);
    let exact = || float().filter(|x| x.abs() < EXACT).map(|x| x as i64);
    word.parse().ok().or_else(exact)
}

/// Words after an action at most, where the format tells: more are two lines that have become one.
fn most_words(operation: &str) -> Option<usize> {
    Some(match operation {
        "finalize" | "barrier" => 0,
        "init" | "compute" | "sleep" | "waitall" => 1,
        "wait" | "bcast" | "allreduce" | "scan" | "exscan" => 3,
        "send" | "isend" | "recv" | "irecv" | "reduce" | "alltoall" | "allgather" => 4,
        "gather" | "scatter" => 5,
        "sendRecv" | "sendrecv" => 6,
        _ => return None,
    })
}

impl Arguments<'_> {
    /// Refuses words that the action has no use for.
    pub(super) fn check_count(&self) -> Result<(), String> {
        let most = most_words(self.operation);
        let Some(most) = most.filter(|&most| self.words.len() > most) else {
            return Ok(());
        };
        Err(format!(
            "found “{}” behind the last that {} has; expected at most {most} after it, and each action on a line of \
             its own",
            self.words[most], self.action
        ))
    }

    fn word(&self, index: usize, what: &str) -> Result<&str, String> {
        self.words.get(index).copied().ok_or_else(|| {
            format!(
                "{} ends before its {what}; the line is cut short",
                self.action
            )
        })
    }

    pub(super) fn whole(&self, index: usize, what: &str) -> Result<i64, String> {
        let word = self.word(index, what)?;
        whole(word).ok_or_else(|| {
            format!(
                "found “{word}” for the {what} of {}; expected a whole number",
                self.action
            )
        })
    }

    /// The time of an amount at a place, in ns; `ns_of_one` turns it into time.
    pub(super) fn time(&self, index: usize, what: &str, ns_of_one: f64) -> Result<f64, String> {
        let word = self.word(index, what)?;
        let wrong = |expected: &str| {
            let action = self.action;
            format!("found “{word}” for the {what} of {action}; expected {expected}")
        };
        let amount = word.parse().ok().filter(|x: &f64| *x >= 0.0);
        let ns = amount.ok_or_else(|| wrong("0 or more"))? * ns_of_one;
        if ns <= MOST_COMPUTE_NS {
            return Ok(ns);
        }
        Err(wrong(&format!(
            "no more than take {MOST_COMPUTE_NS:e} ns, or a faster host traced (flops per second)"
        )))
    }

    pub(super) fn rank(&self, index: usize, what: &str) -> Result<u32, String> {
        let found = self.whole(index, what)?;
        if found == ANY_SOURCE {
            return Err(format!(
                "{} from any rank ({ANY_SOURCE}): the trace does not tell whose message it was; \
                 expected a program without MPI_ANY_SOURCE",
                self.action
            ));
        }
        let rank = u32::try_from(found).ok().filter(|&rank| rank < MOST_RANKS);
        rank.ok_or_else(|| {
            format!(
                "found {found} for the {what} of {}; expected a rank",
                self.action
            )
        })
    }

    pub(super) fn tag(&self, index: usize) -> Result<u32, String> {
        let found = self.whole(index, "tag")?;
        if found == ANY_TAG {
            return Err(format!(
                "{} with any tag ({ANY_TAG}): the trace does not tell which message it was; \
                 expected a program without MPI_ANY_TAG",
                self.action
            ));
        }
        let tag = i32::try_from(found)
            .ok()
            .and_then(|tag| u32::try_from(tag).ok());
        tag.ok_or_else(|| {
            format!(
                "found {found} for the tag of {}; expected 0 to 2147483647",
                self.action
            )
        })
    }

    /// The size of the datatype at a place, if there is any.
    fn size(&self, index: usize) -> Result<u64, String> {
        if self.words.len() <= index {
            return Ok(self.default_size);
        }
        let number = self.whole(index, "datatype")?;
        size_of(number).ok_or_else(|| {
            format!(
                "{} counts datatype {number}, whose size the trace does not tell; expected 0 to {}",
                self.action,
                SIZES.len() - 1
            )
        })
    }

    /// The bytes that a receive has room for: a count at a place times the size of the datatype at
    /// another. None where the trace does not tell: there is no count, or a negative one (the
    /// receiver asked for the length first), or the size of the datatype is not known.
    pub(super) fn room(&self, index: usize, size_index: usize) -> Result<Option<u64>, String> {
        if self.words.len() <= index || self.whole(index, "count")? < 0 {
            return Ok(None);
        }
        if self.words.len() > size_index && size_of(self.whole(size_index, "datatype")?).is_none() {
            return Ok(None);
        }
        self.bytes(index, size_index).map(Some)
    }

    /// What is expected of another rank: as [`room`](Self::room), but that of what the trace does not
    /// tell the length of it tells whether it is anything.
    pub(super) fn expected(&self, index: usize, size_index: usize) -> Result<u64, String> {
        Ok(match self.room(index, size_index)? {
            Some(bytes) => bytes,
            None if self.whole(index, "count")? == 0 => 0,
            None => Collective::UNTOLD_BYTES,
        })
    }

    /// A count at a place times the size of the datatype at another.
    pub(super) fn bytes(&self, index: usize, size_index: usize) -> Result<u64, String> {
        let found = self.whole(index, "count")?;
        let size = self.size(size_index)?;
        let count = u64::try_from(found).map_err(|_| {
            let action = self.action;
            format!("found {found} for the count of {action}; expected 0 or more")
        })?;
        let bytes = count.saturating_mul(size);
        if bytes <= MOST_MESSAGE_BYTES {
            return Ok(bytes);
        }
        Err(format!(
            "found {found} for the count of {}, of {size} bytes each; expected no more than \
             {MOST_MESSAGE_BYTES} bytes in all",
            self.action
        ))
    }

    /// The root at a place, 0 if there is none.
    pub(super) fn root(&self, index: usize) -> Result<u32, String> {
        if self.words.len() > index {
            self.rank(index, "root")
        } else {
            Ok(0)
        }
    }
}
