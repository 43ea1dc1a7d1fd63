//! Questions read from JSON: every member checked, none passed over.

use crate::asked::{Moving, Shown};
use crate::error::{EXAMPLE, ExploreError};
use crate::state::{Failed, Part, State};
use crate::whole::Whole;
use serde_json::{Map, Value};
use weft_registry::RegistryError;

/// Most pairs that are told at a time.
const MOST_PAIRS: u64 = 10_000;
const PAIRS: u64 = 100;

/// Most routings that are compared at a time.
const MOST_ROUTINGS: usize = 32;

/// Most cycles that are simulated at a time.
const MOST_CYCLES: u64 = 1_000_000;

/// What is asked, of a state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Question {
    Routing,
    Limits,
    Cable { cable: u32, shown: Shown },
    LoadsOfCable { cable: u32, routings: Vec<String> },
    Pair { source: u32, destination: u32 },
    Without(Part),
    Transition(Part),
    Ways(Vec<[u32; 2]>),
    Run(Moving),
}

/// Names of all questions.
const NAMES: [&str; 9] = [
    "routing",
    "limits",
    "cable",
    "loads_of_cable",
    "pair",
    "without",
    "transition",
    "ways",
    "run",
];

impl Question {
    /// Reads a question and the state that it is asked of.
    ///
    /// # Errors
    /// [`ExploreError::NotJson`], [`ExploreError::Member`], or [`ExploreError::Registry`] for a question
    /// that there is not.
    pub(crate) fn read(text: &str, whole: &Whole) -> Result<(Self, State), ExploreError> {
        let value: Value = serde_json::from_str(text).map_err(|error| ExploreError::NotJson {
            problem: error.to_string(),
        })?;
        let mut members = Members::of("", value)?;
        let name = members.text("question", None)?;
        let state = members.taken("state").unwrap_or(Value::Null);
        let state = read_state(Members::of("state", state)?, whole)?;
        let cables = ("cable", whole.cable_count());
        let hosts = ("host", whole.fabric.host_count());
        let question = match name.as_str() {
            "routing" => Self::Routing,
            "limits" => Self::Limits,
            "cable" => Self::Cable {
                cable: members.part("cable", cables)?,
                shown: Shown {
                    search: members.text("search", Some(""))?.to_lowercase(),
                    first: members.whole("first", Some(0), u64::from(u32::MAX))?,
                    count: members.whole("count", Some(PAIRS), MOST_PAIRS)?,
                },
            },
            "loads_of_cable" => Self::LoadsOfCable {
                cable: members.part("cable", cables)?,
                routings: members.texts("routings", MOST_ROUTINGS)?,
            },
            "pair" => {
                let source = members.part("source", hosts)?;
                let destination = members.part("destination", hosts)?;
                if source == destination {
                    let found = destination.to_string();
                    let expected = "another host than the source".to_owned();
                    return Err(members.wrong("destination", found, expected));
                }
                Self::Pair {
                    source,
                    destination,
                }
            }
            "without" => Self::Without(members.failing(whole)?),
            "transition" => Self::Transition(members.failing(whole)?),
            "ways" => Self::Ways(members.pairs("pairs", hosts)?),
            "run" => Self::Run(Moving {
                load: members.share("load")?,
                cycles: members.whole("cycles", None, MOST_CYCLES)? as u64,
                seed: members.whole("seed", Some(1), u64::from(u32::MAX))? as u64,
            }),
            _ => {
                let known = NAMES.into_iter();
                return Err(RegistryError::unknown_name("question", &name, known).into());
            }
        };
        members.end()?;
        Ok((question, state))
    }
}

fn read_state(mut members: Members, whole: &Whole) -> Result<State, ExploreError> {
    let cables = ("cable", whole.cable_count());
    let switches = ("switch", whole.fabric.switch_count());
    let state = State {
        routing: members.text("routing", None)?,
        pattern: members.text("pattern", Some("uniform"))?,
        hardware: if members.has("hardware") {
            Some(members.text("hardware", None)?)
        } else {
            None
        },
        failed: Failed::new(
            members.parts("failed_cables", cables)?,
            members.parts("failed_switches", switches)?,
        ),
    };
    members.end()?;
    Ok(state)
}

/// The members of an object that nobody took yet.
struct Members {
    /// What the object is a member of.
    of: &'static str,
    members: Map<String, Value>,
}

