//! A node of an execution trace, by the schema `et_def.proto` of Chakra.

use super::wire::{Value, field};
use std::collections::BTreeSet;

/// What a node does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Does {
    /// Nothing that takes time.
    Nothing,
    /// It computes, or works on memory or storage, for so long in ns; or for so many operations, if no time is told.
    Compute { ns: u64, operations: u64 },
    /// It sends a message: rank, tag, bytes.
    Send { to: u32, tag: u32, bytes: u64 },
    /// It receives one.
    Receive { from: u32, tag: u32, bytes: u64 },
    /// It takes part in a collective operation of a group.
    Collective {
        kind: u64,
        bytes: u64,
        root: u32,
        group: Group,
    },
}

/// The group of a collective operation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Group {
    All,
    Named(String),
    Ranks(Vec<u32>),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) id: u64,
    pub(super) does: Does,
    pub(super) is_of_cpu: bool,
    /// What it waits for: its `data_deps`, and its `ctrl_deps` that the trace has.
    pub(super) waits_for: Vec<u64>,
    /// Its `ctrl_deps`, until it is known which of them the trace has.
    pub(super) called_by: Vec<u64>,
    /// The groups that it tells, by name.
    pub(super) groups: Vec<(String, Vec<u32>)>,
}

/// Attributes that matter.
#[derive(Debug, Default)]
struct Attributes<'a> {
    /// Whole numbers, of any sign and of up to 64 bits.
    numbers: Vec<(&'a str, i128)>,
    texts: Vec<(&'a str, &'a str)>,
    ranks: Option<Vec<u64>>,
    /// Names of those with another value, such as a fraction, or with none.
    others: Vec<&'a str>,
}

impl Attributes<'_> {
    fn number(&self, name: &str) -> Option<i128> {
        let found = self.numbers.iter().find(|entry| entry.0 == name);
        found.map(|entry| entry.1)
    }

    fn required<T: TryFrom<i128>>(&self, name: &str, expected: &str) -> Result<T, String> {
        let found = self.number(name).ok_or_else(|| {
            if self.others.contains(&name) {
                format!("its attribute {name} has no whole number; expected {expected}")
            } else {
                format!("it has no attribute {name}; expected one")
            }
        })?;
        let taken = found.try_into();
        taken.map_err(|_| format!("found {name} of {found}, expected {expected}"))
    }

    fn size(&self) -> Result<u64, String> {
        self.required("comm_size", "a number of bytes, 0 or more")
    }

    fn small(&self, name: &str) -> Result<u32, String> {
        self.required(name, "0 to less than 2^32")
    }

    fn group(&self) -> Result<Group, String> {
        if let Some(ranks) = &self.ranks {
            let ranks: Result<Vec<u32>, _> = ranks.iter().map(|&rank| rank.try_into()).collect();
            return match ranks {
                Ok(ranks) => Ok(Group::Ranks(ranks)),
                Err(_) => Err("found ranks beyond 2^32, expected numbers of ranks".to_owned()),
            };
        }
        let named = |name: &str| self.texts.iter().find(|entry| entry.0 == name);
        let found = named("pg_name").or_else(|| named("comm_group"));
        Ok(match found {
            Some((_, name)) if !name.is_empty() => Group::Named((*name).to_owned()),
            _ => Group::All,
        })
    }
}

/// The schema's number for a barrier, which has no data.
const BARRIER: i128 = 9;

/// Whether a record is what a trace begins with: a version, attributes, as the converter from `PyTorch` writes them
/// alone, or both. Nodes have a number where that has a text, and a text where it has attributes.
pub(super) fn is_metadata(mut message: &[u8]) -> bool {
    let mut is_told = false;
    loop {
        match field(&mut message) {
            Ok(None) => return is_told,
            Ok(Some((1, value))) if value.text().is_some() => is_told = true,
            Ok(Some((2, value))) if is_attribute(value) => is_told = true,
            _ => return false,
        }
    }
}

/// Whether it has a name, and nothing that an attribute has not.
fn is_attribute(value: Value<'_>) -> bool {
    let mut attributes = Attributes::default();
    let is_named = |bytes: &[u8]| bytes.first() == Some(&NAME);
    value.bytes().is_some_and(is_named) && attribute(value, &mut attributes).is_some()
}

/// What the first field is told by where it is a text.
pub(super) const NAME: u8 = 0x0a;

const BROKEN: &str = "found bytes that are no node of a Chakra execution trace";

