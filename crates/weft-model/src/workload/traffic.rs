//! Random traffic: destinations, a mix of sizes, an arrival process, an offered load.

use super::arrivals::{Clock, FRACTION_BITS, NEVER, Pace};
use super::random::{TRAFFIC, stream};
use super::sizes::{self, SizeMix};
use super::{Arrivals, Destinations, Packet, ShareOf, SizeShare, TrafficError};
use crate::ChannelTimings;
use rand_pcg::Pcg64Mcg;
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
    /// takes several cycles for a flit, in bytes per so many cycles. By the amounts of a traffic matrix it is what
    /// the host offers whose amounts fill its link most; the others offer theirs in proportion.
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

    /// How packets follow one another at a host that offers the whole load, whose link takes so many cycles for a flit.
    fn pace(&self, cycles_per_flit: u32) -> Result<Pace, TrafficError> {
        let load = self.load_bytes_per_cycle;
        if !(load > 0.0 && load <= MAX_LOAD) {
            return Err(TrafficError::Load {
                found: load,
                maximum: MAX_LOAD,
            });
        }
        sizes::check(&self.sizes)?;
        Pace::new(self.arrivals, self.interval_cycles(cycles_per_flit))
    }

    /// Cycles from packet to packet there, on average.
    fn interval_cycles(&self, cycles_per_flit: u32) -> f64 {
        let load = self.load_bytes_per_cycle;
        self.mean_payload_bytes() / load * f64::from(cycles_per_flit)
    }

    /// The same at a host that offers a share of that. One that has no packet in most bursts sends at a constant rate, which
    /// is what so many bursts amount to.
    fn pace_of(&self, cycles_per_flit: u32, share: f64) -> Result<Pace, TrafficError> {
        let whole = self.pace(cycles_per_flit)?;
        if share >= 1.0 {
            return Ok(whole);
        }
        let interval_cycles = self.interval_cycles(cycles_per_flit) / share;
        Pace::new(self.arrivals, interval_cycles)
            .or_else(|_| Pace::new(Arrivals::Constant, interval_cycles))
    }
}

/// Random traffic among the hosts of a fabric. Every sending host offers the same load, the same
/// share of what its link carries; where each has amounts for others, as by a traffic matrix, hosts offer what is in
/// proportion to theirs, and one of them the whole load.
#[derive(Clone, Debug)]
pub struct Traffic {
    parameters: TrafficParameters,
    destinations: Destinations,
    pace: Pace,
    /// Per host, where some hosts' links take several cycles for a flit or hosts do not offer the same.
    differing: Option<Box<[Differing]>>,
    sizes: SizeMix,
}

/// What is a host's own.
#[derive(Clone, Debug)]
struct Differing {
    cycles_per_flit: u32,
    /// The part of the load that it offers; 1 of one that sends nothing.
    share: f64,
    /// How packets follow one another.
    pace: Pace,
}

/// The random stream of one host.
#[derive(Clone, Debug)]
pub struct TrafficStream {
    random: Pcg64Mcg,
    clock: Clock,
    host: u32,
}

impl Differing {
    fn offered_flits_per_cycle(&self) -> f64 {
        self.share / f64::from(self.cycles_per_flit)
    }
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
        let traffic = Self {
            parameters,
            destinations,
            pace,
            differing: None,
            sizes,
        };
        traffic.at_rates(|_| 1)
    }

    /// The traffic on hosts whose links may be slower than a flit a cycle: each offers the
    /// same share of what its link carries, or as much as is in proportion to its amounts.
    ///
    /// # Errors
    /// [`TrafficError`] when hosts with such links would send too seldom for their bursts.
    pub fn on_links(
        self,
        fabric: &Fabric,
        channels: &ChannelTimings,
    ) -> Result<Self, TrafficError> {
        self.at_rates(|host| channels.of(fabric.injection_channel(host)).cycles_per_flit)
    }

    /// The traffic where the links of hosts take so many cycles for a flit.
    fn at_rates(mut self, cycles_per_flit: impl Fn(HostId) -> u32) -> Result<Self, TrafficError> {
        let hosts = || (0..self.destinations.host_count()).map(HostId::from_index);
        let have_amounts = self.destinations.have_amounts();
        if !have_amounts && hosts().all(|host| cycles_per_flit(host) == 1) {
            self.differing = None;
            return Ok(self);
        }
        // How long the link of a host is busy with what it has, in a unit of all hosts.
        let busy = |host| self.destinations.share_of_most(host) * f64::from(cycles_per_flit(host));
        let most_busy = hosts().map(busy).fold(0.0, f64::max);
        let of_host = |host| {
            let is_own = have_amounts && self.destinations.sends(host);
            let share = if is_own { busy(host) / most_busy } else { 1.0 };
            let cycles_per_flit = cycles_per_flit(host);
            Ok(Differing {
                cycles_per_flit,
                share,
                pace: self.parameters.pace_of(cycles_per_flit, share)?,
            })
        };
        self.differing = Some(hosts().map(of_host).collect::<Result<_, TrafficError>>()?);
        Ok(self)
    }

    fn pace(&self, host: u32) -> &Pace {
        let own = self.differing.as_ref();
        let own = own.and_then(|own| own.get(host as usize));
        own.map_or(&self.pace, |own| &own.pace)
    }

    /// What the link of a sending host carries on average, in flits per cycle: 1, less where
    /// links are slower.
    pub fn mean_link_flits_per_cycle(&self) -> f64 {
        self.mean_of_sending(|own| 1.0 / f64::from(own.cycles_per_flit))
    }

    /// What a sending host offers on average, at a load of the rate of its link, in flits per cycle: what its link carries,
    /// less where hosts have amounts.
    pub fn mean_offered_flits_per_cycle(&self) -> f64 {
        self.mean_of_sending(Differing::offered_flits_per_cycle)
    }

    fn mean_of_sending(&self, of: impl Fn(&Differing) -> f64) -> f64 {
        let Some(own) = &self.differing else {
            return 1.0;
        };
        let hosts = (0_u32..).map(HostId::new).zip(own);
        let sending = hosts.filter(|(host, _)| self.destinations.sends(*host));
        let rates: Vec<f64> = sending.map(|(_, own)| of(own)).collect();
        // Invariant: traffic has a sending host.
        rates.iter().sum::<f64>() / rates.len() as f64
    }

    /// What each host offers at a load of the rate of its link, in flits per cycle, where they differ; of one that sends
    /// nothing what its link carries.
    pub fn offered_flits_per_cycle(&self) -> Option<impl Iterator<Item = f64> + '_> {
        let own = self.differing.as_ref()?;
        Some(own.iter().map(Differing::offered_flits_per_cycle))
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
