//! Arrival processes: when a host generates packets. Listed in [`ARRIVALS`].

use super::error::TrafficError;
use super::random::{unit, whole};
use rand_pcg::Pcg64Mcg;
use weft_registry::{Choice, Entry, Kind, Spec, Values};

/// How packets follow one another at a host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// A constant interval, with a random phase per host.
    Constant,
    /// Exponential intervals.
    Poisson,
    /// Bursts: the host is on and off by turns, each for an exponential time. While it is on,
    /// packets follow at a constant interval, shorter than the mean one by the share of time it is
    /// on, so that the mean rate is that of the load.
    Bursts {
        /// Mean time on, in cycles; at least one.
        mean_on_cycles: f64,
        /// Mean time off, in cycles.
        mean_off_cycles: f64,
    },
}

/// An arrival process that can be chosen by name, and what makes it for a cycle of so many ns.
pub type ArrivalProcess = Entry<fn(&Values, f64) -> Arrivals>;

/// A time of a burst, 30 hours at most: longer than any run.
const BURST: Kind = Kind::Positive { most: 1.1e14 };

/// All arrival processes, in the order in which they are listed.
pub const ARRIVALS: &[ArrivalProcess] = &[
    ArrivalProcess {
        name: "constant",
        title: "Constant rate",
        summary: "One packet per interval, with a random phase per host.",
        source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, \
             2002",
        parameters: &[],
        make: |_, _| Arrivals::Constant,
    },
    ArrivalProcess {
        name: "poisson",
        title: "Poisson process",
        summary: "Exponential intervals.",
        source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
                 chapter 24",
        parameters: &[],
        make: |_, _| Arrivals::Poisson,
    },
    ArrivalProcess {
        name: "bursts",
        title: "Bursts",
        summary: "A host is on and off by turns, each for an exponential time; while it is on, \
                  packets follow at a constant interval. The mean rate is that of the load, so \
                  the rate while on is (on + off) / on times as high, and may exceed the link.",
        source: "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, \
                 chapter 24 (on–off modulated source)",
        parameters: &[
            Spec::of("on_ns", BURST, "20000")
                .says("Mean time a host is on.")
                .unit("ns"),
            Spec::of("off_ns", BURST, "60000")
                .says("Mean time it is off.")
                .unit("ns"),
        ],
        make: |values, cycle_ns| Arrivals::Bursts {
            mean_on_cycles: values.parsed::<f64>("on_ns") / cycle_ns,
            mean_off_cycles: values.parsed::<f64>("off_ns") / cycle_ns,
        },
    },
];

impl Arrivals {
    /// Reads a process such as `poisson` or `bursts:on_ns=20000,off_ns=60000`; a cycle lasts
    /// `cycle_ns`.
    ///
    /// # Errors
    /// [`TrafficError`] for an unknown name or parameter, or a value out of range.
    pub fn parse(text: &str, cycle_ns: f64) -> Result<Self, TrafficError> {
        let Choice { name, parameters } = Choice::parse(text, "bursts:on_ns=20000,off_ns=60000")?;
        let (process, values) = ArrivalProcess::choose("arrivals", ARRIVALS, &name, &parameters)?;
        Ok((process.make)(&values, cycle_ns))
    }
}

/// Fractions of a cycle are kept to 2^-20, so that intervals add up without rounding drift.
pub(super) const FRACTION_BITS: u32 = 20;

/// The time, in 2^-20 cycles, that never comes: a clock that reaches it has ended. It lies 2^44
/// cycles away, 30 hours of Myrinet.
pub(super) const NEVER: u64 = u64::MAX;

/// Bursts refused: those in which fewer packets than this come on average. Generating a packet
/// takes a step per burst, and bursts this short are nothing but a constant rate.
const LEAST_PACKETS_PER_BURST: f64 = 1e-4;

/// An arrival process at a given mean interval. All times are in 2^-20 cycles.
#[derive(Clone, Debug)]
pub(super) enum Pace {
    Constant { interval: f64 },
    Poisson { mean_interval: f64 },
    Bursts { interval: f64, on: f64, off: f64 },
}

