//! From the file to a fabric.

use super::super::error::{FormatError, FormatErrorKind};
use super::super::source::Source;
use super::super::{FormatName, ReadFabric, fabric_name};
use super::entries::{Document, EndEntry, Head, HostEntry, LinkEntry, Port, SwitchEntry};
use super::parse::Reader;
use super::{MARK, VERSION};
use crate::builder::FabricBuilder;
use crate::error::FabricError;
use crate::fabric::{Endpoint, Host, Node, Switch};
use crate::ids::PortNumber;
use crate::lids::LidRange;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

pub(super) fn read(source: Source<'_>) -> Result<ReadFabric, FormatError> {
    let reader = Reader { source };
    reader.check_head()?;
    let document: Document<'_> = reader.parse(source.text)?;
    let name = document
        .name
        .clone()
        .unwrap_or_else(|| fabric_name(source.name));
    let mut builder = FabricBuilder::new(name);
    let mut layout_offset = 0;
    if let Some(entry) = document.layout {
        layout_offset = reader.offset(entry.get());
        builder.set_layout(reader.parse(entry.get())?);
    }

    let mut nodes: BTreeMap<String, (Node, usize)> = BTreeMap::new();
    for entry in document.switches {
        let offset = reader.offset(entry.get());
        let SwitchEntry {
            name,
            ports,
            guid,
            lid,
            lmc,
        } = reader.parse(entry.get())?;
        let switch = Switch {
            name: name.clone(),
            port_count: ports.0,
            guid,
            lids: reader.lids(lid, lmc, offset)?,
        };
        let id = builder.add_switch(switch).map_err(|error| {
            reader.clash(offset, error, nodes.get(&name).map(|&(_, first)| first))
        })?;
        nodes.insert(name, (Node::Switch(id), offset));
    }
    for entry in document.hosts {
        let offset = reader.offset(entry.get());
        let HostEntry {
            name,
            guid,
            adapter_guid,
            lid,
            lmc,
        } = reader.parse(entry.get())?;
        let host = Host {
            name: name.clone(),
            guid,
            adapter_guid,
            lids: reader.lids(lid, lmc, offset)?,
        };
        let id = builder.add_host(host).map_err(|error| {
            reader.clash(offset, error, nodes.get(&name).map(|&(_, first)| first))
        })?;
        nodes.insert(name, (Node::Host(id), offset));
    }
    let mut first_uses = BTreeMap::new();
    for entry in document.links {
        reader.add_link(entry, &nodes, &mut first_uses, &mut builder)?;
    }
    let fabric = builder.build().map_err(|error| {
        let offset = match &error {
            FabricError::HostWithoutLink { host } => nodes.get(host).map_or(0, |&(_, at)| at),
            FabricError::LayoutMismatch { .. } => layout_offset,
            _ => reader.content(),
        };
        reader.clash(offset, error, None)
    })?;
    Ok(ReadFabric {
        fabric,
        format: FormatName::Json,
        notes: Vec::new(),
    })
}

/// One end of a link, understood.
struct End {
    name: String,
    endpoint: Endpoint,
    offset: usize,
}

impl End {
    /// This is what the end takes: a port of a switch, or a host whatever the port, since a host
    /// has one link only.
    fn key(&self) -> (Node, Option<u8>) {
        let Endpoint { node, port } = self.endpoint;
        (
            node,
            matches!(node, Node::Switch(_)).then_some(port.number()),
        )
    }

    fn is(&self, node: &str, port: u8) -> bool {
        self.name == node && self.endpoint.port.number() == port
    }
}

impl<'a> Reader<'a> {
    fn check_head(self) -> Result<(), FormatError> {
        let head: Head<'a> = self.parse(self.source.text)?;
        let found = match head.format {
            None => "a JSON object without “format”".to_owned(),
            Some(format) if serde_json::from_str(format.get()).is_ok_and(|f: String| f == MARK) => {
                return self.check_version(head.version);
            }
            Some(format) => format!("JSON of format {}", clipped(format.get())),
        };
        let offset = head
            .format
            .map_or_else(|| self.content(), |format| self.offset(format.get()));
        let advice = "check that this is the file you meant";
        Err(self
            .source
            .error(offset, FormatErrorKind::OtherFormat { found, advice }))
    }

