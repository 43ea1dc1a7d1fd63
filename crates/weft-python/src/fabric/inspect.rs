//! What a person wants to know of a fabric beyond its counts.

use super::{PyFabric, known};
use crate::arrays::row;
use crate::interrupt::run;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use weft_fabric::metrics::{
    self, Bisection, Capacity, Distances, JoinedGroups, Level, MissingEnd, OtherCable, Structure,
    Suspicion,
};
use weft_fabric::{Endpoint, Fabric, LinkId, Node, PortNumber, SwitchId};

/// Level of each switch, 0 for the leaves; -1 where the fabric is not tree-like.
#[pyfunction]
pub(crate) fn fabric_levels<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
) -> PyResult<Bound<'py, PyAny>> {
    let fabric = Arc::clone(&fabric.inner);
    let levels = run(py, move || metrics::levels(&fabric))?;
    let numbers = levels.into_iter().map(|level| level.map_or(-1, i64::from));
    row(py, numbers)
}

/// Links of the shortest way from a switch to each; 2^32 - 1 where there is none.
#[pyfunction]
pub(crate) fn links_from<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
    switch: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let fabric = &*fabric.inner;
    let switch = known("switch", switch, fabric.switch_count())?;
    let links = metrics::distances_from(fabric, SwitchId::from_index(switch));
    row(py, links)
}

/// What the switches of a fabric form beyond levels, by their numbers; None where they form nothing that is known.
#[pyfunction]
pub(crate) fn fabric_structure<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let fabric = Arc::clone(&fabric.inner);
    let Some(found) = run(py, move || metrics::structure(&fabric))? else {
        return Ok(None);
    };
    let dict = PyDict::new(py);
    let groups = found.groups().into_iter();
    let groups: Vec<Vec<usize>> = groups
        .map(|group| group.into_iter().map(SwitchId::index).collect())
        .collect();
    dict.set_item("groups", groups)?;
    match found {
        Structure::DragonflyPlus {
            spines,
            joined_pairs,
            links_of_pair: [fewest, most],
            ..
        } => {
            let spines: Vec<usize> = spines.iter().map(Vec::len).collect();
            dict.set_item("kind", "dragonfly_plus")?;
            dict.set_item("spines", spines)?;
            dict.set_item("joined_pairs", joined_pairs)?;
            dict.set_item("links_of_pair", (fewest, most))?;
        }
        Structure::PolarFly {
            order,
            missing_links,
            ..
        } => {
            dict.set_item("kind", "polar_fly")?;
            dict.set_item("order", order)?;
            dict.set_item("missing_links", missing_links)?;
        }
    }
    Ok(Some(dict))
}

/// What a fabric is made of: the names of its switches; hosts, each with where it is plugged in; and cables
/// between switches, by both ends, the lesser first.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "three lists of names")]
pub(crate) fn fabric_parts(
    fabric: &PyFabric,
) -> (Vec<String>, Vec<(String, String)>, Vec<(String, String)>) {
    let fabric = &*fabric.inner;
    let switches = fabric.switch_ids().map(|id| fabric.switch(id).name.clone());
    let (mut hosts, mut cables) = (Vec::new(), Vec::new());
    let place = |end: Endpoint| format!("{}:{}", fabric.node_name(end.node), end.port);
    for link in fabric.link_ids() {
        match fabric.link(link).ends.map(|end| (end.node, end)) {
            [(Node::Host(host), _), (_, end)] | [(_, end), (Node::Host(host), _)] => {
                hosts.push((fabric.host(host).name.clone(), place(end)));
            }
            [(_, one), (_, other)] => {
                let [one, other] = [place(one), place(other)];
                cables.push(if one <= other {
                    (one, other)
                } else {
                    (other, one)
                });
            }
        }
    }
    (switches.collect(), hosts, cables)
}

