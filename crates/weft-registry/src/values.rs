//! The values of what was chosen.

use crate::kind::list;
use crate::{RegistryError, Spec, Suggestion};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// One value per parameter of what was chosen, defaults included, each of its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// Such as `pattern hotspot`.
    owner: String,
    texts: BTreeMap<&'static str, String>,
}

impl Values {
    /// Adds the defaults to what was given and checks every value; `owner` names what was chosen, such as
    /// `pattern hotspot`.
    ///
    /// # Errors
    /// [`RegistryError::UnknownParameter`], [`RegistryError::MissingParameter`] and
    /// [`RegistryError::InvalidValue`].
    pub fn complete(
        owner: String,
        specs: &[Spec],
        given: &BTreeMap<String, String>,
    ) -> Result<Self, RegistryError> {
        let known = || specs.iter().map(|spec| spec.name);
        if let Some(found) = given
            .keys()
            .find(|found| !known().any(|name| name == *found))
        {
            return Err(RegistryError::unknown_parameter(owner, found, known()));
        }
        let value = |spec: &Spec| {
            let text = given.get(spec.name).map(String::as_str).or(spec.default);
            match text.map(str::trim) {
                Some(text) if spec.kind.accepts(text) => Ok((spec.name, text.to_owned())),
                Some(text) => Err(spec.invalid(&owner, text)),
                None => Err(RegistryError::MissingParameter {
                    owner: owner.clone(),
                    parameter: spec.name,
                    expected: spec.range(),
                }),
            }
        };
        let texts = specs.iter().map(value).collect::<Result<_, _>>()?;
        Ok(Self { owner, texts })
    }

    /// All parameters by name, with the values used.
    pub fn into_texts(self) -> BTreeMap<String, String> {
        self.texts
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text))
            .collect()
    }

    /// A value as text.
    pub fn text(&self, name: &str) -> &str {
        // Invariant: the owner asks for parameters it lists.
        self.texts
            .get(name)
            .unwrap_or_else(|| unreachable!("{} has no parameter {name}", self.owner))
    }

    fn read<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> T {
        // Invariant: every value is of its parameter's kind, and read as one.
        read(self.text(name))
            .unwrap_or_else(|| unreachable!("{name} of {} was checked", self.owner))
    }

    /// A value read as what its kind promises: a number, or a type of the owner's.
    pub fn parsed<T: FromStr>(&self, name: &str) -> T {
        self.read(name, |text| text.parse().ok())
    }

    /// A value that may be the word `auto`; `None` for that.
    pub fn or_auto<T: FromStr>(&self, name: &str) -> Option<T> {
        (self.text(name) != "auto").then(|| self.parsed(name))
    }

    /// The whole numbers of a list.
    pub fn list(&self, name: &str) -> Vec<u32> {
        self.read(name, list)
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.parsed("seed")
    }

    /// Tells whether the word chosen is this one.
    pub fn is(&self, name: &str, word: &str) -> bool {
        self.text(name) == word
    }

    /// What the word chosen stands for.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> T {
        self.read(name, |text| {
            choices.iter().find(|(word, _)| *word == text).map(|c| c.1)
        })
    }

    /// Records the value that a rule such as `auto` came to.
    pub fn settle(&mut self, name: &'static str, value: &impl fmt::Display) {
        self.texts.insert(name, value.to_string());
    }

    /// The error for a value that fits its kind and not what it is used on.
    pub fn invalid(&self, parameter: &'static str, expected: String) -> RegistryError {
        self.invalid_near(parameter, expected, Suggestion::default())
    }

    /// The same error with what was perhaps meant.
    pub fn invalid_near(
        &self,
        parameter: &'static str,
        expected: String,
        suggestion: Suggestion,
    ) -> RegistryError {
        RegistryError::InvalidValue {
            owner: self.owner.clone(),
            parameter,
            found: self.text(parameter).to_owned(),
            expected,
            suggestion,
        }
    }
}
