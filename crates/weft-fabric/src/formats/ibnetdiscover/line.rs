//! What one line says.
//!
//! ```text
//! header := ("Switch" | "Ca" | "Rt") ports "id" ["#" "description" …]
//! port   := "[" port "]" {"[ext n]" | "(port guid)"} "peer" "[" port "]" {"[ext n]" | "(port guid)"}
//!           ["#" … "peer's description" … width "x" speed …]
//! ```

use crate::ids::PortNumber;
use crate::rate::LinkRate;

/// The kind of node a record describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Switch,
    /// A channel adapter: its ports are our hosts.
    Adapter,
    Router,
}

/// The line that opens a node's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header<'a> {
    pub(super) kind: NodeKind,
    pub(super) port_count: u8,
    pub(super) id: &'a str,
    pub(super) description: Option<&'a str>,
}

/// The line that lists a cable at one of the node's ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PortLine<'a> {
    pub(super) port: u8,
    pub(super) port_guid: Option<u64>,
    pub(super) peer_id: &'a str,
    pub(super) peer_port: u8,
    pub(super) peer_guid: Option<u64>,
    pub(super) peer_description: Option<&'a str>,
    pub(super) rate: Rate<'a>,
}

/// What a port line says of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rate<'a> {
    /// Nothing, as in files of old releases.
    Absent,
    /// Something that is no rate, such as `4x???`.
    Unclear(&'a str),
    /// A width and a speed.
    Known(LinkRate),
}

impl Rate<'_> {
    pub(super) fn known(self) -> Option<LinkRate> {
        match self {
            Rate::Known(rate) => Some(rate),
            Rate::Absent | Rate::Unclear(_) => None,
        }
    }
}

/// A line that begins as a header or port line but does not go on as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// Whether it begins as a header.
    pub(super) is_header: bool,
    /// Byte offset in the line.
    pub(super) offset: usize,
    pub(super) found: String,
    pub(super) expected: &'static str,
}

/// What one line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Blank,
    Comment,
    /// `vendid=…` and the like: what stands before a header.
    Identity,
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

/// This tells what a line says.
pub(super) fn parse(line: &str) -> Line<'_> {
    let content = line.trim();
    if content.is_empty() {
        return Line::Blank;
    }
    if content.starts_with('#') {
        return Line::Comment;
    }
    if IDENTITY_KEYS.iter().any(|key| content.starts_with(key)) {
        return Line::Identity;
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

/// This tells whether a line that says nothing could have become one that does, had the file not
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
    let (description, _) = comment(cursor.rest());
    Ok(Header {
        kind,
        port_count,
        id,
        description,
    })
}

fn port<'a>(cursor: &mut Cursor<'a>) -> Result<PortLine<'a>, Malformed> {
    let port = cursor.bracketed_port()?;
    let port_guid = cursor.attachments()?;
    let peer_id = cursor.quoted("the peer's id in quotes")?;
    let peer_port = cursor.bracketed_port()?;
    let peer_guid = cursor.attachments()?;
    let (peer_description, tail) = comment(cursor.rest());
    let rate = rate(tail);
    Ok(PortLine {
        port,
        port_guid,
        peer_id,
        peer_port,
        peer_guid,
        peer_description,
        rate,
    })
}

/// This splits what follows the `#`: the description stands between the first quote and the last,
/// whatever it contains.
fn comment(rest: &str) -> (Option<&str>, &str) {
    let comment = rest.split_once('#').map_or("", |(_, comment)| comment);
    match (comment.find('"'), comment.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            (Some(comment[first + 1..last].trim()), &comment[last + 1..])
        }
        // The closing quote is missing: no word of what follows can be trusted.
        (Some(_), _) => (None, ""),
        _ => (None, comment),
    }
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

/// A place in a line.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn skip_blanks(&mut self) {
        self.offset += self.rest().len() - self.rest().trim_start().len();
    }

    fn misfit(&self, expected: &'static str) -> Malformed {
        let found: String = self
            .rest()
            .split_whitespace()
            .next()
            .unwrap_or("")
            .chars()
            .take(30)
            .collect();
        let found = if found.is_empty() {
            "the end of the line".to_owned()
        } else {
            format!("“{found}”")
        };
        Malformed {
            is_header: false,
            offset: self.offset,
            found,
            expected,
        }
    }

    fn eat(&mut self, symbol: char, expected: &'static str) -> Result<(), Malformed> {
        if self.rest().starts_with(symbol) {
            self.offset += symbol.len_utf8();
            Ok(())
        } else {
            Err(self.misfit(expected))
        }
    }

    /// This takes everything up to `end`, and `end`.
    fn until(&mut self, end: char, expected: &'static str) -> Result<&'a str, Malformed> {
        let (content, _) = self
            .rest()
            .split_once(end)
            .ok_or_else(|| self.misfit(expected))?;
        self.offset += content.len() + end.len_utf8();
        Ok(content)
    }

    fn port_number(&mut self, expected: &'static str) -> Result<u8, Malformed> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..digits].parse().ok();
        let number = number
            .filter(|number| (1..=PortNumber::MAX).contains(number))
            .ok_or_else(|| self.misfit(expected))?;
        self.offset += digits;
        Ok(number)
    }

    fn bracketed_port(&mut self) -> Result<u8, Malformed> {
        self.eat('[', "a port in brackets")?;
        let port = self.port_number("a port, 1 to 254")?;
        self.eat(']', "“]”")?;
        Ok(port)
    }

    fn quoted(&mut self, expected: &'static str) -> Result<&'a str, Malformed> {
        self.skip_blanks();
        let start = self.offset;
        self.eat('"', expected)?;
        let content = self.until('"', "the closing quote")?;
        if content.trim().is_empty() {
            self.offset = start;
            return Err(self.misfit(expected));
        }
        Ok(content.trim())
    }

    /// This takes external port numbers and the GUID that may follow a port, and hands over the
    /// GUID.
    fn attachments(&mut self) -> Result<Option<u64>, Malformed> {
        let mut guid = None;
        loop {
            let before = self.offset;
            self.skip_blanks();
            if self.rest().starts_with("[ext") {
                self.until(']', "“]”")?;
            } else if self.rest().starts_with('(') {
                self.offset += 1;
                let digits = self.until(')', "“)”")?.trim();
                guid = hexadecimal(digits);
            } else {
                self.offset = before;
                return Ok(guid);
            }
        }
    }
}

/// This reads a GUID as the tools print it, with or without `0x`.
pub(super) fn hexadecimal(digits: &str) -> Option<u64> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    // `from_str_radix` would take a sign.
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u64::from_str_radix(digits, 16).ok())
        .flatten()
}
