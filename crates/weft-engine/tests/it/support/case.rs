//! One random case: everything a simulation depends on, drawn from one seed.

use super::random::Draws;
use super::{fabrics, models, programs, routes, workloads};
use std::fmt;
use weft_fabric::{Fabric, Node};
use weft_model::workload::Workload;
use weft_model::{NicModel, WormholeModel};
use weft_routing::SourceRoutes;

/// Cycles times channels of one case: some milliseconds of the oracle.
const CHANNEL_CYCLES: u64 = 200_000;

pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) fabric: Fabric,
    pub(crate) routes: SourceRoutes,
    pub(crate) algorithm: String,
    pub(crate) is_deadlock_free: bool,
    pub(crate) model: WormholeModel,
    pub(crate) workload: Workload,
    /// Ends of the stretches the simulation advances by; the last is the horizon.
    pub(crate) stretch_ends: Vec<u64>,
    /// The stretch after which the counters start anew.
    pub(crate) reset_after: usize,
    description: String,
    /// What the workload is: its pattern comes first.
    pub(crate) workload_text: String,
}

impl Case {
    pub(crate) fn draw(seed: u64) -> Self {
        Self::draw_with(seed, workloads::draw)
    }

    /// A case whose workload is a program.
    pub(crate) fn draw_program(seed: u64) -> Self {
        Self::draw_with(seed, |draws, fabric, _| programs::draw(draws, fabric))
    }

    fn draw_with(
        seed: u64,
        workload: impl Fn(&mut Draws, &Fabric, u64) -> (Workload, String),
    ) -> Self {
        let mut draws = Draws::new(seed);
        let (fabric, fabric_text) = fabrics::draw(&mut draws);
        let drawn = routes::draw(&mut draws, &fabric);
        let model = models::draw(&mut draws, &fabric, stops(&fabric, &drawn.routes));
        let horizon_cycles = (CHANNEL_CYCLES / fabric.channel_count() as u64).clamp(1_000, 12_000);
        let horizon_cycles = if draws.once_in(50) {
            10 * horizon_cycles
        } else {
            horizon_cycles
        };
        let (workload, workload_text) = workload(&mut draws, &fabric, horizon_cycles);
        let workload = match workload {
            // Now and then every host offers what it would over the fastest link.
            Workload::Traffic(traffic) if !draws.once_in(4) => {
                Workload::Traffic(traffic.on_links(&fabric, &model.channels).unwrap())
            }
            workload => workload,
        };
        // After every stretch the engine is asked for a deadlock; where there can be one, often.
        let most_stretches = if drawn.is_deadlock_free { 8 } else { 40 };
        let mut stretch_ends: Vec<u64> = (0..draws.index(most_stretches))
            .map(|_| draws.between(0, horizon_cycles))
            .collect();
        stretch_ends.push(horizon_cycles);
        stretch_ends.sort_unstable();
        let reset_after = draws.index(stretch_ends.len());
        let description = format!("{fabric_text}\n{}\n{workload_text}", drawn.description);
        Self {
            seed,
            fabric,
            routes: drawn.routes,
            algorithm: drawn.algorithm,
            is_deadlock_free: drawn.is_deadlock_free,
            model,
            workload,
            stretch_ends,
            reset_after,
            description,
            workload_text,
        }
    }

    /// Cycles after which something must have moved if anything ever will.
    pub(crate) fn longest_pause_cycles(&self) -> u64 {
        let overflow_cycles = match self.model.overflow {
            weft_model::Overflow::HostMemory { delay_cycles } => delay_cycles,
            weft_model::Overflow::Drop => 0,
        };
        let model = &self.model;
        let in_transit_cycles = match model.nic {
            NicModel::Delays { in_transit_cycles } => in_transit_cycles,
            NicModel::Firmware(_) => 2_000,
        };
        let timings = models::timings(&model.channels).iter();
        let latency_cycles = timings.map(|timing| timing.latency_cycles()).max().unwrap();
        let pauses = [
            2 * u32::try_from(latency_cycles).unwrap(),
            model.routing_delay_cycles,
            in_transit_cycles,
            overflow_cycles,
            model.retransmit_after_cycles,
        ];
        pauses.iter().map(|&cycles| u64::from(cycles) + 1).sum()
    }
}

/// Whether any route stops in transit: takes a port that leads to a host.
fn stops(fabric: &Fabric, routes: &SourceRoutes) -> bool {
    let granularity = routes.granularity();
    (0..routes.endpoint_count()).any(|row| {
        (0..routes.endpoint_count()).any(|column| {
            let mut here = granularity.endpoint_switch(fabric, row);
            routes.steps_between(row, column).iter().any(|&port| {
                let channel = fabric.outgoing_at(here, port);
                match channel.map(|channel| fabric.target(channel).node) {
                    Some(Node::Switch(next)) => here = next,
                    Some(Node::Host(_)) => return true,
                    None => {}
                }
                false
            })
        })
    })
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "case {}: {}", self.seed, self.description)?;
        writeln!(f, "{:?}", self.model)?;
        write!(
            f,
            "stretches {:?}, reset after {}",
            self.stretch_ends, self.reset_after
        )
    }
}
