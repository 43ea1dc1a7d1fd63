//! The states of ranks in few bytes: some ten for one that is not merged, where a span has 150.
//!
//! The spans of a rank follow one another from cycle 0 without a gap, so that each is known by its
//! length. Numbers are written seven bits a byte, the lowest first, as most are small.

use super::super::task::{Task, Work};
use crate::packed_numbers;

/// What a rank is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// Its processor computes.
    Computing,
    /// Its processor spends the overhead of sending.
    Sending,
    /// Its processor spends the overhead of receiving.
    Receiving,
    /// It is idle, with a packet not acknowledged or a message refused.
    WaitingAcknowledgement,
    /// It is idle otherwise.
    #[default]
    WaitingPacket,
    /// All its tasks are over.
    Finished,
}

impl Activity {
    /// All, in the order in which [`StateSpan::cycles`] has them.
    pub const ALL: [Self; 6] = [
        Self::Computing,
        Self::Sending,
        Self::Receiving,
        Self::WaitingAcknowledgement,
        Self::WaitingPacket,
        Self::Finished,
    ];
}

/// What a rank is doing, and the task it does so for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankState {
    /// What.
    pub activity: Activity,
    /// The task that computes, sends, receives or is waited for.
    pub task: Option<Task>,
}

/// A stretch of a rank's time: one state, or several that are too short to be told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateSpan {
    /// Whose.
    pub rank: u32,
    /// Cycle it begins in.
    pub begin_cycle: u64,
    /// Cycle it ends before.
    pub end_cycle: u64,
    /// Cycles of each of [`Activity::ALL`] in it.
    pub cycles: [u64; 6],
    /// The states in it.
    pub state_count: u64,
    /// The longest of these.
    pub longest: RankState,
    /// How long that is.
    pub longest_cycles: u64,
}

impl StateSpan {
    pub(super) fn length(&self) -> u64 {
        self.end_cycle - self.begin_cycle
    }

    /// Takes in the one that follows.
    pub(super) fn absorb(&mut self, next: &Self) {
        self.end_cycle = next.end_cycle;
        for (sum, cycles) in self.cycles.iter_mut().zip(next.cycles) {
            *sum += cycles;
        }
        self.state_count += next.state_count;
        if next.longest_cycles > self.longest_cycles {
            (self.longest, self.longest_cycles) = (next.longest, next.longest_cycles);
        }
    }
}

/// Set in the first byte of a span that is several states, merged.
const MERGED: u8 = 1 << 7;

/// The spans of one rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spans {
    bytes: Vec<u8>,
    count: usize,
}

impl Spans {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds the one that follows.
    pub(super) fn push(&mut self, span: &StateSpan) {
        let RankState { activity, task } = span.longest;
        let is_merged = span.state_count > 1;
        let kind = match task.map(|task| task.work) {
            None => 0,
            Some(Work::Compute { .. }) => 1,
            Some(Work::Send { .. }) => 2,
            Some(Work::Receive { .. }) => 3,
            Some(Work::Join) => 4,
            Some(Work::Until { .. }) => 5,
        };
        let merged = if is_merged { MERGED } else { 0 };
        self.bytes.push(activity as u8 | kind << 3 | merged);
        if is_merged {
            self.put(span.state_count);
            span.cycles.iter().for_each(|&cycles| self.put(cycles));
        }
        self.put(span.longest_cycles);
        if let Some(Task { work, line, .. }) = task {
            match work {
                Work::Compute { ns } => self.bytes.extend(ns.to_le_bytes()),
                Work::Send { to, tag, bytes } => {
                    self.put(to.into());
                    self.put(tag.into());
                    self.put(bytes);
                }
                Work::Receive { from, tag } => {
                    self.put(from.map_or(0, |rank| u64::from(rank) + 1));
                    self.put(tag.map_or(0, |tag| u64::from(tag) + 1));
                }
                Work::Until { cycle } => self.put(cycle),
                Work::Join => {}
            }
            self.put(line.into());
        }
        self.count += 1;
    }

    fn put(&mut self, number: u64) {
        packed_numbers::put(&mut self.bytes, number);
    }

    /// All of them, those of a rank.
    pub(super) fn of(self, rank: u32) -> impl Iterator<Item = StateSpan> {
        let mut place = Place::default();
        std::iter::from_fn(move || self.next(rank, &mut place))
    }

    /// The span at a place, which moves on to the next.
    fn next(&self, rank: u32, place: &mut Place) -> Option<StateSpan> {
        let mut rest = self.bytes.get(place.offset..)?;
        let (&first, after) = rest.split_first()?;
        rest = after;
        let activity = Activity::ALL[usize::from(first & 7)];
        let mut cycles = [0; 6];
        let state_count = if first & MERGED == 0 {
            1
        } else {
            let count = take(&mut rest);
            cycles.fill_with(|| take(&mut rest));
            count
        };
        let longest_cycles = take(&mut rest);
        if state_count == 1 {
            cycles[activity as usize] = longest_cycles;
        }
        let task = work(first >> 3 & 7, &mut rest).map(|work| {
            let line = short(take(&mut rest));
            Task::new(work, line)
        });
        let begin_cycle = place.cycle;
        place.cycle += cycles.iter().sum::<u64>();
        place.offset = self.bytes.len() - rest.len();
        Some(StateSpan {
            rank,
            begin_cycle,
            end_cycle: place.cycle,
            cycles,
            state_count,
            longest: RankState { activity, task },
            longest_cycles,
        })
    }
}

