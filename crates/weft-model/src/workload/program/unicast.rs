//! Multicasts made of unicasts: in which order hosts tell one another, switch by switch or across
//! them.
//!
//! Source: Koibuchi, Watanabe, Otsuka, Amano, Performance evaluation of deterministic routings,
//! multicasts, and topologies on RHiNET-2 cluster, section II.B. What it leaves open is decided thus:
//! the leader of a switch other than the root's is its lowest rank; inside a switch ranks follow each
//! other by number.

use super::{Dependency, ProgramError, Task, TaskGraph, Work};
use crate::workload::random::{below, stream};
use rand_pcg::Pcg64Mcg;
use weft_registry::Suggestion;

/// Purpose of the draws.
const ORDER: u64 = 0x756e_6963_6173_7400;

/// The order in which ranks are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multicast {
    /// Host ID order: all ranks by number.
    HostOrder,
    /// Random order: all ranks in one random order, the root too.
    RandomOrder,
    /// Switch-host order: first one rank of each switch, the switches in random order, then inside
    /// each switch.
    SwitchHostOrder,
    /// Switch-host ID order: the same, the switches by number.
    SwitchHostIdOrder,
    /// Switch-contention order: first the ranks of the root's switch, then each of them tells one
    /// of every other switch, these in random order.
    SwitchContentionOrder,
    /// One switch-host order, then random: first one rank of each switch as in the switch-host order,
    /// then every one that knows tells a random one that does not, step by step.
    SwitchHostThenRandom,
}

impl Multicast {
    /// All orders.
    pub const ALL: [Self; 6] = [
        Self::HostOrder,
        Self::RandomOrder,
        Self::SwitchHostOrder,
        Self::SwitchHostIdOrder,
        Self::SwitchContentionOrder,
        Self::SwitchHostThenRandom,
    ];

    /// The order's name in the paper, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::HostOrder => "hio",
            Self::RandomOrder => "ro",
            Self::SwitchHostOrder => "sho",
            Self::SwitchHostIdOrder => "shio",
            Self::SwitchContentionOrder => "sco",
            Self::SwitchHostThenRandom => "1sho-3ro",
        }
    }

    /// Tells whether the order depends on a seed.
    pub fn is_random(self) -> bool {
        !matches!(self, Self::HostOrder | Self::SwitchHostIdOrder)
    }
}

/// A text names no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found multicast “{found}”; expected one of {known}{suggestion}")]
pub struct MulticastError {
    found: String,
    known: String,
    suggestion: Suggestion,
}

impl std::str::FromStr for Multicast {
    type Err = MulticastError;

    fn from_str(text: &str) -> Result<Self, MulticastError> {
        let named = Self::ALL.into_iter().find(|order| order.name() == text);
        named.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            MulticastError {
                found: text.to_owned(),
                suggestion: Suggestion::nearest(text, names),
                known: names.join(", "),
            }
        })
    }
}

/// How an ordered list becomes a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tree {
    /// Recursive doubling: those told so far tell as many again, in the order of the list.
    #[default]
    Doubling,
    /// Recursive halving: who has a stretch of the list tells its middle, which gets the second half.
    Halving,
}

/// Who tells whom: per rank those it tells, in order, and the root.
struct Telling {
    children: Vec<Vec<u32>>,
    root: u32,
}

impl Telling {
    fn tell(&mut self, list: &[u32], tree: Tree) {
        match tree {
            Tree::Doubling => {
                let mut told = 1;
                while told < list.len() {
                    for (&teller, &other) in list[..told].iter().zip(&list[told..]) {
                        self.children[teller as usize].push(other);
                    }
                    told *= 2;
                }
            }
            Tree::Halving => {
                let Some((&first, _)) = list.split_first() else {
                    return;
                };
                if list.len() < 2 {
                    return;
                }
                let (own, given) = list.split_at(list.len() / 2);
                self.children[first as usize].push(given[0]);
                self.tell(own, tree);
                self.tell(given, tree);
            }
        }
    }
}

fn shuffle(list: &mut [u32], random: &mut Pcg64Mcg) {
    for last in (1_u32..).take(list.len().saturating_sub(1)) {
        list.swap(last as usize, below(random, last + 1) as usize);
    }
}

