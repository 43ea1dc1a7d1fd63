//! From nodes and cables to the fabric.

use super::super::{FormatError, ReadNote, Source, fabric_name};
use super::names::{Candidate, printable, unique_names};
use super::records::{Node as Record, NodeKind, Records};
use super::service;
use super::wiring::{Cable, End, obstacle};
use super::{Lids, doubts};
use crate::metrics::with_service_by_place;
use crate::{Fabric, FabricBuilder, FabricError, Host, Node, PortNumber, ServiceReason, Switch};
use std::collections::BTreeMap;

/// A wired port of an adapter.
struct WiredPort {
    end: End,
    guid: Option<u64>,
    lids: Option<Lids>,
}

/// Builds the fabric: switches and hosts in the order of the file.
pub(super) fn assemble(
    source: Source<'_>,
    records: &Records<'_>,
    cables: &[Cable],
    notes: &mut Vec<ReadNote>,
) -> Result<Fabric, FormatError> {
    let cables = usable(records, cables, notes);
    let switches: Vec<usize> = of_kind(records, NodeKind::Switch).collect();
    let hosts = wired_ports(records, &cables);
    note_left_out(records, &hosts, notes);
    if switches.is_empty() {
        let end = source.text.trim_end().len();
        return Err(source.no_fabric(end, FabricError::NoSwitch, None));
    }

    let unknown_adapters = unknown_adapters(records, &hosts);
    let candidates: Vec<Candidate> = switches
        .iter()
        .map(|&switch| switch_candidate(&records.nodes[switch]))
        .chain(
            hosts
                .iter()
                .map(|host| host_candidate(records, host, &hosts, &unknown_adapters)),
        )
        .collect();
    let (names, marked_count) = unique_names(&candidates);
    if marked_count > 0 {
        notes.push(ReadNote {
            line: None,
            text: format!("{marked_count} nodes share their description with others"),
            reason: "names must be unique; the GUID was appended to theirs".to_owned(),
        });
    }

    let port_counts = port_counts(records, &cables);
    let peers: BTreeMap<End, End> = cables
        .iter()
        .flat_map(|cable| [cable.ends, [cable.ends[1], cable.ends[0]]])
        .map(|[end, peer]| (end, peer))
        .collect();
    let switch_lids = switches.iter().map(|&switch| records.nodes[switch].lids);
    let lids = switch_lids.chain(hosts.iter().map(|host| host.lids));
    let impossible: Vec<(&str, Lids)> = (names.iter().zip(lids))
        .filter_map(|(name, lids)| Some((name.as_str(), lids?)))
        .filter(|(_, lids)| lids.range().is_none())
        .collect();
    doubts::note_impossible_lids(&impossible, notes);
    let mut builder = FabricBuilder::new(fabric_name(source.name));
    let mut nodes: BTreeMap<End, Node> = BTreeMap::new();
    let mut names = names.into_iter();
    let place = |error: FabricError, offset: usize| source.no_fabric(offset, error, None);
    let offset_of = |node: usize| records.nodes[node].mark.map_or(0, |mark| mark.offset);
    let mut switch_nodes = BTreeMap::new();
    let systems = systems(records, &switches);
    for (&index, name) in switches.iter().zip(&mut names) {
        let switch = Switch {
            name,
            port_count: port_counts[index],
            guid: records.nodes[index].guid,
            system_guid: systems.get(&index).copied(),
            lids: records.nodes[index].lids.and_then(Lids::range),
        };
        let id = builder
            .add_switch(switch)
            .map_err(|e| place(e, offset_of(index)))?;
        switch_nodes.insert(index, Node::Switch(id));
    }
    for (host, name) in hosts.iter().zip(names) {
        let id = builder
            .add_host(Host {
                name,
                guid: host.guid,
                adapter_guid: records.nodes[host.end.0].guid,
                lids: host.lids.and_then(Lids::range),
                service: service::reason(records, host.end, &peers),
            })
            .map_err(|e| place(e, offset_of(host.end.0)))?;
        nodes.insert(host.end, Node::Host(id));
    }
    for cable in &cables {
        let ends = cable.ends.map(|end| {
            let node = switch_nodes
                .get(&end.0)
                .or_else(|| nodes.get(&end))
                .copied();
            node.map(|node| node.at(end.1))
        });
        // Invariant: `usable` left cables of switches and hosts, and all of those were added.
        let [Some(a), Some(b)] = ends else {
            unreachable!("both ends of a cable are known")
        };
        builder
            .add_link(
                a,
                b,
                crate::Cable {
                    rate: cable.rate,
                    is_one_way: cable.is_one_way,
                    is_disputed: cable.is_disputed,
                    ..crate::Cable::UNKNOWN
                },
            )
            .map_err(|e| place(e, cable.mark.offset))?;
    }
    let fabric = builder.build().map_err(|error| place(error, 0))?;
    let fabric = with_service_by_place(fabric);
    note_service(&fabric, notes);
    Ok(fabric)
}

/// The systems that switches are parts of, by their nodes: those whose GUID is not that of the switch alone.
fn systems(records: &Records<'_>, switches: &[usize]) -> BTreeMap<usize, u64> {
    let told = |&index: &usize| Some((index, records.nodes[index].system_image?));
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, system) in switches.iter().filter_map(told) {
        *counts.entry(system).or_default() += 1;
    }
    let systems = switches.iter().filter_map(told);
    let says_more = |&(index, system): &(usize, u64)| {
        records.nodes[index].guid != Some(system) || counts[&system] > 1
    };
    systems.filter(says_more).collect()
}

