//! Lines gathered into records.

use super::super::infiniband::{
    Again, Device, Gathering, Mark, Node, PortLine, PortLines, TextLine, cut_line, lines, note,
    unknown_reason,
};
use super::super::{FormatError, ReadNote, Source};
use super::line::{Header, Line, id_guid, is_cut_short, key, parse};

/// Gathers the lines of a file into records.
pub(super) fn gather<'a>(
    source: Source<'a>,
    notes: &mut Vec<ReadNote>,
) -> Result<Gathering<'a>, FormatError> {
    let mut reading = Reading {
        gathering: Gathering::new(source),
        current: None,
        again: None,
        open_identity: None,
        identity: Identity::default(),
        stray: None,
        is_closed: false,
    };
    for line in lines(source) {
        reading.take(line, notes)?;
    }
    reading.close(notes);
    reading.check_end(notes)?;
    Ok(reading.gathering)
}

/// The records as far as they are read.
pub(super) struct Reading<'a> {
    pub(super) gathering: Gathering<'a>,
    current: Option<usize>,
    /// The open record, where an earlier one has its GUID.
    again: Option<Again<'a>>,
    /// The first line of what should become a header.
    pub(super) open_identity: Option<Mark>,
    /// What stands before the next header.
    identity: Identity,
    /// The first line since then that says nothing.
    pub(super) stray: Option<TextLine<'a>>,
    /// Whether an empty line or one of something else ended the last record.
    pub(super) is_closed: bool,
}

/// What the lines before a header say of its node.
#[derive(Clone, Copy, Debug, Default)]
struct Identity {
    vendor: Option<u64>,
    device: Option<u64>,
    system_image: Option<u64>,
}

impl Identity {
    fn take(&mut self, key: &str, number: u64) {
        match key {
            "vendid=" => self.vendor = Some(number),
            "devid=" => self.device = Some(number),
            "sysimgguid=" => self.system_image = Some(number),
            _ => {}
        }
    }

    fn device(self) -> Option<Device> {
        let [vendor, id] = [self.vendor, self.device].map(|n| u32::try_from(n?).ok());
        Some(Device {
            vendor: vendor?,
            id: id?,
        })
    }
}

impl<'a> Reading<'a> {
    fn take(&mut self, line: TextLine<'a>, notes: &mut Vec<ReadNote>) -> Result<(), FormatError> {
        let (text, mark, is_whole) = (line.text, line.mark, line.is_whole);
        let source = self.gathering.source;
        if text.contains(char::REPLACEMENT_CHARACTER) {
            notes.push(note(
                mark,
                text,
                "the line has bytes that are not UTF-8; read without them",
            ));
        }
        match parse(text) {
            Line::Blank => self.is_closed = true,
            Line::Comment | Line::Grouping => {}
            Line::Identity(key, number) => {
                self.identity.take(key, number);
                self.close(notes);
                self.open_identity.get_or_insert(mark);
            }
            Line::Header(header) => {
                self.close(notes);
                self.open(&header, text, mark);
            }
            Line::Port(port) => {
                if !is_whole {
                    self.check_last_port(&port, line, notes)?;
                }
                if let Some(again) = &mut self.again {
                    again.lines.push((port, text, mark));
                    return Ok(());
                }
                let Some(node) = self.current else {
                    let found = "the line of a port that belongs to no node";
                    let expected = "the node's own line (Switch, Ca or Rt) before it";
                    return Err(source.unexpected(mark.offset, found, expected));
                };
                self.gathering.add_port(node, port, text, mark, notes);
            }
            Line::Malformed(malformed) if !is_whole => {
                return Err(cut_line(source, line, malformed.expected));
            }
            Line::Malformed(malformed) | Line::Prefixed(malformed) => {
                return Err(malformed.error(source, mark));
            }
            Line::Unknown if !is_whole && is_cut_short(text) => {
                return Err(cut_line(source, line, "a whole line"));
            }
            Line::Unknown => {
                self.is_closed = true;
                if self.open_identity.is_some() {
                    self.stray.get_or_insert(line);
                }
                notes.push(note(mark, text, &unknown_reason(text, "ibnetdiscover")));
            }
        }
        Ok(())
    }

    /// Ends the open record.
    fn close(&mut self, notes: &mut Vec<ReadNote>) {
        self.current = None;
        if let Some(again) = self.again.take() {
            self.gathering.add_again(again, notes);
        }
    }

    fn open(&mut self, header: &Header<'a>, text: &'a str, mark: Mark) {
        let identity = std::mem::take(&mut self.identity);
        self.open_identity = None;
        self.stray = None;
        self.is_closed = false;
        let key = key(header.id);
        let node = Node {
            kind: header.kind,
            id: header.id,
            guid: id_guid(header.id),
            lids: header.lids,
            description: header
                .description
                .filter(|description| !description.is_empty()),
            port_count: header.port_count,
            system_image: identity.system_image.filter(|&guid| guid != 0),
            device: identity.device(),
            mark: Some(mark),
            ports: PortLines::default(),
        };
        if self.gathering.index.contains_key(&key) {
            let lines = Vec::new();
            self.again = Some(Again {
                key,
                node,
                text,
                mark,
                lines,
            });
        } else {
            self.current = Some(self.gathering.add_node(key, node));
        }
    }

    fn check_last_port(
        &self,
        port: &PortLine<'_>,
        line: TextLine<'_>,
        notes: &mut Vec<ReadNote>,
    ) -> Result<(), FormatError> {
        if self.gathering.has_rates && port.rate.known().is_none() {
            return Err(cut_line(self.gathering.source, line, "the link's rate"));
        }
        line.note_end(notes);
        Ok(())
    }
}
