//! What is inside of systems: nodes, boards and how their ports are joined.

use super::super::infiniband::{NodeKind, TextLine, port};
use super::super::{FormatError, Source};
use crate::LinkRate;
use std::collections::BTreeMap;

/// A system or board that a file defines.
#[derive(Clone, Debug, Default)]
pub(super) struct Definition<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// Definitions in the order of the file stand before those that use them.
    pub(super) is_top: bool,
    /// Whether it stands in a file of its own, whose lines are not those of the topology.
    pub(super) is_beside: bool,
}

/// A node or a board in a system.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    pub(super) name: &'a str,
    pub(super) what: What<'a>,
    pub(super) joints: Vec<Joint<'a>>,
}

/// What a part is.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    Node(NodeKind, u8),
    /// A board by the name of its definition.
    Board(&'a str),
}

/// A port of a part joined to a port of the system, or to one of another part.
#[derive(Clone, Debug)]
pub(super) struct Joint<'a> {
    pub(super) port: &'a str,
    pub(super) to_part: Option<&'a str>,
    pub(super) to_port: &'a str,
    pub(super) rate: Option<LinkRate>,
    pub(super) line: TextLine<'a>,
}

/// Definitions by each of their names.
pub(super) type Definitions<'a> = BTreeMap<&'a str, Definition<'a>>;

/// Takes the names of a definition's first line.
pub(super) fn names(line: &str) -> Option<(bool, Vec<&str>)> {
    let (word, rest) = line.trim().split_once(char::is_whitespace)?;
    let is_top = match word {
        "TOPSYSTEM" => true,
        "SYSTEM" => false,
        _ => return None,
    };
    let names: Vec<&str> = rest.split(',').map(str::trim).collect();
    names
        .iter()
        .all(|name| !name.is_empty())
        .then_some((is_top, names))
}

/// Takes a line within a definition, `NODE SW 24 MT47396 U1`, a board, or a joint; the blank line that ends
/// a board is none of them.
pub(super) fn take<'a>(
    source: Source<'a>,
    parts: &mut Vec<Part<'a>>,
    line: TextLine<'a>,
) -> Result<(), FormatError> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let misfit =
        |found: String, expected: &str| Err(source.unexpected(line.mark.offset, found, expected));
    match *words {
        ["NODE", kind, ports, _, name] => {
            let kind = match kind {
                "SW" => NodeKind::Switch,
                "CA" => NodeKind::Adapter,
                _ => return misfit(format!("“{kind}”"), "SW or CA"),
            };
            let Some(ports) = port(ports) else {
                return misfit(format!("“{ports}”"), "a number of ports, 1 to 254");
            };
            let what = What::Node(kind, ports);
            parts.push(Part {
                name,
                what,
                joints: Vec::new(),
            });
        }
        ["SUBSYSTEM", board, name] | [board, name] if !is_arrow(name) => parts.push(Part {
            name,
            what: What::Board(board),
            joints: Vec::new(),
        }),
        [port, arrow, ref to @ ..] if is_arrow(arrow) && (1..=2).contains(&to.len()) => {
            let Some(part) = parts.last_mut() else {
                return misfit("a joint before any part".to_owned(), "NODE or a board");
            };
            let (to_part, to_port) = match *to {
                [part, port] => (Some(part), port),
                [port, ..] => (None, port),
                [] => return Ok(()),
            };
            part.joints.push(Joint {
                port,
                to_part,
                to_port,
                rate: rate(arrow),
                line,
            });
        }
        _ => {
            let expected = "NODE with kind, ports, device and name, a board and its name, or a \
                            port, an arrow and where it leads";
            return misfit("a line of something else".to_owned(), expected);
        }
    }
    Ok(())
}

/// Tells whether a word is `->`, or an arrow with a rate.
pub(super) fn is_arrow(word: &str) -> bool {
    word == "->" || (word.starts_with('-') && word.ends_with("->") && word.len() > 2) || word == "="
}

/// The rate in an arrow such as `-4x-10G->`, signalling of a lane in Gbit/s.
pub(super) fn rate(arrow: &str) -> Option<LinkRate> {
    let inner = arrow.strip_prefix('-')?.strip_suffix("->")?;
    let (width, speed) = inner.split_once('-')?;
    let generation = match speed {
        "2.5G" | "2.5" => "SDR",
        "5G" | "5" => "DDR",
        "10G" | "10" => "QDR",
        "FDR10" => "FDR10",
        "14G" | "14" => "FDR",
        "25G" | "25" => "EDR",
        "50G" | "50" => "HDR",
        "100G" | "100" => "NDR",
        "200G" | "200" => "XDR",
        _ => return None,
    };
    format!("{}{generation}", width.to_ascii_lowercase())
        .parse()
        .ok()
}
