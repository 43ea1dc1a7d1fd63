//! Tables of groups as ibdiagnet dumps them: a folder of files in, and out.

use crate::errors::{Exception, Outcome};
use crate::fabric::{Note, PyFabric, notes};
use crate::interrupt::run;
use crate::routing::PyRouting;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
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

/// Routes from the files of a folder, and one (line or None, text, reason) per part of note.
#[pyfunction]
#[pyo3(signature = (fabric, label, *, groups=None, r#static=None, private_tables=None, lane_switching=None, lane_maps=None))]
#[expect(clippy::too_many_arguments, reason = "given by name from Python")]
pub(crate) fn read_group_tables(
    py: Python<'_>,
    fabric: &PyFabric,
    label: String,
    groups: Option<File>,
    r#static: Option<File>,
    private_tables: Option<File>,
    lane_switching: Option<File>,
    lane_maps: Option<File>,
) -> Outcome<(PyRouting, Vec<Note>)> {
    let fabric = Arc::clone(&fabric.inner);
    let routed = Arc::clone(&fabric);
    let found = run(py, move || {
        let files = GroupFiles {
            groups: named(groups.as_ref()),
            static_ports: named(r#static.as_ref()),
            private_tables: named(private_tables.as_ref()),
            lane_switching: named(lane_switching.as_ref()),
            lane_maps: named(lane_maps.as_ref()),
        };
        read(&files, &routed)
    })??;
    let routing = PyRouting::new(found.routing, fabric, label);
    Ok((routing, notes(found.notes)))
}

fn named(file: Option<&File>) -> Option<NamedFile<'_>> {
    file.map(|(content, name)| (&**content, &**name))
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
