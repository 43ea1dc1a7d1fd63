//! Several routings at one load.

use crate::{AnyRouting, Error, Fabric, Hardware, Measurement, Network, OfferedTraffic, Progress};
use std::ops::ControlFlow;
use weft_engine::run::RunParameters;
use weft_proof::Proof;

/// What is known of one of several routings.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Whether its routes are deadlock-free.
    pub proof: Proof,
    /// What was measured, where they are.
    pub measurement: Option<Measurement>,
}

/// Proves routings of one fabric, and simulates those that are deadlock-free under the same traffic.
///
/// # Errors
/// As [`Network::simulate`].
pub fn compare<'a>(
    fabric: &Fabric,
    hardware: &Hardware,
    routings: impl IntoIterator<Item = &'a AnyRouting>,
    traffic: &OfferedTraffic,
    parameters: &RunParameters,
    on_progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<Compared>, Error> {
    let mut compared = Vec::new();
    for routing in routings {
        let network = Network::new(fabric, routing, hardware)?;
        let proof = network.prove()?;
        let measurement = if proof.is_deadlock_free() {
            Some(network.simulate(traffic, parameters, on_progress)?)
        } else {
            None
        };
        compared.push(Compared { proof, measurement });
    }
    Ok(compared)
}
