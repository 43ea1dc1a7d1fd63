//! Several up*/down* trees, each on a lane of its own.

use super::{Algorithm, Lanes, Needs, Refusal, RouteFunction};
use crate::choose::{Selection, select};
use crate::cycles::put_on_lanes;
use crate::error::RoutingError;
use crate::form::{Endpoints, Lane, Routes, SourceRoutes};
use crate::load::largest_expected_load;
use crate::orient::{
    Orientation, RootDistances, TreeRoots, as_text, choose_root, for_each_set, routed_part, sets,
};
use crate::parameters::{PER_OF_DRAWN, Parameters, SEED, selection};
use crate::paths::{PathSpace, TurnRule};
use crate::random::stream;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use weft_fabric::{Fabric, SwitchId, narrow};
use weft_registry::{Kind, Spec};

/// The shortest of the legal routes of several trees, each tree with a lane of its own.
///
/// A tree forbids other turns than another with its root elsewhere; of both together, more routes
/// are short, and the channels near one root carry less. Packets keep to the lane of their tree.
///
/// A path that is shortest in two trees counts twice where paths are drawn, as in the paper, and
/// takes the lane that has carried less. One tree on several lanes is the paper's baseline, in which
/// they are “equally used”: by the packets of each pair in turn, unless pairs are spread. The paper gives two rules for the roots that do not agree for two
/// trees; see the parameter.
///
/// # Complexity
/// Time O(n·S·(S + E)) for n trees, S switches and E links; for the roots, as many times as sets
/// are looked at.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "multi_tree",
    title: "several up*/down* trees",
    summary: "Orients the links toward several roots, each orientation on a lane of its own, and \
              takes one of the shortest of all their legal routes.",
    needs: Needs::lanes(Lanes::AsAsked),
    further: "A route is the shortest that is legal in any of the trees.",
    refuses: &[Refusal::Switches],
    source: "Flich, López, Sancho, Robles, Duato, “Improving InfiniBand routing through multiple \
             virtual networks”, ISHPC 2002, §4; what breaks ties between roots is our own, and so is \
             the search for them",
    parameters: &[
        TREES,
        ROOTS,
        SETS,
        TREE_LANES,
        SPREAD,
        selection("random"),
        PER_OF_DRAWN,
        SEED,
    ],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

const TREES: Spec = Spec::of(
    "trees",
    Kind::Or("auto", &Kind::count(1, PathSpace::MOST_ORIENTATIONS as u64)),
    "auto",
)
.says("Trees, each with a root of its own; auto means as many as roots are given, else 2.");

const ROOTS: Spec = Spec::of("roots", TreeRoots::KIND, "apart").says(
    "Roots of the trees: of two trees the switch nearest to all others and the one farthest \
              from it, of more the switches whose distances differ least and then are longest, the \
              nearest one among them or not; those with which the busiest channel is expected to \
              carry least; or given ones.",
);

const SETS: Spec = Spec::of("sets", Kind::SEED, "256").says(
    "Sets of roots that roots=search looks at: all of them where there are no more, else as \
              many drawn ones, and those that roots=apart would take.",
);

const TREE_LANES: Spec = Spec::of(
    "lanes",
    Kind::Or("auto", &Kind::count(1, PathSpace::MOST_ORIENTATIONS as u64)),
    "auto",
)
.says(
    "Virtual lanes, dealt to the trees in turn, at least one to each; auto means one to \
              each.",
);

