//! Choices written as `name` or `name:parameter=value,parameter=value`.

use crate::RegistryError;
use std::collections::BTreeMap;

/// Something chosen from a registry by name, with parameters; neither need exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Name.
    pub name: String,
    /// Values by parameter, as text.
    pub parameters: BTreeMap<String, String>,
}

impl Choice {
    /// Takes a text apart. `example` is shown in errors. A parameter `of` has the rest of the text for its value, which
    /// may be of the same kind.
    ///
    /// # Errors
    /// [`RegistryError`] for a part that is no `name=value`, and for a parameter given twice.
    ///
    /// # Examples
    /// ```
    /// let choice = weft_registry::Choice::parse("hotspot:share=5", "hotspot:share=10")?;
    /// assert_eq!(choice.name, "hotspot");
    /// assert_eq!(choice.parameters["share"], "5");
    /// let choice = weft_registry::Choice::parse("adaptive:lids=hbf,of=best:lanes=4,seed=2", "updown")?;
    /// assert_eq!(choice.parameters["of"], "best:lanes=4,seed=2");
    /// # Ok::<(), weft_registry::RegistryError>(())
    /// ```
    pub fn parse(text: &str, example: &'static str) -> Result<Self, RegistryError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut choice = Self {
            name: name.trim().to_owned(),
            parameters: BTreeMap::new(),
        };
        let mut left = Some(rest);
        while let Some(of_rest) = left {
            let (part, after) = match of_rest.split_once(',') {
                Some((part, after)) if !is_nested(part) => (part, Some(after)),
                _ => (of_rest, None),
            };
            left = after;
            let part = part.trim();
            if part.is_empty() && rest.trim().is_empty() {
                continue;
            }
            let entry = part
                .split_once('=')
                .map(|(parameter, value)| (parameter.trim(), value.trim()))
                .filter(|(parameter, value)| !parameter.is_empty() && !value.is_empty());
            let Some((parameter, value)) = entry else {
                return Err(RegistryError::Malformed {
                    text: text.to_owned(),
                    found: part.to_owned(),
                    example,
                });
            };
            choice.add(text, parameter.to_owned(), value.to_owned())?;
        }
        Ok(choice)
    }

    /// Adds a parameter given beside `text`.
    ///
    /// # Errors
    /// [`RegistryError::DuplicateParameter`] when it has been given.
    pub fn add(
        &mut self,
        text: &str,
        parameter: String,
        value: String,
    ) -> Result<(), RegistryError> {
        if self.parameters.contains_key(&parameter) {
            return Err(RegistryError::DuplicateParameter {
                text: text.to_owned(),
                parameter,
            });
        }
        self.parameters.insert(parameter, value);
        Ok(())
    }
}

/// Tells whether a parameter takes all that follows it for its value.
fn is_nested(part: &str) -> bool {
    part.split_once('=')
        .is_some_and(|(parameter, _)| parameter.trim() == "of")
}