/// The tree of an order among ranks grouped by switch; the root is the first rank of the first group
/// that has any, but for random orders.
fn telling(order: Multicast, groups: &[Vec<u32>], tree: Tree, seed: u64) -> Telling {
    let groups: Vec<&Vec<u32>> = groups.iter().filter(|group| !group.is_empty()).collect();
    let mut random = stream(seed, ORDER, 0);
    let mut all: Vec<u32> = groups
        .iter()
        .flat_map(|group| group.iter().copied())
        .collect();
    all.sort_unstable();
    let highest = all.last().copied().unwrap_or(0);
    let mut telling = Telling {
        children: vec![Vec::new(); highest as usize + 1],
        root: groups.first().map_or(0, |group| group[0]),
    };
    // The switches after the first, by number or in random order.
    let mut others: Vec<u32> = (1..).take(groups.len().saturating_sub(1)).collect();
    if !matches!(order, Multicast::SwitchHostIdOrder) {
        shuffle(&mut others, &mut random);
    }
    let switches: Vec<&Vec<u32>> = groups
        .first()
        .into_iter()
        .chain(others.iter().map(|&other| &groups[other as usize]))
        .copied()
        .collect();
    let leaders: Vec<u32> = switches.iter().map(|group| group[0]).collect();
    match order {
        Multicast::HostOrder => {
            telling.root = all.first().copied().unwrap_or(0);
            telling.tell(&all, tree);
        }
        Multicast::RandomOrder => {
            shuffle(&mut all, &mut random);
            telling.root = all.first().copied().unwrap_or(0);
            telling.tell(&all, tree);
        }
        Multicast::SwitchHostOrder | Multicast::SwitchHostIdOrder => {
            telling.tell(&leaders, tree);
            for group in switches {
                telling.tell(group, tree);
            }
        }
        Multicast::SwitchContentionOrder => {
            if let Some((own, others)) = switches.split_first() {
                telling.tell(own, tree);
                let most = switches.iter().map(|group| group.len()).max().unwrap_or(0);
                for place in 0..most {
                    // Where the root's switch has fewer, its last serves the rest.
                    let teller = own[place.min(own.len() - 1)];
                    let mut list = vec![teller];
                    list.extend(others.iter().filter_map(|group| group.get(place)));
                    telling.tell(&list, tree);
                }
            }
        }
        Multicast::SwitchHostThenRandom => {
            telling.tell(&leaders, tree);
            let mut knowing = leaders.clone();
            let mut left: Vec<u32> = all
                .into_iter()
                .filter(|rank| !leaders.contains(rank))
                .collect();
            shuffle(&mut left, &mut random);
            while !left.is_empty() {
                for teller in knowing.clone() {
                    if let Some(other) = left.pop() {
                        telling.children[teller as usize].push(other);
                        knowing.push(other);
                    }
                }
            }
        }
    }
    telling
}

/// The tasks of ranks that do one thing after another.
struct Chains {
    graph: TaskGraph,
    last: Vec<Option<u64>>,
}

impl Chains {
    fn new(ranks: usize) -> Self {
        Self {
            graph: TaskGraph::new(ranks),
            last: vec![None; ranks],
        }
    }

    fn then(&mut self, rank: u32, work: Work) -> Result<(), ProgramError> {
        let before = self.last[rank as usize].map(Dependency::end);
        let task = Task::new(work, 0);
        let number = self.graph.add(rank, task, before.as_slice())?;
        self.last[rank as usize] = Some(number);
        Ok(())
    }

    fn send(&mut self, rank: u32, to: u32, bytes: u64) -> Result<(), ProgramError> {
        self.then(rank, Work::Send { to, tag: 0, bytes })
    }

    fn receive(&mut self, rank: u32, from: u32) -> Result<(), ProgramError> {
        let (from, tag) = (Some(from), Some(0));
        self.then(rank, Work::Receive { from, tag })
    }

    /// What goes up the tree, in the reversed order.
    fn gather(
        &mut self,
        telling: &Telling,
        parents: &[Option<u32>],
        bytes: u64,
    ) -> Result<(), ProgramError> {
        for (rank, children) in (0..).zip(&telling.children) {
            for &child in children.iter().rev() {
                self.receive(rank, child)?;
            }
            if let Some(parent) = parents[rank as usize] {
                self.send(rank, parent, bytes)?;
            }
        }
        Ok(())
    }

    /// What goes down the tree.
    fn release(
        &mut self,
        telling: &Telling,
        parents: &[Option<u32>],
        bytes: u64,
    ) -> Result<(), ProgramError> {
        for (rank, children) in (0..).zip(&telling.children) {
            if let Some(parent) = parents[rank as usize] {
                self.receive(rank, parent)?;
            }
            for &child in children {
                self.send(rank, child, bytes)?;
            }
        }
        Ok(())
    }
}

fn parents(telling: &Telling) -> Vec<Option<u32>> {
    let mut parents = vec![None; telling.children.len()];
    for (rank, children) in (0..).zip(&telling.children) {
        for &child in children {
            parents[child as usize] = Some(rank);
        }
    }
    parents
}

