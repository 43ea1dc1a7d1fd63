//! Hosts by name or number.

use super::Request;
use crate::workload::error::TrafficError;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, ServiceReason};
use weft_registry::Suggestion;

/// The parameter that names hosts.
pub(super) const HOSTS: &str = "hosts";

/// The hosts of a fabric by name. A text that is no host's name may be a host's number.
pub(super) struct HostNames<'a> {
    fabric: &'a Fabric,
    numbers: BTreeMap<&'a str, u32>,
    /// Per host: its place among those that take part.
    places: Vec<Option<u32>>,
}

impl<'a> HostNames<'a> {
    /// Those that take part in what is asked for, by their places.
    pub(super) fn of(request: &Request<'a>) -> Self {
        let mut names = Self::of_all(request.whole);
        names.places = vec![None; request.whole.host_count()];
        for (place, host) in (0..).zip(request.hosts) {
            names.places[host.index()] = Some(place);
        }
        names
    }

    /// All hosts of a fabric, by their numbers.
    pub(super) fn of_all(fabric: &'a Fabric) -> Self {
        let entry = |host: HostId| (fabric.host(host).name.as_str(), host.number());
        Self {
            fabric,
            numbers: fabric.host_ids().map(entry).collect(),
            places: fabric.host_ids().map(|host| Some(host.number())).collect(),
        }
    }

    /// The place of a host.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let number = self.number(text)?;
        self.places.get(number as usize).copied().flatten()
    }

    /// Why a text that is found nowhere names a service end, if it does.
    pub(super) fn service(&self, text: &str) -> Option<ServiceReason> {
        let number = self.number(text).filter(|_| self.find(text).is_none())?;
        let is_there = (number as usize) < self.fabric.host_count();
        is_there.then(|| self.fabric.host(HostId::new(number)).service)?
    }

    fn number(&self, text: &str) -> Option<u32> {
        let by_name = self.numbers.get(text).copied();
        by_name.or_else(|| text.parse().ok())
    }

    /// The name most like a text that is no host.
    pub(super) fn suggestion(&self, text: &str) -> Suggestion {
        Suggestion::nearest(text, self.numbers.keys().copied())
    }

    /// The place of a host that a file lists, or what is wrong with it.
    pub(super) fn listed(&self, request: &Request<'_>, text: &str) -> Result<u32, String> {
        if let Some(place) = self.find(text) {
            return Ok(place);
        }
        if let Some(reason) = self.service(text) {
            let why = reason.describe_one();
            return Err(format!(
                "“{text}” is a service end, as {why}, and sends and receives nothing; leave it out, or \
                 make it a compute end: --compute names all that compute, and --compute '*' is everyone"
            ));
        }
        Err(format!(
            "found host “{text}”, expected a host of fabric “{}” by name, or by number from 0 to {}{}",
            request.fabric.name(),
            request.fabric.host_count() - 1,
            self.suggestion(text)
        ))
    }

    /// The error for a text that is no host.
    pub(super) fn unknown(&self, request: &Request<'_>, found: &str) -> TrafficError {
        TrafficError::UnknownHost {
            pattern: request.pattern,
            found: found.to_owned(),
            fabric: self.fabric.name().to_owned(),
            last: self.fabric.host_count().saturating_sub(1),
            suggestion: self.suggestion(found),
        }
    }
}
