//! What hosts send at random, as people say it: loads as shares of a link's rate.

use crate::Machine;
use weft_fabric::Fabric;
use weft_model::workload::{
    Arrivals, ChosenPattern, Destinations, ShareOf, SizeShare, Traffic, TrafficError,
    TrafficParameters,
};

/// A cycle so short that no burst of a checked traffic is refused for holding no packet: that
/// depends on the hardware, and is checked with it.
const SHORTEST_CYCLE_NS: f64 = 1e-9;

/// Random traffic, whatever the fabric and the hardware.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTraffic {
    /// How destinations are drawn: a pattern's name, its parameters after a colon.
    pub pattern: String,
    /// What stands in the file that the pattern names, if it names one.
    pub pattern_text: Option<String>,
    /// How packets follow one another: a process's name, its parameters after a colon.
    pub arrivals: String,
    /// Payload sizes, at least one.
    pub sizes: Vec<SizeShare>,
    /// What the shares of the sizes are shares of.
    pub share_of: ShareOf,
    /// Payload each sending host offers, as a fraction of its link's rate; of a traffic matrix the host does whose amounts
    /// fill its link most, and the others offer theirs in proportion.
    pub load: f64,
    /// Seed of all random streams.
    pub seed: u64,
}

impl OfferedTraffic {
    /// Packets of 512 bytes from all hosts to all, a Poisson process at each.
    pub fn uniform(load: f64) -> Self {
        Self {
            pattern: "uniform".to_owned(),
            pattern_text: None,
            arrivals: "poisson".to_owned(),
            sizes: vec![SizeShare {
                payload_bytes: 512,
                share: 1.0,
            }],
            share_of: ShareOf::Packets,
            load,
            seed: 1,
        }
    }

    /// Refuses what no fabric could carry.
    ///
    /// # Errors
    /// [`TrafficError`] names what is unknown or out of range.
    pub fn check(&self) -> Result<(), TrafficError> {
        self.pattern.parse::<ChosenPattern>()?;
        self.parameters(SHORTEST_CYCLE_NS, 1)?.check()
    }

    /// Lays the pattern over a fabric.
    ///
    /// # Errors
    /// [`TrafficError`] when the pattern is unknown or not defined on the fabric.
    pub fn destinations(&self, fabric: &Fabric) -> Result<Destinations, TrafficError> {
        let pattern: ChosenPattern = self.pattern.parse()?;
        pattern.destinations(fabric, self.pattern_text.as_deref())
    }

    /// The traffic in cycles and bytes of a machine.
    ///
    /// # Errors
    /// [`TrafficError`] when it is out of range, or not defined on the fabric.
    pub fn on(&self, fabric: &Fabric, machine: &Machine) -> Result<Traffic, TrafficError> {
        let parameters = self.parameters(machine.cycle_ns(), machine.flit_bytes())?;
        Traffic::new(parameters, self.destinations(fabric)?)?.on_links(fabric, machine.channels())
    }

    /// The link's rate is one flit per cycle.
    fn parameters(
        &self,
        cycle_ns: f64,
        flit_bytes: u32,
    ) -> Result<TrafficParameters, TrafficError> {
        Ok(TrafficParameters {
            arrivals: Arrivals::parse(&self.arrivals, cycle_ns)?,
            sizes: self.sizes.clone(),
            share_of: self.share_of,
            load_bytes_per_cycle: self.load * f64::from(flit_bytes),
            seed: self.seed,
        })
    }
}