/// Operations of unicasts among all hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unicasts {
    /// In which order ranks are told.
    pub order: Multicast,
    /// How that becomes a tree.
    pub tree: Tree,
    /// What random orders are drawn by.
    pub seed: u64,
    /// Whether there is a gather before the release, and the length of its messages: the tree with
    /// arrows and order reversed, by which every rank says that it and all those below it are there.
    /// With the length of the release it is a barrier.
    pub gather_bytes: Option<u64>,
    /// Length of the messages that tell.
    pub release_bytes: u64,
    /// How often, a rank beginning the next when it is done with its part of one.
    pub repeats: u32,
}

/// Makes the tasks of operations among ranks grouped by switch, `groups` holding every rank from 0 on
/// once.
///
/// # Errors
/// [`ProgramError::UnknownRank`] when ranks are left out.
pub fn unicasts(groups: &[Vec<u32>], what: &Unicasts) -> Result<TaskGraph, ProgramError> {
    let telling = telling(what.order, groups, what.tree, what.seed);
    let parents = parents(&telling);
    let mut chains = Chains::new(groups.iter().map(Vec::len).sum());
    for _ in 0..what.repeats {
        if let Some(bytes) = what.gather_bytes {
            chains.gather(&telling, &parents, bytes)?;
        }
        chains.release(&telling, &parents, what.release_bytes)?;
    }
    Ok(chains.graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_messages_are_gathered_before_the_longer_are_released() {
        let what = Unicasts {
            order: Multicast::HostOrder,
            tree: Tree::Doubling,
            seed: 1,
            gather_bytes: Some(96),
            release_bytes: 512,
            repeats: 2,
        };
        let graph = unicasts(&[vec![0, 1], vec![2]], &what).unwrap();
        let works = |rank: u32| -> Vec<Work> {
            let tasks = graph.tasks(rank);
            tasks.map(|(task, ..)| task.work).collect()
        };
        let send = |to, bytes| Work::Send { to, tag: 0, bytes };
        let receive = |from| Work::Receive {
            from: Some(from),
            tag: Some(0),
        };
        // 0 tells 1, then 2.
        let root = [receive(2), receive(1), send(1, 512), send(2, 512)];
        assert_eq!(works(0), [root, root].concat());
        assert_eq!(works(2), [send(0, 96), receive(0)].repeat(2));
    }

    /// Four switches with four hosts each, numbered along.
    fn groups() -> Vec<Vec<u32>> {
        (0..4)
            .map(|switch| (0..4).map(|host| 4 * switch + host).collect())
            .collect()
    }

    #[test]
    fn every_rank_is_told_once_and_the_depth_is_that_of_the_list() {
        for order in Multicast::ALL {
            for seed in 0..20 {
                let telling = telling(order, &groups(), Tree::Doubling, seed);
                let mut told: Vec<u32> = telling.children.concat();
                told.push(telling.root);
                told.sort_unstable();
                assert_eq!(told, (0..16).collect::<Vec<u32>>(), "{order:?}");
                // All of the paper's orders take log2 16 steps when every telling takes one.
                let mut steps = [0; 16];
                let mut queue = vec![telling.root];
                while let Some(rank) = queue.pop() {
                    for (later, &child) in (1..).zip(&telling.children[rank as usize]) {
                        steps[child as usize] = steps[rank as usize] + later;
                        queue.push(child);
                    }
                }
                assert_eq!(steps.iter().max(), Some(&4), "{order:?}");
            }
        }
    }

    #[test]
    fn doubling_and_halving_are_as_by_hand() {
        let of = |order, tree| telling(order, &groups(), tree, 1).children;
        let hio = of(Multicast::HostOrder, Tree::Doubling);
        assert_eq!((&hio[0], &hio[1]), (&vec![1, 2, 4, 8], &vec![3, 5, 9]));
        let halved = of(Multicast::HostOrder, Tree::Halving);
        assert_eq!(
            (&halved[0], &halved[8]),
            (&vec![8, 4, 2, 1], &vec![12, 10, 9])
        );
        let shio = of(Multicast::SwitchHostIdOrder, Tree::Doubling);
        assert_eq!((&shio[0], &shio[4]), (&vec![4, 8, 1, 2], &vec![12, 5, 6]));
        let halved_shio = of(Multicast::SwitchHostIdOrder, Tree::Halving);
        assert_eq!(
            halved_shio, halved,
            "with ranks along the switches they are the same tree"
        );
    }

    #[test]
    fn in_switch_contention_order_ranks_serve_those_at_their_own_place() {
        for seed in 0..5 {
            let telling = telling(
                Multicast::SwitchContentionOrder,
                &groups(),
                Tree::Doubling,
                seed,
            );
            for (rank, children) in telling.children.iter().enumerate() {
                let across = children
                    .iter()
                    .filter(|&&child| child as usize / 4 != rank / 4);
                for &child in across {
                    assert_eq!(child as usize % 4, rank % 4);
                }
            }
        }
    }
}
