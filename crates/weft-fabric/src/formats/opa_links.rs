//! The links of an Omni-Path fabric as `opaextractlink` and `opaextractsellinks` write them.
//!
//! ```text
//! Rate;LinkDetails;CableLength;CableLabel;CableDetails;Port.NodeDesc;Port.PortNum;Port.NodeDesc;Port.PortNum
//! 100g;;;;;node1 hfi1_0;1;opasw1;5
//!
//! 0x0011750101660000;1;FI;node1 hfi1_0;0x0011750102660000;5;SW;opasw1
//! ```
//!
//! Values between semicolons below a line of names, a link a line: what stands once is of the link, what
//! stands twice of its ends (`NodeDesc`, `PortNum`; `NodeGUID`, `NodeType` where they were asked for).
//! Where the names stand once, each end has a line and two lines are a link. `opaextractsellinks` writes no
//! names: of each end GUID, port, type and description.
//!
//! Source: Intel Omni-Path Fabric Suite, `FastFabric` Command Line Interface Reference Guide,
//! opaextractlink, opaextractsellinks and opaxmlextract, and their scripts in `cornelisnetworks/opa-ff`.

use super::infiniband::{
    NamedCable, NamedEnd, NodeKind, Row, TextLine, cells, cut_line, finish_cables, guid, lines,
    port, unknown_reason,
};
use super::{Format, FormatError, FormatName, Found, Reader, Source};
use crate::LinkRate;

/// The links in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::OpaLinks,
    id: "opaextractlinks",
    title: "opaextractlink",
    summary: "The links of an Omni-Path fabric as opaextractlink and opaextractsellinks write them.",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(
        |text| (text.lines()).any(|line| are_names(line) || is_without_names(line)),
        read,
    )),
    writer: None,
};

fn are_names(line: &str) -> bool {
    let names = names(line);
    names.len() > 2
        && ["nodedesc", "portnum"]
            .iter()
            .all(|name| names.iter().any(|n| n == name))
}

/// What `opaextractsellinks` writes of two ends, of which each has these values.
const NAMELESS: [&str; 4] = ["nodeguid", "portnum", "nodetype", "nodedesc"];

/// Tells a line of `opaextractsellinks`.
fn is_without_names(line: &str) -> bool {
    let cells = cells(line, ';');
    let is_guid = |cell: &str| cell.starts_with("0x") && guid(cell).is_some();
    cells.len() == 2 * NAMELESS.len()
        && [0, NAMELESS.len()]
            .iter()
            .all(|&start| is_guid(cells[start]) && kind(cells[start + 2]).is_some())
}

fn names(line: &str) -> Vec<String> {
    let cells = cells(line, ';');
    let name = |cell: &&str| {
        let name = cell.to_ascii_lowercase();
        name.strip_prefix("port.")
            .map_or(name.clone(), str::to_owned)
    };
    cells.iter().map(name).collect()
}

/// Where the values of an end stand.
#[derive(Clone, Copy)]
struct EndColumns {
    description: usize,
    port: usize,
    guid: Option<usize>,
    kind: Option<usize>,
}

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut columns: Option<(Vec<EndColumns>, Option<usize>)> = None;
    let mut cables = Vec::new();
    let mut first: Option<(NamedEnd, TextLine<'_>)> = None;
    for line in lines(source) {
        if line.text.trim().is_empty() || line.text.starts_with('#') {
            continue;
        }
        if are_names(line.text) {
            let names = names(line.text);
            let count = |wanted: &str| names.iter().filter(|name| *name == wanted).count();
            let counts = ["nodedesc", "portnum"].map(count);
            if counts[0] != counts[1] {
                let [ends, ports] = counts;
                let found = format!("names of columns with {ends} NodeDesc and {ports} PortNum");
                let expected = "both of each end of a link";
                return Err(source.unexpected(line.mark.offset, found, expected));
            }
            let rate = names.iter().position(|name| name == "rate");
            columns = Some((ends_of(&names), rate));
            continue;
        }
        if !line.text.contains(';') {
            notes.push(line.note(&unknown_reason(line.text, "opaextractlink")));
            continue;
        }
        if columns.is_none() && is_without_names(line.text) {
            let names = [NAMELESS, NAMELESS].concat();
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            columns = Some((ends_of(&names), None));
        }
        let Some((ends, rate_at)) = &columns else {
            let expected = "the names of the columns, or GUID, port, type and description of two \
                            ends";
            return Err(source.unexpected(line.mark.offset, "values without names", expected));
        };
        let row = Row::new(line, ';');
        let rate = rate(row.cell(*rate_at));
        if let [a, b] = **ends {
            let ends = [end(source, &row, a)?, end(source, &row, b)?];
            cables.push(cable(ends, rate, line));
            continue;
        }
        let one = ends[0];
        // A line of the cable alone has no end.
        if row.cell(Some(one.description)).is_empty() && row.cell(Some(one.port)).is_empty() {
            continue;
        }
        let here = end(source, &row, one)?;
        match first.take() {
            Some((far, _)) => cables.push(cable([far, here], rate, line)),
            None => first = Some((here, line)),
        }
    }
    if let Some((_, line)) = first {
        return Err(cut_line(source, line, "the line of the link's other end"));
    }
    let fabric = finish_cables(source, &cables, &mut notes)?;
    Ok((fabric, notes))
}

fn cable(ends: [NamedEnd; 2], rate: Option<LinkRate>, line: TextLine<'_>) -> NamedCable {
    NamedCable {
        ends,
        rate,
        mark: line.mark,
        text: line.text.to_owned(),
    }
}

/// Where the ends' values stand: two ends, or one.
fn ends_of(names: &[String]) -> Vec<EndColumns> {
    let all = |name: &str| -> Vec<usize> {
        let places = 0..names.len();
        places.filter(|&at| names[at] == name).collect()
    };
    let (guids, kinds) = (all("nodeguid"), all("nodetype"));
    all("nodedesc")
        .into_iter()
        .zip(all("portnum"))
        .take(2)
        .enumerate()
        .map(|(number, (description, port))| EndColumns {
            description,
            port,
            guid: guids.get(number).copied(),
            kind: kinds.get(number).copied(),
        })
        .collect()
}

fn end(source: Source<'_>, row: &Row<'_>, at: EndColumns) -> Result<NamedEnd, FormatError> {
    let is_name = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let name = row.need(source, at.description, "the description of a node", is_name)?;
    Ok(NamedEnd {
        name: name.to_owned(),
        guid: guid(row.cell(at.guid)),
        kind: kind(row.cell(at.kind)),
        port: row.need(source, at.port, "a port, 1 to 254", port)?,
    })
}

/// The kind of node that a type says.
fn kind(text: &str) -> Option<NodeKind> {
    match text {
        "SW" => Some(NodeKind::Switch),
        "FI" | "HFI" => Some(NodeKind::Adapter),
        _ => None,
    }
}

/// The data rate that `100g` says.
fn rate(text: &str) -> Option<LinkRate> {
    let number = text.strip_suffix(['g', 'G'])?;
    format!("{number} Gbit/s").parse().ok()
}
