//! What the lines of a network file say.

use super::super::error::{FormatError, FormatErrorKind};
use super::super::source::Source;
use super::{Kind, kind};
use crate::error::FabricError;
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
        let kind = FormatErrorKind::Unexpected {
            found: format!("“{}”", word.text),
            expected: "router or node".to_owned(),
        };
        return Err(source.error(word.offset, kind));
    };
    let Some(following) = following else {
        let expected = format!("the number of a {}", word.text);
        let (offset, kind) = if line.ends_with('\n') {
            let found = "the end of the line".to_owned();
            (end - 1, FormatErrorKind::Unexpected { found, expected })
        } else {
            let found = "the end of the file".to_owned();
            (end, FormatErrorKind::Truncated { found, expected })
        };
        return Err(source.error(offset, kind));
    };
    Ok(Member {
        kind,
        number: number(source, following, "a whole number")?,
        offset: word.offset,
    })
}

fn number(source: Source<'_>, word: Word<'_>, expected: &str) -> Result<u32, FormatError> {
    word.text.parse().map_err(|_| {
        let kind = FormatErrorKind::Unexpected {
            found: format!("“{}”", word.text),
            expected: expected.to_owned(),
        };
        source.error(word.offset, kind)
    })
}

fn join(
    source: Source<'_>,
    lists: &mut Lists,
    head: Member,
    other: Member,
) -> Result<(), FormatError> {
    let refuse = |kind| Err(source.error(other.offset, kind));
    let (router, node) = match (head.kind, other.kind) {
        (Kind::Router, Kind::Router) => {
            lists.routers.entry(other.number).or_insert(other.offset);
            if head.number == other.number {
                return refuse(FormatErrorKind::Unexpected {
                    found: format!("router {} joined to itself", head.number),
                    expected: "another router or a node: BookSim has no such link".to_owned(),
                });
            }
            let key = (head.number, other.number);
            if lists.listed.insert(key, other.offset).is_some() {
                lists.repeated.push(other.offset);
            }
            return Ok(());
        }
        (Kind::Node, Kind::Node) => {
            return refuse(FormatErrorKind::Unexpected {
                found: format!("node {} joined to node {}", head.number, other.number),
                expected: "a router: a node hangs on a router".to_owned(),
            });
        }
        (Kind::Router, Kind::Node) => (head, other),
        (Kind::Node, Kind::Router) => {
            lists.headed.insert(other.number);
            (other, head)
        }
    };
    lists.routers.entry(router.number).or_insert(router.offset);
    match lists.nodes.get(&node.number) {
        Some(&(first, at)) if first != router.number => refuse(FormatErrorKind::Fabric {
            error: Box::new(FabricError::HostLinkedTwice {
                host: format!("node {}", node.number),
                first: format!("router {first}"),
                second: format!("router {}", router.number),
            }),
            first_line: Some(source.line_of(at)),
        }),
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
            let kind = FormatErrorKind::Unexpected {
                found: format!("{what} {number} but no {what} {due}"),
                expected: format!("{what}s numbered from 0 without a gap; is a line missing?"),
            };
            return Err(source.error(offset, kind));
        }
    }
    Ok(())
}
