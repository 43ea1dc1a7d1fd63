//! Files of `OpenSM`: service levels and lanes in, everything that it loads out.

use crate::errors::IntoException;
use crate::fabric::{Note, PyFabric};
use crate::interrupt::{Stop, run};
use crate::proof::PyCertificate;
use crate::routing::PyRouting;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;
use weft_fabric::formats::ReadNote;
use weft_opensm::{
    LaneMaps, LaneOrder, OpensmEngine, OpensmOptions, ServiceLevels, export, on_lanes,
};
use weft_routing::{PairGranularity, Routes, Routing};

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
) -> PyResult<(PyRouting, Vec<Note>)> {
    routing.check_made_for(py, fabric)?;
    let fixed = routing.fixed(py, "a service level")?;
    let Routes::Tables(tables) = &fixed.routes else {
        return Err(not_tables(py));
    };
    if tables.granularity() != PairGranularity::Host {
        return Err(not_tables(py));
    }
    let (fabric, tables) = (Arc::clone(&fabric.inner), tables.clone());
    let own = |file: Option<File<'_>>| file.map(|(bytes, name)| (bytes.as_bytes().to_vec(), name));
    let (levels, maps) = (own(service_levels), own(lane_maps));
    let routed = run(py, &Stop::default(), move || {
        let mut notes = Vec::new();
        let levels = match levels {
            None => None,
            Some((bytes, name)) => {
                let read = ServiceLevels::read(&bytes, &name, &fabric)?;
                notes.extend(read.notes);
                Some(read.levels)
            }
        };
        let maps = match maps {
            None => None,
            Some((bytes, name)) => {
                let (maps, further) = LaneMaps::read(&bytes, &name, &fabric)?;
                notes.extend(further);
                Some(maps)
            }
        };
        Ok((
            on_lanes(&fabric, tables, levels.as_ref(), maps.as_ref()),
            notes,
        ))
    })?;
    let (tables, notes): (_, Vec<ReadNote>) =
        routed.map_err(|error: weft_fabric::formats::FormatError| error.into_exception(py))?;
    let inner = Routing {
        algorithm: fixed.algorithm.clone(),
        parameters: fixed.parameters.clone(),
        routes: tables.into(),
    };
    let notes = notes
        .into_iter()
        .map(|note| (note.line, note.text, note.reason))
        .collect();
    Ok((routing.with_routes(inner), notes))
}

fn not_tables(py: Python<'_>) -> PyErr {
    let text = "the routes are no tables by LID; service levels belong to tables of OpenSM";
    crate::errors::Exception::Routing.with_text(py, text.to_owned())
}

/// The files that `OpenSM` takes, by what is known of them.
#[pyfunction]
#[pyo3(signature = (fabric, routing, certificate, *, folder, fabric_file, verdict, lmc, weft_engine))]
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
) -> PyResult<Bound<'py, PyDict>> {
    routing.check_made_for(py, fabric)?;
    let fabric = Arc::clone(&fabric.inner);
    let routing = routing.fixed(py, "a subnet manager")?;
    let certificate = certificate.map(|certificate| Arc::clone(&certificate.inner));
    let engine = weft_engine.map(|is_weft| {
        if is_weft {
            OpensmEngine::Weft
        } else {
            OpensmEngine::File
        }
    });
    let made = run(py, &Stop::default(), move || {
        let tables = weft_routing::to_tables(&fabric, &routing.routes, lmc)?;
        let mut any_lid = tables.clone();
        any_lid.send_to_any_address();
        let holds_for_any_lid = weft_proof::verify(&fabric, &any_lid.into())
            .is_ok_and(|proof| proof.is_deadlock_free());
        let in_tables = Routing {
            algorithm: routing.algorithm.clone(),
            parameters: routing.parameters.clone(),
            routes: tables.into(),
        };
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
        };
        export(&fabric, &in_tables, &options)
    })?
    .map_err(|error| error.into_exception(py))?;
    let dict = PyDict::new(py);
    dict.set_item("files", made.files)?;
    dict.set_item("lmc", made.lmc)?;
    dict.set_item("keeps_lids", made.keeps_lids)?;
    dict.set_item("engine", made.engine.name())?;
    dict.set_item("lane_count", made.lane_count)?;
    dict.set_item("level_count", made.level_count)?;
    dict.set_item("policy_rules", made.policy_rules)?;
    dict.set_item("needs_chosen_lids", made.needs_chosen_lids)?;
    dict.set_item("unordered_switch_pairs", made.unordered_switch_pairs)?;
    Ok(dict)
}
