//! How the algorithms of libraries for GPUs pass data on: in how many channels, in which pieces.

use super::super::MOST_MESSAGE_BYTES;
use weft_registry::{Kind, Spec, Values};

/// The steps of a buffer of NCCL: so many pieces are under way between two ranks.
const STEPS: &str = "8";

/// Bytes of such a step, an eighth of 4 MiB.
const STEP_BYTES: &str = "524288";

const PIECE: Kind = Kind::count(0, MOST_MESSAGE_BYTES);
const FEW: Kind = Kind::count(1, 64);
const MANY: Kind = Kind::count(1, 1 << 20);

const CHANNELS: Spec = Spec::of("channels", FEW, "1").says(
    "Rings or trees at once, each with as much of the data; the order of the ranks of a node is \
     turned by one from each to the next.",
);
const CHUNK_BYTES: Spec = Spec::of("chunk_bytes", PIECE, STEP_BYTES)
    .unit("bytes")
    .says("The longest piece that is passed on by itself; 0: what there is.");
const SLICES: Spec = Spec::of("slices", FEW, "1")
    .says("Messages of a piece, each passed on when it is there, before the rest of the piece.");
const IN_FLIGHT: Spec = Spec::of("in_flight", Kind::count(1, 4096), STEPS).says(
    "Messages of a channel that a rank has under way: a further one is sent or called for when the \
     first of them is done with.",
);
const PER_NODE: Spec = Spec::of("per_node", MANY, "1").says(
    "Ranks of a node, which follow each other by number: rings and trees visit node by node.",
);

const AGGREGATE: Spec = Spec::of("aggregate", Kind::count(0, 1 << 20), "0").says(
    "Ranks' parts that a message has at most, of pat a power of two: the room there is for them; 0: as \
     many as there are.",
);
const PXN: Spec = Spec::of("pxn", Kind::Choice(&["0", "1"]), "0").says(
    "Whether each channel goes from node to node on one rail: the last rank of a node gives what it \
     sends to the first, inside the node, and that to the first of the next node.",
);

/// A ring: without a choice a message for each part, and the next when both ends are done with it.
const RING: &[Spec] = &[
    CHANNELS,
    CHUNK_BYTES.or("0").unit("bytes"),
    SLICES,
    IN_FLIGHT.or("1"),
    PER_NODE,
    PXN,
];
const TREE: &[Spec] = &[CHANNELS, CHUNK_BYTES, IN_FLIGHT, PER_NODE];
const DOUBLE_TREE: &[Spec] = &[CHANNELS.or("2"), CHUNK_BYTES, IN_FLIGHT, PER_NODE];
const PAT: &[Spec] = &[CHANNELS, CHUNK_BYTES, IN_FLIGHT, AGGREGATE];
const NODES: Spec = Spec::required("per_node", Kind::count(2, 1 << 20), "8")
    .says("Ranks of a node, which follow each other by number.");
const HIERARCHICAL: &[Spec] = &[CHUNK_BYTES, SLICES, IN_FLIGHT, NODES];
const BY_RAIL: &[Spec] = &[IN_FLIGHT, NODES, AGGREGATE];
const BY_NODE: &[Spec] = &[IN_FLIGHT, PER_NODE];

/// What can be chosen of an algorithm.
pub(super) fn parameters(algorithm: &str) -> &'static [Spec] {
    match algorithm {
        "ring" => RING,
        "tree" | "chain" => TREE,
        "double_tree" => DOUBLE_TREE,
        "pat" => PAT,
        "hierarchical" => HIERARCHICAL,
        "by_node" => BY_NODE,
        "pxn" => BY_RAIL,
        _ => &[],
    }
}

/// The choice: of what an algorithm has no parameter for, what is neutral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    /// Rings or trees at once.
    pub(super) channels: u32,
    /// The longest piece; any length if 0.
    pub(super) chunk_bytes: u64,
    /// Messages of a piece.
    pub(super) slices: u32,
    /// Messages under way.
    pub(super) in_flight: u32,
    /// Ranks of a node.
    pub(super) per_node: u32,
    /// Parts of a message at most; any number if 0.
    pub(super) aggregate: u32,
    /// Whether channels of rings cross from node to node on one rail each: 1 if they do.
    pub(super) pxn: u32,
}

impl Default for Pipeline {
    fn default() -> Self {
        Self {
            channels: 1,
            chunk_bytes: 0,
            slices: 1,
            in_flight: 1,
            per_node: 1,
            aggregate: 0,
            pxn: 0,
        }
    }
}

impl Pipeline {
    /// What values of an algorithm's parameters come to.
    pub(super) fn of(specs: &[Spec], values: &Values) -> Self {
        let mut chosen = Self::default();
        for spec in specs {
            match spec.name {
                "chunk_bytes" => chosen.chunk_bytes = values.parsed(spec.name),
                name => *chosen.number(name) = values.parsed(name),
            }
        }
        chosen
    }

    fn number(&mut self, name: &str) -> &mut u32 {
        match name {
            "channels" => &mut self.channels,
            "slices" => &mut self.slices,
            "in_flight" => &mut self.in_flight,
            "per_node" => &mut self.per_node,
            "aggregate" => &mut self.aggregate,
            "pxn" => &mut self.pxn,
            _ => unreachable!("a pipeline has no {name}"),
        }
    }

    /// The text that chooses an algorithm with these: of the parameters those that are not as usual.
    pub(super) fn text(mut self, algorithm: &'static str) -> String {
        let mut changed = Vec::new();
        for spec in parameters(algorithm) {
            let value = match spec.name {
                "chunk_bytes" => self.chunk_bytes,
                name => u64::from(*self.number(name)),
            };
            if spec.default != Some(value.to_string().as_str()) {
                changed.push(format!("{}={value}", spec.name));
            }
        }
        if changed.is_empty() {
            return algorithm.to_owned();
        }
        format!("{algorithm}:{}", changed.join(","))
    }

    /// The pieces, at most `chunk_bytes` each, of something.
    pub(super) fn pieces(self, bytes: u64) -> u64 {
        match self.chunk_bytes {
            0 => 1,
            most => bytes.div_ceil(most).max(1),
        }
    }

    /// The most parts that a message can have among so many ranks: half of the next power of two.
    pub(super) fn most_aggregated(ranks: u32) -> u32 {
        (ranks.next_power_of_two() / 2).max(1)
    }
}
