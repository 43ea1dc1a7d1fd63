//! Two fabrics compared.

use super::PyFabric;
use crate::interrupt::run;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use weft_fabric::compare::{Change, ComparedCable, ComparedEnd, Comparison, compare};
use weft_fabric::{Fabric, Node};

/// A node in the first fabric, in the second, the port.
type End = (Option<String>, Option<String>, u8);

/// How a fabric differs from a plan, by name.
#[pyfunction]
pub(crate) fn compare_fabrics<'py>(
    py: Python<'py>,
    planned: &PyFabric,
    found: &PyFabric,
) -> PyResult<Bound<'py, PyDict>> {
    let sides = [Arc::clone(&planned.inner), Arc::clone(&found.inner)];
    let comparison: Comparison = run(py, move || compare(&sides[0], &sides[1]))?;
    let names = Names {
        planned: &planned.inner,
        found: &found.inner,
    };
    let dict = PyDict::new(py);
    dict.set_item("matched_by_guid", comparison.matched.guid)?;
    dict.set_item("matched_by_name", comparison.matched.name)?;
    dict.set_item("matched_by_shape", comparison.matched.shape)?;
    let uncertain = comparison.uncertain.iter();
    let uncertain: Vec<&str> = uncertain
        .map(|&id| planned.inner.switch(id).name.as_str())
        .collect();
    dict.set_item("uncertain", uncertain)?;
    dict.set_item("same_cables", comparison.same_cables)?;
    dict.set_item("unlisted_parts", comparison.unlisted_parts)?;
    let changes = comparison.changes.iter();
    let changes = changes.map(|change| names.entry(py, change));
    dict.set_item("changes", changes.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

struct Names<'f> {
    planned: &'f Fabric,
    found: &'f Fabric,
}

impl Names<'_> {
    fn end(&self, end: ComparedEnd) -> End {
        let name = |fabric: &Fabric, node: Node| fabric.node_name(node).to_owned();
        (
            end.planned.map(|node| name(self.planned, node)),
            end.found.map(|node| name(self.found, node)),
            end.port,
        )
    }

    fn cables(&self, cables: &[ComparedCable]) -> Vec<(End, End)> {
        let ends = cables.iter().map(|cable| cable.map(|end| self.end(end)));
        ends.map(|[one, other]| (one, other)).collect()
    }

    /// A change: its kind, the cables as planned and as found, the node, the rates.
    fn entry<'py>(&self, py: Python<'py>, change: &Change) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let (kind, planned, found): (_, &[ComparedCable], &[ComparedCable]) = match change {
            Change::MissingNode { node, cables } => {
                dict.set_item("node", self.planned.node_name(*node))?;
                (kind_of("missing", *node), cables, &[])
            }
            Change::AddedNode { node, cables } => {
                dict.set_item("node", self.found.node_name(*node))?;
                (kind_of("added", *node), &[], cables)
            }
            Change::Missing { cable } => ("missing".to_owned(), std::slice::from_ref(cable), &[]),
            Change::Added { cable } => ("added".to_owned(), &[], std::slice::from_ref(cable)),
            Change::Swapped { planned, found } => ("swapped".to_owned(), planned, found),
            Change::Moved { planned, found } => (
                "moved".to_owned(),
                std::slice::from_ref(planned),
                std::slice::from_ref(found),
            ),
            Change::Rate {
                cable,
                planned,
                found,
            } => {
                dict.set_item("planned_rate", planned.to_string())?;
                dict.set_item("found_rate", found.to_string())?;
                let is_slower = found.data_gbit_per_s() < planned.data_gbit_per_s();
                let kind = if is_slower { "slower" } else { "faster" };
                let cable = std::slice::from_ref(cable);
                (kind.to_owned(), cable, cable)
            }
        };
        dict.set_item("kind", kind)?;
        dict.set_item("planned", self.cables(planned))?;
        dict.set_item("found", self.cables(found))?;
        Ok(dict)
    }
}

fn kind_of(what: &str, node: Node) -> String {
    match node {
        Node::Switch(_) => format!("{what}_switch"),
        Node::Host(_) => format!("{what}_host"),
    }
}
