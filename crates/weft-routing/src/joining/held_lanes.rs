//! Which lanes of channels wait for which, never in a cycle.

use crate::cycles::{AcyclicDependencies, Dependencies, Landmarks};
use crate::form::Lane;
use weft_fabric::narrow;

/// A channel by its edge, and its lane.
pub(crate) type LaneStep = (u32, Lane);

/// What all ways depend on that are held, never in a cycle: a dependency for each lane of a channel and the
/// next that a way takes, with the number of its uses.
///
/// Only channels between switches are here: those from hosts wait but nobody waits for them, and those to hosts
/// wait for nothing.
#[derive(Clone, Debug)]
pub(crate) struct HeldLanes {
    edge_count: usize,
    lane_count: usize,
    graph: AcyclicDependencies,
    /// Per lane of a channel: turns from it that once closed a cycle. They do as long as their chain is held, which
    /// is seen without a search.
    refused: Vec<Vec<Refused>>,
    /// Vertices of all their chains.
    noted: usize,
    /// How often something was let go of.
    releases: u64,
    /// By these most turns that close a cycle are seen to without a search, until something is let go of that was held
    /// when they were chosen.
    landmarks: Option<Landmarks>,
}

/// A turn to a lane of a channel that was refused, and the chain of what was held from there to its beginning.
#[derive(Clone, Debug)]
struct Refused {
    wanted: u32,
    chain: Box<[u32]>,
    /// By when it was seen that the chain is held.
    seen_at: u64,
}

/// Chains are forgotten when they have so many vertices.
const MOST_NOTED: usize = 1 << 22;

/// Whether a turn is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// It is made by some way already; no use was added.
    Before,
    /// It is held, as its first use.
    Now,
    /// It would close a cycle.
    Not,
}

/// Turns to and from channels that failed, each lane of a channel with the next and its uses.
#[derive(Clone, Debug)]
pub(crate) struct CutTurns {
    turns: Vec<(u32, u32, u32)>,
    /// What landmarks are put back to.
    mark: usize,
}

impl HeldLanes {
    /// What ways of so many channels and lanes depend on; `None` if that closes a cycle.
    pub(super) fn of(graph: Dependencies, [edge_count, lane_count]: [usize; 2]) -> Option<Self> {
        Some(Self {
            edge_count,
            lane_count,
            refused: vec![Vec::new(); graph.vertex_count()],
            noted: 0,
            releases: 0,
            landmarks: None,
            graph: AcyclicDependencies::of(graph)?,
        })
    }

    /// Holds a way, all of it or, if that would close a cycle, none; and tells which.
    #[must_use]
    pub(crate) fn hold(&mut self, way: &[LaneStep]) -> bool {
        for of in way.windows(2) {
            let [held, wanted] = self.vertices([of[0], of[1]]);
            if self.graph.uses(held, wanted) == 0 && self.is_refused([held, wanted]) {
                return false;
            }
        }
        for (place, of) in way.windows(2).enumerate() {
            let [held, wanted] = self.vertices([of[0], of[1]]);
            if !self.graph.add(held, wanted) {
                self.note_refused([held, wanted]);
                self.let_go(&way[..=place]);
                return false;
            }
        }
        true
    }

    /// The lanes that wait each for the next and with a way for one another in a circle, as few as may be; `None` where
    /// the way can be held.
    pub(crate) fn obstruction(&mut self, way: &[LaneStep]) -> Option<Vec<LaneStep>> {
        for (place, of) in way.windows(2).enumerate() {
            let [held, wanted] = self.vertices([of[0], of[1]]);
            if !self.graph.add(held, wanted) {
                let chain = self.graph.shortest_chain(wanted, held);
                self.let_go(&way[..=place]);
                return Some(chain.into_iter().map(|vertex| self.step(vertex)).collect());
            }
        }
        self.let_go(way);
        None
    }

    /// All turns that ways make, each with its uses.
    pub(crate) fn turns(&self) -> impl Iterator<Item = ([LaneStep; 2], u32)> {
        let vertices = (0..).take(self.refused.len());
        vertices.flat_map(move |held| {
            let wanted = self.graph.wanted(held).iter();
            wanted
                .map(move |&(wanted, uses)| ([held, wanted].map(|vertex| self.step(vertex)), uses))
        })
    }

    /// How many ways to a destination make a turn.
    pub(crate) fn uses(&self, turn: [LaneStep; 2]) -> u32 {
        let [held, wanted] = self.vertices(turn);
        self.graph.uses(held, wanted)
    }

    fn vertices(&self, turn: [LaneStep; 2]) -> [u32; 2] {
        turn.map(|step| vertex(self.edge_count, step))
    }

    fn step(&self, vertex: u32) -> LaneStep {
        let count = number(self.edge_count);
        let lane = narrow((vertex / count) as usize, "lanes have numbers of 8 bits");
        (vertex % count, Lane::new(lane))
    }

