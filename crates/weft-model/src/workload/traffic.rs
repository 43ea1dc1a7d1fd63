//! Random traffic: destinations, a mix of sizes, an arrival process, an offered load.

use super::arrivals::{Clock, FRACTION_BITS, NEVER, Pace};
use super::random::{TRAFFIC, stream};
use super::sizes::{self, SizeMix};
use super::{Arrivals, Destinations, Packet, ShareOf, SizeShare, TrafficError};
use crate::ChannelTimings;
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId};

/// What a [`Traffic`] is made from, but its destinations.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficParameters {
    /// How packets follow one another.
    pub arrivals: Arrivals,
    /// Payload sizes, at least one.
    pub sizes: Vec<SizeShare>,
    /// What the shares of the sizes are shares of.
    pub share_of: ShareOf,
    /// Payload each sending host offers, in bytes (flits) per cycle, 0 < load ≤ 1,000; on a link that
    /// takes several cycles for a flit, in bytes per so many cycles.
    pub load_bytes_per_cycle: f64,
    /// Seed of all random streams.
    pub seed: u64,
}

/// Largest load accepted, a thousand times what a link carries.
const MAX_LOAD: f64 = 1000.0;

impl TrafficParameters {
    /// Packets of one size.
    pub fn of_one_size(
        arrivals: Arrivals,
        payload_bytes: u32,
        load_bytes_per_cycle: f64,
        seed: u64,
    ) -> Self {
        let share = 1.0;
        let sizes = vec![SizeShare {
            payload_bytes,
            share,
        }];
        Self {
            arrivals,
            sizes,
            share_of: ShareOf::Packets,
            load_bytes_per_cycle,
            seed,
        }
    }

    /// The mean payload of a packet in bytes.
    pub fn mean_payload_bytes(&self) -> f64 {
        sizes::mean_payload_bytes(&self.sizes, self.share_of)
    }

    /// Refuses parameters out of range, which a [`Traffic`] over any hosts would refuse.
    ///
    /// # Errors
    /// [`TrafficError`] names the parameter.
    pub fn check(&self) -> Result<(), TrafficError> {
        self.pace(1).map(drop)
    }

    /// How packets follow one another at a host whose link takes so many cycles for a flit.
    fn pace(&self, cycles_per_flit: u32) -> Result<Pace, TrafficError> {
        let load = self.load_bytes_per_cycle;
        if !(load > 0.0 && load <= MAX_LOAD) {
            return Err(TrafficError::Load {
                found: load,
                maximum: MAX_LOAD,
            });
        }
        sizes::check(&self.sizes)?;
        let interval_cycles = self.mean_payload_bytes() / load * f64::from(cycles_per_flit);
        Pace::new(self.arrivals, interval_cycles)
    }
}

/// Random traffic among the hosts of a fabric. Every sending host offers the same load: the same
/// share of what its link carries.
#[derive(Clone, Debug)]
pub struct Traffic {
    parameters: TrafficParameters,
    destinations: Destinations,
    pace: Pace,
    /// Where some hosts' links take several cycles for a flit.
    slower: Option<Box<SlowerHosts>>,
    sizes: SizeMix,
}

/// How packets follow one another at hosts with links of several rates.
#[derive(Clone, Debug)]
struct SlowerHosts {
    /// Per host: cycles per flit.
    cycles_per_flit: Vec<u32>,
    /// How packets follow one another, by cycles per flit.
    paces: BTreeMap<u32, Pace>,
}

/// The random stream of one host.
#[derive(Clone, Debug)]
pub struct TrafficStream {
    random: Pcg64Mcg,
    clock: Clock,
    host: u32,
}

impl Traffic {
    /// Prepares traffic. The order in which sizes are given does not matter.
    ///
    /// # Errors
    /// [`TrafficError`] when a parameter is out of range.
    pub fn new(
        mut parameters: TrafficParameters,
        destinations: Destinations,
    ) -> Result<Self, TrafficError> {
        parameters.sizes.sort_by_key(|size| size.payload_bytes);
        let pace = parameters.pace(1)?;
        let sizes = SizeMix::new(&parameters.sizes, parameters.share_of);
        Ok(Self {
            parameters,
            destinations,
            pace,
            slower: None,
            sizes,
        })
    }

    /// The traffic on hosts whose links may be slower than a flit a cycle: each offers the
    /// same share of what its link carries.
    ///
    /// # Errors
    /// [`TrafficError`] when a host would send too seldom for its bursts.
    pub fn on_links(
        mut self,
        fabric: &Fabric,
        channels: &ChannelTimings,
    ) -> Result<Self, TrafficError> {
        let injection = fabric.host_ids().map(|host| fabric.injection_channel(host));
        let cycles_per_flit: Vec<u32> = injection
            .map(|channel| channels.of(channel).cycles_per_flit)
            .collect();
        self.slower = None;
        if cycles_per_flit.iter().any(|&cycles| cycles > 1) {
            let mut paces = BTreeMap::new();
            for &cycles in &cycles_per_flit {
                paces.insert(cycles, self.parameters.pace(cycles)?);
            }
            self.slower = Some(Box::new(SlowerHosts {
                cycles_per_flit,
                paces,
            }));
        }
        Ok(self)
    }

    fn pace(&self, host: u32) -> &Pace {
        let Some(slower) = &self.slower else {
            return &self.pace;
        };
        let pace = slower.cycles_per_flit.get(host as usize);
        let pace = pace.and_then(|cycles| slower.paces.get(cycles));
        pace.unwrap_or(&self.pace)
    }

    /// What the link of a sending host carries on average, in flits per cycle: 1, less where
    /// links are slower.
    pub fn mean_link_flits_per_cycle(&self) -> f64 {
        let Some(slower) = &self.slower else {
            return 1.0;
        };
        let hosts = (0_u32..).map(HostId::new).zip(&slower.cycles_per_flit);
        let sending = hosts.filter(|(host, _)| self.destinations.sends(*host));
        let rates: Vec<f64> = sending
            .map(|(_, &cycles)| 1.0 / f64::from(cycles))
            .collect();
        // Invariant: traffic has a sending host.
        rates.iter().sum::<f64>() / rates.len() as f64
    }

    /// What the link of each host carries, in flits per cycle, where they differ.
    pub fn link_flits_per_cycle(&self) -> Option<impl Iterator<Item = f64> + '_> {
        let slower = self.slower.as_ref()?;
        let cycles = slower.cycles_per_flit.iter();
        Some(cycles.map(|&cycles| 1.0 / f64::from(cycles)))
    }

    /// The parameters the traffic was made from.
    pub fn parameters(&self) -> &TrafficParameters {
        &self.parameters
    }

    /// Where packets go.
    pub fn destinations(&self) -> &Destinations {
        &self.destinations
    }

    pub(super) fn stream(&self, host: HostId) -> TrafficStream {
        let mut random = stream(self.parameters.seed, TRAFFIC, host.number());
        let clock = if self.destinations.sends(host) {
            self.pace(host.number()).start(&mut random)
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
        self.pace(stream.host)
            .advance(&mut stream.clock, &mut stream.random);
        Some(Packet {
            generation_cycle,
            destination,
            payload_bytes,
            is_control: false,
            is_urgent: false,
            queue_pair: 0,
        })
    }
}
