//! A fabric built from parts that know their place in a file, so that every refusal of the
//! [`FabricBuilder`] points there.

use super::{FormatError, FormatErrorKind, Source};
use crate::{
    Cable, Endpoint, Fabric, FabricBuilder, FabricError, Host, Layout, LidRange, Node, PortNumber,
    Switch,
};
use std::collections::BTreeMap;
use weft_registry::Suggestion;

/// A fabric under construction. Offsets are byte offsets of the source.
pub(super) struct PlacedBuilder<'a> {
    source: Source<'a>,
    builder: FabricBuilder,
    layout_offset: usize,
    nodes: BTreeMap<String, (Node, usize)>,
    uses: BTreeMap<(Node, Option<u8>), usize>,
}

/// One end of a link with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedEnd {
    pub(super) endpoint: Endpoint,
    pub(super) offset: usize,
}

impl PlacedEnd {
    pub(super) fn new(node: Node, port: PortNumber, offset: usize) -> Self {
        let endpoint = Endpoint { node, port };
        Self { endpoint, offset }
    }

    /// What the end takes: a port of a switch, or a host whatever the port, since a host
    /// has one link only.
    fn key(self) -> (Node, Option<u8>) {
        let Endpoint { node, port } = self.endpoint;
        (
            node,
            matches!(node, Node::Switch(_)).then_some(port.number()),
        )
    }
}

impl<'a> PlacedBuilder<'a> {
    /// Starts an empty fabric.
    pub(super) fn new(source: Source<'a>, name: impl Into<String>) -> Self {
        Self {
            source,
            builder: FabricBuilder::new(name),
            layout_offset: 0,
            nodes: BTreeMap::new(),
            uses: BTreeMap::new(),
        }
    }

    /// Records how the switches are arranged.
    pub(super) fn set_layout(&mut self, layout: Layout, offset: usize) {
        self.layout_offset = offset;
        self.builder.set_layout(layout);
    }

    /// Adds a switch that the file lists at `offset`.
    pub(super) fn add_switch(
        &mut self,
        switch: Switch,
        offset: usize,
    ) -> Result<Node, FormatError> {
        let name = switch.name.clone();
        let added = self.builder.add_switch(switch).map(Node::Switch);
        self.enter(name, added, offset)
    }

    /// Adds a host that the file lists at `offset`.
    pub(super) fn add_host(&mut self, host: Host, offset: usize) -> Result<Node, FormatError> {
        let name = host.name.clone();
        let added = self.builder.add_host(host).map(Node::Host);
        self.enter(name, added, offset)
    }

    fn enter(
        &mut self,
        name: String,
        added: Result<Node, FabricError>,
        offset: usize,
    ) -> Result<Node, FormatError> {
        let node = added.map_err(|error| {
            let first = self.nodes.get(&name).map(|&(_, first)| first);
            self.clash(offset, error, first)
        })?;
        self.nodes.insert(name, (node, offset));
        Ok(node)
    }

    /// The node that the file calls `name` at `offset`; `otherwise` says where names come
    /// from, for a name that is like none.
    pub(super) fn node(
        &self,
        name: &str,
        offset: usize,
        otherwise: &str,
    ) -> Result<Node, FormatError> {
        if let Some(&(node, _)) = self.nodes.get(name) {
            return Ok(node);
        }
        let kind = FormatErrorKind::UnknownNode {
            name: name.to_owned(),
            advice: nearest(name, self.nodes.keys().map(String::as_str), otherwise),
        };
        Err(self.source.error(offset, kind))
    }

    /// Joins two ports with a cable.
    pub(super) fn add_link(
        &mut self,
        [a, b]: [PlacedEnd; 2],
        cable: impl Into<Cable>,
    ) -> Result<(), FormatError> {
        let added = self.builder.add_link(a.endpoint, b.endpoint, cable);
        if let Err(error) = added {
            let is_first = |name: &str, port: u8| {
                a.endpoint.port.number() == port && self.builder.node_name(a.endpoint.node) == name
            };
            let (offset, first) = match &error {
                FabricError::PortUsedTwice { .. } | FabricError::HostLinkedTwice { .. } => {
                    match (self.uses.get(&a.key()), self.uses.get(&b.key())) {
                        (Some(&first), _) => (a.offset, Some(first)),
                        (None, first) => (b.offset, first.copied()),
                    }
                }
                FabricError::PortOutOfRange { node, port, .. } if !is_first(node, *port) => {
                    (b.offset, None)
                }
                _ => (a.offset, None),
            };
            return Err(self.clash(offset, error, first));
        }
        self.uses.insert(a.key(), a.offset);
        self.uses.insert(b.key(), b.offset);
        Ok(())
    }

    /// Checks the whole and hands it over; `content` is where the file's content starts.
    pub(super) fn build(mut self, content: usize) -> Result<Fabric, FormatError> {
        std::mem::take(&mut self.builder).build().map_err(|error| {
            let offset = match &error {
                FabricError::HostWithoutLink { host } => {
                    self.nodes.get(host).map_or(content, |&(_, at)| at)
                }
                FabricError::LayoutMismatch { .. } => self.layout_offset,
                _ => content,
            };
            self.clash(offset, error, None)
        })
    }

    /// A fabric's error, placed; `first` is where the earlier of two clashing parts is.
    pub(super) fn clash(
        &self,
        offset: usize,
        error: FabricError,
        first: Option<usize>,
    ) -> FormatError {
        let first_line = first.map(|first| self.source.line_of(first));
        self.source.no_fabric(offset, error, first_line)
    }
}

/// Suggests the known name most like `name`, or says `otherwise` where none is like it.
pub(super) fn nearest<'n>(
    name: &str,
    known: impl Iterator<Item = &'n str>,
    otherwise: &str,
) -> String {
    Suggestion::nearest(name, known).name().map_or_else(
        || otherwise.to_owned(),
        |known| format!("did you mean “{known}”?"),
    )
}

/// The LIDs that a node's entry at `offset` gives it.
pub(super) fn lids(
    source: Source<'_>,
    lid: Option<u16>,
    lmc: Option<u8>,
    offset: usize,
) -> Result<Option<LidRange>, FormatError> {
    let unexpected = |found: String| {
        let (lid, lmc) = (LidRange::MAX, LidRange::MAX_MASK_BITS);
        let expected =
            format!("a lid from 1 to {lid} that is a multiple of 2^lmc, lmc from 0 to {lmc}");
        Err(source.unexpected(offset, found, expected))
    };
    let Some(base) = lid else {
        return match lmc {
            None => Ok(None),
            Some(_) => unexpected("an “lmc” without “lid”".to_owned()),
        };
    };
    let mask_bits = lmc.unwrap_or(0);
    match LidRange::new(base, mask_bits) {
        Some(lids) => Ok(Some(lids)),
        None => unexpected(format!("lid {base} with lmc {mask_bits}")),
    }
}
