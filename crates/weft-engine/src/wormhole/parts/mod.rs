//! One simulation in parts of the fabric, each with a core of its own, on several threads.
//!
//! All cores simulate the same *window*, which is as long as the shortest flight over a channel from part to
//! part: what happens beyond in it has no effect before its end. Then they tell one another, in letters,
//! what has happened at their borders. Windows without any event are passed over.
//!
//! Within a cycle the order of events does not matter, and ids of packets decide nothing; so the parts
//! together give, bit for bit, what one core of the whole fabric gives, whatever the division and however
//! many threads.

mod work;

pub(super) use work::FollowedWork;

use super::borders::{Borders, Letter};
use super::core::{Core, find_waiting_cycle};
use super::error::EngineError;
use super::flow::Timing;
use super::whole::Whole;
use crate::cycle::Cycle;
use crate::ids::Table;
use crate::parallel::{Division, Meeting};
use crate::probe::{Counters, Probe, WaitingPacket};
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use weft_fabric::{ChannelId, HostId, Node};
use weft_model::{ChannelUse, PoolUse};

/// Cores of all parts of a fabric.
#[derive(Debug)]
pub(super) struct Parts<'a, T: Timing> {
    cores: Vec<Core<'a, T>>,
    letters: Letters<T::Stride>,
    /// Which of the letters have not been read.
    turn: usize,
    counts: WindowCounts,
    /// Cycles of a window.
    window: u64,
    thread_count: usize,
    /// The parts at the beginning and the end of each channel.
    ends: Table<ChannelId, [usize; 2]>,
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

/// Letters from each part to each, of this window and the one before in turn.
#[derive(Debug)]
struct Letters<S> {
    part_count: usize,
    /// By part: the others that it has to do with.
    neighbours: Vec<Vec<usize>>,
    boxes: [Vec<Mutex<Letter<S>>>; 2],
}

impl<S> Letters<S> {
    /// No letters between parts that have to do with each other.
    fn new(neighbours: Vec<Vec<usize>>) -> Self {
        let part_count = neighbours.len();
        let boxes = || {
            let letters = (0..part_count * part_count).map(|_| Mutex::new(Letter::new()));
            letters.collect()
        };
        Self {
            part_count,
            neighbours,
            boxes: [boxes(), boxes()],
        }
    }

