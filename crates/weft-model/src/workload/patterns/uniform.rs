//! Uniform traffic.

use super::Pattern;
use crate::workload::Destinations;

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "uniform",
    title: "Uniform",
    summary: "Every other host with the same probability, those of the own switch included.",
    defined_on: "every fabric",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, \
             2002",
    parameters: &[],
    destinations: |request| Destinations::uniform(request.fabric.host_count()),
};
