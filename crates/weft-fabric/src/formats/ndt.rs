//! Planned topologies of UFM, `.ndt`: comma-separated values, a cable a line.
//!
//! ```text
//! rack #,U height,StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,EndDeviceLocation,LinkType
//! A1,40,leaf1,Port 3,A1,spine1,Port 7,B1,Data
//! A1,12,node1,mlx5_0,A1,leaf1,Port 21/2,A1,Data
//! ```
//!
//! Of a switch, ports are `Port 7`, or `Port 21/2` where a cage holds two: number 2 · (21 − 1) + 2, and of a
//! director `Blade 3_Port 7`, whose blades are switches of their own. Other ports are adapters of a host.
//! Lines whose link is no link of data are passed over.
//!
//! Source: NVIDIA UFM Enterprise User Manual, "NDT Plugin".

use super::infiniband::{
    Columns, NamedCable, NamedEnd, NodeKind, Row, cells, finish_cables, lines, port,
};
use super::{Format, FormatError, FormatName, Found, Reader, Source};

/// Planned topologies in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Ndt,
    id: "ndt",
    title: "planned topology (.ndt)",
    summary: "A planned topology as UFM compares it with the one it finds.",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(|text| text.lines().any(are_names), read)),
    writer: None,
};

fn are_names(line: &str) -> bool {
    let names = cells(line, ',');
    ["StartDevice", "StartPort", "EndDevice", "EndPort"]
        .iter()
        .all(|name| {
            names
                .iter()
                .any(|cell| plain(cell).eq_ignore_ascii_case(name))
        })
}

/// A name without what some files write before the first.
fn plain(name: &str) -> &str {
    name.strip_prefix("#Fields:").unwrap_or(name)
}

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut columns: Option<Columns> = None;
    let mut cables = Vec::new();
    for line in lines(source) {
        let content = line.text.trim();
        if are_names(line.text) {
            columns = Some(Columns::new(line, ','));
            continue;
        }
        if content.is_empty() || content.starts_with('#') || content.trim_matches(',').is_empty() {
            continue;
        }
        let Some(columns) = &columns else {
            notes.push(line.note("no line of the table; passed over"));
            continue;
        };
        let row = Row::new(line, ',');
        let kind = row.cell(columns.find(&["linktype", "porttype"]));
        if !kind.is_empty() && !kind.eq_ignore_ascii_case("data") {
            notes.push(line.note("the link is none of data; passed over"));
            continue;
        }
        let end = |device: &[&str], port: &str| -> Result<NamedEnd, FormatError> {
            let device_at = columns.need(source, device)?;
            let port_at = columns.need(source, &[port])?;
            let is_name = |text| Some(text).filter(|text: &&str| !text.is_empty());
            let name = row.need(source, device_at, "the name of a device", is_name)?;
            let expected = "a port such as Port 7, Port 21/2, Blade 3_Port 7 or mlx5_0";
            row.need(source, port_at, expected, |text| place(name, text))
        };
        let ends = [
            end(&["startdevice", "#fields:startdevice"], "startport")?,
            end(&["enddevice"], "endport")?,
        ];
        cables.push(NamedCable {
            ends,
            rate: None,
            mark: line.mark,
            text: line.text.to_owned(),
        });
    }
    let fabric = finish_cables(source, &cables, &mut notes)?;
    Ok((fabric, notes))
}

/// The node and the port that a device's port means.
fn place(device: &str, text: &str) -> Option<NamedEnd> {
    let (blade, label) = match text.split_once('_') {
        Some((blade, label)) if blade.starts_with("Blade ") => (Some(blade), label),
        _ => (None, text),
    };
    let Some(number) = label.strip_prefix("Port ") else {
        // An adapter's port: its number is in the adapter's name.
        return (blade.is_none() && !text.is_empty()).then(|| NamedEnd {
            name: format!("{device} {text}"),
            guid: None,
            kind: Some(NodeKind::Adapter),
            port: 1,
        });
    };
    let number = match number.split_once('/') {
        Some((cage, half)) => {
            let (cage, half) = (
                port(cage)?,
                port(half).filter(|half| (1..=2).contains(half))?,
            );
            port(&(2 * (u32::from(cage) - 1) + u32::from(half)).to_string())?
        }
        None => port(number)?,
    };
    Some(NamedEnd {
        name: blade.map_or_else(|| device.to_owned(), |blade| format!("{device} {blade}")),
        guid: None,
        kind: Some(NodeKind::Switch),
        port: number,
    })
}
