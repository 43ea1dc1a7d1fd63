//! Notes of one kind told once.

use super::ReadNote;
use std::collections::BTreeMap;

/// Up to so many notes of a kind stand each for itself.
const FEW: usize = 3;

/// Leaves of more than a few notes of one kind the first, which then counts the others.
pub(super) fn summarised(notes: Vec<ReadNote>) -> Vec<ReadNote> {
    let mut kinds: BTreeMap<String, Vec<Option<u32>>> = BTreeMap::new();
    for note in &notes {
        kinds.entry(kind(&note.reason)).or_default().push(note.line);
    }
    kinds.retain(|_, lines| lines.len() > FEW);
    let mut told = Vec::new();
    for mut note in notes {
        let kind = kind(&note.reason);
        let Some(lines) = kinds.get_mut(&kind) else {
            told.push(note);
            continue;
        };
        if lines.is_empty() {
            continue;
        }
        let others = lines.split_off(1);
        lines.clear();
        let (count, places) = (others.len(), places(&others));
        note.reason = format!("{}; {count} more of the kind{places}", note.reason);
        told.push(note);
    }
    told
}

/// The lines of the first few.
fn places(lines: &[Option<u32>]) -> String {
    let known: Vec<String> = (lines.iter().flatten().take(FEW))
        .map(u32::to_string)
        .collect();
    match known.len() {
        0 => String::new(),
        count if count < lines.len() => format!(", at lines {}, …", known.join(", ")),
        _ => format!(", at lines {}", known.join(", ")),
    }
}

/// A reason without what differs from note to note: numbers and what stands in quotes.
fn kind(reason: &str) -> String {
    let mut depth = 0_usize;
    let keeps = |&c: &char| {
        match c {
            '“' => depth += 1,
            '”' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && !c.is_ascii_digit()
    };
    reason.chars().filter(keeps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(line: Option<u32>, reason: &str) -> ReadNote {
        let (text, reason) = (String::new(), reason.to_owned());
        ReadNote { line, text, reason }
    }

    #[test]
    fn many_of_a_kind_take_one_note_and_few_stand_for_themselves() {
        let few: Vec<ReadNote> = (1..=3)
            .map(|line| note(Some(line), &format!("“n{line}” of {line} is odd")))
            .collect();
        assert_eq!(summarised(few.clone()), few);
        let mut many = few.clone();
        many.insert(1, note(None, "another"));
        many.extend([
            note(Some(9), "“x” of 1 is odd"),
            note(None, "“y” of 2 is odd"),
        ]);
        assert_eq!(
            summarised(many),
            [
                note(
                    Some(1),
                    "“n1” of 1 is odd; 4 more of the kind, at lines 2, 3, 9, …"
                ),
                note(None, "another"),
            ]
        );
    }
}