/// Tells which hosts are service ends, one line for each reason.
fn note_service(fabric: &Fabric, notes: &mut Vec<ReadNote>) {
    for reason in ServiceReason::ALL {
        let ends = fabric.host_ids().map(|id| fabric.host(id));
        let names: Vec<&str> = ends
            .filter(|host| host.service == Some(reason))
            .map(|host| host.name.as_str())
            .collect();
        if let [first, rest @ ..] = names.as_slice() {
            let others = match rest.len() {
                0 => String::new(),
                1 => " and 1 other".to_owned(),
                count => format!(" and {count} others"),
            };
            notes.push(ReadNote {
                line: None,
                text: format!("service ends: “{first}”{others}"),
                reason: format!(
                    "{}; reached and proved, but without a say in traffic, balance and levels",
                    reason.describe()
                ),
            });
        }
    }
}

fn of_kind(records: &Records<'_>, kind: NodeKind) -> impl Iterator<Item = usize> {
    records
        .nodes
        .iter()
        .enumerate()
        .filter(move |(_, node)| node.kind == kind)
        .map(|(index, _)| index)
}

/// Leaves out cables that a fabric cannot have, each with a note.
fn usable(records: &Records<'_>, cables: &[Cable], notes: &mut Vec<ReadNote>) -> Vec<Cable> {
    let describe = |(node, port): End| format!("{}[{port}]", label(&records.nodes[node]));
    let mut kept = Vec::with_capacity(cables.len());
    for cable in cables {
        match obstacle(cable.ends.map(|(node, _)| records.nodes[node].kind)) {
            None => kept.push(*cable),
            Some(reason) => notes.push(ReadNote {
                line: Some(cable.mark.line),
                text: cable.ends.map(describe).join(" – "),
                reason: reason.to_owned(),
            }),
        }
    }
    kept
}

/// The ports of adapters that hang on a switch, in the order of the file.
fn wired_ports(records: &Records<'_>, cables: &[Cable]) -> Vec<WiredPort> {
    let mut ports: Vec<WiredPort> = cables
        .iter()
        .flat_map(|cable| [0, 1].map(|end| (cable.ends[end], cable.guids[end], cable.lids[end])))
        .filter(|((node, _), ..)| records.nodes[*node].kind == NodeKind::Adapter)
        .map(|(end, guid, lids)| WiredPort {
            end,
            lids,
            // Some writers put the port's number where its GUID belongs.
            guid: guid.filter(|&guid| guid > u64::from(PortNumber::MAX)),
        })
        .collect();
    ports.sort_by_key(|port| port.end);
    ports
}

fn note_left_out(records: &Records<'_>, hosts: &[WiredPort], notes: &mut Vec<ReadNote>) {
    for index in of_kind(records, NodeKind::Adapter) {
        let node = &records.nodes[index];
        if hosts
            .binary_search_by_key(&index, |host| host.end.0)
            .is_err()
        {
            notes.push(ReadNote {
                line: node.mark.map(|mark| mark.line),
                text: format!("host “{}”", label(node)),
                reason: "no port of it is wired to a switch; left out".to_owned(),
            });
        }
    }
    for index in of_kind(records, NodeKind::Router) {
        let node = &records.nodes[index];
        notes.push(ReadNote {
            line: node.mark.map(|mark| mark.line),
            text: format!("router “{}”", label(node)),
            reason: "routers to other subnets are left out".to_owned(),
        });
    }
}

fn label<'a>(node: &Record<'a>) -> &'a str {
    node.description.unwrap_or(node.id)
}

fn described(node: &Record<'_>) -> String {
    let description = printable(label(node));
    if description.is_empty() {
        node.id.to_owned()
    } else {
        description
    }
}

fn switch_candidate(node: &Record<'_>) -> Candidate {
    let mark = node
        .guid
        .map_or_else(|| node.id.to_owned(), |guid| format!("0x{guid:016x}"));
    Candidate {
        description: described(node),
        mark,
    }
}

/// A host is named after its adapter, with the port where the adapter has several.
fn host_candidate(
    records: &Records<'_>,
    host: &WiredPort,
    all: &[WiredPort],
    unknown_adapters: &BTreeMap<&str, Vec<u8>>,
) -> Candidate {
    let (index, port) = host.end;
    let node = &records.nodes[index];
    let first = all.partition_point(|other| other.end.0 < index);
    let of_node = all[first..].iter().take_while(|other| other.end.0 == index);
    let is_joined = node.guid.is_none()
        && (unknown_adapters.get(label(node))).is_some_and(|ports| ports.len() > 1);
    let suffix = if is_joined || of_node.count() > 1 {
        format!(" port {port}")
    } else {
        String::new()
    };
    let mark = host.guid.or(node.guid);
    Candidate {
        description: described(node) + &suffix,
        mark: mark.map_or_else(|| node.id.to_owned(), |guid| format!("0x{guid:016x}")),
    }
}

/// The ports of adapters by description, where the file does not tell adapters apart:
/// ports of one description and different numbers are taken for those of one adapter.
fn unknown_adapters<'a>(records: &Records<'a>, hosts: &[WiredPort]) -> BTreeMap<&'a str, Vec<u8>> {
    let mut adapters: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    for host in hosts {
        let node = &records.nodes[host.end.0];
        if node.guid.is_none() {
            adapters.entry(label(node)).or_default().push(host.end.1);
        }
    }
    adapters.retain(|_, ports| {
        let count = ports.len();
        ports.sort_unstable();
        ports.dedup();
        ports.len() == count
    });
    adapters
}

/// Counts each node's ports: those its record gives it, or more where a cable needs them.
fn port_counts(records: &Records<'_>, cables: &[Cable]) -> Vec<u8> {
    let mut counts: Vec<u8> = records.nodes.iter().map(|node| node.port_count).collect();
    for (node, port) in cables.iter().flat_map(|cable| cable.ends) {
        counts[node] = counts[node].max(port);
    }
    counts
}
