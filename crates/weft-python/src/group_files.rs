//! Tables of groups as ibdiagnet dumps them: a folder of files in, and out.

use crate::errors::{Exception, Outcome};
use crate::fabric::{Note, PyFabric, notes};
use crate::interrupt::run;
use crate::routing::PyRouting;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_opensm::{
    GroupFiles, GroupTableFiles, NamedFile, RoutesFileKind, read_group_tables as read,
    static_group_tables, write_group_tables,
};
use weft_routing::{AdaptiveRoutes, AnyRoutes, Routes};

/// Content of a file and its name.
type File = (PyBackedBytes, String);

/// What a file of routes tells, found from its first lines: "static", "groups", "private_tables",
/// "lane_switching" or "lane_maps"; None where it is none of them, or has no entries.
#[pyfunction]
pub(crate) fn routes_file_kind(content: &[u8]) -> Option<&'static str> {
    Some(match weft_opensm::routes_file_kind(content)? {
        RoutesFileKind::StaticTables => "static",
        RoutesFileKind::GroupTables => "groups",
        RoutesFileKind::PrivateTables => "private_tables",
        RoutesFileKind::LaneSwitching => "lane_switching",
        RoutesFileKind::LaneMaps => "lane_maps",
    })
}

/// Routes from the files of a folder, each by what it tells, and one (line or None, text, reason) per part of
/// note.
#[pyfunction]
pub(crate) fn read_group_tables(
    py: Python<'_>,
    fabric: &PyFabric,
    label: String,
    files: BTreeMap<String, File>,
) -> Outcome<(PyRouting, Vec<Note>)> {
    let fabric = Arc::clone(&fabric.inner);
    let routed = Arc::clone(&fabric);
    let found = run(py, move || {
        let named = |kind: &str| {
            let file = files.get(kind);
            file.map(|(content, name)| -> NamedFile<'_> { (content, name) })
        };
        let files = GroupFiles {
            groups: named("groups"),
            static_ports: named("static"),
            private_tables: named("private_tables"),
            lane_switching: named("lane_switching"),
            lane_maps: named("lane_maps"),
        };
        read(&files, &routed)
    })??;
    let routing = PyRouting::new(found.routing, fabric, label);
    Ok((routing, notes(found.notes)))
}

/// The files of a folder that tell the routes as ibdiagnet does, with the wiring.
#[pyfunction]
pub(crate) fn group_table_files<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    routing: &PyRouting,
) -> Outcome<Bound<'py, PyDict>> {
    let (fabric, made) = routing.on(fabric)?;
    let refused = |form: &str| {
        let text = format!(
            "routing “{}” is {form}, which ibdiagnet's files cannot tell; they hold tables of groups of \
             ports, as ar_updn makes them, and forwarding tables on one service level",
            made.algorithm()
        );
        Exception::Routing.told(text)
    };
    let tables = match made.routes() {
        AnyRoutes::Adaptive(AdaptiveRoutes::Groups(tables)) if tables.has_pair_levels() => {
            return Err(refused("on several service levels by pair"));
        }
        AnyRoutes::Adaptive(AdaptiveRoutes::Groups(tables)) => tables.clone(),
        AnyRoutes::Adaptive(_) => return Err(refused("a choice of another form")),
        AnyRoutes::Fixed(Routes::Source(_)) => return Err(refused("a list of ports per pair")),
        AnyRoutes::Fixed(Routes::Tables(tables)) => static_group_tables(&fabric, tables)
            .ok_or_else(|| refused("on several service levels by pair"))?,
    };
    let GroupTableFiles {
        files, keeps_lids, ..
    } = run(py, move || write_group_tables(&fabric, &tables))??;
    let dict = PyDict::new(py);
    let files = files.iter();
    let files = files.map(|(name, text)| (*name, PyBytes::new(py, text.as_bytes())));
    dict.set_item("files", files.collect::<Vec<_>>())?;
    dict.set_item("keeps_lids", keeps_lids)?;
    Ok(dict)
}
