//! Definitions of systems in files of their own beside a topology (`.ibnl`).

use super::super::{Companion, FormatError, Source};
use super::definition::{Definitions, What, names};
use std::collections::{BTreeMap, BTreeSet};

/// Adds the definitions of those systems and boards that are not defined yet and that are asked for, or that
/// one which is asked for is made of; `read` takes them from a file. Other files are passed over, whatever is in them.
pub(super) fn add<'a>(
    definitions: &mut Definitions<'a>,
    companions: &'a [Companion],
    wanted: BTreeSet<&'a str>,
    read: impl Fn(Source<'a>) -> Result<Definitions<'a>, FormatError>,
) -> Result<(), FormatError> {
    let mut file_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, file) in companions.iter().enumerate() {
        for (_, names) in file.text.lines().filter_map(names) {
            for name in names {
                file_of.entry(name).or_insert(number);
            }
        }
    }
    let mut wanted: Vec<&str> = wanted.into_iter().collect();
    wanted.extend(boards(definitions));
    let mut taken = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        // A modifier chooses among the names of a board, so that any of them leads to its file.
        let Some(&number) = file_of
            .get(name)
            .filter(|_| !definitions.contains_key(name))
        else {
            continue;
        };
        if !taken.insert(number) {
            continue;
        }
        let file = &companions[number];
        let source = Source {
            name: &file.name,
            text: &file.text,
        };
        let mut found = read(source)?;
        for definition in found.values_mut() {
            definition.is_beside = true;
        }
        wanted.extend(boards(&found));
        for (name, definition) in found {
            definitions.entry(name).or_insert(definition);
        }
    }
    Ok(())
}

/// The boards that definitions use.
fn boards<'a>(definitions: &Definitions<'a>) -> Vec<&'a str> {
    let parts = definitions
        .values()
        .flat_map(|definition| &definition.parts);
    let boards = parts.filter_map(|part| match part.what {
        What::Board(board) => Some(board),
        What::Node(..) => None,
    });
    boards.collect()
}
