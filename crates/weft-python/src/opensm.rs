//! Files of `OpenSM`: service levels and lanes in, everything that it loads out.

use crate::errors::{Exception, Outcome};
use crate::fabric::{Note, PyFabric, notes};
use crate::interrupt::run;
use crate::proof::PyCertificate;
use crate::routing::PyRouting;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use weft_fabric::formats::FormatError;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_opensm::{
    LaneMaps, LaneOrder, LoadedTables, OpensmEngine, OpensmError, OpensmOptions, ServiceLevels,
    export, exported_tables, on_lanes,
};
use weft_proof::{Certificate, Verdict, check_certificate, verify};
use weft_routing::{PairGranularity, Routes};

/// Content of a file and its name.
type File<'py> = (Bound<'py, PyBytes>, String);

/// The same routes on the lanes that service levels are given, and one (line or None, text, reason)
/// per part that was passed over.
#[pyfunction]
pub(crate) fn routes_on_lanes(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    service_levels: Option<File<'_>>,
    lane_maps: Option<File<'_>>,
) -> Outcome<(PyRouting, Vec<Note>)> {
    let (fabric, fixed) = routing.fixed_on(fabric, "a service level")?;
    let tables = match &fixed.routes {
        Routes::Tables(tables) if tables.granularity() == PairGranularity::Host => tables.clone(),
        _ => {
            let text = "the routes are no tables by LID; service levels belong to tables of OpenSM";
            return Err(Exception::Routing.told(text.to_owned()));
        }
    };
    let own = |file: Option<File<'_>>| file.map(|(bytes, name)| (bytes.as_bytes().to_vec(), name));
    let (levels, maps) = (own(service_levels), own(lane_maps));
    let (tables, passed_over) = run(py, move || -> Result<_, FormatError> {
        let levels = levels.map(|(bytes, name)| ServiceLevels::read(&bytes, &name, &fabric));
        let (levels, mut notes) = match levels.transpose()? {
            Some(read) => (Some(read.levels), read.notes),
            None => (None, Vec::new()),
        };
        let maps = maps.map(|(bytes, name)| LaneMaps::read(&bytes, &name, &fabric));
        let (maps, further) = maps.transpose()?.unzip();
        notes.extend(further.into_iter().flatten());
        let laned = on_lanes(&fabric, tables, levels.as_ref(), maps.as_ref());
        Ok((laned, notes))
    })??;
    Ok((
        routing.with_routes(fixed.with_routes(tables)),
        notes(passed_over),
    ))
}

/// An order that all routes ascend, found and checked; `None` where they can deadlock or do not arrive.
fn proved(fabric: &Fabric, routes: &Routes) -> Option<Certificate> {
    let Verdict::DeadlockFree(certificate) = verify(fabric, routes).ok()?.verdict else {
        return None;
    };
    let is_right = check_certificate(fabric, routes, &certificate).is_ok();
    is_right.then_some(certificate)
}

/// Entries by switch and name of the destination; `None` of more than are to be listed.
type Listed = Option<Vec<(usize, String)>>;

fn listed(
    fabric: &Fabric,
    granularity: PairGranularity,
    entries: &[(SwitchId, usize)],
    most: usize,
) -> Listed {
    let name = |to| granularity.endpoint_name(fabric, to).to_owned();
    let named = entries.iter().map(|&(at, to)| (at.index(), name(to)));
    (entries.len() <= most).then(|| named.collect())
}

/// Tables in which switches without hosts lead to all addresses, too, by the order of a certificate, and the entries that
/// these are more.
#[pyfunction]
pub(crate) fn managed_tables(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    certificate: &PyCertificate,
    most_listed: usize,
) -> Outcome<(PyRouting, Listed)> {
    let needs = "a subnet manager";
    let (_, fixed) = routing.fixed_on(fabric, needs)?;
    let (fabric, tables) = routing.tables_on(fabric, needs)?;
    let (granularity, on) = (tables.granularity(), Arc::clone(&fabric));
    let certificate = Arc::clone(&certificate.inner);
    let (managed, led) = run(py, move || {
        let order = LaneOrder {
            lane_count: certificate.lane_count,
            ranks: &certificate.rank,
        };
        weft_opensm::managed_tables(&on, tables, Some(order))
    })?;
    let led = listed(&fabric, granularity, &led, most_listed);
    Ok((routing.with_routes(fixed.with_routes(managed)), led))
}

