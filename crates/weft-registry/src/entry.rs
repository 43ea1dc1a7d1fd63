//! What is known of what has parameters, and how it is found.

use crate::{RegistryError, Spec, Values};
use std::collections::BTreeMap;

/// What is known of anything that can be chosen by name and has parameters.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is one of, such as `topology`.
    pub what: &'static str,
    /// Name, in words joined by `_`.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What it is, in a sentence or two.
    pub summary: &'static str,
    /// Paper and section it comes from.
    pub source: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Spec],
}

impl Entry {
    /// Adds the defaults to the parameters given and checks every value.
    ///
    /// # Errors
    /// As [`Values::complete`].
    pub fn complete(&self, given: &BTreeMap<String, String>) -> Result<Values, RegistryError> {
        Values::complete(
            format!("{} {}", self.what, self.name),
            self.parameters,
            given,
        )
    }
}

/// The one of a registry that has a name; `what` says what it is one of.
///
/// # Errors
/// [`RegistryError::UnknownName`] with the nearest name.
pub fn find<'a, T>(
    what: &'static str,
    registry: impl Iterator<Item = &'a T> + Clone,
    name_of: impl Fn(&T) -> &'static str,
    found: &str,
) -> Result<&'a T, RegistryError> {
    registry
        .clone()
        .find(|entry| name_of(entry) == found)
        .ok_or_else(|| RegistryError::unknown_name(what, found, registry.map(name_of)))
}
