//! Lines that were read past, each kind counted.

use std::collections::BTreeMap;
use weft_fabric::formats::{ReadNote, Source};

/// What was read past, by what it is and why: where the first is, and how many.
#[derive(Clone, Debug, Default)]
pub(crate) struct PassedOver {
    kinds: BTreeMap<(String, String), (usize, usize)>,
    /// The same of what was taken, and is of note.
    told: BTreeMap<(String, String), (usize, usize)>,
}

/// Characters of a line that a note shows.
const SHOWN: usize = 60;

impl PassedOver {
    pub(crate) fn add(
        &mut self,
        offset: usize,
        text: impl Into<String>,
        reason: impl Into<String>,
    ) {
        let kind = (text.into(), reason.into());
        self.kinds.entry(kind).or_insert((offset, 0)).1 += 1;
    }

    /// Counts what was taken and is of note.
    pub(crate) fn tell(&mut self, offset: usize, text: &str, reason: &str) {
        let kind = (text.to_owned(), reason.to_owned());
        self.told.entry(kind).or_insert((offset, 0)).1 += 1;
    }

    /// Counts a line that says nothing we know.
    pub(crate) fn add_line(&mut self, offset: usize, line: &str) {
        let start: String = line.chars().take(SHOWN).collect();
        self.add(offset, start, "no line of this format");
    }

    /// Notes of all, in the order of the file.
    pub(crate) fn notes(self, source: Source<'_>) -> Vec<ReadNote> {
        let note = |(text, reason): (String, String), first: usize, ending: String| ReadNote {
            line: Some(source.line_of(first)),
            text,
            reason: reason + &ending,
        };
        let passed_over = self.kinds.into_iter().map(|(kind, (first, count))| {
            let ending = match count {
                1 => "; passed over".to_owned(),
                _ => format!("; {count} are passed over"),
            };
            note(kind, first, ending)
        });
        let told = self.told.into_iter().map(|(kind, (first, count))| {
            let ending = match count {
                1 => String::new(),
                _ => format!("; {count} times"),
            };
            note(kind, first, ending)
        });
        let mut notes: Vec<ReadNote> = passed_over.chain(told).collect();
        notes.sort_by_key(|note| note.line);
        notes
    }
}