/// The entries of switches without hosts that no route passes.
#[pyfunction]
pub(crate) fn entries_of_management(
    py: Python<'_>,
    fabric: &PyFabric,
    routing: &PyRouting,
    most_listed: usize,
) -> Outcome<Listed> {
    let (fabric, tables) = routing.tables_on(fabric, "a subnet manager")?;
    let (granularity, on) = (tables.granularity(), Arc::clone(&fabric));
    let found = run(py, move || weft_opensm::entries_of_management(&on, &tables))?;
    Ok(listed(&fabric, granularity, &found, most_listed))
}

/// The files that `OpenSM` takes, by what is known of them; all of them, or those alone that it loads.
#[pyfunction]
#[pyo3(signature = (fabric, routing, certificate, *, folder, fabric_file, verdict, lmc, weft_engine, unproved, for_opensm_alone))]
#[expect(clippy::too_many_arguments, reason = "given by name from Python")]
pub(crate) fn opensm_files<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
    certificate: Option<&PyCertificate>,
    folder: String,
    fabric_file: String,
    verdict: String,
    lmc: u8,
    weft_engine: Option<bool>,
    unproved: bool,
    for_opensm_alone: bool,
) -> Outcome<Bound<'py, PyDict>> {
    let (fabric, routing) = routing.fixed_on(fabric, "a subnet manager")?;
    let certificate = certificate.map(|certificate| Arc::clone(&certificate.inner));
    let on = Arc::clone(&fabric);
    let engine = weft_engine.map(|is_weft| {
        if is_weft {
            OpensmEngine::Weft
        } else {
            OpensmEngine::File
        }
    });
    let made = run(py, move || {
        let tables = exported_tables(&fabric, &routing.routes, lmc)?;
        let mut certificate = certificate;
        let mut holds_for_any_lid = certificate.is_some();
        if tables.most_addresses() > 1 {
            let mut any_lid = tables.clone();
            any_lid.send_to_any_address();
            certificate = proved(&fabric, &any_lid.into()).map(Arc::new);
            holds_for_any_lid = certificate.is_some();
            if !holds_for_any_lid && !unproved {
                return Err(OpensmError::UnprovedLids);
            }
        }
        let in_tables = routing.with_routes(tables);
        let options = OpensmOptions {
            folder: &folder,
            fabric_file: &fabric_file,
            lmc,
            engine,
            order: certificate.as_ref().map(|certificate| LaneOrder {
                lane_count: certificate.lane_count,
                ranks: &certificate.rank,
            }),
            verdict: &verdict,
            holds_for_any_lid,
            is_for_opensm_alone: for_opensm_alone,
        };
        export(&fabric, &in_tables, &options)
    })??;
    let dict = PyDict::new(py);
    let files = made.files.iter();
    let files = files.map(|(name, text)| (*name, PyBytes::new(py, text.as_bytes())));
    dict.set_item("files", files.collect::<Vec<_>>())?;
    dict.set_item("tables", PyLoadedTables { inner: made.tables })?;
    dict.set_item("lmc", made.lmc)?;
    dict.set_item("keeps_lids", made.new_lids == 0)?;
    dict.set_item("engine", made.engine.name())?;
    dict.set_item("lane_count", made.lane_count)?;
    dict.set_item("level_count", made.level_count)?;
    dict.set_item("policy_rules", made.policy_rules)?;
    dict.set_item("needs_chosen_lids", made.needs_chosen_lids)?;
    let unfit = made.unfit_for_managers.iter();
    let unfit: Vec<&str> = unfit.map(|&host| on.host(host).name.as_str()).collect();
    dict.set_item("unfit_for_managers", unfit)?;
    dict.set_item("unordered_switch_pairs", made.unordered_switch_pairs)?;
    Ok(dict)
}

/// Bytes that are handed over at once.
const PACKED_BYTES: usize = 1 << 16;

/// Tables as `OpenSM` loads them; immutable.
#[pyclass(name = "LoadedTables", module = "weft._core", frozen)]
pub(crate) struct PyLoadedTables {
    inner: LoadedTables,
}

#[pymethods]
impl PyLoadedTables {
    /// Reads the text of tables; `None` of what is damaged.
    #[staticmethod]
    fn read(content: &[u8]) -> Option<Self> {
        let inner = LoadedTables::read(content)?;
        Some(Self { inner })
    }

    /// Switches that the text has lines of.
    #[getter]
    fn switch_count(&self) -> usize {
        self.inner.switch_count()
    }

    /// Bytes of the text.
    #[getter]
    fn text_bytes(&self) -> u64 {
        self.inner.text_bytes()
    }

