//! Choices written as `name` or `name:parameter=value,parameter=value`.

use std::collections::BTreeMap;

/// Something chosen from a registry by name, with parameters; neither need exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Name.
    pub name: String,
    /// Values by parameter, as text.
    pub parameters: BTreeMap<String, String>,
}

/// A text is no choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A part is no `name=value`.
    #[error("found “{found}” in “{text}”, expected name=value; write parameters as in {example}")]
    Malformed {
        /// The text of the choice.
        text: String,
        /// The part that could not be read.
        found: String,
        /// A choice that could be read.
        example: &'static str,
    },
    /// A parameter is given twice.
    #[error("parameter “{parameter}” is given twice in “{text}”; give each parameter once")]
    DuplicateParameter {
        /// The text of the choice.
        text: String,
        /// The parameter.
        parameter: String,
    },
}

impl Choice {
    /// Takes a text apart. `example` is shown in errors.
    ///
    /// # Errors
    /// [`ChoiceError`] for a part that is no `name=value`, and for a parameter given twice.
    ///
    /// # Examples
    /// ```
    /// let choice = weft_fabric::Choice::parse("hotspot:share=5", "hotspot:share=10")?;
    /// assert_eq!(choice.name, "hotspot");
    /// assert_eq!(choice.parameters["share"], "5");
    /// # Ok::<(), weft_fabric::ChoiceError>(())
    /// ```
    pub fn parse(text: &str, example: &'static str) -> Result<Self, ChoiceError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut choice = Self {
            name: name.trim().to_owned(),
            parameters: BTreeMap::new(),
        };
        for part in rest.split(',').map(str::trim) {
            if part.is_empty() && rest.trim().is_empty() {
                continue;
            }
            let entry = part
                .split_once('=')
                .map(|(parameter, value)| (parameter.trim(), value.trim()))
                .filter(|(parameter, value)| !parameter.is_empty() && !value.is_empty());
            let Some((parameter, value)) = entry else {
                return Err(ChoiceError::Malformed {
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
    /// [`ChoiceError::DuplicateParameter`] when it has been given.
    pub fn add(&mut self, text: &str, parameter: String, value: String) -> Result<(), ChoiceError> {
        if self.parameters.contains_key(&parameter) {
            return Err(ChoiceError::DuplicateParameter {
                text: text.to_owned(),
                parameter,
            });
        }
        self.parameters.insert(parameter, value);
        Ok(())
    }
}
