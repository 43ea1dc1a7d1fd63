//! The stage `routing`: algorithms, routes, load figures.

use crate::errors::{Exception, Outcome};
use crate::fabric::{Note, PyFabric, host_of, notes};
use crate::interrupt::{Stop, run, run_told, run_until};
use crate::linear::Highs;
use crate::registry;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft::RoutedFabric;
use weft_fabric::{Fabric, PortNumber};
use weft_registry::Choice;
use weft_routing::algorithms::{
    self, ADAPTIVE, ALGORITHMS, Algorithm, Deadlock, DefaultSet, Lanes,
};
use weft_routing::{
    AdaptiveRoutes, AnyRoutes, AnyRouting, ForwardingTables, PairGranularity, Repair, RoundEntry,
    RouteHop, Routes, Routing, RoutingError, Transition, json, repair as repair_of,
    throughput_bound as bound_of,
};

/// What needs a fixed route for every pair.
pub(crate) const LOAD: &str = "the load of channels";

/// Routes of a fabric with the record of how they were made; immutable.
///
/// Made by :func:`weft.route`, :func:`weft.to_tables` and :func:`weft.read_routes`.
#[pyclass(name = "Routing", module = "weft._core", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct PyRouting {
    /// What is found out of the routes once is shared by all that is asked of them.
    routed: Arc<RoutedFabric>,
    label: String,
}

impl PyRouting {
    pub(crate) fn new(made: impl Into<AnyRouting>, fabric: Arc<Fabric>, label: String) -> Self {
        Self {
            routed: Arc::new(RoutedFabric::new(fabric, made)),
            label,
        }
    }

    /// The routes.
    fn made(&self) -> &AnyRouting {
        self.routed.routing()
    }

    fn fabric(&self) -> &Arc<Fabric> {
        self.routed.fabric()
    }

    /// The routes on their fabric, which must be this one.
    ///
    /// # Errors
    /// `RoutingError` for another fabric.
    pub(crate) fn routed_on(&self, fabric: &PyFabric) -> Outcome<Arc<RoutedFabric>> {
        if Arc::ptr_eq(self.fabric(), &fabric.inner) || *self.fabric() == fabric.inner {
            return Ok(Arc::clone(&self.routed));
        }
        let (made_for, given) = (self.fabric().name(), fabric.inner.name());
        Err(Exception::Routing.told(format!(
            "routing “{}” was made for fabric “{made_for}”, found another fabric (“{given}”); route \
             that fabric first",
            self.label
        )))
    }

    /// Fabric and routes, as [`routed_on`](Self::routed_on) has them.
    ///
    /// # Errors
    /// `RoutingError` for another fabric.
    pub(crate) fn on(&self, fabric: &PyFabric) -> Outcome<(Arc<Fabric>, AnyRouting)> {
        let routed = self.routed_on(fabric)?;
        Ok((Arc::clone(routed.fabric()), routed.routing().clone()))
    }

    /// As [`on`](Self::on), where each pair has one route, which is what `needs` does.
    ///
    /// # Errors
    /// `RoutingError` for another fabric, and where packets choose on their way.
    pub(crate) fn fixed_on(
        &self,
        fabric: &PyFabric,
        needs: &'static str,
    ) -> Outcome<(Arc<Fabric>, Arc<Routing>)> {
        let (fabric, made) = self.on(fabric)?;
        Ok((fabric, Arc::clone(made.fixed(needs)?)))
    }

    /// As [`fixed_on`](Self::fixed_on), where the routes are forwarding tables.
    ///
    /// # Errors
    /// As `fixed_on`, and `RoutingError` for lists of ports.
    pub(crate) fn tables_on(
        &self,
        fabric: &PyFabric,
        needs: &'static str,
    ) -> Outcome<(Arc<Fabric>, ForwardingTables)> {
        let (fabric, fixed) = self.fixed_on(fabric, needs)?;
        let Routes::Tables(tables) = &fixed.routes else {
            let text = format!(
                "routing “{}” is a list of ports per pair, found where {needs} needs forwarding tables, \
                 which weft.to_tables makes, or weft route --tables -o",
                self.label
            );
            return Err(Exception::Routing.told(text));
        };
        Ok((fabric, tables.clone()))
    }

    /// Fabric and routes.
    pub(crate) fn routed(&self) -> Arc<RoutedFabric> {
        Arc::clone(&self.routed)
    }

