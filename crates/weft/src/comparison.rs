//! Several routings at one load.

use crate::{Error, Hardware, Measurement, Network, OfferedTraffic, Progress, RoutedFabric};
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
    /// The first of the routings compared that has the same routes, by its place: then all that is known
    /// of that holds for this.
    pub same_routes_as: Option<usize>,
}

/// Proves routings of one fabric, and simulates those that are deadlock-free under the same traffic, once
/// where several come out as the same routes.
///
/// # Errors
/// As [`Network::simulate`].
pub fn compare<'a>(
    hardware: &Hardware,
    routings: impl IntoIterator<Item = &'a RoutedFabric>,
    traffic: &OfferedTraffic,
    parameters: &RunParameters,
    on_progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Vec<Compared>, Error> {
    let mut compared: Vec<Compared> = Vec::new();
    let mut known: Vec<&RoutedFabric> = Vec::new();
    for routed in routings {
        let same = known.iter().position(|other| other.leads_as(routed));
        known.push(routed);
        if let Some(place) = same {
            compared.push(Compared {
                same_routes_as: Some(place),
                ..compared[place].clone()
            });
            continue;
        }
        let network = Network::new(routed, hardware)?;
        let proof = network.prove()?;
        let measurement = if proof.is_deadlock_free() {
            Some(network.simulate(traffic, parameters, on_progress)?)
        } else {
            None
        };
        compared.push(Compared {
            proof,
            measurement,
            same_routes_as: None,
        });
    }
    Ok(compared)
}
