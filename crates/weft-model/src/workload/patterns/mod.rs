//! The traffic patterns, one file each. A new one is its file and one line in [`PATTERNS`].
//!
//! Hosts are numbered from 0 in the order of the fabric. A host that a permutation maps to itself
//! sends nothing.

mod bit_reversal;
mod complement;
mod hotspot;
mod local;
mod matrix;
mod names;
mod pair_file;
mod permutation;
mod random_permutation;
mod shift;
mod transpose;
mod uniform;

use super::{Destinations, TrafficError};
use names::HostNames;
use std::str::FromStr;
use weft_fabric::{Fabric, HostId, narrow};
use weft_registry::{Choice, Entry, Kind, Spec, Values, find};

/// All patterns, in the order in which they are listed.
pub const PATTERNS: &[Pattern] = &[
    uniform::PATTERN,
    bit_reversal::PATTERN,
    transpose::PATTERN,
    complement::PATTERN,
    shift::PATTERN,
    random_permutation::PATTERN,
    permutation::PATTERN,
    matrix::PATTERN,
    hotspot::PATTERN,
    local::PATTERN,
];

/// A traffic pattern.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// Name, in words joined by `_`.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Who sends to whom, in a sentence or two.
    pub summary: &'static str,
    /// Fabrics it is defined on.
    pub defined_on: &'static str,
    /// Paper and section it comes from.
    pub source: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Spec],
    /// Lays it over a fabric.
    destinations: fn(&Request<'_>) -> Result<Destinations, TrafficError>,
}

impl Pattern {
    /// What one is called in errors.
    const WHAT: &str = "pattern";

    /// What is known of it as of anything with parameters.
    pub fn entry(&self) -> Entry {
        Entry {
            name: self.name,
            title: self.title,
            summary: self.summary,
            source: self.source,
            parameters: self.parameters,
            make: (),
        }
    }
}

/// What each compute end of a fabric has for others by the file of a traffic matrix, whose text is given: source,
/// destination and an amount above 0, by ascending source and destination.
///
/// # Errors
/// [`TrafficError`]: the fabric has fewer than two hosts, a line is not as the pattern `matrix` has it, or no host has
/// an amount for another.
///
/// # Examples
/// ```
/// use weft_model::workload::matrix_amounts;
///
/// let fabric = weft_fabric::generate::mesh(2, 2, 1)?;
/// let amounts = matrix_amounts(&fabric, "m.csv", "host0,host3,2.5\n3,1,4\n")?;
/// assert_eq!(amounts[1].2, 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn matrix_amounts(
    fabric: &Fabric,
    file: &str,
    text: &str,
) -> Result<Vec<(HostId, HostId, f64)>, TrafficError> {
    let given = [("file".to_owned(), file.to_owned())].into();
    let owner = format!("{} {}", Pattern::WHAT, matrix::PATTERN.name);
    let values = Values::complete(owner, matrix::PATTERN.parameters, &given)?;
    let hosts: Vec<HostId> = fabric.compute_hosts().collect();
    if hosts.len() < 2 {
        let found = hosts.len();
        return Err(TrafficError::TooFewHosts { found });
    }
    let rows = matrix::amounts(&Request {
        pattern: matrix::PATTERN.name,
        values: &values,
        fabric: &fabric.compute_part(),
        whole: fabric,
        hosts: &hosts,
        file_text: Some(text),
    })?;
    let rows = hosts.iter().zip(rows);
    let amounts: Vec<_> = rows
        .flat_map(|(&from, row)| {
            let of_row = row.into_iter();
            of_row.map(move |(to, amount)| (from, to, amount))
        })
        .map(|(from, to, amount)| (from, hosts[to as usize], amount))
        .collect();
    if amounts.is_empty() {
        return Err(TrafficError::File {
            file: file.to_owned(),
            line: text.lines().count().max(1),
            problem: "found no amount above 0 up to the end, expected one of a host for another"
                .to_owned(),
        });
    }
    Ok(amounts)
}

/// What a pattern is laid over a fabric with.
struct Request<'a> {
    pattern: &'static str,
    values: &'a Values,
    /// The hosts that take part, and all switches.
    fabric: &'a Fabric,
    /// All hosts, by whose names and numbers those that take part are called.
    whole: &'a Fabric,
    /// Those that take part, in order.
    hosts: &'a [HostId],
    file_text: Option<&'a str>,
}