/// When a host generates its next packet.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// Time of the next packet, in 2^-20 cycles.
    pub(super) next_time: u64,
    /// In bursts: what is left of the time on after that packet, in 2^-20 cycles.
    on_left: u64,
}

impl Clock {
    /// The clock of a host that sends nothing.
    pub(super) const SILENT: Self = Self {
        next_time: NEVER,
        on_left: 0,
    };
}

impl Pace {
    /// Prepares a process with a mean interval in cycles.
    pub(super) fn new(arrivals: Arrivals, mean_interval_cycles: f64) -> Result<Self, TrafficError> {
        let unit = f64::from(1_u32 << FRACTION_BITS);
        // A load so tiny that the interval is infinite has packets that never come, as a finite
        // interval of this length has.
        let mean_interval = (mean_interval_cycles * unit).min(1e300);
        match arrivals {
            Arrivals::Constant => Ok(Self::Constant {
                interval: mean_interval,
            }),
            Arrivals::Poisson => Ok(Self::Poisson { mean_interval }),
            Arrivals::Bursts {
                mean_on_cycles,
                mean_off_cycles,
            } => {
                let share_on = mean_on_cycles / (mean_on_cycles + mean_off_cycles);
                let interval = mean_interval * share_on;
                let packets_per_burst = mean_on_cycles * unit / interval;
                let is_long = mean_on_cycles >= 1.0 && packets_per_burst >= LEAST_PACKETS_PER_BURST;
                if !is_long {
                    return Err(TrafficError::ShortBursts {
                        mean_on_cycles,
                        packets_per_burst,
                    });
                }
                Ok(Self::Bursts {
                    interval,
                    on: mean_on_cycles * unit,
                    off: mean_off_cycles * unit,
                })
            }
        }
    }

    /// A host's clock at the start, in the steady state of the process.
    pub(super) fn start(&self, random: &mut Pcg64Mcg) -> Clock {
        match *self {
            Self::Constant { interval } => Clock {
                next_time: whole(interval * unit(random)),
                on_left: 0,
            },
            Self::Poisson { mean_interval } => Clock {
                next_time: exponential(mean_interval, random),
                on_left: 0,
            },
            Self::Bursts { interval, on, off } => {
                // Exponential times have no memory: what is left of one is distributed as a new one.
                let is_on = unit(random) * (on + off) < on;
                let mut clock = Clock {
                    next_time: if is_on { 0 } else { exponential(off, random) },
                    on_left: exponential(on, random),
                };
                let phase = whole(interval * unit(random));
                clock.spend_on_time(phase, on, off, random);
                clock
            }
        }
    }

    /// Moves a clock on to the next packet.
    #[inline]
    pub(super) fn advance(&self, clock: &mut Clock, random: &mut Pcg64Mcg) {
        let interval = match *self {
            Self::Constant { interval } => whole(interval),
            Self::Poisson { mean_interval } => exponential(mean_interval, random),
            Self::Bursts { interval, on, off } => {
                clock.spend_on_time(whole(interval), on, off, random);
                return;
            }
        };
        clock.next_time = clock.next_time.saturating_add(interval);
    }
}

impl Clock {
    /// Moves on by `needed` of time on, through as many times off as lie between.
    fn spend_on_time(&mut self, mut needed: u64, on: f64, off: f64, random: &mut Pcg64Mcg) {
        while needed > self.on_left && self.next_time < NEVER {
            needed -= self.on_left;
            let until_next_burst = self.on_left.saturating_add(exponential(off, random));
            self.next_time = self.next_time.saturating_add(until_next_burst);
            self.on_left = exponential(on, random);
        }
        self.next_time = self.next_time.saturating_add(needed);
        self.on_left = self.on_left.saturating_sub(needed);
    }
}

/// Draws from the exponential distribution.
fn exponential(mean: f64, random: &mut Pcg64Mcg) -> u64 {
    whole(-libm::log(1.0 - unit(random)) * mean)
}
