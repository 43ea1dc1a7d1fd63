//! Hosts by name or number.

use super::Request;
use crate::workload::error::TrafficError;
use std::collections::BTreeMap;
use weft_fabric::Fabric;
use weft_registry::Suggestion;

/// The hosts of a fabric by name. A text that is no host's name may be a host's number.
pub(super) struct HostNames<'a> {
    fabric: &'a Fabric,
    numbers: BTreeMap<&'a str, u32>,
}

impl<'a> HostNames<'a> {
    pub(super) fn of(fabric: &'a Fabric) -> Self {
        let entry = |host: weft_fabric::HostId| (fabric.host(host).name.as_str(), host.number());
        Self {
            fabric,
            numbers: fabric.host_ids().map(entry).collect(),
        }
    }

    /// The number of a host.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        let is_host = |number: &u32| (*number as usize) < self.fabric.host_count();
        let by_name = self.numbers.get(text).copied();
        by_name.or_else(|| text.parse().ok().filter(is_host))
    }

    /// The name most like a text that is no host.
    pub(super) fn suggestion(&self, text: &str) -> Suggestion {
        Suggestion::nearest(text, self.numbers.keys().copied())
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
