//! Planned topologies of UFM, `.ndt`: comma-separated values, a cable a line.
//!
//! ```text
//! #StartDevice,StartPort,EndDevice,EndPort,LinkType
//! leaf1,Port 3,spine1,Blade 3_Port 2/20,Data
//! node1,node1 ibp11s0f0,leaf1,Port 21/2,Data
//! ```
//!
//! Of a switch, ports are `Port 7`, or `Port 21/2` (`Port 1/21/2`) where a cage holds two: number
//! 2 · (21 − 1) + 2. Of a director they are `Blade 3_Port 7`, or `Blade 3_Port 2/20` where a blade has several
//! chips: port 20 of the second. Blades and their chips are switches of their own. Other ports are adapters
//! of a host, with or without its name before. Lines whose link is no link of data are passed over. Other
//! columns may stand anywhere; names may have blanks in them, and `#` or `#Fields:` before the first.
//!
//! Source: NVIDIA UFM Enterprise User Manual, "NDT Plugin", and the samples of that plugin in
//! `Mellanox/ufm_sdk_3.0`.

use super::infiniband::{NamedCable, NamedEnd, NodeKind, Row, cells, finish_cables, lines, port};
use super::{Format, FormatError, FormatName, Found, Reader, Source};

/// Planned topologies in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Ndt,
    id: "ndt",
    title: "planned topology (.ndt)",
    summary: "A planned topology as UFM compares it with the one it finds.",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(
        |text| text.lines().any(|line| names(line).is_some()),
        read,
    )),
    writer: None,
};

/// Where the cells of a line stand.
struct Places {
    /// Device and port.
    start: [usize; 2],
    end: [usize; 2],
    link_type: Option<usize>,
}

/// Takes the line of names.
fn names(line: &str) -> Option<Places> {
    let names: Vec<String> = cells(line, ',').into_iter().map(plain).collect();
    let find = |name: &str| names.iter().position(|known| known == name);
    Some(Places {
        start: [find("startdevice")?, find("startport")?],
        end: [find("enddevice")?, find("endport")?],
        link_type: find("linktype").or_else(|| find("porttype")),
    })
}

/// A name in small letters, without blanks and without what some files write before the first.
fn plain(name: &str) -> String {
    let name = name.strip_prefix('#').unwrap_or(name);
    let name = name.strip_prefix("Fields:").unwrap_or(name);
    let letters = name.chars().filter(|letter| !letter.is_whitespace());
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut places: Option<Places> = None;
    let mut cables = Vec::new();
    for line in lines(source) {
        if let Some(found) = names(line.text) {
            places = Some(found);
            continue;
        }
        let content = line.text.trim();
        if content.is_empty() || content.starts_with('#') || content.trim_matches(',').is_empty() {
            continue;
        }
        let Some(places) = &places else {
            notes.push(line.note("no line of the table; passed over"));
            continue;
        };
        let row = Row::new(line, ',');
        let link_type = row.cell(places.link_type);
        if !link_type.is_empty() && !link_type.eq_ignore_ascii_case("data") {
            notes.push(line.note("the link is none of data; passed over"));
            continue;
        }
        let end = |[device_at, port_at]: [usize; 2]| -> Result<NamedEnd, FormatError> {
            let is_name = |text| Some(text).filter(|text: &&str| !text.is_empty());
            let name = row.need(source, device_at, "the name of a device", is_name)?;
            let expected =
                "a port such as Port 7, Port 21/2, Blade 3_Port 7, Blade 3_Port 2/20 or mlx5_0";
            row.need(source, port_at, expected, |text| place(name, text))
        };
        let ends = [end(places.start)?, end(places.end)?];
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
        let own = text.strip_prefix(device).unwrap_or("");
        let name = if own.starts_with(' ') {
            text.to_owned()
        } else {
            format!("{device} {text}")
        };
        return (blade.is_none() && !text.is_empty()).then_some(NamedEnd {
            name,
            guid: None,
            kind: Some(NodeKind::Adapter),
            port: 1,
        });
    };
    let parts: Vec<&str> = number.split('/').map(str::trim).collect();
    let (chip, number) = match (blade, &*parts) {
        (_, &[only]) => (None, port(only)?),
        (Some(_), &[chip, number]) => (Some(port(chip)?), port(number)?),
        (None, &[cage, half] | &["1", cage, half]) => (None, half_of_cage(cage, half)?),
        _ => return None,
    };
    let mut name = device.to_owned();
    for part in [
        blade.map(str::to_owned),
        chip.map(|chip| format!("U{chip}")),
    ]
    .into_iter()
    .flatten()
    {
        name = format!("{name} {part}");
    }
    Some(NamedEnd {
        name,
        guid: None,
        kind: Some(NodeKind::Switch),
        port: number,
    })
}

/// The number of a port that is one of two in a cage.
fn half_of_cage(cage: &str, half: &str) -> Option<u8> {
    let half = port(half).filter(|half| (1..=2).contains(half))?;
    port(&(2 * (u32::from(port(cage)?) - 1) + u32::from(half)).to_string())
}
