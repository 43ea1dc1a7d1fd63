//! One random case: everything a simulation depends on, drawn from one seed.

use super::compare::{Horizon, Network};
use super::random::Draws;
use super::{programs, workloads};
use std::fmt;
use weft_fabric::Fabric;
use weft_model::workload::Workload;

/// Cycles times lanes of channels of one case: some milliseconds of the oracle.
const LANE_CYCLES: u64 = 200_000;

/// Channels times lanes of the largest case of long times.
const MOST_PARTS_OF_LONG: u64 = 100;

/// Routes and what they are.
pub(crate) struct DrawnRouting<R> {
    pub(crate) routes: R,
    /// Name of the algorithm, or of the kind built here.
    pub(crate) kind: String,
    pub(crate) description: String,
    pub(crate) is_deadlock_free: bool,
    /// They are tables that were repaired.
    pub(crate) is_repaired: bool,
    /// Routes like them but for one way were refused.
    pub(crate) are_refused: bool,
}

/// A network of one of the models, what it carries, and when it is looked at.
pub(crate) struct Case<N> {
    seed: u64,
    pub(crate) fabric: Fabric,
    pub(crate) network: N,
    pub(crate) kind: String,
    pub(crate) is_deadlock_free: bool,
    /// Parts of the fabric failed.
    pub(crate) is_degraded: bool,
    pub(crate) is_repaired: bool,
    pub(crate) are_refused: bool,
    pub(crate) workload: Workload,
    /// Ends of the stretches the simulation advances by; the last is the horizon.
    pub(crate) stretch_ends: Vec<u64>,
    /// The stretch after which the counters start anew.
    pub(crate) reset_after: usize,
    /// The oracle passes over pauses.
    pub(crate) passes_pauses: bool,
    description: String,
    /// What the workload is: its pattern comes first.
    pub(crate) workload_text: String,
    /// What is counted of a program that ends.
    pub(crate) program_kinds: Vec<String>,
}

impl<N: Network> Case<N> {
    /// A case whose workload is a program where that is drawn.
    pub(crate) fn draw(seed: u64, is_program: impl Fn(&mut Draws) -> bool) -> Self {
        let mut draws = Draws::new(seed);
        let (drawn_fabric, drawn) = N::routes(&mut draws);
        let fabric = drawn_fabric.fabric;
        let parts = fabric.channel_count() as u64 * N::lanes_of(&drawn.routes);
        let mut horizon_cycles = (LANE_CYCLES / parts).clamp(1_000, 12_000);
        if draws.once_in(50) {
            horizon_cycles *= 10;
        }
        let is_long = parts <= MOST_PARTS_OF_LONG && draws.once_in(30);
        if is_long {
            // Times beyond 32 bits.
            horizon_cycles = 1 << draws.between(33, 36);
        }
        let mut program_kinds = Vec::new();
        let (workload, workload_text) = if is_program(&mut draws) {
            let (workload, text, kinds) = programs::draw(&mut draws, &fabric, is_long);
            program_kinds = kinds;
            (workload, text)
        } else {
            workloads::draw(&mut draws, &fabric, horizon_cycles)
        };
        let horizon = Horizon {
            cycles: horizon_cycles,
            is_long,
        };
        let (network, workload) = N::draw(&mut draws, &fabric, drawn.routes, workload, horizon);
        // After every stretch the engine is asked for a deadlock; where there can be one, often.
        let most_stretches = if drawn.is_deadlock_free { 8 } else { 40 };
        let mut stretch_ends: Vec<u64> = (0..draws.index(most_stretches))
            .map(|_| draws.between(0, horizon_cycles))
            .collect();
        stretch_ends.push(horizon_cycles);
        stretch_ends.sort_unstable();
        Self {
            seed,
            description: format!(
                "{}\n{}\n{workload_text}",
                drawn_fabric.description, drawn.description
            ),
            is_degraded: drawn_fabric.is_degraded,
            is_repaired: drawn.is_repaired,
            are_refused: drawn.are_refused,
            fabric,
            network,
            kind: drawn.kind,
            is_deadlock_free: drawn.is_deadlock_free,
            workload,
            reset_after: draws.index(stretch_ends.len()),
            stretch_ends,
            passes_pauses: is_long || draws.once_in(10),
            workload_text,
            program_kinds,
        }
    }
}

impl<N: Network> fmt::Display for Case<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, description) = (self.seed, &self.description);
        let (network, ends, reset) = (&self.network, &self.stretch_ends, self.reset_after);
        write!(
            f,
            "case {seed}: {description}\n{network:?}\nstretches {ends:?}, reset after {reset}"
        )
    }
}
