//! Local traffic: destinations near the source.

use super::Pattern;
use crate::workload::Destinations;
use crate::workload::rules::Neighbourhoods;
use weft_registry::{Kind, Spec};

/// Host links on the way from a host to another.
const HOST_LINKS: u32 = 2;

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "local",
    title: "Local",
    summary: "Every other host at most so many links away with the same probability. The founding \
              papers count the two host links: there a radius of 3 is the own switch and its \
              neighbours, and 5 is up to three links between switches. A host with no other that \
              near sends nothing.",
    defined_on: "fabrics in which some host has another within the radius",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, \
             2002; that the host links count is inferred from section 5.5.2, footnote 5 and \
             the stops of section 5.4.2",
    parameters: &[
        Spec::of("radius", Kind::whole(1), "5")
            .says("Links between source and destination at most."),
        Spec::choice("counted", &["host_links", "switch_links"]).says(
            "Whether the radius counts the two host links too, or the links between switches only.",
        ),
    ],
    destinations: |request| {
        let radius: u32 = request.values.parsed("radius");
        let links = if request.values.is("counted", "switch_links") {
            radius
        } else {
            radius.checked_sub(HOST_LINKS).ok_or_else(|| {
                let expected = format!(
                    "{HOST_LINKS} or more, since the radius counts the two host links (with \
                     counted=switch_links it counts links between switches only)"
                );
                request.values.invalid("radius", expected)
            })?
        };
        Destinations::local(Neighbourhoods::of(request.fabric, links))
            .ok_or_else(|| request.nobody_sends("none has another within the radius"))
    },
};
