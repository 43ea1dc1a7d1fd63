//! Identifiers that no port can have, all in one note.

use super::super::ReadNote;
use super::Lids;
use crate::LidRange;

/// How many of a kind are named.
const NAMED: usize = 3;

/// Notes ports whose LIDs no port can have, which are left out.
pub(super) fn note_impossible_lids(found: &[(&str, Lids)], notes: &mut Vec<ReadNote>) {
    if found.is_empty() {
        return;
    }
    let named = found.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|(name, lids)| format!("“{name}” ({lids})"))
        .collect();
    let (named, more) = (
        named.join(", "),
        if found.len() > NAMED { ", …" } else { "" },
    );
    notes.push(ReadNote {
        line: None,
        text: format!(
            "ports with LIDs that none can have ({}): {named}{more}",
            found.len()
        ),
        reason: format!(
            "LIDs of ports run from 1 to {} and are multiples of 2^LMC; left out",
            LidRange::MAX
        ),
    });
}
