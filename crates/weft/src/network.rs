//! A fabric with routes and hardware, and what is asked of it.

use crate::event_check::check_events;
use crate::machine::{Machine, Task};
use crate::rehearsal_events::Happening;
use crate::{Error, OfferedTraffic, RoutedFabric};
use std::ops::ControlFlow;
use weft_engine::Simulator;
use weft_engine::measurement::Measurement;
use weft_engine::run::{Conditions, Progress, RunError, RunParameters, run};
use weft_engine::wormhole::idle_latency_cycles;
use weft_fabric::{Fabric, HostId};
use weft_model::hardware::Hardware;
use weft_model::workload::Workload;
use weft_proof::Proof;
use weft_registry::Suggestion;
use weft_routing::{AnyRoutes, AnyRouting};

/// Lets a run go on to its end, for whoever does not watch it.
pub fn unwatched<Progress>(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Proves routes deadlock-free on any hardware, or finds why they are not.
///
/// # Errors
/// [`Error::Proof`] when they were made for another fabric.
pub fn prove(fabric: &Fabric, routing: &AnyRouting) -> Result<Proof, Error> {
    Ok(match routing.routes() {
        AnyRoutes::Fixed(routes) => weft_proof::verify(fabric, routes),
        AnyRoutes::Adaptive(routes) => weft_proof::verify_adaptive(fabric, routes),
    }?)
}

/// A fabric with routes and hardware.
#[derive(Clone, Debug)]
pub struct Network<'a> {
    pub(crate) routed: &'a RoutedFabric,
    pub(crate) hardware: &'a Hardware,
    pub(crate) machine: Machine,
    /// Threads that may simulate it at a time.
    thread_count: usize,
    /// What happens while it is simulated.
    happening: Option<Happening>,
}

struct Measure<'a> {
    workload: &'a Workload,
    conditions: Conditions,
    parameters: &'a RunParameters,
    on_progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
}

impl Task for Measure<'_> {
    type Outcome = Measurement;

    fn run(self, simulator: &mut impl Simulator) -> Result<Measurement, RunError> {
        run(
            simulator,
            Some(self.workload),
            &self.conditions,
            self.parameters,
            self.on_progress,
        )
    }
}

impl<'a> Network<'a> {
    /// Puts hardware on a fabric with routes.
    ///
    /// # Errors
    /// [`Error::Hardware`] when parameters contradict one another or no clock suits the links.
    pub fn new(routed: &'a RoutedFabric, hardware: &'a Hardware) -> Result<Self, Error> {
        let machine = Machine::on(hardware, routed.fabric())?;
        Ok(Self {
            routed,
            hardware,
            machine,
            thread_count: 1,
            happening: None,
        })
    }

    /// The same, simulated by as many threads as make it faster, but so many at most. That decides nothing
    /// but the time a simulation takes, and the costs it tells.
    ///
    /// Random traffic is simulated by several; programs, stop & go with whole packets, packets that choose their
    /// way, and networks to which things happen, by one.
    #[must_use]
    pub fn on_threads(mut self, thread_count: usize) -> Self {
        self.thread_count = thread_count;
        self
    }

    /// The hardware in cycles and flits.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// As [`prove`].
    ///
    /// # Errors
    /// As [`prove`].
    pub fn prove(&self) -> Result<Proof, Error> {
        prove(self.fabric(), self.routed.routing())
    }

    /// Simulates random traffic until its figures are as precise as asked for, or until there is
    /// another reason to end. `on_progress` is called after every 10 ms or so of work and ends the
    /// run with `ControlFlow::Break`; [`unwatched`] never does.
    ///
    /// # Errors
    /// [`Error::Traffic`] when the traffic does not suit the fabric, [`Error::Wormhole`],
    /// [`Error::CutThrough`] and [`Error::Routing`] when routes and hardware do not fit,
    /// [`Error::Run`] when a parameter is out of range or `on_progress` breaks.
    pub fn simulate(
        &self,
        traffic: &OfferedTraffic,
        parameters: &RunParameters,
        on_progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Measurement, Error> {
        let traffic = traffic.on(self.fabric(), &self.machine)?;
        let (cycle_ns, flit_bytes) = (self.machine.cycle_ns(), self.machine.flit_bytes());
        let conditions = Conditions::of(self.fabric(), &traffic, cycle_ns, flit_bytes);
        let workload = Workload::Traffic(traffic);
        let task = Measure {
            workload: &workload,
            conditions,
            parameters,
            on_progress,
        };
        self.on_engine(&workload, task)
    }

    /// The same network to which things happen while it is simulated, on one thread.
    ///
    /// # Errors
    /// [`Error::Rehearsal`] where times are out of range, or something happens to what the fabric does not have.
    pub fn with_happening(self, happening: Happening) -> Result<Self, Error> {
        happening.check(f64::INFINITY)?;
        check_events(&happening.events, self.fabric())?;
        let happening = Some(happening);
        Ok(Self { happening, ..self })
    }

    /// Gives a workload to the engine for the hardware, and that to a task.
    ///
    /// # Errors
    /// [`Error::Wormhole`], [`Error::CutThrough`] and [`Error::Routing`] when routes, packets and
    /// hardware do not fit; [`Error::Run`] as the task says.
    pub fn on_engine<T: Task>(&self, workload: &Workload, task: T) -> Result<T::Outcome, Error> {
        self.machine.simulate(
            self.routed,
            workload,
            self.thread_count,
            self.happening.as_ref(),
            task,
        )
    }

    /// Times in ns of messages of these sizes, each alone in the network and in one packet, from
    /// its generation to the arrival of its last byte; `None` where it never arrives, as links
    /// damage it. Hosts are given by their names.
    ///
    /// # Errors
    /// [`Error::NotWormhole`], [`Error::UnknownHost`], [`Error::SameHost`]; [`Error::Wormhole`]
    /// and [`Error::Routing`] when routes and hardware do not fit.
    pub fn idle_latencies_ns(
        &self,
        [source, destination]: [&str; 2],
        payload_bytes: &[u32],
    ) -> Result<Vec<Option<f64>>, Error> {
        let Machine::Wormhole { model, cycle_ns } = &self.machine else {
            let preset = self.hardware.preset_name();
            return Err(Error::NotWormhole { preset });
        };
        let pair = [self.host(source)?, self.host(destination)?];
        if pair[0] == pair[1] {
            let host = source.to_owned();
            return Err(Error::SameHost { host });
        }
        let routes = self.routed.listed("the latency of an idle network")?;
        let latency = |&bytes: &u32| {
            let cycles = idle_latency_cycles(self.fabric(), routes, model, pair, bytes)?;
            Ok(cycles.map(|cycles| cycles as f64 * cycle_ns))
        };
        payload_bytes.iter().map(latency).collect()
    }

    pub(crate) fn fabric(&self) -> &'a Fabric {
        self.routed.fabric()
    }

    fn host(&self, name: &str) -> Result<HostId, Error> {
        let hosts = || {
            let ids = self.fabric().host_ids();
            ids.map(|id| (id, self.fabric().host(id).name.as_str()))
        };
        let found = hosts().find(|(_, known)| *known == name);
        found.map(|(id, _)| id).ok_or_else(|| Error::UnknownHost {
            found: name.to_owned(),
            suggestion: Suggestion::nearest(name, hosts().map(|(_, known)| known)),
        })
    }
}