    /// Tables that these were repaired to, for what is left of the fabric.
    ///
    /// # Errors
    /// `RoutingError` where packets choose on their way.
    pub(crate) fn repaired(&self, after: &PyFabric, made: Repair) -> Outcome<ToldRepair> {
        let fixed = self.made().fixed("a repair")?;
        let mended = fixed.with_routes(made.tables);
        let routing = Self::new(mended, Arc::clone(&after.inner), self.label.clone());
        Ok((
            routing,
            made.changed_entries,
            made.changed_lanes,
            order_of(made.transition),
            made.cleared,
            made.cleared_switches,
            made.rounds.into_iter().map(told_round).collect(),
            made.most_switches,
        ))
    }

    /// Other routes of the same fabric, under the same label.
    pub(crate) fn with_routes(&self, routing: Routing) -> Self {
        Self::new(routing, Arc::clone(self.fabric()), self.label.clone())
    }
}

#[pymethods]
impl PyRouting {
    /// Name of the algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        self.made().algorithm()
    }

    /// Every parameter of the algorithm with the value used, defaults included, as text.
    #[getter]
    fn parameters(&self) -> BTreeMap<String, String> {
        self.made().parameters().clone()
    }

    /// Algorithm and the parameters that were given, as on the command line.
    #[getter]
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Whether routes are held per ordered pair of switches or of hosts: "switch" or "host".
    #[getter]
    fn granularity(&self) -> &'static str {
        match self.made() {
            AnyRouting::Adaptive(_) => "switch",
            AnyRouting::Fixed(routing) => match routing.routes.granularity() {
                PairGranularity::Switch => "switch",
                PairGranularity::Host => "host",
            },
        }
    }

    /// How routes are held: "source routes", a list of output ports per pair; "forwarding tables",
    /// a next port per switch and destination; where packets choose on their way, "adaptive tables",
    /// several ports per switch and destination, "groups of ports", one per switch and address, or "two phases", source routes to an intermediate switch and on from it.
    #[getter]
    fn form(&self) -> &'static str {
        match self.made().routes() {
            AnyRoutes::Fixed(Routes::Source(_)) => "source routes",
            AnyRoutes::Fixed(Routes::Tables(_)) => "forwarding tables",
            AnyRoutes::Adaptive(AdaptiveRoutes::Tables(_)) => "adaptive tables",
            AnyRoutes::Adaptive(AdaptiveRoutes::Groups(_)) => "groups of ports",
            AnyRoutes::Adaptive(AdaptiveRoutes::TwoPhase(_)) => "two phases",
        }
    }

    /// Whether packets choose on their way.
    #[getter]
    fn is_adaptive(&self) -> bool {
        matches!(self.made(), AnyRouting::Adaptive(_))
    }

    /// Most addresses a destination has in the tables; 1 of all other routes.
    #[getter]
    fn most_addresses(&self) -> usize {
        match self.made().routes() {
            AnyRoutes::Fixed(routes) => routes.most_addresses(),
            AnyRoutes::Adaptive(_) => 1,
        }
    }

    /// Whether sources may choose among several addresses of some destination.
    #[getter]
    fn leaves_addresses(&self) -> bool {
        match self.made().routes() {
            AnyRoutes::Fixed(routes) => routes.leaves_addresses(),
            AnyRoutes::Adaptive(_) => false,
        }
    }

    /// That service ends count like compute ends, why, and what it costs, in a sentence; None where they are
    /// joined to the routes of compute ends, there are none, or nobody knows.
    #[getter]
    fn service_note(&self) -> Option<String> {
        self.made().service().told(self.fabric())
    }

    /// Virtual lanes of each channel that the routes need.
    #[getter]
    fn lane_count(&self) -> u8 {
        self.made().routes().lane_count()
    }

    /// Whether packets are led as by another routing, whatever its name: then all that is proved and
    /// measured of the one holds for the other.
    ///
    /// Parameters
    /// ----------
    /// other : Routing
    ///     The other routing; of another fabric it never does.
    ///
    /// Returns
    /// -------
    /// bool
    fn leads_as(&self, other: &PyRouting) -> bool {
        self.routed.leads_as(&other.routed)
    }

    /// The route from one host to another, by names.
    ///
    /// Parameters
    /// ----------
    /// source_host, destination_host : int
    ///     Numbers of two distinct hosts.
    ///
    /// Returns
    /// -------
    /// list of str
    ///     Names of source, switches and in-transit hosts in order, and destination.
    fn route_names(&self, source_host: usize, destination_host: usize) -> Outcome<Vec<String>> {
        let routing = self.made().fixed("the way of a pair")?;
        let fabric = self.fabric().as_ref();
        let source = host_of(fabric, source_host)?;
        let destination = host_of(fabric, destination_host)?;
        let walk = routing.routes.walk_hosts(fabric, source, destination);
        let mut names = vec![
            fabric.host(source).name.clone(),
            fabric.switch(walk.switch()).name.clone(),
        ];
        for step in walk {
            match step.hop {
                Ok(RouteHop::Channel(channel)) => {
                    names.push(fabric.node_name(fabric.target(channel).node).to_owned());
                }
                Ok(RouteHop::InTransit(host)) => {
                    names.push(fabric.host(host).name.clone());
                    names.push(fabric.switch(step.switch).name.clone());
                }
                Err(_) => {}
            }
        }
        names.push(fabric.host(destination).name.clone());
        Ok(names)
    }

    /// The routes in Weft's own format for files, which `weft.read_routes` reads.
    fn to_json(&self, py: Python<'_>) -> Outcome<String> {
        let fabric = Arc::clone(self.fabric());
        let routing = Arc::clone(self.made().fixed("a file of routes")?);
        Ok(run(py, move || json::write(&fabric, &routing))?)
    }

    fn __repr__(&self) -> String {
        format!("<Routing {}>", self.label)
    }
}

