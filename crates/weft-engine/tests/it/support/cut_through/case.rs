//! One random case of the cut-through model, drawn from one seed.

use super::super::random::Draws;
use super::super::{fabrics, programs, workloads};
use super::routes::DrawnRoutes;
use super::{models, routes};
use std::fmt;
use weft_fabric::Fabric;
use weft_model::ChannelTimings;
use weft_model::cut_through::CutThroughModel;
use weft_model::workload::Workload;

/// Cycles times lanes of channels of one case: some milliseconds of the oracle.
const LANE_CYCLES: u64 = 200_000;

pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) fabric: Fabric,
    pub(crate) routes: DrawnRoutes,
    pub(crate) kind: String,
    pub(crate) is_deadlock_free: bool,
    pub(crate) model: CutThroughModel,
    pub(crate) timings: ChannelTimings,
    pub(crate) workload: Workload,
    /// Ends of the stretches the simulation advances by; the last is the horizon.
    pub(crate) stretch_ends: Vec<u64>,
    /// The stretch after which the counters start anew.
    pub(crate) reset_after: usize,
    description: String,
}

impl Case {
    pub(crate) fn draw(seed: u64) -> Self {
        let mut draws = Draws::new(seed);
        let (fabric, fabric_text) = fabrics::draw(&mut draws);
        let drawn = routes::draw(&mut draws, &fabric);
        let lanes = u64::from(drawn.routes.lane_count());
        let parts = fabric.channel_count() as u64 * lanes;
        let horizon_cycles = (LANE_CYCLES / parts).clamp(1_000, 12_000);
        let horizon_cycles = if draws.once_in(50) {
            10 * horizon_cycles
        } else {
            horizon_cycles
        };
        let (workload, workload_text) = if draws.once_in(6) {
            programs::draw(&mut draws, &fabric)
        } else {
            workloads::draw(&mut draws, &fabric, horizon_cycles)
        };
        let timings = models::timings(&mut draws, &fabric);
        let model = models::draw(
            &mut draws,
            &fabric,
            drawn.routes.lane_count(),
            &timings,
            &workload,
        );
        let most_stretches = if drawn.is_deadlock_free { 8 } else { 40 };
        let mut stretch_ends: Vec<u64> = (0..draws.index(most_stretches))
            .map(|_| draws.between(0, horizon_cycles))
            .collect();
        stretch_ends.push(horizon_cycles);
        stretch_ends.sort_unstable();
        let reset_after = draws.index(stretch_ends.len());
        Self {
            seed,
            description: format!("{fabric_text}\n{}\n{workload_text}", drawn.description),
            fabric,
            routes: drawn.routes,
            kind: drawn.kind,
            is_deadlock_free: drawn.is_deadlock_free,
            model,
            timings,
            workload,
            stretch_ends,
            reset_after,
        }
    }

    /// Cycles after which something must have moved if anything ever will.
    pub(crate) fn longest_pause_cycles(&self) -> u64 {
        let most = self
            .model
            .packets
            .packet_flits(self.workload.most_payload_bytes());
        let timings = self
            .fabric
            .channel_ids()
            .map(|channel| self.timings.of(channel));
        let slowest = timings.map(|timing| {
            u64::from(timing.cycles_per_flit) * u64::from(most)
                + 4 * u64::from(timing.flight_cycles)
        });
        let control = match self.model.flow_control {
            weft_model::cut_through::FlowControl::Credits => 0,
            weft_model::cut_through::FlowControl::StopAndGo {
                control_delay_cycles,
                ..
            } => control_delay_cycles,
        };
        let delays = self.model.lookup_delay_cycles + self.model.routing_delay_cycles;
        let own = u64::from(delays) + u64::from(control);
        slowest.max().unwrap_or(0) + own + 10
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "case {}: {}", self.seed, self.description)?;
        writeln!(f, "{:?}\n{:?}", self.model, self.timings)?;
        write!(
            f,
            "stretches {:?}, reset after {}",
            self.stretch_ends, self.reset_after
        )
    }
}
