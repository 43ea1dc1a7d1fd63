//! What questions have in common, worked out once.

use crate::error::ExploreError;
use crate::left::Left;
use crate::recent::Recent;
use crate::repaired::repaired;
use crate::routed::Routed;
use crate::state::{Failed, State};
use crate::whole::Whole;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_routing::AnyRouting;

/// Entries of tables, switches times hosts, that are kept of all routings together.
const MOST_ENTRIES: usize = 1 << 28;

/// A fabric, and what is kept of the last states that questions were about.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) whole: Whole,
    left: Recent<Failed, Left>,
    routed: Recent<(String, Failed), Routed>,
    /// By name: routes that are given, not made.
    given: BTreeMap<String, AnyRouting>,
}

impl Kept {
    pub(crate) fn new(fabric: Arc<Fabric>) -> Self {
        let entries = fabric.switch_count().saturating_mul(fabric.host_count());
        let most = (MOST_ENTRIES / entries.max(1)).clamp(2, 16);
        Self {
            whole: Whole::new(fabric),
            left: Recent::new(most),
            routed: Recent::new(most),
            given: BTreeMap::new(),
        }
    }

    /// Has a name stand for routes.
    pub(crate) fn give(&mut self, name: String, routing: AnyRouting) {
        self.given.insert(name, routing);
    }

    /// Has a pattern find in its file what is given.
    pub(crate) fn give_pattern(&mut self, pattern: String, text: String) {
        Arc::make_mut(&mut self.whole.pattern_texts).insert(pattern, text);
        // What is left of the fabric knew the texts before.
        self.left.forget();
        self.routed.forget();
    }

    /// What failures leave.
    pub(crate) fn left(&self, failed: &Failed) -> Result<Arc<Left>, ExploreError> {
        Ok(self.left.get(failed, || Left::new(&self.whole, failed))?)
    }

    /// What failures leave, routed as a state says.
    pub(crate) fn routed(&self, state: &State) -> Result<Arc<Routed>, ExploreError> {
        let key = (state.routing.clone(), state.failed.clone());
        let make = || {
            let left = self.left(&state.failed)?;
            match self.given.get(&state.routing) {
                None => Routed::new(left, &state.routing),
                Some(given) if left.is_whole => Ok(Routed::of(left, given.clone())),
                Some(given) => Ok(repaired(&self.whole.fabric, given, &left)?.0),
            }
        };
        Ok(self.routed.get(&key, make)?)
    }
}