/// Routes from the content of a file, and one (line or None, text, reason) per part that was passed
/// over.
#[pyfunction]
pub(crate) fn read_routes(
    py: Python<'_>,
    fabric: &PyFabric,
    content: PyBackedBytes,
    source_name: String,
) -> Outcome<(PyRouting, Vec<Note>)> {
    let fabric = Arc::clone(&fabric.inner);
    let routed = Arc::clone(&fabric);
    let label = source_name.clone();
    let read = run(py, move || {
        weft_opensm::read_routes(&content, &source_name, &routed)
    })??;
    let routing = PyRouting::new(read.routing, fabric, label);
    Ok((routing, notes(read.notes)))
}

/// The same routes as forwarding tables with at most 2^lmc addresses per destination.
#[pyfunction]
pub(crate) fn to_tables(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    lmc: u8,
) -> Outcome<PyRouting> {
    let (made_for, fixed) = routing.fixed_on(fabric, "a forwarding table")?;
    let renamed = Arc::clone(&fixed);
    let renamed = run(py, move || {
        weft_routing::to_tables(&made_for, &renamed.routes, lmc)
    })??;
    Ok(routing.with_routes(fixed.with_routes(renamed)))
}

/// The order in which entries may be set, as Python has it.
fn order_of(transition: Transition) -> &'static str {
    match transition {
        Transition::AnyOrder => "any",
        Transition::InRounds => "in_rounds",
        Transition::ClearFirst => "clear_first",
    }
}

/// Names of switch and destination, and the port, 0 for none, of each entry that is set.
pub(crate) type ToldRound = Vec<(String, String, u8)>;

pub(crate) fn told_round(round: Vec<RoundEntry>) -> ToldRound {
    let told = |of: RoundEntry| {
        (
            of.switch,
            of.destination,
            of.port.map_or(0, PortNumber::number),
        )
    };
    round.into_iter().map(told).collect()
}

/// Repaired tables; how many entries and lanes of pairs differ; in which order the entries may be set; destinations
/// that are cleared first, and how many switches packets to them met; what is set in which round, where there are
/// several; and how many switches packets may meet.
pub(crate) type ToldRepair = (
    PyRouting,
    usize,
    usize,
    &'static str,
    Vec<String>,
    usize,
    Vec<ToldRound>,
    usize,
);

/// Tables repaired after parts of their fabric failed.
#[pyfunction]
pub(crate) fn repair(
    py: Python<'_>,
    before: &PyFabric,
    routing: &PyRouting,
    after: &PyFabric,
) -> Outcome<ToldRepair> {
    let (old, tables) = routing.tables_on(before, "a repair")?;
    let new = Arc::clone(&after.inner);
    let made = run(py, move || repair_of(&old, &tables, &new))??;
    routing.repaired(after, made)
}