/// Ports, distances, bisection, levels and suspicions of a fabric, by name.
#[pyfunction]
pub(crate) fn inspect_fabric<'py>(
    py: Python<'py>,
    fabric: &PyFabric,
) -> PyResult<Bound<'py, PyDict>> {
    let whole = Arc::clone(&fabric.inner);
    let (distances, bisection, levels, between_groups, suspicions) = run(py, move || {
        let levels = metrics::levels(&whole);
        (
            Distances::of(&whole),
            Bisection::of(&whole),
            metrics::level_figures(&whole, &levels),
            JoinedGroups::of(&whole, &levels).links_between(&whole),
            metrics::suspicions(&whole, &levels),
        )
    })?;
    let fabric = &*fabric.inner;
    let dict = PyDict::new(py);
    let port_use = metrics::port_use(fabric);
    let ports = port_use.iter().map(|port_use| {
        let entry = PyDict::new(py);
        entry.set_item("ports", port_use.ports)?;
        entry.set_item("wired", port_use.wired)?;
        entry.set_item("switches", port_use.switches)?;
        Ok(entry)
    });
    dict.set_item("port_use", ports.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("mean_host_distance_links", distances.mean_of_hosts())?;
    dict.set_item("switch_pairs_by_distance", distances.switch_pairs)?;
    dict.set_item("host_pairs_by_distance", distances.host_pairs)?;
    dict.set_item("bisection", bisection_entry(py, &bisection)?)?;
    let levels = levels.iter().map(|level| level_entry(py, fabric, level));
    dict.set_item("levels", levels.collect::<PyResult<Vec<_>>>()?)?;
    let between_groups: Vec<usize> = between_groups.into_iter().map(LinkId::index).collect();
    dict.set_item("links_between_groups", between_groups)?;
    let suspicions = suspicions
        .iter()
        .map(|found| suspicion_entry(py, fabric, found));
    dict.set_item("suspicions", suspicions.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn bisection_entry<'py>(py: Python<'py>, found: &Bisection) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("at_most_links", found.at_most_links)?;
    dict.set_item("at_least_links", found.at_least_links)?;
    dict.set_item("found_gbit_per_s", found.found_gbit_per_s)?;
    dict.set_item("oversubscription", found.oversubscription)?;
    dict.set_item("sizes", (found.sizes[0], found.sizes[1]))?;
    Ok(dict)
}

fn level_entry<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    level: &Level,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("switches", level.switches)?;
    dict.set_item("hosts", level.hosts)?;
    for (name, Capacity { links, gbit_per_s }) in [
        ("injection", level.injection),
        ("down", level.down),
        ("up", level.up),
    ] {
        dict.set_item(format!("{name}_links"), links)?;
        dict.set_item(format!("{name}_gbit_per_s"), gbit_per_s)?;
    }
    dict.set_item("oversubscription", level.oversubscription)?;
    let narrowest = level
        .narrowest
        .map(|(switch, _)| fabric.switch(switch).name.as_str());
    dict.set_item("narrowest_switch", narrowest)?;
    dict.set_item(
        "narrowest_oversubscription",
        level.narrowest.map(|(_, over)| over),
    )?;
    Ok(dict)
}

