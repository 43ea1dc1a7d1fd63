//! How service ends came to their routes.

use weft_fabric::Fabric;

/// How the service ends of a fabric came to their routes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServiceEnds {
    /// They are joined to the routes of compute ends, which are those that there would be without them; or
    /// there are none, or nobody knows, as of tables that were read.
    #[default]
    Joined,
    /// They count like compute ends: in roots, trees, lanes and balance.
    Alike {
        /// Why they are not joined.
        why: WhyAlike,
        /// What that costs the compute ends, where they have routes without service ends.
        cost: Option<AlikeCost>,
    },
}

/// Why service ends are not joined to the routes of compute ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhyAlike {
    /// The algorithm routes as a subnet manager that knows no service ends.
    Model,
    /// Packets choose on their way.
    Choice,
    /// Destinations have several addresses, or switches choose lanes.
    Form,
    /// No way between two ends was found that closes no cycle.
    Cycle {
        /// Name of an end, or of the switch of several.
        source_end: String,
        /// Likewise.
        destination: String,
    },
}

/// What it costs compute ends that service ends count like them: each without service ends first, then with
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlikeCost {
    /// Routes of compute ends over one channel between switches, at most.
    pub most_routes: [u64; 2],
    /// Links between switches of a route of compute ends, at most.
    pub most_links: [u32; 2],
    /// Lanes in use.
    pub lanes: [u8; 2],
}

impl ServiceEnds {
    /// Says in a sentence that service ends count like compute ends, why, and what it costs; `None` where they
    /// do not.
    pub fn told(&self, fabric: &Fabric) -> Option<String> {
        let Self::Alike { why, cost } = self else {
            return None;
        };
        let count = fabric.host_count() - fabric.compute_hosts().count();
        let (ends, they) = if count == 1 {
            ("service end counts", "it")
        } else {
            ("service ends count", "they")
        };
        let why = match why {
            WhyAlike::Model => {
                "as the subnet manager that it is a model of knows no other".to_owned()
            }
            WhyAlike::Choice => "since packets choose on their way".to_owned(),
            WhyAlike::Form => {
                "since routes with several addresses for a destination, or lanes that switches \
                               choose, take no further ends in"
                    .to_owned()
            }
            WhyAlike::Cycle {
                source_end,
                destination,
            } => format!(
                "since no way was found from “{source_end}” to “{destination}” that closes no cycle beside \
                 the routes of compute ends"
            ),
        };
        let cost = cost.map_or_else(
            || format!("so {they} may make routes of compute ends longer or less even"),
            |cost| {
                let AlikeCost {
                    most_routes: [routes_without, routes],
                    most_links: [links_without, links],
                    lanes: [lanes_without, lanes],
                } = cost;
                format!(
                    "with them a channel between switches carries up to {routes} routes of compute ends, which \
                     have up to {links} links on {lanes} lane{}; without them {routes_without}, \
                     {links_without} and {lanes_without}",
                    if lanes == 1 { "" } else { "s" }
                )
            },
        );
        Some(format!("{count} {ends} like compute ends, {why}: {cost}"))
    }
}
