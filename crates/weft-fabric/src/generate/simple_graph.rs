//! Random graphs without loops or parallel edges in which all vertices have the same degree.
//!
//! Half-edges ("stubs") are shuffled and paired; loops and parallel edges are mended by exchanging
//! ends with random other edges; graphs in several parts are drawn again.

use crate::error::FabricError;
use rand::RngExt;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeSet;

/// Graphs drawn before giving up.
const MAX_DRAWS: u32 = 10_000;
/// Partners tried for one loop or parallel edge before the whole graph is drawn again.
const MAX_EXCHANGES: u32 = 1_000;
/// Keeps this stream of random numbers apart from others with the user's seed ("irregula").
const PURPOSE: u64 = 0x6972_7265_6775_6c61;
/// The same for the number of edges that stay ("thinning").
const THINNING: u64 = 0x7468_696e_6e69_6e67;

/// The degrees wanted: `degree` everywhere; where `vertices · degree` is odd, one less at the last
/// vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearRegular {
    pub(super) vertices: u32,
    pub(super) degree: u32,
}

impl NearRegular {
    fn degree_of(self, vertex: u32) -> u32 {
        let odd = u64::from(self.vertices) * u64::from(self.degree) % 2 == 1;
        self.degree - u32::from(odd && vertex + 1 == self.vertices)
    }
}

/// Draws a connected graph with the wanted degrees; edges come in random order.
pub(super) fn random_connected(
    wanted: NearRegular,
    seed: u64,
) -> Result<Vec<[u32; 2]>, FabricError> {
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ PURPOSE);
    // Among few vertices of high degree hardly any exchange of ends is possible; what such a
    // graph leaves out is sparse and drawn instead.
    let dense = 2 * u64::from(wanted.degree) > u64::from(wanted.vertices);
    for _ in 0..MAX_DRAWS {
        let degrees = (0..wanted.vertices).map(|v| {
            let degree = wanted.degree_of(v);
            if dense {
                wanted.vertices - 1 - degree
            } else {
                degree
            }
        });
        let Some(mut edges) = random_simple(degrees, &mut random) else {
            continue;
        };
        if dense {
            edges = complement(wanted.vertices, &edges);
            edges.shuffle(&mut random);
        }
        if is_connected(wanted.vertices, &edges) {
            return Ok(edges);
        }
    }
    Err(FabricError::NotFound {
        what: "connected irregular network",
        draws: MAX_DRAWS,
    })
}

/// Draws how many edges stay, evenly from a spanning tree's to all, and takes the others away.
/// The edges of a connected graph come, and those that stay are returned, in random order.
pub(super) fn thinned(vertices: u32, edges: Vec<[u32; 2]>, seed: u64) -> Vec<[u32; 2]> {
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ THINNING);
    let tree = vertices.saturating_sub(1) as usize;
    let mut spare = random.random_range(tree..=edges.len().max(tree)) - tree;
    let mut parent: Vec<u32> = (0..vertices).collect();
    let stays = |&edge: &[u32; 2]| {
        let is_needed = merge(&mut parent, edge);
        let is_spared = !is_needed && spare > 0;
        spare -= usize::from(is_spared);
        is_needed || is_spared
    };
    edges.into_iter().filter(stays).collect()
}

fn random_simple(
    degrees: impl Iterator<Item = u32>,
    random: &mut Pcg64Mcg,
) -> Option<Vec<[u32; 2]>> {
    let mut stubs: Vec<u32> = (0..)
        .zip(degrees)
        .flat_map(|(v, degree)| (0..degree).map(move |_| v))
        .collect();
    stubs.shuffle(random);
    let mut edges: Vec<[u32; 2]> = stubs
        .chunks_exact(2)
        .map(|pair| [pair[0], pair[1]])
        .collect();
    let mut present = BTreeSet::new();
    let mut is_sound: Vec<bool> = edges
        .iter()
        .map(|&edge| edge[0] != edge[1] && present.insert(sorted(edge)))
        .collect();
    for index in 0..edges.len() {
        if !is_sound[index] && !mend(index, &mut edges, &mut is_sound, &mut present, random) {
            return None;
        }
    }
    Some(edges)
}

/// Exchanges ends of the edge at `index` with a random other edge so that both become sound,
/// if one is found.
fn mend(
    index: usize,
    edges: &mut [[u32; 2]],
    is_sound: &mut [bool],
    present: &mut BTreeSet<[u32; 2]>,
    random: &mut Pcg64Mcg,
) -> bool {
    let [a, b] = edges[index];
    for _ in 0..MAX_EXCHANGES {
        let other = random.random_range(0..edges.len());
        let [c, d] = edges[other];
        let (one, two) = if random.random::<bool>() {
            ([a, d], [c, b])
        } else {
            ([a, c], [d, b])
        };
        let is_new = |edge: [u32; 2]| edge[0] != edge[1] && !present.contains(&sorted(edge));
        if other == index || !is_new(one) || !is_new(two) || sorted(one) == sorted(two) {
            continue;
        }
        if is_sound[other] {
            present.remove(&sorted(edges[other]));
        }
        for (at, edge) in [(index, one), (other, two)] {
            edges[at] = edge;
            is_sound[at] = true;
            present.insert(sorted(edge));
        }
        return true;
    }
    false
}

fn complement(vertices: u32, edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let left_out: BTreeSet<[u32; 2]> = edges.iter().map(|&edge| sorted(edge)).collect();
    (0..vertices)
        .flat_map(|a| (a + 1..vertices).map(move |b| [a, b]))
        .filter(|edge| !left_out.contains(edge))
        .collect()
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Tells whether the edges hold all vertices together.
fn is_connected(vertices: u32, edges: &[[u32; 2]]) -> bool {
    let mut parent: Vec<u32> = (0..vertices).collect();
    let mut parts = vertices;
    for &edge in edges {
        parts -= u32::from(merge(&mut parent, edge));
    }
    parts == 1
}

/// Makes one part of the two that an edge joins, and tells whether they were two.
fn merge(parent: &mut [u32], [a, b]: [u32; 2]) -> bool {
    let (a, b) = (representative(parent, a), representative(parent, b));
    parent[a as usize] = b;
    a != b
}

fn representative(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        let grandparent = parent[parent[vertex as usize] as usize];
        parent[vertex as usize] = grandparent;
        vertex = grandparent;
    }
    vertex
}
