//! A fabric that questions are asked of.

use crate::answers;
use crate::error::ExploreError;
use crate::left::Left;
use crate::question::Question;
use crate::recent::Recent;
use crate::repaired::repaired;
use crate::routed::Routed;
use crate::state::{Failed, State};
use crate::whole::Whole;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::formats::Source;
use weft_fabric::{Fabric, formats};
use weft_routing::{AnyRouting, json};

/// Entries of tables, switches times hosts, that are kept of all routings together.
const MOST_ENTRIES: usize = 1 << 28;

/// A fabric that questions are asked of, by any number of threads; what questions have in common is worked
/// out once.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) whole: Whole,
    left: Recent<Failed, Left>,
    routed: Recent<(String, Failed), Routed>,
    /// By name: routes that are given, not made.
    given: BTreeMap<String, AnyRouting>,
}

impl Explorer {
    /// Lets questions be asked of a fabric.
    pub fn new(fabric: impl Into<Arc<Fabric>>) -> Self {
        let fabric = fabric.into();
        let entries = fabric.switch_count().saturating_mul(fabric.host_count());
        let most = (MOST_ENTRIES / entries.max(1)).clamp(2, 16);
        Self {
            whole: Whole::new(fabric),
            left: Recent::new(most),
            routed: Recent::new(most),
            given: BTreeMap::new(),
        }
    }

    /// The same for a fabric in any format that Weft reads.
    ///
    /// # Errors
    /// [`ExploreError::Format`].
    pub fn read(bytes: &[u8], source_name: &str) -> Result<Self, ExploreError> {
        Ok(Self::new(formats::read(bytes, source_name)?.fabric))
    }

    /// Has states name routes that are given, such as those that a subnet manager has made, instead of a
    /// routing. After failures these are repaired.
    ///
    /// # Panics
    /// Whoever asks, when the routes are of a fabric with other switches, hosts or links.
    pub fn add_routes(&mut self, name: impl Into<String>, routing: impl Into<AnyRouting>) {
        self.given.insert(name.into(), routing.into());
    }

    /// The same for a text in Weft's own format for routes.
    ///
    /// # Errors
    /// [`ExploreError::Format`] when it is damaged, or of another fabric.
    pub fn read_routes(&mut self, name: &str, text: &str) -> Result<(), ExploreError> {
        let routing = json::read(Source { name, text }, self.fabric())?;
        self.add_routes(name, routing);
        Ok(())
    }

    /// The fabric, whole.
    pub fn fabric(&self) -> &Arc<Fabric> {
        &self.whole.fabric
    }

    /// Answers a question, or tells in the member `error` why it has no answer.
    ///
    /// Both are JSON; `docs/reference/explore.md` has all questions and answers.
    pub fn ask(&self, question: &str) -> String {
        match self.answer(question) {
            Ok(answer) => answer.to_string(),
            Err(error) => error.as_json(),
        }
    }

    fn answer(&self, text: &str) -> Result<Value, ExploreError> {
        let (question, state) = Question::read(text, &self.whole)?;
        match question {
            Question::Routing => answers::routing(self, &state),
            Question::Limits => answers::limits(self, &state),
            Question::Cable {
                cable,
                search,
                first,
                count,
            } => {
                let shown = answers::Shown {
                    search: search.to_lowercase(),
                    first,
                    count,
                };
                answers::cable(self, &state, cable, &shown)
            }
            Question::LoadsOfCable { cable, routings } => {
                Ok(answers::loads_of_cable(self, &state, cable, &routings))
            }
            Question::Pair {
                source,
                destination,
            } => answers::pair(self, &state, [source, destination]),
            Question::Run(asked) => answers::run(self, &state, asked),
            Question::Without(part) => answers::without(self, &state, part),
        }
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
