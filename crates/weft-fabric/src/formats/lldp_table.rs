//! LLDP neighbours as switches with `SONiC` print them (`show lldp table`), for Ethernet.
//!
//! ```text
//! admin@leaf1:~$ show lldp table
//! Capability codes: (R) Router, (B) Bridge, (O) Other
//! LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
//! -----------  --------------  --------------  ------------  -----------------
//! Ethernet0    spine1          Ethernet8       BR            to leaf1
//! Ethernet4    node1           enp1s0f0        O             enp1s0f0
//! --------------------------------------------------
//! Total entries displayed:  2
//! ```
//!
//! Columns begin where the rules below their names do. A table is that of the switch in the shell's prompt
//! before it, and the first without one that of the file's name. A neighbour without a table of its own is a
//! switch if its port is called as one of `SONiC`'s, else a host. Ports are numbered by their names, from 1:
//! `Ethernet0` is 1 and `Ethernet4` is 5; where that would be beyond 254, by their order.
//!
//! A switch tells others the alias of a port (`etp2`, `Eth1/2`), and in the description often its name. So
//! what a neighbour's own table does not know is sought by the description, and then by order: ports between
//! two switches are in the same order by alias and by name. `eth0` is for management, and no part of the fabric.
//!
//! Source: `SONiC` Command Line Interface Guide, "LLDP Show Commands".

use super::infiniband::{
    NamedCable, NamedEnd, NodeKind, TextLine, finish_cables, lines, unknown_reason,
};
use super::{Format, FormatError, FormatName, Found, ReadNote, Reader, Source, fabric_name};
use crate::PortNumber;
use std::collections::{BTreeMap, BTreeSet};

/// The tables in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: FormatName::LldpTable,
    id: "lldp-table",
    title: "show lldp table (SONiC)",
    summary: "Neighbours of Ethernet switches as SONiC prints them, the tables of several one after the other.",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(|text| text.lines().any(are_names), read)),
    writer: None,
};

fn are_names(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("LocalPort")
        && words.next() == Some("RemoteDevice")
        && words.next() == Some("RemotePortID")
}

/// A line of a table.
struct Neighbour<'a> {
    switch: String,
    port: &'a str,
    device: &'a str,
    device_port: &'a str,
    description: &'a str,
    line: TextLine<'a>,
}

/// Ports for management, of which the network is another.
const MANAGEMENT: &str = "eth0";

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let neighbours = neighbours(source, &mut notes)?;
    let switches: BTreeSet<&str> = (neighbours.iter())
        .map(|entry| entry.switch.as_str())
        .collect();
    let mut ends: Vec<[(&str, &str); 2]> = neighbours
        .iter()
        .map(|entry| {
            // A neighbour may be called by its name with the domain.
            let short = entry.device.split('.').next().unwrap_or(entry.device);
            let known = switches.get(entry.device).or_else(|| switches.get(short));
            let device = known.copied().unwrap_or(entry.device);
            [
                (entry.switch.as_str(), entry.port),
                (device, entry.device_port),
            ]
        })
        .collect();
    name_aliases(source, &neighbours, &mut ends)?;
    let is_switch = |(name, port): (&str, &str)| switches.contains(name) || is_switch_port(port);
    let numbers = numbers(ends.iter().flatten().copied().filter(|&end| is_switch(end)));
    let mut cables = Vec::with_capacity(neighbours.len());
    let mut untold = BTreeSet::new();
    for (entry, ends) in neighbours.iter().zip(&ends) {
        let line = entry.line;
        for &(name, port) in ends {
            if !switches.contains(name) && is_switch((name, port)) && untold.insert(name) {
                notes.push(ReadNote {
                    line: Some(line.mark.line),
                    text: format!("switch “{name}”"),
                    reason: "its own table is not in the file; cables from it to others are not \
                             known"
                        .to_owned(),
                });
            }
        }
        let named = |end: (&str, &str)| match numbers.get(&end) {
            Some(&port) => NamedEnd {
                name: end.0.to_owned(),
                guid: None,
                kind: Some(NodeKind::Switch),
                port,
            },
            // Each port of a host is an adapter of its own.
            None => NamedEnd {
                name: format!("{} {}", end.0, end.1),
                guid: None,
                kind: Some(NodeKind::Adapter),
                port: 1,
            },
        };
        if let Some(&end) = ends
            .iter()
            .find(|&&end| is_switch(end) && !numbers.contains_key(&end))
        {
            let found = format!("port “{}” of “{}” beyond 254 others", end.1, end.0);
            return Err(source.unexpected(
                line.mark.offset,
                found,
                "at most 254 ports of a switch",
            ));
        }
        cables.push(NamedCable {
            ends: ends.map(named),
            rate: None,
            mark: line.mark,
            text: line.text.to_owned(),
        });
    }
    let fabric = finish_cables(source, &cables, &mut notes)?;
    Ok((fabric, notes))
}

