//! The stage `fabric`: networks as wired, generators, files, figures.

mod compare;
mod computers;
mod degrade;
mod inspect;

pub(crate) use compare::compare_fabrics;
pub(crate) use computers::{fabric_computers, subnets};
pub(crate) use degrade::degrade_fabric;
pub(crate) use inspect::{
    fabric_levels, fabric_parts, fabric_structure, inspect_fabric, links_from,
};

use crate::arrays::{array, row};
use crate::errors::Outcome;
use crate::interrupt::run;
use crate::registry;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyDict, PyString};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;
use weft_fabric::degrade::port_named;
use weft_fabric::formats::{self, Companion, FORMATS, Format, FormatName, PortRecord, ReadNote};
use weft_fabric::generate::{self, TOPOLOGIES};
use weft_fabric::{
    ChannelId, Endpoint, Fabric, HostId, Layout, LinkRate, Node, ServiceReason, metrics, narrow,
};

/// Why numbers of nodes fit.
const FEW: &str = "a fabric has fewer than 2^32 switches";

/// All switches, hosts and links of one network as wired; immutable.
///
/// Made by :func:`weft.generate` and the functions named by a topology, and by
/// :func:`weft.read_fabric`.
///
/// Switches, hosts, links and channels are numbered from 0. A channel is one direction of a link:
/// link ``l`` has channels ``2 * l`` (from its first end to its second) and ``2 * l + 1`` (back).
/// A node is a switch or a host: nodes are numbered switches first, then hosts.
#[pyclass(name = "Fabric", module = "weft._core", frozen, eq)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PyFabric {
    pub(crate) inner: Arc<Fabric>,
}

impl From<Fabric> for PyFabric {
    fn from(fabric: Fabric) -> Self {
        Self {
            inner: Arc::new(fabric),
        }
    }
}

impl PyFabric {
    /// Numbers nodes: switches first, then hosts.
    fn node_index(&self, node: Node) -> i64 {
        match node {
            Node::Switch(switch) => i64::from(switch.number()),
            Node::Host(host) => {
                i64::from(host.number()) + narrow::<_, i64>(self.inner.switch_count(), FEW)
            }
        }
    }
}

/// The host of a number.
///
/// # Errors
/// `IndexError` where there is none.
pub(crate) fn host_of(fabric: &Fabric, number: usize) -> PyResult<HostId> {
    known("host", number, fabric.host_count()).map(HostId::from_index)
}

fn known(what: &str, number: usize, count: usize) -> PyResult<usize> {
    if number < count {
        return Ok(number);
    }
    let last = count.saturating_sub(1);
    let text = format!("{what} {number} does not exist; the fabric has {what}s 0 to {last}");
    Err(PyIndexError::new_err(text))
}

#[pymethods]
impl PyFabric {
    /// Name of the fabric.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Number of switches.
    #[getter]
    fn switch_count(&self) -> usize {
        self.inner.switch_count()
    }

    /// Number of hosts.
    #[getter]
    fn host_count(&self) -> usize {
        self.inner.host_count()
    }

    /// Number of links, host links included.
    #[getter]
    fn link_count(&self) -> usize {
        self.inner.link_count()
    }

    /// Number of channels: two per link, host links included.
    #[getter]
    fn channel_count(&self) -> usize {
        self.inner.channel_count()
    }

    /// 64-bit fingerprint of everything the fabric consists of, names included.
    #[getter]
    fn fingerprint(&self) -> u64 {
        self.inner.fingerprint()
    }

    /// 64-bit fingerprint of the wiring: of ports and cables, whatever the names.
    #[getter]
    fn wiring_fingerprint(&self) -> u64 {
        weft_fabric::compare::wiring_fingerprint(&self.inner)
    }

    /// Names of the switches in order.
    #[getter]
    fn switch_names(&self) -> Vec<&str> {
        self.inner
            .switch_ids()
            .map(|id| self.inner.switch(id).name.as_str())
            .collect()
    }

    /// Names of the hosts in order.
    #[getter]
    fn host_names(&self) -> Vec<&str> {
        self.inner
            .host_ids()
            .map(|id| self.inner.host(id).name.as_str())
            .collect()
    }

    /// GUIDs of the systems that the switches are parts of, in order; None where no file says more than that the
    /// switch is one by itself. The switches of a chassis share it.
    #[getter]
    fn system_guids(&self) -> Vec<Option<u64>> {
        let switches = self.inner.switch_ids();
        switches
            .map(|id| self.inner.switch(id).system_guid)
            .collect()
    }

