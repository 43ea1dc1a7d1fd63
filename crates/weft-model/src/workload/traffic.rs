//! Random traffic: a pattern of destinations, a mix of sizes, an arrival process, an offered load.

use super::Packet;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use weft_fabric::HostId;

/// How a host draws destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pattern {
    /// Every other host with the same probability.
    Uniform,
}

/// How packets follow one another at a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// A constant interval, with a random phase per host.
    Constant,
    /// Exponential intervals.
    Poisson,
}

/// A payload size and its share of the packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeShare {
    /// Payload in bytes.
    pub payload_bytes: u32,
    /// Share of the packets (by number); shares are weights and need not add up to 1.
    pub share: f64,
}

/// What a [`Traffic`] is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// How destinations are drawn.
    pub pattern: Pattern,
    /// How packets follow one another.
    pub arrivals: Arrivals,
    /// Payload sizes, at least one.
    pub sizes: Vec<SizeShare>,
    /// Payload each host offers, in bytes (flits) per cycle, 0 < load ≤ 1,000.
    pub load_bytes_per_cycle: f64,
    /// Seed of all random streams.
    pub seed: u64,
}

/// Traffic cannot be generated from the parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// The load is zero, negative, absurdly large or not a number.
    #[error(
        "the offered load is {found} bytes per cycle and host; expected more than 0 and at most \
         {maximum} (a link carries 1)"
    )]
    Load {
        /// Load given.
        found: f64,
        /// Largest load.
        maximum: f64,
    },
    /// A share that is no weight.
    #[error(
        "payload size {payload_bytes} has share {share}; expected a positive share, from 1e-9 to \
         1e9"
    )]
    Share {
        /// Size given.
        payload_bytes: u32,
        /// Share given.
        share: f64,
    },
    /// No payload size at all.
    #[error("no payload size is given; expected at least one")]
    NoSize,
    /// A payload size out of range.
    #[error("a payload of {found} bytes; expected 1 to {maximum}")]
    Size {
        /// Size given.
        found: u32,
        /// Largest size.
        maximum: u32,
    },
    /// Too few hosts to talk to each other.
    #[error("the fabric has {found} hosts; uniform traffic needs at least 2")]
    TooFewHosts {
        /// Hosts of the fabric.
        found: usize,
    },
}

/// Largest payload accepted, 1 MiB: enough for every study, small enough for 32-bit flit counts.
const MAX_PAYLOAD_BYTES: u32 = 1 << 20;

/// Largest load accepted, a thousand times what a link carries.
const MAX_LOAD: f64 = 1000.0;

/// Shares accepted; sums and products of these are exact enough and never overflow.
const SHARES: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// Fractions of a cycle are kept to 2^-20, so that intervals add up without rounding drift.
const FRACTION_BITS: u32 = 20;

/// The time, in 2^-20 cycles, that never comes: a stream that reaches it has ended. It lies 2^44
/// cycles away, 30 hours of Myrinet.
const NEVER: u64 = u64::MAX;

/// Random streams are keyed by (seed, purpose, host); this is the purpose of traffic.
const TRAFFIC_PURPOSE: u64 = 0x7472_6166_6669_6300;

/// Random traffic over `host_count` hosts.
#[derive(Clone, Debug)]
pub struct Traffic {
    parameters: TrafficParameters,
    host_count: u32,
    /// Mean interval between a host's packets, in 2^-20 cycles.
    interval: f64,
    /// Per size: the upper bound of its share in units of 2^-32, ascending; the last is 2^32.
    cumulative_shares: Vec<u64>,
}

/// The random stream of one host.
#[derive(Clone, Debug)]
pub struct TrafficStream {
    random: Pcg64Mcg,
    /// Generation time of the next packet, in 2^-20 cycles.
    next_time: u64,
    host: u32,
}