    fn check_version(self, version: Option<&'a RawValue>) -> Result<(), FormatError> {
        let Some(version) = version else {
            let kind = FormatErrorKind::Unexpected {
                found: "no field “version”".to_owned(),
                expected: format!("\"version\": {VERSION}"),
            };
            return Err(self.source.error(self.content(), kind));
        };
        let kind = match version.get().parse::<u64>() {
            Ok(VERSION) => return Ok(()),
            Ok(found) if found > VERSION => FormatErrorKind::NewerVersion {
                found,
                newest: VERSION,
            },
            _ => FormatErrorKind::Unexpected {
                found: format!("version {}", clipped(version.get())),
                expected: VERSION.to_string(),
            },
        };
        Err(self.source.error(self.offset(version.get()), kind))
    }

    /// These are the LIDs a node's entry gives it.
    fn lids(
        self,
        lid: Option<u16>,
        lmc: Option<u8>,
        offset: usize,
    ) -> Result<Option<LidRange>, FormatError> {
        let Some(base) = lid else {
            return match lmc {
                None => Ok(None),
                Some(_) => Err(self.unexpected("an “lmc” without “lid”", offset)),
            };
        };
        let mask_bits = lmc.unwrap_or(0);
        match LidRange::new(base, mask_bits) {
            Some(lids) => Ok(Some(lids)),
            None => Err(self.unexpected(&format!("lid {base} with lmc {mask_bits}"), offset)),
        }
    }

    fn unexpected(self, found: &str, offset: usize) -> FormatError {
        let kind = FormatErrorKind::Unexpected {
            found: found.to_owned(),
            expected: format!(
                "a lid from 1 to {} that is a multiple of 2^lmc, lmc from 0 to {}",
                LidRange::MAX,
                LidRange::MAX_MASK_BITS
            ),
        };
        self.source.error(offset, kind)
    }

    fn content(self) -> usize {
        self.source.text.len() - self.source.text.trim_start().len()
    }

    fn end(
        self,
        entry: &'a RawValue,
        nodes: &BTreeMap<String, (Node, usize)>,
    ) -> Result<End, FormatError> {
        let offset = self.offset(entry.get());
        let EndEntry(name, Port(port)) = self.parse(entry.get())?;
        let Some(&(node, _)) = nodes.get(&name) else {
            let advice = advice(&name, nodes);
            return Err(self
                .source
                .error(offset, FormatErrorKind::UnknownNode { name, advice }));
        };
        Ok(End {
            name,
            endpoint: Endpoint {
                node,
                port: PortNumber::new(port),
            },
            offset,
        })
    }

    fn add_link(
        self,
        entry: &'a RawValue,
        nodes: &BTreeMap<String, (Node, usize)>,
        first_uses: &mut BTreeMap<(Node, Option<u8>), usize>,
        builder: &mut FabricBuilder,
    ) -> Result<(), FormatError> {
        let LinkEntry { ends, rate } = self.parse(entry.get())?;
        let [a, b] = ends.map(|end| self.end(end, nodes));
        let (a, b) = (a?, b?);
        builder
            .add_link(a.endpoint, b.endpoint, rate)
            .map_err(|error| match &error {
                FabricError::PortUsedTwice { .. } | FabricError::HostLinkedTwice { .. } => {
                    match (first_uses.get(&a.key()), first_uses.get(&b.key())) {
                        (Some(&first), _) => self.clash(a.offset, error, Some(first)),
                        (None, first) => self.clash(b.offset, error, first.copied()),
                    }
                }
                FabricError::PortOutOfRange { node, port, .. } if !a.is(node, *port) => {
                    self.clash(b.offset, error, None)
                }
                _ => self.clash(a.offset, error, None),
            })?;
        first_uses.insert(a.key(), a.offset);
        first_uses.insert(b.key(), b.offset);
        Ok(())
    }

    /// This is a fabric's error, placed; `first` is where the earlier of two clashing parts is.
    fn clash(self, offset: usize, error: FabricError, first: Option<usize>) -> FormatError {
        let first_line = first.map(|first| self.source.line_of(first));
        self.source.error(
            offset,
            FormatErrorKind::Fabric {
                error: Box::new(error),
                first_line,
            },
        )
    }
}

fn advice(name: &str, nodes: &BTreeMap<String, (Node, usize)>) -> String {
    nodes
        .keys()
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, known)| distance <= known.chars().count() / 3)
        .map_or_else(
            || "list it under “switches” or “hosts”".to_owned(),
            |(_, known)| format!("did you mean “{known}”?"),
        )
}

fn clipped(text: &str) -> String {
    let shown: String = text.chars().take(40).collect();
    if shown.len() < text.len() {
        format!("{shown}…")
    } else {
        shown
    }
}