/// What parts are called, and how many there are.
type Parts = (&'static str, usize);

impl Members {
    fn of(of: &'static str, value: Value) -> Result<Self, ExploreError> {
        match value {
            Value::Object(members) => Ok(Self { of, members }),
            other => Err(ExploreError::Member {
                member: if of.is_empty() { "question" } else { of }.to_owned(),
                found: shown(&other),
                expected: format!("an object, as in {EXAMPLE}"),
            }),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.members.get(name).is_some_and(|value| !value.is_null())
    }

    fn taken(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name).filter(|value| !value.is_null())
    }

    fn wrong(&self, name: &str, found: String, expected: String) -> ExploreError {
        let member = match self.of {
            "" => name.to_owned(),
            of => format!("{of}.{name}"),
        };
        ExploreError::Member {
            member,
            found,
            expected,
        }
    }

    fn text(&mut self, name: &str, otherwise: Option<&str>) -> Result<String, ExploreError> {
        match (self.taken(name), otherwise) {
            (Some(Value::String(text)), _) => Ok(text),
            (None, Some(text)) => Ok(text.to_owned()),
            (other, _) => {
                let found = other.as_ref().map_or("nothing".to_owned(), shown);
                Err(self.wrong(name, found, "a text".to_owned()))
            }
        }
    }

    fn texts(&mut self, name: &str, most: usize) -> Result<Vec<String>, ExploreError> {
        let found = self.taken(name).unwrap_or(Value::Null);
        let texts = found.as_array().and_then(|all| {
            let texts = all.iter().map(|one| one.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>()
        });
        let texts = texts.filter(|texts| (1..=most).contains(&texts.len()));
        texts.ok_or_else(|| self.wrong(name, shown(&found), format!("a list of 1 to {most} texts")))
    }

    fn whole(
        &mut self,
        name: &str,
        otherwise: Option<u64>,
        most: u64,
    ) -> Result<usize, ExploreError> {
        let found = self.taken(name);
        let number = match &found {
            None => otherwise,
            Some(value) => value.as_u64(),
        };
        let number = number.filter(|&number| number <= most);
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| {
            let found = found.as_ref().map_or("nothing".to_owned(), shown);
            self.wrong(name, found, format!("a whole number from 0 to {most}"))
        })
    }

    /// A number more than 0 and at most 1.
    fn share(&mut self, name: &str) -> Result<f64, ExploreError> {
        let found = self.taken(name);
        let number = found.as_ref().and_then(Value::as_f64);
        let number = number.filter(|&number| number > 0.0 && number <= 1.0);
        number.ok_or_else(|| {
            let found = found.as_ref().map_or("nothing".to_owned(), shown);
            self.wrong(name, found, "a number more than 0 and at most 1".to_owned())
        })
    }

    /// The number of one of so many parts.
    fn part(&mut self, name: &str, parts: Parts) -> Result<u32, ExploreError> {
        let found = self.taken(name).unwrap_or(Value::Null);
        part_of(&found, parts).ok_or_else(|| self.no_part(name, &found, parts, ""))
    }

    /// The cable or switch that fails.
    fn failing(&mut self, whole: &Whole) -> Result<Part, ExploreError> {
        if self.has("switch") {
            let switches = ("switch", whole.fabric.switch_count());
            return Ok(Part::Switch(self.part("switch", switches)?));
        }
        let cables = ("cable", whole.cable_count());
        Ok(Part::Cable(self.part("cable", cables)?))
    }

    /// Pairs of different hosts.
    fn pairs(&mut self, name: &str, hosts: Parts) -> Result<Vec<[u32; 2]>, ExploreError> {
        let found = self.taken(name).unwrap_or(Value::Null);
        let pair = |one: &Value| match one.as_array()?.as_slice() {
            [source, destination] if source != destination => {
                Some([part_of(source, hosts)?, part_of(destination, hosts)?])
            }
            _ => None,
        };
        let pairs = found.as_array().and_then(|all| {
            let pairs: Option<Vec<_>> = all.iter().map(pair).collect();
            pairs.filter(|pairs| pairs.len() as u64 <= MOST_PAIRS)
        });
        pairs.ok_or_else(|| {
            let expected = format!(
                "a list of at most {MOST_PAIRS} pairs [source, destination] of two hosts, each below {}",
                hosts.1
            );
            self.wrong(name, shown(&found), expected)
        })
    }

    /// The numbers of some of so many parts; none where there is no such member.
    fn parts(&mut self, name: &str, parts: Parts) -> Result<Vec<u32>, ExploreError> {
        let found = self.taken(name).unwrap_or(Value::Array(Vec::new()));
        let numbers = found.as_array().and_then(|all| {
            let numbers = all.iter().map(|one| part_of(one, parts));
            numbers.collect::<Option<Vec<u32>>>()
        });
        numbers.ok_or_else(|| self.no_part(name, &found, parts, "a list: each "))
    }

    fn no_part(&self, name: &str, found: &Value, (what, count): Parts, list: &str) -> ExploreError {
        let expected = match count.checked_sub(1) {
            None => format!("nothing: the fabric has no {what}"),
            Some(last) => format!("{list}the number of a {what}, 0 to {last}"),
        };
        let found = match found {
            Value::Null => "nothing".to_owned(),
            other => shown(other),
        };
        self.wrong(name, found, expected)
    }

    /// Refuses members that nobody took.
    fn end(self) -> Result<(), ExploreError> {
        match self.members.iter().find(|(_, value)| !value.is_null()) {
            None => Ok(()),
            Some((name, value)) => Err(self.wrong(name, shown(value), "no such member".to_owned())),
        }
    }
}

fn part_of(value: &Value, (_, count): Parts) -> Option<u32> {
    let number = u32::try_from(value.as_u64()?).ok()?;
    ((number as usize) < count).then_some(number)
}

/// Characters of a value that are shown in an error.
const MOST_SHOWN: usize = 60;

/// A value for people, the start of a long one.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MOST_SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