const SPREAD: Spec = Spec::of("spread", Kind::Choice(&["packets", "pairs"]), "packets").says(
    "What is spread over the lanes of a tree that has several: the packets of each pair, which \
              take them in turn (their number is then the same for each tree), or the pairs.",
);

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let seed = parameters.seed();
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let granularity = parameters.granularity_of(chosen, fabric);
    let endpoints = Endpoints::new(fabric, granularity);
    let roots = roots(fabric, &part, &endpoints, parameters)?;
    parameters.settle("trees", &roots.len());
    parameters.settle("roots", &as_text(&roots));
    let lanes = parameters.or_auto("lanes").unwrap_or(roots.len());
    if lanes < roots.len() {
        let expected = format!("{} or more, a lane for each tree", roots.len());
        return Err(parameters.invalid("lanes", expected).into());
    }
    parameters.settle("lanes", &lanes);
    let trees: Vec<Orientation> = roots
        .iter()
        .map(|&root| Orientation::from_root(fabric, root))
        .collect();
    let spreads_pairs = parameters.choice("spread", &[("packets", false), ("pairs", true)]);
    let turns = if spreads_pairs {
        1
    } else {
        lanes / trees.len()
    };
    if !spreads_pairs && turns * trees.len() != lanes {
        let expected = format!("a multiple of {}, or spread=pairs", trees.len());
        return Err(parameters.invalid("lanes", expected).into());
    }
    let of_lanes = trees.iter().cycle().take(lanes / turns);
    let space = PathSpace::new(fabric, of_lanes, TurnRule::Forbidden);
    let rows = select(&space, &endpoints, chosen, seed);
    let rows = put_on_lanes(&space, &endpoints, &rows, Lane::new, seed);
    let routes = SourceRoutes::from_rows(endpoints.granularity(), rows);
    Ok(routes
        .in_turns(narrow(turns, "there are 16 lanes at most"))
        .into())
}

fn roots(
    fabric: &Fabric,
    part: &[SwitchId],
    endpoints: &Endpoints,
    parameters: &Parameters,
) -> Result<Vec<SwitchId>, RoutingError> {
    let rule: TreeRoots = parameters.parsed("roots");
    let asked = parameters.or_auto("trees");
    let seed = parameters.seed();
    if let TreeRoots::Given(rules) = rule {
        if asked.is_some_and(|asked| asked != rules.len()) {
            let expected = format!("{}, as many as there are roots, or auto", rules.len());
            return Err(parameters.invalid("trees", expected).into());
        }
        let root = |rule| {
            let chosen = choose_root(fabric, part, rule, seed);
            chosen.map_err(|problem| parameters.root_error("roots", fabric, part, rule, problem))
        };
        return rules.iter().map(root).collect();
    }
    let trees = asked.unwrap_or(2);
    if trees > part.len() {
        return Err(RoutingError::TooFewSwitches {
            fabric: fabric.name().to_owned(),
            trees,
            switches: part.len(),
        });
    }
    let distances = RootDistances::new(fabric, part);
    match rule {
        TreeRoots::Search => {
            let most = parameters.parsed("sets");
            let apart = distances.apart(trees, false);
            let candidates = candidates(part, trees, most, seed, apart);
            Ok(least_loaded(fabric, endpoints, candidates))
        }
        TreeRoots::ApartFromFirst => Ok(distances.apart(trees, true)),
        TreeRoots::Apart | TreeRoots::Given(_) => Ok(distances.apart(trees, false)),
    }
}

/// All sets of roots, or, of more than `most`, as many drawn ones beside `apart`.
fn candidates(
    part: &[SwitchId],
    trees: usize,
    most: u64,
    seed: u64,
    apart: Vec<SwitchId>,
) -> Vec<Vec<SwitchId>> {
    let mut candidates = vec![apart];
    if sets(part.len(), trees) <= most.into() {
        for_each_set(part.len(), trees, |set| {
            candidates.push(set.iter().map(|&place| part[place]).collect());
        });
    } else {
        for index in 0..most {
            let mut random = stream(seed, "sets of roots", index);
            let mut switches = part.to_vec();
            let (set, _) = switches.partial_shuffle(&mut random, trees);
            set.sort_unstable();
            candidates.push(set.to_vec());
        }
    }
    candidates
}

/// The set of roots with which the busiest channel is expected to carry least, the first of
/// equals.
fn least_loaded(
    fabric: &Fabric,
    endpoints: &Endpoints,
    mut candidates: Vec<Vec<SwitchId>>,
) -> Vec<SwitchId> {
    let load = |roots: &Vec<SwitchId>| {
        let trees: Vec<Orientation> = roots
            .iter()
            .map(|&root| Orientation::from_root(fabric, root))
            .collect();
        let space = PathSpace::new(fabric, &trees, TurnRule::Forbidden);
        largest_expected_load(&space, endpoints)
    };
    let loads: Vec<f64> = candidates.par_iter().map(load).collect();
    let best = (0..candidates.len()).min_by(|&a, &b| loads[a].total_cmp(&loads[b]));
    best.map_or_else(Vec::new, |best| candidates.swap_remove(best))
}
