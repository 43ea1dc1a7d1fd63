//! Systems taken apart into their nodes.

use super::super::infiniband::{Mark, NamedCable, NamedEnd, NodeKind, port};
use super::super::{FormatError, Source};
use super::definition::{Definition, Definitions, What};
use crate::LinkRate;
use std::collections::{BTreeMap, BTreeSet};

/// Boards stand within one another no deeper.
const DEEPEST: usize = 8;
/// Nodes of one system are no more.
const MOST_NODES: usize = 100_000;

/// What the ports of a system on the outside are inside: a port of a node, and its rate.
pub(super) type Outside = BTreeMap<String, (NamedEnd, Option<LinkRate>)>;

/// Nodes of systems as they are found.
pub(super) struct Systems<'d, 'a> {
    pub(super) source: Source<'a>,
    pub(super) definitions: &'d Definitions<'a>,
    /// The cables inside of systems.
    pub(super) cables: Vec<NamedCable>,
    pub(super) node_count: usize,
}

impl<'a> Systems<'_, 'a> {
    /// Takes a system apart: adds its cables, and hands over what its ports are.
    ///
    /// `modifiers` name the variant of a board: the board `LEAF` with the modifier `12x` is `LEAF:12x`.
    pub(super) fn open(
        &mut self,
        definition: &Definition<'a>,
        name: &str,
        modifiers: &BTreeMap<&str, &str>,
        mark: Mark,
        depth: usize,
    ) -> Result<Outside, FormatError> {
        let too_much = |found: &str| {
            Err(self
                .source
                .unexpected(mark.offset, found.to_owned(), "systems that can be built"))
        };
        if depth > DEEPEST {
            return too_much("boards within boards deeper than eight");
        }
        if self.node_count > MOST_NODES {
            return too_much("more than 100000 nodes");
        }
        let nodes = definition.parts.iter();
        let is_one = depth == 0
            && nodes
                .filter(|part| matches!(part.what, What::Node(..)))
                .count()
                == 1
            && definition.parts.len() == 1;
        let mut ports: BTreeMap<(&str, String), (NamedEnd, Option<LinkRate>)> = BTreeMap::new();
        for part in &definition.parts {
            let full = if is_one {
                name.to_owned()
            } else {
                format!("{name}/{}", part.name)
            };
            match part.what {
                What::Node(kind, count) => {
                    self.node_count += 1;
                    for number in 1..=count {
                        let end = NamedEnd {
                            name: full.clone(),
                            guid: None,
                            kind: Some(kind),
                            port: number,
                        };
                        ports.insert((part.name, number.to_string()), (end, None));
                    }
                }
                What::Board(board) => {
                    let modifier = modifiers.get(part.name).copied();
                    let Some(inner) = self.board(board, modifier) else {
                        if modifier == Some("R") {
                            continue;
                        }
                        return Err(self.source.unexpected(
                            mark.offset,
                            format!("“{name}” with a board {board}"),
                            format!(
                                "a definition of {board} before it in the file, or in a file \
                                 {board}.ibnl in the same folder or in ibnl/ there"
                            ),
                        ));
                    };
                    let inner = inner.clone();
                    let outside = self.open(&inner, &full, &BTreeMap::new(), mark, depth + 1)?;
                    for (port, end) in outside {
                        ports.insert((part.name, port), end);
                    }
                }
            }
        }
        let mut outside = Outside::new();
        let mut laid = BTreeSet::new();
        for part in &definition.parts {
            for joint in &part.joints {
                let key = (part.name, joint.port.trim_start_matches('P').to_owned());
                let here = ports
                    .get(&(part.name, joint.port.to_owned()))
                    .or_else(|| ports.get(&key));
                // A board that was left out has no ports; what leads to it leads nowhere.
                let Some((end, rate)) = here else { continue };
                let rate = joint.rate.or(*rate);
                let Some(to_part) = joint.to_part else {
                    outside.insert(joint.to_port.to_owned(), (end.clone(), rate));
                    continue;
                };
                let Some((far, far_rate)) = ports.get(&(to_part, joint.to_port.to_owned())) else {
                    continue;
                };
                let (a, b) = ((end.name.clone(), end.port), (far.name.clone(), far.port));
                if laid.contains(&(b.clone(), a.clone())) {
                    continue;
                }
                laid.insert((a, b));
                self.cables.push(NamedCable {
                    ends: [end.clone(), far.clone()],
                    rate: rate.or(*far_rate),
                    mark: if definition.is_beside {
                        mark
                    } else {
                        joint.line.mark
                    },
                    text: joint.line.text.to_owned(),
                });
            }
        }
        Ok(outside)
    }

    /// A board's definition; `R` takes it out.
    fn board(&self, board: &str, modifier: Option<&str>) -> Option<&Definition<'a>> {
        match modifier {
            Some("R") => None,
            Some(modifier) => {
                let variant = format!("{board}:{modifier}");
                (self.definitions.get(variant.as_str())).or_else(|| self.definitions.get(board))
            }
            None => self.definitions.get(board),
        }
    }
}

/// The port that a name such as `P7` is of a system that is one node.
pub(super) fn plain_port(name: &str) -> Option<u8> {
    port(name.strip_prefix(['P', 'p']).unwrap_or(name))
}

/// Tells whether a type of systems is one of channel adapters.
pub(super) fn is_adapter(kind: &str) -> Option<NodeKind> {
    let adapters = [
        "HCA", "MT23108", "MT25208", "MT25204", "MT25418", "MT26428", "MHX", "MHE", "MHG", "MHQ",
        "CX",
    ];
    adapters
        .iter()
        .any(|start| kind.to_ascii_uppercase().starts_with(start))
        .then_some(NodeKind::Adapter)
}
