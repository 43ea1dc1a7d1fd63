//! What one line says.
//!
//! ```text
//! line := end end "PHY=" width "LOG=" state "SPD=" speed
//! end  := "{" ("CA" | "SW" | "Rt")["-SM"] {field ":" hex} "{" description "} LID:" hex "PN:" hex "}"
//! ```

use super::super::infiniband::{
    Cursor, Lids, ListLine, Malformed, NodeKind, Rate, hexadecimal, rate,
};
use crate::PortNumber;

/// A cable as seen from its first end.
#[derive(Debug)]
pub(super) struct Link<'a> {
    pub(super) ends: [End<'a>; 2],
    pub(super) is_down: bool,
    pub(super) rate: Rate<'a>,
}

/// One end of a cable.
#[derive(Debug)]
pub(super) struct End<'a> {
    pub(super) kind: NodeKind,
    pub(super) port_count: u8,
    /// The node's GUID as it is written, and as a number.
    pub(super) id: &'a str,
    pub(super) guid: u64,
    pub(super) system: Option<u64>,
    pub(super) port_guid: u64,
    pub(super) description: &'a str,
    pub(super) lids: Option<Lids>,
    pub(super) port: u8,
}

/// What ends a description.
pub(super) const AFTER_DESCRIPTION: &str = "} LID:";

/// Tells what a line says.
pub(super) fn parse(line: &str) -> ListLine<Link<'_>> {
    let content = line.trim();
    if content.is_empty() || content.starts_with('#') {
        return ListLine::Nothing;
    }
    let opens = content
        .strip_prefix('{')
        .and_then(|rest| kind(rest.split_whitespace().next()?))
        .is_some();
    if !opens {
        return ListLine::Unknown;
    }
    link(&mut Cursor::new(line)).map_or_else(ListLine::Malformed, ListLine::Content)
}

fn kind(word: &str) -> Option<NodeKind> {
    match word.strip_suffix("-SM").unwrap_or(word) {
        "SW" => Some(NodeKind::Switch),
        "CA" => Some(NodeKind::Adapter),
        "Rt" | "RT" => Some(NodeKind::Router),
        _ => None,
    }
}

fn link<'a>(cursor: &mut Cursor<'a>) -> Result<Link<'a>, Malformed> {
    let ends = [end(cursor)?, end(cursor)?];
    cursor.skip_blanks();
    let start = cursor.offset;
    let width = cursor.field("PHY=", "“PHY=” and the width")?;
    let state = cursor.field("LOG=", "“LOG=” and the state")?;
    let speed = cursor.field("SPD=", "“SPD=” and the speed")?;
    Ok(Link {
        ends,
        is_down: state == "DWN",
        rate: rate(width, speed, &cursor.text[start..cursor.offset]),
    })
}

fn end<'a>(cursor: &mut Cursor<'a>) -> Result<End<'a>, Malformed> {
    cursor.skip_blanks();
    cursor.eat('{', "“{” and one end of the link")?;
    let word = cursor.word("SW, CA or Rt", |word| kind(word).is_some())?;
    // Invariant: the word was taken because it is a kind.
    let kind = kind(word).unwrap_or(NodeKind::Router);
    let port_count = port(cursor, "Ports:", "“Ports:” and a number of ports, 1 to fe")?;
    let system = cursor.field("SystemGUID:", "“SystemGUID:” and a GUID")?;
    let (id, guid) = hexadecimal_field(cursor, "NodeGUID:", "“NodeGUID:” and a GUID")?;
    let (_, port_guid) = hexadecimal_field(cursor, "PortGUID:", "“PortGUID:” and a GUID")?;
    for (name, expected) in [
        ("VenID:", "“VenID:” and a number"),
        ("DevID:", "“DevID:” and a number"),
        ("Rev:", "“Rev:” and a number"),
    ] {
        cursor.field(name, expected)?;
    }
    cursor.skip_blanks();
    cursor.eat('{', "“{” and the description")?;
    let (description, _) = cursor
        .rest()
        .split_once(AFTER_DESCRIPTION)
        .ok_or_else(|| cursor.misfit("the description and “} LID:”"))?;
    // The LID stays to be taken.
    cursor.offset += description.len() + "} ".len();
    let start = *cursor;
    let (_, lid) = hexadecimal_field(cursor, "LID:", "“LID:” and a LID")?;
    let lid = u16::try_from(lid).map_err(|_| start.misfit("a LID of four digits"))?;
    let port = port(cursor, "PN:", "“PN:” and a port, 1 to fe")?;
    cursor.skip_blanks();
    cursor.eat('}', "“}”")?;
    Ok(End {
        kind,
        port_count,
        id,
        guid,
        system: hexadecimal(system).filter(|&guid| guid != 0),
        port_guid,
        description: description.trim(),
        lids: Lids::new(lid.into(), 0),
        port,
    })
}

fn hexadecimal_field<'a>(
    cursor: &mut Cursor<'a>,
    name: &str,
    expected: &'static str,
) -> Result<(&'a str, u64), Malformed> {
    let start = *cursor;
    let text = cursor.field(name, expected)?;
    let number = hexadecimal(text).ok_or_else(|| start.misfit(expected))?;
    Ok((text, number))
}

fn port(cursor: &mut Cursor<'_>, name: &str, expected: &'static str) -> Result<u8, Malformed> {
    let start = *cursor;
    let (_, number) = hexadecimal_field(cursor, name, expected)?;
    u8::try_from(number)
        .ok()
        .filter(|number| (1..=PortNumber::MAX).contains(number))
        .ok_or_else(|| start.misfit(expected))
}
