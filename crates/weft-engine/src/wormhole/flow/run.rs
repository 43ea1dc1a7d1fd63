//! Stretches of flits at an even pace, and the pace of channels.
//!
//! Where all channels of a network are alike, a channel carries a flit a cycle and so does every
//! stretch; the compiler knows it ([`Even`]), and nothing is stored or computed for it. Otherwise
//! ([`Mixed`]) a channel has its own pace, and a stretch that is fed by a slower one keeps the pace of
//! that.

use crate::cycle::Cycle;
use crate::ids::Table;
use std::fmt::Debug;
use weft_fabric::ChannelId;
use weft_model::ChannelTimings;

/// Cycles from one flit to the next.
pub(crate) trait Stride: Copy + Debug + Eq {
    /// One cycle.
    const ONE: Self;
    /// Whether there is no other stride.
    const IS_ONE: bool;

    fn cycles(self) -> u64;
}

/// A flit a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct One;

impl Stride for One {
    const ONE: Self = Self;
    const IS_ONE: bool = true;

    #[inline]
    fn cycles(self) -> u64 {
        1
    }
}

/// A flit every so many cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cycles(u32);

impl Stride for Cycles {
    const ONE: Self = Self(1);
    const IS_ONE: bool = false;

    #[inline]
    fn cycles(self) -> u64 {
        u64::from(self.0)
    }
}

/// The timing of channels; those of sinks are one flit a cycle.
pub(crate) trait Timing: Debug {
    type Stride: Stride;

    /// Whether channels may lead to another part of the fabric, or come from one.
    const HAS_BORDERS: bool = false;

    /// Whether parts may fail and routes change.
    const HAS_CHANGES: bool = false;

    /// Cycles a flit takes to leave.
    fn pace(&self, channel: ChannelId) -> Self::Stride;

    /// Cycles from the one in which a flit begins to leave to the one in which it has arrived.
    fn latency(&self, channel: ChannelId) -> u64;
}

/// All channels carry a flit a cycle and are equally long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Even {
    flight: u64,
}

impl Even {
    /// The timing, if it is such a one.
    pub(crate) fn of(channels: &ChannelTimings) -> Option<Self> {
        match channels {
            ChannelTimings::Alike(timing) if timing.cycles_per_flit == 1 => Some(Self {
                flight: timing.flight_cycles.into(),
            }),
            _ => None,
        }
    }
}

impl Timing for Even {
    type Stride = One;

    #[inline]
    fn pace(&self, _: ChannelId) -> One {
        One
    }

    #[inline]
    fn latency(&self, _: ChannelId) -> u64 {
        self.flight
    }
}

/// Each channel has a timing of its own.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    channels: Table<ChannelId, (Cycles, u64)>,
}

impl Mixed {
    /// The timings of `part_count` channels and sinks, of which so many are channels.
    pub(crate) fn new(channels: &ChannelTimings, channel_count: usize, part_count: usize) -> Self {
        let ids = (0..channel_count).map(ChannelId::from_index);
        let mut timings: Vec<_> = ids
            .map(|channel| channels.of(channel))
            .map(|timing| (Cycles(timing.cycles_per_flit), timing.latency_cycles()))
            .collect();
        timings.resize(part_count, (Cycles::ONE, 1));
        Self {
            channels: timings.into(),
        }
    }
}

impl Timing for Mixed {
    type Stride = Cycles;

    #[inline]
    fn pace(&self, channel: ChannelId) -> Cycles {
        self.channels[channel].0
    }

    #[inline]
    fn latency(&self, channel: ChannelId) -> u64 {
        self.channels[channel].1
    }
}

/// The timing of channels of a part of a fabric. The core of a whole fabric is compiled apart from that of a
/// part: what borders ask for would take a tenth more instructions there.
#[derive(Clone, Debug)]
pub(crate) struct InPart<T>(pub(crate) T);

impl<T: Timing> Timing for InPart<T> {
    type Stride = T::Stride;
    const HAS_BORDERS: bool = true;

    #[inline]
    fn pace(&self, channel: ChannelId) -> T::Stride {
        self.0.pace(channel)
    }

    #[inline]
    fn latency(&self, channel: ChannelId) -> u64 {
        self.0.latency(channel)
    }
}

/// The timing of channels of a fabric to which things happen, which others need not know of.
#[derive(Clone, Debug)]
pub(crate) struct Changing(pub(crate) Mixed);

impl Timing for Changing {
    type Stride = Cycles;
    const HAS_CHANGES: bool = true;

    #[inline]
    fn pace(&self, channel: ChannelId) -> Cycles {
        self.0.pace(channel)
    }

    #[inline]
    fn latency(&self, channel: ChannelId) -> u64 {
        self.0.latency(channel)
    }
}

/// A stretch in which a channel sends one packet's flits at an even pace: they begin to leave in
/// cycle `start`, every `stride` cycles from there on, the last one in cycle `end`. Runs may lie in
/// the future; then they are what will happen unless something intervenes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run<S> {
    pub(crate) start: Cycle,
    pub(crate) end: Cycle,
    pub(crate) stride: S,
}

impl<S: Stride> Run<S> {
    /// No run: it starts never and has no flit.
    pub(crate) const NONE: Self = Self {
        start: Cycle::NEVER,
        end: Cycle::new(Cycle::NEVER.number() - 1),
        stride: S::ONE,
    };

    /// Flits in the run.
    #[inline]
    pub(crate) fn flits(self) -> u64 {
        (self.end + self.stride.cycles() - self.start) / self.stride.cycles()
    }

    /// Flits of the run sent by the end of `cycle`.
    #[inline]
    pub(crate) fn flits_through(self, cycle: Cycle) -> u64 {
        if S::IS_ONE {
            (self.end.min(cycle) + 1).since(self.start)
        } else if self.start > cycle {
            0
        } else {
            (self.end.min(cycle) + self.stride.cycles() - self.start) / self.stride.cycles()
        }
    }

    /// Flits of the run sent before `cycle`.
    #[inline]
    pub(crate) fn flits_before(self, cycle: Cycle) -> u64 {
        cycle.before().map_or(0, |last| self.flits_through(last))
    }

    /// Cycle of the flit of this number, from 0.
    #[inline]
    pub(crate) fn cycle_of(self, flit: u64) -> Cycle {
        self.start + flit * self.stride.cycles()
    }

    /// The part sent by the end of `cycle`, in which or before which the run has begun.
    #[inline]
    pub(crate) fn through(self, cycle: Cycle) -> Self {
        let end = if S::IS_ONE {
            self.end.min(cycle)
        } else {
            self.cycle_of(self.flits_through(cycle) - 1)
        };
        Self { end, ..self }
    }

    /// The run without so many of its first flits.
    #[inline]
    pub(crate) fn after(self, flits: u64) -> Self {
        Self {
            start: self.cycle_of(flits),
            ..self
        }
    }

    /// The run so many cycles later: where a channel ends.
    #[inline]
    pub(crate) fn later(self, cycles: u64) -> Self {
        Self {
            start: self.start + cycles,
            end: self.end + cycles,
            ..self
        }
    }

    /// The first cycle from `cycle` on in which a flit is sent, or never.
    #[inline]
    pub(crate) fn next_at(self, cycle: Cycle) -> Cycle {
        if cycle <= self.start {
            if self.start <= self.end {
                self.start
            } else {
                Cycle::NEVER
            }
        } else if cycle <= self.end {
            self.cycle_of((cycle - self.start).div_ceil(self.stride.cycles()))
        } else {
            Cycle::NEVER
        }
    }
}
