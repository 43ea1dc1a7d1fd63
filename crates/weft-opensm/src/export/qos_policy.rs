//! The `QoS` policy that hands out a service level for each pair of ports.
//!
//! A rule names a group of sources and one of destinations; the first that fits wins, and what fits
//! none has level 0, packets to switches among it, whose ways are ordered on lane 0. Sources that are
//! told the same share their rules.

use super::exported_subnet::Subnet;
use super::guid_groups::GuidOrder;
use std::collections::BTreeMap;
use std::fmt::Write;
use weft_fabric::HostId;
use weft_routing::Lane;

/// A rule: offsets of the groups of sources and destinations, and the level of their pairs.
pub(super) struct Rule {
    source: usize,
    destination: usize,
    level: u8,
}

/// Groups of ports and the rules between them.
pub(super) struct Policy {
    /// Per group: its lines of GUIDs.
    groups: Vec<Vec<String>>,
    pub(super) rules: Vec<Rule>,
}

/// The level of pairs that no rule is about.
const DEFAULT: u8 = 0;

impl Policy {
    pub(super) fn of(subnet: &Subnet<'_>) -> Self {
        let order = GuidOrder::of(subnet);
        let mut numbers: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut rules = Vec::new();
        let mut number = |lines: Vec<String>| {
            let next = numbers.len();
            *numbers.entry(lines).or_insert(next)
        };
        for (row, members) in shared_rows(subnet) {
            let mut levels: Vec<Lane> = row.iter().flatten().copied().collect();
            levels.sort_unstable();
            levels.dedup();
            for level in levels.into_iter().filter(|level| level.number() != DEFAULT) {
                let source = number(order.lines(|host| members.contains(&host)));
                let destination = number(order.lines(|host| row[host.index()] == Some(level)));
                rules.push(Rule {
                    source,
                    destination,
                    level: level.number(),
                });
            }
        }
        let mut groups = vec![Vec::new(); numbers.len()];
        for (lines, place) in numbers {
            groups[place] = lines;
        }
        Self { groups, rules }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::from("port-groups\n");
        // Writing to a text does not fail.
        for (number, lines) in self.groups.iter().enumerate() {
            let _ = writeln!(text, "  port-group\n    name: g{number}");
            for line in lines {
                let _ = writeln!(text, "    port-guid: {line}");
            }
            text.push_str("  end-port-group\n");
        }
        text.push_str("end-port-groups\nqos-levels\n");
        let mut levels: Vec<u8> = self.rules.iter().map(|rule| rule.level).collect();
        levels.sort_unstable();
        levels.dedup();
        let names = std::iter::once(("DEFAULT".to_owned(), DEFAULT)).chain(
            levels
                .into_iter()
                .map(|level| (format!("SL{level}"), level)),
        );
        for (name, level) in names {
            let _ = writeln!(
                text,
                "  qos-level\n    name: {name}\n    sl: {level}\n  end-qos-level"
            );
        }
        text.push_str("end-qos-levels\nqos-match-rules\n");
        for rule in &self.rules {
            let _ = writeln!(
                text,
                "  qos-match-rule\n    source: g{}\n    destination: g{}\n    qos-level-name: \
                 SL{}\n  end-qos-match-rule",
                rule.source, rule.destination, rule.level
            );
        }
        text.push_str("end-qos-match-rules\n");
        text
    }
}

/// Per destination: the level that a source is told, none for itself.
type Row = Vec<Option<Lane>>;

/// The sources by what they are told, each set with it. What a source would be told for
/// itself nobody asks, so it differs from none by that.
fn shared_rows(subnet: &Subnet<'_>) -> Vec<(Row, Vec<HostId>)> {
    let mut shared: Vec<(Row, Vec<HostId>)> = Vec::new();
    for source in subnet.fabric.host_ids() {
        let row: Row = subnet
            .fabric
            .host_ids()
            .map(|host| (host != source).then(|| subnet.level(source, host)))
            .collect();
        let agrees = |known: &Row| {
            let mut pairs = known.iter().zip(&row);
            pairs.all(|(one, other)| one.is_none() || other.is_none() || one == other)
        };
        match shared.iter_mut().find(|(known, _)| agrees(known)) {
            Some((known, members)) => {
                for (entry, level) in known.iter_mut().zip(row) {
                    *entry = entry.or(level);
                }
                members.push(source);
            }
            None => shared.push((row, vec![source])),
        }
    }
    shared
}
