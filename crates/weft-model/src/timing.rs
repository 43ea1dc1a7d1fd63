//! How fast channels are and how far they reach, in whole cycles of one clock for all.
//!
//! A simulation counts time in cycles. The clock of a fabric is the time the fastest of its links
//! needs for one flit, so that in a fabric of equal links a channel carries one flit a cycle. A
//! slower link then needs the nearest whole number of cycles for a flit. Where that would be wrong
//! by more than [`MAX_RATE_ERROR`] for one of them, the clock is the smallest whole fraction of the
//! fastest link's flit time, down to 1/[`MAX_DIVISOR`], for which it is not; where there is none,
//! the fabric is refused.

use std::collections::BTreeMap;
use weft_fabric::{Cable, CableLength, ChannelId, Fabric, LinkId, LinkRate, PortKind};

/// Most that a link's rate may be wrong for being counted in whole cycles, as a share of the rate.
pub const MAX_RATE_ERROR: f64 = 0.01;

/// Most cycles the fastest link may need for a flit.
pub const MAX_DIVISOR: u32 = 16;

/// Largest number of cycles of a flit or a flight, far beyond any hardware.
const MAX_CYCLES: u32 = 1 << 30;

/// How fast one channel is and how far it reaches.
///
/// A flit that begins to leave in cycle `t` occupies the channel until the end of cycle
/// `t + cycles_per_flit − 1`. It arrives when it is there as a whole, in cycle
/// `t + cycles_per_flit − 1 + flight_cycles`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelTiming {
    /// Cycles from the beginning of one flit to the earliest beginning of the next; at least 1.
    pub cycles_per_flit: u32,
    /// Cycles a signal spends on the channel; at least 1.
    pub flight_cycles: u32,
}

impl ChannelTiming {
    /// The number of cycles from the one in which a flit, or a control symbol, begins to
    /// leave to the one in which it has arrived as a whole.
    pub fn latency_cycles(self) -> u64 {
        u64::from(self.cycles_per_flit) - 1 + u64::from(self.flight_cycles)
    }
}

/// The timings of all channels of a fabric. Both channels of a link have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelTimings {
    /// All channels are alike.
    Alike(ChannelTiming),
    /// By the number of the link.
    ByLink(Vec<ChannelTiming>),
}

impl ChannelTimings {
    /// The timing of a channel of the fabric they were made for.
    pub fn of(&self, channel: ChannelId) -> ChannelTiming {
        match self {
            Self::Alike(timing) => *timing,
            Self::ByLink(timings) => timings[channel.link().index()],
        }
    }

    /// Tells whether these are timings of a fabric with so many links.
    pub fn fits(&self, link_count: usize) -> bool {
        match self {
            Self::Alike(_) => true,
            Self::ByLink(timings) => timings.len() == link_count,
        }
    }
}

/// What links are like where the fabric does not say, and what it may say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkDefaults {
    /// Bits of a flit.
    pub flit_bits: f64,
    /// Data rate in Gbit/s, each way, of links whose rate is not known or not used.
    pub gbit_per_s: f64,
    /// Whether rates in InfiniBand's words are used; plain ones always are.
    pub uses_lanes: bool,
    /// Length of cables whose length is not known, in metres.
    pub metres: f64,
    /// Time of a signal for one metre, in ns.
    pub ns_per_metre: f64,
    /// Time a signal spends in a port of each kind, in ns, at each end of a cable.
    pub port_ns: PortDelays,
}

/// Time a signal spends in a port, in ns, by its kind; ports of unknown kind take none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PortDelays {
    /// Of a SAN port.
    pub san: f64,
    /// Of a LAN port.
    pub lan: f64,
}

/// The clock a fabric is simulated by, and its channels in cycles of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// Length of a cycle in ns.
    pub cycle_ns: f64,
    /// The channels.
    pub channels: ChannelTimings,
}

/// The nearest whole number of cycles of a time in a clock; one beyond 32 bits is the largest, which the
/// models refuse.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole, not negative, and the cast stops at the largest value"
)]
pub(crate) fn nearest_cycles(time_ns: f64, cycle_ns: f64) -> u32 {
    (time_ns / cycle_ns).round() as u32
}

/// No clock suits all links of a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClockError {
    /// A link's rate is no whole fraction of the clock's.
    #[error(
        "link {link} carries {found}, which no clock of at most {MAX_DIVISOR} cycles per flit of \
         the fastest link ({fastest}) counts to within 1 %; give it a rate that is a simple \
         fraction of the others'"
    )]
    Rates {
        /// Its ends.
        link: String,
        /// Its rate.
        found: String,
        /// Rate of the fastest link.
        fastest: String,
    },
    /// A link is too slow or too long to be counted.
    #[error("link {link} takes {found} cycles for {what}; expected at most {MAX_CYCLES}")]
    TooLong {
        /// Its ends.
        link: String,
        /// "a flit" or "its length".
        what: &'static str,
        /// Cycles it takes.
        found: String,
    },
}