/// The algorithms, each with what is known of it by name of the fact.
#[pyfunction(name = "algorithms")]
pub(crate) fn list_algorithms(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |algorithm: &Algorithm| {
        let dict = registry::entry(py, &algorithm.entry())?;
        dict.set_item("guarantees", algorithm.guarantees())?;
        let refuses: Vec<String> = algorithm.refuses.iter().map(ToString::to_string).collect();
        dict.set_item("refuses", refuses)?;
        dict.set_item("is_adaptive", algorithm.is_adaptive())?;
        dict.set_item("is_deadlock_free", algorithm.deadlock == Deadlock::Free)?;
        dict.set_item("needs_one_lane", algorithm.needs.lanes == Lanes::One)?;
        dict.set_item("needs_stops", algorithm.needs.stops)?;
        dict.set_item("makes_tables", algorithm.needs.tables)?;
        dict.set_item("improves", algorithm.improves)?;
        Ok(dict)
    };
    ALGORITHMS.iter().chain(ADAPTIVE).map(entry).collect()
}

/// The routings that are taken where none are named, as on the command line, on so many lanes.
#[pyfunction]
pub(crate) fn default_routings(set: &str, lanes: u8) -> PyResult<Vec<String>> {
    let found = DefaultSet::NAMES.iter().find(|(name, _)| *name == set);
    let unknown = || PyValueError::new_err(format!("found set “{set}” of routings"));
    let (_, set) = found.ok_or_else(unknown)?;
    Ok(set.specifications(lanes))
}

/// A text such as `updown:root=0` and further parameters, as one choice.
fn complete_spec(spec: &str, further: BTreeMap<String, String>) -> Result<Choice, RoutingError> {
    let mut choice = algorithms::parse_spec(spec)?;
    for (parameter, value) in further {
        choice.add(spec, parameter, value)?;
    }
    Ok(choice)
}

/// How a routing is told from others: its name and the parameters given.
pub(crate) fn label(choice: &Choice) -> String {
    let parameters: Vec<_> = choice
        .parameters
        .iter()
        .map(|(parameter, value)| format!("{parameter}={value}"))
        .collect();
    if parameters.is_empty() {
        choice.name.clone()
    } else {
        format!("{}:{}", choice.name, parameters.join(","))
    }
}

/// Name and parameters of a routing, and how it is told from others.
#[pyfunction]
pub(crate) fn routing_choice(
    algorithm: &str,
    parameters: BTreeMap<String, String>,
) -> Outcome<(String, BTreeMap<String, String>, String)> {
    let choice = complete_spec(algorithm, parameters)?;
    let label = label(&choice);
    Ok((choice.name, choice.parameters, label))
}

/// Refuses a name and parameters that no fabric could be routed by.
#[pyfunction]
pub(crate) fn check_routing(name: &str, parameters: BTreeMap<String, String>) -> Outcome<()> {
    Ok(algorithms::check(name, &parameters)?)
}

/// Routes a fabric by an algorithm with parameters, each a value as text by name.
///
/// In the main thread, `progress` is called again and again once a second is over: with the steps begun,
/// and what part of the last is done, if that is known.
#[pyfunction]
pub(crate) fn route(
    py: Python<'_>,
    fabric: &PyFabric,
    algorithm: &str,
    parameters: BTreeMap<String, String>,
    progress: Option<Py<PyAny>>,
) -> Outcome<PyRouting> {
    let choice = complete_spec(algorithm, parameters)?;
    let label = label(&choice);
    let fabric = Arc::clone(&fabric.inner);
    let routed = Arc::clone(&fabric);
    let stop = Stop::default();
    let solver = Highs::new(stop.clone());
    let asked = solver.clone();
    let routing = run_told(&stop, py, progress.as_ref(), move |told| {
        algorithms::route_any(&routed, &choice.name, &choice.parameters, &solver, told)
    })?;
    asked.require()?;
    Ok(PyRouting::new(routing?, fabric, label))
}

/// The largest load that any routing of a fabric can bear, as a fraction of the link rate.
#[pyfunction]
pub(crate) fn throughput_bound(py: Python<'_>, fabric: &PyFabric) -> Outcome<f64> {
    let fabric = Arc::clone(&fabric.inner);
    let stop = Stop::default();
    let solver = Highs::new(stop.clone());
    let asked = solver.clone();
    let bound = run_until(&stop, py, move || bound_of(&fabric, &solver))?;
    asked.require()?;
    Ok(bound?)
}
