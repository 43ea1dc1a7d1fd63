//! Lines gathered into records.

use super::super::ReadNote;
use super::super::error::{FormatError, FormatErrorKind};
use super::super::source::{Source, number};
use super::line::{Header, Line, Malformed, PortLine, Rate, is_cut_short, parse};
use super::records::{Entry, Mark, Node, Records, id_guid, normalised, note};
use std::collections::BTreeMap;

/// This gathers the lines of a file into records.
pub(super) fn gather<'a>(
    source: Source<'a>,
    notes: &mut Vec<ReadNote>,
) -> Result<Records<'a>, FormatError> {
    let mut gathering = Gathering::new(source);
    let mut offset = 0;
    for (index, line) in source.text.split_inclusive('\n').enumerate() {
        let mark = Mark {
            offset,
            line: number(index + 1),
        };
        let is_whole = line.ends_with('\n');
        gathering.take(line.trim_end_matches(['\n', '\r']), mark, is_whole, notes)?;
        offset += line.len();
    }
    gathering.check_end(notes)?;
    gathering.resolve_peers(notes)
}

/// The records as far as they are read.
pub(super) struct Gathering<'a> {
    pub(super) source: Source<'a>,
    pub(super) nodes: Vec<Node<'a>>,
    /// Nodes by normalised id.
    pub(super) index: BTreeMap<String, usize>,
    current: Option<usize>,
    /// The first line of what should become a header.
    pub(super) open_identity: Option<Mark>,
    /// Port lines in the order of the file, as (node, port).
    pub(super) entries: Vec<(usize, u8)>,
    has_rates: bool,
}

impl<'a> Gathering<'a> {
    fn new(source: Source<'a>) -> Self {
        Self {
            source,
            nodes: Vec::new(),
            index: BTreeMap::new(),
            current: None,
            open_identity: None,
            entries: Vec::new(),
            has_rates: false,
        }
    }

    fn take(
        &mut self,
        text: &'a str,
        mark: Mark,
        is_whole: bool,
        notes: &mut Vec<ReadNote>,
    ) -> Result<(), FormatError> {
        if text.contains(char::REPLACEMENT_CHARACTER) {
            notes.push(note(
                mark,
                text,
                "the line has bytes that are not UTF-8; read without them",
            ));
        }
        match parse(text) {
            Line::Blank | Line::Comment | Line::Grouping => {}
            Line::Identity => {
                self.current = None;
                self.open_identity.get_or_insert(mark);
            }
            Line::Header(header) => self.open(&header, text, mark, notes),
            Line::Port(line) => {
                if !is_whole {
                    self.check_last_port(&line, text, mark, notes)?;
                }
                self.add_port(line, text, mark, notes)?;
            }
            Line::Malformed(malformed) if !is_whole => {
                return Err(self.cut_line(text, mark, malformed.expected));
            }
            Line::Malformed(malformed) => self.pass_over(malformed, text, mark, notes)?,
            Line::Unknown if !is_whole && is_cut_short(text) => {
                return Err(self.cut_line(text, mark, "a whole line"));
            }
            Line::Unknown => notes.push(note(mark, text, unknown_reason(text))),
        }
        Ok(())
    }

    fn open(&mut self, header: &Header<'a>, text: &str, mark: Mark, notes: &mut Vec<ReadNote>) {
        self.open_identity = None;
        let key = normalised(header.id);
        if let Some(&known) = self.index.get(&key) {
            let first = self.nodes[known].mark.map_or(0, |mark| mark.line);
            let reason =
                format!("the node's record repeats that at line {first}; both were joined");
            notes.push(note(mark, text, &reason));
            self.current = Some(known);
            return;
        }
        self.index.insert(key, self.nodes.len());
        self.current = Some(self.nodes.len());
        self.nodes.push(Node {
            kind: header.kind,
            id: header.id,
            guid: id_guid(header.id),
            description: header
                .description
                .filter(|description| !description.is_empty()),
            port_count: header.port_count,
            mark: Some(mark),
            ports: BTreeMap::new(),
        });
    }

    fn add_port(
        &mut self,
        line: PortLine<'a>,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<(), FormatError> {
        let Some(node_index) = self.current else {
            notes.push(note(
                mark,
                text,
                "the line belongs to no record; passed over",
            ));
            return Ok(());
        };
        let node = &mut self.nodes[node_index];
        if let Some(first) = node.ports.get(&line.port) {
            if same_peer(&first.line, &line) {
                let reason = format!("the line repeats line {}; passed over", first.mark.line);
                notes.push(note(mark, text, &reason));
                return Ok(());
            }
            let kind = FormatErrorKind::PortListedTwice {
                node: node.description.unwrap_or(node.id).to_owned(),
                port: line.port,
                first_line: first.mark.line,
            };
            return Err(self.source.error(mark.offset, kind));
        }
        if line.port > node.port_count {
            let reason = format!(
                "the record gives the node {} ports; it was given more",
                node.port_count
            );
            notes.push(note(mark, text, &reason));
            node.port_count = line.port;
        }
        match line.rate {
            Rate::Known(_) => self.has_rates = true,
            Rate::Unclear(rate) => {
                let reason = format!("the rate “{rate}” says nothing; the link's rate is unknown");
                notes.push(note(mark, text, &reason));
            }
            Rate::Absent => {}
        }
        self.entries.push((node_index, line.port));
        node.ports.insert(
            line.port,
            Entry {
                line,
                mark,
                peer: usize::MAX,
            },
        );
        Ok(())
    }

    /// Malformed headers hide a whole node and end the reading; a malformed port line is told
    /// again by the other end of the cable.
    fn pass_over(
        &mut self,
        malformed: Malformed,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<(), FormatError> {
        let Malformed {
            is_header,
            offset,
            found,
            expected,
        } = malformed;
        if is_header {
            let kind = FormatErrorKind::Unexpected {
                found,
                expected: expected.to_owned(),
            };
            return Err(self.source.error(mark.offset + offset, kind));
        }
        let reason = format!("found {found}, expected {expected}; passed over");
        notes.push(note(mark, text, &reason));
        Ok(())
    }

    fn check_last_port(
        &self,
        line: &PortLine<'_>,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<(), FormatError> {
        if self.has_rates && line.rate.known().is_none() {
            return Err(self.cut_line(text, mark, "the link's rate"));
        }
        notes.push(note(
            mark,
            text,
            "the last line has no line end; the file may have been cut",
        ));
        Ok(())
    }
}

fn same_peer(a: &PortLine<'_>, b: &PortLine<'_>) -> bool {
    normalised(a.peer_id) == normalised(b.peer_id) && a.peer_port == b.peer_port
}

fn unknown_reason(text: &str) -> &'static str {
    let is_complaint = [
        "umad",
        "ibwarn",
        "iberror",
        "mad_rpc",
        "timed out",
        "failed",
        "discover.c",
        "query_smp.c",
    ]
    .iter()
    .any(|word| text.contains(word));
    if is_complaint {
        "a complaint of the tool, passed over; what it could not reach is missing from the fabric"
    } else {
        "nothing ibnetdiscover writes; passed over"
    }
}
