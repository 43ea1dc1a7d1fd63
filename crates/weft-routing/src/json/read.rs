//! From the file to routes.

use super::{ANY, MARK, VERSION};
use crate::form::{
    ForwardingTables, Lane, PairGranularity, RouteRow, Routes, Routing, ServiceEnds, SourceRoutes,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use weft_fabric::formats::{FormatError, JsonText, Source};
use weft_fabric::{Fabric, PortNumber};

/// What tells our files from other JSON and old from new.
#[derive(Deserialize)]
#[serde(expecting = "an object with the members of routes")]
struct Head<'a> {
    format: Option<String>,
    #[serde(borrow)]
    version: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(expecting = "an object with the members of routes")]
pub(super) struct Document<'a> {
    #[serde(rename = "format")]
    _format: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    fabric: String,
    #[serde(borrow)]
    fingerprint: &'a RawValue,
    algorithm: String,
    parameters: BTreeMap<String, String>,
    #[serde(borrow)]
    per: &'a RawValue,
    #[serde(borrow, default)]
    routes: Option<&'a RawValue>,
    #[serde(borrow, default)]
    addresses: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tables: Option<&'a RawValue>,
    #[serde(borrow, default)]
    aliases: Option<&'a RawValue>,
    #[serde(borrow, default)]
    lanes: Option<&'a RawValue>,
    #[serde(borrow, default)]
    switch_lanes: Option<&'a RawValue>,
    #[serde(borrow, default)]
    turns: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) lane_key: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) host_lanes: Option<&'a RawValue>,
    #[serde(borrow, default)]
    lane_tables: Option<&'a RawValue>,
}

/// Reads the routes of a fabric.
///
/// # Errors
/// [`FormatError`] with the place: the file is damaged, of another kind or of another fabric. No
/// content makes the reader panic.
pub fn read(source: Source<'_>, fabric: &Fabric) -> Result<Routing, FormatError> {
    let json = JsonText { source };
    let head: Head<'_> = json.parse(source.text)?;
    if head.format.as_deref() != Some(MARK) {
        let found = head.format.map_or_else(
            || "JSON without “format”".to_owned(),
            |format| format!("JSON of format “{format}”"),
        );
        let expected = format!("routes, of format “{MARK}”");
        return Err(source.unexpected(json.source.content(), found, expected));
    }
    let reader = Reader { json, fabric };
    reader.check_version(head.version)?;
    let document: Document<'_> = json.parse(source.text)?;
    reader.check_fingerprint(&document)?;
    let per: String = json.parse(document.per.get())?;
    let granularity = match per.as_str() {
        "switch" => PairGranularity::Switch,
        "host" => PairGranularity::Host,
        _ => {
            let found = format!("“{per}”");
            return Err(reader.refuse(document.per, found, "“switch” or “host”"));
        }
    };
    let mut routes = match (document.routes, document.addresses, document.tables) {
        (Some(routes), None, None) => reader.source_routes(granularity, routes, document.lanes)?,
        (None, Some(addresses), Some(tables)) => {
            reader.tables(granularity, &document, addresses, tables)?
        }
        _ => {
            let expected = "either “routes” or “addresses” and “tables”";
            return Err(source.unexpected(json.source.content(), "other members", expected));
        }
    };
    if let Some(part) = document.turns {
        let turns: NonZeroU8 = json.parse(part.get())?;
        let alternated = routes.alternate(turns);
        alternated.map_err(|error| reader.refuse(part, error.to_string(), "fewer"))?;
    }
    if let Some(part) = document.lane_tables {
        let lanes = reader.lane_tables(&document, part)?;
        let Routes::Tables(tables) = &mut routes else {
            let expected = "“lanes” of the steps";
            return Err(reader.refuse(part, "lane tables for source routes", expected));
        };
        tables.set_lane_tables(lanes);
    }
    Ok(Routing {
        algorithm: document.algorithm,
        parameters: document.parameters,
        service: ServiceEnds::default(),
        routes,
    })
}

pub(super) struct Reader<'a> {
    pub(super) json: JsonText<'a>,
    pub(super) fabric: &'a Fabric,
}

impl<'a> Reader<'a> {
    pub(super) fn refuse(
        &self,
        part: &'a RawValue,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> FormatError {
        self.json
            .source
            .unexpected(self.json.offset(part.get()), found, expected)
    }

    fn check_version(&self, version: Option<&'a RawValue>) -> Result<(), FormatError> {
        let expected = format!("version {VERSION} of the {MARK} format");
        let Some(part) = version else {
            let start = self.json.source.content();
            return Err(self.json.source.unexpected(start, "no version", expected));
        };
        let version: u32 = self.json.parse(part.get())?;
        if version == VERSION {
            return Ok(());
        }
        let found = format!("version {version}");
        let expected = format!("{expected}; newer ones need a newer release of weft");
        Err(self.refuse(part, found, expected))
    }

    fn check_fingerprint(&self, document: &Document<'a>) -> Result<(), FormatError> {
        let text: String = self.json.parse(document.fingerprint.get())?;
        let expected = format!("0x{:016x}", self.fabric.fingerprint());
        if text == expected {
            return Ok(());
        }
        let found = format!(
            "routes of fabric “{}” with fingerprint {text}",
            document.fabric
        );
        let expected = format!(
            "those of “{}” with {expected}; routes hold for the fabric they were made for alone",
            self.fabric.name()
        );
        Err(self.refuse(document.fingerprint, found, expected))
    }