    /// Tells whether a turn closes a cycle with a chain that is held still.
    fn is_refused(&mut self, [held, wanted]: [u32; 2]) -> bool {
        let landmarks = self.landmarks.as_ref();
        if landmarks.is_some_and(|landmarks| landmarks.know(wanted, held)) {
            return true;
        }
        let mut known = self.refused[held as usize].iter_mut();
        let Some(of) = known.find(|of| of.wanted == wanted) else {
            return false;
        };
        if of.seen_at == self.releases {
            return true;
        }
        let is_held = self.graph.is_chain(&of.chain);
        if is_held {
            of.seen_at = self.releases;
        }
        is_held
    }

    /// Notes the chain that a turn closes, as it has just been refused; what is let go of next may be part of it.
    fn note_refused(&mut self, [held, wanted]: [u32; 2]) {
        let seen_at = self.releases.wrapping_sub(1);
        let chain: Box<[u32]> = self.graph.closing().into();
        if self.noted > MOST_NOTED {
            self.refused.iter_mut().for_each(Vec::clear);
            self.noted = 0;
        }
        self.noted += chain.len();
        let known = &mut self.refused[held as usize];
        match known.iter_mut().find(|of| of.wanted == wanted) {
            Some(of) => {
                self.noted -= of.chain.len();
                of.chain = chain;
                of.seen_at = seen_at;
            }
            None => known.push(Refused {
                wanted,
                chain,
                seen_at,
            }),
        }
    }

    /// Holds a path on one lane, all of it or none, and tells which.
    #[must_use]
    pub(crate) fn hold_on(&mut self, lane: Lane, path: &[u32]) -> bool {
        for (place, turn) in path.windows(2).enumerate() {
            if !self.hold_turn_again([turn[0], turn[1]].map(|edge| (edge, lane))) {
                self.release_on(lane, &path[..=place]);
                return false;
            }
        }
        true
    }

    /// Lets go of a way that was held.
    pub(crate) fn release(&mut self, way: &[LaneStep]) {
        self.forget_landmarks();
        self.take_back(way);
    }

    /// Lets go of a way that was held after landmarks were chosen, if any were.
    pub(crate) fn take_back(&mut self, way: &[LaneStep]) {
        self.releases = self.releases.wrapping_add(1);
        self.let_go(way);
    }

    /// Chooses landmarks by what is held, for many repairs that are each taken back.
    /// Time in proportion to channels, lanes and dependencies.
    pub(crate) fn choose_landmarks(&mut self) {
        self.landmarks = Some(Landmarks::new(&self.graph, self.edge_count));
    }

    /// Does without landmarks, as what was held when they were chosen may be let go of.
    pub(crate) fn forget_landmarks(&mut self) {
        self.landmarks = None;
    }

    /// Lets go of a way that nothing has been refused beside.
    fn let_go(&mut self, way: &[LaneStep]) {
        for turn in way.windows(2) {
            self.graph.remove_route(&self.vertices([turn[0], turn[1]]));
        }
    }

    /// Lets go of a path that was held on a lane.
    fn release_on(&mut self, lane: Lane, path: &[u32]) {
        for turn in path.windows(2) {
            self.release(&[turn[0], turn[1]].map(|edge| (edge, lane)));
        }
    }

    /// Holds a turn that some way makes already, or that closes no cycle, and tells whether it is one; with
    /// it whether nobody made it before.
    pub(crate) fn hold_turn(&mut self, turn: [LaneStep; 2]) -> Held {
        let [held, wanted] = self.vertices(turn);
        if self.graph.uses(held, wanted) > 0 {
            Held::Before
        } else if self.is_refused([held, wanted]) {
            Held::Not
        } else if self.graph.add(held, wanted) {
            Held::Now
        } else {
            self.note_refused([held, wanted]);
            Held::Not
        }
    }

    /// Holds a turn once more than before, unless it would close a cycle, and tells whether it is held.
    #[must_use]
    pub(crate) fn hold_turn_again(&mut self, turn: [LaneStep; 2]) -> bool {
        let [held, wanted] = self.vertices(turn);
        self.graph.add(held, wanted)
    }

    /// Lets go of all turns to and from channels, on any lane.
    pub(crate) fn cut(&mut self, edges: &[u32]) -> CutTurns {
        self.releases = self.releases.wrapping_add(1);
        let mut cut = Vec::new();
        for lane in 0..self.lane_count {
            for &edge in edges {
                let vertex = number(lane * self.edge_count + edge as usize);
                self.graph.clear(vertex, &mut cut);
            }
        }
        let gone = cut.iter().map(|&(held, wanted, _)| [held, wanted]);
        let landmarks = self.landmarks.as_mut();
        CutTurns {
            mark: landmarks.map_or(0, |landmarks| landmarks.clear(&self.graph, &gone)),
            turns: cut,
        }
    }