/// Gathers the lines of all tables.
fn neighbours<'a>(
    source: Source<'a>,
    notes: &mut Vec<ReadNote>,
) -> Result<Vec<Neighbour<'a>>, FormatError> {
    let mut neighbours = Vec::new();
    let mut switch = fabric_name(source.name);
    let mut columns: Option<Vec<usize>> = None;
    let mut is_begun = false;
    for line in lines(source) {
        let content = line.text.trim();
        if let Some(name) = prompted(content) {
            (columns, is_begun) = (None, false);
            name.clone_into(&mut switch);
        } else if are_names(line.text) {
            (columns, is_begun) = (None, true);
        } else if is_begun && content.contains("--") && content.chars().all(|c| "- ".contains(c)) {
            if columns.is_some() {
                (columns, is_begun) = (None, false);
            } else {
                columns = Some(starts(line.text));
            }
        } else if let Some(columns) = &columns
            && !content.is_empty()
        {
            let cells = cut(line.text, columns);
            let [port, device, device_port, ..] = *cells else {
                let expected = "port, neighbour and its port below the names";
                return Err(source.unexpected(line.mark.offset, "a shorter line", expected));
            };
            if port == MANAGEMENT {
                notes.push(line.note("the port is for management; passed over"));
                continue;
            }
            if port.is_empty() || device_port.is_empty() {
                notes.push(line.note("the neighbour does not say its port; passed over"));
                continue;
            }
            if device.is_empty() {
                notes.push(line.note("the neighbour does not say its name; passed over"));
                continue;
            }
            if !is_switch_port(port) {
                let found = format!("a port “{port}” of the switch");
                let expected = "one called as SONiC's are, such as Ethernet4";
                return Err(source.unexpected(line.mark.offset, found, expected));
            }
            neighbours.push(Neighbour {
                switch: switch.clone(),
                port,
                device,
                device_port,
                description: cells.get(4).copied().unwrap_or(""),
                line,
            });
        } else if !content.is_empty()
            && !content.starts_with("Capability codes")
            && !content.starts_with("Total entries")
        {
            notes.push(line.note(&unknown_reason(line.text, "show lldp table")));
        }
    }
    Ok(neighbours)
}

/// Calls ports of switches that have a table by the names that they have there.
fn name_aliases<'n>(
    source: Source<'_>,
    neighbours: &'n [Neighbour<'_>],
    ends: &mut [[(&'n str, &'n str); 2]],
) -> Result<(), FormatError> {
    let own: BTreeSet<(&str, &str)> = ends.iter().map(|&[here, _]| here).collect();
    let styles: BTreeSet<(&str, String)> = own
        .iter()
        .map(|&(name, port)| (name, letters(port)))
        .collect();
    let switches: BTreeSet<&str> = own.iter().map(|&(name, _)| name).collect();
    let mut unnamed: BTreeMap<[&str; 2], Vec<usize>> = BTreeMap::new();
    for (number, (entry, [here, there])) in neighbours.iter().zip(ends.iter_mut()).enumerate() {
        if !switches.contains(there.0) || own.contains(there) {
            continue;
        }
        // What is called as ports there are is no alias, but contradicts the other table.
        if styles.contains(&(there.0, letters(there.1))) {
            continue;
        }
        match own.get(&(there.0, entry.description)) {
            Some(&named) => *there = named,
            None => unnamed.entry([here.0, there.0]).or_default().push(number),
        }
    }
    let told = ends.to_vec();
    let known: BTreeSet<(&str, &str)> = told.iter().map(|&[_, there]| there).collect();
    for (&[here, there], numbers) in &unnamed {
        // Ports that stand in the table of `there` as leading here, by name, and here by alias.
        let named: BTreeSet<_> = (told.iter())
            .filter(|[far, near]| far.0 == there && near.0 == here && !known.contains(far))
            .map(|&[far, _]| (digits(far.1), far.1))
            .collect();
        let aliases: BTreeSet<_> = (numbers.iter())
            .map(|&number| told[number][1].1)
            .map(|alias| (digits(alias), alias))
            .collect();
        if named.len() != aliases.len() {
            let line = neighbours[numbers[0]].line;
            let port = told[numbers[0]][1].1;
            let found =
                format!("port “{port}” of “{there}”, whose own table has no port of this name");
            let expected = format!(
                "as many ports of “{there}” that lead to “{here}” in its table as here, {}",
                aliases.len()
            );
            return Err(source.unexpected(line.mark.offset, found, expected));
        }
        let names: BTreeMap<&str, &'n str> = (aliases.iter().zip(&named))
            .map(|(&(_, alias), &(_, name))| (alias, name))
            .collect();
        for &number in numbers {
            ends[number][1].1 = names[told[number][1].1];
        }
    }
    Ok(())
}

