//! A fabric that questions are asked of.

use crate::answers;
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::question::Question;
use serde_json::Value;
use std::sync::Arc;
use weft_fabric::formats::Source;
use weft_fabric::{Fabric, formats};
use weft_routing::{AnyRouting, json};

/// A fabric that questions are asked of, by any number of threads; what questions have in common is worked
/// out once.
#[derive(Debug)]
pub struct Explorer {
    kept: Kept,
}

impl Explorer {
    /// Lets questions be asked of a fabric.
    pub fn new(fabric: impl Into<Arc<Fabric>>) -> Self {
        Self {
            kept: Kept::new(fabric.into()),
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
        self.kept.give(name.into(), routing.into());
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

    /// Has states name a pattern that reads a file, such as `matrix:file=traffic.csv`: what stands in it is
    /// given.
    pub fn add_pattern(&mut self, pattern: impl Into<String>, text: impl Into<String>) {
        self.kept.give_pattern(pattern.into(), text.into());
    }

    /// The fabric, whole.
    pub fn fabric(&self) -> &Arc<Fabric> {
        &self.kept.whole.fabric
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
        let kept = &self.kept;
        let (question, state) = Question::read(text, &kept.whole)?;
        match question {
            Question::Routing => answers::routing(kept, &state),
            Question::Limits => answers::limits(kept, &state),
            Question::Cable { cable, shown } => answers::cable(kept, &state, cable, &shown),
            Question::LoadsOfCable { cable, routings } => {
                Ok(answers::loads_of_cable(kept, &state, cable, &routings))
            }
            Question::Pair {
                source,
                destination,
            } => answers::pair(kept, &state, [source, destination]),
            Question::Without(part) => answers::without(kept, &state, part),
            Question::Transition(part) => answers::transition(kept, &state, part),
            Question::Ways(pairs) => answers::ways(kept, &state, &pairs),
            Question::Run(moving) => answers::run(kept, &state, moving),
        }
    }
}
