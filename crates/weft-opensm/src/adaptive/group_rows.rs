//! The lines of a file of groups, each by itself.

use crate::text::{UNREACHABLE, number_after};
use weft_fabric::PortNumber;
use weft_routing::LidState;

/// GUID of a switch that a line begins, and what follows it. Programs put the name of the function that wrote the
/// line before it.
pub(super) fn switch_and_rest(line: &str) -> Option<(u64, &str)> {
    const MARK: &str = "Switch 0x";
    let place = line.find(MARK)?;
    let before = line[..place].trim_end();
    if !before.is_empty() && !before.ends_with(':') {
        return None;
    }
    let guid = number_after(line, MARK)?;
    let rest = line[place + MARK.len()..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
    Some((guid, rest))
}

pub(super) fn is_groups_heading(line: &str) -> bool {
    line.starts_with("Groups Definition")
}

pub(super) fn is_lids_heading(line: &str) -> bool {
    line.starts_with("LFT Definition")
}

/// The columns of groups, in their order; older files have no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupColumns {
    has_weights: bool,
}

impl GroupColumns {
    /// The columns that a heading names; `None` where they are others.
    pub(super) fn of(heading: &str) -> Option<Self> {
        match &words(heading)[..] {
            ["group", "sub", "group", "whbf", "ports"] => Some(Self { has_weights: true }),
            ["group", "sub", "group", "ports"] => Some(Self { has_weights: false }),
            _ => None,
        }
    }
}

/// The columns of LIDs, in their order; older files do not tell who chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LidColumns {
    has_states: bool,
}

impl LidColumns {
    /// The columns that a heading names; `None` where they are others.
    pub(super) fn of(heading: &str) -> Option<Self> {
        match &words(heading)[..] {
            ["lid", "static", "port", "lid", "state", "group"] => Some(Self { has_states: true }),
            ["lid", "static", "port", "group"] => Some(Self { has_states: false }),
            _ => None,
        }
    }
}

/// The words of a heading in small letters.
fn words(heading: &str) -> Vec<&'static str> {
    const KNOWN: [&str; 8] = [
        "group", "sub", "whbf", "ports", "lid", "static", "port", "state",
    ];
    let word = |word: &str| {
        let known = KNOWN.iter().find(|known| word.eq_ignore_ascii_case(known));
        known.copied().unwrap_or("")
    };
    let parts = heading.split([' ', '\t', ':', '|', '_']);
    parts.filter(|part| !part.is_empty()).map(word).collect()
}

/// A row of groups: the number of the group, of its subgroup, the weight, and the ports in their order.
pub(super) struct GroupRow {
    pub(super) group: u16,
    pub(super) subgroup: u8,
    pub(super) weight: u8,
    pub(super) ports: Vec<PortNumber>,
}

impl GroupRow {
    pub(super) fn of(line: &str, columns: GroupColumns) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let (group, subgroup) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let weight = if columns.has_weights {
            words.next()?.parse().ok()?
        } else {
            0
        };
        let ports = words.flat_map(|word| word.split(','));
        let ports = ports.filter(|port| !port.is_empty());
        let mut ports = ports
            .map(|port| port.parse().map(PortNumber::new).ok())
            .collect::<Option<Vec<PortNumber>>>()?;
        ports.sort_unstable();
        Some(Self {
            group,
            subgroup,
            weight,
            ports,
        })
    }
}

/// A row of LIDs.
pub(super) struct LidRow {
    pub(super) lid: u16,
    /// 255 where there is none.
    pub(super) static_port: u8,
    pub(super) state: LidState,
    /// Whether the file calls the state bounded: a flow keeps its port for a while.
    pub(super) is_bounded: bool,
    pub(super) group: u16,
}

/// The port that stands for none.
pub(super) const NO_PORT: u8 = 255;

impl LidRow {
    pub(super) fn of(line: &str, columns: LidColumns) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let lid = u16::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        let static_port = match words.next()? {
            UNREACHABLE => NO_PORT,
            word => word.parse().ok()?,
        };
        let word = if columns.has_states {
            words.next()?
        } else {
            "Free"
        };
        let state = match word {
            "Static" => LidState::Static,
            "HBF" => LidState::Hashed,
            "Free" | "Bounded" => LidState::Free,
            _ => return None,
        };
        let is_bounded = word == "Bounded";
        // What one port decides needs no group.
        let group = match words.next() {
            Some(word) => word.parse().ok()?,
            None if state == LidState::Static => 0,
            None => return None,
        };
        words.next().is_none().then_some(Self {
            lid,
            static_port,
            state,
            is_bounded,
            group,
        })
    }
}

/// The number of a table and its last LID, of a line that begins one: `PLFT_NUM: 1, top: 0x0017`.
pub(super) fn table_and_top(line: &str) -> Option<(u32, Option<u16>)> {
    let rest = line.strip_prefix("PLFT_NUM:")?.trim_start();
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let number = rest[..end].parse().ok()?;
    let top = number_after(rest, "top: 0x").and_then(|top| u16::try_from(top).ok());
    Some((number, top))
}
