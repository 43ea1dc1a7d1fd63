//! Changes to the bytes of a file, as damage on a disk or a careless hand makes them.

use proptest::prelude::*;
use proptest::sample::Index;

/// One change to bytes that are not known yet.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    place: Index,
    kind: Kind,
    byte: u8,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Replace,
    Insert,
    Remove,
    Cut,
}

/// One to five changes anywhere.
pub fn any_changes() -> impl Strategy<Value = Vec<Change>> {
    let kinds = vec![Kind::Replace, Kind::Insert, Kind::Remove, Kind::Cut];
    let change = (any::<Index>(), proptest::sample::select(kinds), any::<u8>());
    let change = change.prop_map(|(place, kind, byte)| Change { place, kind, byte });
    proptest::collection::vec(change, 1..6)
}

/// The bytes after the changes, one after the other; those to an empty file have no place.
pub fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        let at = change.place.index(bytes.len());
        match change.kind {
            Kind::Replace => bytes[at] = change.byte,
            Kind::Insert => bytes.insert(at, change.byte),
            Kind::Remove => drop(bytes.remove(at)),
            Kind::Cut => bytes.truncate(at + 1),
        }
    }
    bytes
}
