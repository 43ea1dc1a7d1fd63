//! What one line says.
//!
//! ```text
//! header := ("Switch: 0x" guid | "CA:" | "Router:") description ":"
//! port   := ["0x" guid] ['"' description '"'] lid port "[" [ext] "] ==(" link ")==>" far
//! link   := width "X" speed state "/" state | "Down/" state
//! far    := ["0x" guid] lid port "[" [ext] '] "' description '" (' remark ")"
//!         | '[  ] "" ( )' | '"Port not available"'
//! ```

use super::super::infiniband::{Cursor, Lids, Malformed, NodeKind, Rate, rate};

/// What one line says.
#[derive(Debug)]
pub(super) enum Line<'a> {
    /// An empty line or a comment.
    Nothing,
    Header(Header<'a>),
    Port(Port<'a>),
    Malformed(Malformed),
    Unknown,
}

/// The line that opens a node's block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header<'a> {
    pub(super) kind: NodeKind,
    /// What the line says of the node, as it is written.
    pub(super) id: &'a str,
    pub(super) guid: Option<u64>,
    pub(super) description: &'a str,
}

/// A port and what is at the other end.
#[derive(Debug)]
pub(super) struct Port<'a> {
    pub(super) here: End<'a>,
    pub(super) rate: Rate<'a>,
    pub(super) far: Far<'a>,
}

/// What is at the other end.
#[derive(Debug)]
pub(super) enum Far<'a> {
    /// No cable, or one that nothing answers through.
    Down,
    /// Something the tool could not reach.
    Unreached,
    End(End<'a>),
}

/// One end of a cable.
#[derive(Debug)]
pub(super) struct End<'a> {
    /// The GUID as it is written, and as a number.
    pub(super) guid: Option<(&'a str, u64)>,
    pub(super) description: Option<&'a str>,
    pub(super) lids: Option<Lids>,
    pub(super) port: u8,
}

/// What stands before and after a link.
pub(super) const OPEN: &str = "==(";
const CLOSE: &str = ")==>";

/// Tells what a line says.
pub(super) fn parse(line: &str) -> Line<'_> {
    let content = line.trim();
    if content.is_empty() || content.starts_with('#') {
        return Line::Nothing;
    }
    if let Some(header) = header(content) {
        return header.map_or_else(Line::Malformed, Line::Header);
    }
    let begins = content.starts_with("0x") || content.starts_with(|c: char| c.is_ascii_digit());
    if !begins || !content.contains(OPEN) {
        return Line::Unknown;
    }
    let mut cursor = Cursor::new(line);
    port(&mut cursor).map_or_else(Line::Malformed, Line::Port)
}

fn header(content: &str) -> Option<Result<Header<'_>, Malformed>> {
    let (kind, rest) = [
        ("Switch: ", NodeKind::Switch),
        ("CA: ", NodeKind::Adapter),
        ("Router: ", NodeKind::Router),
    ]
    .into_iter()
    .find_map(|(word, kind)| Some((kind, content.strip_prefix(word)?)))?;
    let mut cursor = Cursor {
        text: content,
        offset: content.len() - rest.len(),
    };
    let mut take = || {
        let guid = match kind {
            NodeKind::Switch => Some(cursor.guid()?),
            _ => None,
        };
        let description = cursor.rest().trim().strip_suffix(':');
        let description = description.ok_or_else(|| cursor.misfit("a description and “:”"))?;
        Ok(Header {
            kind,
            id: guid.map_or(description, |(id, _)| id),
            guid: guid.map(|(_, guid)| guid),
            description,
        })
    };
    Some(take())
}

fn port<'a>(cursor: &mut Cursor<'a>) -> Result<Port<'a>, Malformed> {
    let guid = own_guid(cursor)?;
    let description = description(cursor)?;
    let lids = cursor.lid()?;
    let port = numbered(cursor)?;
    let here = End {
        guid,
        description,
        lids,
        port,
    };
    cursor.skip_blanks();
    cursor.text_of(OPEN, "“==(” and the link")?;
    let (link, _) = cursor
        .rest()
        .split_once(CLOSE)
        .ok_or_else(|| cursor.misfit("the link and “)==>”"))?;
    cursor.offset += link.len() + CLOSE.len();
    cursor.skip_blanks();
    let far = if cursor.rest().starts_with('[') {
        closed(cursor, "[  ] \"\" ( )").map(|()| Far::Down)?
    } else if cursor.rest().starts_with('"') {
        closed(cursor, "\"Port not available\"").map(|()| Far::Unreached)?
    } else {
        Far::End(far(cursor)?)
    };
    Ok(Port {
        here,
        rate: link_rate(link),
        far,
    })
}

fn own_guid<'a>(cursor: &mut Cursor<'a>) -> Result<Option<(&'a str, u64)>, Malformed> {
    cursor.skip_blanks();
    if cursor.rest().starts_with("0x") {
        return cursor.guid().map(Some);
    }
    Ok(None)
}

/// Takes the description before a port, which ends with the last quote before the link.
fn description<'a>(cursor: &mut Cursor<'a>) -> Result<Option<&'a str>, Malformed> {
    cursor.skip_blanks();
    if !cursor.rest().starts_with('"') {
        return Ok(None);
    }
    let (before, _) = cursor
        .rest()
        .split_once(OPEN)
        .ok_or_else(|| cursor.misfit("a description, a port and “==(”"))?;
    let end = before.rfind('"').filter(|&end| end > 0);
    let end = end.ok_or_else(|| cursor.misfit("the closing quote"))?;
    cursor.offset += end + 1;
    Ok(Some(before[1..end].trim()))
}

/// Takes a port and its number on the outside of a chassis.
fn numbered(cursor: &mut Cursor<'_>) -> Result<u8, Malformed> {
    cursor.skip_blanks();
    let port = cursor.port_number("a port, 1 to 254")?;
    cursor.eat('[', "“[”")?;
    cursor.until(']', "“]”")?;
    Ok(port)
}

fn far<'a>(cursor: &mut Cursor<'a>) -> Result<End<'a>, Malformed> {
    let guid = own_guid(cursor)?;
    let lids = cursor.lid()?;
    let port = numbered(cursor)?;
    cursor.skip_blanks();
    let rest = cursor.rest().trim_end();
    let (first, last) = (rest.find('"'), rest.rfind('"'));
    let is_closed = rest.ends_with(')');
    match (first, last) {
        (Some(0), Some(last)) if last > 0 && is_closed => Ok(End {
            guid,
            description: Some(rest[1..last].trim()),
            lids,
            port,
        }),
        _ => Err(cursor.misfit("a description in quotes and a remark in brackets")),
    }
}

/// Takes the rest of the line, which must be `text`.
fn closed(cursor: &Cursor<'_>, text: &'static str) -> Result<(), Malformed> {
    if cursor.rest().trim_end() == text {
        return Ok(());
    }
    Err(cursor.misfit(text))
}

fn link_rate(link: &str) -> Rate<'_> {
    let link = link.trim();
    let Some((width, rest)) = link.split_once(' ') else {
        return Rate::Absent;
    };
    if !width.ends_with('X') && !width.starts_with('?') {
        return if rest.contains("Gbps") {
            Rate::Unclear(link)
        } else {
            Rate::Absent
        };
    }
    // The speed ends where the state begins: the last two words are `Active/ LinkUp`, but blanks
    // may be missing between them.
    let speed_end = ["Gbps (FDR10)", "Gbps", "???"]
        .iter()
        .find_map(|end| Some(rest.find(end)? + end.len()));
    let speed = speed_end.map_or("", |end| rest[..end].trim());
    rate(width, speed, link)
}
