//! LASH-TOR: shortest paths that move from layer to layer, the last of which up*/down* keeps open.

use super::lash::paths_of_row;
use super::{Algorithm, Lanes, Length, Needs, Refusal, RouteFunction};
use crate::choose::{Selection, select};
use crate::cycles::AcyclicDependencies;
use crate::error::RoutingError;
use crate::form::{Endpoints, Lane, PairGranularity, PairNames, RouteRow, Routes, SourceRoutes};
use crate::orient::routed_part;
use crate::parameters::{Parameters, ROOT, SEED, selection};
use crate::paths::{PathSpace, TurnRule, minimal_links};
use weft_fabric::Fabric;
use weft_registry::{Kind, Spec};

/// Layered shortest paths with transitions.
///
/// Path after path takes its first channels on lane 0 as far as they close no cycle there, the next
/// ones on lane 1, and so on; on the last lane it must be legal by up*/down*. A packet only ever
/// moves to higher lanes, and the channels of each lane form no cycle: of the last by its turns, of
/// the others because each dependency is refused that would close one. That is established for every
/// path put down, whatever may be wrong with the theory: a comment in `OpenSM` says that it has a
/// mistake, without saying which.
///
/// How often a path turns from down to up decides when it comes and how it is cut. First come paths
/// with such turns, but fewer than lanes; they change lanes at each of them, so that all fit, and
/// none where they need not. Then come the paths of pairs that have none but with more, for which
/// lanes before the last have to take such turns: the path chosen, then other minimal ones, up to 64
/// by ascending ports. Last come legal paths, which go as far as they fit on each lane. If some pair
/// fits nowhere, the fabric is refused: what to give up, minimal length or lanes, is the user's to
/// say. The abstract promises two lanes on meshes and tori and three on irregular networks of up to
/// 128 switches; order and cuts are reconstructed.
///
/// # Complexity
/// Time O(S²·P·D) for S switches and paths of P links, where D is what of the channels' order lies
/// between the ends of a new dependency.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "lash_tor",
    title: "LASH-TOR (experimental)",
    summary: "Puts the first channels of each shortest path on lane 0 as far as they close no cycle, \
              the next on lane 1, and so on; on the last lane paths are up*/down* routes.",
    length: Length::Shortest,
    needs: Needs::lanes(Lanes::PerFabric),
    further: "A fabric where that takes more lanes is refused.",
    refuses: &[Refusal::Finish],
    source: "Skeie, Lysne, Flich, López, Robles, Duato, “LASH-TOR: a generic transition-oriented \
             routing algorithm”, ICPADS 2004, of which the abstract is public; reconstructed",
    parameters: &[TRANSITION_LANES, ROOT, selection("first"), SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

const TRANSITION_LANES: Spec = Spec::of("lanes", Kind::count(1, u8::MAX as u64), "3")
    .says("Virtual lanes, the last of them for up*/down*.");

/// Minimal paths of a pair that are tried beside the one chosen.
const MOST_OTHERS: usize = 64;

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    let part = routed_part(fabric)?;
    let orientation = parameters.orientation(fabric, &part)?;
    let chosen = parameters.choice("selection", &Selection::CHOICES);
    let lanes = parameters.parsed("lanes");
    let endpoints = Endpoints::new(fabric, PairGranularity::Switch);
    let space = PathSpace::new(fabric, Some(&orientation), TurnRule::Forbidden);
    let free = PathSpace::new(fabric, None, TurnRule::Free);
    let rows = select(&free, &endpoints, chosen, parameters.seed());
    let links = minimal_links(fabric);
    let count = endpoints.count();
    let mut paths = Vec::with_capacity(count * count);
    for (source, row) in rows.iter().enumerate() {
        paths.extend(paths_of_row(&space, endpoints.switch(source), row));
    }
    let others = |pair: usize| {
        let from = endpoints.switch(pair / count);
        minimal_paths(&space, &links[pair % count], from)
    };
    let most_turns = usize::from(lanes) - 1;
    let mut order: Vec<(Cut, usize)> = Vec::with_capacity(paths.len());
    for (pair, path) in paths.iter_mut().enumerate() {
        if turns(&space, path) > most_turns {
            let mut others = others(pair).into_iter();
            if let Some(other) = others.find(|other| turns(&space, other) <= most_turns) {
                *path = other;
            }
        }
        let cut = match turns(&space, path) {
            0 => Cut::WhereItMust,
            turns if turns <= most_turns => Cut::AtTurns,
            _ => Cut::BeforeLegal,
        };
        order.push((cut, pair));
    }
    order.sort_unstable();
    let mut lanes = TransitionLanes::new(&space, lanes);
    let mut steps = vec![Vec::new(); paths.len()];
    parameters.progress.begin(order.len());
    for (cut, pair) in order {
        parameters.progress.advance();
        let put = lanes.put(&paths[pair], cut).or_else(|| {
            let mut others = others(pair).into_iter();
            others.find_map(|other| lanes.put(&other, cut))
        });
        let Some(put) = put else {
            let pair = [pair / count, pair % count];
            return Err(RoutingError::NoLegalFinish {
                pair: PairNames::of(fabric, PairGranularity::Switch, pair),
                lanes: most_turns + 1,
            });
        };
        steps[pair] = put;
    }
    let step = |&(edge, lane): &(u32, Lane)| (space.edge(edge).port, lane);
    let rows = steps.chunks(count);
    let rows = rows.map(|row| RouteRow::on_lanes(row.iter().map(|steps| steps.iter().map(step))));
    Ok(SourceRoutes::from_rows(PairGranularity::Switch, rows.collect()).into())
}