impl LinkDefaults {
    /// The clock for links of which nothing is known.
    pub fn clock(&self) -> Clock {
        let cycle_ns = self.flit_bits / self.gbit_per_s;
        let timing = ChannelTiming {
            cycles_per_flit: 1,
            flight_cycles: whole_cycles(self.flight(Cable::UNKNOWN, cycle_ns)),
        };
        Clock {
            cycle_ns,
            channels: ChannelTimings::Alike(timing),
        }
    }

    /// The clock of a fabric.
    ///
    /// # Errors
    /// [`ClockError`] naming a link that no clock suits.
    pub fn clock_of(&self, fabric: &Fabric) -> Result<Clock, ClockError> {
        let mut rates: Vec<(f64, LinkId)> = Vec::new();
        let mut distinct: BTreeMap<Option<LinkRate>, LinkId> = BTreeMap::new();
        for id in fabric.link_ids() {
            distinct.entry(self.used_rate(fabric, id)).or_insert(id);
        }
        rates.extend(distinct.iter().map(|(&rate, &id)| (self.gbit(rate), id)));
        rates.sort_by(|a, b| b.0.total_cmp(&a.0));
        let Some(&(fastest, _)) = rates.first() else {
            return Ok(self.clock());
        };
        let error = |divisor: u32, rate: f64| {
            let exact = f64::from(divisor) * fastest / rate;
            (exact.round() / exact - 1.0).abs()
        };
        let suits = |divisor: &u32| rates.iter().all(|r| error(*divisor, r.0) <= MAX_RATE_ERROR);
        let Some(divisor) = (1..=MAX_DIVISOR).find(suits) else {
            let hardest = |rate: f64| {
                (1..=MAX_DIVISOR)
                    .map(|d| error(d, rate))
                    .fold(1.0, f64::min)
            };
            let worst = rates
                .iter()
                .max_by(|a, b| hardest(a.0).total_cmp(&hardest(b.0)));
            let (found, id) = worst.copied().unwrap_or((fastest, LinkId::from_index(0)));
            return Err(ClockError::Rates {
                link: fabric.describe_link(id),
                found: format!("{found} Gbit/s"),
                fastest: format!("{fastest} Gbit/s"),
            });
        };
        let cycle_ns = self.flit_bits / fastest / f64::from(divisor);
        let timings = fabric
            .link_ids()
            .map(|id| self.timing(fabric, id, cycle_ns))
            .collect::<Result<Vec<_>, _>>()?;
        let channels = match timings.first() {
            Some(&first) if timings.iter().all(|&timing| timing == first) => {
                ChannelTimings::Alike(first)
            }
            _ => ChannelTimings::ByLink(timings),
        };
        Ok(Clock { cycle_ns, channels })
    }

    /// The rate of a link, if it is known and used.
    fn used_rate(&self, fabric: &Fabric, id: LinkId) -> Option<LinkRate> {
        let rate = fabric.link(id).cable.rate;
        rate.filter(|rate| self.uses_lanes || rate.lanes().is_none())
    }

    fn gbit(&self, rate: Option<LinkRate>) -> f64 {
        rate.map_or(self.gbit_per_s, LinkRate::data_gbit_per_s)
    }

    /// The time a signal spends on a cable and in its ports, in cycles.
    fn flight(&self, cable: Cable, cycle_ns: f64) -> f64 {
        let metres = cable.length.map_or(self.metres, CableLength::metres);
        let port_ns = match cable.port_kind {
            None => 0.0,
            Some(PortKind::San) => self.port_ns.san,
            Some(PortKind::Lan) => self.port_ns.lan,
        };
        (metres * self.ns_per_metre + 2.0 * port_ns) / cycle_ns
    }

    fn timing(
        &self,
        fabric: &Fabric,
        id: LinkId,
        cycle_ns: f64,
    ) -> Result<ChannelTiming, ClockError> {
        let flit = self.flit_bits / self.gbit(self.used_rate(fabric, id)) / cycle_ns;
        let flight = self.flight(fabric.link(id).cable, cycle_ns);
        for (what, cycles) in [("a flit", flit), ("its length", flight)] {
            if cycles > f64::from(MAX_CYCLES) {
                return Err(ClockError::TooLong {
                    link: fabric.describe_link(id),
                    what,
                    found: format!("{cycles:.0}"),
                });
            }
        }
        Ok(ChannelTiming {
            cycles_per_flit: whole_cycles(flit.round()),
            flight_cycles: whole_cycles(flight),
        })
    }
}

/// A time in cycles: up to the next whole one, and at least one, since what arrives within a
/// cycle can be used in the next. A product that is whole but for its last bits stays that number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole, not negative, and the cast stops at the largest value"
)]
fn whole_cycles(cycles: f64) -> u32 {
    ((cycles - 1e-9).ceil() as u32).max(1)
}