/// This is one step of splitmix64: a bijection in which every bit of the result depends on every
/// bit of the argument.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// This mixes a key into a 128-bit seed.
fn stream_seed(seed: u64, purpose: u64, host: u64) -> [u8; 16] {
    let low = mix(mix(mix(seed) ^ purpose) ^ host);
    let high = mix(low ^ purpose);
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

impl Traffic {
    /// This prepares traffic among `host_count` hosts.
    ///
    /// # Errors
    /// [`TrafficError`] when a parameter is out of range.
    pub fn new(parameters: TrafficParameters, host_count: usize) -> Result<Self, TrafficError> {
        let load = parameters.load_bytes_per_cycle;
        if !(load > 0.0 && load <= MAX_LOAD) {
            return Err(TrafficError::Load {
                found: load,
                maximum: MAX_LOAD,
            });
        }
        if host_count < 2 {
            return Err(TrafficError::TooFewHosts { found: host_count });
        }
        if parameters.sizes.is_empty() {
            return Err(TrafficError::NoSize);
        }
        for &SizeShare {
            payload_bytes,
            share,
        } in &parameters.sizes
        {
            if payload_bytes == 0 || payload_bytes > MAX_PAYLOAD_BYTES {
                let maximum = MAX_PAYLOAD_BYTES;
                return Err(TrafficError::Size {
                    found: payload_bytes,
                    maximum,
                });
            }
            if !SHARES.contains(&share) {
                return Err(TrafficError::Share {
                    payload_bytes,
                    share,
                });
            }
        }
        let interval = parameters.mean_payload_bytes() / load * f64::from(1_u32 << FRACTION_BITS);
        // A load so tiny that the interval is infinite has packets that never come, as a finite
        // interval of this length has.
        let interval = interval.min(1e300);
        let total: f64 = parameters.sizes.iter().map(|size| size.share).sum();
        let mut sum = 0.0;
        let mut cumulative_shares: Vec<u64> = parameters
            .sizes
            .iter()
            .map(|size| {
                sum += size.share;
                whole(sum / total * 4_294_967_296.0)
            })
            .collect();
        if let Some(last) = cumulative_shares.last_mut() {
            *last = 1 << 32;
        }
        let host_count = HostId::from_index(host_count).number();
        Ok(Self {
            parameters,
            host_count,
            interval,
            cumulative_shares,
        })
    }

    /// These are the parameters the traffic was made from.
    pub fn parameters(&self) -> &TrafficParameters {
        &self.parameters
    }

    pub(super) fn stream(&self, host: HostId) -> TrafficStream {
        let seed = stream_seed(
            self.parameters.seed,
            TRAFFIC_PURPOSE,
            u64::from(host.number()),
        );
        let mut random = Pcg64Mcg::from_seed(seed);
        let next_time = match self.parameters.arrivals {
            Arrivals::Constant => whole(self.interval * unit(&mut random)),
            Arrivals::Poisson => self.exponential(&mut random),
        };
        TrafficStream {
            random,
            next_time,
            host: host.number(),
        }
    }

    fn exponential(&self, random: &mut Pcg64Mcg) -> u64 {
        whole(-libm::log(1.0 - unit(random)) * self.interval)
    }

    #[inline]
    pub(super) fn next_packet(&self, stream: &mut TrafficStream) -> Option<Packet> {
        if stream.next_time == NEVER {
            return None;
        }
        let generation_cycle = stream.next_time >> FRACTION_BITS;
        let payload_bytes = match self.parameters.sizes.as_slice() {
            [only] => only.payload_bytes,
            sizes => {
                let draw = u64::from(stream.random.next_u32());
                let index = self
                    .cumulative_shares
                    .partition_point(|&bound| bound <= draw);
                sizes[index].payload_bytes
            }
        };
        let destination = match self.parameters.pattern {
            Pattern::Uniform => {
                let draw = below(&mut stream.random, self.host_count - 1);
                HostId::new(draw + u32::from(draw >= stream.host))
            }
        };
        let interval = match self.parameters.arrivals {
            Arrivals::Constant => whole(self.interval),
            Arrivals::Poisson => self.exponential(&mut stream.random),
        };
        stream.next_time = stream.next_time.saturating_add(interval);
        Some(Packet {
            generation_cycle,
            destination,
            payload_bytes,
        })
    }
}

impl TrafficParameters {
    /// This is the mean payload of a packet in bytes.
    pub fn mean_payload_bytes(&self) -> f64 {
        let total: f64 = self.sizes.iter().map(|size| size.share).sum();
        let bytes = |size: &SizeShare| f64::from(size.payload_bytes) * size.share;
        self.sizes.iter().map(bytes).sum::<f64>() / total
    }
}

/// This draws from [0, 1) with 53 bits.
fn unit(random: &mut Pcg64Mcg) -> f64 {
    (random.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
}

/// This draws evenly from `0..bound` (Lemire's multiplication with rejection).
fn below(random: &mut Pcg64Mcg, bound: u32) -> u32 {
    let mut product = u64::from(random.next_u32()) * u64::from(bound);
    let remainder = |product: u64| product & u64::from(u32::MAX);
    if remainder(product) < u64::from(bound) {
        let threshold = u64::from(bound.wrapping_neg() % bound);
        while remainder(product) < threshold {
            product = u64::from(random.next_u32()) * u64::from(bound);
        }
    }
    (product >> 32) as u32
}

/// This rounds a non-negative number down to an integer; numbers beyond 64 bits become the largest
/// one, which is [`NEVER`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "arguments are not negative, and the cast stops at the largest value"
)]
fn whole(value: f64) -> u64 {
    value as u64
}