/// Reads a node.
pub(super) fn node(mut message: &[u8]) -> Result<Node, String> {
    let broken = || BROKEN.to_owned();
    let (mut id, mut kind, mut micros) = (0, 0, 0);
    let (mut name, mut inputs) = ("", "");
    let (mut waits_for, mut called_by) = (Vec::new(), Vec::new());
    let mut attributes = Attributes::default();
    while let Some((number, value)) = field(&mut message).map_err(|()| broken())? {
        match number {
            1 => id = value.number().ok_or_else(broken)?,
            2 => name = value.text().ok_or_else(broken)?,
            3 => kind = value.number().ok_or_else(broken)?,
            4 => called_by.extend(value.numbers().ok_or_else(broken)?),
            5 => waits_for.extend(value.numbers().ok_or_else(broken)?),
            7 => micros = value.number().ok_or_else(broken)?,
            8 => inputs = values(value.bytes().ok_or_else(broken)?).ok_or_else(broken)?,
            10 => attribute(value, &mut attributes).ok_or_else(broken)?,
            _ => {}
        }
    }
    let does = match kind {
        0 | 1 => Does::Nothing,
        2..=4 | 8..=10 => Does::Compute {
            ns: micros
                .checked_mul(1000)
                .ok_or_else(|| format!("found a duration of {micros} µs, expected less"))?,
            operations: match attributes.number("num_ops") {
                Some(_) => attributes.required("num_ops", "0 or more")?,
                None => 0,
            },
        },
        5 => Does::Send {
            to: attributes.small("comm_dst")?,
            tag: tag(&attributes)?,
            bytes: attributes.size()?,
        },
        6 => Does::Receive {
            from: attributes.small("comm_src")?,
            tag: tag(&attributes)?,
            bytes: attributes.size()?,
        },
        7 => Does::Collective {
            kind: attributes.required("comm_type", "0 to 9")?,
            bytes: match attributes.number("comm_type") {
                Some(BARRIER) => 0,
                _ => attributes.size()?,
            },
            root: match attributes.number("root") {
                Some(_) => attributes.small("root")?,
                None => 0,
            },
            group: attributes.group()?,
        },
        _ => return Err(format!("found node type {kind}, expected 0 to 10")),
    };
    // Older converters from `PyTorch` have them in a node that computes.
    let tells_groups = matches!(kind, 1 | 4) && name.contains("process_group:init");
    let groups = if tells_groups {
        groups(inputs)?
    } else {
        Vec::new()
    };
    Ok(Node {
        id,
        does,
        groups,
        is_of_cpu: attributes.number("is_cpu_op") == Some(1),
        waits_for,
        called_by,
    })
}

/// Lets nodes wait for those that they were called by. The converter from `PyTorch` leaves nodes out that no data
/// come from or go to, among them the process that calls all threads.
pub(super) fn wait_for_callers(nodes: &mut [Node]) {
    let ids: BTreeSet<u64> = nodes.iter().map(|node| node.id).collect();
    for node in nodes {
        let callers = std::mem::take(&mut node.called_by).into_iter();
        node.waits_for.extend(callers.filter(|id| ids.contains(id)));
        node.waits_for.sort_unstable();
        node.waits_for.dedup();
    }
}

/// Tags beyond are those of collective operations.
pub(super) const TAGS: u32 = 1 << 30;

fn tag(attributes: &Attributes<'_>) -> Result<u32, String> {
    let found = attributes.number("comm_tag").unwrap_or(0);
    let tag = found.try_into().ok().filter(|&tag| tag < TAGS);
    tag.ok_or_else(|| format!("found comm_tag of {found}, expected 0 to less than {TAGS}"))
}

/// The values of what goes into an operation.
fn values(mut message: &[u8]) -> Option<&str> {
    let mut values = "";
    while let Some((number, value)) = field(&mut message).ok()? {
        if number == 1 {
            values = value.text()?;
        }
    }
    Some(values)
}

fn attribute<'a>(value: Value<'a>, attributes: &mut Attributes<'a>) -> Option<()> {
    let mut message = value.bytes()?;
    let (mut name, mut found) = ("", None);
    while let Some((number, value)) = field(&mut message).ok()? {
        match number {
            1 => name = value.text()?,
            2 => {}
            _ => found = Some((number, value)),
        }
    }
    match found {
        // Whole numbers without a sign, of 32 and 64 bits, and whether something is so.
        Some((11 | 13 | 19 | 21 | 27, value)) => {
            attributes.numbers.push((name, value.number()?.into()));
        }
        Some((7 | 9 | 25, value)) => {
            let number = value.number()?.cast_signed();
            attributes.numbers.push((name, number.into()));
        }
        // Of 32 bits.
        Some((23, value)) => {
            let number = u32::try_from(value.number()?).ok()?.cast_signed();
            attributes.numbers.push((name, number.into()));
        }
        // Where the sign is the last bit.
        Some((15 | 17, value)) => {
            let coded = value.number()?;
            let number = (coded >> 1) ^ (coded & 1).wrapping_neg();
            attributes.numbers.push((name, number.cast_signed().into()));
        }
        Some((29, value)) => attributes.texts.push((name, value.text()?)),
        Some((8 | 10 | 12 | 14, value)) if name == "ranks" => {
            let mut list = value.bytes()?;
            let mut ranks = Vec::new();
            while let Some((_, values)) = field(&mut list).ok()? {
                ranks.extend(values.numbers()?);
            }
            attributes.ranks = Some(ranks);
        }
        _ => attributes.others.push(name),
    }
    Some(())
}

/// The groups that `PyTorch` tells at the beginning, as JSON within a text.
fn groups(values: &str) -> Result<Vec<(String, Vec<u32>)>, String> {
    let text = values.replace('\\', "");
    let mut groups = Vec::new();
    for entry in text.split("\"pg_name\"").skip(1) {
        let name = entry.split('"').nth(1);
        let list = match entry.split_once("\"ranks\"") {
            None => Some(""),
            Some((_, rest)) => rest
                .split_once('[')
                .and_then(|(_, rest)| rest.split_once(']'))
                .map(|(list, _)| list),
        };
        let ranks = list.and_then(|list| {
            let numbers = list.split(',').map(str::trim);
            let numbers = numbers.filter(|text| !text.is_empty());
            numbers.map(|text| text.parse().ok()).collect()
        });
        match (name, ranks) {
            (Some(name), Some(ranks)) => groups.push((name.to_owned(), ranks)),
            _ => {
                return Err(format!(
                    "found groups “{values}”, expected pg_name and ranks of each"
                ));
            }
        }
    }
    Ok(groups)
}
