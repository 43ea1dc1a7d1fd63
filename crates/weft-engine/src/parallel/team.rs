//! A simulation in parts of its fabric, each with a core of its own, on several threads.
//!
//! All cores simulate the same *window*, which is as short as the shortest time in which something that
//! happens in one part has an effect in another. Then they tell one another, in letters, what has happened
//! at their borders. Windows without any event are passed over.
//!
//! Within a cycle the order of events does not matter, and ids of packets decide nothing; so the parts
//! together give, bit for bit, what one core of the whole fabric gives, whatever the division and however
//! many threads.

use super::division::Division;
use super::meeting::{Meeting, clock};
use super::pace::Pace;
use crate::ids::Table;
use crate::queue::NEVER;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use weft_fabric::{ChannelId, Fabric};

/// The core of one part.
pub(crate) trait Part: Send {
    /// What it tells another.
    type Letter: Letter;

    /// The present cycle.
    fn now(&self) -> u64;

    /// Simulates the cycles before `until`, in which nothing that others will tell has an effect any more.
    fn advance_window(&mut self, until: u64);

    /// What is to be told others, by part, since the last time it was taken.
    fn letters(&mut self) -> &mut [Self::Letter];

    /// Takes what another part tells at the end of a window out of its letter.
    fn receive(&mut self, from: usize, letter: &mut Self::Letter);

    /// No event comes earlier.
    fn next_event_cycle(&self) -> u64;

    /// Events handled.
    fn events(&self) -> u64;
}

/// What one part tells another at the end of a window.
pub(crate) trait Letter: Default + Send + Debug {
    /// Whether it tells nothing.
    fn is_empty(&self) -> bool;
}

/// What the windows of a simulation in parts were like, as far as the time it takes depends on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowCounts {
    /// Windows.
    pub windows: u64,
    /// Events of the part that had the most in each window, summed over them.
    pub events_of_busiest: u64,
    /// Times that one part had something to tell another.
    pub letters: u64,
}

impl WindowCounts {
    fn add(&mut self, other: &Self) {
        self.windows += other.windows;
        self.events_of_busiest += other.events_of_busiest;
        self.letters += other.letters;
    }
}

/// The cores of all parts of a fabric.
#[derive(Debug)]
pub(crate) struct Team<P: Part> {
    parts: Vec<P>,
    mail: Mail<P::Letter>,
    counts: WindowCounts,
    /// Cycles of a window.
    window: u64,
    thread_count: usize,
    pace: Pace,
    /// The parts at the beginning and the end of each channel.
    ends: Table<ChannelId, [usize; 2]>,
}

impl<P: Part> Team<P> {
    /// Makes the cores of all parts, each on a thread of its own, with `make`. What happens in one part has no
    /// effect in another for a `window` of cycles; only `neighbours` tell one another something.
    pub(crate) fn new<E: Send>(
        fabric: &Fabric,
        division: &Division,
        neighbours: Vec<Vec<usize>>,
        window: u64,
        thread_count: usize,
        make: impl Fn(usize) -> Result<P, E> + Sync,
    ) -> Result<Self, E> {
        let part_count = division.part_count();
        let make = &make;
        let parts = thread::scope(|scope| {
            let makers: Vec<_> = (0..part_count)
                .map(|part| scope.spawn(move || make(part)))
                .collect();
            let made = makers
                .into_iter()
                .map(|maker| maker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            made.collect::<Result<Vec<_>, E>>()
        })?;
        Ok(Self {
            parts,
            mail: Mail::new(neighbours),
            counts: WindowCounts::default(),
            window,
            thread_count: thread_count.clamp(1, part_count.max(1)),
            pace: Pace::new(),
            ends: fabric
                .channel_ids()
                .map(|channel| division.ends(fabric, channel))
                .collect(),
        })
    }

    /// What the windows were like. On several threads, of the first one's parts alone.
    pub(crate) fn window_counts(&self) -> WindowCounts {
        self.counts
    }

    pub(crate) fn thread_count(&self) -> usize {
        self.thread_count
    }

    pub(crate) fn parts(&self) -> &[P] {
        &self.parts
    }

    pub(crate) fn parts_mut(&mut self) -> &mut [P] {
        &mut self.parts
    }

    /// All channels.
    pub(crate) fn channels(&self) -> impl Iterator<Item = ChannelId> + use<P> {
        self.ends.ids()
    }

    /// The parts at the beginning and the end of a channel.
    pub(crate) fn ends(&self, channel: ChannelId) -> [&P; 2] {
        self.ends[channel].map(|part| &self.parts[part])
    }

    /// The part at the beginning of a channel.
    pub(crate) fn sender(&self, channel: ChannelId) -> &P {
        &self.parts[self.ends[channel][0]]
    }

    /// The present cycle of all.
    pub(crate) fn now(&self) -> u64 {
        self.parts[0].now()
    }

    /// Simulates what happens before `until`.
    pub(crate) fn advance(&mut self, until: u64) {
        let mut now = self.now();
        while now < until {
            let (thread_count, most_windows) = self.pace.next(self.thread_count);
            let (reached, counts, worth) =
                self.advance_on(thread_count, [now, until], most_windows);
            now = reached;
            self.counts.add(&counts);
            match worth {
                None => self.pace.note_alone(counts.windows),
                Some(processors) => self.pace.note(processors),
            }
        }
    }

    /// Simulates at most so many windows on so many threads; tells the cycle reached, what the windows were like and
    /// on how many processors' worth of time several threads went on.
    fn advance_on(
        &mut self,
        thread_count: usize,
        span: [u64; 2],
        most_windows: u64,
    ) -> (u64, WindowCounts, Option<f64>) {
        let (mail, window) = (&self.mail, self.window);
        let parts_each = self.parts.len().div_ceil(thread_count);
        let meeting = &Meeting::new(self.parts.len().div_ceil(parts_each));
        let stretch = &Stretch {
            mail,
            meeting,
            span,
            window,
            most_windows,
        };
        if thread_count == 1 {
            let (reached, counts) = stretch.advance(&mut self.parts, 0);
            return (reached, counts, None);
        }
        let began = clock();
        let (own, at_work) = thread::scope(|scope| {
            let mut groups = self.parts.chunks_mut(parts_each);
            let own = groups.next().unwrap_or_default();
            let others = (1..).zip(groups).map(|(index, parts)| {
                let first = index * parts_each;
                scope.spawn(move || stretch.advance_timed(parts, first).1)
            });
            let others: Vec<_> = others.collect();
            let (own, mut at_work) = stretch.advance_timed(own, 0);
            for thread in others {
                at_work += thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            (own, at_work)
        });
        let (reached, counts) = own;
        let at_work = at_work.saturating_sub(meeting.given_away());
        let processors = at_work.as_secs_f64() / began.elapsed().as_secs_f64();
        (reached, counts, Some(processors))
    }
}

/// For each part, those that it shares a channel with.
pub(crate) fn neighbours(fabric: &Fabric, division: &Division) -> Vec<BTreeSet<usize>> {
    let mut neighbours = vec![BTreeSet::new(); division.part_count()];
    for channel in division.cut_channels(fabric) {
        let ends = fabric.switches_of(channel);
        let [from, to] = ends.map(|switch| division.part_of(switch));
        neighbours[from].insert(to);
        neighbours[to].insert(from);
    }
    neighbours
}

/// What all threads simulate before they look up.
struct Stretch<'m, L> {
    mail: &'m Mail<L>,
    meeting: &'m Meeting,
    /// Its first cycle, and that after its last.
    span: [u64; 2],
    window: u64,
    most_windows: u64,
}

impl<L: Letter> Stretch<'_, L> {
    /// The same with the time it took, waiting included.
    fn advance_timed<P: Part<Letter = L>>(
        &self,
        parts: &mut [P],
        first: usize,
    ) -> ((u64, WindowCounts), Duration) {
        let began = clock();
        let reached = self.advance(parts, first);
        (reached, began.elapsed())
    }

