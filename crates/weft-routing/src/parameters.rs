//! Parameters that several algorithms have, and what is made of their values.

use crate::choose::Selection;
use crate::error::RoutingError;
use crate::form::{LidState, PairGranularity};
use crate::orient::RootRule;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec, Values};

/// Hosts up to which `per=auto` holds a route per pair of hosts where each is sought with regard to others,
/// or is the first of its pair of switches: searches take seconds at this size, in proportion to the square
/// beyond.
const MOST_HOSTS_PER_HOST: usize = 1024;

/// The same where each route is drawn without regard to others and all are held: some five bytes a pair, a
/// hundred megabytes at this size and about ten seconds.
const MOST_HOSTS_DRAWN: usize = 4096;

/// The same where they are drawn when they are asked for: 0.3 GB at this size on a tree and half a minute for
/// whoever goes through all, on a torus with its long paths twice that; both grow with the square.
const MOST_HOSTS_DRAWN_LATER: usize = 8192;

/// Hosts up to which `per=auto` gives each host an entry of its own in the tables of all switches, as subnet
/// managers do: at this size some seconds and one byte a switch and host.
const MOST_HOSTS_IN_TABLES: usize = 16_384;

/// `root`: how the root of the orientation is found.
pub(crate) const ROOT: Spec = Spec::of("root", RootRule::KIND, "min_average").says(
    "Root of the up*/down* orientation: the switch nearest to all others on average, the \
              one with most links, a random one, or a given one; for trees several, such as all \
              at the top.",
);

/// `root` where `OpenSM` finds the roots itself if it is told none.
pub(crate) const OPENSM_ROOT: Spec = Spec::of("root", RootRule::KIND, "opensm").says(
    "Roots that OpenSM is told (its root_guid_file), joined by +, or those that it finds in a \
              tree: more than 90 % of all hosts are equally far from them.",
);

/// `lids`: who chooses a port of a group.
pub(crate) const LIDS: Spec = Spec::of("lids", Kind::Choice(&["free", "hbf"]), "free").says(
    "What switches do with packets that may choose: free sends each by the port with most room, hbf each flow by \
              the port that a hash decides, in order.",
);

/// `root` of a depth-first search.
pub(crate) const DEPTH_FIRST_ROOT: Spec = Spec::of("root", RootRule::KIND_OF_ONE, "max_average")
    .says(
        "Where the depth-first search begins: the switch farthest from all others on average, \
              the one nearest to them, the one with most links, a random one, or a given one.",
    );

/// `orientation`: which order of the switches tells up from down.
pub(crate) const ORIENTATION: Spec = Spec::of(
    "orientation",
    Kind::Choice(&["breadth_first", "depth_first"]),
    "breadth_first",
)
.says(
    "Which end of a link is up: the one nearer the root, or the one that a depth-first \
              search from it visits earlier.",
);

/// `per`: what routes are held between.
pub(crate) const PER: Spec = Spec::of("per", Kind::Choice(&["auto", "host", "switch"]), "auto")
    .says(
        "Whether each pair of hosts has a route of its own or the hosts of two switches share \
              one; auto means host up to 1,024 hosts, then switch.",
    );

/// `per` where a route may be drawn without regard to others.
pub(crate) const PER_OF_DRAWN: Spec =
    Spec::of("per", Kind::Choice(&["auto", "host", "switch"]), "auto").says(
        "Whether each pair of hosts has a route of its own or the hosts of two switches share one, \
              which puts all their packets on one path where there are many; auto means host up to \
              4,096 hosts with selection=random, 1,024 with another, then switch.",
    );

/// `per` where routes may be drawn without regard to others, when they are asked for.
pub(crate) const PER_OF_DRAWN_LATER: Spec =
    Spec::of("per", Kind::Choice(&["auto", "host", "switch"]), "auto").says(
        "Whether each pair of hosts has a route of its own or the hosts of two switches share one, \
              which puts all their packets on one path where there are many; auto means host up to \
              8,192 hosts with selection=random, 1,024 with another, then switch.",
    );

/// `per` of forwarding tables: what their entries are held for.
pub(crate) const PER_OF_TABLES: Spec =
    Spec::of("per", Kind::Choice(&["auto", "host", "switch"]), "auto").says(
        "Whether each host has an entry of its own in the tables, or the hosts of a switch share \
              one; auto means host up to 16,384 hosts, then switch.",
    );

/// `seed`: what all draws of an algorithm depend on.
pub(crate) const SEED: Spec = Spec::of("seed", Kind::SEED, "1")
    .says("Seed of every random choice; the same seed gives the same routes.");

