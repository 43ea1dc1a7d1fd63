//! Hardware on a fabric, and the engine that simulates it.

use crate::rehearsal_events::Happening;
use crate::{Error, RoutedFabric};
use weft_engine::run::RunError;
use weft_engine::{Simulator, cut_through, wormhole};
use weft_fabric::Fabric;
use weft_model::hardware::{CutThroughSetup, Hardware, HardwareError};
use weft_model::workload::Workload;
use weft_model::{ChannelTimings, WormholeModel};

/// What needs a fixed route for every pair.
const WORMHOLE: &str = "wormhole hardware";

/// Hardware in cycles and flits of a fabric.
#[derive(Clone, Debug)]
pub enum Machine {
    /// Switches that hold a packet's flits wherever they are; a flit is a byte.
    Wormhole {
        /// Parameters in cycles and flits.
        model: WormholeModel,
        /// Length of a cycle in ns.
        cycle_ns: f64,
    },
    /// Switches with room for whole packets.
    CutThrough(CutThroughSetup),
}

/// Something done with a simulator, whichever engine it is.
pub trait Task {
    /// What comes of it.
    type Outcome;

    /// Does it.
    ///
    /// # Errors
    /// Why it came to no end.
    fn run(self, simulator: &mut impl Simulator) -> Result<Self::Outcome, RunError>;
}

impl Machine {
    /// Hardware on a fabric.
    ///
    /// # Errors
    /// [`HardwareError`] when parameters contradict one another, or no clock suits the links.
    pub fn on(hardware: &Hardware, fabric: &Fabric) -> Result<Self, HardwareError> {
        Ok(match hardware {
            Hardware::Wormhole(hardware) => {
                let (model, cycle_ns) = hardware.wormhole_on(fabric)?;
                Self::Wormhole { model, cycle_ns }
            }
            Hardware::CutThrough(hardware) => Self::CutThrough(hardware.cut_through_on(fabric)?),
        })
    }

    /// Length of a cycle in ns.
    pub fn cycle_ns(&self) -> f64 {
        match self {
            Self::Wormhole { cycle_ns, .. } => *cycle_ns,
            Self::CutThrough(setup) => setup.cycle_ns,
        }
    }

    /// Bytes of a flit.
    pub fn flit_bytes(&self) -> u32 {
        match self {
            Self::Wormhole { .. } => 1,
            Self::CutThrough(setup) => setup.model.packets.flit_bytes,
        }
    }

    /// Rates and lengths of the channels in cycles.
    pub fn channels(&self) -> &ChannelTimings {
        match self {
            Self::Wormhole { model, .. } => &model.channels,
            Self::CutThrough(setup) => &setup.channels,
        }
    }

    /// Gives a workload to the engine for this hardware, on so many threads at most, and that to a task. Where
    /// things happen meanwhile, it is one thread.
    pub(crate) fn simulate<T: Task>(
        &self,
        routed: &RoutedFabric,
        workload: &Workload,
        thread_count: usize,
        happening: Option<&Happening>,
        task: T,
    ) -> Result<T::Outcome, Error> {
        let fabric = routed.fabric();
        Ok(match (self, happening) {
            (Self::Wormhole { model, cycle_ns }, Some(happening)) => {
                let routes = routed.listed(WORMHOLE)?;
                let (changes, others) = happening.of_routes(fabric, *cycle_ns)?;
                task.run(&mut wormhole::Engine::with_changes(
                    fabric, routes, &others, &changes, model, workload,
                )?)
            }
            (Self::CutThrough(setup), Some(happening)) => {
                let routes = routed.checked()?;
                let (changes, others) = happening.of_tables(routed, setup.cycle_ns)?;
                let hardware = (&setup.model, &setup.channels);
                task.run(&mut cut_through::Engine::with_changes(
                    fabric, routes, &others, &changes, hardware, workload,
                )?)
            }
            (Self::Wormhole { model, .. }, None) => {
                let routes = routed.listed(WORMHOLE)?;
                let engine =
                    wormhole::Engine::on_threads(fabric, routes, model, workload, thread_count);
                task.run(&mut engine?)
            }
            (Self::CutThrough(setup), None) => {
                let hardware = (&setup.model, &setup.channels);
                let routes = routed.checked()?;
                let engine = cut_through::Engine::on_threads(
                    fabric,
                    routes,
                    hardware,
                    workload,
                    thread_count,
                );
                task.run(&mut engine?)
            }
        }?)
    }
}