    /// GUIDs of the switches in order; None where unknown.
    #[getter]
    fn switch_guids(&self) -> Vec<Option<u64>> {
        let switches = self.inner.switch_ids();
        switches.map(|id| self.inner.switch(id).guid).collect()
    }

    /// Port GUIDs of the hosts in order; None where unknown.
    #[getter]
    fn host_guids(&self) -> Vec<Option<u64>> {
        let hosts = self.inner.host_ids();
        hosts.map(|id| self.inner.host(id).guid).collect()
    }

    /// GUIDs of the adapters that the hosts' ports belong to, in order; None where unknown.
    #[getter]
    fn adapter_guids(&self) -> Vec<Option<u64>> {
        let hosts = self.inner.host_ids();
        hosts.map(|id| self.inner.host(id).adapter_guid).collect()
    }

    /// What says that each host is a service end: "description", "inside_switch", "place" or "told"; None for
    /// compute ends. In order.
    #[getter]
    fn host_service(&self) -> Vec<Option<&'static str>> {
        let hosts = self.inner.host_ids();
        hosts
            .map(|id| self.inner.host(id).service.map(ServiceReason::name))
            .collect()
    }

    /// Return the same fabric with other service ends, and no others.
    ///
    /// Parameters
    /// ----------
    /// reasons : list of str or None
    ///     As `host_service` has them, one for each host in order.
    ///
    /// Returns
    /// -------
    /// Fabric
    fn with_service(&self, reasons: Vec<Option<String>>) -> PyResult<Self> {
        if reasons.len() != self.inner.host_count() {
            let text = format!(
                "found {} reasons, expected one for each of {} hosts",
                reasons.len(),
                self.inner.host_count()
            );
            return Err(PyValueError::new_err(text));
        }
        let parsed = reasons.into_iter().map(|reason| {
            let reason = reason.map(|text| text.parse::<ServiceReason>());
            reason
                .transpose()
                .map_err(|error| PyValueError::new_err(error.to_string()))
        });
        let parsed = parsed.collect::<PyResult<Vec<_>>>()?;
        Ok(Fabric::clone(&self.inner).with_service(parsed).into())
    }

    /// Return the ports of each switch that a cable could be plugged into and none is.
    ///
    /// Switches with an odd number of ports beyond 36 have an inner one, the last, that no cable fits.
    ///
    /// Returns
    /// -------
    /// list of list of int
    ///     One list for each switch, in order.
    fn free_ports(&self) -> Vec<Vec<u16>> {
        let ports = |switch| {
            let free = self.inner.free_ports(switch).into_iter();
            free.map(|port| u16::from(port.number())).collect()
        };
        self.inner.switch_ids().map(ports).collect()
    }

    /// Return the fabric with one more cable, of the rate that most there have.
    ///
    /// All else keeps its number, name and port; the new link is the last.
    ///
    /// Parameters
    /// ----------
    /// one, other : str
    ///     Free ports of two switches: ``leaf01:17``.
    ///
    /// Returns
    /// -------
    /// Fabric
    ///
    /// Raises
    /// ------
    /// FabricError
    ///     When a switch or port is not there, or a cable is in it.
    fn with_cable(&self, one: &str, other: &str) -> Outcome<Self> {
        let ends = [
            port_named(&self.inner, one)?,
            port_named(&self.inner, other)?,
        ];
        let cable = self.inner.usual_cable(ends.map(|(switch, _)| switch));
        Ok(self.inner.with_cable(ends, cable)?.into())
    }

    /// Switch of each host: ndarray of int64, shape (host_count,).
    #[getter]
    fn host_switch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let switch = |host| i64::from(self.inner.host_switch(host).number());
        row(py, self.inner.host_ids().map(switch))
    }

    /// Extents of the grid the generator arranged the switches in, x first; None if unknown.
    #[getter]
    fn layout_extents(&self) -> Option<Vec<u32>> {
        match self.inner.layout() {
            Layout::Grid { extents } => Some(extents.clone()),
            Layout::Unstructured => None,
        }
    }

    /// Whether each channel joins two switches: ndarray of bool, shape (channel_count,).
    #[getter]
    fn is_switch_channel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ids = self.inner.channel_ids();
        row(py, ids.map(|channel| self.inner.is_switch_channel(channel)))
    }

    /// Both ends of every link.
    ///
    /// Returns
    /// -------
    /// ndarray of int64, shape (link_count, 4)
    ///     Node and port of the first end, node and port of the second.
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let end = |end: Endpoint| [self.node_index(end.node), end.port.number().into()];
        let ends = self
            .inner
            .link_ids()
            .flat_map(|id| self.inner.link(id).ends);
        let table = ends.flat_map(end).collect();
        array(py, table, &[self.inner.link_count(), 4])
    }

    /// Where each channel leads from and to.
    ///
    /// Returns
    /// -------
    /// ndarray of int64, shape (channel_count, 2)
    ///     Node the channel leaves and node it arrives at.
    fn channel_ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ends = |id| [self.inner.source(id), self.inner.target(id)];
        let nodes = self.inner.channel_ids().flat_map(ends);
        let table = nodes.map(|end| self.node_index(end.node)).collect();
        array(py, table, &[self.inner.channel_count(), 2])
    }

    /// Data rate of each link, each way.
    ///
    /// Returns
    /// -------
    /// ndarray of float64, shape (link_count,)
    ///     Gbit/s, line coding taken off; NaN where the source of the fabric does not give it.
    fn link_gbit_per_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rate = |id| self.inner.link(id).cable.rate;
        let rates = self
            .inner
            .link_ids()
            .map(|id| rate(id).map_or(f64::NAN, LinkRate::data_gbit_per_s));
        row(py, rates)
    }

    /// Describe a channel for people, as ``sw0[3] → sw1[4]``.
    ///
    /// Parameters
    /// ----------
    /// channel : int
    ///     Number of the channel.
    ///
    /// Returns
    /// -------
    /// str
    fn describe_channel(&self, channel: usize) -> PyResult<String> {
        let channel = known("channel", channel, self.inner.channel_count())?;
        Ok(self.inner.describe_channel(ChannelId::from_index(channel)))
    }

    fn __hash__(&self) -> u64 {
        self.inner.fingerprint()
    }

    fn __repr__(&self) -> String {
        let fabric = &self.inner;
        format!(
            "<Fabric {}: {} switches, {} hosts, {} links>",
            fabric.name(),
            fabric.switch_count(),
            fabric.host_count(),
            fabric.link_count()
        )
    }
}