/// The switch in a prompt such as `admin@leaf1:~$ show lldp table`.
fn prompted(line: &str) -> Option<&str> {
    let (prompt, command) = line.split_once(['$', '#'])?;
    if !command.trim().ends_with("lldp table") {
        return None;
    }
    let (_, name) = prompt.split_once('@')?;
    let name = name.split([':', ' ']).next()?;
    (!name.is_empty()).then_some(name)
}

/// Where the columns begin, in characters: at the rules' beginnings.
fn starts(rules: &str) -> Vec<usize> {
    let mut before = ' ';
    let mut starts = Vec::new();
    for (at, c) in rules.chars().enumerate() {
        if c == '-' && before != '-' {
            starts.push(at);
        }
        before = c;
    }
    starts
}

/// The cells of a line that begin where the columns do.
fn cut<'a>(line: &'a str, starts: &[usize]) -> Vec<&'a str> {
    let offsets: Vec<usize> = (line.char_indices().map(|(offset, _)| offset))
        .chain([line.len()])
        .collect();
    let at = |start: usize| offsets.get(start).copied().unwrap_or(line.len());
    let ends = starts
        .iter()
        .skip(1)
        .map(|&start| at(start))
        .chain([line.len()]);
    (starts.iter().zip(ends))
        .map(|(&start, end)| line[at(start)..end].trim())
        .collect()
}

/// Tells whether a port is called as switches with `SONiC` and other systems of open switches call theirs.
fn is_switch_port(port: &str) -> bool {
    ["Ethernet", "Eth", "etp", "swp"].iter().any(|start| {
        port.strip_prefix(start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// The numbers of switches' ports by the switch's name and the port's: one more than the only number in
/// their names, where all have one and it fits, else their order.
fn numbers<'n>(ends: impl Iterator<Item = (&'n str, &'n str)>) -> BTreeMap<(&'n str, &'n str), u8> {
    let mut ports: BTreeMap<&str, BTreeSet<(Vec<u32>, &str)>> = BTreeMap::new();
    for (name, port) in ends {
        ports.entry(name).or_default().insert((digits(port), port));
    }
    let mut numbers = BTreeMap::new();
    for (name, ports) in ports {
        let own: Option<BTreeSet<u32>> = (ports.iter())
            .map(|(digits, port)| match digits[..] {
                [number] if port.starts_with("Ethernet") && number < PortNumber::MAX.into() => {
                    Some(number)
                }
                _ => None,
            })
            .collect();
        let is_by_name = own.is_some_and(|own| own.len() == ports.len());
        for (order, (digits, port)) in ports.into_iter().enumerate() {
            let number = if is_by_name {
                digits.first().copied().unwrap_or(0)
            } else {
                super::source::number(order)
            };
            let number = number
                .checked_add(1)
                .and_then(|number| u8::try_from(number).ok());
            if let Some(number) = number.filter(|&number| number <= PortNumber::MAX) {
                numbers.insert((name, port), number);
            }
        }
    }
    numbers
}

/// The letters in a name.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphabetic()).collect()
}

/// The numbers in a name.
fn digits(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect()
}