/// `selection`: which of the shortest paths of a pair is its route.
pub(crate) const fn selection(default: &'static str) -> Spec {
    Spec::of(
        "selection",
        Kind::Choice(&["first", "random", "least_loaded", "balanced"]),
        default,
    )
    .says(
        "Which of the shortest paths a pair takes: the first by port numbers, any with \
                  the same probability, the one over the least loaded channels, or the one left \
                  when paths over the busiest channels are taken away one by one (hosts of two \
                  switches share it).",
    )
}

/// `lanes`: how many virtual lanes the hardware has.
pub(crate) const LANES: Spec = Spec::of("lanes", Kind::count(1, u8::MAX as u64), "15")
    .says("Virtual lanes that packets may use; a fabric that needs more is refused.");

/// The parameters of one routing: every one of the algorithm's, each valid.
#[derive(Clone, Debug)]
pub struct Parameters {
    algorithm: &'static str,
    values: Values,
    /// Told how far the routing is.
    pub(crate) progress: Arc<Progress>,
}

impl Deref for Parameters {
    type Target = Values;

    fn deref(&self) -> &Values {
        &self.values
    }
}

impl DerefMut for Parameters {
    fn deref_mut(&mut self) -> &mut Values {
        &mut self.values
    }
}

impl Parameters {
    /// What the parameter `lids` says.
    pub(crate) fn lid_state(&self) -> LidState {
        self.choice(
            "lids",
            &[("free", LidState::Free), ("hbf", LidState::Hashed)],
        )
    }

    /// Checks what was given and adds the defaults.
    pub(crate) fn complete(
        algorithm: &'static str,
        specs: &[Spec],
        given: &BTreeMap<String, String>,
    ) -> Result<Self, RoutingError> {
        let values = Values::complete(format!("routing {algorithm}"), specs, given)?;
        Ok(Self {
            algorithm,
            values,
            progress: Arc::default(),
        })
    }

    /// All parameters by name, with the values used.
    pub(crate) fn into_texts(self) -> BTreeMap<String, String> {
        self.values.into_texts()
    }

    /// Refuses a fabric that needs more lanes than the parameter `lanes` allows.
    pub(crate) fn refuse_more_lanes(
        &self,
        fabric: &Fabric,
        needed: usize,
    ) -> Result<(), RoutingError> {
        let lanes = self.or_auto("lanes").unwrap_or(usize::MAX);
        if needed <= lanes {
            return Ok(());
        }
        Err(RoutingError::TooFewLanes {
            algorithm: self.algorithm,
            fabric: fabric.name().to_owned(),
            lanes,
            needed,
        })
    }

    /// Decides what routes are held between, and records it.
    pub(crate) fn granularity(&mut self, fabric: &Fabric) -> PairGranularity {
        self.granularity_of_at_most(MOST_HOSTS_PER_HOST, fabric)
    }

    /// Decides what routes are held between where they are chosen so, and records it.
    pub(crate) fn granularity_of(
        &mut self,
        selection: Selection,
        fabric: &Fabric,
    ) -> PairGranularity {
        self.granularity_where_drawn(selection, MOST_HOSTS_DRAWN, fabric)
    }

    /// Decides what routes are held between where they are chosen so when they are asked for, and records it.
    pub(crate) fn granularity_of_later(
        &mut self,
        selection: Selection,
        fabric: &Fabric,
    ) -> PairGranularity {
        self.granularity_where_drawn(selection, MOST_HOSTS_DRAWN_LATER, fabric)
    }

    fn granularity_where_drawn(
        &mut self,
        selection: Selection,
        most_drawn: usize,
        fabric: &Fabric,
    ) -> PairGranularity {
        let most = match selection {
            Selection::Random => most_drawn,
            _ => MOST_HOSTS_PER_HOST,
        };
        self.granularity_of_at_most(most, fabric)
    }

    /// Decides what entries of tables are held for, and records it.
    pub(crate) fn granularity_of_tables(&mut self, fabric: &Fabric) -> PairGranularity {
        self.granularity_of_at_most(MOST_HOSTS_IN_TABLES, fabric)
    }

    fn granularity_of_at_most(&mut self, most_hosts: usize, fabric: &Fabric) -> PairGranularity {
        let by_size = if fabric.host_count() <= most_hosts {
            PairGranularity::Host
        } else {
            PairGranularity::Switch
        };
        let choices = [
            ("auto", by_size),
            ("host", PairGranularity::Host),
            ("switch", PairGranularity::Switch),
        ];
        let granularity = self.choice("per", &choices);
        self.settle("per", &granularity.word());
        granularity
    }
}