    /// Simulates some parts, from number `first` on; tells the cycle reached.
    fn advance<P: Part<Letter = L>>(&self, parts: &mut [P], first: usize) -> (u64, WindowCounts) {
        let &Self {
            mail,
            meeting,
            span: [mut now, until],
            window,
            most_windows,
        } = self;
        let _attendance = meeting.attend();
        let mut counts = WindowCounts::default();
        // Letters of a window are read while others write those of the next.
        let mut turn = 0;
        while now < until && counts.windows < most_windows {
            counts.windows += 1;
            let mut most_events = 0;
            let end = until.min(now.saturating_add(window));
            let mut next_event = NEVER;
            for (number, part) in (first..).zip(&mut *parts) {
                let events_before = part.events();
                part.advance_window(end);
                most_events = most_events.max(part.events() - events_before);
                for &other in &mail.neighbours[number] {
                    let letter = &mut part.letters()[other];
                    if !letter.is_empty() {
                        counts.letters += 1;
                        std::mem::swap(letter, &mut *mail.between(turn, number, other));
                        next_event = end;
                    }
                }
                next_event = next_event.min(part.next_event_cycle());
            }
            now = meeting.wait(next_event).clamp(end, until);
            for (number, part) in (first..).zip(&mut *parts) {
                for &other in &mail.neighbours[number] {
                    let mut letter = mail.between(turn, other, number);
                    if !letter.is_empty() {
                        part.receive(other, &mut letter);
                    }
                }
            }
            turn = 1 - turn;
            counts.events_of_busiest += most_events;
        }
        for part in parts {
            if part.now() < now {
                part.advance_window(now);
            }
        }
        (now, counts)
    }
}

/// Letters from each part to each, of this window and the one before in turn. All have been read when a
/// simulation pauses.
#[derive(Debug)]
struct Mail<L> {
    part_count: usize,
    /// By part: the others that it has to do with.
    neighbours: Vec<Vec<usize>>,
    boxes: [Vec<Mutex<L>>; 2],
}

impl<L: Letter> Mail<L> {
    /// No letters between parts that have to do with each other.
    fn new(neighbours: Vec<Vec<usize>>) -> Self {
        let part_count = neighbours.len();
        let boxes = || {
            let letters = (0..part_count * part_count).map(|_| Mutex::default());
            letters.collect()
        };
        Self {
            part_count,
            neighbours,
            boxes: [boxes(), boxes()],
        }
    }

    fn between(&self, turn: usize, from: usize, to: usize) -> MutexGuard<'_, L> {
        let letter = &self.boxes[turn][from * self.part_count + to];
        letter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