    /// The items of a list, as many as there must be.
    fn counted<T: Deserialize<'a>>(
        &self,
        part: &'a RawValue,
        items: &str,
        count: usize,
        what: &str,
    ) -> Result<Vec<T>, FormatError> {
        let found: Vec<T> = self.json.parse(part.get())?;
        if found.len() == count {
            return Ok(found);
        }
        let found = format!("{} {items}", found.len());
        Err(self.refuse(part, found, format!("{count}, one per {what}")))
    }

    /// The lines of a list.
    pub(super) fn rows(
        &self,
        part: &'a RawValue,
        count: usize,
        what: &str,
    ) -> Result<Vec<&'a RawValue>, FormatError> {
        let what = format!("{what} of fabric “{}”", self.fabric.name());
        self.counted(part, "lines", count, &what)
    }

    fn source_routes(
        &self,
        granularity: PairGranularity,
        routes: &'a RawValue,
        lanes: Option<&'a RawValue>,
    ) -> Result<Routes, FormatError> {
        let count = granularity.endpoint_count(self.fabric);
        let what = granularity.word();
        let lines = self.rows(routes, count, what)?;
        let lane_lines = lanes
            .map(|lanes| self.rows(lanes, count, what))
            .transpose()?;
        let mut rows = Vec::with_capacity(count);
        for (source, line) in lines.into_iter().enumerate() {
            let steps = self.lists(line, count, what)?;
            let mut row = RouteRow::default();
            if let Some(lane_lines) = &lane_lines {
                let lanes = self.lists(lane_lines[source], count, what)?;
                for (steps, lanes) in steps.into_iter().zip(lanes) {
                    if steps.len() != lanes.len() {
                        let found = format!("{} lanes for {} steps", lanes.len(), steps.len());
                        return Err(self.refuse(lane_lines[source], found, "one lane per step"));
                    }
                    let ports = steps.into_iter().map(PortNumber::new);
                    row.push_on_lanes(ports.zip(lanes.into_iter().map(Lane::new)));
                }
            } else {
                for steps in steps {
                    row.push(steps.into_iter().map(PortNumber::new));
                }
            }
            rows.push(row);
        }
        Ok(SourceRoutes::from_rows(granularity, rows).into())
    }

    /// The lists of a line, as many as there must be, each of a length a route can have.
    fn lists(
        &self,
        part: &'a RawValue,
        count: usize,
        what: &str,
    ) -> Result<Vec<Vec<u8>>, FormatError> {
        let lists: Vec<Vec<u8>> = self.counted(part, "lists", count, what)?;
        match lists.iter().find(|list| list.len() > usize::from(u16::MAX)) {
            None => Ok(lists),
            Some(list) => {
                let found = format!("a route of {} steps", list.len());
                Err(self.refuse(part, found, "65535 at most"))
            }
        }
    }

    fn tables(
        &self,
        granularity: PairGranularity,
        document: &Document<'a>,
        addresses: &'a RawValue,
        tables: &'a RawValue,
    ) -> Result<Routes, FormatError> {
        let count = granularity.endpoint_count(self.fabric);
        let what = granularity.word();
        let counts: Vec<u8> = self.counted(addresses, "numbers", count, what)?;
        let lines = self.rows(tables, self.fabric.switch_count(), "switch")?;
        let mut made = ForwardingTables::new(granularity, self.fabric.switch_count(), &counts);
        for (switch, line) in self.fabric.switch_ids().zip(lines) {
            let ports: Vec<u8> = self.counted(line, "numbers", made.address_count(), "address")?;
            for (address, port) in ports.into_iter().enumerate() {
                made.set_next_port(switch, address, PortNumber::new(port));
            }
        }
        let pairs = |part: &'a RawValue, rows, row_of| -> Result<Vec<u8>, FormatError> {
            let mut all = Vec::new();
            for line in self.rows(part, rows, row_of)? {
                all.extend(self.counted::<u8>(line, "numbers", count, what)?);
            }
            Ok(all)
        };
        match document.aliases {
            None => {}
            Some(part) if part.get().trim() == format!("\"{ANY}\"") => made.send_to_any_address(),
            Some(part) => made.set_aliases(pairs(part, count, what)?),
        }
        if let Some(part) = document.lanes {
            let lanes = pairs(part, count, what)?.into_iter().map(Lane::new);
            made.set_lanes(lanes.collect());
        }
        if let Some(part) = document.switch_lanes {
            if document.lanes.is_some() {
                let found = "both “lanes” and “switch_lanes”";
                return Err(self.refuse(part, found, "one of them"));
            }
            let lanes = pairs(part, self.fabric.switch_count(), "switch")?;
            let switch = |index| granularity.endpoint_switch(self.fabric, index).number();
            let switches = (0..count).map(switch).collect();
            made.set_lanes_by_switch(switches, lanes.into_iter().map(Lane::new).collect());
        }
        Ok(made.into())
    }
}
