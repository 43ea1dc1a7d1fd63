//! From the file to a fabric.

use super::super::json_text::clipped;
use super::super::placed::{PlacedBuilder, PlacedEnd, lids};
use super::super::{FormatError, FormatErrorKind, Found, JsonText, Source, fabric_name};
use super::entries::{Document, EndEntry, Head, HostEntry, LinkEntry, Port, SwitchEntry};
use super::{MARK, VERSION};
use crate::{Cable, Host, PortNumber, Switch};
use serde_json::value::RawValue;

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let text = JsonText { source };
    text.check_head()?;
    let document: Document<'_> = text.parse(source.text)?;
    let name = document
        .name
        .clone()
        .unwrap_or_else(|| fabric_name(source.name));
    let mut builder = PlacedBuilder::new(source, name);
    if let Some(entry) = document.layout {
        builder.set_layout(text.parse(entry.get())?, text.offset(entry.get()));
    }

    for entry in document.switches {
        let offset = text.offset(entry.get());
        let entry: SwitchEntry = text.parse(entry.get())?;
        let switch = Switch {
            name: entry.name,
            port_count: entry.ports.0,
            guid: entry.guid,
            system_guid: entry.system_guid,
            lids: lids(source, entry.lid, entry.lmc, offset)?,
        };
        builder.add_switch(switch, offset)?;
    }
    for entry in document.hosts {
        let offset = text.offset(entry.get());
        let entry: HostEntry = text.parse(entry.get())?;
        let host = Host {
            name: entry.name,
            guid: entry.guid,
            adapter_guid: entry.adapter_guid,
            lids: lids(source, entry.lid, entry.lmc, offset)?,
            service: entry.service,
        };
        builder.add_host(host, offset)?;
    }
    for entry in document.links {
        let entry: LinkEntry<'_> = text.parse(entry.get())?;
        let [a, b] = entry.ends.map(|entry| end(text, entry, &builder));
        let cable = Cable {
            rate: entry.rate,
            length: entry.metres,
            port_kind: entry.port_kind,
            is_one_way: entry.one_way,
            is_disputed: entry.disputed,
        };
        builder.add_link([a?, b?], cable)?;
    }
    Ok((builder.build(source.content())?, Vec::new()))
}

/// One end of a link: a node's name and a port.
fn end<'a>(
    text: JsonText<'a>,
    entry: &'a RawValue,
    builder: &PlacedBuilder<'a>,
) -> Result<PlacedEnd, FormatError> {
    let offset = text.offset(entry.get());
    let EndEntry(name, Port(port)) = text.parse(entry.get())?;
    let node = builder.node(&name, offset, "list it under “switches” or “hosts”")?;
    Ok(PlacedEnd::new(node, PortNumber::new(port), offset))
}

impl<'a> JsonText<'a> {
    fn check_head(self) -> Result<(), FormatError> {
        let head: Head<'a> = self.parse(self.source.text)?;
        let found = match head.format {
            None => "a JSON object without “format”".to_owned(),
            Some(format) if serde_json::from_str(format.get()).is_ok_and(|f: String| f == MARK) => {
                return self.check_version(head.version);
            }
            Some(format) => format!("JSON of format {}", clipped(format.get())),
        };
        let offset = head
            .format
            .map_or_else(|| self.source.content(), |format| self.offset(format.get()));
        let advice = "check that this is the file you meant";
        let kind = FormatErrorKind::OtherFormat { found, advice };
        Err(self.source.error(offset, kind))
    }

    fn check_version(self, version: Option<&'a RawValue>) -> Result<(), FormatError> {
        let Some(version) = version else {
            return Err(self.source.unexpected(
                self.source.content(),
                "no field “version”",
                format!("\"version\": {VERSION}"),
            ));
        };
        let kind = match version.get().parse::<u64>() {
            Ok(VERSION) => return Ok(()),
            Ok(found) if found > VERSION => FormatErrorKind::NewerVersion {
                found,
                newest: VERSION,
            },
            _ => FormatErrorKind::Unexpected {
                found: format!("version {}", clipped(version.get())),
                expected: VERSION.to_string(),
            },
        };
        Err(self.source.error(self.offset(version.get()), kind))
    }
}