/// A suspicion: its kind, the nodes it is about with ports of each, its cables with the ports at
/// both ends, and what is specific to the kind.
fn suspicion_entry<'py>(
    py: Python<'py>,
    fabric: &Fabric,
    suspicion: &Suspicion,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let about = |kind: &str, nodes: &[Node]| -> PyResult<()> {
        let names: Vec<&str> = nodes.iter().map(|&node| fabric.node_name(node)).collect();
        dict.set_item("kind", kind)?;
        dict.set_item("nodes", names)
    };
    let of_switches = |kind: &str, ports: Vec<(SwitchId, &[PortNumber])>| -> PyResult<()> {
        let nodes: Vec<Node> = ports.iter().map(|&(id, _)| Node::Switch(id)).collect();
        about(kind, &nodes)?;
        let ports: Vec<Vec<u32>> = ports.iter().map(|(_, ports)| numbers(ports)).collect();
        dict.set_item("ports", ports)
    };
    let of_links = |kind: &str, links: &[LinkId]| -> PyResult<()> {
        about(kind, &[])?;
        let cables: Vec<_> = links
            .iter()
            .map(|&id| {
                let [a, b] = fabric.link(id).ends;
                (
                    end(fabric, a.node, &[a.port]),
                    end(fabric, b.node, &[b.port]),
                )
            })
            .collect();
        dict.set_item("cables", cables)
    };
    match suspicion {
        Suspicion::IsolatedPart { switches, hosts } => {
            let nodes: Vec<Node> = switches.iter().map(|&id| Node::Switch(id)).collect();
            about("isolated_part", &nodes)?;
            dict.set_item("hosts", *hosts)?;
        }
        Suspicion::OneWay { links } => of_links("one_way", links)?,
        Suspicion::NoLid { nodes } => about("no_lid", nodes)?,
        Suspicion::SharedLids { nodes } => about("shared_lids", nodes)?,
        Suspicion::SharedGuids { nodes } => about("shared_guids", nodes)?,
        Suspicion::Disputed { links } => of_links("disputed", links)?,
        Suspicion::SlowLinks {
            links,
            found,
            expected,
        } => {
            of_links("slow_links", links)?;
            dict.set_item("found", found.to_string())?;
            dict.set_item("expected", expected.to_string())?;
        }
        Suspicion::MissingCable { ends } => {
            about("missing_cable", &[])?;
            let [a, b] = [&ends[0], &ends[1]]
                .map(|missing| end(fabric, Node::Switch(missing.switch), &missing.ports));
            dict.set_item("cables", vec![(a, b)])?;
        }
        Suspicion::MissingAmong {
            count,
            is_least,
            ends,
        } => {
            about("missing_among", &[])?;
            let [ones, others] = [&ends[0], &ends[1]].map(|ends| {
                let ends = ends.iter();
                let of_switch = |missing: &MissingEnd| {
                    end(fabric, Node::Switch(missing.switch), &missing.ports)
                };
                ends.map(of_switch).collect::<Vec<_>>()
            });
            dict.set_item("among", (ones, others))?;
            dict.set_item("count", *count)?;
            dict.set_item("is_least", *is_least)?;
        }
        Suspicion::SwappedCables {
            links,
            others,
            belong,
        } => {
            about("swapped_cables", &[])?;
            let [[here, there], [left, right]] = *belong;
            let pairs = |ends: [(SwitchId, PortNumber); 2]| ends.map(|(switch, _)| switch);
            // All ports that a cable may be in, where others between the same switches may be meant.
            let ports_of = |own: [(SwitchId, PortNumber); 2], others: &[OtherCable]| {
                let same = others.iter().filter(|(_, ends)| pairs(*ends) == pairs(own));
                [0, 1].map(|at| {
                    let ports = same.clone().map(|(_, ends)| ends[at].1);
                    let mut ports: Vec<PortNumber> = ports.chain([own[at].1]).collect();
                    ports.sort_unstable();
                    end(fabric, Node::Switch(own[at].0), &ports)
                })
            };
            let found = [[here, right], [left, there]];
            let [one, other] = [0, 1].map(|at| ports_of(found[at], &others[at]));
            let tuple = |[one, other]: [_; 2]| (one, other);
            let belong = [
                [one[0].clone(), other[1].clone()],
                [other[0].clone(), one[1].clone()],
            ];
            // Written as the fabric has them.
            let laid = |at: usize, [near, far]: [_; 2]| {
                let first = fabric.link(links[at]).ends[0];
                let (switch, port) = found[at][0];
                if first == Node::Switch(switch).at(port.number()) {
                    (near, far)
                } else {
                    (far, near)
                }
            };
            dict.set_item("cables", vec![laid(0, one), laid(1, other)])?;
            dict.set_item("belong", belong.map(tuple).to_vec())?;
            let instead = [0, 1].map(|at| {
                let elsewhere = others[at]
                    .iter()
                    .filter(|(_, ends)| pairs(*ends) != pairs(found[at]));
                let ends = elsewhere.map(|(_, ends)| {
                    tuple(ends.map(|(switch, port)| end(fabric, Node::Switch(switch), &[port])))
                });
                ends.collect::<Vec<_>>()
            });
            if instead.iter().any(|others| !others.is_empty()) {
                dict.set_item("instead", instead.to_vec())?;
            }
        }
        Suspicion::SelfLinks { links } => of_links("self_links", links)?,
        Suspicion::Asymmetry {
            switches,
            dark_ports,
            expected,
            agreeing,
            peers,
        } => {
            let ports = switches.iter().zip(dark_ports);
            let ports = ports.map(|(&(id, _), ports)| (id, &ports[..]));
            of_switches("asymmetry", ports.collect())?;
            let found: Vec<usize> = switches.iter().map(|&(_, found)| found).collect();
            dict.set_item("found", found)?;
            dict.set_item("expected", *expected)?;
            dict.set_item("agreeing", *agreeing)?;
            dict.set_item("peers", *peers)?;
        }
        Suspicion::IdlePorts { ports } => {
            let ports = ports.iter().map(|(id, ports)| (*id, &ports[..]));
            of_switches("idle_ports", ports.collect())?;
        }
    }
    Ok(dict)
}

/// An end of a cable: a node and the ports it may be in.
fn end(fabric: &Fabric, node: Node, ports: &[PortNumber]) -> (String, Vec<u32>) {
    (fabric.node_name(node).to_owned(), numbers(ports))
}

fn numbers(ports: &[PortNumber]) -> Vec<u32> {
    ports.iter().map(|port| u32::from(port.number())).collect()
}