/// The topologies that can be generated, each with what is known of it by name of the fact.
#[pyfunction]
pub(crate) fn topologies(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let topologies = TOPOLOGIES.iter();
    topologies
        .map(|topology| registry::entry(py, topology))
        .collect()
}

/// A topology by its name, with parameters, each a value as text by name.
#[pyfunction(name = "generate")]
pub(crate) fn generate_topology(
    py: Python<'_>,
    topology: String,
    parameters: BTreeMap<String, String>,
) -> Outcome<PyFabric> {
    let made = run(py, move || generate::generate(&topology, &parameters))??;
    Ok(made.into())
}

/// A fabric from the content of a file, and of files beside it by name: the fabric, the name of its
/// format, one (line or None, text, reason) per line that was read past, and one (node, port, counters
/// of errors, facts of the cable) per port of which more is known.
#[pyfunction]
#[pyo3(signature = (content, source_name, beside=Vec::new()))]
pub(crate) fn read_fabric(
    py: Python<'_>,
    content: PyBackedBytes,
    source_name: String,
    beside: Vec<(String, Vec<u8>)>,
) -> Outcome<(PyFabric, &'static str, Vec<Note>, Vec<PortFacts>)> {
    let companions: Vec<Companion> = beside
        .into_iter()
        .map(|(name, content)| Companion {
            name,
            text: String::from_utf8_lossy(&content).into_owned(),
        })
        .collect();
    let read = run(py, move || {
        formats::read_beside(&content, &source_name, &companions)
    })??;
    let format = read.format.format();
    let ports = port_facts(py, &read.fabric, read.ports)?;
    Ok((read.fabric.into(), format.id, notes(read.notes), ports))
}

/// Node, port, counters of errors, facts of the cable.
type PortFacts = (Py<PyString>, u8, Py<PyDict>, Py<PyDict>);