/// What a task does, of the kind told in the first byte of its span.
fn work(kind: u8, rest: &mut &[u8]) -> Option<Work> {
    let known = |number: u64| number.checked_sub(1).map(short);
    Some(match kind {
        0 => return None,
        1 => {
            let (ns, after) = rest.split_first_chunk()?;
            *rest = after;
            let ns = f64::from_le_bytes(*ns);
            Work::Compute { ns }
        }
        2 => Work::Send {
            to: short(take(rest)),
            tag: short(take(rest)),
            bytes: take(rest),
        },
        3 => Work::Receive {
            from: known(take(rest)),
            tag: known(take(rest)),
        },
        5 => Work::Until { cycle: take(rest) },
        _ => Work::Join,
    })
}

/// A number that was written from 32 bits.
#[expect(clippy::expect_used, reason = "what is read was written here")]
fn short(number: u64) -> u32 {
    u32::try_from(number).expect("it was written from 32 bits")
}

fn take(rest: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, after)) = rest.split_first() {
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// Where a reader of [`States`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    rank: u32,
    offset: usize,
    cycle: u64,
}

/// The spans of all ranks: by rank, and of each from the beginning to the end of the run without a
/// gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct States(Vec<Spans>);

impl States {
    pub(super) fn new(ranks: Vec<Spans>) -> Self {
        Self(ranks)
    }

    /// How many spans there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(Spans::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The span at a place, which moves on to the next; none at the end.
    pub fn next(&self, place: &mut Place) -> Option<StateSpan> {
        loop {
            let spans = self.0.get(place.rank as usize)?;
            if let Some(span) = spans.next(place.rank, place) {
                return Some(span);
            }
            *place = Place {
                rank: place.rank + 1,
                ..Place::default()
            };
        }
    }

    /// All spans, one after another.
    pub fn iter(&self) -> impl Iterator<Item = StateSpan> {
        let mut place = Place::default();
        std::iter::from_fn(move || self.next(&mut place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_not_merged_takes_some_ten_bytes() {
        let work = Work::Receive {
            from: Some(15),
            tag: Some(u32::MAX),
        };
        let task = Some(Task::new(work, 60_000));
        let activity = Activity::WaitingPacket;
        let mut cycles = [0; 6];
        cycles[activity as usize] = 40_000;
        let mut spans = Spans::default();
        for number in 0..1000 {
            spans.push(&StateSpan {
                rank: 0,
                begin_cycle: 40_000 * number,
                end_cycle: 40_000 * (number + 1),
                cycles,
                state_count: 1,
                longest: RankState { activity, task },
                longest_cycles: 40_000,
            });
        }
        assert_eq!(spans.bytes.len(), 13 * 1000);
    }

    #[test]
    fn every_span_comes_back() {
        let works = [
            Work::Compute { ns: 0.3 },
            Work::Until { cycle: 1 << 40 },
            Work::Send {
                to: u32::MAX,
                tag: 127,
                bytes: u64::MAX,
            },
            Work::Receive {
                from: Some(u32::MAX),
                tag: None,
            },
            Work::Receive {
                from: None,
                tag: Some(128),
            },
            Work::Join,
        ];
        let tasks = works.map(|work| Some(Task::new(work, 70_000)));
        let lengths = [1, 127, 128, 1 << 40];
        let mut expected = Vec::new();
        let mut at = 0;
        for (number, activity) in Activity::ALL.into_iter().enumerate() {
            for task in tasks.into_iter().chain([None]) {
                for length in lengths {
                    let mut cycles = [0; 6];
                    cycles[activity as usize] = length;
                    let mut span = StateSpan {
                        rank: 1,
                        begin_cycle: at,
                        end_cycle: at + length,
                        cycles,
                        state_count: 1,
                        longest: RankState { activity, task },
                        longest_cycles: length,
                    };
                    if number % 2 == 1 {
                        span.cycles[0] += 3;
                        span.end_cycle += 3;
                        span.state_count = 1 << 20;
                    }
                    at = span.end_cycle;
                    expected.push(span);
                }
            }
        }
        let mut spans = Spans::default();
        for span in &expected {
            spans.push(span);
        }
        // A rank without spans, as one whose run has no length, is passed over.
        let states = States::new(vec![Spans::default(), spans.clone(), Spans::default()]);
        assert_eq!(states.len(), expected.len());
        assert_eq!(states.iter().collect::<Vec<_>>(), expected);
        assert_eq!(spans.of(1).collect::<Vec<_>>(), expected);
    }
}