    /// The letters that have not been read.
    fn unread(&self, turn: usize) -> impl Iterator<Item = MutexGuard<'_, Letter<S>>> {
        let letters = self.boxes[turn].iter();
        letters.map(|letter| letter.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn between(&self, turn: usize, from: usize, to: usize) -> MutexGuard<'_, Letter<S>> {
        let letter = &self.boxes[turn][from * self.part_count + to];
        letter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Whole<'_, '_> {
    /// Cycles of a window: nothing that happens in one part has an effect in another before. 0 where a loss
    /// may have one at once.
    pub(super) fn window_cycles(&self, division: &Division) -> u64 {
        self.window_over(division.cut_channels(self.fabric))
    }

    /// By part: those that it has something to tell, or hears of. Losses may be told to any.
    fn neighbours(&self, division: &Division) -> Vec<Vec<usize>> {
        let part_count = division.part_count();
        let mut neighbours = vec![BTreeSet::new(); part_count];
        for channel in division.cut_channels(self.fabric) {
            let ends = self.fabric.switches_of(channel);
            let [from, to] = ends.map(|switch| division.part_of(switch));
            neighbours[from].insert(to);
            neighbours[to].insert(from);
        }
        if self.model.may_lose_packets() {
            for (part, others) in neighbours.iter_mut().enumerate() {
                others.extend((0..part_count).filter(|&other| other != part));
            }
        }
        neighbours.into_iter().map(Vec::from_iter).collect()
    }

    /// Cycles of a window where these channels lead from part to part.
    fn window_over(&self, cut: impl Iterator<Item = ChannelId>) -> u64 {
        let flights = cut.map(|channel| self.model.channels.of(channel).latency_cycles());
        let window = flights.min().unwrap_or(Cycle::NEVER.number());
        if self.model.may_lose_packets() {
            window.min(self.model.retransmit_after_cycles.into())
        } else {
            window
        }
    }
}

impl<'a, T: Timing + Clone + Send + Sync> Parts<'a, T>
where
    T::Stride: Send,
{
    /// Makes the cores of all parts at cycle 0, with an empty network; the model has been checked, and the
    /// division leaves windows of a cycle at least.
    pub(super) fn new(
        whole: &Whole<'_, 'a>,
        timing: &T,
        division: Division,
        window: u64,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let fabric = whole.fabric;
        let division = Arc::new(division);
        let part_count = division.part_count();
        let core = |part| {
            let borders = Borders::of(&division, part);
            Core::new(whole, timing.clone(), borders)
        };
        let core = &core;
        let cores = thread::scope(|scope| {
            let makers: Vec<_> = (0..part_count)
                .map(|part| scope.spawn(move || core(part)))
                .collect();
            let made = makers
                .into_iter()
                .map(|maker| maker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            made.collect::<Result<Vec<_>, _>>()
        })?;
        let part_at = |node| {
            let switch = match node {
                Node::Switch(switch) => switch,
                Node::Host(host) => fabric.host_switch(host),
            };
            division.part_of(switch)
        };
        let ends =
            |channel| [fabric.source(channel), fabric.target(channel)].map(|end| part_at(end.node));
        Ok(Self {
            cores,
            letters: Letters::new(whole.neighbours(&division)),
            turn: 0,
            counts: WindowCounts::default(),
            window,
            thread_count: thread_count.clamp(1, part_count.max(1)),
            ends: fabric.channel_ids().map(ends).collect(),
        })
    }

    /// What the windows were like. On several threads, of the first one's parts alone.
    pub(super) fn window_counts(&self) -> WindowCounts {
        self.counts
    }

    fn sender(&self, channel: ChannelId) -> &Core<'a, T> {
        &self.cores[self.ends[channel][0]]
    }
}

/// Simulates some parts, from number `first` on, from cycle `now` to `until`. The letters of the last window
/// are those of `turn`; it returns whose turn it is afterwards.
fn advance<T: Timing>(
    cores: &mut [Core<'_, T>],
    first: usize,
    letters: &Letters<T::Stride>,
    meeting: &Meeting,
    [mut now, until]: [u64; 2],
    window: u64,
    mut turn: usize,
) -> (usize, WindowCounts) {
    let _attendance = meeting.attend();
    let mut counts = WindowCounts::default();
    while now < until {
        counts.windows += 1;
        let mut most_events = 0;
        let end = until.min(now.saturating_add(window));
        let mut next_event = Cycle::NEVER.number();
        for (part, core) in (first..).zip(&mut *cores) {
            for &other in &letters.neighbours[part] {
                let mut letter = letters.between(turn, other, part);
                if !letter.is_empty() {
                    core.receive(&mut letter);
                }
            }
            let events_before = core.events();
            core.advance_window(Cycle::new(end));
            most_events = most_events.max(core.events() - events_before);
            for &other in &letters.neighbours[part] {
                let letter = &mut core.letters()[other];
                if !letter.is_empty() {
                    counts.letters += 1;
                    std::mem::swap(letter, &mut *letters.between(1 - turn, part, other));
                    next_event = end;
                }
            }
            next_event = next_event.min(core.next_event_cycle().number());
        }
        now = meeting.wait(next_event).clamp(end, until);
        turn = 1 - turn;
        counts.events_of_busiest += most_events;
    }
    for core in cores {
        core.advance_window(Cycle::new(until));
    }
    (turn, counts)
}

impl<T: Timing + Clone + Send + Sync> Parts<'_, T>
where
    T::Stride: Send,
{
    pub(super) fn now(&self) -> u64 {
        self.cores[0].now()
    }

    /// Simulates what happens before `until`; `false`, as it does not stop before.
    pub(super) fn run_before(&mut self, until: Cycle) -> bool {
        let (letters, window, turn) = (&self.letters, self.window, self.turn);
        let span = [self.cores[0].now(), until.number()];
        let parts_each = self.cores.len().div_ceil(self.thread_count);
        let meeting = &Meeting::new(self.cores.len().div_ceil(parts_each));
        thread::scope(|scope| {
            let mut groups = self.cores.chunks_mut(parts_each);
            let own = groups.next();
            let others = (1..).zip(groups).map(|(index, cores)| {
                let first = index * parts_each;
                scope.spawn(move || advance(cores, first, letters, meeting, span, window, turn))
            });
            let others: Vec<_> = others.collect();
            if let Some(cores) = own {
                let (turn, counts) = advance(cores, 0, letters, meeting, span, window, turn);
                self.turn = turn;
                self.counts.add(&counts);
            }
            for thread in others {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        });
        false
    }

    pub(super) fn tell(&mut self, probe: &mut impl Probe) {
        for core in &mut self.cores {
            core.tell(probe);
        }
    }

    pub(super) fn thread_count(&self) -> usize {
        self.thread_count
    }

    pub(super) fn reset_use(&mut self) {
        self.cores.iter_mut().for_each(Core::reset_use);
    }

    pub(super) fn reset_pools(&mut self) {
        self.cores.iter_mut().for_each(Core::reset_pools);
    }

    pub(super) fn channel_use(&self, channel: ChannelId) -> ChannelUse {
        self.sender(channel).channel_use(channel)
    }

    pub(super) fn pool_use(&self, host: HostId) -> PoolUse {
        let injection = self.cores[0].injection(host);
        self.sender(injection).pool_use(host)
    }

    pub(super) fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        let core = |part: usize| &self.cores[part];
        let mut on_their_way = BTreeSet::new();
        for letter in self.letters.unread(self.turn) {
            on_their_way.extend(letter.symbols.iter().map(|&(channel, _)| channel));
        }
        find_waiting_cycle(&self.cores[0], |channel| {
            let is_settled = !on_their_way.contains(&channel);
            is_settled.then(|| self.ends[channel].map(core))
        })
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.cores.iter().all(Core::is_at_rest)
    }

    pub(super) fn counters(&self) -> Counters {
        let unread = self.letters.unread(self.turn);
        let told = Counters {
            packets_alive: unread.map(|letter| letter.packet_count()).sum(),
            ..Counters::default()
        };
        let counters = self.cores.iter().map(Core::counters);
        counters.fold(told, |sum, core| Counters {
            events: sum.events + core.events,
            packet_hops: sum.packet_hops + core.packet_hops,
            packets_alive: sum.packets_alive + core.packets_alive,
        })
    }

    pub(super) fn hops_to_come(&self) -> u64 {
        self.cores.iter().map(Core::hops_to_come).sum()
    }

    pub(super) fn flit_hops(&self) -> u64 {
        let sent = |channel| self.sender(channel).flits_sent(channel);
        self.ends.ids().map(sent).sum()
    }
}
