//! What is known of what has parameters, and how it is found.

use crate::{RegistryError, Spec, Values};
use std::collections::BTreeMap;

/// What is known of anything that can be chosen by name and has parameters, and what makes it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<Make = ()> {
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
    /// What makes it, of the values of the parameters.
    pub make: Make,
}

impl<Make> Entry<Make> {
    /// The one of a registry that has a name, with a value for each of its parameters: those given,
    /// checked, and the defaults; `what` says what it is one of, such as `topology`.
    ///
    /// # Errors
    /// As [`find`] and [`Values::complete`].
    pub fn choose<'a>(
        what: &'static str,
        registry: &'a [Self],
        name: &str,
        given: &BTreeMap<String, String>,
    ) -> Result<(&'a Self, Values), RegistryError> {
        let entry = find(what, registry.iter(), |entry| entry.name, name)?;
        let owner = format!("{what} {name}");
        Ok((entry, Values::complete(owner, entry.parameters, given)?))
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