/// Where a path changes lanes, in the order in which such paths are put down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cut {
    /// At every turn from down to up.
    AtTurns,
    /// Where it would close a cycle, and where what remains is legal.
    BeforeLegal,
    /// Where it would close a cycle.
    WhereItMust,
}

/// Tells whether a path that takes these two edges turns from down to up.
fn is_turn(space: &PathSpace, edges: &[u32]) -> bool {
    !space.edge(edges[0]).is_up(0) && space.edge(edges[1]).is_up(0)
}

/// Counts the turns of a path from down to up.
fn turns(space: &PathSpace, path: &[u32]) -> usize {
    path.windows(2)
        .filter(|edges| is_turn(space, edges))
        .count()
}

/// The lanes with what is on them.
struct TransitionLanes<'a> {
    space: &'a PathSpace,
    /// Per lane but the last: its dependencies.
    open: Vec<AcyclicDependencies>,
    last: Lane,
}

impl<'a> TransitionLanes<'a> {
    fn new(space: &'a PathSpace, lanes: u8) -> Self {
        let empty = AcyclicDependencies::new(space.edge_count());
        Self {
            space,
            open: vec![empty; usize::from(lanes) - 1],
            last: Lane::new(lanes - 1),
        }
    }

    /// Puts a path down and tells the lane of every edge; `None`, with nothing changed, where
    /// what remains for the last lane is not legal.
    fn put(&mut self, path: &[u32], cut: Cut) -> Option<Vec<(u32, Lane)>> {
        let space = self.space;
        let last_turn = path.windows(2).rposition(|edges| is_turn(space, edges));
        // Edges that need not go to the last lane, and those that must not.
        let legal_from = last_turn.map_or(0, |place| place + 1);
        let end = if cut == Cut::WhereItMust {
            path.len()
        } else {
            legal_from
        };
        let mut steps = Vec::with_capacity(path.len());
        let mut pieces = Vec::new();
        for (dependencies, number) in self.open.iter_mut().zip(0..) {
            let rest = &path[steps.len()..end];
            let ends_piece = |edges: &[u32]| {
                cut == Cut::AtTurns && is_turn(space, edges)
                    || !dependencies.add(edges[0], edges[1])
            };
            let length = rest.windows(2).position(ends_piece);
            let piece = &rest[..length.map_or(rest.len(), |place| place + 1)];
            steps.extend(piece.iter().map(|&edge| (edge, Lane::new(number))));
            pieces.push(piece);
        }
        if steps.len() < legal_from {
            for (dependencies, piece) in self.open.iter_mut().zip(pieces) {
                dependencies.remove_route(piece);
            }
            return None;
        }
        let rest = &path[steps.len()..];
        steps.extend(rest.iter().map(|&edge| (edge, self.last)));
        Some(steps)
    }
}

/// Minimal paths to the switch that `links` are the distances of, as edges, by ascending
/// ports, up to [`MOST_OTHERS`].
fn minimal_paths(space: &PathSpace, links: &[Option<u16>], from: u32) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut path: Vec<u32> = Vec::new();
    // Per step of the path: the edge after the one taken.
    let mut untried = vec![space.edge_ids(from)];
    while let Some(edges) = untried.last_mut() {
        if found.len() == MOST_OTHERS {
            break;
        }
        let Some(edge) = edges.next() else {
            untried.pop();
            path.pop();
            continue;
        };
        let here = path.last().map_or(from, |&last| space.edge(last).to);
        let next = space.edge(edge).to;
        let nearer = links[next as usize].map(|links| links + 1);
        if nearer != links[here as usize] {
            continue;
        }
        path.push(edge);
        if links[next as usize] == Some(0) {
            found.push(path.clone());
            path.pop();
        } else {
            untried.push(space.edge_ids(next));
        }
    }
    found
}
