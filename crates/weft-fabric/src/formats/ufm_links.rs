//! The links of UFM's topology as its REST interface gives them (`/ufmRest/resources/links`), JSON.
//!
//! ```text
//! [{"source_guid": "b8599f0300000201", "source_port": "1", "source_port_dname": "HCA-1/1",
//!   "source_port_node_description": "node1 mlx5_0", "destination_guid": "b8599f0300000100",
//!   "destination_port": "7", "destination_port_dname": "7",
//!   "destination_port_node_description": "leaf1:7", "width": "4x", "severity": "Info"}]
//! ```
//!
//! The list may stand alone or as the member `links` of an object, beside others that are passed over. The
//! description of a switch ends with the port, by its number or as it is labelled (`leaf1:1/3/1`, of a
//! director `core1:L16/U2/20`), the port's name of an adapter begins with `HCA`.
//!
//! Source: NVIDIA UFM Enterprise REST API Guide, "Links REST API".

use super::infiniband::{Mark, NamedCable, NamedEnd, NodeKind, finish_cables, guid, port};
use super::{Format, FormatError, FormatName, Found, JsonText, Reader, Source};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The links in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::UfmLinks,
    id: "ufm-links",
    title: "UFM's links (JSON)",
    summary: "The links of a fabric as UFM's REST interface gives them.",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(recognises, read)),
    writer: None,
};

/// Tells UFM's JSON from others.
pub(super) fn recognises(text: &str) -> bool {
    let start = text.trim_start();
    start.starts_with(['{', '['])
        && ["\"source_guid\"", "\"destination_guid\""]
            .iter()
            .all(|name| text.contains(name))
}

#[derive(Deserialize)]
#[serde(expecting = "an object with the member “links”")]
struct Document<'a> {
    #[serde(borrow)]
    links: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(expecting = "a link, an object with the GUIDs and ports of both ends")]
struct Link {
    source_guid: String,
    source_port: Port,
    #[serde(default)]
    source_port_dname: Option<String>,
    #[serde(default)]
    source_port_node_description: Option<String>,
    destination_guid: String,
    destination_port: Port,
    #[serde(default)]
    destination_port_dname: Option<String>,
    #[serde(default)]
    destination_port_node_description: Option<String>,
    #[serde(default)]
    width: Option<String>,
    #[serde(default)]
    speed: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a port's number")]
enum Port {
    Text(String),
    Number(u64),
}

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let text = JsonText { source };
    let entries: Vec<&RawValue> = if source.text.trim_start().starts_with('[') {
        text.parse(source.text)?
    } else {
        text.parse::<Document<'_>>(source.text)?.links
    };
    let mut places = Places::new(source);
    let mut cables = Vec::with_capacity(entries.len());
    for entry in entries {
        let link: Link = text.parse(entry.get())?;
        let mark = places.mark(text.offset(entry.get()));
        let misfit = |found: &str, expected: &str| {
            source.unexpected(mark.offset, format!("“{found}”"), expected)
        };
        let end = |id: &str, at: &Port, name: &Option<String>, description: &Option<String>| {
            let at = match at {
                Port::Text(text) => text.clone(),
                Port::Number(number) => number.to_string(),
            };
            let number = port(&at).ok_or_else(|| misfit(&at, "a port, 1 to 254"))?;
            let guid = guid(id).ok_or_else(|| misfit(id, "a GUID such as b8599f0300000100"))?;
            let description = description.as_deref().unwrap_or(id);
            let is_adapter = name.as_deref().is_some_and(|name| name.starts_with("HCA"));
            let mut labels = name.as_deref().into_iter().chain([at.as_str()]);
            let own = labels.find_map(|label| without_port(description, label));
            let own = own.filter(|_| !is_adapter);
            let is_switch = own.is_some();
            let plain = own.unwrap_or(description);
            Ok(NamedEnd {
                name: plain.to_owned(),
                guid: Some(guid),
                kind: match (is_adapter, is_switch) {
                    (true, _) => Some(NodeKind::Adapter),
                    (_, true) => Some(NodeKind::Switch),
                    _ => None,
                },
                port: number,
            })
        };
        let ends = [
            end(
                &link.source_guid,
                &link.source_port,
                &link.source_port_dname,
                &link.source_port_node_description,
            )?,
            end(
                &link.destination_guid,
                &link.destination_port,
                &link.destination_port_dname,
                &link.destination_port_node_description,
            )?,
        ];
        let width = link
            .width
            .as_deref()
            .map(|width| width.strip_prefix("IB_").unwrap_or(width));
        let rate = width.zip(link.speed.as_deref());
        cables.push(NamedCable {
            rate: rate.and_then(|(width, speed)| format!("{width}{speed}").parse().ok()),
            text: ends
                .each_ref()
                .map(|end| format!("{}[{}]", end.name, end.port))
                .join(" – "),
            ends,
            mark,
        });
    }
    let fabric = finish_cables(source, &cables, &mut notes)?;
    Ok((fabric, notes))
}

/// A switch's description without the port, which a colon parts from it; chips of a director keep their
/// place in it.
fn without_port<'d>(description: &'d str, label: &str) -> Option<&'d str> {
    let switch = description.strip_suffix(label)?.strip_suffix(':')?;
    let is_within = label.starts_with(|letter: char| letter.is_ascii_alphabetic());
    match label.rsplit_once('/') {
        Some((_, number)) if is_within => {
            (description.strip_suffix(number)).and_then(|start| start.strip_suffix('/'))
        }
        _ => Some(switch),
    }
}

/// Line numbers of ascending places, each line counted once.
struct Places<'a> {
    source: Source<'a>,
    mark: Mark,
}

impl<'a> Places<'a> {
    fn new(source: Source<'a>) -> Self {
        let mark = Mark { offset: 0, line: 1 };
        Self { source, mark }
    }

    fn mark(&mut self, offset: usize) -> Mark {
        let passed = self.source.text.get(self.mark.offset..offset).unwrap_or("");
        let lines = passed.bytes().filter(|&byte| byte == b'\n').count();
        let line = self.mark.line.saturating_add(super::source::number(lines));
        self.mark = Mark { offset, line };
        self.mark
    }
}
