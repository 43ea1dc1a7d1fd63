//! From routes to the file.

use super::{ANY, MARK, VERSION};
use crate::form::{
    ForwardingTables, Lane, LaneKey, LaneRow, LaneTables, Routes, Routing, SourceRoutes,
};
use std::fmt::Write;
use weft_fabric::{Fabric, PortNumber};

/// Writes the routes of a fabric in our own format; [`read`](super::read) gives them back unchanged.
///
/// # Examples
/// ```
/// use weft_fabric::formats::Source;
/// use weft_routing::{algorithms, json};
///
/// let fabric = weft_fabric::generate::mesh(2, 2, 1)?;
/// let routing = algorithms::route_spec(&fabric, "down_preferred")?;
/// let text = json::write(&fabric, &routing);
/// let source = Source { name: "routes.json", text: &text };
/// assert_eq!(json::read(source, &fabric)?, routing);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(fabric: &Fabric, routing: &Routing) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let per = routing.routes.granularity().word();
    let parameters: Vec<String> = routing
        .parameters
        .iter()
        .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
        .collect();
    let mut text = format!(
        "{{\n  \"format\": \"{MARK}\",\n  \"version\": {VERSION},\n  \"fabric\": {},\n  \
         \"fingerprint\": \"0x{:016x}\",\n  \"algorithm\": {},\n  \"parameters\": {{{}}},\n  \
         \"per\": \"{per}\"",
        quoted(fabric.name()),
        fabric.fingerprint(),
        quoted(&routing.algorithm),
        parameters.join(", ")
    );
    match &routing.routes {
        Routes::Source(routes) => source_routes(&mut text, routes),
        Routes::Tables(tables) => forwarding_tables(&mut text, fabric, tables),
    }
    text.push_str("\n}\n");
    text
}

fn source_routes(text: &mut String, routes: &SourceRoutes) {
    let count = routes.endpoint_count();
    routes.find_all();
    member(text, "routes", count, |text, from| {
        numbers(text, count, |text, to| {
            let mut steps = routes.steps_between(from, to);
            numbers(text, steps.len(), |text, _| {
                number(text, steps.next().map_or(0, PortNumber::number));
            });
        });
    });
    if routes.lanes_per_turn() > 1 {
        member(text, "lanes", count, |text, from| {
            numbers(text, count, |text, to| {
                let steps = routes.steps_between(from, to);
                let count = steps.len();
                let mut lanes = steps.on_lanes().map(|(_, lane)| lane);
                numbers(text, count, |text, _| {
                    number(text, lanes.next().map_or(0, Lane::number));
                });
            });
        });
    }
    turns(text, routes.turns());
}

fn forwarding_tables(text: &mut String, fabric: &Fabric, tables: &ForwardingTables) {
    let count = tables.endpoint_count();
    text.push_str(",\n  \"addresses\": ");
    numbers(text, count, |text, to| {
        number(text, tables.addresses(to).len());
    });
    let switches: Vec<_> = fabric.switch_ids().collect();
    member(text, "tables", switches.len(), |text, place| {
        let row = tables.row(switches[place]);
        numbers(text, row.len(), |text, address| {
            number(text, row[address].number());
        });
    });
    if tables.sends_to_any_address() {
        let _ = write!(text, ",\n  \"aliases\": \"{ANY}\"");
    } else if !tables.sends_to_first_addresses() {
        member(text, "aliases", count, |text, from| {
            numbers(text, count, |text, to| {
                let first = tables.addresses(to).start;
                let address = tables.address(from, to);
                number(text, address.map_or(0, |address| address - first));
            });
        });
    }
    if tables.holds_lanes_by_switch() {
        member(text, "switch_lanes", switches.len(), |text, place| {
            let lane = |to| Lane::number(tables.lane_from_switch(switches[place], to));
            numbers(text, count, |text, to| number(text, lane(to)));
        });
    } else if tables.lanes_per_turn() > 1 {
        member(text, "lanes", count, |text, from| {
            let lane = |to| Lane::number(tables.lane(from, to));
            numbers(text, count, |text, to| number(text, lane(to)));
        });
    }
    turns(text, tables.turns());
    if let Some(lanes) = tables.lane_tables() {
        lane_tables(text, fabric, lanes);
    }
}

fn turns(text: &mut String, turns: u8) {
    if turns > 1 {
        let _ = write!(text, ",\n  \"turns\": {turns}");
    }
}

fn lane_tables(text: &mut String, fabric: &Fabric, tables: &LaneTables) {
    let row = |text: &mut String, row: &LaneRow| {
        numbers(text, row.len(), |text, key| match row[key] {
            Some(lane) => number(text, lane.number()),
            None => text.push_str("null"),
        });
    };
    let key = match tables.key() {
        LaneKey::ServiceLevel => "service_level",
        LaneKey::IncomingLane => "incoming_lane",
    };
    let _ = write!(text, ",\n  \"lane_key\": \"{key}\",\n  \"host_lanes\": ");
    row(text, tables.host());
    let switches: Vec<_> = fabric.switch_ids().collect();
    member(text, "lane_tables", switches.len(), |text, place| {
        let entries: Vec<_> = tables.entries(switches[place]).collect();
        numbers(text, entries.len(), |text, entry| {
            let (ports, lanes) = entries[entry];
            let [input, output] = ports.map_or([0, 0], |ports| ports.map(PortNumber::number));
            let _ = write!(text, "[{input},{output},");
            row(text, lanes);
            text.push(']');
        });
    });
}

/// Writes a member that is a list, one item a line.
fn member(text: &mut String, name: &str, count: usize, item: impl Fn(&mut String, usize)) {
    let _ = write!(text, ",\n  \"{name}\": [");
    for place in 0..count {
        text.push_str(if place > 0 { ",\n    " } else { "\n    " });
        item(text, place);
    }
    text.push_str("\n  ]");
}

/// Writes a list in one line.
fn numbers(text: &mut String, count: usize, mut item: impl FnMut(&mut String, usize)) {
    text.push('[');
    for place in 0..count {
        if place > 0 {
            text.push(',');
        }
        item(text, place);
    }
    text.push(']');
}

/// Writes a number without the machinery of formats: tables have millions.
fn number(text: &mut String, number: impl Into<usize>) {
    let mut left = number.into();
    let mut digits = [0_u8; 20];
    let mut first = digits.len();
    while first == digits.len() || left > 0 {
        first -= 1;
        digits[first] = b"0123456789"[left % 10];
        left /= 10;
    }
    text.extend(digits[first..].iter().map(|&digit| char::from(digit)));
}
