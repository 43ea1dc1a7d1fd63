//! Fixed routes taken twice: to an intermediate switch and on from it.

use crate::form::{Lane, PairGranularity, SourceRoutes, TooManyLanes};
use std::num::NonZeroU8;
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// When packets go by way of an intermediate switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detour {
    /// Always.
    Always,
    /// When the way straight on is congested: a packet goes straight if
    /// `taken(straight) · links(straight) ≤ taken(detour) · links(detour) + threshold`, `taken` being
    /// the flits of buffers that the packet's first channel on that way is known to have taken.
    Congestion {
        /// What keeps packets from detours, in flits times links.
        threshold: u64,
    },
}

/// Routes in two phases: a packet takes the route to an intermediate switch, drawn at random among
/// those with hosts (`docs/concepts/engine.md` has the formula), and then the route from there to its
/// destination.
///
/// With `n` lanes in the routes, the first phase has lanes 0 to n − 1 and the second the next n, so
/// that what a packet waits for in the second never depends on the first: where the routes alone cannot
/// deadlock, neither can both phases. A packet whose intermediate switch is its own or that of its
/// destination, or that goes straight for another reason, is in the second phase from the beginning.
///
/// # Source
/// Valiant, "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982; Singh, "Load-
/// balanced routing in interconnection networks", thesis, Stanford, 2005 (UGAL).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoPhaseRoutes {
    routes: SourceRoutes,
    intermediates: Vec<SwitchId>,
    detour: Detour,
    seed: u64,
}

impl TwoPhaseRoutes {
    /// Two phases over routes between switches.
    ///
    /// # Errors
    /// [`TooManyLanes`] when twice the lanes are more than can be numbered.
    ///
    /// # Panics
    /// When the routes are between hosts, or let packets of a pair alternate over lanes.
    pub fn new(
        fabric: &Fabric,
        routes: SourceRoutes,
        detour: Detour,
        seed: u64,
    ) -> Result<Self, TooManyLanes> {
        assert_eq!(routes.granularity(), PairGranularity::Switch);
        assert_eq!(routes.turns(), 1);
        TooManyLanes::check(routes.lane_count(), NonZeroU8::MIN.saturating_add(1))?;
        let switches = fabric.switch_ids();
        let intermediates = switches.filter(|&switch| !fabric.hosts_of(switch).is_empty());
        Ok(Self {
            routes,
            intermediates: intermediates.collect(),
            detour,
            seed,
        })
    }

    /// The routes of either phase.
    pub fn routes(&self) -> &SourceRoutes {
        &self.routes
    }

    /// The switches that packets may go by way of, in ascending order.
    pub fn intermediates(&self) -> &[SwitchId] {
        &self.intermediates
    }

    /// Tells when packets go by way of them.
    pub fn detour(&self) -> Detour {
        self.detour
    }

    /// The seed of the draws.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Counts the lanes the hardware must have.
    pub fn lane_count(&self) -> u8 {
        2 * self.routes.lane_count()
    }

    /// A step of the route between two switches in a phase, 0 or 1; `None` at its end.
    #[inline]
    pub fn step(
        &self,
        [from, to]: [SwitchId; 2],
        phase: u8,
        step: usize,
    ) -> Option<(PortNumber, Lane)> {
        let [from, to] = [from, to].map(SwitchId::index);
        let (port, lane) = self.routes.step(from, to, step)?;
        let lane = lane.number() + phase * self.routes.lane_count();
        Some((port, Lane::new(lane)))
    }

    /// Counts the links from one switch to another.
    #[inline]
    pub fn links(&self, [from, to]: [SwitchId; 2]) -> usize {
        self.routes.steps_between(from.index(), to.index()).len()
    }
}
