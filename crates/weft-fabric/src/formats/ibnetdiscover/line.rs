//! What one line says.
//!
//! ```text
//! header := ("Switch" | "Ca" | "Rt") ports "id" ["#" "description" …]
//! port   := "[" port "]" {"[ext n]" | "(port guid)"} "peer" "[" port "]" {"[ext n]" | "(port guid)"}
//!           ["#" … "peer's description" … width "x" speed …]
//! ```
//!
//! Blanks and tabs between the parts may be missing, as in what was copied from a terminal.

use super::super::infiniband::{
    Cursor, Lids, Malformed, NodeKey, NodeKind, Peer, PortLine, Rate, hexadecimal,
};

/// The line that opens a node's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    pub(super) kind: NodeKind,
    pub(super) port_count: u8,
    pub(super) id: &'a str,
    pub(super) description: Option<&'a str>,
    pub(super) lids: Option<Lids>,
}

/// What one line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Blank,
    Comment,
    /// `vendid=…` and the like: what stands before a header, with the number it says.
    Identity(&'static str, u64),
    /// Titles that `-g` puts between groups of records.
    Grouping,
    Header(Header<'a>),
    Port(PortLine<'a>),
    Malformed(Malformed),
    /// A record's line with something before it, such as a time or a name.
    Prefixed(Malformed),
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
const IDENTITY: &str = "a number of hexadecimal digits, 64 bits at most";
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
            // Some writers put the port's GUID in brackets behind that of a switch, and chassis behind a blank.
            let ends = |c: char| c == '(' || c.is_whitespace();
            let digits = number.trim_start().split(ends).next().unwrap_or(number);
            let place = Cursor {
                text: line,
                offset: line.len() - line.trim_start().len() + key.len(),
            };
            return match hexadecimal(digits) {
                Some(number) => Line::Identity(key, number),
                None => Line::Malformed(place.misfit(IDENTITY)),
            };
        }
    }
    if GROUP_TITLES.iter().any(|title| content.starts_with(title)) {
        return Line::Grouping;
    }
    let mut cursor = Cursor {
        text: line,
        offset: line.len() - line.trim_start().len(),
    };
    if looks_like_port(content) {
        return port(&mut cursor).map_or_else(Line::Malformed, Line::Port);
    }
    let record = record_within(line);
    for (word, kind) in HEADERS {
        let rest = content.strip_prefix(word);
        if rest.is_some_and(|rest| goes_on_as_header(rest, record.is_some())) {
            cursor.offset += word.len();
            return header(&mut cursor, kind).map_or_else(Line::Malformed, Line::Header);
        }
    }
    record.map_or(Line::Unknown, Line::Prefixed)
}

/// Tells whether what follows `Switch` and the like is what follows it in a record.
fn goes_on_as_header(rest: &str, has_id: bool) -> bool {
    let next = rest.trim_start();
    let after = next.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_apart = next.len() < rest.len();
    let has_count = after.len() < next.len();
    after.trim_start().starts_with('"') || (is_apart && (has_count || has_id))
}

/// Tells whether a line begins as a port's does, and not as a shell's `[1]+ Done` or a time.
fn looks_like_port(content: &str) -> bool {
    let Some(rest) = content.strip_prefix('[') else {
        return false;
    };
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == rest.len() {
        return false;
    }
    match after.strip_prefix(']').map(str::trim_start) {
        Some(next) => {
            next.is_empty()
                || next.starts_with(['"', '(', '['])
                || next.contains("\"[")
                || is_bare_id(next)
        }
        None => after.is_empty() || after.contains("\"["),
    }
}

/// Tells whether a text begins with the id of a node that is in no quotes, or in those of a word processor.
fn is_bare_id(text: &str) -> bool {
    let id = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let digits = id.strip_prefix("S-").or_else(|| id.strip_prefix("H-"));
    let digits = digits.or_else(|| id.strip_prefix("R-"));
    digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_hexdigit()))
}

/// As far back as the words before an id are looked for, in bytes.
const LOOKED_BACK: usize = 64;

/// The whole words at the end of a text, so that one look costs the same however long it is.
fn end_of(text: &str) -> &str {
    let from = text.len().saturating_sub(LOOKED_BACK);
    let cut = (from..text.len()).find(|&place| text.is_char_boundary(place));
    match cut {
        Some(place) if place > 0 => {
            let words = text[place..].split_once(char::is_whitespace);
            words.map_or("", |(_, rest)| rest)
        }
        _ => text,
    }
}

/// Finds a record's line behind something else: an id in quotes after `Switch 8` and the like, or
/// before a port.
fn record_within(line: &str) -> Option<Malformed> {
    let is_record = |&(quote, _): &(usize, &str)| {
        let Some((id, after)) = line[quote + 1..].split_once('"') else {
            return false;
        };
        if id_guid(id).is_none() {
            return false;
        }
        let before = line[..quote].trim_end();
        let mut words = end_of(before).split_whitespace().rev().take(2);
        let is_header = words.any(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            HEADERS.iter().any(|(known, _)| *known == word)
        });
        let is_port = after.starts_with('[')
            && after[1..].starts_with(|c: char| c.is_ascii_digit())
            && before.ends_with([']', ')']);
        is_header || is_port
    };
    line.match_indices('"').find(is_record)?;
    let cursor = Cursor::new(line);
    Some(cursor.misfit(
        "a line that begins with Switch, Ca, Rt or [port]; take off what stands before that",
    ))
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
fn lids(text: &str) -> Option<Lids> {
    let mut words = text.split_whitespace().skip_while(|&word| word != "lid");
    words.next()?;
    let base = words.next()?.parse().ok()?;
    let mask_bits = match words.next() {
        Some("lmc") => words.next()?.parse().ok()?,
        _ => 0,
    };
    Lids::new(base, mask_bits)
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
