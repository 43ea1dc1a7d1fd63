//! What the lines of a network file say.

use super::super::{FormatError, Source};
use super::{Kind, kind};
use crate::FabricError;
use std::collections::{BTreeMap, BTreeSet};

/// A word of the file with its place.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    offset: usize,
}

/// What the lines say, by the numbers of routers and nodes; values are byte offsets.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) routers: BTreeMap<u32, usize>,
    pub(super) nodes: BTreeMap<u32, (u32, usize)>,
    /// Per router and neighbour that it lists.
    pub(super) listed: BTreeMap<(u32, u32), usize>,
    /// Routers that have a line of their own or a node that has.
    pub(super) headed: BTreeSet<u32>,
    /// Where a latency other than one cycle is given.
    pub(super) latencies: Vec<usize>,
    /// Where a router lists another a second time.
    pub(super) repeated: Vec<usize>,
}

/// Collects what the lines say.
pub(super) fn gather(source: Source<'_>) -> Result<Lists, FormatError> {
    let mut lists = Lists::default();
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let words = words(line, start);
        start += line.len();
        let mut words = words.into_iter();
        let Some(first) = words.next() else { continue };
        let head = member(source, first, words.next(), line, start)?;
        let mut place = None;
        if head.kind == Kind::Router {
            lists.routers.entry(head.number).or_insert(head.offset);
            lists.headed.insert(head.number);
        }
        while let Some(word) = words.next() {
            if let (None, Some(offset)) = (kind(word.text), place) {
                if number(source, word, "a latency in cycles, or router or node")? != 1 {
                    lists.latencies.push(offset);
                }
                place = None;
                continue;
            }
            let other = member(source, word, words.next(), line, start)?;
            join(source, &mut lists, head, other)?;
            place = Some(other.offset);
        }
    }
    Ok(lists)
}

/// The words of a line that starts at `start`.
fn words(line: &str, start: usize) -> Vec<Word<'_>> {
    line.split_ascii_whitespace()
        .map(|text| Word {
            text,
            offset: start + (text.as_ptr().addr() - line.as_ptr().addr()),
        })
        .collect()
}

/// A router or node that a line names.
#[derive(Clone, Copy)]
struct Member {
    kind: Kind,
    number: u32,
    offset: usize,
}

/// A member from its two words; `line` ends at the byte offset `end`.
fn member(
    source: Source<'_>,
    word: Word<'_>,
    following: Option<Word<'_>>,
    line: &str,
    end: usize,
) -> Result<Member, FormatError> {
    let Some(kind) = kind(word.text) else {
        return Err(source.unexpected(word.offset, format!("“{}”", word.text), "router or node"));
    };
    let Some(following) = following else {
        let expected = format!("the number of a {}", word.text);
        return Err(if line.ends_with('\n') {
            source.unexpected(end - 1, "the end of the line", expected)
        } else {
            source.truncated(end, "the end of the file", expected)
        });
    };
    Ok(Member {
        kind,
        number: number(source, following, "a whole number")?,
        offset: word.offset,
    })
}

fn number(source: Source<'_>, word: Word<'_>, expected: &str) -> Result<u32, FormatError> {
    word.text
        .parse()
        .map_err(|_| source.unexpected(word.offset, format!("“{}”", word.text), expected))
}

fn join(
    source: Source<'_>,
    lists: &mut Lists,
    head: Member,
    other: Member,
) -> Result<(), FormatError> {
    let (router, node) = match (head.kind, other.kind) {
        (Kind::Router, Kind::Router) => {
            lists.routers.entry(other.number).or_insert(other.offset);
            if head.number == other.number {
                let found = format!("router {} joined to itself", head.number);
                let expected = "another router or a node: BookSim has no such link";
                return Err(source.unexpected(other.offset, found, expected));
            }
            let key = (head.number, other.number);
            if lists.listed.insert(key, other.offset).is_some() {
                lists.repeated.push(other.offset);
            }
            return Ok(());
        }
        (Kind::Node, Kind::Node) => {
            let found = format!("node {} joined to node {}", head.number, other.number);
            let expected = "a router: a node hangs on a router";
            return Err(source.unexpected(other.offset, found, expected));
        }
        (Kind::Router, Kind::Node) => (head, other),
        (Kind::Node, Kind::Router) => {
            lists.headed.insert(other.number);
            (other, head)
        }
    };
    lists.routers.entry(router.number).or_insert(router.offset);
    match lists.nodes.get(&node.number) {
        Some(&(first, at)) if first != router.number => {
            let error = FabricError::HostLinkedTwice {
                host: format!("node {}", node.number),
                first: format!("router {first}"),
                second: format!("router {}", router.number),
            };
            Err(source.no_fabric(other.offset, error, Some(source.line_of(at))))
        }
        _ => {
            let place = (router.number, other.offset);
            lists.nodes.entry(node.number).or_insert(place);
            Ok(())
        }
    }
}

/// Refuses gaps in the numbers, which BookSim takes from 0 on.
pub(super) fn check_numbers(
    source: Source<'_>,
    what: &str,
    numbers: impl Iterator<Item = (u32, usize)>,
) -> Result<(), FormatError> {
    for (due, (number, offset)) in (0..).zip(numbers) {
        if number != due {
            return Err(source.unexpected(
                offset,
                format!("{what} {number} but no {what} {due}"),
                format!("{what}s numbered from 0 without a gap; is a line missing?"),
            ));
        }
    }
    Ok(())
}
