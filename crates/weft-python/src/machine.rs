//! Hardware on a fabric, and the engine that simulates it.

use crate::errors::{Exception, IntoException};
use crate::made::Made;
use std::fmt;
use std::ops::ControlFlow;
use weft_engine::measurement::Measurement;
use weft_engine::run::{Conditions, Progress, RunError, RunParameters, run};
use weft_engine::{cut_through, wormhole};
use weft_fabric::Fabric;
use weft_model::hardware::{CutThroughSetup, Hardware, HardwareError};
use weft_model::workload::Workload;
use weft_model::{ChannelTimings, WormholeModel};
use weft_routing::{RoutesTooLarge, RoutingError};

/// What needs a fixed route for every pair.
pub(crate) const WORMHOLE: &str = "wormhole hardware";

/// Hardware in cycles and flits of a fabric.
pub(crate) enum Machine {
    Wormhole { model: WormholeModel, cycle_ns: f64 },
    CutThrough(CutThroughSetup),
}

/// What a run is about, but hardware and routes.
pub(crate) struct Task<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) workload: &'a Workload,
    pub(crate) conditions: &'a Conditions,
    pub(crate) parameters: &'a RunParameters,
}

/// A run gave no measurement.
pub(crate) enum SimulateError {
    Routes(RoutingError),
    Wormhole(wormhole::EngineError),
    CutThrough(cut_through::EngineError),
    Run(RunError),
}

impl Machine {
    /// Hardware on a fabric.
    pub(crate) fn on(hardware: &Hardware, fabric: &Fabric) -> Result<Self, HardwareError> {
        Ok(match hardware {
            Hardware::Wormhole(hardware) => {
                let (model, cycle_ns) = hardware.wormhole_on(fabric)?;
                Self::Wormhole { model, cycle_ns }
            }
            Hardware::CutThrough(hardware) => Self::CutThrough(hardware.cut_through_on(fabric)?),
        })
    }

    pub(crate) fn cycle_ns(&self) -> f64 {
        match self {
            Self::Wormhole { cycle_ns, .. } => *cycle_ns,
            Self::CutThrough(setup) => setup.cycle_ns,
        }
    }

    pub(crate) fn flit_bytes(&self) -> u32 {
        match self {
            Self::Wormhole { .. } => 1,
            Self::CutThrough(setup) => setup.model.packets.flit_bytes,
        }
    }

    pub(crate) fn channels(&self) -> &ChannelTimings {
        match self {
            Self::Wormhole { model, .. } => &model.channels,
            Self::CutThrough(setup) => &setup.channels,
        }
    }

    /// Simulates until the measurement is as precise as asked for.
    pub(crate) fn measure(
        &self,
        task: &Task<'_>,
        made: &Made,
        on_progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Measurement, SimulateError> {
        let (fabric, workload) = (task.fabric, task.workload);
        let measured = match self {
            Self::Wormhole { model, .. } => {
                let routing = made.fixed(WORMHOLE)?;
                let routes = routing.routes.to_source_routes(fabric)?;
                let mut engine = wormhole::Engine::new(fabric, &routes, model, workload)?;
                run(&mut engine, task.conditions, task.parameters, on_progress)
            }
            Self::CutThrough(setup) => {
                let (model, channels) = (&setup.model, &setup.channels);
                let routes = made.routes();
                let mut engine =
                    cut_through::Engine::with_routes(fabric, routes, model, channels, workload)?;
                run(&mut engine, task.conditions, task.parameters, on_progress)
            }
        };
        measured.map_err(SimulateError::Run)
    }
}

impl From<RoutingError> for SimulateError {
    fn from(error: RoutingError) -> Self {
        Self::Routes(error)
    }
}

impl From<RoutesTooLarge> for SimulateError {
    fn from(error: RoutesTooLarge) -> Self {
        Self::Routes(error.into())
    }
}

impl From<wormhole::EngineError> for SimulateError {
    fn from(error: wormhole::EngineError) -> Self {
        Self::Wormhole(error)
    }
}

impl From<cut_through::EngineError> for SimulateError {
    fn from(error: cut_through::EngineError) -> Self {
        Self::CutThrough(error)
    }
}

impl fmt::Display for SimulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Routes(error) => error.fmt(f),
            Self::Wormhole(error) => error.fmt(f),
            Self::CutThrough(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl IntoException for SimulateError {
    fn exception(&self) -> Exception {
        match self {
            Self::Routes(error) => error.exception(),
            Self::Wormhole(error) => error.exception(),
            Self::CutThrough(error) => error.exception(),
            Self::Run(error) => error.exception(),
        }
    }
}
