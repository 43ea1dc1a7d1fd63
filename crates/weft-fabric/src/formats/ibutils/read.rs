//! From the lines to a fabric.

use super::super::infiniband::{
    Mark, NamedCable, NamedEnd, NodeKind, TextLine, finish_cables, lines,
};
use super::super::{Companion, FormatError, Found, Source};
use super::companions;
use super::definition::{Definition, Definitions, is_arrow, names, rate, take};
use super::system::{Outside, Systems, is_adapter, plain_port};
use std::collections::{BTreeMap, BTreeSet};

/// Tells whether a line is one that only these files have.
pub(super) fn is_of_ibutils(line: &str) -> bool {
    names(line).is_some_and(|(is_top, _)| is_top) || connection(line).is_some()
}

/// A cable of a system, `P1 -> MT23108 H-1 P1`.
struct Connection<'a> {
    port: &'a str,
    arrow: &'a str,
    kind: &'a str,
    name: &'a str,
    far_port: &'a str,
}

fn connection(line: &str) -> Option<Connection<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [port, arrow, kind, name, far_port] = *words else {
        return None;
    };
    is_arrow(arrow).then_some(Connection {
        port,
        arrow,
        kind,
        name,
        far_port,
    })
}

/// A system of the topology.
struct System<'a> {
    kind: &'a str,
    modifiers: BTreeMap<&'a str, &'a str>,
    mark: Mark,
    /// Whether it has lines of its own, as only systems of several ports need.
    has_lines: bool,
}

/// Reads a topology, or the definition of a system, that stands alone.
pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    read_beside(source, &[])
}

/// Reads a topology; systems that it does not define are sought in the files beside it.
pub(in crate::formats) fn read_beside<'a>(
    source: Source<'a>,
    companions: &'a [Companion],
) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut reading = Reading::default();
    for line in lines(source) {
        reading.take(source, line)?;
    }
    reading.close();
    let Reading {
        mut definitions,
        top,
        systems,
        cables,
        ..
    } = reading;
    let kinds = systems.values().map(|system| system.kind);
    companions::add(
        &mut definitions,
        companions,
        kinds.collect(),
        definitions_of,
    )?;
    let mut opened = Systems {
        source,
        definitions: &definitions,
        cables: Vec::new(),
        node_count: 0,
    };
    if systems.is_empty() {
        let Some((name, mark)) = top else {
            return Err(source.ended("a system, such as MTS2400 S-1"));
        };
        if let Some(definition) = definitions.get(name) {
            opened.open(definition, name, &BTreeMap::new(), mark, 0)?;
        }
        let fabric = finish_cables(source, &opened.cables, &mut notes)?;
        return Ok((fabric, notes));
    }
    let mut outsides: BTreeMap<&str, Outside> = BTreeMap::new();
    for (&name, system) in &systems {
        if let Some(definition) = definitions.get(system.kind) {
            let outside = opened.open(definition, name, &system.modifiers, system.mark, 0)?;
            outsides.insert(name, outside);
        }
    }
    let mut all = opened.cables;
    for (system, connection, line) in &cables {
        let ends = [
            (*system, connection.port),
            (connection.name, connection.far_port),
        ];
        let mut rates = [rate(connection.arrow), None, None];
        let mut named = Vec::with_capacity(2);
        for (at, (name, port)) in ends.into_iter().enumerate() {
            let place = line.mark.offset + (port.as_ptr().addr() - line.text.as_ptr().addr());
            let end = if let Some(outside) = outsides.get(name) {
                let Some((end, inner)) = outside.get(port) else {
                    let expected = format!("a port of “{name}” as its definition names them");
                    return Err(source.unexpected(place, format!("“{port}”"), expected));
                };
                rates[at + 1] = *inner;
                end.clone()
            } else {
                let Some(number) = plain_port(port) else {
                    let kind = systems.get(name).map_or(name, |system| system.kind);
                    let expected = format!(
                        "a port such as P1, as no definition of the system {kind} was found: it \
                         stands before “{name}” in the file, or as {kind}.ibnl in the same folder or \
                         in ibnl/ there"
                    );
                    return Err(source.unexpected(place, format!("“{port}”"), expected));
                };
                NamedEnd {
                    name: name.to_owned(),
                    guid: None,
                    kind: systems.get(name).and_then(kind_of),
                    port: number,
                }
            };
            named.push(end);
        }
        let Ok(ends) = <[NamedEnd; 2]>::try_from(named) else {
            continue;
        };
        all.push(NamedCable {
            ends,
            rate: rates.into_iter().flatten().next(),
            mark: line.mark,
            text: line.text.to_owned(),
        });
    }
    let fabric = finish_cables(source, &all, &mut notes)?;
    Ok((fabric, notes))
}