impl Request<'_> {
    fn host_count(&self) -> u32 {
        narrow(self.fabric.host_count(), "host ids are numbers of 32 bits")
    }

    fn not_defined(&self, reason: String) -> TrafficError {
        TrafficError::NotDefined {
            pattern: self.pattern,
            fabric: self.fabric.name().to_owned(),
            reason,
        }
    }

    fn nobody_sends(&self, reason: &str) -> TrafficError {
        TrafficError::NobodySends {
            pattern: self.pattern,
            fabric: self.fabric.name().to_owned(),
            reason: reason.to_owned(),
        }
    }

    /// The destinations of a permutation given as a function of host numbers.
    fn permutation(&self, to: impl Fn(u32) -> u32) -> Result<Destinations, TrafficError> {
        Destinations::fixed((0..self.host_count()).map(to).collect())
            .ok_or_else(|| self.nobody_sends("every host is mapped to itself"))
    }
}

/// A pattern with a value for each of its parameters, not yet laid over a fabric.
///
/// # Examples
/// ```
/// use weft_model::workload::ChosenPattern;
///
/// let fabric = weft_fabric::generate::mesh(2, 2, 1)?;
/// let pattern: ChosenPattern = "shift:by=3".parse()?;
/// let destinations = pattern.destinations(&fabric, None)?;
/// assert_eq!(destinations.probabilities(weft_fabric::HostId::new(2))[0].0.number(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChosenPattern {
    pattern: &'static Pattern,
    values: Values,
}

impl FromStr for ChosenPattern {
    type Err = TrafficError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Choice { name, parameters } = Choice::parse(text, "hotspot:share=5,hosts=host3")?;
        let pattern = find(
            Pattern::WHAT,
            PATTERNS.iter(),
            |pattern| pattern.name,
            &name,
        )?;
        let owner = format!("{} {}", Pattern::WHAT, pattern.name);
        let values = Values::complete(owner, pattern.parameters, &parameters)?;
        Ok(Self { pattern, values })
    }
}

impl ChosenPattern {
    /// The name of the file that a parameter names, whose text
    /// [`destinations`](Self::destinations) needs.
    pub fn file(&self) -> Option<&str> {
        let mut specs = self.pattern.parameters.iter();
        let spec = specs.find(|spec| matches!(spec.kind, Kind::File))?;
        Some(self.values.text(spec.name))
    }

    /// Lays the pattern over the compute ends of a fabric, and service ends that it names as
    /// destinations; `file_text` is what stands in its [`file`](Self::file). All other service ends send
    /// and receive nothing.
    ///
    /// # Errors
    /// [`TrafficError`]: the fabric has fewer than two hosts or is not one the pattern is defined
    /// on, a host does not exist, the file is not as expected, or no host would send.
    pub fn destinations(
        &self,
        fabric: &Fabric,
        file_text: Option<&str>,
    ) -> Result<Destinations, TrafficError> {
        let lay = |part: &Fabric, hosts: &[HostId]| {
            if hosts.len() < 2 {
                let found = hosts.len();
                return Err(TrafficError::TooFewHosts { found });
            }
            (self.pattern.destinations)(&Request {
                pattern: self.pattern.name,
                values: &self.values,
                fabric: part,
                whole: fabric,
                hosts,
                file_text,
            })
        };
        if !fabric.has_service() {
            return lay(fabric, &fabric.host_ids().collect::<Vec<_>>());
        }
        let named = self.named(fabric);
        let reasons = fabric.host_ids().map(|id| {
            let reason = fabric.host(id).service;
            reason.filter(|_| !named.contains(&id))
        });
        let with_named = fabric.clone().with_service(reasons.collect());
        let hosts: Vec<HostId> = with_named.compute_hosts().collect();
        let destinations = lay(&with_named.compute_part(), &hosts)?;
        Ok(destinations.among(&hosts, fabric.host_count()))
    }

    /// The hosts that a parameter names, where one does.
    fn named(&self, fabric: &Fabric) -> Vec<HostId> {
        let mut specs = self.pattern.parameters.iter();
        if !specs.any(|spec| spec.name == names::HOSTS) {
            return Vec::new();
        }
        let texts = self.values.text(names::HOSTS).split('+').map(str::trim);
        let names = HostNames::of_all(fabric);
        texts
            .filter_map(|text| names.find(text).map(HostId::new))
            .collect()
    }
}