    /// Holds turns again that were cut; what has been held since must be let go of.
    ///
    /// # Panics
    /// Where they close a cycle with what has been held since.
    pub(crate) fn restore(&mut self, turns: CutTurns) {
        if let Some(landmarks) = &mut self.landmarks {
            landmarks.restore(turns.mark);
        }
        for (held, wanted, uses) in turns.turns {
            let is_held = self.graph.add_uses(held, wanted, uses);
            assert!(is_held, "what was held together can be held again");
        }
    }

    /// Tells whether ways on some lane make a turn, from one edge to another.
    pub(crate) fn makes(&self, turn: [u32; 2]) -> bool {
        (0..self.lane_count).any(|lane| {
            let [held, wanted] = turn.map(|edge| lane * self.edge_count + edge as usize);
            self.graph.uses(number(held), number(wanted)) > 0
        })
    }
}

/// Channels of one lane lie together, as searches seldom leave a lane.
pub(super) fn vertex(edge_count: usize, (edge, lane): LaneStep) -> u32 {
    debug_assert!((edge as usize) < edge_count, "edges were counted");
    number(lane.index() * edge_count + edge as usize)
}

fn number(vertex: usize) -> u32 {
    narrow(vertex, "lanes of channels have numbers of 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joining::WantedLanes;
    use crate::paths::{PathSpace, TurnRule};
    use weft_fabric::generate::ring;

    /// Edges of a ring of four by port: of switch s, 2s on to s + 1 and 2s + 1 back to s - 1, but of 3, where 6
    /// leads to 0 and 7 to 2, and of 0, where 1 leads to 3.
    fn space() -> PathSpace {
        PathSpace::new(&ring(4, 1).unwrap(), None, TurnRule::Free)
    }

    fn on(lane: u8, path: &[u32]) -> Vec<LaneStep> {
        path.iter().map(|&edge| (edge, Lane::new(lane))).collect()
    }

    #[test]
    fn a_way_that_closes_a_cycle_is_held_on_another_lane_or_when_there_is_room() {
        let space = space();
        // On round: 0 → 1 → 2 → 3 → 0.
        let round = [0, 2, 4, 6];
        let ends: Vec<u32> = round.iter().map(|&edge| space.edge(edge).to).collect();
        assert_eq!(ends, [1, 2, 3, 0]);
        let mut wanted = WantedLanes::new(&space, 2);
        wanted.add(&on(0, &[0, 2, 4]));
        let mut held = wanted.into_held().unwrap();
        assert!(held.makes([0, 2]) && held.makes([2, 4]) && !held.makes([4, 6]));
        assert!(!held.hold_on(Lane::ZERO, &[4, 6, 0]));
        assert!(!held.makes([4, 6]), "what is refused leaves no trace");
        assert!(held.hold_on(Lane::new(1), &[4, 6, 0]));
        assert!(held.makes([4, 6]));
        // By way of lane 1 at the last turn the circle is open, and closed by another to lane 0.
        assert!(held.hold(&[(4, Lane::ZERO), (6, Lane::new(1))]));
        assert!(!held.hold(&[
            (0, Lane::new(1)),
            (0, Lane::ZERO),
            (2, Lane::ZERO),
            (4, Lane::new(1))
        ]));
        held.release(&on(0, &[0, 2, 4]));
        assert!(held.hold_on(Lane::ZERO, &[4, 6, 0]));
    }

    /// What closed a cycle with a part of the same way alone may be held by itself; what does beside what stays is
    /// refused until that is let go of.
    #[test]
    fn what_is_refused_stays_so_until_something_is_let_go_of() {
        let space = space();
        let mut held = WantedLanes::new(&space, 1).into_held().unwrap();
        let round = on(0, &[0, 2, 4, 6, 0]);
        assert!(!held.hold(&round));
        assert_eq!(held.refused[6][0].chain[..], [0, 2, 4, 6]);
        assert!(
            held.hold(&round[3..]),
            "it was the way's own beginning that it met"
        );
        held.release(&round[3..]);
        assert!(held.hold(&round[..4]));
        let turn = [round[3], round[4]];
        assert!(!held.hold(&turn));
        assert_eq!(held.hold_turn(turn), Held::Not);
        held.release(&round[..2]);
        assert_eq!(held.hold_turn(turn), Held::Now);
    }

    #[test]
    fn ways_with_a_cycle_among_them_are_not_held() {
        let space = space();
        let mut wanted = WantedLanes::new(&space, 1);
        for path in [[0, 2], [2, 4], [4, 6]] {
            wanted.add(&on(0, &path));
        }
        assert!(wanted.clone().into_held().is_some());
        wanted.add(&on(0, &[6, 0]));
        assert!(wanted.into_held().is_none());
    }
}