/// The definitions in a file that holds nothing else.
fn definitions_of(source: Source<'_>) -> Result<Definitions<'_>, FormatError> {
    let mut reading = Reading {
        is_beside: true,
        ..Reading::default()
    };
    for line in lines(source) {
        reading.take(source, line)?;
    }
    reading.close();
    Ok(reading.definitions)
}

fn kind_of(system: &System<'_>) -> Option<NodeKind> {
    is_adapter(system.kind).or_else(|| system.has_lines.then_some(NodeKind::Switch))
}

/// A cable with the system it stands under and its line.
type Cable<'a> = (&'a str, Connection<'a>, TextLine<'a>);

/// What is read so far.
#[derive(Default)]
struct Reading<'a> {
    definitions: Definitions<'a>,
    top: Option<(&'a str, Mark)>,
    systems: BTreeMap<&'a str, System<'a>>,
    cables: Vec<Cable<'a>>,
    /// The names of the definition under way.
    defining: Vec<&'a str>,
    under_way: Definition<'a>,
    /// The system whose cables follow.
    current: Option<&'a str>,
    seen: BTreeSet<&'a str>,
    /// Whether the file is one of definitions, so that two words in one are a board, wherever that is defined.
    is_beside: bool,
}

impl<'a> Reading<'a> {
    fn take(&mut self, source: Source<'a>, line: TextLine<'a>) -> Result<(), FormatError> {
        let content = line.text.trim();
        if content.is_empty() || content.starts_with(['#', '/']) {
            if content.is_empty() {
                self.current = None;
            }
            return Ok(());
        }
        if let Some((is_top, names)) = names(content) {
            self.close();
            if is_top {
                self.top = names.first().map(|&name| (name, line.mark));
            }
            self.defining = names;
            self.under_way.is_top = is_top;
            return Ok(());
        }
        if let Some(connection) = connection(content) {
            let Some(system) = self.current else {
                let found = "a cable that belongs to no system";
                return Err(source.unexpected(
                    line.mark.offset,
                    found,
                    "the system's line before it",
                ));
            };
            self.add_system(connection.kind, connection.name, line.mark);
            self.cables.push((system, connection, line));
            return Ok(());
        }
        let words: Vec<&str> = content.split_whitespace().collect();
        let is_joint = words.get(1).is_some_and(|word| is_arrow(word));
        let is_part = matches!(words.first(), Some(&("NODE" | "SUBSYSTEM")));
        let is_board = self.definitions.contains_key(words[0]) && !self.under_way.is_top
            || self
                .definitions
                .get(words[0])
                .is_some_and(|known| !known.is_top);
        if !self.defining.is_empty() && (is_joint || is_part || is_board || self.is_beside) {
            return take(source, &mut self.under_way.parts, line);
        }
        let [kind, name, ref rest @ ..] = *words else {
            let expected = "a system's type and name, or a port, an arrow and where it leads";
            return Err(source.unexpected(line.mark.offset, "a line of something else", expected));
        };
        self.close();
        let text = rest.join(" ");
        let text = text.strip_prefix("CFG:").unwrap_or(&text);
        if name.starts_with('-')
            || is_arrow(name)
            || (text.len() == rest.join(" ").len() && !rest.is_empty())
        {
            let expected = "a system's type and name, and CFG: with modifiers at most";
            return Err(source.unexpected(line.mark.offset, "a line of something else", expected));
        }
        let modifiers = content.split_once("CFG:").map_or("", |(_, list)| list);
        let modifiers = (modifiers.split([',', ' ']))
            .filter_map(|entry| entry.trim().split_once('='))
            .collect();
        self.add_system(kind, name, line.mark);
        if let Some(system) = self.systems.get_mut(name) {
            system.has_lines = true;
            system.modifiers = modifiers;
        }
        self.current = Some(name);
        Ok(())
    }

    fn add_system(&mut self, kind: &'a str, name: &'a str, mark: Mark) {
        self.systems.entry(name).or_insert_with(|| System {
            kind,
            modifiers: BTreeMap::new(),
            mark,
            has_lines: false,
        });
    }

    /// Ends the definition under way.
    fn close(&mut self) {
        let definition = std::mem::take(&mut self.under_way);
        for name in std::mem::take(&mut self.defining) {
            if self.seen.insert(name) {
                self.definitions.insert(name, definition.clone());
            }
        }
    }
}
