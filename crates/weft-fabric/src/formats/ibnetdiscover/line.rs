//! What one line says.
//!
//! ```text
//! header := ("Switch" | "Ca" | "Rt") ports "id" ["#" "description" …]
//! port   := "[" port "]" {"[ext n]" | "(port guid)"} "peer" "[" port "]" {"[ext n]" | "(port guid)"}
//!           ["#" … "peer's description" … width "x" speed …]
//! ```

use super::super::infiniband::{
    Cursor, Malformed, NodeKey, NodeKind, Peer, PortLine, Rate, hexadecimal,
};
use crate::lids::LidRange;

/// The line that opens a node's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    pub(super) kind: NodeKind,
    pub(super) port_count: u8,
    pub(super) id: &'a str,
    pub(super) description: Option<&'a str>,
    pub(super) lids: Option<LidRange>,
}

/// What one line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Blank,
    Comment,
    /// `vendid=…` and the like: what stands before a header, with the number it says.
    Identity(&'static str, Option<u64>),
    /// Titles that `-g` puts between groups of records.
    Grouping,
    Header(Header<'a>),
    Port(PortLine<'a>),
    Malformed(Malformed),
    Unknown,
}

const IDENTITY_KEYS: [&str; 6] = [
    "vendid=",
    "devid=",
    "sysimgguid=",
    "switchguid=",
    "caguid=",
    "rtguid=",
];
const GROUP_TITLES: [&str; 3] = ["Chassis ", "Non-Chassis Nodes", "Hostname:"];
const HEADERS: [(&str, NodeKind); 4] = [
    ("Switch", NodeKind::Switch),
    ("Ca", NodeKind::Adapter),
    ("Hca", NodeKind::Adapter),
    ("Rt", NodeKind::Router),
];

/// Tells what a line says.
pub(super) fn parse(line: &str) -> Line<'_> {
    let content = line.trim();
    if content.is_empty() {
        return Line::Blank;
    }
    if content.starts_with('#') {
        return Line::Comment;
    }
    for key in IDENTITY_KEYS {
        if let Some(number) = content.strip_prefix(key) {
            // Some writers put the port's GUID in brackets behind that of a switch.
            let digits = number.split('(').next().unwrap_or(number).trim();
            let digits = digits.strip_prefix("0x").unwrap_or(digits);
            return Line::Identity(key, hexadecimal(digits));
        }
    }
    if GROUP_TITLES.iter().any(|title| content.starts_with(title)) {
        return Line::Grouping;
    }
    let mut cursor = Cursor {
        text: line,
        offset: line.len() - line.trim_start().len(),
    };
    if content.starts_with('[') && content[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return port(&mut cursor).map_or_else(Line::Malformed, Line::Port);
    }
    for (word, kind) in HEADERS {
        let opens = content.strip_prefix(word).is_some_and(|rest| {
            let next = rest.trim_start();
            next.len() < rest.len() && next.starts_with(|c: char| c == '"' || c.is_ascii_digit())
        });
        if opens {
            cursor.offset += word.len();
            let malformed = |found| {
                Line::Malformed(Malformed {
                    is_header: true,
                    ..found
                })
            };
            return header(&mut cursor, kind).map_or_else(malformed, Line::Header);
        }
    }
    Line::Unknown
}

/// Tells whether a line that says nothing could have become one that does, had the file not
/// ended there.
pub(super) fn is_cut_short(line: &str) -> bool {
    let content = line.trim_start();
    let keywords = IDENTITY_KEYS.into_iter().chain(GROUP_TITLES);
    let headers = HEADERS.into_iter().map(|(word, _)| word);
    content == "["
        || keywords
            .chain(headers.clone())
            .any(|word| word.starts_with(content))
        || headers.into_iter().any(|word| content.trim_end() == word)
}

fn header<'a>(cursor: &mut Cursor<'a>, kind: NodeKind) -> Result<Header<'a>, Malformed> {
    cursor.skip_blanks();
    let port_count = cursor.port_number("the number of ports, 1 to 254")?;
    let id = cursor.quoted("the node's id in quotes")?;
    let Comment {
        description, after, ..
    } = comment(cursor.rest());
    Ok(Header {
        kind,
        port_count,
        id,
        description,
        lids: lids(after),
    })
}

fn port<'a>(cursor: &mut Cursor<'a>) -> Result<PortLine<'a>, Malformed> {
    let port = cursor.bracketed_port()?;
    let guid = cursor.attachments()?;
    let peer_id = cursor.quoted("the peer's id in quotes")?;
    let peer_port = cursor.bracketed_port()?;
    let peer_guid = cursor.attachments()?;
    let comment = comment(cursor.rest());
    Ok(PortLine {
        port,
        guid,
        lids: lids(comment.before),
        peer: Peer {
            key: key(peer_id),
            kind: kind(peer_id),
            id: peer_id,
            port: peer_port,
            guid: peer_guid,
            lids: lids(comment.after),
            description: comment.description,
        },
        rate: rate(comment.after),
    })
}

/// What tells the node with this id from others: some writers put zeros or `0x` before the
/// GUID, some do not.
pub(super) fn key(id: &str) -> NodeKey<'_> {
    match (kind(id), id_guid(id)) {
        (Some(kind), Some(guid)) => NodeKey::Guid(kind, guid),
        _ => NodeKey::Id(id),
    }
}

fn kind(id: &str) -> Option<NodeKind> {
    match id.split_once('-')?.0 {
        "S" => Some(NodeKind::Switch),
        "H" => Some(NodeKind::Adapter),
        "R" => Some(NodeKind::Router),
        _ => None,
    }
}

/// The GUID in an id such as `S-0002c90200000001`.
pub(super) fn id_guid(id: &str) -> Option<u64> {
    kind(id)?;
    let (_, digits) = id.split_once('-')?;
    if digits.is_empty() {
        return None;
    }
    hexadecimal(digits)
}

/// What follows the `#`.
struct Comment<'a> {
    before: &'a str,
    description: Option<&'a str>,
    after: &'a str,
}

/// Splits what follows the `#`: the description stands between the first quote and the last,
/// whatever it contains.
fn comment(rest: &str) -> Comment<'_> {
    let comment = rest.split_once('#').map_or("", |(_, comment)| comment);
    let (before, description, after) = match (comment.find('"'), comment.rfind('"')) {
        (Some(first), Some(last)) if first < last => (
            &comment[..first],
            Some(comment[first + 1..last].trim()),
            &comment[last + 1..],
        ),
        // The closing quote is missing: no word of what follows can be trusted.
        (Some(_), _) => ("", None, ""),
        _ => ("", None, comment),
    };
    Comment {
        before,
        description,
        after,
    }
}

/// The LIDs in `lid 5 lmc 0`, unless the subnet manager had given none.
fn lids(text: &str) -> Option<LidRange> {
    let mut words = text.split_whitespace().skip_while(|&word| word != "lid");
    words.next()?;
    let base = words.next()?.parse().ok()?;
    let mask_bits = match words.next() {
        Some("lmc") => words.next()?.parse().ok()?,
        _ => 0,
    };
    LidRange::new(base, mask_bits)
}

fn rate(tail: &str) -> Rate<'_> {
    let is_rate = |word: &&str| {
        word.split_once('x').is_some_and(|(width, _)| {
            !width.is_empty() && width.bytes().all(|b| b.is_ascii_digit() || b == b'?')
        })
    };
    tail.split_whitespace()
        .find(is_rate)
        .map_or(Rate::Absent, |word| {
            word.parse().map_or(Rate::Unclear(word), Rate::Known)
        })
}
