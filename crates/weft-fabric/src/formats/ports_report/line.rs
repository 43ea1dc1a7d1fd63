//! What one line says.
//!
//! ```text
//! port := end width "x" speed [ "-" end "( '" name "' - '" name "' )" | "'" name "'" ]
//! end  := ("CA" | "SW" | "RT") lid port "0x" guid
//! ```

use super::super::infiniband::{Cursor, Lids, ListLine, Malformed, NodeKind, Rate};

/// A port and the cable that leads on from it, if one does.
#[derive(Debug)]
pub(super) struct Port<'a> {
    pub(super) here: End<'a>,
    pub(super) rate: Rate<'a>,
    pub(super) far: Option<End<'a>>,
    /// Descriptions of both nodes; neither where they cannot be told apart.
    pub(super) names: [Option<&'a str>; 2],
}

/// One end of a cable.
#[derive(Debug)]
pub(super) struct End<'a> {
    pub(super) kind: NodeKind,
    pub(super) lids: Option<Lids>,
    pub(super) port: u8,
    pub(super) id: &'a str,
    pub(super) guid: u64,
}

/// What stands between two descriptions.
pub(super) const BETWEEN: &str = "' - '";

const KINDS: [(&str, NodeKind); 3] = [
    ("CA", NodeKind::Adapter),
    ("SW", NodeKind::Switch),
    ("RT", NodeKind::Router),
];

/// Tells what a line says.
pub(super) fn parse(line: &str) -> ListLine<Port<'_>> {
    let content = line.trim();
    if content.is_empty() || content.starts_with('#') {
        return ListLine::Nothing;
    }
    let mut words = content.split_whitespace();
    let opens = words.next().is_some_and(|word| kind(word).is_some())
        && words.next().is_some_and(|word| word.parse::<u16>().is_ok());
    if !opens {
        return ListLine::Unknown;
    }
    let mut cursor = Cursor::new(line);
    port(&mut cursor).map_or_else(ListLine::Malformed, ListLine::Content)
}

fn kind(word: &str) -> Option<NodeKind> {
    let found = KINDS.iter().find(|(name, _)| *name == word);
    found.map(|&(_, kind)| kind)
}

fn port<'a>(cursor: &mut Cursor<'a>) -> Result<Port<'a>, Malformed> {
    let here = end(cursor)?;
    cursor.skip_blanks();
    let start = cursor.offset;
    let width = cursor.word("a width such as 4x", |word| {
        word.ends_with('x') || word.bytes().all(|byte| byte == b'?')
    })?;
    let speed = cursor.word("a speed such as EDR", |_| true)?;
    let rate_text = &cursor.text[start..cursor.offset];
    let rate = match format!("{width}{speed}").parse() {
        Ok(rate) => Rate::Known(rate),
        Err(_) if rate_text.bytes().all(|byte| b"? ".contains(&byte)) => Rate::Absent,
        Err(_) => Rate::Unclear(rate_text),
    };
    cursor.skip_blanks();
    if !cursor.rest().starts_with('-') {
        let name = enclosed(cursor, "'", "'", "the description in quotes")?;
        return Ok(Port {
            here,
            rate,
            far: None,
            names: [Some(name.trim()), None],
        });
    }
    cursor.offset += 1;
    let far = end(cursor)?;
    let names = enclosed(cursor, "( '", "' )", "both descriptions in brackets")?;
    let mut borders = names.match_indices(BETWEEN).map(|(at, _)| at);
    let names = match (borders.next(), borders.next()) {
        (Some(at), None) => [
            Some(names[..at].trim()),
            Some(names[at + BETWEEN.len()..].trim()),
        ],
        (Some(_), Some(_)) => [None; 2],
        (None, _) => return Err(cursor.misfit("both descriptions with “' - '” between them")),
    };
    Ok(Port {
        here,
        rate,
        far: Some(far),
        names,
    })
}

fn end<'a>(cursor: &mut Cursor<'a>) -> Result<End<'a>, Malformed> {
    let word = cursor.word("CA, SW or RT", |word| kind(word).is_some())?;
    // Invariant: the word was taken because it is a kind.
    let kind = kind(word).unwrap_or(NodeKind::Router);
    let lids = cursor.lid()?;
    cursor.skip_blanks();
    let port = cursor.port_number("a port, 1 to 254")?;
    let (id, guid) = cursor.guid()?;
    Ok(End {
        kind,
        lids,
        port,
        id,
        guid,
    })
}

/// Takes the rest of the line, which must stand between `open` and `close`.
fn enclosed<'a>(
    cursor: &mut Cursor<'a>,
    open: &str,
    close: &str,
    expected: &'static str,
) -> Result<&'a str, Malformed> {
    cursor.skip_blanks();
    let rest = cursor.rest().trim_end();
    let inner = rest
        .strip_prefix(open)
        .and_then(|rest| rest.strip_suffix(close));
    inner.ok_or_else(|| cursor.misfit(expected))
}
