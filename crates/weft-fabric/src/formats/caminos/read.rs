//! From the file to a fabric.

use super::super::placed::{PlacedBuilder, PlacedEnd};
use super::super::{FormatError, Found, ReadNote, Source, fabric_name};
use crate::{FabricError, PortNumber, Switch, narrow};
use std::collections::BTreeMap;

/// A router's lists: where it stands, and its neighbours with their places, by port.
struct Router {
    offset: usize,
    neighbours: Vec<(u32, usize)>,
}

/// Ends of links by router and neighbour: the port and its place.
type Ends = BTreeMap<(u32, u32), (PortNumber, usize)>;

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut lines = Lines {
        source,
        rest: source.text,
    };
    let count = lines.headed("NODOS")?;
    lines.headed("GRADO")?;
    let routers = gather(&mut lines, count)?;
    let ends = ports(source, &routers)?;

    let mut builder = PlacedBuilder::new(source, fabric_name(source.name));
    let mut switches = Vec::with_capacity(routers.len());
    for (number, router) in &routers {
        let degree = router.neighbours.len();
        let Some(port_count) = u8::try_from(degree)
            .ok()
            .filter(|&degree| degree <= PortNumber::MAX)
        else {
            let error = FabricError::TooManyPorts {
                needed: degree as u64,
                limit: PortNumber::MAX,
            };
            return Err(builder.clash(router.offset, error, None));
        };
        let switch = Switch::new(format!("sw{number}"), port_count.max(1));
        switches.push(builder.add_switch(switch, router.offset)?);
    }
    for (&(router, neighbour), &(port, offset)) in &ends {
        if let Some(&(far_port, far_offset)) = ends.get(&(neighbour, router))
            && router < neighbour
        {
            let end =
                |router: u32, port, offset| PlacedEnd::new(switches[router as usize], port, offset);
            let far = end(neighbour, far_port, far_offset);
            builder.add_link([end(router, port, offset), far], None)?;
        }
    }
    Ok((
        builder.build(source.content())?,
        vec![ReadNote {
            line: None,
            text: "no servers".to_owned(),
            reason: "CAMINOS takes them from its configuration (servers_per_router), so the \
                     fabric has no host"
                .to_owned(),
        }],
    ))
}

/// All routers, each of which the file must list once.
fn gather(lines: &mut Lines<'_>, count: u32) -> Result<BTreeMap<u32, Router>, FormatError> {
    let source = lines.source;
    let mut routers: BTreeMap<u32, Router> = BTreeMap::new();
    while let Some(line) = lines.next_filled() {
        let number = numbered(source, line, "N")?;
        let offset = line.offset;
        let found = if number >= count {
            Some(format!("router {number}"))
        } else {
            routers
                .contains_key(&number)
                .then(|| format!("router {number} a second time"))
        };
        if let Some(found) = found {
            let expected = format!("each of routers 0 to {} once", i64::from(count) - 1);
            return Err(source.unexpected(offset, found, expected));
        }
        let mut neighbours = Vec::new();
        for (word, offset) in lines.next().map(Line::words).unwrap_or_default() {
            let neighbour = number_of(source, word, offset, "the number of a router")?;
            neighbours.push((neighbour, offset));
        }
        routers.insert(number, Router { offset, neighbours });
    }
    if routers.len() < count as usize {
        let missing = (0..count).find(|number| !routers.contains_key(number));
        return Err(source.ended(missing.map_or_else(String::new, |number| {
            format!("the neighbours of router {number} of {count} (“N {number}”)")
        })));
    }
    Ok(routers)
}

/// All ends of links; both ends of each must be listed.
fn ports(source: Source<'_>, routers: &BTreeMap<u32, Router>) -> Result<Ends, FormatError> {
    let mut ends = BTreeMap::new();
    for (&number, router) in routers {
        for (port, &(neighbour, offset)) in (1..).zip(&router.neighbours) {
            if neighbour == number {
                let found = format!("router {number} as its own neighbour");
                return Err(source.unexpected(offset, found, "another router"));
            }
            // A router with more neighbours than ports is refused when it is added.
            let port = narrow(
                port.min(u32::from(u8::MAX)),
                "the lesser of it and the largest",
            );
            let port = PortNumber::new(port);
            if ends.insert((number, neighbour), (port, offset)).is_some() {
                let found = format!("router {neighbour} twice among the neighbours of {number}");
                let expected = "it once: CAMINOS has no parallel links";
                return Err(source.unexpected(offset, found, expected));
            }
        }
    }
    for (&(router, neighbour), &(_, offset)) in &ends {
        if !ends.contains_key(&(neighbour, router)) {
            let found = format!(
                "router {neighbour} as a neighbour of {router}, but not {router} as one of \
                 {neighbour}"
            );
            return Err(source.unexpected(offset, found, "every link listed at both its ends"));
        }
    }
    Ok(ends)
}

/// The lines still to be read.
struct Lines<'a> {
    source: Source<'a>,
    rest: &'a str,
}

/// A line with its place.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Line<'a> {
    fn words(self) -> Vec<(&'a str, usize)> {
        let start = self.text.as_ptr().addr();
        let words = self.text.split_ascii_whitespace();
        words
            .map(|word| (word, self.offset + (word.as_ptr().addr() - start)))
            .collect()
    }
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<Line<'a>> {
        let text = self.rest.split_inclusive('\n').next()?;
        let offset = self.source.text.len() - self.rest.len();
        self.rest = &self.rest[text.len()..];
        Some(Line { text, offset })
    }

    fn next_filled(&mut self) -> Option<Line<'a>> {
        loop {
            let line = self.next()?;
            if !line.text.trim().is_empty() {
                return Some(line);
            }
        }
    }

    /// The number on the next line, which starts with the word `head`.
    fn headed(&mut self, head: &str) -> Result<u32, FormatError> {
        match self.next_filled() {
            Some(line) => numbered(self.source, line, head),
            None => Err(self
                .source
                .ended(format!("a line “{head}” with its number"))),
        }
    }
}

/// The number on a line that consists of the word `head` and it.
fn numbered(source: Source<'_>, line: Line<'_>, head: &str) -> Result<u32, FormatError> {
    match line.words().as_slice() {
        [(word, _), (number, offset)] if *word == head => {
            number_of(source, number, *offset, "a whole number")
        }
        words => {
            let offset = words.first().map_or(line.offset, |&(_, offset)| offset);
            let found = format!("“{}”", line.text.trim());
            Err(source.unexpected(offset, found, format!("{head} and a number")))
        }
    }
}

fn number_of(
    source: Source<'_>,
    word: &str,
    offset: usize,
    expected: &str,
) -> Result<u32, FormatError> {
    word.parse()
        .map_err(|_| source.unexpected(offset, format!("“{word}”"), expected))
}
