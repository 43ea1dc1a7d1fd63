//! Local traffic: destinations near the source.

use super::Pattern;
use crate::workload::Destinations;
use crate::workload::rules::Neighbourhoods;
use std::collections::VecDeque;
use weft_fabric::metrics::{UNREACHABLE, distances_from};
use weft_fabric::{Fabric, SwitchId};
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
        Spec::choice("counted", &["host_links", "switches", "switch_links"]).says(
            "Whether the radius counts all links of a path, the two host links among them, the \
             switches on it, or the links between switches only.",
        ),
        Spec::choice("along", &["shortest", "updown"]).says(
            "Whether distance is that of shortest paths, or of the shortest that up*/down* routing \
             allows with the first switch as the root of its breadth-first tree.",
        ),
    ],
    destinations: |request| {
        let radius: u32 = request.values.parsed("radius");
        // What a path has beyond its links between switches.
        let beyond = match request.values.text("counted") {
            "switch_links" => 0,
            "switches" => 1,
            _ => HOST_LINKS,
        };
        let links = radius.checked_sub(beyond).ok_or_else(|| {
            let expected = format!(
                "{HOST_LINKS} or more, since the radius counts the two host links (with \
                 counted=switch_links it counts links between switches only)"
            );
            request.values.invalid("radius", expected)
        })?;
        let fabric = request.fabric;
        let near = if request.values.is("along", "updown") {
            let levels = distances_from(fabric, SwitchId::new(0));
            Neighbourhoods::of(fabric, links, |source| {
                updown_distances_from(fabric, source, &levels)
            })
        } else {
            Neighbourhoods::of(fabric, links, |source| distances_from(fabric, source))
        };
        Destinations::local(near)
            .ok_or_else(|| request.nobody_sends("none has another within the radius"))
    },
};

/// Links to every switch along the shortest path that goes up, then down; `UNREACHABLE` without one.
///
/// The up end of a link is the one of the lower level, of equal ones that of the lower number.
fn updown_distances_from(fabric: &Fabric, source: SwitchId, levels: &[u32]) -> Vec<u32> {
    let order = |switch: SwitchId| (levels[switch.index()], switch);
    // Where a path may still go up, and where it has gone down already.
    let mut distances = [(); 2].map(|()| vec![UNREACHABLE; fabric.switch_count()]);
    let mut reached = VecDeque::from([(source, false)]);
    distances[0][source.index()] = 0;
    while let Some((switch, is_down)) = reached.pop_front() {
        let next = distances[usize::from(is_down)][switch.index()] + 1;
        for hop in fabric.hops(switch) {
            let goes_down = order(hop.switch) > order(switch);
            if is_down && !goes_down {
                continue;
            }
            let distance = &mut distances[usize::from(goes_down)][hop.switch.index()];
            if *distance == UNREACHABLE {
                *distance = next;
                reached.push_back((hop.switch, goes_down));
            }
        }
    }
    let [up, down] = distances;
    up.into_iter().zip(down).map(|(a, b)| a.min(b)).collect()
}
