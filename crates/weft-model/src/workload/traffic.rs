//! Random traffic: destinations, a mix of sizes, an arrival process, an offered load.

use super::Packet;
use super::arrivals::{Arrivals, Clock, FRACTION_BITS, NEVER, Pace};
use super::destinations::Destinations;
use super::error::TrafficError;
use super::random::{TRAFFIC, stream};
use super::sizes::{self, ShareOf, SizeMix, SizeShare};
use rand_pcg::Pcg64Mcg;
use weft_fabric::HostId;

/// What a [`Traffic`] is made from, but its destinations.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// How packets follow one another.
    pub arrivals: Arrivals,
    /// Payload sizes, at least one.
    pub sizes: Vec<SizeShare>,
    /// What the shares of the sizes are shares of.
    pub share_of: ShareOf,
    /// Payload each sending host offers, in bytes (flits) per cycle, 0 < load ≤ 1,000.
    pub load_bytes_per_cycle: f64,
    /// Seed of all random streams.
    pub seed: u64,
}

/// Largest load accepted, a thousand times what a link carries.
const MAX_LOAD: f64 = 1000.0;

impl TrafficParameters {
    /// This is the mean payload of a packet in bytes.
    pub fn mean_payload_bytes(&self) -> f64 {
        sizes::mean_payload_bytes(&self.sizes, self.share_of)
    }

    /// This refuses parameters out of range, which a [`Traffic`] over any hosts would refuse.
    ///
    /// # Errors
    /// [`TrafficError`] names the parameter.
    pub fn check(&self) -> Result<(), TrafficError> {
        self.pace().map(drop)
    }

    fn pace(&self) -> Result<Pace, TrafficError> {
        let load = self.load_bytes_per_cycle;
        if !(load > 0.0 && load <= MAX_LOAD) {
            return Err(TrafficError::Load {
                found: load,
                maximum: MAX_LOAD,
            });
        }
        sizes::check(&self.sizes)?;
        Pace::new(self.arrivals, self.mean_payload_bytes() / load)
    }
}

/// Random traffic among the hosts of a fabric. Every sending host offers the same load.
#[derive(Clone, Debug)]
pub struct Traffic {
    parameters: TrafficParameters,
    destinations: Destinations,
    pace: Pace,
    sizes: SizeMix,
}

/// The random stream of one host.
#[derive(Clone, Debug)]
pub struct TrafficStream {
    random: Pcg64Mcg,
    clock: Clock,
    host: u32,
}

impl Traffic {
    /// This prepares traffic.
    ///
    /// # Errors
    /// [`TrafficError`] when a parameter is out of range.
    pub fn new(
        parameters: TrafficParameters,
        destinations: Destinations,
    ) -> Result<Self, TrafficError> {
        let pace = parameters.pace()?;
        let sizes = SizeMix::new(&parameters.sizes, parameters.share_of);
        Ok(Self {
            parameters,
            destinations,
            pace,
            sizes,
        })
    }

    /// These are the parameters the traffic was made from.
    pub fn parameters(&self) -> &TrafficParameters {
        &self.parameters
    }

    /// This is where packets go.
    pub fn destinations(&self) -> &Destinations {
        &self.destinations
    }

    pub(super) fn stream(&self, host: HostId) -> TrafficStream {
        let mut random = stream(self.parameters.seed, TRAFFIC, host.number());
        let clock = if self.destinations.sends(host) {
            self.pace.start(&mut random)
        } else {
            Clock::SILENT
        };
        TrafficStream {
            random,
            clock,
            host: host.number(),
        }
    }

    #[inline]
    pub(super) fn next_packet(&self, stream: &mut TrafficStream) -> Option<Packet> {
        if stream.clock.next_time == NEVER {
            return None;
        }
        let generation_cycle = stream.clock.next_time >> FRACTION_BITS;
        let payload_bytes = self.sizes.draw(&mut stream.random);
        let destination = self.destinations.draw(stream.host, &mut stream.random);
        self.pace.advance(&mut stream.clock, &mut stream.random);
        Some(Packet {
            generation_cycle,
            destination,
            payload_bytes,
        })
    }
}