/// What is known of ports, as Python takes it: a text that many have is one object there.
fn port_facts(
    py: Python<'_>,
    fabric: &Fabric,
    records: Vec<PortRecord>,
) -> PyResult<Vec<PortFacts>> {
    let mut texts: BTreeMap<Arc<str>, Bound<'_, PyString>> = BTreeMap::new();
    let mut last: Option<(Node, Bound<'_, PyString>)> = None;
    let mut facts = Vec::with_capacity(records.len());
    for record in records {
        let node = match last.take() {
            Some((node, name)) if node == record.end.node => name,
            _ => PyString::new(py, fabric.node_name(record.end.node)),
        };
        let (errors, cable) = (PyDict::new(py), PyDict::new(py));
        for (counter, count) in record.errors {
            errors.set_item(PyString::intern(py, counter), count)?;
        }
        for (name, text) in record.cable {
            let text = texts
                .entry(text)
                .or_insert_with_key(|text| PyString::new(py, text));
            cable.set_item(PyString::intern(py, name), &*text)?;
        }
        let port = record.end.port.number();
        facts.push((node.clone().unbind(), port, errors.unbind(), cable.unbind()));
        last = Some((record.end.node, node));
    }
    Ok(facts)
}

/// Line (from 1) if known, text, and why it was read past.
pub(crate) type Note = (Option<u32>, String, String);

/// Notes of a reader, as Python takes them.
pub(crate) fn notes(notes: Vec<ReadNote>) -> Vec<Note> {
    let each = notes.into_iter();
    each.map(|note| (note.line, note.text, note.reason))
        .collect()
}

/// The fabric as a file's content, in the format of this name.
#[pyfunction]
pub(crate) fn fabric_text(py: Python<'_>, fabric: &PyFabric, format: &str) -> Outcome<String> {
    let format = FormatName::from_str(format)?;
    let fabric = Arc::clone(&fabric.inner);
    Ok(run(py, move || formats::write(&fabric, format))??)
}

/// The name of the format that a file is written in by the end of its name.
#[pyfunction]
pub(crate) fn format_of_path(path: &str) -> Outcome<&'static str> {
    Ok(FormatName::from_path(path)?.format().id)
}

/// Names as Slurm writes a list of them.
#[pyfunction]
pub(crate) fn slurm_hostlist(names: Vec<String>) -> String {
    weft_fabric::formats::hostlist(names.iter().map(String::as_str))
}

/// The formats of fabric files, each with what is known of it by name of the fact.
#[pyfunction]
pub(crate) fn fabric_formats(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entry = |format: &Format| {
        let dict = PyDict::new(py);
        dict.set_item("name", format.id)?;
        dict.set_item("title", format.title)?;
        dict.set_item("summary", format.summary)?;
        dict.set_item("keeps", format.keeps)?;
        dict.set_item("extensions", format.extensions)?;
        dict.set_item("reads", format.reads())?;
        dict.set_item("writes", format.writes())?;
        Ok(dict)
    };
    FORMATS.iter().map(entry).collect()
}

/// Figures of a fabric as a graph, by name.
#[pyfunction]
pub(crate) fn fabric_figures<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
) -> PyResult<Bound<'py, PyDict>> {
    let fabric = Arc::clone(&fabric.inner);
    let figures = run(py, move || metrics::figures(&fabric))?;
    let dict = PyDict::new(py);
    dict.set_item("switches", figures.switches)?;
    dict.set_item("hosts", figures.hosts)?;
    dict.set_item("links", figures.links)?;
    dict.set_item("switch_links", figures.switch_links)?;
    dict.set_item("host_links", figures.host_links)?;
    dict.set_item("self_links", figures.self_links)?;
    dict.set_item("parallel_links", figures.parallel_links)?;
    dict.set_item("components", figures.components)?;
    dict.set_item("diameter_links", figures.diameter_links)?;
    dict.set_item("mean_distance_links", figures.mean_distance_links)?;
    dict.set_item("mean_path_switches", figures.mean_path_switches)?;
    dict.set_item("max_path_switches", figures.max_path_switches)?;
    dict.set_item("radix_max", figures.radix_max)?;
    dict.set_item("hosts_per_switch_min", figures.hosts_per_switch_min)?;
    dict.set_item("hosts_per_switch_max", figures.hosts_per_switch_max)?;
    dict.set_item("hosts_per_switch_mean", figures.hosts_per_switch_mean)?;
    dict.set_item("rates", figures.rates)?;
    Ok(dict)
}