    /// The text that `OpenSM` loads.
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.text())
    }

    /// Hands over all that tells these tables from others, in fewer bytes than their text, one part after the other.
    fn packed_into(&self, py: Python<'_>, take: &Bound<'_, PyAny>) -> PyResult<()> {
        for part in self.inner.packed() {
            for some in part.chunks(PACKED_BYTES) {
                take.call1((PyBytes::new(py, some),))?;
            }
        }
        Ok(())
    }

    /// The same tables with the lines of others, where these have all of theirs.
    fn laid_out_as(&self, others: &Self) -> Self {
        let inner = self.inner.laid_out_as(&others.inner);
        let inner = inner.unwrap_or_else(|| self.inner.clone());
        Self { inner }
    }

    /// The lanes that the plugin loads, made for other tables, for these.
    fn lanes_beside<'py>(&self, py: Python<'py>, lanes: &str) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.inner.lanes_beside(lanes).as_bytes())
    }

    /// What these tables and others have in common.
    fn common(&self, others: &Self) -> Self {
        let inner = self.inner.as_before(&others.inner, |_| true);
        Self { inner }
    }

    /// These tables of a fabric with the entries to hosts that others have, and those to switches that both have.
    fn as_before(&self, others: &Self, fabric: &PyFabric) -> Self {
        let fabric = &*fabric.inner;
        let hosts = fabric.host_ids().filter_map(|id| fabric.host(id).guid);
        let hosts: BTreeSet<u64> = hosts.collect();
        let inner = self
            .inner
            .as_before(&others.inner, |port| !hosts.contains(&port));
        Self { inner }
    }

    /// The same with entries written: switch, place of the address and port, 0 for none; addresses are given by
    /// destination, a host or all of a switch's, and alias.
    fn written(
        &self,
        fabric: &PyFabric,
        addresses: Vec<(String, usize)>,
        writes: Vec<(usize, usize, u8)>,
    ) -> Outcome<Self> {
        let fabric = &*fabric.inner;
        let switches = fabric.switch_ids().map(|id| (&*fabric.switch(id).name, id));
        let switches: BTreeMap<&str, SwitchId> = switches.collect();
        let hosts = fabric.host_ids().map(|id| (&*fabric.host(id).name, id));
        let hosts: BTreeMap<&str, HostId> = hosts.collect();
        let ports = |destination: &str| -> Vec<u64> {
            let of_switch = switches.get(destination).map(|&at| fabric.hosts_of(at));
            let named = hosts.get(destination).copied().into_iter();
            let all = named.chain(of_switch.into_iter().flatten().copied());
            all.filter_map(|host| fabric.host(host).guid).collect()
        };
        let goals: Vec<Vec<(u64, usize)>> = (addresses.iter())
            .map(|(destination, alias)| {
                let ports = ports(destination).into_iter();
                ports.map(|port| (port, *alias)).collect()
            })
            .collect();
        let is_known = |&(at, address, _): &(usize, usize, u8)| {
            at < fabric.switch_count() && address < goals.len()
        };
        if !writes.iter().all(is_known) {
            let text = format!("“{}” has no such entries", fabric.name());
            return Err(Exception::Fabric.told(text));
        }
        let entries = writes.iter().flat_map(|&(at, address, port)| {
            let switch = fabric.switch(SwitchId::from_index(at)).guid;
            let port = (port > 0).then(|| PortNumber::new(port));
            let goals = switch
                .map(|_| goals[address].as_slice())
                .unwrap_or_default();
            let switch = switch.unwrap_or_default();
            goals.iter().map(move |&goal| (switch, goal, port))
        });
        let inner = self.inner.written(entries);
        Ok(Self { inner })
    }

    /// Offset and content of what is to be written of some switches into a file that holds `written`.
    fn pieces<'py>(
        &self,
        py: Python<'py>,
        switches: (usize, usize),
        written: Option<&Self>,
    ) -> PyResult<Vec<(u64, Bound<'py, PyBytes>)>> {
        let (first, end) = switches;
        if end > self.inner.switch_count() {
            let count = self.inner.switch_count();
            let text = format!("found switches {first} to {end}, of {count}");
            return Err(PyValueError::new_err(text));
        }
        let written = written.map(|written| &written.inner);
        let pieces = (first..end).flat_map(|switch| self.inner.pieces(switch, written));
        Ok(pieces
            .map(|(offset, text)| (offset, PyBytes::new(py, &text)))
            .collect())
    }

    /// How many entries of switches, as ``dump_fts`` prints them, are not these.
    fn differing_entries(&self, printed: &[u8]) -> usize {
        self.inner.differing_entries(printed)
    }
}
