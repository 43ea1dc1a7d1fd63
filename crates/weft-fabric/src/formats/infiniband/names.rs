//! Names for nodes: their descriptions, made unique.

use std::collections::{BTreeMap, BTreeSet};

/// What a node's name is made from.
pub(super) struct Candidate {
    /// The description, or the id where there is none.
    pub(super) description: String,
    /// What sets the node apart from others of the same description: its GUID or id.
    pub(super) mark: String,
}

/// Gives every node a name of its own: the description where no other has it, otherwise the
/// description and the mark. It also counts the names that needed the mark.
pub(super) fn unique_names(candidates: &[Candidate]) -> (Vec<String>, usize) {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for candidate in candidates {
        *uses.entry(&candidate.description).or_insert(0) += 1;
    }
    // Plain names first, so that no marked one takes a name that a node has by right.
    let mut taken: BTreeSet<String> = uses
        .iter()
        .filter(|&(_, &count)| count == 1)
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let mut marked_count = 0;
    let mut name = |candidate: &Candidate| {
        if uses.get(candidate.description.as_str()) == Some(&1) {
            return candidate.description.clone();
        }
        marked_count += 1;
        let marked = format!("{} {}", candidate.description, candidate.mark);
        let mut unique = marked.clone();
        let mut attempt = 2;
        while !taken.insert(unique.clone()) {
            unique = format!("{marked} ({attempt})");
            attempt += 1;
        }
        unique
    };
    let names = candidates.iter().map(&mut name).collect();
    (names, marked_count)
}

/// A description without the control characters some firmware leaves in it.
pub(super) fn printable(description: &str) -> String {
    description
        .chars()
        .filter(|c| !c.is_control())
        .collect::<String>()
        .trim()
        .to_owned()
}
